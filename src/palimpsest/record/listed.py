"""A conversation as the store lists it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation as listed. `updated_s` is when it last changed, `parent` the conversation it was spawned from."""

    name: str
    title: str
    parent: str
    messages: int
    tokens: int
    window_tokens: int
    updated_s: float
    system: str = ""
