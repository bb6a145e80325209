"""The agent loop: a user message, the model, its tool calls, and again, until it answers.

Everything is stored as it happens: the message, each reply with its calls, each result. A run that was cancelled or
killed at any point is continued by the next: a call without a result gets one that says so, and nothing is stored
twice. Every request comes from `Conversation.request`, so it fits and is valid; one that the provider refuses as too
long is made again by `Conversation.recover`.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import cast

from palimpsest.agent import events
from palimpsest.agent.hooks import Hooks, awaited, recall
from palimpsest.agent.tools import TOOL_TIMEOUT_S, Tool, call_tool, failed
from palimpsest.budget.assemble import Request
from palimpsest.engine.conversation import Conversation, runtime_of, state_of, watching
from palimpsest.engine.message_input import parse_messages
from palimpsest.engine.reports import Report, Watcher
from palimpsest.engine.telemetry.reporting import provider_of
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
"""A bound of the loop; `Conversation.recover` refuses the third recovery in a row."""

MAX_REPORTS = 1_000
"""Compactions that wait to be yielded; beyond that the oldest are dropped."""

CANCEL_TIMEOUT_S = 1.0
"""How long a cancelled tool call is waited for; a handler may swallow the cancellation."""

Piece = Delta | Completion
Stream = Callable[[CompletionRequest], AsyncIterator[Piece]]

INTERRUPTED = "interrupted before there was a result; whether it took effect is not known"


@dataclass(frozen=True, slots=True)
class Setup:
    """An agent's model, its own prompt (None leaves the conversation's), its tools by name, and its limits."""

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
    """One turn. `reports` holds those of compactions until the loop yields them."""

    setup: Setup
    talk: Conversation
    tools: Mapping[str, Tool]
    reports: deque[Report] = field(default_factory=lambda: deque[Report](maxlen=MAX_REPORTS))

    @property
    def watcher(self) -> Watcher:
        """What notifies this run and the agent's hooks of the conversation's compactions."""
        return Watcher(self._before, self._after, who=self.setup.hooks)

    async def turn(self, message: object, key: str | None) -> AsyncGenerator[events.AgentEvent]:
        """The whole turn (see `Agent.run`)."""
        talk, background = self.talk, runtime_of(self.talk).background
        notices = background.subscribe()
        try:
            with watching(talk, self.watcher):
                user_message, answer = await self._begin(message, key)
                if answer is not None:
                    yield events.Done(answer, "stop", 0)
                    return
                injected = await recall(self.setup.hooks, talk, user_message)
                async with aclosing(self._steps(injected)) as stream:
                    async for event in stream:
                        yield event
                        while not notices.empty():
                            notice = notices.get_nowait()
                            if notice is not None and notice.conversation == talk.id and notice.message:
                                yield events.Notice(notice.message)
        finally:
            background.unsubscribe(notices)

    async def _before(self, decision: Decision) -> None:
        """Called before a compaction of this conversation."""
        if self.setup.hooks.before_compaction is not None:
            await awaited(self.setup.hooks.before_compaction(self.talk, decision))

    async def _after(self, report: Report) -> None:
        """Called after a compaction of this conversation."""
        self.reports.append(report)
        if self.setup.hooks.after_compaction is not None:
            await awaited(self.setup.hooks.after_compaction(self.talk, report))

    async def _begin(self, message: object, key: str | None) -> tuple[Message | None, str | None]:
        """Store the turn's message, after results for calls that an earlier run left without any.

        Returns the message, and the answer if the turn is finished already: its key was seen before, or no message is
        given.
        """
        given = {"role": "user", "content": message} if isinstance(message, str) else message
        parsed = parse_messages((given,), None).messages if message is not None else ()
        user_message = parsed[0] if len(parsed) == 1 and parsed[0].role == "user" else None
        if message is not None and user_message is None:
            raise UsageError(
                "a turn begins with a user message", hint="give its text, or a dict of that role"
            )
        pending = await self._pending_calls()
        if pending:
            await self.talk.append(*(_result(call, failed(call, INTERRUPTED)) for call in pending))
        if message is None:
            position = request_position((await self.talk.window()).window)
            return None, await self._answer_after(position)
        stored = await self.talk.append(given, key=key)
        return user_message, await self._answer_after(stored[-1].seq) if key is not None else None

    async def _pending_calls(self) -> tuple[ToolCall, ...]:
        """Calls of the newest reply that have no result yet."""
        items = (await self.talk.window()).window.items
        messages = [item.stored.message for item in items if isinstance(item, MessageItem | StubItem)]
        last = units(messages)[-1:] if messages else []
        if not last or not last[0].open:
            return ()
        group = messages[last[0].start : last[0].end]
        answered = Counter(result.call_id for message in group for result in message.results)
        pending: list[ToolCall] = []
        for call in group[0].calls:
            if answered[call.id]:
                answered[call.id] -= 1
            else:
                pending.append(call)
        return tuple(pending)

    async def _answer_after(self, position: int) -> str | None:
        """The answer of the turn that begins at a position; None if it has none yet.

        An interrupted turn is finished once another one follows; then the assistant's last text is its answer.
        """
        text, is_finished = "", False
        while page := await self.talk.messages(position + 1):
            for stored in page:
                message, position = stored.message, stored.seq
                if message.role == "user":
                    return text
                if message.role == "assistant":
                    text = message.text
                if message.role != "system":
                    is_finished = message.role == "assistant" and not message.calls
        return text if is_finished else None

    async def _steps(self, injected: tuple[str, ...]) -> AsyncGenerator[events.AgentEvent]:
        talk = self.talk
        outcome: events.Outcome = "max_steps"
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
            async with aclosing(self._call_tools(completion.calls)) as stream:
                async for event in stream:
                    yield event
            await talk.end_step()
            for event in await self._compaction_events():
                yield event
            text = completion.text
            if not completion.calls:
                outcome = completion.finish_reason
                break
        await talk.end_turn()
        for event in await self._compaction_events():
            yield event
        yield events.Done(text, outcome, steps)

    async def _call(self, injected: tuple[str, ...]) -> AsyncGenerator[events.AgentEvent | Completion]:
        """One call of the model, made again after an overflow, with its reply and usage stored."""
        setup, talk = self.setup, self.talk
        request = await talk.request(
            system=setup.system,
            tools=[tool.definition for tool in self.tools.values()],
            model=setup.model,
            inject=injected,
        )
        for _ in range(MAX_RECOVERIES):
            for event in await self._compaction_events():
                yield event
            if (warning := self._warning(request.budget)) is not None:
                yield warning
            failure: Exception | None = None
            try:
                async with aclosing(self._observed_pieces(request)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Completion):
                            await self._store_reply(piece, request)
                            if piece.usage is not None:
                                yield events.UsageReported(piece.usage, request.tokens, piece.model)
                            yield piece
                            return
                        yield piece
            except ModelError as error:
                failure = error
            if failure is None:
                return
            request = await talk.recover(failure)
            yield events.Recovered(str(failure))

    async def _observed_pieces(self, request: Request) -> AsyncGenerator[Piece]:
        """A reply in pieces, reported once when it is complete, has failed, or is not read any more."""
        setup, started_s = self.setup, time.perf_counter()
        telemetry = state_of(self.talk).telemetry
        about = (self.talk.id, provider_of(setup.complete), request.model or setup.model)
        is_complete = False
        try:
            async with aclosing(_pieces(setup.complete, request, setup.call_timeout_s)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        is_complete = True
                        telemetry.called_model(*about, piece, started_s, "reply")
                    yield piece
        except BaseException as error:
            if not is_complete:
                telemetry.called_model(*about, error, started_s, "reply")
            raise

    async def _store_reply(self, completion: Completion, request: Request) -> None:
        """Store a reply, and its usage."""
        state_of(self.talk).recoveries = 0
        reply = reply_message(completion)
        if reply.parts:
            await self.talk.append(reply)
        if completion.usage is not None:
            with suppress(FormatError):  # an invalid usage does not end a turn; the estimate holds
                await self.talk.record_usage(completion.usage, request)

    async def _call_tools(self, calls: Sequence[ToolCall]) -> AsyncGenerator[events.AgentEvent]:
        """Make all calls of a reply concurrently, storing each result. Calls still running at the end are cancelled."""
        started_s = time.monotonic()
        tasks: dict[asyncio.Task[ToolResult], ToolCall] = {}
        try:
            for call in calls:
                yield events.ToolStart(call.id, call.name, call.arguments)
                task = asyncio.create_task(call_tool(self.tools, call, self.setup.tool_timeout_s))
                tasks[task] = call
            while tasks:
                finished, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in sorted(finished, key=list(tasks).index):
                    call, result = tasks.pop(task), task.result()
                    await self.talk.append(_result(call, result))
                    elapsed_s = time.monotonic() - started_s
                    yield events.ToolEnd(call.id, call.name, result.text, result.is_error, elapsed_s)
        finally:
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks, timeout=CANCEL_TIMEOUT_S)

    async def _compaction_events(self) -> list[events.AgentEvent]:
        """The events of new compactions; the text delta only if a step waited for them."""
        state = state_of(self.talk)
        found: list[events.AgentEvent] = []
        while self.reports:
            report = self.reports.popleft()
            found.append(events.Compact(report.summary, report))
            window = (await self.talk.window()).window
            shown = state.show(window)
            if not shown.summaries and not isinstance(window.items[0], MessageItem | StubItem):
                found.append(events.Replaced(shown.messages[0]))
            if state.settings.compact_when == "step":
                found.append(TextDelta(events.COMPACTED_TEXT))
        return found

    def _warning(self, budget: Budget) -> events.BudgetWarning | None:
        """A warning when the use reaches the next of the shares for the first time since it was below."""
        state = state_of(self.talk)
        use = budget.used_tokens / max(1, budget.capacity_tokens)
        reached = max((share for share in WARNING_SHARES if use >= share), default=0.0)
        before, state.warned_share = state.warned_share, reached
        if reached <= before:
            return None
        return events.BudgetWarning(reached, budget.used_tokens, budget.capacity_tokens)


def _result(call: ToolCall, result: ToolResult) -> Message:
    return Message("tool", (result,), name=call.name)


async def _pieces(complete: Complete, request: Request, timeout_s: float) -> AsyncGenerator[Piece]:
    """A model's reply in pieces; the whole text as one if the model cannot stream. Raises ModelError.

    The time limit is for the whole reply of a model that cannot stream, and for each piece of one that can.
    """
    completion_request = replace(request.completion(timeout_s), model="")
    stream: Stream | None = getattr(complete, "stream", None)
    try:
        if stream is None:
            async with asyncio.timeout(timeout_s):
                completion = await complete(completion_request)
            if completion.text:
                yield TextDelta(completion.text)
            yield completion
            return
        pieces = stream(completion_request)
        closable = hasattr(pieces, "aclose")
        async with aclosing(cast("AsyncGenerator[Piece]", pieces)) if closable else nullcontext():
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
