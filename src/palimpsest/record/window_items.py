"""The items of a window: the forms in which messages stand in it."""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.record.log import ItemKind, Stored
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
    """A message whose bulk is replaced by what `note` holds (`budget.stubs`), which names the id under which the whole
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


BULK_TOKENS = 300
"""A tool result of more tokens is bulk: its head and tail would be noticeably shorter."""


def as_stored(item: Item) -> bool:
    """Whether a message stands as it did when it was stored."""
    return isinstance(item, MessageItem) or (isinstance(item, StubItem) and item.gated)


def is_bulk(item: Item) -> bool:
    """Whether an item is a tool result whose head and tail could stand for it."""
    return (
        item.tokens > BULK_TOKENS
        and isinstance(item, MessageItem | StubItem)
        and item.stored.message.role == "tool"
        and as_stored(item)
    )


def shows_request(item: Item) -> bool:
    """Whether an item gives a request of the user verbatim."""
    if isinstance(item, MessageItem):
        return item.stored.message.role == "user"
    return isinstance(item, SummaryItem) and item.quoted is not None


GATE_ID = "\x1f"
"""Stands for the message's id in `Stored.gate`, which is made before there is one."""


def item_of(stored: Stored) -> MessageItem | StubItem:
    """How a message stands in a window that no compaction has changed."""
    if not stored.gate:
        return MessageItem(stored)
    return StubItem(stored.id, stored, stored.gate.replace(GATE_ID, stored.id), stored.gate_tokens)
