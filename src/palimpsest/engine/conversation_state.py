"""What the engine holds in memory about one conversation: its window as last seen, and what requests of it
cost besides.

The store is the truth. A cached window is used only while the branch's version says that nothing else has
changed, and is otherwise loaded again. All windows are values, so a reader is never surprised by a change.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from operator import is_
from typing import TYPE_CHECKING, Generic, TypeVar

from palimpsest.budget.assemble import Request, Shown, preface_for, show, window_mark
from palimpsest.budget.ledger_and_pins import Beside, beside, ledger_limit, render_ledger, tokens_of
from palimpsest.budget.regions import measure
from palimpsest.budget.result_truncation import reading_tool
from palimpsest.budget.token_counts import MESSAGE_OVERHEAD_TOKENS, REQUEST_OVERHEAD_TOKENS, count_tools
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.engine_state import Memo
from palimpsest.engine.reports import Watcher
from palimpsest.engine.telemetry.observers import Observing
from palimpsest.engine.token_calibration import Gauge, script_of
from palimpsest.errors import PalimpsestError, StaleCommit
from palimpsest.formats import openai
from palimpsest.ports import Appended, Clock, Commit, ReportedUsage, Store
from palimpsest.record.decision import Budget, State
from palimpsest.record.message import ToolDef, Usage
from palimpsest.record.pin import Pin, records_mark
from palimpsest.record.window import Window, extend, replace

if TYPE_CHECKING:
    from palimpsest.engine.compacting.outline_summaries import Pool
    from palimpsest.engine.cost_tracker import Till
    from palimpsest.engine.history_sync import Resent
    from palimpsest.engine.ledger_state import Notes
    from palimpsest.engine.retrieval.embeddings import Embedding
    from palimpsest.record.log import Branch
    from palimpsest.record.window_items import Item
    from palimpsest.settings import Settings


MAX_REFUSED = 1_000
"""Item runs remembered as not shrinkable; beyond that all are forgotten and may be tried again."""

MAX_LINGERING = 8
"""Watchers that are told of background work which outlasts them; beyond that the oldest give way."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class Desk:
    """The working state of one conversation. `fixed` is remembered from the last request."""

    store: Store
    owner: str
    conversation: str
    settings: Settings
    clock: Clock = time.time
    fixed: Fixed = field(default_factory=Fixed)
    refused: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    system: str = ""
    recoveries: int = 0
    watchers: list[Watcher] = field(default_factory=list[Watcher])
    lingering: list[Watcher] = field(default_factory=list[Watcher])
    warned_share: float = 0.0
    embedding: Embedding | None = None
    observing: Observing = field(default_factory=Observing)
    recalled: tuple[str, str] = ("", "")
    _shown: Shown | None = None
    _branch: Branch | None = None
    _purged: int = 0
    _window: Window = field(default_factory=Window)
    _notes: Notes | None = None
    _memo: Memo | None = None
    _till: Till | None = None
    _gauge: Gauge | None = None
    _resent: Resent | None = None
    _budget: Kept[Budget] = field(default_factory=Kept[Budget])
    _beside: Kept[Beside] = field(default_factory=Kept[Beside])
    _mark: Kept[str] = field(default_factory=Kept[str])
    ledger: tuple[str, int] = ("", 0)
    pins: tuple[Pin, ...] = ()
    without_ledger: str = ""
    pool: Pool | None = None
    rendered: openai.Again = field(default_factory=openai.Again)
    _kept_pool: Pool | None = None

    async def load(self, model: str = "") -> tuple[Branch | None, Window]:
        """The current branch and window; None and an empty window before the first message.

        `model` is the one that a request is about to name.
        """
        branch = await self.store.branch(self.owner, self.conversation)
        if branch is None:
            return None, Window()
        await self.memo.load()
        known = self._branch
        changed = known is None or (branch.id, branch.version) != (known.id, known.version)
        if changed:
            loaded = await self.store.load_window(self.owner, self.conversation)
            if loaded is None:
                return None, Window()
            if loaded.branch.purged != self._purged:
                self._shown, self.recalled = None, ("", "")
            self._branch, self._window, self._purged = loaded.branch, loaded.window, loaded.branch.purged
            self.ledger, self.pins = (loaded.ledger, loaded.ledger_through), loaded.pins
            self.gauge.forget_usage()
            self._note_system(loaded.system)
        branch, window = self._branch or branch, self._window
        await self.till.open(branch, changed=changed)
        await self.gauge.load(branch, model, self.settings)
        return branch, window

    @property
    def seen(self) -> Window:
        """The window as it was last seen, empty before that: for what costs no look at the store."""
        return self._window

    def keep_system(self, system: str) -> None:
        """Use a system prompt from now on, in place of the last request's."""
        self.system = system
        self.fixed = make_fixed(self.fixed, system, self.fixed.memory, self.fixed.tools)

    def _note_system(self, stored: str) -> None:
        """Take over a system prompt that somebody else stored."""
        if stored and stored != self.system:
            self.keep_system(stored)

    def appended(self, done: Appended) -> None:
        """Take note of messages that were just stored."""
        before = self._branch
        grown = before is not None and (done.branch.id, done.branch.version) == (
            before.id,
            before.version + 1,
        )
        if before is not None and grown and before.closed_seq == before.head.seq and not done.repeated:
            self._branch, self._window = done.branch, extend(self._window, done.stored)
        elif not done.repeated:
            self.forget()

    def forget(self) -> None:
        """Load the window again when it is next needed."""
        self._branch = None

    def start_over(self, *, wholly: bool) -> None:
        """Hold nothing any more that messages said which were forgotten; the conversation `wholly`, or some of it. Who
        watches and what is owed stays: there are handles on this desk.
        """
        fresh = Desk(
            self.store, self.owner, self.conversation, self.settings, self.clock,
            watchers=self.watchers, lingering=self.lingering, embedding=self.embedding, observing=self.observing,
            _till=self._till, _gauge=self._gauge,
        )  # fmt: skip
        if not wholly:
            fresh.fixed, fresh.system = self.fixed, self.system
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))

    def _pool_as_json(self) -> str:
        """Of what the next outline is made, "" where that is not known in this process."""
        if self.pool is None:
            return ""
        from palimpsest.engine.compacting.outline_summaries import pool_to_json

        return pool_to_json(self.pool)

    async def commit(self, branch_id: int, change: Commit) -> Item | None:
        """Commit a replacement; None if the items no longer stand."""
        try:
            branch, item = await self.store.commit(self.owner, self.conversation, branch_id, change)
        except StaleCommit:
            self.forget()
            return None
        before = self._branch
        if before is not None and (branch.id, branch.version) == (before.id, before.version + 1):
            record = change.compaction
            self._branch = branch
            self._window = replace(self._window, record.replaced, item, record.thinking_from)
            self.ledger = (record.ledger, record.ledger_through)
        else:
            self.forget()
        if self.pool is not self._kept_pool:
            self._kept_pool = self.pool
            await self.notes.keep(branch)
        return item

    def told(self) -> tuple[Watcher, ...]:
        """Who is told of a compaction: who watches now, and who did when background work that still runs began."""
        present = [watcher.who for watcher in self.watchers]
        return (*(one for one in self.lingering if one.who not in present), *self.watchers)

    def linger(self, watcher: Watcher) -> None:
        """Go on telling a watcher that has gone, in place of an earlier one of the same `who`."""
        others = [one for one in self.lingering if one.who != watcher.who]
        self.lingering = [*others, watcher][-MAX_LINGERING:]

    def lingering_over(self) -> None:
        """Forget who was told of background work: it is done."""
        self.lingering = []

    def refuse(self, item_ids: tuple[str, ...]) -> None:
        """Remember that these items cannot be made smaller."""
        if len(self.refused) >= MAX_REFUSED:
            self.refused.clear()
        self.refused.add(item_ids)

    def show(self, window: Window) -> Shown:
        """What the model sees of a window."""
        preface = preface_for(self.fixed.tools)
        self._shown = show(window, self._shown, self.settings.summary_placement, self.beside(window), preface)
        return self._shown

    def mark(self, window: Window, branch: Branch) -> str:
        """The name of the prefix that a request of this window has."""
        return self._marked(window, branch, self.beside(window))

    def _marked(self, window: Window, branch: Branch, stands: Beside) -> str:
        fixed = self.fixed
        return self._mark.get(
            (window, branch, fixed, stands),
            lambda: window_mark(window, branch.id, (*fixed.texts, stands.prefix)),
        )

    @property
    def till(self) -> Till:
        """What the conversation's calls cost."""
        if self._till is None:
            from palimpsest.engine.cost_tracker import Till

            self._till = Till(self.store, self.owner, self.conversation, self.observing)
        return self._till

    @property
    def gauge(self) -> Gauge:
        """What is known of the models that it is sent to."""
        if self._gauge is None:
            self._gauge = Gauge(self.store, self.owner, self.conversation)
        return self._gauge

    @property
    def memo(self) -> Memo:
        """What was learnt of the conversation besides, and outlasts the engine."""
        if self._memo is None:
            self._memo = Memo(self.store, self.owner, self.conversation)
        return self._memo

    @property
    def resent(self) -> Resent:
        """How its history begins, as a client last sent it."""
        if self._resent is None:
            from palimpsest.engine.history_sync import Resent

            self._resent = Resent()
        return self._resent

    @property
    def held_bytes(self) -> int:
        """What is held of the history that a client sent."""
        return self._resent.held if self._resent is not None else 0

    @property
    def notes(self) -> Notes:
        """What was read of the conversation for its ledger."""
        if self._notes is None:
            from palimpsest.engine.ledger_state import Notes

            place = (self.store, self.owner, self.conversation)
            self._notes = Notes(*place, self.memo, lambda: self._window, self._pool_as_json)
        return self._notes

    def unread(self, branch: Branch) -> int:
        """How many messages of the branch were not read yet for the ledger; nothing is imported to tell."""
        return branch.closed_seq if self._notes is None else self._notes.behind(branch)

    def beside(self, window: Window) -> Beside:
        """What stands beside a window's items. A ledger that the settings have no room for is left out."""
        settings = self.effective()
        return self._beside.get(
            (window, self.pins, self.ledger, self.without_ledger, settings),
            lambda: beside(window, self._shown_ledger(window, settings), self.pins),
        )

    def _shown_ledger(self, window: Window, settings: Settings) -> str:
        """The ledger as it is shown, "" for none."""
        ledger = render_ledger(self.ledger[0])
        if ledger and tokens_of(ledger) > ledger_limit(settings):
            return ""
        if ledger and self.without_ledger and self.without_ledger == records_mark(window):
            return ""
        return ledger

    def leave_out_ledger(self, window: Window) -> None:
        """Show this window without its ledger, until the next compaction."""
        self.without_ledger = records_mark(window)

    def effective(self) -> Settings:
        """The settings with the limits of the model that requests are for (see `Gauge.effective`)."""
        return self.gauge.effective(self.settings, self._window)

    def refused_at(self, prompt_tokens: int, most_tokens: int, window: Window, branch: Branch) -> None:
        """Take over what a refusal says: the tokens of the prompt made of this window, 0 where it does not tell, and
        the largest window that the model can have.
        """
        report = None
        if prompt_tokens:
            estimated = window.tokens + self._besides_tokens(self.beside(window))
            mark = self.mark(window, branch)
            report = ReportedUsage(Usage(prompt_tokens), estimated, mark, window.last, self.asked_model())
        self.gauge.refused(most_tokens, report, branch, self._window, self.settings)

    def _besides_tokens(self, stands: Beside) -> int:
        return self.fixed.tokens + stands.ledger_tokens + stands.pins_tokens

    def budget(self, window: Window, branch: Branch | None) -> Budget:
        """What a request of this window uses, corrected by what the provider last reported (see `anchor`). A policy and
        then a request ask for the same, so the last is kept.
        """
        settings, stands = self.effective(), self.beside(window)
        mark = self._marked(window, branch, stands) if branch is not None else ""
        return self._budget.get(
            (window, self.fixed, stands, mark, branch is None, settings, *self.gauge.known(self.settings)),
            lambda: self._measured(window, branch, settings, stands, mark),
        )

    def _measured(
        self, window: Window, branch: Branch | None, settings: Settings, stands: Beside, mark: str
    ) -> Budget:
        fixed, besides_tokens = self.fixed, self._besides_tokens(stands)
        anchored = self.gauge.anchored(window, besides_tokens, mark, branch, self.settings)
        return measure(
            window,
            settings,
            system_tokens=fixed.system_tokens,
            memory_tokens=fixed.memory_tokens,
            tools_tokens=fixed.tools_tokens,
            injections_tokens=fixed.injections_tokens,
            ledger_tokens=stands.ledger_tokens,
            pins_tokens=stands.pins_tokens,
            correction_tokens=anchored.correction_tokens,
            anchored_tokens=anchored.counted_tokens,
            unanchored_messages=len(anchored.uncounted),
            script=script_of(anchored.uncounted),
        )

    def state(self, window: Window, branch: Branch | None) -> State:
        """What a policy may look at."""
        budget, settings, now_s = self.budget(window, branch), self.effective(), self.clock()
        economy = None
        if branch is not None and settings.policy == "economic":
            from palimpsest.engine.cost_tracker import uncompacted_tokens

            never_tokens = uncompacted_tokens(budget, window, branch)
            economy = self.till.economy(self.asked_model(), never_tokens, now_s)
        tool = reading_tool(self.fixed.tools)
        refused, failed_s = frozenset(self.refused), self.memo.failed_s
        return State(window, budget, settings, refused, now_s, failed_s, economy, tool)

    def asked_model(self) -> str:
        """The model that requests name, or else the one that the last report was for."""
        return self.gauge.asked(self.settings)

    async def settle(self) -> None:
        """Pay for the last call by estimate, where a reply followed it and nobody will report its usage any more; keep
        what was paid for.
        """
        if self.till.waits:
            with suppress(PalimpsestError):  # of a conversation that cannot be read whoever reads it is told
                _, window = await self.load()
                self.till.settle_by_estimate(window)
        await self.till.save()

    async def record_usage(self, usage: Usage, request: Request) -> None:
        """Keep a report, and what it teaches about its model; pay for the call by it."""
        model = request.model or self.settings.model
        reported = ReportedUsage(usage, request.regions.total, request.mark, request.last, model)
        self.till.settle(usage, request)
        with self.till.paying() as payment:
            await self.gauge.report(reported, request.branch_id, self._window, self.settings, payment)


Made = TypeVar("Made")


@dataclass(slots=True, eq=False)
class Kept(Generic[Made]):
    """The last value that was made, and of what. Values are never changed, so the same ones make the same."""

    _last: tuple[tuple[object, ...], Made] | None = None

    def get(self, of: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """What is made of these, by `make` where it was made of others; they are as many each time."""
        last = self._last
        if last is None or not all(map(is_, last[0], of)):
            last = self._last = (of, make())
        return last[1]


@dataclass(frozen=True, slots=True)
class Fixed:
    """The parts of a request that no compaction changes, with their token counts; `texts` is what of them stands in a
    request's prefix.
    """

    system: str = ""
    memory: str = ""
    tools: tuple[ToolDef, ...] = ()
    injections: tuple[str, ...] = ()
    system_tokens: int = REQUEST_OVERHEAD_TOKENS
    memory_tokens: int = 0
    tools_tokens: int = 0
    injections_tokens: int = 0
    texts: tuple[str, ...] = ("", "")

    @property
    def tokens(self) -> int:
        """All of them together."""
        return self.system_tokens + self.memory_tokens + self.tools_tokens + self.injections_tokens


def make_fixed(
    previous: Fixed, system: str, memory: str, tools: tuple[ToolDef, ...], injections: tuple[str, ...] = ()
) -> Fixed:
    """The fixed parts, counted; what has not changed since the previous request is not counted again."""
    if (system, memory, tools, injections) == (
        previous.system, previous.memory, previous.tools, previous.injections
    ):  # fmt: skip
        return previous
    system_tokens = REQUEST_OVERHEAD_TOKENS + (count_text(system) + MESSAGE_OVERHEAD_TOKENS if system else 0)
    memory_tokens = count_text(memory) + MESSAGE_OVERHEAD_TOKENS if memory else 0
    tools_tokens = previous.tools_tokens if tools == previous.tools else count_tools(tools)
    injections_tokens = sum(count_text(text) + MESSAGE_OVERHEAD_TOKENS for text in injections)
    texts = (system, memory, *(f"{tool.name}\n{tool.description}\n{tool.schema}" for tool in tools))
    return Fixed(
        system,
        memory,
        tools,
        injections,
        system_tokens,
        memory_tokens,
        tools_tokens,
        injections_tokens,
        texts,
    )
