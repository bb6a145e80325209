"""Making outlines of invented conversations, and what an outline says of itself."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import TypeVar

from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import Message
from palimpsest.record.summary_source import Entry, MessageEntry
from palimpsest.summarize.outline.need_estimator import Need, Reader, expected
from palimpsest.summarize.outline.outline import outline

Result = TypeVar("Result")

HEADER = re.compile(r"^\[(\S+) (user|assistant|system|tool|result|summary)\]$", re.MULTILINE)
CALL = re.compile(r"^> .* -> .*$", re.MULTILINE)


def ran(steps: Generator[None, None, Result]) -> Result:
    """What work with pauses returns."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def entries_of(messages: Sequence[Message]) -> list[Entry]:
    """The messages under ids in their order."""
    return [MessageEntry(f"m{at}", message, 0) for at, message in enumerate(messages, 1)]


def read(messages: Sequence[Message]) -> Reader:
    """What was read of these messages."""
    reader = Reader()
    for message in messages:
        reader.read(message)
    return reader


def need_of(messages: Sequence[Message]) -> Need:
    """What is expected to be needed of these messages."""
    return ran(expected(read(messages)))


def outlined(messages: Sequence[Message], budget_tokens: int, shown: Sequence[str] = ()) -> str:
    """The outline of these messages alone."""
    return ran(outline(entries_of(messages), need_of(messages), budget_tokens, count_text, shown))


def parts_of(text: str) -> list[tuple[str, str, str]]:
    """(id, role, text) of each message that an outline shows something of."""
    found = list(HEADER.finditer(text))
    ends = [*(one.start() for one in found), len(text) + 1][1:]
    return [(one[1], one[2], text[one.end() + 1 : end - 1]) for one, end in zip(found, ends, strict=True)]
