"""What was done in a compaction, as its report: the steps that were committed, and what they come to."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from palimpsest.budget.stubs import stubbed
from palimpsest.engine.reports import MadeSummary, Report
from palimpsest.record.message import readable_text
from palimpsest.record.pin import Pin
from palimpsest.record.summary import SummaryCall
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.summarize.retained_strings import MAX_INDEXED_CHARS, Evidence, Index, Named, Strings, survival

if TYPE_CHECKING:
    pass
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.record.decision import Decision


@dataclass(frozen=True, slots=True)
class Done:
    """One committed step and the calls of a model that it took. Of what it replaced, `stood` counts the messages,
    `summarized` those under a summary; what had been dropped before is in neither. `failure` is why the model refuses
    every call.
    """

    item: Item
    first_id: str
    last_id: str
    calls: tuple[SummaryCall, ...] = ()
    stood: int = 0
    summarized: int = 0
    saved_tokens: int = 0
    refused: str = ""
    failure: str = ""

    @property
    def answered(self) -> bool:
        """Whether a reply came to one of its calls."""
        return any(call.output_tokens for call in self.calls)


def joined(first: Report | None, second: Report | None) -> Report | None:
    """Two reports of one compaction as one; summaries that the second replaced are listed all the same. What was
    counted for the second counts for both (`Tally`).
    """
    if first is None or second is None:
        return first or second
    return replace(
        second,
        reason=f"{first.reason}; {second.reason}",
        before_tokens=first.before_tokens,
        summaries=first.summaries + second.summaries,
        stubs=first.stubs + second.stubs,
        omitted=first.omitted + second.omitted,
        omitted_summarized=first.omitted_summarized + second.omitted_summarized,
        calls=first.calls + second.calls,
        asked=first.asked + second.asked,
        failure=first.failure or second.failure,
        refused=first.refused or second.refused,
    )


async def accounted(
    desk: Desk, decision: Decision, done: list[Done], tally: Tally, before_tokens: int, through: int
) -> Report:
    """What was done, with what was counted at the last step, and what has been saved by now."""
    branch, window = await desk.load()
    after_tokens = desk.budget(window, branch).regions.total - _newer_tokens(window, through)
    report = _report(desk, decision, done, before_tokens, after_tokens)
    return replace(
        report,
        evidence_kept=sum(one.kept for one in tally.evidence),
        evidence_left=sum(one.left for one in tally.evidence),
        evidence=tally.evidence,
        replaced_messages=len(tally.messages),
        replaced_summaries=len(tally.summaries),
        net_cost=desk.till.net_cost,
        net_units=desk.till.net_units,
    )


def _report(
    desk: Desk, decision: Decision, done: list[Done], before_tokens: int, after_tokens: int
) -> Report:
    dropped = [one for one in done if isinstance(one.item, OmittedItem)]
    summarized = sum(one.summarized for one in dropped)
    made = tuple(
        MadeSummary(
            id=one.item.id,
            depth=one.item.summary.depth,
            tokens=one.item.tokens,
            method=one.item.summary.method,
            first_id=one.first_id,
            last_id=one.last_id,
            covers=one.item.summary.covers,
            text=one.item.summary.text,
        )
        for one in done
        if isinstance(one.item, SummaryItem)
    )
    return Report(
        conversation=desk.conversation,
        reason=decision.reason,
        before_tokens=before_tokens,
        after_tokens=after_tokens,
        summaries=made,
        stubs=sum(isinstance(one.item, StubItem) for one in done),
        omitted=summarized + sum(one.stood for one in dropped),
        omitted_summarized=summarized,
        calls=sum(len(one.calls) for one in done),
        asked=tuple(call for one in done for call in one.calls),
        refused=next((one.refused for one in reversed(done) if one.refused), ""),
        numbers=decision.numbers,
    )


def _newer_tokens(window: Window, through: int) -> int:
    """Tokens of the messages that came after a position."""
    return sum(item.tokens for item in takewhile(lambda item: item.first > through, reversed(window.items)))


MAX_COUNTED = 10_000
"""Exact strings of one compaction; more are neither kept nor left."""
MAX_ITEMS = 20_000
"""Items of a window that are looked at, the newest, and among so many at its beginning the records."""
FIRST_ITEMS = 1_000


@dataclass(slots=True)
class Tally:
    """What one compaction has replaced, and an index of what its window holds. `standing` has of each text that stands,
    by its item, its number in the index and its length.
    """

    strings: dict[Named, None] = field(default_factory=dict[Named, None])
    messages: set[str] = field(default_factory=set[str])
    summaries: set[str] = field(default_factory=set[str])
    made: set[str] = field(default_factory=set[str])
    index: Index = field(default_factory=Index)
    standing: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    evidence: tuple[Evidence, ...] = ()

    def take(
        self, gone: Iterable[Item], made: Item, strings: Strings, evidence: tuple[Evidence, ...]
    ) -> None:
        """Take note of a step that was committed, with the strings of what it replaced and what was counted for it."""
        self.made.add(made.id)
        self.strings.update(dict.fromkeys(strings))
        for item in gone:
            if isinstance(item, MessageItem | StubItem):
                self.messages.add(item.stored.id)
            elif isinstance(item, SummaryItem) and item.id not in self.made:
                self.summaries.add(item.id)
        self.evidence = evidence


def new_strings(tally: Tally, strings: Strings) -> Strings:
    """Those of a step's strings that no step before it replaced, as many as are counted."""
    room = max(0, MAX_COUNTED - len(tally.strings))
    return tuple(islice((one for one in strings if one not in tally.strings), room))


def counting(
    tally: Tally, replaced: Strings, window: Window, ledger: str, pins: Sequence[Pin]
) -> Generator[None, None, tuple[Evidence, ...]]:
    """What this window, with its ledger and pins, holds of the strings that were replaced before and of these. Yields
    between slices of about a millisecond of work.
    """
    yield from _show(tally, _shown(window, ledger, pins))
    return (yield from survival((*tally.strings, *replaced), tally.index))


def _show(tally: Tally, shown: Iterable[tuple[str, Item | str]]) -> Generator[None, None, None]:
    """Bring the index to what is shown: what comes is read, and what no longer stands is taken out."""
    left = MAX_INDEXED_CHARS
    before, tally.standing = tally.standing, {}
    for place, (name, one) in enumerate(shown):
        found = before.pop(name, None)
        if found is None:
            text = (one if isinstance(one, str) else text_of(one))[:left]
            found = ((yield from tally.index.adding(text)), len(text))
        elif place % 1_000 == 0:
            yield
        tally.standing[name] = found
        left -= found[1]
        if left <= 0:
            break
    tally.index.out.update(number for number, _ in before.values())


def _shown(window: Window, ledger: str, pins: Sequence[Pin]) -> Iterator[tuple[str, Item | str]]:
    """What a request shows, each under a name of its own, the most telling first: the ledger, pins, the records at the
    beginning, and all else from the newest on.
    """
    yield f"ledger {ledger}", ledger
    quoted = dict.fromkeys(quote.text for pin in pins for quote in pin.quotes)
    yield from ((f"pin {text}", text) for text in quoted)
    records = [one for one in islice(window.items, FIRST_ITEMS) if isinstance(one, SummaryItem | OmittedItem)]
    told = {item.id for item in records}
    rest = (item for item in islice(reversed(window.items), MAX_ITEMS) if item.id not in told)
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
