"""The items of a window."""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.record.log import ItemKind, Stored
from palimpsest.record.message import is_developer
from palimpsest.record.provider_block import ProviderBlock
from palimpsest.record.summary import Summary

NO_BLOCK = ProviderBlock("", ())


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
    """A message whose bulk is replaced by `note` (`budget.stubs`), which names the id of the whole.

    A gated message has its own id, from the moment it is stored.
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
    """A summary of a range of messages. `quoted` is the request that `summary.quotes` names."""

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
class BlockItem(SummaryItem):
    """A range that its provider compacted. The provider's own wire gets `block`, every other one the summary, which is
    the block's readable text or an outline.
    """

    block: ProviderBlock = NO_BLOCK


@dataclass(frozen=True, slots=True)
class OmittedItem:
    """A range dropped in an emergency; `note` tells the model so, and how to read it back."""

    id: str
    first: int
    last: int
    note: str
    tokens: int


Item = MessageItem | StubItem | SummaryItem | OmittedItem


def kind_of(item: Item) -> ItemKind:
    """Return the name of the item's kind."""
    match item:
        case MessageItem():
            return "message"
        case StubItem():
            return "stub"
        case BlockItem():
            return "block"
        case SummaryItem():
            return "summary"
        case OmittedItem():
            return "omitted"


BULK_TOKENS = 300
"""A tool result of more tokens is bulk: its head and tail would be noticeably shorter."""


def as_stored(item: Item) -> bool:
    """Return whether a message is shown as it was when it was stored."""
    return isinstance(item, MessageItem) or (isinstance(item, StubItem) and item.gated)


def is_bulk(item: Item) -> bool:
    """Return whether an item is a tool result that head and tail could replace."""
    return (
        item.tokens > BULK_TOKENS
        and isinstance(item, MessageItem | StubItem)
        and item.stored.message.role == "tool"
        and as_stored(item)
    )


def shows_request(item: Item) -> bool:
    """Return whether an item shows a user request verbatim."""
    if isinstance(item, MessageItem):
        return item.stored.message.role == "user"
    return isinstance(item, SummaryItem) and item.quoted is not None


def system_kind(item: Item) -> str:
    """Return "system" or "developer" for an item that shows such a message verbatim, "" for any other."""
    if not isinstance(item, MessageItem | StubItem) or item.stored.message.role != "system":
        return ""
    return "developer" if is_developer(item.stored.message) else "system"


GATE_ID = "\x1f"
"""Placeholder for the message's id in `Stored.gate`, which is made before the id."""


def item_of(stored: Stored) -> MessageItem | StubItem:
    """Return the item of a message in an uncompacted window."""
    if not stored.gate:
        return MessageItem(stored)
    return StubItem(stored.id, stored, stored.gate.replace(GATE_ID, stored.id), stored.gate_tokens)
