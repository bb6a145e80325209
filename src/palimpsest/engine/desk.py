"""What the engine holds in memory about one conversation: its window as last seen, and what requests of it
cost besides.

The store is the truth. A cached window is used only while the branch's version says that nothing else has
changed, and is otherwise loaded again. All windows are values, so a reader is never surprised by a change.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.budget.assemble import Request, Shown, preface_for, show, window_mark
from palimpsest.budget.beside import Beside, beside, ledger_limit, render_ledger, tokens_of
from palimpsest.budget.calibrate import Calibration
from palimpsest.budget.margins import dominant_script
from palimpsest.budget.pieces import count_text
from palimpsest.budget.regions import measure
from palimpsest.budget.tokens import MESSAGE_OVERHEAD_TOKENS, REQUEST_OVERHEAD_TOKENS, count_tools
from palimpsest.budget.windows import observed_limits, resolve_limits
from palimpsest.engine.anchor import anchor, teach
from palimpsest.engine.embedding import Embedding
from palimpsest.engine.memo import Memo
from palimpsest.engine.notes import Notes
from palimpsest.engine.observing import Observing
from palimpsest.engine.reports import Watcher
from palimpsest.engine.till import Till, uncompacted_tokens
from palimpsest.errors import StaleCommit
from palimpsest.ports import Appended, Clock, Commit, ReportedUsage, Store
from palimpsest.record.decision import Budget, State
from palimpsest.record.log import Branch
from palimpsest.record.message import ToolDef, Usage
from palimpsest.record.pin import Pin, records_mark
from palimpsest.record.window import (
    Item,
    MessageItem,
    OmittedItem,
    StubItem,
    SummaryItem,
    Window,
    extend,
    replace,
)
from palimpsest.settings import Settings

MAX_REFUSED = 1_000
"""Item runs remembered as not shrinkable; beyond that all are forgotten and may be tried again."""

MAX_MODELS = 100
"""Models whose calibration is at hand; beyond that all are loaded again."""

MAX_LINGERING = 8
"""Watchers that are told of background work which outlasts them; beyond that the oldest give way."""

_MODEL_SEARCH_ITEMS = 64
_SCRIPT_SAMPLE_ITEMS = 8
_SCRIPT_SAMPLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Fixed:
    """The parts of a request that no compaction changes, with their token counts."""

    system: str = ""
    memory: str = ""
    tools: tuple[ToolDef, ...] = ()
    injections: tuple[str, ...] = ()
    system_tokens: int = REQUEST_OVERHEAD_TOKENS
    memory_tokens: int = 0
    tools_tokens: int = 0
    injections_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All of them together."""
        return self.system_tokens + self.memory_tokens + self.tools_tokens + self.injections_tokens

    def texts(self) -> tuple[str, ...]:
        """What of them stands in a request's prefix."""
        return (
            self.system,
            self.memory,
            *(f"{tool.name}\n{tool.description}\n{tool.schema}" for tool in self.tools),
        )


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
    return Fixed(
        system, memory, tools, injections, system_tokens, memory_tokens, tools_tokens, injections_tokens
    )


@dataclass(slots=True)
class Desk:
    """The working state of one conversation. `fixed` is remembered from the last request, `observed` the windows that
    models were seen to have, where that is less than what is set or known of them.
    """

    store: Store
    owner: str
    conversation: str
    settings: Settings
    clock: Clock = time.time
    fixed: Fixed = field(default_factory=Fixed)
    refused: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    system: str = ""
    model: str = ""
    recoveries: int = 0
    observed: dict[str, int] = field(default_factory=dict[str, int])
    watchers: list[Watcher] = field(default_factory=list[Watcher])
    lingering: list[Watcher] = field(default_factory=list[Watcher])
    warned_share: float = 0.0
    embedding: Embedding | None = None
    observing: Observing = field(default_factory=Observing)
    recalled: tuple[str, str] = ("", "")
    _limited: tuple[str, Settings] | None = None
    _shown: Shown | None = None
    _branch: Branch | None = None
    _window: Window = field(default_factory=Window)
    _notes: Notes | None = None
    _memo: Memo | None = None
    _till: Till | None = None
    ledger: tuple[str, int] = ("", 0)
    pins: tuple[Pin, ...] = ()
    without_ledger: str = ""
    _usage: ReportedUsage | None = None
    _usage_branch: int = 0
    _calibrations: dict[str, Calibration] = field(default_factory=dict[str, Calibration])

    async def load(self, model: str = "") -> tuple[Branch | None, Window]:
        """The current branch and window; None and an empty window before the first message.

        `model` is the one that a request is about to name.
        """
        branch = await self.store.branch(self.owner, self.conversation)
        if branch is None:
            return None, Window()
        await self.memo.load()
        if self._branch is None or (branch.id, branch.version) != (self._branch.id, self._branch.version):
            loaded = await self.store.load_window(self.owner, self.conversation)
            if loaded is None:
                return None, Window()
            if self._branch is not None and loaded.branch.purged != self._branch.purged:
                self._shown, self.recalled = None, ("", "")
            self._branch, self._window = loaded.branch, loaded.window
            self.ledger, self.pins = (loaded.ledger, loaded.ledger_through), loaded.pins
            self._usage_branch = 0
            self._note_system(loaded.system)
        branch, window = self._branch, self._window
        await self.till.open(branch)
        if self._usage_branch != branch.id:
            self._usage_branch = branch.id
            self._usage = await self.store.last_usage(self.owner, self.conversation, branch.id)
        model = model or self.asked_model()
        if model not in self._calibrations:
            found = await self.store.calibration(self.owner, model)
            self._learnt(model, found or Calibration())
        return branch, window

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
        return window_mark(window, branch.id, (*self.fixed.texts(), self.beside(window).prefix))

    @property
    def till(self) -> Till:
        """What the conversation's calls cost."""
        if self._till is None:
            self._till = Till(self.store, self.owner, self.conversation, self.observing)
        return self._till

    @property
    def memo(self) -> Memo:
        """What was learnt of the conversation besides, and outlasts the engine."""
        if self._memo is None:
            self._memo = Memo(self.store, self.owner, self.conversation)
        return self._memo

    @property
    def notes(self) -> Notes:
        """What was read of the conversation for its ledger."""
        if self._notes is None:
            self._notes = Notes(self.store, self.owner, self.conversation, self.memo)
        return self._notes

    def beside(self, window: Window) -> Beside:
        """What stands beside a window's items. A ledger that the settings have no room for is left out."""
        ledger = render_ledger(self.ledger[0])
        if ledger and tokens_of(ledger) > ledger_limit(self.effective()):
            ledger = ""
        if ledger and self.without_ledger and self.without_ledger == records_mark(window):
            ledger = ""
        return beside(window, ledger, self.pins)

    def leave_out_ledger(self, window: Window) -> None:
        """Show this window without its ledger, until the next compaction."""
        self.without_ledger = records_mark(window)

    def effective(self) -> Settings:
        """The settings with the limits of the model that requests are for: the one last named, the one that is set,
        else that of the newest reply in the window, or of the newest there was.
        """
        before = self._limited[0] if self._limited is not None else ""
        model = self.model or self.settings.model or _newest_model(self._window) or before
        if self._limited is None or before != model:
            self._limited = (model, observed_limits(self.settings, model, self.observed.get(model, 0)))
        return self._limited[1]

    def refused_at(self, prompt_tokens: int, most_tokens: int, window: Window, branch: Branch) -> None:
        """Take over what a refusal says: the tokens of the prompt made of this window, 0 where it does not tell, and
        the largest window that the model can have. Remembered until the engine is closed.
        """
        settings = self.effective()
        model = self._limited[0] if self._limited is not None else ""
        if prompt_tokens:
            stands = self.beside(window)
            estimated = window.tokens + self.fixed.tokens + stands.ledger_tokens + stands.pins_tokens
            mark = self.mark(window, branch)
            self._usage_branch = branch.id
            self._usage = ReportedUsage(
                Usage(prompt_tokens), estimated, mark, window.last, self.asked_model()
            )
        if most_tokens < settings.window_tokens:
            if len(self.observed) >= MAX_MODELS:
                self.observed.clear()
            self.observed[model] = most_tokens
            self._limited = (model, observed_limits(self.settings, model, most_tokens))

    def _taken(self, prompt_tokens: int) -> None:
        """Give up an observed window that a prompt shows to be too small."""
        model = self._limited[0] if self._limited is not None else ""
        if prompt_tokens > self.observed.get(model, prompt_tokens):
            del self.observed[model]
            self._limited = (model, resolve_limits(self.settings, model))

    def budget(self, window: Window, branch: Branch | None) -> Budget:
        """What a request of this window uses, corrected by what the provider last reported (see `anchor`)."""
        fixed, reported, model = self.fixed, self._usage, self.asked_model()
        if branch is None or (reported is not None and reported.model != model):
            reported = None
        mark = self.mark(window, branch) if branch is not None else ""
        stands = self.beside(window)
        besides = fixed.tokens + stands.ledger_tokens + stands.pins_tokens
        anchored = anchor(window, besides, reported, mark, self._calibrations.get(model, Calibration()))
        return measure(
            window,
            self.effective(),
            system_tokens=fixed.system_tokens,
            memory_tokens=fixed.memory_tokens,
            tools_tokens=fixed.tools_tokens,
            injections_tokens=fixed.injections_tokens,
            ledger_tokens=stands.ledger_tokens,
            pins_tokens=stands.pins_tokens,
            correction_tokens=anchored.correction_tokens,
            anchored_tokens=anchored.counted_tokens,
            unanchored_messages=len(anchored.uncounted),
            script=_script(anchored.uncounted),
        )

    def state(self, window: Window, branch: Branch | None) -> State:
        """What a policy may look at."""
        budget, settings, now_s = self.budget(window, branch), self.effective(), self.clock()
        economy = None
        if branch is not None and settings.policy == "economic":
            never_tokens = uncompacted_tokens(budget, window, branch)
            economy = self.till.economy(self.asked_model(), never_tokens, now_s)
        return State(window, budget, settings, frozenset(self.refused), now_s, self.memo.failed_s, economy)

    def asked_model(self) -> str:
        """The model that requests name, or else the one that the last report was for."""
        named = self.model or self.settings.model
        return named or (self._usage.model if self._usage is not None else "")

    async def record_usage(self, usage: Usage, request: Request) -> None:
        """Keep a report, and what it teaches about its model; use both for the estimates that follow."""
        model = request.model or self.settings.model
        reported = ReportedUsage(usage, request.regions.total, request.mark, request.last, model)
        before = self._usage if self._usage_branch == request.branch_id else None
        known = await self.store.calibration(self.owner, model)
        learnt = teach(known or Calibration(), before, reported, self._window)
        await self.store.record_usage(self.owner, self.conversation, request.branch_id, reported, learnt)
        self._usage, self._usage_branch = reported, request.branch_id
        self._learnt(model, learnt)
        self._taken(usage.input_tokens)

    def _learnt(self, model: str, calibration: Calibration) -> None:
        if len(self._calibrations) >= MAX_MODELS:
            self._calibrations.clear()
        self._calibrations[model] = calibration


def _newest_model(window: Window) -> str:
    """The model that wrote the newest reply in the window, "" where none is named."""
    for item in reversed(window.items[-_MODEL_SEARCH_ITEMS:]):
        match item:
            case MessageItem(stored=stored) | StubItem(stored=stored):
                name = stored.message.model
                if name and stored.message.role == "assistant" and not name.startswith("<"):
                    return name
            case SummaryItem() | OmittedItem():
                continue
    return ""


def _script(items: Sequence[Item]) -> str:
    """The script of the newest text, which the estimate's margin depends on."""
    return dominant_script(
        "\n".join(_sample(item)[:_SCRIPT_SAMPLE_CHARS] for item in items[-_SCRIPT_SAMPLE_ITEMS:])
    )


def _sample(item: Item) -> str:
    match item:
        case MessageItem(stored=stored):
            results = (result.text for result in stored.message.results)
            return stored.message.text or next(results, "")
        case SummaryItem(summary=summary):
            return summary.text
        case StubItem() | OmittedItem():
            return ""
