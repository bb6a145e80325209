"""What the engine keeps in memory about one conversation: its window, its last request, and its helpers.

The store is the truth. A cached window is used only while the branch's version is unchanged; otherwise it is loaded
again. Windows are immutable values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING, Generic, TypeVar

from palimpsest.budget.assemble import (
    RenderedWindow,
    Request,
    ShownRules,
    preface_for,
    render_window,
    window_mark,
)
from palimpsest.budget.bound_thinking import ELSEWHERE, Chain, is_bound, make_chain, start_digest
from palimpsest.budget.ledger_and_pins import (
    LedgerAndPins,
    ledger_limit,
    render_ledger,
    render_ledger_and_pins,
    tokens_of,
)
from palimpsest.budget.regions import measure, ruled_tokens, shown_messages
from palimpsest.budget.request_start import AskedStart, SentStart
from palimpsest.budget.result_truncation import reading_tool
from palimpsest.budget.token_counts import (
    MESSAGE_OVERHEAD_TOKENS,
    REQUEST_OVERHEAD_TOKENS,
    count_tools,
    is_over_context_budget,
)
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.engine_state import EngineState
from palimpsest.engine.history_overlap import ShortenedHistory
from palimpsest.engine.history_sync import ParsedHistory, SentHistory
from palimpsest.engine.reports import Watcher
from palimpsest.engine.telemetry.reporting import Telemetry
from palimpsest.engine.token_calibration import TokenCalibration, script_of
from palimpsest.errors import PalimpsestError, StaleCommit
from palimpsest.formats import openai
from palimpsest.formats.thinking_models import binds_thinking
from palimpsest.ports import Appended, Clock, Commit, ReportedUsage, Store
from palimpsest.record.chain import Head
from palimpsest.record.decision import Budget, State
from palimpsest.record.message import Addition, Message, Text, ToolDef, Usage
from palimpsest.record.pin import Pin, records_mark
from palimpsest.record.provider_block import ProviderBlock
from palimpsest.record.window import Window, extend, replace, with_newest
from palimpsest.record.window_items import BlockItem, MessageItem
from palimpsest.settings import READ_BY

if TYPE_CHECKING:
    from palimpsest.engine.cost_tracker import CostTracker
    from palimpsest.engine.ledger_state import LedgerState
    from palimpsest.engine.retrieval.embeddings import Embedding
    from palimpsest.record.log import Branch
    from palimpsest.record.window_items import Item
    from palimpsest.settings import Settings

MAX_REFUSED = 1_000
"""Item runs remembered as not shrinkable. Beyond that all are forgotten and may be tried again."""

NEVER = (1 << 62, 0)
"""A place after every message."""

MAX_SYSTEM_FORMS = 16
"""System prompts whose division into blocks is remembered. Beyond that the oldest are forgotten, except the one in use.
"""

MAX_LINGERING_WATCHERS = 8
"""Watchers that still hear of background work after they left. Beyond that the oldest are dropped."""

Made = TypeVar("Made")


class Memoized(Generic[Made]):
    """The last value made, with its inputs. The same input objects give the same value again."""

    def __init__(self) -> None:
        self._last: tuple[tuple[object, ...], Made] | None = None

    def get(self, inputs: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """The value for these inputs, made by `make` unless they are the last ones; their number is fixed."""
        last = self._last
        if last is None or not all(map(is_, last[0], inputs)):
            last = self._last = (inputs, make())
        return last[1]


@dataclass(frozen=True, slots=True)
class RequestPrefix:
    """The parts of a request that no compaction changes, with their token counts.

    `texts` are those parts that open the request. Injections follow its messages, and hold for one request only.
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
        """The tokens of all parts together."""
        return self.system_tokens + self.memory_tokens + self.tools_tokens + self.injections_tokens

    def said(self, shown: LedgerAndPins) -> tuple[str, ...]:
        """The texts of a request besides its messages and tools, with a ledger and pins."""
        return self.system, self.memory, *self.injections, shown.prefix


def make_prefix(
    previous: RequestPrefix,
    system: str,
    memory: str,
    tools: tuple[ToolDef, ...],
    injections: tuple[str, ...] = (),
) -> RequestPrefix:
    """The prefix with its counts; parts that equal the previous ones are not counted again."""
    parts = (system, memory, tools, injections)
    if parts == (previous.system, previous.memory, previous.tools, previous.injections):
        return previous
    texts = (system, memory, *(f"{tool.name}\n{tool.description}\n{tool.schema}" for tool in tools))
    return RequestPrefix(
        *parts,
        system_tokens=REQUEST_OVERHEAD_TOKENS + (_text_tokens(system) if system else 0),
        memory_tokens=_text_tokens(memory) if memory else 0,
        tools_tokens=previous.tools_tokens if tools == previous.tools else count_tools(tools),
        injections_tokens=sum(map(_text_tokens, injections)),
        texts=texts,
    )


def _text_tokens(text: str) -> int:
    return count_text(text) + MESSAGE_OVERHEAD_TOKENS


class ConversationState:
    """The working state of one conversation. `prefix` is that of the last request."""

    def __init__(
        self,
        store: Store,
        owner: str,
        conversation: str,
        settings: Settings,
        clock: Clock = time.time,
        *,
        embedding: Embedding | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self.store = store
        self.owner = owner
        self.conversation = conversation
        self.settings = settings
        self.clock = clock
        self.embedding = embedding
        self.telemetry = telemetry or Telemetry()
        self.calibration = TokenCalibration(store, owner, conversation, settings)
        self.watchers: list[Watcher] = []
        self.lingering_watchers: list[Watcher] = []
        self._reset()

    def _reset(self) -> None:
        """Set everything that depends on the conversation's messages to its initial value."""
        self.prefix = RequestPrefix()
        self.asked = AskedStart()
        self.saw_bound_thinking = False
        self.staying = False
        self.answering: tuple[bytes, str] | None = None
        self.system = ""
        self.system_forms: dict[str, Message | None] = {}
        self.refused: set[tuple[str, ...]] = set()
        self.recoveries = 0
        self.warned_share = 0.0
        self.recalled = ("", "")
        self.ledger = ("", 0)
        self.pins: tuple[Pin, ...] = ()
        self.hidden_ledger_mark = ""
        keeps = self.settings.identifier_policy == "strict" and self.settings.said_secrets == "keep"
        self.engine_state = EngineState(self.store, self.owner, self.conversation, keeps_said_secrets=keeps)
        self.sent_history = SentHistory()
        self.shortened = ShortenedHistory()
        self.rendered = openai.RenderCache()
        self._shown: RenderedWindow | None = None
        self._chain: Chain | None = None
        self._branch: Branch | None = None
        self._purged = 0
        self._window = Window()
        self._budget = Memoized[Budget]()
        self._ledger_and_pins = Memoized[LedgerAndPins]()
        self._mark = Memoized[str]()
        self._start_digest = Memoized[str]()
        self.__dict__.pop("ledger_state", None)

    @cached_property
    def costs(self) -> CostTracker:
        """What the conversation's calls cost."""
        from palimpsest.engine.cost_tracker import CostTracker

        return CostTracker(self.store, self.owner, self.conversation, self.telemetry)

    @cached_property
    def ledger_state(self) -> LedgerState:
        """What was read of the conversation for its ledger."""
        from palimpsest.engine.ledger_state import LedgerState

        names = (self.store, self.owner, self.conversation)
        return LedgerState(*names, self.engine_state, lambda: self._window)

    async def load(self, model: str = "") -> tuple[Branch | None, Window]:
        """The current branch and window; None and an empty window before the first message.

        `model` is the one that the next request names.
        """
        branch = await self.store.branch(self.owner, self.conversation)
        if branch is None:
            return None, Window()
        await self.engine_state.load()
        known = self._branch
        changed = known is None or (branch.id, branch.version) != (known.id, known.version)
        if changed:
            loaded = await self.store.load_window(self.owner, self.conversation)
            if loaded is None:
                return None, Window()
            if loaded.branch.purged != self._purged:
                self._shown, self._chain, self.recalled = None, None, ("", "")
            self._branch, self._window, self._purged = loaded.branch, loaded.window, loaded.branch.purged
            self.ledger, self.pins = (loaded.ledger, loaded.ledger_through), loaded.pins
            self.saw_bound_thinking |= any(map(_has_bound_thinking, loaded.window.items))
            self.calibration.forget_usage()
            if loaded.system and loaded.system != self.system:
                self.keep_system(loaded.system)
        branch, window = self._branch or branch, self._window
        await self.costs.open(branch, changed=changed)
        await self.calibration.load(branch, model)
        return branch, window

    @property
    def last_window(self) -> Window:
        """The window as it was last loaded, without a look at the store; empty before that."""
        return self._window

    def keep_system(self, system: str) -> None:
        """Use a system prompt from now on, in place of the last request's."""
        self.system = system
        self.asked = replace_fields(self.asked, system=system)
        self.prefix = make_prefix(self.prefix, system, self.prefix.memory, self.prefix.tools)

    def note_system_form(self, text: str, blocks: Message | None) -> None:
        """Remember the blocks in which a system prompt was given, None for a plain text.

        The first division into blocks stays, because later requests repeat it; marks on the blocks may change.
        """
        known = self.system_forms.setdefault(text, blocks)
        if blocks is not None and known is not None and _texts(known) == _texts(blocks):
            self.system_forms[text] = blocks
        for one in list(self.system_forms)[:-MAX_SYSTEM_FORMS]:
            if one != self.prefix.system:
                del self.system_forms[one]

    def note_appended(self, done: Appended) -> None:
        """Add messages that were just stored to the cached window."""
        if done.repeated:
            return
        self.saw_bound_thinking |= any(is_bound(one.message) for one in done.stored)
        before = self._branch
        if before is not None and _is_next(done.branch, before) and before.closed_seq == before.head.seq:
            self._branch, self._window = done.branch, extend(self._window, done.stored)
        else:
            self.invalidate()

    async def add_to_newest(
        self, branch: Branch, message_id: str, texts: Sequence[Addition]
    ) -> tuple[Branch, Window]:
        """Store texts after the newest message. Raises StaleCommit."""
        changed, stored = await self.store.add_to_newest(
            self.owner, self.conversation, branch, message_id, texts
        )
        if self._branch is branch:
            self._branch, self._window = changed, with_newest(self._window, stored)
        else:
            self.invalidate()
            await self.load()
        return self._branch or changed, self._window

    def invalidate(self) -> None:
        """Load the window again when it is next needed."""
        self._branch = None

    def start_over(self, *, whole: bool) -> None:
        """Drop everything that deleted messages may have left here. The system prompt goes only with the `whole`
        conversation. Watchers and unpaid calls stay, because handles still use this state.
        """
        prefix, system, asked, forms = self.prefix, self.system, self.asked, self.system_forms
        self._reset()
        if not whole:
            self.prefix, self.system, self.asked, self.system_forms = prefix, system, asked, forms

    async def commit(self, branch_id: int, change: Commit) -> Item | None:
        """Commit a replacement; None if the items it replaces have changed."""
        try:
            branch, item = await self.store.commit(self.owner, self.conversation, branch_id, change)
        except StaleCommit:
            self.invalidate()
            return None
        if self._branch is not None and _is_next(branch, self._branch):
            record = change.compaction
            self._branch = branch
            self._window = replace(self._window, record.replaced, item, record.thinking_from)
            self.ledger = (record.ledger, record.ledger_through)
        else:
            self.invalidate()
        if "ledger_state" in self.__dict__:
            await self.ledger_state.save(branch)
        return item

    def all_watchers(self) -> tuple[Watcher, ...]:
        """The watchers of the conversation, and those that still wait for background work."""
        present = [watcher.who for watcher in self.watchers]
        return (*(one for one in self.lingering_watchers if one.who not in present), *self.watchers)

    def linger(self, watcher: Watcher) -> None:
        """Keep notifying a watcher that left, in place of an earlier one of the same `who`."""
        others = [one for one in self.lingering_watchers if one.who != watcher.who]
        self.lingering_watchers = [*others, watcher][-MAX_LINGERING_WATCHERS:]

    def stop_lingering(self) -> None:
        """Stop notifying watchers that left, because the background work is done."""
        self.lingering_watchers = []

    def refuse(self, item_ids: tuple[str, ...]) -> None:
        """Remember that these items cannot be made smaller."""
        if len(self.refused) >= MAX_REFUSED:
            self.refused.clear()
        self.refused.add(item_ids)

    def show(self, window: Window) -> RenderedWindow:
        """What the model sees of a window."""
        preface, placement = preface_for(self.prefix.tools), self.settings.summary_placement
        shown = self.ledger_and_pins(window)
        self._shown = render_window(window, self._shown, placement, shown, preface, self._rules(window))
        return self._shown

    def render_first(self, window: Window, count: int) -> RenderedWindow:
        """What the model sees of the first items of a window."""
        preface, placement = preface_for(self.prefix.tools), self.settings.summary_placement
        first = Window(window.items[:count], window.thinking_from)
        return render_window(
            first, None, placement, self.ledger_and_pins(window), preface, self._rules(window)
        )

    def _rules(self, window: Window) -> ShownRules:
        start = self.engine_state.start if self.staying else None
        changes_from = start.changes_from if start is not None else NEVER
        checked = self.model_binds() is not False
        return ShownRules(
            window.thinking_from,
            checked,
            changes_from,
            words=not self.staying,
            unbound_from=self.engine_state.unbound_from,
        )

    def chain(self, window: Window, shown: RenderedWindow) -> Chain:
        """The messages of a request as they are sent, with the thinking whose prefix stands."""
        self._chain = self.chain_of(window, shown, self._chain)
        return self._chain

    def chain_of(self, window: Window, shown: RenderedWindow, before: Chain | None) -> Chain:
        """The chain of a rendered window; what it shares with the one `before` is not computed again."""
        model, prefix = self.current_model(), self.prefix
        binds = self.model_binds()
        start = self._start_digest.get(
            (prefix, shown.summaries, self.engine_state.start, self.staying),
            lambda: self._make_start_digest(prefix, shown.summaries),
        )
        return make_chain(
            start,
            shown.messages,
            before,
            checks=binds is not False,
            trusts_unknown=binds is None and not window.changed,
            model=model,
        )

    def _make_start_digest(self, prefix: RequestPrefix, summaries: str) -> str:
        texts = tuple(text for text in (prefix.system, prefix.memory, summaries) if text)
        deferred = self.deferred_tools()
        return start_digest(texts, tuple(tool for tool in prefix.tools if tool.name not in deferred))

    def deferred_tools(self) -> frozenset[str]:
        """The names of the tools that were added after the beginning of the requests."""
        start = self.engine_state.start if self.staying else None
        return frozenset(tool.name for tool in start.deferred) if start is not None else frozenset()

    def start_is_outdated(self, window: Window, branch: Branch) -> bool:
        """Whether a compaction changed what the requests' beginning was kept for."""
        start = self.engine_state.start
        return self.staying and start is not None and start.window != self.compacted_mark(window, branch)

    async def with_prefix(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """New messages of the conversation; a reply to the last request gets that request's digest."""
        if self.answering is None or not any(map(is_bound, messages)):
            return messages
        branch = self._branch or await self.store.branch(self.owner, self.conversation)
        before = branch.head.chain if branch is not None else b""
        return tuple(
            self._with_prefix(message, answers=not place and before == self.answering[0])
            for place, message in enumerate(messages)
        )

    def with_prefix_in(self, parsed: ParsedHistory) -> tuple[Message, ...]:
        """The messages of a history that was sent; a reply to the last request gets that request's digest."""
        if self.answering is None:
            return parsed.messages
        chains = [(parsed.after or Head()).chain, *(head.chain for head in parsed.heads)]
        return tuple(
            self._with_prefix(message, answers=before == self.answering[0])
            for message, before in zip(parsed.messages, chains, strict=False)
        )

    def _with_prefix(self, message: Message, *, answers: bool) -> Message:
        if self.answering is None or not is_bound(message):
            return message
        return replace_fields(message, prefix=self.answering[1] if answers else ELSEWHERE)

    def model_binds(self) -> bool | None:
        """Whether the model binds its thinking; None if that is unknown, also if no request names the model and another
        one was reported earlier.
        """
        model = self.calibration.model or self.settings.model
        found = binds_thinking(model or self.current_model())
        return None if found is False and not model else found

    def binds_thinking(self) -> bool:
        """Whether the thinking of this conversation is bound to what precedes it, as far as is known."""
        binds = self.model_binds()
        return bool(binds) or (binds is None and self.saw_bound_thinking)

    def start_behind_block(self, window: Window, mark: str) -> SentStart | None:
        """What the last requests began with. It stays if the provider compacted them with that beginning.

        What was said later about a changed beginning may have been compacted, so it is said again.
        """
        start, block = self.engine_state.start, newest_block(window)
        if start is None or block is None or start.window == mark:
            return start
        begins = start.begins
        texts = tuple(text for text in (begins.system, begins.memory) if text)
        if block.start != start_digest(texts, begins.tools):
            return start
        asked = replace_fields(start.asked, system=begins.system, memory=begins.memory)
        return replace_fields(start, window=mark, asked=asked)

    async def drop_refused_thinking(self, error: object) -> bool:
        """Leave out all thinking so far, if the provider refused a request because of it; whether that is new."""
        from palimpsest.formats.failures import refuses_thinking

        _, window = await self.load()
        if not refuses_thinking(error) or self.engine_state.unbound_from > window.last:
            return False
        self.engine_state.unbound_from = window.last + 1
        self.engine_state.note_break("refused thinking")
        await self.engine_state.save()
        return True

    def compacted_mark(self, window: Window, branch: Branch) -> str:
        """An identifier of the part of a window that compactions changed."""
        return window_mark(window, branch.id, ())

    def mark(self, window: Window, branch: Branch) -> str:
        """The hash of the prefix that a request of this window has."""
        shown, prefix = self.ledger_and_pins(window), self.prefix
        return self._mark.get(
            (window, branch, prefix, shown),
            lambda: window_mark(window, branch.id, (*prefix.texts, shown.prefix)),
        )

    def unread_messages(self, branch: Branch) -> int:
        """How many messages of the branch were not read for the ledger yet."""
        if "ledger_state" not in self.__dict__:  # no import only to answer this
            return branch.closed_seq
        return self.ledger_state.unread_messages(branch)

    def ledger_and_pins(self, window: Window) -> LedgerAndPins:
        """The ledger and the pins shown next to a window. A ledger over its limit is left out."""
        settings = self.effective_settings()
        return self._ledger_and_pins.get(
            (window, self.pins, self.ledger, self.hidden_ledger_mark, settings, self.staying),
            lambda: self._render_ledger_and_pins(window, settings),
        )

    def _render_ledger_and_pins(self, window: Window, settings: Settings) -> LedgerAndPins:
        shown = render_ledger_and_pins(window, self._shown_ledger(window, settings), self.pins)
        if not self.staying:
            return shown
        return LedgerAndPins() if newest_block(window) is not None else replace_fields(shown, waiting="")

    def waiting_texts(self, window: Window) -> list[Addition]:
        """What requests show next to a window and its beginning does not contain yet: new pins, and all of it behind a
        provider's compaction, whose neighbours have to stay as they are.
        """
        block = newest_block(window)
        if block is None and not self.pins:
            return []
        shown = render_ledger_and_pins(
            window, self._shown_ledger(window, self.effective_settings()), self.pins
        )
        if block is None:
            return [Addition("pins", shown.waiting)] if shown.waiting else []
        texts = (
            Addition("ledger", block.words),
            Addition("ledger", shown.ledger),
            Addition("pins", shown.pins),
            Addition("pins", shown.waiting),
        )
        return [one for one in texts if one.text]

    def _shown_ledger(self, window: Window, settings: Settings) -> str:
        ledger = render_ledger(self.ledger[0])
        if not ledger or tokens_of(ledger) > ledger_limit(settings):
            return ""
        return "" if self.hidden_ledger_mark and self.hidden_ledger_mark == records_mark(window) else ledger

    def effective_settings(self) -> Settings:
        """The settings with the limits of the model that requests are for."""
        return self.calibration.effective_settings(self._window)

    def note_refusal(
        self, prompt_tokens: int, max_window_tokens: int, window: Window, branch: Branch
    ) -> None:
        """Learn the real size of a refused prompt (0 if unknown), and the largest possible window, from a refusal."""
        report = None
        if prompt_tokens:
            estimated = window.tokens + self._other_tokens(self.ledger_and_pins(window))
            mark, model = self.mark(window, branch), self.current_model()
            report = ReportedUsage(Usage(prompt_tokens), estimated, mark, window.last, model)
        self.calibration.note_refusal(max_window_tokens, report, branch, self._window)

    def _other_tokens(self, shown: LedgerAndPins) -> int:
        return self.prefix.tokens + shown.ledger_tokens + shown.pins_tokens

    def budget(self, window: Window, branch: Branch | None) -> Budget:
        """The token budget of a request of this window, corrected by the provider's last report."""
        settings, shown = self.effective_settings(), self.ledger_and_pins(window)
        mark = self.mark(window, branch) if branch is not None else ""
        return self._budget.get(
            (window, self.prefix, shown, mark, branch is None, settings, *self.calibration.known()),
            lambda: self._measure(window, branch, settings, shown, mark),
        )

    def _measure(
        self, window: Window, branch: Branch | None, settings: Settings, shown: LedgerAndPins, mark: str
    ) -> Budget:
        prefix, other_tokens = self.prefix, self._other_tokens(shown)
        anchored = self.calibration.anchor(window, other_tokens, mark, branch)
        return measure(
            window,
            settings,
            system_tokens=prefix.system_tokens,
            memory_tokens=prefix.memory_tokens,
            tools_tokens=prefix.tools_tokens,
            injections_tokens=prefix.injections_tokens,
            ledger_tokens=shown.ledger_tokens,
            pins_tokens=shown.pins_tokens,
            correction_tokens=anchored.correction_tokens,
            anchored_tokens=anchored.counted_tokens,
            unanchored_messages=len(anchored.uncounted),
            script=script_of(anchored.uncounted),
            ruled_tokens=ruled_tokens(settings, window, prefix.said(shown), prefix.tools),
        )

    def is_over_documented_budget(self, window: Window, prefix: RequestPrefix) -> bool:
        """Whether PicoClaw's proactive check finds a request of this window too large, where its rule is in use."""
        settings = self.effective_settings()
        if "counting" not in READ_BY[settings.policy] or settings.counting != "two_fifths":
            return False
        messages = shown_messages(window, prefix.said(self.ledger_and_pins(window)))
        return is_over_context_budget(settings.window_tokens, messages, prefix.tools, settings.max_tokens)

    def policy_state(self, window: Window, branch: Branch | None) -> State:
        """What a policy may look at."""
        budget, settings, now_s = self.budget(window, branch), self.effective_settings(), self.clock()
        economy = None
        if branch is not None and settings.policy == "economic":
            from palimpsest.engine.cost_tracker import uncompacted_tokens

            never_tokens = uncompacted_tokens(budget, window, branch)
            economy = self.costs.economy(self.current_model(), never_tokens, now_s)
            economy = replace_fields(economy, binds_thinking=self.binds_thinking())
        tool, refused = reading_tool(self.prefix.tools), frozenset(self.refused)
        return State(window, budget, settings, refused, now_s, self.engine_state.failed_s, economy, tool)

    def current_model(self) -> str:
        """The model that requests name, or else the one that the last report was for."""
        return self.calibration.current_model()

    async def settle(self) -> None:
        """Pay for the last call by estimate if a reply followed it, and save what was paid."""
        if self.costs.has_unsaved:
            with suppress(PalimpsestError):  # a conversation that cannot be read fails for its next reader
                _, window = await self.load()
                self.costs.settle_by_estimate(window)
        await self.costs.save()

    async def record_usage(self, usage: Usage, request: Request) -> None:
        """Store a provider's report, learn from it, and pay for the call."""
        model = request.model or self.settings.model
        reported = ReportedUsage(usage, request.regions.total, request.mark, request.last, model)
        self.costs.settle(usage, request)
        with self.costs.paying() as payment:
            await self.calibration.report(reported, request.branch_id, self._window, payment)


def newest_block(window: Window) -> ProviderBlock | None:
    """The provider's compaction with which a window begins, if that is all that was compacted."""
    first = window.items[0] if window.items else None
    return first.block if isinstance(first, BlockItem) and len(window.records) == 1 else None


def _texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, Text)]


def _has_bound_thinking(item: Item) -> bool:
    return isinstance(item, MessageItem) and is_bound(item.stored.message)


def _is_next(branch: Branch, before: Branch) -> bool:
    return (branch.id, branch.version) == (before.id, before.version + 1)
