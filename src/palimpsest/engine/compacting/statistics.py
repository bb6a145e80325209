"""What one compaction has replaced so far, and what of the exact strings in it its window holds.

- One compaction is all that one call does: every step of every round. Its strings are those of what each step replaced,
  the first 4,000 of a step and 10,000 in all.
- They are looked for in what the next request shows: the items of the window, its ledger and its pins. So the record of
  the last step says what the report says, and each record before it how things stood then.
- Texts are read once, when they come, so that a long backlog costs its length. In a window of more than 2,000,000
  characters the newest of them are looked at.
- Messages are counted that stood in the window, and summaries that the compaction has not made itself: what such a
  summary stands for had left before, and is counted by the summary's own strings.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from palimpsest.budget.stubs import stubbed
from palimpsest.record.message import readable_text
from palimpsest.record.pin import Pin
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.summarize.retained_strings import MAX_INDEXED_CHARS, Evidence, Index, Named, Strings, survival

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
