"""One conversation: append, request, compact, search. Each step of a message's path is one call here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING

from palimpsest.budget.assemble import Request
from palimpsest.budget.request_start import AskedStart
from palimpsest.budget.result_truncation import limit_of
from palimpsest.budget.stubs import calls_of
from palimpsest.engine.appended_changes import start_request
from palimpsest.engine.conversation_state import ConversationState
from palimpsest.engine.input_limits import check_key
from palimpsest.engine.message_input import (
    ParsedMessages,
    as_tools,
    count,
    may_truncate,
    parse_messages,
    read_system,
    require_text,
)
from palimpsest.engine.reports import Synced, WindowView
from palimpsest.engine.store_history import store_history
from palimpsest.engine.telemetry.reporting import observed
from palimpsest.errors import UsageError
from palimpsest.formats import parse_usage
from palimpsest.limits import PASSAGE_TOKENS, READ_MESSAGES
from palimpsest.record.events import Assembled, Taken
from palimpsest.record.summary import Summary
from palimpsest.search.filters import read_where

if TYPE_CHECKING:
    from palimpsest.engine.compacting.compactor import Runtime
    from palimpsest.engine.reports import Entries, Hits, Outline, Passages, Report, Trace, Watcher
    from palimpsest.engine.tools.definitions import ModelTool, ModelTools
    from palimpsest.record.decision import Decision
    from palimpsest.record.log import Branch, Compaction, Stored
    from palimpsest.record.message import ToolDef
    from palimpsest.record.pin import Pin
    from palimpsest.record.window import Window


@dataclass(frozen=True, slots=True)
class Conversation:
    """A handle on one conversation of one owner. It exists in the store from its first message on."""

    id: str
    _runtime: Runtime

    @observed("append")
    async def append(self, *messages: object, key: str | None = None) -> list[Stored]:
        """Store messages (OpenAI, Anthropic, Gemini or Bedrock dicts, or `Message`) at the end, all or none, and return
        them with their ids.

        The same `key` again stores nothing and returns what it stored the first time. System and developer messages
        before the conversation's first other message are its system prompt; later ones are messages like all others.
        Raises FormatError for what cannot be read, StoreError.
        """
        state = self._runtime.state
        now_s, started_s = state.clock(), perf_counter()
        check_key(key)
        parsed = parse_messages(messages, now_s)
        if parsed.leading and await self._has_begun():
            parsed = ParsedMessages((), parsed.leading + parsed.messages)
        if not parsed.messages:
            await self._store_system(parsed.system)
            return []
        settings, tools = state.settings, state.prefix.tools
        calls = None
        if may_truncate(parsed.messages, limit_of(settings, tools)):
            calls = calls_of((await state.load())[1].items)
        messages = await state.with_prefix(parsed.messages)
        entries = count(messages, settings, tools=tools, calls=calls)
        with state.costs.paying() as payment:
            done = await state.store.append(
                state.owner, self.id, entries, key=key, system=parsed.system, payment=payment, now_s=now_s
            )
        state.note_appended(done)
        if parsed.system is not None and not done.repeated:
            state.keep_system(parsed.system)
        took_s, tokens = perf_counter() - started_s, sum(one.tokens for one in done.stored)
        state.telemetry.emit(Taken(self.id, len(done.stored), took_s, tokens, repeated=done.repeated))
        if len(done.stored) >= READ_MESSAGES:
            from palimpsest.engine.compacting.automatic_compaction import read_soon

            read_soon(self._runtime, done.branch)
        return list(done.stored)

    @observed("sync")
    async def sync(self, history: Sequence[object], *, summary_messages: int = 0) -> Synced:
        """Take in a whole history that a client sent again: match what is known, append the rest, or fork.

        An edited or rewound history makes a new branch, which becomes current; nothing is overwritten. A client may
        shorten its history: only its newest messages, or a summary of its own and those. It is matched by what
        overlaps, continues the conversation, and its summary is adopted as a compaction (see
        `engine/history_overlap.py`). A history that was sent before costs what is new in it.

        A caller that knows that the client replaced its whole history by a summary gives the number of
        `summary_messages` at the beginning; what follows them is new.
        """
        state, started_s = self._runtime.state, perf_counter()
        stored = await store_history(state, history, summary_messages)
        done = stored.done
        state.invalidate()
        await self._store_system(stored.system)
        took_s = perf_counter() - started_s
        state.telemetry.emit(Taken(self.id, done.added, took_s, forked=done.forked))
        seq = done.branch.head.seq
        return Synced(self.id, done.branch.id, seq, done.added, done.forked, stored.compactions, stored.notes)

    async def _has_begun(self) -> bool:
        """Whether the conversation has messages."""
        branch = await self._runtime.state.store.branch(self._runtime.state.owner, self.id)
        return branch is not None and branch.head.seq > 0

    async def _store_system(self, system: str | None) -> None:
        """Store a system prompt that came by append or sync, unless it is None or known."""
        state = self._runtime.state
        if system is None or system == state.system == state.prefix.system:
            return
        await state.store.describe_conversation(state.owner, self.id, system=system, now_s=state.clock())
        state.keep_system(system)

    @observed("request")
    async def request(
        self,
        system: object = None,
        memory: str | None = None,
        tools: Sequence[Mapping[str, object] | ToolDef | ModelTool] | None = None,
        model: str = "",
        inject: Sequence[str] = (),
    ) -> Request:
        """The request to send next: it fits the window, and is valid for its provider.

        `system` is a text, or blocks of text in any provider's form; None means the conversation's own (or the last one
        given), and `tools` None those of the last request; tools are a provider's dicts. `inject` are texts such as
        what a memory recalled. They follow the newest message: for a model that binds its thinking they are stored and
        stay, for others they are for this request only (see `Settings.injections`). Over the budget it compacts first.
        Raises DoesNotFit naming the parts that are too large, and UsageError before the first message.
        """
        text, blocks = read_system(system)
        require_text("memory", memory)
        for one in inject:
            require_text("an injection", one)
        state = self._runtime.state
        branch, window = await state.load(model)
        state.costs.settle_by_estimate(window)
        state.calibration.model = model or state.calibration.model
        asked_system = state.asked.system if text is None else text
        if text is not None:
            state.note_system_form(text, blocks)
        asked_tools = state.asked.tools if tools is None else as_tools(tools)
        asked = AskedStart(asked_system, memory or "", asked_tools)
        branch, window = await start_request(state, branch, window, asked, tuple(inject))
        prefix = state.prefix
        if branch is not None:
            from palimpsest.engine.compacting import automatic_compaction

            decides = automatic_compaction.decides_before_calls(state)
            if decides and await automatic_compaction.compact_before_call(self._runtime, branch, window):
                branch, window = await state.load(model)
                state.prefix = prefix
            if branch is not None:
                automatic_compaction.read_soon(
                    self._runtime, branch, automatic_compaction.READ_AT_REQUEST_MESSAGES
                )
        return await self._make_request(branch, window, recalls=True)

    async def _make_request(self, branch: Branch | None, window: Window, *, recalls: bool = False) -> Request:
        from palimpsest.engine.compacting.request_fit import make_fit

        state, started_s = self._runtime.state, perf_counter()
        branch, window, budget = await make_fit(self._runtime, branch, window)
        if state.start_is_outdated(window, branch):
            branch, window = await start_request(state, branch, window, state.asked, state.prefix.injections)
            branch, window, budget = await make_fit(self._runtime, branch, window)
        prefix, model = state.prefix, state.calibration.model
        recalls = recalls and state.effective_settings().auto_recall_tokens > 0
        if recalls and state.staying:
            from palimpsest.engine.retrieval.automatic_recall import add_recalled

            branch, window, budget = await add_recalled(state, branch, window, budget)
        shown = state.show(window)
        chain = state.chain(window, shown)
        injections = (state.ledger_and_pins(window).waiting, *prefix.injections)
        request = Request(
            conversation=self.id,
            branch_id=branch.id,
            system=prefix.system,
            memory=prefix.memory,
            messages=chain.sent,
            injections=tuple(filter(None, injections)),
            summaries=shown.summaries,
            tools=prefix.tools,
            model=model,
            budget=budget,
            mark=state.mark(window, branch),
            last=window.last,
            records=shown.records,
            deferred=state.deferred_tools(),
            system_message=state.system_forms.get(prefix.system),
            rendered=state.rendered,
        )
        if recalls and not state.staying:
            from palimpsest.engine.retrieval.automatic_recall import with_recalled

            request = await with_recalled(request, state, window)
        request = replace(request, prefix=chain.then(request.all_messages[len(request.messages) :]))
        state.answering = (branch.head.chain, request.prefix)
        now_s = state.clock()
        cache, took_s = state.costs.cache_of(request, now_s), perf_counter() - started_s
        sizes = (request.tokens, request.budget.capacity_tokens, len(request.messages))
        state.telemetry.emit(Assembled(self.id, model, *sizes, cache, took_s))
        state.costs.note_request(request, branch, window, now_s)
        return request

    @observed("recover")
    async def recover(self, error: object) -> Request:
        """The request to send after the provider refused the last one as too long, or because of the thinking in it; an
        error of any client is accepted.

        Of one that was too long, the oldest half of the turns is dropped from the window with a note (of a single turn
        only its request stays). Refused thinking is left out, now and later. Everything else is as in the last request.
        Raises ModelError: the error itself if it is neither, and after two recoveries in a row; DoesNotFit.
        """
        from palimpsest.engine.compacting.request_fit import drop_after_overflow

        state = self._runtime.state
        prefix = state.prefix
        if not await state.drop_refused_thinking(error):
            await drop_after_overflow(error, self._runtime)
        branch, window = await state.load()
        state.prefix = prefix
        return await self._make_request(branch, window)

    async def record_usage(self, usage: object, request: Request) -> None:
        """Store the usage that the provider reported for `request`; it anchors the estimates that follow.

        Takes the usage of a provider's reply or of a framework (`formats/usage.py`), as an object or a dict; one
        without input tokens is ignored. Raises FormatError for what is no count, such as a negative one.
        """
        from palimpsest.engine.compacting.automatic_compaction import note_usage

        reported = parse_usage(usage)
        if reported.input_tokens <= 0:
            return
        state = self._runtime.state
        await state.record_usage(reported, request)
        state.recoveries = 0
        await note_usage(self._runtime, reported.input_tokens, request)

    async def end_turn(self) -> Report | None:
        """Mark the turn as finished. Returns what this call committed itself; further work runs in the background.

        With `compact_when = "end_turn"` one leaf is made here and awaited, as PicoClaw's compression does.
        """
        from palimpsest.engine.compacting import automatic_compaction

        state = self._runtime.state
        await state.costs.save()
        report = None
        if state.settings.compact_when == "end_turn":
            report = await automatic_compaction.compact_awaited(self._runtime)
        await automatic_compaction.start_background_work(self._runtime)
        return report

    async def end_step(self) -> Report | None:
        """Mark a step of a turn as finished: a reply, and the results of its tool calls.

        With `compact_when = "step"` the context is checked here, and compacted and awaited, as Crabtalk does.
        """
        from palimpsest.engine.compacting.automatic_compaction import compact_awaited

        if self._runtime.state.settings.compact_when != "step":
            return None
        return await compact_awaited(self._runtime)

    @observed("compact", quick=False)
    async def compact(self, until_under_tokens: int | None = None, focus: str = "") -> Report | None:
        """Compact now and wait for it; None if there was nothing to do.

        Makes every leaf and condensed summary that the policy wants. If a request then still uses more than
        `until_under_tokens` (default: the capacity), it does whatever else makes it fit. `focus` names what to keep
        above all. Raises DoesNotFit if it still does not fit; what was done is kept.
        """
        from palimpsest.engine.compacting.automatic_compaction import compact_now

        if until_under_tokens is not None and until_under_tokens < 1:
            raise UsageError(
                f"until_under_tokens cannot be {until_under_tokens}", hint="give a positive number"
            )
        return await compact_now(self._runtime, until_under_tokens, focus)

    async def plan_compact(self, until_under_tokens: int | None = None) -> Decision:
        """What `compact` would do first, without doing it."""
        from palimpsest.engine.compacting.automatic_compaction import plan_compaction

        return await plan_compaction(self._runtime, until_under_tokens)

    async def compactions(self) -> list[Compaction]:
        """The records of all compactions of this conversation, newest last, each with the summary that it made: when,
        why, the tokens before and after, the model calls, and the text.
        """
        state = self._runtime.state
        made = await state.store.compactions(state.owner, self.id)
        found = await state.store.read(state.owner, [one.item_id for one in made])
        summaries = {id_: one for id_, (_, one) in found.items() if isinstance(one, Summary)}
        return [replace(one, summary=summaries.get(one.item_id)) for one in made]

    async def window(self) -> WindowView:
        """The present window with its budget."""
        state = self._runtime.state
        branch, window = await state.load()
        return WindowView(self.id, window, state.budget(window, branch), state.prefix.system or state.system)

    async def messages(self, start: int = 1, limit: int = 100) -> list[Stored]:
        """At most `limit` messages of the current history, from the position `start` (from 1) on."""
        state = self._runtime.state
        return await state.store.messages(state.owner, self.id, start, start + limit - 1)

    async def pin(self, what: str | tuple[str, str] | None = None, *, text: str | None = None) -> Pin:
        """Keep a message (its id), a range of them ("m3-m9", or the first and the last id) or a text, byte for byte in
        every window until it is unpinned. What the window shows anyway is not repeated.

        Raises NotFound; UsageError if all pins would take more than `pin_limit_tokens`.
        """
        from palimpsest.engine import pinning

        return await pinning.pin(self._runtime.state, what, text)

    async def unpin(self, pin_id: str) -> None:
        """Remove a pin. Raises NotFound for an unknown id."""
        from palimpsest.engine import pinning

        await pinning.unpin(self._runtime.state, pin_id)

    async def pins(self) -> list[Pin]:
        """The pins of this conversation, oldest first."""
        state = self._runtime.state
        return list(await state.store.pins(state.owner, self.id))

    async def grep(
        self,
        pattern: str,
        scope: str = "both",
        role: str | None = None,
        last: str | None = None,
        since: str | None = None,
        before: str | None = None,
        all_conversations: bool = False,
        limit: int = 20,
    ) -> Hits:
        """The hits of a pattern in this conversation, or in all of this owner's: words, AND, OR, NOT, parentheses,
        "phrases" and %parts of words%.

        `scope` is summary, message or both, `role` user, assistant or tool, `last` 6h, 7d, 2w or 1m (m is months),
        `since` and `before` ISO 8601. Raises UsageError for what cannot be read, and for a limit outside 1 to 1,000.
        """
        from palimpsest.engine.retrieval.grep import grep

        state = self._runtime.state
        where = read_where(scope, role, last, since, before, now_s=state.clock())
        place = None if all_conversations else self.id
        return await grep(state.store, state.owner, place, pattern, where, limit)

    async def search(
        self, question: str, limit: int = 10, budget_tokens: int = PASSAGE_TOKENS,
        all_conversations: bool = False, role: str | None = None, last: str | None = None, since: str | None = None,
        before: str | None = None,
    ) -> Passages:  # fmt: skip
        """Passages of this conversation, or of all of this owner's, that may answer a question, best first, in at most
        `budget_tokens`. `role` and the times restrict them as for `grep`.
        """
        from palimpsest.engine.retrieval.search import search

        state = self._runtime.state
        now_s, place = state.clock(), None if all_conversations else self.id
        return await search(
            state.store, state.owner, place, question, limit=limit, budget_tokens=budget_tokens, now_s=now_s,
            embedding=state.embedding, where=read_where("both", role, last, since, before, now_s=now_s),
        )  # fmt: skip

    async def expand(
        self,
        ids: Sequence[str] = (),
        include_results: bool = True,
        to_messages: bool = False,
        all_conversations: bool = False,
        budget_tokens: int | None = None,
        cursor: str = "",
    ) -> Entries:
        """Messages in full, ranges of them ("m3-m9"), and summaries as what they were made from (`to_messages`: down to
        the messages). The cursor continues after a budget's end; see `reading.expand`.
        """
        from palimpsest.engine.reading.expand import expand

        state, place = self._runtime.state, None if all_conversations else self.id
        return await expand(
            state.store, state.owner, place, ids, include_results=include_results, to_messages=to_messages,
            budget_tokens=budget_tokens, cursor=cursor,
        )  # fmt: skip

    async def describe(self, id: str, all_conversations: bool = False) -> Outline:  # noqa: A002  (the settled name)
        """What lies under an id of this conversation: time span, counts, files, and the cost of reading each level."""
        from palimpsest.engine.reading.expand import describe

        state = self._runtime.state
        return await describe(state.store, state.owner, None if all_conversations else self.id, id)

    async def trace(self, id: str, text: str = "") -> Trace:  # noqa: A002  (the settled name of the argument)
        """The messages that each line of a summary comes from; with `text`, those that say this text."""
        from palimpsest.engine.reading.trace import trace

        state = self._runtime.state
        return await trace(state.store, state.owner, self.id, id, text)

    def tools(self, answer_tokens: int | None = None, *, all_conversations: bool = True) -> ModelTools:
        """The tools with which a model reads back what left this window, with at most `answer_tokens` an answer.

        Without `all_conversations` they read this conversation only, whatever the model asks for.
        """
        from palimpsest.engine.retrieval.automatic_recall import visible_ids
        from palimpsest.engine.tools.definitions import make_tools
        from palimpsest.engine.tools.handlers import ToolScope, tokens_of_answer

        state = self._runtime.state
        tokens = tokens_of_answer(state.effective_settings(), answer_tokens)
        names = (state.store, state.owner, self.id, state.clock, tokens, state.embedding)
        seen = lambda: visible_ids(state.last_window, state.pins)  # noqa: E731
        return make_tools(ToolScope(*names, seen, alone=not all_conversations))


runtime_of: Callable[[Conversation], Runtime] = attrgetter("_runtime")
"""What stands behind a handle, for other parts of this package."""

state_of: Callable[[Conversation], ConversationState] = attrgetter("_runtime.state")
"""The state of a conversation, for other parts of this package."""


@contextmanager
def watching(conversation: Conversation, watcher: Watcher) -> Generator[None]:
    """Call `watcher` before and after each compaction of a conversation. One with a `who` also hears of background
    work that was started meanwhile.
    """
    state, background = state_of(conversation), runtime_of(conversation).background
    state.watchers.append(watcher)
    try:
        yield
    finally:
        state.watchers.remove(watcher)
        if watcher.who is not None:
            state.linger(watcher)
            background.when_idle(conversation.id, state.stop_lingering)
