"""The window: what the model sees next, as an ordered list of items, and the fold that makes it from the log.

- The items cover every message exactly once, in order (`check_coverage`).
- A replacement names the items it replaces, and happens only if they still stand, unchanged and adjacent (`replace`).
- Folding the same log gives the same window (`fold`).
- A forked history inherits every item that ends before the fork; a summary across it is opened into its sources
  (`inherit`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as with_changes

from palimpsest.errors import IntegrityError, StaleCommit
from palimpsest.record.log import Compaction, Stored
from palimpsest.record.summary import Summary
from palimpsest.record.window_items import (
    Item,
    MessageItem,
    OmittedItem,
    StubItem,
    SummaryItem,
    as_stored,
    is_bulk,
    item_of,
    shows_request,
    system_kind,
)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about all items of a window. A window made from another one updates them, so that their cost does not
    grow with the history.

        request             the item with the newest user message verbatim, which compactions leave
        told                the newest system message and the newest developer message, which compactions leave too
        covered             how many positions the items cover
        bulk, bulk_tokens   tool results of more than `BULK_TOKENS` shown whole, and their tokens
        first_bulk          the index of the first of them, the number of items without any
        before_bulk_tokens  the tokens before it
    """

    request: Item | None = None
    told: tuple[Item, ...] = ()
    covered: int = 0
    bulk: int = 0
    bulk_tokens: int = 0
    first_bulk: int = 0
    before_bulk_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """Items in order. `thinking_from` is the first message whose reasoning may be sent (see `Branch`).

    `tokens` is the estimate of all items, `verbatim_tokens` that of messages and stubs, `changed` the ids of items
    that are not shown as stored, `records` those of summaries and dropped ranges. They are carried over from window
    to window, because every request needs them. `known` are its facts, once computed.
    """

    items: tuple[Item, ...] = ()
    thinking_from: int = 1
    tokens: int = field(init=False, repr=False, compare=False)
    verbatim_tokens: int = field(init=False, repr=False, compare=False)
    changed: tuple[str, ...] = field(init=False, repr=False, compare=False)
    records: tuple[str, ...] = field(init=False, repr=False, compare=False)
    known: Facts | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _fill(self, *_sums(self.items), _changed_ids(self.items), _record_ids(self.items), None)

    @property
    def last(self) -> int:
        """The position of the newest message, 0 for an empty window."""
        return self.items[-1].last if self.items else 0

    @property
    def facts(self) -> Facts:
        """The facts about all items, computed on first use."""
        found = self.known
        if found is None:
            found = _facts(self.items, Facts())
            object.__setattr__(self, "known", found)
        return found


def _sums(items: Iterable[Item]) -> tuple[int, int]:
    """Return the tokens of all items, and of messages and stubs."""
    tokens = verbatim_tokens = 0
    for item in items:
        tokens += item.tokens
        if isinstance(item, MessageItem | StubItem):
            verbatim_tokens += item.tokens
    return tokens, verbatim_tokens


def _changed(window: Window, start: int, end: int, new: tuple[Item, ...], thinking_from: int) -> Window:
    """Return the window with a slice of its items exchanged. Only the change and what precedes it are read: a window
    may hold 1,000,000 messages, and changes once for each leaf.
    """
    gone_tokens, gone_verbatim_tokens = _sums(window.items[start:end])
    new_tokens, new_verbatim_tokens = _sums(new)
    tokens = window.tokens - gone_tokens + new_tokens
    verbatim_tokens = window.verbatim_tokens - gone_verbatim_tokens + new_verbatim_tokens
    made = object.__new__(Window)
    object.__setattr__(made, "items", (*window.items[:start], *new, *window.items[end:]))
    object.__setattr__(made, "thinking_from", thinking_from)
    gone, at_end = window.items[start:end], start == end == len(window.items)
    facts = None
    if window.known is not None and at_end:
        facts = _facts(new, window.known)
    elif window.known is not None and not any(is_bulk(item) for item in new):
        facts = _exchanged(window.known, made.items, start, gone, new)
    changed = _exchanged_ids(window.changed, _changed_ids, window.items, start, end, new)
    records = _exchanged_ids(window.records, _record_ids, window.items, start, end, new)
    _fill(made, tokens, verbatim_tokens, changed, records, facts)
    return made


def _exchanged_ids(
    known: tuple[str, ...],
    ids: Callable[[Iterable[Item]], tuple[str, ...]],
    items: Sequence[Item],
    start: int,
    end: int,
    new: Sequence[Item],
) -> tuple[str, ...]:
    """Return what `ids` returns for a window's items after a slice is exchanged; `known` is the previous result."""
    if start == end == len(items):
        return (*known, *ids(new))
    place = len(ids(items[:start]))
    return (*known[:place], *ids(new), *known[place + len(ids(items[start:end])) :])


def _fill(
    window: Window,
    tokens: int,
    verbatim_tokens: int,
    changed: tuple[str, ...],
    records: tuple[str, ...],
    facts: Facts | None,
) -> None:
    object.__setattr__(window, "tokens", tokens)
    object.__setattr__(window, "verbatim_tokens", verbatim_tokens)
    object.__setattr__(window, "changed", changed)
    object.__setattr__(window, "records", records)
    object.__setattr__(window, "known", facts)


def _changed_ids(items: Iterable[Item]) -> tuple[str, ...]:
    return tuple(item.id for item in items if not as_stored(item))


def _record_ids(items: Iterable[Item]) -> tuple[str, ...]:
    return tuple(item.id for item in items if isinstance(item, SummaryItem | OmittedItem))


def _facts(items: Iterable[Item], before: Facts) -> Facts:
    """Return the facts after these items follow others, whose facts are `before`."""
    request, covered, bulk, bulk_tokens = before.request, before.covered, before.bulk, before.bulk_tokens
    told = before.told
    first, passed = before.first_bulk, before.before_bulk_tokens
    for item in items:
        covered += item.last - item.first + 1
        if shows_request(item):
            request = item
        elif kind := system_kind(item):
            told = (*(one for one in told if system_kind(one) != kind), item)
        if is_bulk(item):
            bulk += 1
            bulk_tokens += item.tokens
        elif not bulk:
            first += 1
            passed += item.tokens
    return Facts(request, told, covered, bulk, bulk_tokens, first, passed)


def _exchanged(
    before: Facts, items: Sequence[Item], start: int, gone: Sequence[Item], new: Sequence[Item]
) -> Facts:
    """Return the facts after summaries, stubs or notes at `start` replace others of the same range; `items` are the
    new items.
    """
    gone_bulk = [item.tokens for item in gone if is_bulk(item)]
    first, passed = before.first_bulk, before.before_bulk_tokens
    new_tokens = sum(item.tokens for item in new)
    if first >= start + len(gone):
        first += len(new) - len(gone)
        passed += new_tokens - sum(item.tokens for item in gone)
    elif first >= start:
        passed += new_tokens - sum(item.tokens for item in gone[: first - start])
        first = start + len(new)
        while first < len(items) and not is_bulk(items[first]):
            passed += items[first].tokens
            first += 1
    request = before.request
    if any(item is request for item in gone):
        request = next((item for item in reversed(items) if shows_request(item)), None)
    told = before.told
    if any(item is one for item in gone for one in told):
        told = _newest_told(items)
    return Facts(
        request,
        told,
        before.covered,
        before.bulk - len(gone_bulk),
        before.bulk_tokens - sum(gone_bulk),
        first,
        passed,
    )


def _newest_told(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the newest system message and the newest developer message among these items, in order."""
    newest = {kind: item for item in items if (kind := system_kind(item))}
    return tuple(sorted(newest.values(), key=lambda item: item.first))


def check_coverage(window: Window, last: int | None = None) -> None:
    """Raise IntegrityError unless the items cover 1..last, each position once and in order."""
    position = 0
    for item in window.items:
        if item.first != position + 1 or item.last < item.first:
            raise IntegrityError(
                f"window item {item.id} covers {item.first}-{item.last}, expected a start at {position + 1}"
            )
        position = item.last
    if last is not None and position != last:
        raise IntegrityError(f"the window ends at message {position}, the conversation at {last}")


def extend(window: Window, stored: Iterable[Stored]) -> Window:
    """Return the window with newer messages at its end."""
    end = len(window.items)
    return _changed(window, end, end, tuple(item_of(one) for one in stored), window.thinking_from)


def with_newest(window: Window, stored: Stored) -> Window:
    """Return the window with another form of its newest message, which it shows as stored."""
    end, old, new = len(window.items), window.items[-1], item_of(stored)
    made = _changed(window, end - 1, end, (new,), window.thinking_from)
    facts = window.known
    if facts is None or is_bulk(old) or is_bulk(new):
        facts = None
    else:
        gained = new.tokens - old.tokens if not facts.bulk else 0
        facts = with_changes(
            facts,
            request=new if facts.request is old else facts.request,
            before_bulk_tokens=facts.before_bulk_tokens + gained,
        )
    object.__setattr__(made, "known", facts)
    return made


def standing(window: Window, item_ids: Sequence[str]) -> tuple[int, int]:
    """Return the slice of the named items. Raises StaleCommit unless all stand, adjacent and in this order."""
    first = item_ids[0] if item_ids else None
    start = next((index for index, item in enumerate(window.items) if item.id == first), -1)
    end = start + len(item_ids)
    if start < 0 or tuple(item.id for item in window.items[start:end]) != tuple(item_ids):
        raise StaleCommit(
            "the window items of this compaction are no longer in the window",
            hint="plan again on the current window",
        )
    return start, end


def replace(window: Window, item_ids: Sequence[str], item: Item, thinking_from: int) -> Window:
    """Return the window with the named items replaced by one that covers the same range in strictly fewer tokens."""
    start, end = standing(window, item_ids)
    gone = window.items[start:end]
    if (item.first, item.last) != (gone[0].first, gone[-1].last):
        raise IntegrityError(f"item {item.id} covers another range than the items it replaces")
    if item.tokens >= sum(one.tokens for one in gone):
        raise IntegrityError(f"item {item.id} is not smaller than what it replaces")
    return _changed(window, start, end, (item,), max(window.thinking_from, thinking_from))


def fold(messages: Iterable[Stored], compactions: Iterable[Compaction], made: Mapping[str, Item]) -> Window:
    """Return the window of a log: all messages, then every compaction in order. `made` maps item ids to items.

    Compactions replace items by id, so messages that arrived between them make no difference.
    """
    window = extend(Window(), messages)
    for record in compactions:
        window = replace(window, record.replaced, made[record.item_id], record.thinking_from)
    return window


def inherit(window: Window, fork_seq: int, sources: Callable[[Summary], Sequence[Item]]) -> Window:
    """Return the items with which a history forked after `fork_seq` starts.

    `sources(summary)` returns the items of a summary. One across the fork is opened into them; a dropped range is cut
    at the fork.
    """
    result = Window(
        tuple(items_before(window.items, fork_seq, sources)), min(window.thinking_from, fork_seq + 1)
    )
    check_coverage(result, fork_seq)
    return result


def items_before(
    items: Sequence[Item], fork_seq: int, sources: Callable[[Summary], Sequence[Item]]
) -> list[Item]:
    """Return those of a window's items, or of some of them, that a fork inherits; see `inherit`."""
    kept: list[Item] = []
    pending = list(reversed(items))
    while pending:
        item = pending.pop()
        if item.first > fork_seq:
            break
        if item.last <= fork_seq:
            kept.append(item)
        elif isinstance(item, SummaryItem):
            pending.extend(reversed(sources(item.summary)))
        elif isinstance(item, OmittedItem):
            kept.append(with_changes(item, last=fork_seq))
    return kept
