"""The agent loop: a user message, the model, its tool calls, and again, until it answers.

Everything goes through the store as it happens: the message, each reply with its calls, each result when it is there. A
run that was cancelled or killed at any point is taken up by the next: a call without a result gets one that says so,
and nothing is stored twice. Every request comes from `Conversation.request`, so it fits and is valid; one that the
provider refuses as too long all the same is made again by `Conversation.recover`.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from palimpsest.agent.events import (
    COMPACTED_TEXT,
    AgentEvent,
    BudgetWarning,
    Compact,
    Done,
    Notice,
    Outcome,
    Recovered,
    Replaced,
    ToolEnd,
    ToolStart,
    UsageReported,
)
from palimpsest.agent.hooks import Hooks, recall, settled
from palimpsest.agent.tools import TOOL_TIMEOUT_S, Tool, call_tool, failed
from palimpsest.budget.assemble import Request
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.message_input import take_in
from palimpsest.engine.reports import Report, Watcher
from palimpsest.engine.telemetry.observers import provider_of
from palimpsest.errors import FormatError, ModelError, PalimpsestError, UsageError
from palimpsest.plan.blocks import request_position
from palimpsest.plan.turns import units
from palimpsest.ports import Complete
from palimpsest.record.completion import Completion, CompletionRequest, Delta, TextDelta, reply_message
from palimpsest.record.decision import Budget, Decision
from palimpsest.record.message import Message, ToolCall, ToolResult
from palimpsest.record.window_items import MessageItem, StubItem

WARNING_SHARES = (0.5, 0.75, 0.9)
MAX_STEPS = 100
CALL_TIMEOUT_S = 600.0
MAX_RECOVERIES = 3
"""`Conversation.recover` refuses the third in a row; this only bounds the loop."""

MAX_TOLD = 1_000
"""Compactions that wait to be told; the oldest give way."""

ENDING_S = 1.0
"""How long a tool call that was cancelled is waited for; a handler may swallow the cancellation."""

Piece = Delta | Completion
Stream = Callable[[CompletionRequest], AsyncIterator[Piece]]

INTERRUPTED = "interrupted before there was a result; whether it took effect is not known"


@dataclass(frozen=True, slots=True)
class Setup:
    """What an agent is: the model it asks, its own prompt (None leaves the conversation's), its tools by name,
    its limits.
    """

    complete: Complete
    model: str = ""
    system: str | None = None
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    hooks: Hooks = field(default_factory=Hooks)
    max_steps: int = MAX_STEPS
    call_timeout_s: float = CALL_TIMEOUT_S
    tool_timeout_s: float = TOOL_TIMEOUT_S


@dataclass(slots=True)
class Run:
    """One turn under way. `told` holds what compactions have to tell until the loop comes by."""

    setup: Setup
    talk: Conversation
    tools: Mapping[str, Tool]
    told: deque[Report] = field(default_factory=lambda: deque[Report](maxlen=MAX_TOLD))

    @property
    def watcher(self) -> Watcher:
        """What tells this run, and the agent's hooks, of the conversation's compactions."""
        return Watcher(self._before, self._after, who=self.setup.hooks)

    async def turn(self, message: object, key: str | None) -> AsyncGenerator[AgentEvent]:
        """The whole turn (see `Agent.run`)."""
        talk = self.talk
        notices = talk.background.subscribe()
        try:
            with talk.watched(self.watcher):
                given, answer = await self._begin(message, key)
                if answer is not None:
                    yield Done(answer, "stop", 0)
                    return
                injected = await recall(self.setup.hooks, talk, given)
                async with aclosing(self._steps(injected)) as events:
                    async for event in events:
                        yield event
                        while not notices.empty():
                            heard = notices.get_nowait()
                            if heard is not None and heard.conversation == talk.id and heard.message:
                                yield Notice(heard.message)
        finally:
            talk.background.unsubscribe(notices)

    async def _before(self, decision: Decision) -> None:
        """Called before a compaction of this conversation."""
        if self.setup.hooks.before_compaction is not None:
            await settled(self.setup.hooks.before_compaction(self.talk, decision))

    async def _after(self, report: Report) -> None:
        """Called after a compaction of this conversation."""
        self.told.append(report)
        if self.setup.hooks.after_compaction is not None:
            await settled(self.setup.hooks.after_compaction(self.talk, report))

    async def _begin(self, message: object, key: str | None) -> tuple[Message | None, str | None]:
        """Store the turn's message, after results for calls that an earlier run left without any.

        Returns it, and the answer where the turn is over already: its key was seen before, or there is no message.
        """
        given = {"role": "user", "content": message} if isinstance(message, str) else message
        taken = take_in((given,), None).messages if message is not None else ()
        begins = taken[0] if len(taken) == 1 and taken[0].role == "user" else None
        if message is not None and begins is None:
            raise UsageError(
                "a turn begins with a user message", hint="give its text, or a dict of that role"
            )
        pending = await self._pending()
        if pending:
            await self.talk.append(*(_result(call, failed(call, INTERRUPTED)) for call in pending))
        if message is None:
            began = request_position((await self.talk.window()).window)
            return None, await self._answer_after(began)
        stored = await self.talk.append(given, key=key)
        return begins, await self._answer_after(stored[-1].seq) if key is not None else None

    async def _pending(self) -> tuple[ToolCall, ...]:
        """Calls of the newest reply that have no result yet."""
        view = await self.talk.window()
        raw = [item.stored.message for item in view.window.items if isinstance(item, MessageItem | StubItem)]
        last = units(raw)[-1:] if raw else []
        if not last or not last[0].open:
            return ()
        group = raw[last[0].start : last[0].end]
        answered = Counter(result.call_id for message in group for result in message.results)
        pending: list[ToolCall] = []
        for call in group[0].calls:
            if answered[call.id]:
                answered[call.id] -= 1
            else:
                pending.append(call)
        return tuple(pending)

    async def _answer_after(self, position: int) -> str | None:
        """The answer of the turn that begins with the message at a position; None where it has none yet.

        A turn that was cut short is over once another has followed: what the assistant said last in it is its answer.
        """
        text, over = "", False
        while page := await self.talk.messages(position + 1):
            for stored in page:
                message, position = stored.message, stored.seq
                if message.role == "user":
                    return text
                if message.role == "assistant":
                    text = message.text
                over = message.role == "assistant" and not message.calls
        return text if over else None

    async def _steps(self, injected: tuple[str, ...]) -> AsyncGenerator[AgentEvent]:
        talk = self.talk
        outcome: Outcome = "max_steps"
        text, steps = "", 0
        while steps < self.setup.max_steps:
            steps += 1
            completion: Completion | None = None
            async with aclosing(self._call(injected)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        completion = piece
                    else:
                        yield piece
            if completion is None:
                raise ModelError("the model's stream ended without a reply", reason="connection")
            async with aclosing(self._carry_out(completion.calls)) as events:
                async for event in events:
                    yield event
            await talk.end_step()
            for event in await self._compactions():
                yield event
            text = completion.text
            if not completion.calls:
                outcome = completion.finish_reason
                break
        await talk.end_turn()
        for event in await self._compactions():
            yield event
        yield Done(text, outcome, steps)

    async def _call(self, injected: tuple[str, ...]) -> AsyncGenerator[AgentEvent | Completion]:
        """One call of the model, made again after an overflow, with its reply and usage stored."""
        setup, talk = self.setup, self.talk
        request = await talk.request(
            system=setup.system,
            tools=[tool.definition for tool in self.tools.values()],
            model=setup.model,
            inject=injected,
        )
        for _ in range(MAX_RECOVERIES):
            for event in await self._compactions():
                yield event
            for warning in self._warnings(request.budget):
                yield warning
            failure: Exception | None = None
            try:
                async with aclosing(self._asked(request)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Completion):
                            await self._keep(piece, request)
                            if piece.usage is not None:
                                yield UsageReported(piece.usage, request.tokens, piece.model)
                            yield piece
                            return
                        yield piece
            except ModelError as error:
                failure = error
            if failure is None:
                return
            request = await talk.recover(failure)
            yield Recovered(str(failure))

    async def _asked(self, request: Request) -> AsyncGenerator[Piece]:
        """A reply in pieces. That it was asked for is told once it is whole, has failed, or nobody waits for it."""
        setup, started_s = self.setup, time.perf_counter()
        about = (self.talk.id, provider_of(setup.complete), request.model or setup.model)
        whole = False
        try:
            async with aclosing(_pieces(setup.complete, request, setup.call_timeout_s)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        whole = True
                        self.talk.desk.observing.asked(*about, piece, started_s, "reply")
                    yield piece
        except BaseException as error:
            if not whole:
                self.talk.desk.observing.asked(*about, error, started_s, "reply")
            raise

    async def _keep(self, completion: Completion, request: Request) -> None:
        """Store a reply, and what it says of the request."""
        self.talk.desk.recoveries = 0
        reply = reply_message(completion)
        if reply.parts:
            await self.talk.append(reply)
        if completion.usage is not None:
            with suppress(FormatError):  # a client that counts wrongly ends no turn: the estimate stands
                await self.talk.record_usage(completion.usage, request)

    async def _carry_out(self, calls: Sequence[ToolCall]) -> AsyncGenerator[AgentEvent]:
        """All calls of a reply at once; each result is stored when it is there. What still runs at the end is ended."""
        started_s = time.monotonic()
        tasks: dict[asyncio.Task[ToolResult], ToolCall] = {}
        try:
            for call in calls:
                yield ToolStart(call.id, call.name, call.arguments)
                task = asyncio.create_task(call_tool(self.tools, call, self.setup.tool_timeout_s))
                tasks[task] = call
            while tasks:
                finished, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in sorted(finished, key=list(tasks).index):
                    call, result = tasks.pop(task), task.result()
                    await self.talk.append(_result(call, result))
                    elapsed_s = time.monotonic() - started_s
                    yield ToolEnd(call.id, call.name, result.text, result.is_error, elapsed_s)
        finally:
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks, timeout=ENDING_S)

    async def _compactions(self) -> list[AgentEvent]:
        """What was compacted since the last time; the text delta only where a step waited for it."""
        found: list[AgentEvent] = []
        while self.told:
            report = self.told.popleft()
            found.append(Compact(report.summary, report))
            view = await self.talk.window()
            shown = self.talk.desk.show(view.window)
            if not shown.summaries and not isinstance(view.window.items[0], MessageItem | StubItem):
                found.append(Replaced(shown.messages[0]))
            if self.talk.desk.settings.compact_when == "step":
                found.append(TextDelta(COMPACTED_TEXT))
        return found

    def _warnings(self, budget: Budget) -> list[BudgetWarning]:
        """A warning when the use has crossed the next of the shares since it was last below it."""
        use = budget.used_tokens / max(1, budget.capacity_tokens)
        crossed = max((share for share in WARNING_SHARES if use >= share), default=0.0)
        due = crossed > self.talk.desk.warned_share
        self.talk.desk.warned_share = crossed
        return [BudgetWarning(crossed, budget.used_tokens, budget.capacity_tokens)] if due else []


def _result(call: ToolCall, result: ToolResult) -> Message:
    return Message("tool", (result,), name=call.name)


async def _pieces(complete: Complete, request: Request, timeout_s: float) -> AsyncGenerator[Piece]:
    """A model's reply in pieces; one that cannot stream gives its whole text as one. Raises ModelError.

    The time limit is for the whole reply of a model that cannot stream, and for each wait of one that can.
    """
    asked = replace(request.completion(timeout_s), model="")
    stream: Stream | None = getattr(complete, "stream", None)
    try:
        if stream is None:
            async with asyncio.timeout(timeout_s):
                completion = await complete(asked)
            if completion.text:
                yield TextDelta(completion.text)
            yield completion
            return
        async with _closing(stream(asked)) as pieces:
            while True:
                async with asyncio.timeout(timeout_s):
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                yield piece
    except PalimpsestError:
        raise
    except Exception as error:
        from palimpsest.formats.failures import classify

        raise classify(error) from error


@asynccontextmanager
async def _closing(pieces: AsyncIterator[Piece]) -> AsyncGenerator[AsyncIterator[Piece]]:
    """The pieces of a stream, which is closed when they are no longer read, where it can be."""
    try:
        yield pieces
    finally:
        close: Callable[[], Awaitable[object]] | None = getattr(pieces, "aclose", None)
        if close is not None:
            await close()
