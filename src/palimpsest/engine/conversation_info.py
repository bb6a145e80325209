"""A conversation as callers see it listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.record.store_values import ConversationRow


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A conversation as listed. `updated_at` is ISO 8601 in UTC."""

    id: str
    title: str
    messages: int
    tokens: int
    window_tokens: int
    updated_at: str
    parent: str = ""


def as_listed(row: ConversationRow) -> ConversationInfo:
    """What the store says of a conversation, for callers."""
    return ConversationInfo(
        row.name, row.title, row.messages, row.tokens, row.window_tokens, iso_time(row.updated_s), row.parent
    )
