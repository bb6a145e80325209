"""What callers hand in, as messages: wire dicts, a client's message objects, or messages; system prompts apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from palimpsest.budget.tokens import count_message
from palimpsest.errors import FormatError, UsageError
from palimpsest.formats import parse_any
from palimpsest.ports import Counted
from palimpsest.record.message import Message


@dataclass(frozen=True, slots=True)
class Given:
    """Messages of the history, and the newest system prompt among what was given (None where there was none)."""

    messages: tuple[Message, ...]
    system: str | None


def take_in(given: Iterable[object], now_s: float | None) -> Given:
    """Parse what was given. System messages are not history: together they are the conversation's system prompt from
    now on, in their order, with a blank line between them.

    A message without a time gets `now_s`. Raises FormatError naming the place of what cannot be read.
    """
    _require_list(given)
    messages: list[Message] = []
    system: list[str] = []
    for place, one in enumerate(given):
        for message in _parse(one, place):
            if message.role == "system":
                system.append(message.text)
            else:
                messages.append(message if message.time_s is not None else replace(message, time_s=now_s))
    return Given(tuple(messages), "\n\n".join(system) if system else None)


def require_text(what: str, value: object) -> None:
    """Raise UsageError unless the value is a string or None."""
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{what} is a {type(value).__name__}", hint="give the text as a string")


def _require_list(value: object) -> None:
    if not isinstance(value, list | tuple):
        raise FormatError(f"a history is a {type(value).__name__}", hint="give a list of messages")


def _parse(one: object, place: int) -> tuple[Message, ...]:
    if isinstance(one, Message):
        return (one,)
    try:
        return parse_any(one)
    except FormatError as error:
        raise FormatError(f"message {place}: {error.message}", hint=error.hint) from error


def count(messages: Iterable[Message], *, known: int = 0) -> list[Counted]:
    """Messages with their token estimates; the first `known` are stored already and are not counted again."""
    return [
        Counted(message, -1 if place < known else count_message(message))
        for place, message in enumerate(messages)
    ]
