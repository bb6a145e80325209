"""The window: what the model sees next, as an ordered list of items, and the fold that makes it from the log.

Laws, checked where they could break:

- Together the items cover every message exactly once and in order (`check_coverage`).
- A replacement names the items it replaces; it happens only if they still stand, unchanged and adjacent (`replace`).
- Folding the same log gives the same window (`fold`).
- A forked history inherits every item that ends before the fork; one that reaches across is opened into what it was
  made from (`inherit`).
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
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What only a look at all items of a window tells. A window that is made of another goes on from what was known of
    that, so that what is asked before every call costs what is new, at any length of the history.

    request             the item that shows the newest message of the user verbatim, which every compaction leaves so
    covered             how many positions the items cover
    bulk, bulk_tokens   tool results of more than `BULK_TOKENS` that stand as they were stored, and their tokens
    first_bulk          the place of the first of them, the number of items where there is none
    before_bulk_tokens  what stands before that
    """

    request: Item | None = None
    covered: int = 0
    bulk: int = 0
    bulk_tokens: int = 0
    first_bulk: int = 0
    before_bulk_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """Items in order. `thinking_from` is the first message whose reasoning may still be sent (see `Branch`).

    `tokens` is the estimate of all items together, `verbatim_tokens` that of messages and stubs, `changed` the ids of
    what does not stand as it was stored, `records` those of summaries and of dropped ranges: made once, and carried on
    from window to window, since every request asks for them. `known` are its facts, once they were asked for.
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
        """What is known of all items together; looked for when it is first asked for."""
        found = self.known
        if found is None:
            found = _facts(self.items, Facts())
            object.__setattr__(self, "known", found)
        return found


def _sums(items: Iterable[Item]) -> tuple[int, int]:
    """Tokens of all items together, and of messages and stubs."""
    tokens = verbatim_tokens = 0
    for item in items:
        tokens += item.tokens
        if isinstance(item, MessageItem | StubItem):
            verbatim_tokens += item.tokens
    return tokens, verbatim_tokens


def _changed(window: Window, start: int, end: int, new: tuple[Item, ...], thinking_from: int) -> Window:
    """The window with a slice of its items exchanged. Only what changes is looked at, and what stands before it: a
    window may hold a backlog of 1,000,000 messages, and is changed once for each of its leaves.
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
    """What `ids` gives for a window's items once a slice of them is exchanged, `known` being what it gave before."""
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
    """The facts once these items follow others, of which `before` is known."""
    request, covered, bulk, bulk_tokens = before.request, before.covered, before.bulk, before.bulk_tokens
    first, passed = before.first_bulk, before.before_bulk_tokens
    for item in items:
        covered += item.last - item.first + 1
        if shows_request(item):
            request = item
        if is_bulk(item):
            bulk += 1
            bulk_tokens += item.tokens
        elif not bulk:
            first += 1
            passed += item.tokens
    return Facts(request, covered, bulk, bulk_tokens, first, passed)


def _exchanged(
    before: Facts, items: Sequence[Item], start: int, gone: Sequence[Item], new: Sequence[Item]
) -> Facts:
    """The facts once summaries, stubs or notes, none of them bulk, stand at `start` in place of others of the same
    range; `items` are all there are then.
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
    return Facts(
        request,
        before.covered,
        before.bulk - len(gone_bulk),
        before.bulk_tokens - sum(gone_bulk),
        first,
        passed,
    )


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
    """The window with newer messages at its end."""
    end = len(window.items)
    return _changed(window, end, end, tuple(item_of(one) for one in stored), window.thinking_from)


def standing(window: Window, item_ids: Sequence[str]) -> tuple[int, int]:
    """Where the named items stand, as a slice. Raises StaleCommit unless all stand, adjacent and in this order."""
    first = item_ids[0] if item_ids else None
    start = next((index for index, item in enumerate(window.items) if item.id == first), -1)
    end = start + len(item_ids)
    if start < 0 or tuple(item.id for item in window.items[start:end]) != tuple(item_ids):
        raise StaleCommit(
            "the window items this compaction replaces no longer stand",
            hint="plan again on the present window",
        )
    return start, end


def replace(window: Window, item_ids: Sequence[str], item: Item, thinking_from: int) -> Window:
    """The window with the named items replaced by one that covers the same range in strictly fewer tokens."""
    start, end = standing(window, item_ids)
    gone = window.items[start:end]
    if (item.first, item.last) != (gone[0].first, gone[-1].last):
        raise IntegrityError(f"item {item.id} covers another range than the items it replaces")
    if item.tokens >= sum(one.tokens for one in gone):
        raise IntegrityError(f"item {item.id} is not smaller than what it replaces")
    return _changed(window, start, end, (item,), max(window.thinking_from, thinking_from))


def fold(messages: Iterable[Stored], compactions: Iterable[Compaction], made: Mapping[str, Item]) -> Window:
    """The window that a log gives: all messages, then every compaction in order. `made` maps item ids to items.

    Compactions only ever replace items by their ids, so it makes no difference that messages arrived between them.
    """
    window = extend(Window(), messages)
    for record in compactions:
        window = replace(window, record.replaced, made[record.item_id], record.thinking_from)
    return window


def inherit(window: Window, fork_seq: int, sources: Callable[[Summary], Sequence[Item]]) -> Window:
    """The items of a window that a history forked after `fork_seq` starts from.

    `sources(summary)` gives the items a summary was made from. One that reaches across the fork is opened into them; a
    dropped range that does is cut at the fork.
    """
    kept: list[Item] = []
    pending = list(reversed(window.items))
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
    result = Window(tuple(kept), min(window.thinking_from, fork_seq + 1))
    check_coverage(result, fork_seq)
    return result
