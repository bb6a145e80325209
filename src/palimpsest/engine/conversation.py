"""One conversation: append, request, compact, search. The way of one message, called step by step."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from palimpsest.budget.assemble import Request
from palimpsest.budget.result_truncation import limit_of
from palimpsest.budget.stubs import calls_of
from palimpsest.engine.conversation_state import make_fixed
from palimpsest.engine.input_limits import checked_key
from palimpsest.engine.message_input import as_tools, count, may_gate, require_text, take_in
from palimpsest.engine.reports import Synced, WindowView
from palimpsest.engine.telemetry.observers import told
from palimpsest.errors import UsageError
from palimpsest.formats import parse_usage
from palimpsest.limits import PASSAGE_TOKENS, READ_MESSAGES
from palimpsest.record.events import Taken
from palimpsest.search.filters import read_where

if TYPE_CHECKING:
    from palimpsest.engine.compacting.after_turn import Upkeep
    from palimpsest.engine.compacting.background import Background, Work
    from palimpsest.engine.compacting.compactor import Compactor
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.engine.reports import Entries, Hits, Outline, Passages, Report, Trace, Watcher
    from palimpsest.engine.tools.definitions import ModelTool, ModelTools
    from palimpsest.ports import Clock, Store
    from palimpsest.record.decision import Decision
    from palimpsest.record.log import Branch, Stored
    from palimpsest.record.message import ToolDef
    from palimpsest.record.pin import Pin
    from palimpsest.record.window import Window


@dataclass(frozen=True, slots=True)
class Conversation:
    """A handle on one conversation of one owner. It exists in the store from its first message on."""

    id: str
    store: Store
    owner: str
    desk: Desk
    compactor: Compactor
    background: Background
    clock: Clock

    @told("append")
    async def append(self, *messages: object, key: str | None = None) -> list[Stored]:
        """Store messages (OpenAI, Anthropic or Gemini dicts, or `Message`) at the end, all or none, and
        return them with their ids.

        The same `key` again stores nothing and returns what it stored the first time. A system or developer message
        is no history: it becomes the conversation's system prompt. Raises FormatError for what cannot be read,
        StoreError.
        """
        now_s, started_s = self.clock(), perf_counter()
        checked_key(key)
        given = take_in(messages, now_s)
        if not given.messages:
            await self._keep_system(given.system)
            return []
        settings, tools = self.desk.settings, self.desk.fixed.tools
        limit = limit_of(settings, tools)
        calls = calls_of((await self.desk.load())[1].items) if may_gate(given.messages, limit) else None
        entries = count(given.messages, settings, tools=tools, calls=calls)
        with self.desk.till.paying() as payment:
            done = await self.store.append(
                self.owner, self.id, entries, key=key, system=given.system, payment=payment, now_s=now_s
            )
        self.desk.appended(done)
        if given.system is not None and not done.repeated:
            self.desk.keep_system(given.system)
        self.desk.observing.taken(self.id, done.stored, started_s, repeated=done.repeated)
        if len(done.stored) >= READ_MESSAGES:
            self.upkeep.read_soon(done.branch)
        return list(done.stored)

    @told("sync")
    async def sync(self, history: Sequence[object]) -> Synced:
        """Take in a whole history that a client sent again: match what is known, append the rest, or fork.

        An edited, rewound or truncated history makes a new branch, which becomes current; nothing is overwritten. What
        is known of it costs little where it was sent before (see `engine/history_sync.py`).
        """
        from palimpsest.engine.history_sync import take_in_history

        started_s = perf_counter()
        done, system = await take_in_history(self.desk, history, self.clock())
        self.desk.forget()
        await self._keep_system(system)
        took_s = perf_counter() - started_s
        self.desk.observing.tell(Taken(self.id, done.added, took_s, forked=done.forked))
        return Synced(self.id, done.branch.id, done.branch.head.seq, done.added, done.forked)

    async def _keep_system(self, system: str | None) -> None:
        """Note a system prompt that came by append or sync; None where none did."""
        if system is None or system == self.desk.system == self.desk.fixed.system:
            return
        await self.store.describe_conversation(self.owner, self.id, system=system, now_s=self.clock())
        self.desk.keep_system(system)

    @told("request")
    async def request(
        self,
        system: str | None = None,
        memory: str | None = None,
        tools: Sequence[Mapping[str, object] | ToolDef | ModelTool] | None = None,
        model: str = "",
        inject: Sequence[str] = (),
    ) -> Request:
        """The request to send next: it fits the window, and is valid for its provider.

        `system` None means the conversation's own (or the last one given), `tools` None those of the last request;
        tools are a provider's dicts. `inject` are texts for this request only, such as what a memory recalled:
        they follow the newest message and are never stored. Over budget it compacts first. Raises DoesNotFit naming the
        parts that are too large, and UsageError before the first message.
        """
        require_text("system", system)
        require_text("memory", memory)
        for text in inject:
            require_text("an injection", text)
        branch, window = await self.desk.load(model)
        self.desk.till.settle_by_estimate(window)
        self._prepare(system, memory, tools, tuple(inject))
        self.desk.gauge.model = model or self.desk.gauge.model
        if branch is not None:
            fixed, upkeep = self.desk.fixed, self.upkeep
            if upkeep.before_calls and await upkeep.before_call(branch, window):
                branch, window = await self.desk.load(model)
                self.desk.fixed = fixed
            if branch is not None:
                upkeep.read_before_request(branch)
        return await self._request(branch, window, recalls=True)

    async def _request(self, branch: Branch | None, window: Window, *, recalls: bool = False) -> Request:
        from palimpsest.engine.compacting.request_fit import make_fit

        fixed, model, started_s = self.desk.fixed, self.desk.gauge.model, perf_counter()
        branch, window, budget = await make_fit(self.desk, self.compactor, branch, window)
        shown = self.desk.show(window)
        request = Request(
            conversation=self.id,
            branch_id=branch.id,
            system=fixed.system,
            memory=fixed.memory,
            messages=shown.messages,
            injections=tuple(text for text in (self.desk.beside(window).waiting, *fixed.injections) if text),
            summaries=shown.summaries,
            tools=fixed.tools,
            model=model,
            budget=budget,
            mark=self.desk.mark(window, branch),
            last=window.last,
            records=shown.records,
            rendered=self.desk.rendered,
        )
        if recalls and self.desk.effective().auto_recall_tokens:
            from palimpsest.engine.retrieval.automatic_recall import with_recalled

            request = await with_recalled(request, self.desk, window)
        now_s = self.clock()
        self.desk.observing.assembled(request, self.desk.till.cache_of(request, now_s), started_s)
        self.desk.till.asked(request, branch, window, now_s)
        return request

    @told("recover")
    async def recover(self, error: object) -> Request:
        """The request to send after the provider refused the last one as too long; an error of any client is taken.

        The oldest half of the turns is dropped from the window with a note (a single turn keeps only its request), and
        everything else is as in the last request. Raises ModelError: the error itself where it is no overflow, and
        after two recoveries in a row; DoesNotFit.
        """
        from palimpsest.engine.compacting.request_fit import drop_after

        fixed = self.desk.fixed
        await drop_after(error, self.desk, self.compactor)
        branch, window = await self.desk.load()
        self.desk.fixed = fixed
        return await self._request(branch, window)

    def _prepare(
        self,
        system: str | None,
        memory: str | None,
        tools: Sequence[Mapping[str, object] | ToolDef | ModelTool] | None,
        inject: tuple[str, ...],
    ) -> None:
        before = self.desk.fixed
        parsed = before.tools if tools is None else as_tools(tools)
        self.desk.fixed = make_fixed(
            before, before.system if system is None else system, memory or "", parsed, inject
        )

    async def record_usage(self, usage: object, request: Request) -> None:
        """Keep the usage that the provider reported for `request`; it anchors the estimates that follow.

        Takes the usage of an OpenAI, Anthropic or Gemini reply, as an object or a dict; one without input tokens is
        ignored. Raises FormatError for what is no count, such as a negative one.
        """
        reported = parse_usage(usage)
        if reported.input_tokens <= 0:
            return
        await self.desk.record_usage(reported, request)
        self.desk.recoveries = 0
        await self.upkeep.learn(reported.input_tokens, request)

    async def end_turn(self) -> Report | None:
        """Tell that a turn is over. Returns what this call committed itself; the rest is done in the background.

        With `compact_when = "end_turn"` one leaf is made here and awaited, as PicoClaw's compression has it.
        """
        await self.desk.till.save()
        report = None
        if self.desk.settings.compact_when == "end_turn":
            report = await self.upkeep.awaited()
        await self.upkeep.start()
        return report

    async def end_step(self) -> Report | None:
        """Tell that a step of a turn is over: a reply, and the results of its tool calls.

        With `compact_when = "step"` the context is checked here, and compacted and awaited, as Crabtalk has it.
        """
        if self.desk.settings.compact_when != "step":
            return None
        return await self.upkeep.awaited()

    @contextmanager
    def watched(self, watcher: Watcher) -> Generator[None]:
        """While this lasts, `watcher` is told before and after each compaction of this conversation; one with a `who`
        until the background is done, too.
        """
        self.desk.watchers.append(watcher)
        try:
            yield
        finally:
            self.desk.watchers.remove(watcher)
            if watcher.who is not None:
                self.desk.linger(watcher)
                self.background.when_idle(self.id, self.desk.lingering_over)

    @property
    def upkeep(self) -> Upkeep:
        """What is due for this conversation of itself."""
        from palimpsest.engine.compacting.after_turn import Upkeep

        return Upkeep(self.desk, self.compactor, self.background)

    def work(self, kind: str) -> Work | None:
        """The background work of a kind, None for an unknown one."""
        return self.upkeep.work(kind)

    @told("compact", quick=False)
    async def compact(self, until_under_tokens: int | None = None, focus: str = "") -> Report | None:
        """Compact now and wait for it; None if there was nothing to do.

        Makes every leaf and condensed summary the policy calls for, and then, if a request still uses more than
        `until_under_tokens` (default: the capacity), whatever else makes it fit. `focus` names what to keep above all.
        Raises DoesNotFit if it still does not, with what was done kept.
        """
        if until_under_tokens is not None and until_under_tokens < 1:
            raise UsageError(
                f"until_under_tokens cannot be {until_under_tokens}", hint="give a positive number"
            )
        return await self.upkeep.compact(until_under_tokens, focus)

    async def plan_compact(self, until_under_tokens: int | None = None) -> Decision:
        """What `compact` would do first: a dry run."""
        return await self.upkeep.planned(until_under_tokens)

    async def window(self) -> WindowView:
        """The window as it stands, with its budget."""
        branch, window = await self.desk.load()
        fixed = self.desk.fixed
        return WindowView(self.id, window, self.desk.budget(window, branch), fixed.system or self.desk.system)

    async def messages(self, start: int = 1, limit: int = 100) -> list[Stored]:
        """At most `limit` messages of the current history, from position `start` (from 1) on."""
        return await self.store.messages(self.owner, self.id, start, start + limit - 1)

    async def pin(self, what: str | tuple[str, str] | None = None, *, text: str | None = None) -> Pin:
        """Keep a message (its id), a range of them ("m3-m9", or the first and the last id) or a text, byte for byte in
        every window until it is unpinned. What stands in the window anyway is not repeated.

        Raises NotFound; UsageError where all pins would take more than `pin_limit_tokens`.
        """
        from palimpsest.engine import pinning

        return await pinning.pin(self.desk, what, text, self.clock)

    async def unpin(self, pin_id: str) -> None:
        """Forget a pin. Raises NotFound for an id that is none."""
        from palimpsest.engine import pinning

        await pinning.unpin(self.desk, pin_id)

    async def pins(self) -> list[Pin]:
        """The pins of this conversation, oldest first."""
        return list(await self.store.pins(self.owner, self.id))

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
        """What `pattern` asks for in this conversation, or in all of this owner's: words, AND, OR, NOT, parentheses,
        "phrases" and %parts of words%.

        `scope` is summary, message or both, `role` user, assistant or tool, `last` 6h, 7d, 2w or 1m (m is months),
        `since` and `before` ISO 8601. Raises UsageError for what cannot be read, and for a limit outside 1 to 1,000.
        """
        from palimpsest.engine.retrieval import grep

        where = read_where(scope, role, last, since, before, now_s=self.clock())
        place = None if all_conversations else self.id
        return await grep.grep(self.store, self.owner, place, pattern, where, limit)

    async def search(
        self, question: str, limit: int = 10, budget_tokens: int = PASSAGE_TOKENS,
        all_conversations: bool = False, role: str | None = None, last: str | None = None, since: str | None = None,
        before: str | None = None,
    ) -> Passages:  # fmt: skip
        """Passages of this conversation, or of all of this owner's, that may answer a question, best first, in at most
        `budget_tokens`; only what `role` said, and when, as for `grep`.
        """
        from palimpsest.engine.retrieval import search

        where = read_where("both", role, last, since, before, now_s=self.clock())
        place = None if all_conversations else self.id
        return await search.search(
            self.store, self.owner, place, question, limit=limit, budget_tokens=budget_tokens, now_s=self.clock(),
            embedding=self.desk.embedding, where=where,
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
        the messages). What a budget leaves over is read with the cursor; see `reading.expand`.
        """
        place = None if all_conversations else self.id
        from palimpsest.engine.reading import expand as reading

        return await reading.expand(
            self.store, self.owner, place, ids, include_results=include_results, to_messages=to_messages,
            budget_tokens=budget_tokens, cursor=cursor,
        )  # fmt: skip

    async def describe(self, id: str, all_conversations: bool = False) -> Outline:  # noqa: A002  (the settled name)
        """What lies under an id of this conversation: time span, counts, files, and the cost of reading each level."""
        from palimpsest.engine.reading import expand as reading

        return await reading.describe(self.store, self.owner, None if all_conversations else self.id, id)

    async def trace(self, id: str, text: str = "") -> Trace:  # noqa: A002  (the settled name of the argument)
        """Which messages each line of a summary comes from; with `text`, which of them say that."""
        from palimpsest.engine.reading.trace import trace

        return await trace(self.store, self.owner, self.id, id, text)

    def tools(self, answer_tokens: int | None = None) -> ModelTools:
        """The tools with which a model reads back what left this window, each answer in at most so many tokens (those
        of the settings for None).
        """
        from palimpsest.engine.retrieval.automatic_recall import standing_now
        from palimpsest.engine.tools.definitions import make_tools
        from palimpsest.engine.tools.handlers import Reach, tokens_of_answer

        settings = self.desk.effective()
        place, tokens = (
            (self.store, self.owner, self.id, self.clock),
            tokens_of_answer(settings, answer_tokens),
        )
        return make_tools(Reach(*place, tokens, self.desk.embedding, partial(standing_now, self.desk)))
