"""The texts of a message by their source: the user, the assistant, call arguments, and tool results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from palimpsest.record.message import Message, ToolCall, ToolResult
from palimpsest.record.recall_mark import is_recalled

MOST_CHARS = 40_000
"""The most characters of one text that are read, half of them from each end."""
MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one message, "" for none. Arguments are decoded."""

    user: str = ""
    prose: str = ""
    arguments: str = ""
    results: str = ""

    @property
    def chars(self) -> int:
        """Characters of all of them."""
        return len(self.user) + len(self.prose) + len(self.arguments) + len(self.results)


def texts_of(message: Message) -> Texts:
    """The texts of a message, without what was read back from the store."""
    said = looked_at(message.text)
    by_user = message.role == "user"
    arguments = "\n".join(
        part for call in message.calls for part in (call.name, *argument_texts(call)) if part
    )
    return Texts(
        said if by_user else "",
        "" if by_user else said,
        looked_at(arguments),
        looked_at("\n".join(result_text(result) for result in message.results)),
    )


def result_text(result: ToolResult) -> str:
    """The text of a result, "" for what was read back from the store."""
    text = result.text
    return "" if is_recalled(text) else text


def looked_at(text: str) -> str:
    """A text, or the two ends of a long one."""
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS // 2]}\n{text[-MOST_CHARS // 2 :]}"


def argument_texts(call: ToolCall) -> tuple[str, ...]:
    """The scalar values of a call's arguments as texts, in order; the arguments themselves if they are no JSON."""
    if len(call.arguments) > 4 * MOST_CHARS:
        return (looked_at(call.arguments),)
    try:
        value: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return (looked_at(call.arguments),)
    return tuple(_scalars(value, MAX_DEPTH))


def _scalars(value: object, depth: int) -> Iterator[str]:
    match value:
        case dict() if depth:
            for inner in cast("dict[str, object]", value).values():
                yield from _scalars(inner, depth - 1)
        case list() if depth:
            for inner in cast("list[object]", value):
                yield from _scalars(inner, depth - 1)
        case str() if value:
            yield looked_at(value)
        case int() | float() if not isinstance(value, bool):
            yield str(value)
        case _:
            pass
