"""Rules for appending messages and committing windows, the same in every store. Pure functions.

- The title of a conversation is the first line of its first user message with words of a person, without secrets.
- A message may be replaced while its source may still grow, and only by a later form from the same source. A second
  answer to the same question is a message of its own.
- A forked history starts from the window items before its fork. A summary across the fork is opened into its sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from palimpsest.errors import IntegrityError, StaleCommit
from palimpsest.record.window import replace as replace_items
from palimpsest.record.window_items import Item, MessageItem, SummaryItem, item_of
from palimpsest.stores.codec import storable

if TYPE_CHECKING:
    from palimpsest.ports import Commit, Counted
    from palimpsest.record.log import Branch, Stored
    from palimpsest.record.message import Message
    from palimpsest.record.summary import Summary
    from palimpsest.record.window import Window

TITLE_CHARS = 80
LOOK_CHARS = 4_000
"""Characters of the first message that are searched for secrets, so that no secret is cut before it is recognized."""


def title_of(entries: Sequence[Counted]) -> str:
    """Return the conversation's title: the first line of its first user message, without what an agent added to it."""
    return title_from(entry.message.text for entry in entries if entry.message.role == "user")


def title_from(texts: Iterable[str]) -> str:
    """Return the first line of the first text with words, shortened and without secrets; "" if there is none."""
    from palimpsest.text.blocks import without_wrappers

    text = next((words for words in map(without_wrappers, texts) if words), "")
    if not text:
        return ""
    from palimpsest.redaction.redactor import redact

    return storable(redact(text[:LOOK_CHARS]).splitlines()[0][:TITLE_CHARS])


def closed_through(entries: Sequence[Counted], start: int, least: int) -> int:
    """Return the last position that can no longer change, at least `least`, for entries at positions from `start` + 1
    on.
    """
    for place in range(len(entries), 0, -1):
        if not entries[place - 1].message.provisional:
            return max(least, start + place)
    return least


def marked(message: Message, provisional: bool) -> Message:
    """Return the message with or without the mark that it may still grow."""
    return message if message.provisional == provisional else replace(message, provisional=provisional)


def grows_into(partial: Message, message: Message) -> bool:
    """Return whether the second message may be a later form of the first: same speaker, same place in the source."""
    return partial.role == message.role and partial.origin == message.origin


def check_commit(window: Window, branch: Branch, change: Commit) -> None:
    """Raise StaleCommit or IntegrityError unless the change keeps the window's laws and replaces no provisional
    message.
    """
    record = change.compaction
    if change.read_at is not None and change.read_at < branch.purged:
        raise StaleCommit(
            "a message of this conversation was deleted while it was compacted",
            hint="plan again on the current window",
        )
    replace_items(window, record.replaced, change.item, record.thinking_from)
    if isinstance(change.item, MessageItem):
        raise IntegrityError("a compaction cannot replace items by a message")
    if change.item.last > branch.closed_seq:
        raise IntegrityError(
            f"message {change.item.last} may still grow and cannot be compacted",
            hint="compact what came before it",
        )


def opened_by(
    summary_of: Callable[[str], Summary], messages_of: Callable[[int, int], Sequence[Stored]]
) -> Callable[[Summary], list[Item]]:
    """Return how a summary across a fork is opened into the items of its sources (see `record.window.inherit`).

    `summary_of` returns a summary by id, `messages_of` the messages between two positions.
    """

    def sources(summary: Summary) -> list[Item]:
        items: list[Item] = []
        position = summary.first
        for child in (summary_of(one) for one in summary.sources if one.startswith("s")):
            items.extend(item_of(one) for one in messages_of(position, child.first - 1))
            quoted = messages_of(child.quotes, child.quotes) if child.quotes else ()
            items.append(SummaryItem(child, quoted[0] if quoted else None))
            position = child.last + 1
        items.extend(item_of(one) for one in messages_of(position, summary.last))
        return items

    return sources
