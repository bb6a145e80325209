"""What committing an item changes besides the item: the ledger, the quoted pins, and the counts of kept exact strings.

- A compaction makes the whole request smaller. What a summary saves first pays for pinned messages that now have to be
  quoted; if it cannot, nothing is committed. At most half of the rest pays for a longer ledger.
- The ledger is written with the last step of a decision. What the steps before it saved pays for it too.
- A compaction's record says how many exact strings of everything replaced so far the next request shows, in window
  items, ledger and pins. One compaction is all that one call does, so the last record equals the report. Secrets are
  not counted.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from palimpsest.budget.ledger_and_pins import (
    LEDGER_FENCE_TOKENS,
    MIN_LEDGER_TOKENS,
    ledger_limit,
    render_ledger,
    render_ledger_and_pins,
    tokens_of,
)
from palimpsest.budget.stubs import stubbed
from palimpsest.engine.background_pauses import give_way
from palimpsest.errors import StaleCommit
from palimpsest.plan.levels_of_detail import asked_sizes
from palimpsest.record import window as windows
from palimpsest.record.message import readable_text
from palimpsest.record.pin import Pin
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.redaction.redactor import protect
from palimpsest.summarize.retained_strings import (
    MAX_INDEXED_CHARS,
    Evidence,
    Index,
    Named,
    Strings,
    strings_of,
    survival,
)

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.ports import Complete
    from palimpsest.record.decision import Decision, Step
    from palimpsest.record.log import Branch, Compaction
    from palimpsest.record.summary import SummaryCall
    from palimpsest.record.summary_source import Source
    from palimpsest.record.window import Window


MAX_STRINGS = 10_000
"""Exact strings of one compaction that are counted."""
MAX_ITEMS = 20_000
"""Items of a window that are searched, the newest."""
FIRST_ITEMS = 1_000
"""Items at its beginning among which summaries and omissions are searched too."""


@dataclass(slots=True)
class CompactionStatistics:
    """What one compaction has replaced, and an index of what its window holds. `indexed` has each indexed text by its
    item, with its number in the index and its length. `failed_calls` are a provider's that led to nothing.
    """

    strings: dict[Named, None] = field(default_factory=dict[Named, None])
    messages: set[str] = field(default_factory=set[str])
    summaries: set[str] = field(default_factory=set[str])
    made: set[str] = field(default_factory=set[str])
    index: Index = field(default_factory=Index)
    indexed: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    evidence: tuple[Evidence, ...] = ()
    failed_calls: list[SummaryCall] = field(default_factory=list["SummaryCall"])

    def take_failed_calls(self) -> tuple[SummaryCall, ...]:
        """The calls that led to nothing and are in no record yet."""
        failed = tuple(self.failed_calls)
        self.failed_calls.clear()
        return failed

    def add(
        self, replaced: Iterable[Item], made: Item, strings: Strings, evidence: tuple[Evidence, ...]
    ) -> None:
        """Add a step that was committed, with the strings of what it replaced and the count after it."""
        self.made.add(made.id)
        self.strings.update(dict.fromkeys(strings))
        for item in replaced:
            if isinstance(item, MessageItem | StubItem):
                self.messages.add(item.stored.id)
            elif isinstance(item, SummaryItem) and item.id not in self.made:
                self.summaries.add(item.id)
        self.evidence = evidence

    def new_strings(self, strings: Strings) -> Strings:
        """Those of a step's strings that no step before it replaced, up to the limit."""
        room = max(0, MAX_STRINGS - len(self.strings))
        return tuple(islice((one for one in strings if one not in self.strings), room))

    def count(
        self, replaced: Strings, window: Window, ledger: str, pins: Sequence[Pin]
    ) -> Generator[None, None, tuple[Evidence, ...]]:
        """How many of all replaced strings, these included, the next request shows. Yields between pieces of work."""
        yield from self._index(_shown_texts(window, ledger, pins))
        return (yield from survival((*self.strings, *replaced), self.index))

    def _index(self, shown: Iterable[tuple[str, Item | str]]) -> Generator[None, None, None]:
        """Bring the index up to date: add new texts, and remove those that are not shown."""
        chars_left = MAX_INDEXED_CHARS
        before, self.indexed = self.indexed, {}
        for place, (name, one) in enumerate(shown):
            found = before.pop(name, None)
            if found is None:
                text = (one if isinstance(one, str) else text_of(one))[:chars_left]
                found = ((yield from self.index.adding(text)), len(text))
            elif place % 1_000 == 0:
                yield
            self.indexed[name] = found
            chars_left -= found[1]
            if chars_left <= 0:
                break
        self.index.out.update(number for number, _ in before.values())


def _shown_texts(window: Window, ledger: str, pins: Sequence[Pin]) -> Iterator[tuple[str, Item | str]]:
    """What a request shows, each part under a name: ledger, pins, summaries at the beginning, then the newest items."""
    yield f"ledger {ledger}", ledger
    quoted = dict.fromkeys(quote.text for pin in pins for quote in pin.quotes)
    yield from ((f"pin {text}", text) for text in quoted)
    records = [one for one in islice(window.items, FIRST_ITEMS) if isinstance(one, SummaryItem | OmittedItem)]
    record_ids = {item.id for item in records}
    rest = (item for item in islice(reversed(window.items), MAX_ITEMS) if item.id not in record_ids)
    yield from ((item.id or f"new {text_of(item)}", item) for item in (*reversed(records), *rest))


def text_of(item: Item) -> str:
    """What a model reads of an item."""
    match item:
        case MessageItem(stored=stored):
            return readable_text(stored.message)
        case SummaryItem(summary=summary, quoted=quoted):
            return f"{summary.text}\n{readable_text(quoted.message)}" if quoted else summary.text
        case StubItem(stored=stored, note=note):
            return readable_text(stubbed(stored.message, note))
        case OmittedItem(note=note):
            return note


@dataclass(frozen=True, slots=True)
class StepContext:
    """A step with what its decision and call say of it. `earned_tokens` is what the decision's earlier steps saved,
    `goal_tokens` what a request may use. The last step writes the ledger.
    """

    step: Step
    decision: Decision
    complete: Complete | None
    focus: str
    statistics: CompactionStatistics
    earned_tokens: int
    is_last: bool
    goal_tokens: int


@dataclass(frozen=True, slots=True)
class CommitEffects:
    """What holds after a commit: the ledger's text, read through the position `through`, and the counted strings.
    `saved_tokens` is what the summary saves after paying for pins.
    """

    ledger: str = ""
    through: int = 0
    saved_tokens: int = 0
    evidence: tuple[Evidence, ...] = ()
    strings: Strings = ()

    def added_to(self, record: Compaction) -> Compaction:
        """The record with these effects."""
        return replace(
            record,
            evidence_kept=sum(one.kept for one in self.evidence),
            evidence_left=sum(one.left for one in self.evidence),
            evidence=tuple((one.kind, one.kept, one.left) for one in self.evidence),
            ledger=self.ledger,
            ledger_through=self.through,
        )


async def commit_effects(
    state: ConversationState,
    branch: Branch,
    context: StepContext,
    item: Item,
    source: Source,
    preface_tokens: int,
) -> CommitEffects | None:
    """The effects of putting `item` in place of a step's items; None if the request would not be smaller."""
    step, statistics = context.step, context.statistics
    _, window = await state.load()
    try:
        after = windows.replace(window, step.item_ids, item, window.thinking_from)
    except StaleCommit:
        return CommitEffects()

    def pins_tokens(of: Window) -> int:
        return render_ledger_and_pins(of, "", state.pins).pins_tokens

    saved_tokens = window.tokens - after.tokens - preface_tokens + pins_tokens(window) - pins_tokens(after)
    if saved_tokens <= 0:
        return None
    ledger, through = state.ledger
    if context.is_last and step.kind != "stub":
        settings = state.effective_settings()
        sizes = asked_sizes(settings, state.budget(window, branch), context.goal_tokens)
        limit_tokens = sizes.ledger if settings.fills_window else ledger_limit(settings)
        earned_tokens = context.earned_tokens + saved_tokens
        affordable_tokens = state.ledger_and_pins(window).ledger_tokens + earned_tokens // 2
        ledger, through = await _ledger(state, branch, after, min(limit_tokens, affordable_tokens))
    safe, _ = await give_way(protect(source, await state.engine_state.redactor()))
    strings = statistics.new_strings(await give_way(strings_of(safe)))
    evidence = await give_way(statistics.count(strings, after, ledger, state.pins))
    return CommitEffects(ledger, through, saved_tokens, evidence, strings)


async def _ledger(
    state: ConversationState, branch: Branch, after: Window, limit_tokens: int
) -> tuple[str, int]:
    """The ledger for the window that a commit leaves, and the position it was read through."""
    if limit_tokens < MIN_LEDGER_TOKENS:
        return "", 0
    text, through = await state.ledger_state.render(branch, after, limit_tokens - LEDGER_FENCE_TOKENS)
    return (text, through) if tokens_of(render_ledger(text)) <= limit_tokens else ("", 0)
