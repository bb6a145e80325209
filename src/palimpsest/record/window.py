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
from palimpsest.record.log import Compaction, ItemKind, Stored
from palimpsest.record.summary import Summary


@dataclass(frozen=True, slots=True)
class MessageItem:
    """A message, verbatim."""

    stored: Stored

    @property
    def id(self) -> str:
        return self.stored.id

    @property
    def first(self) -> int:
        return self.stored.seq

    @property
    def last(self) -> int:
        return self.stored.seq

    @property
    def tokens(self) -> int:
        return self.stored.tokens


@dataclass(frozen=True, slots=True)
class StubItem:
    """A message whose tool results are replaced by `note`, a line that names the id under which the whole
    can be read.

    A gated message stands under its own id, from the moment it is stored.
    """

    id: str
    stored: Stored
    note: str
    tokens: int

    @property
    def gated(self) -> bool:
        """Whether it was never shown whole."""
        return self.id == self.stored.id

    @property
    def first(self) -> int:
        return self.stored.seq

    @property
    def last(self) -> int:
        return self.stored.seq


@dataclass(frozen=True, slots=True)
class SummaryItem:
    """A summary that stands for a range of messages. `quoted` is the request that `summary.quotes` names."""

    summary: Summary
    quoted: Stored | None = None

    @property
    def id(self) -> str:
        return self.summary.id

    @property
    def first(self) -> int:
        return self.summary.first

    @property
    def last(self) -> int:
        return self.summary.last

    @property
    def tokens(self) -> int:
        return self.summary.tokens


@dataclass(frozen=True, slots=True)
class OmittedItem:
    """A range dropped in an emergency; `note` tells the model so and how to read it back."""

    id: str
    first: int
    last: int
    note: str
    tokens: int


Item = MessageItem | StubItem | SummaryItem | OmittedItem


def kind_of(item: Item) -> ItemKind:
    """The name of the item's kind."""
    match item:
        case MessageItem():
            return "message"
        case StubItem():
            return "stub"
        case SummaryItem():
            return "summary"
        case OmittedItem():
            return "omitted"


@dataclass(frozen=True, slots=True)
class Window:
    """Items in order. `thinking_from` is the first message whose reasoning may still be sent (see `Branch`).

    `tokens` is the estimate of all items together, `verbatim_tokens` that of messages and stubs; summed up once.
    """

    items: tuple[Item, ...] = ()
    thinking_from: int = 1
    tokens: int = field(init=False, repr=False, compare=False)
    verbatim_tokens: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tokens, verbatim_tokens = _sums(self.items)
        object.__setattr__(self, "tokens", tokens)
        object.__setattr__(self, "verbatim_tokens", verbatim_tokens)

    @property
    def last(self) -> int:
        """The position of the newest message, 0 for an empty window."""
        return self.items[-1].last if self.items else 0


def _sums(items: Iterable[Item]) -> tuple[int, int]:
    """Tokens of all items together, and of messages and stubs."""
    tokens = verbatim_tokens = 0
    for item in items:
        tokens += item.tokens
        if isinstance(item, MessageItem | StubItem):
            verbatim_tokens += item.tokens
    return tokens, verbatim_tokens


def _changed(window: Window, start: int, end: int, new: tuple[Item, ...], thinking_from: int) -> Window:
    """The window with a slice of its items exchanged. Only what changes is summed up: a window may hold a backlog of
    100,000 messages, and is changed once for each of its leaves.
    """
    gone_tokens, gone_verbatim_tokens = _sums(window.items[start:end])
    new_tokens, new_verbatim_tokens = _sums(new)
    made = object.__new__(Window)
    object.__setattr__(made, "items", (*window.items[:start], *new, *window.items[end:]))
    object.__setattr__(made, "thinking_from", thinking_from)
    object.__setattr__(made, "tokens", window.tokens - gone_tokens + new_tokens)
    verbatim_tokens = window.verbatim_tokens - gone_verbatim_tokens + new_verbatim_tokens
    object.__setattr__(made, "verbatim_tokens", verbatim_tokens)
    return made


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


GATE_ID = "\x1f"
"""Stands for the message's id in `Stored.gate`, which is made before there is one."""


def item_of(stored: Stored) -> MessageItem | StubItem:
    """How a message stands in a window that no compaction has changed."""
    if not stored.gate:
        return MessageItem(stored)
    return StubItem(stored.id, stored, stored.gate.replace(GATE_ID, stored.id), stored.gate_tokens)


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
