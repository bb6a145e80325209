"""Read a message in pieces, and continue later: cursors, and pieces of messages that are larger than a budget.

- A cursor is a short text that says everything needed to continue, so that no state is kept between two calls. Stored
  messages never move, so a cursor stays valid after appends, compactions and forks. To callers it is opaque. A checksum
  detects one that was shortened or made up; it gives no access beyond its ids.
- The parts of a message count as one sequence of characters, with one more character after each part. A piece is a
  range of it, as parts again. Consecutive pieces are the whole message, each character once.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from palimpsest.budget.token_estimator import count_text
from palimpsest.errors import UsageError
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from palimpsest.text.cut import safe_end

MAX_CURSOR_CHARS = 50_000

HEAD_TOKENS = 24
"""The tokens of the line above a message in an answer."""

LABEL_TOKENS = 6
"""The tokens that mark a call, a result or media, besides a call's name and a URI."""

MEDIA_TEXT = " "
"""Media count as one character, and are never cut."""

MAX_WORD_CHARS = 100
"""Only a longer word is cut: half of a number, a name or an id reads like another one."""

_MAX_CUTS = 40
_SPACES = later(r"\s+")
_CURSOR = later(
    r"(?P<ids>[ms]\d{1,18}(?:-m\d{1,18})?(?:,[ms]\d{1,18}(?:-m\d{1,18})?)*)"
    r"~(?P<flags>r?d?)~(?P<place>\d{1,18})~(?P<char>\d{1,18})~(?P<check>[0-9a-f]{4})",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """What is still to be read: the first id from `place` on (a child's number or a message's position) and there from
    the character `char` on; the other ids whole.
    """

    ids: tuple[str, ...]
    include_results: bool
    to_messages: bool
    place: int = 0
    char: int = 0

    def __str__(self) -> str:
        flags = f"{'r' * self.include_results}{'d' * self.to_messages}"
        body = f"{','.join(self.ids)}~{flags}~{self.place}~{self.char}"
        return f"{body}~{_checksum(body)}"


def read_cursor(text: str) -> Cursor:
    """Parse a cursor. Raises UsageError."""
    text = text.strip().strip("\"'")
    found = _CURSOR.fullmatch(text) if len(text) <= MAX_CURSOR_CHARS else None
    if found is None or _checksum(text.rpartition("~")[0]) != found["check"]:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise UsageError(
            f"{shown!r} is no cursor", hint="give it as the answer before has it, or the ids anew"
        )
    flags = found["flags"]
    ids = tuple(found["ids"].split(","))
    return Cursor(ids, "r" in flags, "d" in flags, int(found["place"]), int(found["char"]))


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()) & 0xFFFF:04x}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of a message: its parts, its end in characters, and its tokens."""

    parts: tuple[Part, ...]
    end: int
    tokens: int


def size_of(parts: Sequence[Part]) -> int:
    """The length of parts in characters."""
    return sum(_size(part) + 1 for part in parts)


def cost_of(parts: Sequence[Part]) -> int:
    """The tokens of parts as texts, with the line above them."""
    return HEAD_TOKENS + texts_cost(parts)


def texts_cost(parts: Sequence[Part]) -> int:
    """The tokens of parts as texts."""
    return sum(map(_cost, parts))


def _cost(part: Part) -> int:
    match part:
        case Text(text=text) | Reasoning(text=text):
            return count_text(text)
        case Opaque():
            return LABEL_TOKENS + count_text(part.text)
        case ToolCall(name=name, arguments=arguments):
            return LABEL_TOKENS + count_text(name) + count_text(arguments)
        case ToolResult(content=content):
            return LABEL_TOKENS + texts_cost(content)
        case Media(media_type=media_type, uri=uri):
            return LABEL_TOKENS + count_text(media_type) + count_text(uri)


def first_piece(parts: Sequence[Part], start: int, budget_tokens: int) -> Piece:
    """The longest piece from `start` on within the budget, and at least one character."""
    end = min(size_of(parts), start + max(1, budget_tokens) * 16)
    for _ in range(_MAX_CUTS):
        found = between(parts, start, end)
        tokens = cost_of(found)
        if tokens <= budget_tokens or end <= start + 1:
            return Piece(found, end, tokens)
        room = max(1, budget_tokens - HEAD_TOKENS)
        wanted = start + (end - start) * room // max(room + 1, tokens - HEAD_TOKENS)
        end = max(start + 1, _word_end(parts, start, min(wanted, end - 1)))
    found = between(parts, start, end)
    return Piece(found, end, cost_of(found))


def between(parts: Sequence[Part], start: int, end: int) -> tuple[Part, ...]:
    """The parts in a range of characters; those at its ends are cut."""
    found: list[Part] = []
    position = 0
    for part in parts:
        size = _size(part)
        first, last = max(0, start - position), min(size, end - position)
        begins, continues = start <= position, position < start < position + size
        if (begins or continues) and position < end:
            found.append(part if first == 0 and last == size else _cut(part, first, last))
        position += size + 1
    return tuple(found)


def _word_end(parts: Sequence[Part], start: int, end: int) -> int:
    """The last place at or before `end`, after `start`, that splits no word, or at least no visible character."""
    for position, text in texts_of(parts):
        if position < end < position + len(text):
            last = end - position
            search_from = max(0, start - position, last - MAX_WORD_CHARS)
            spaces = list(_SPACES.finditer(text, search_from, last + 1))
            place = position + safe_end(text, min(spaces[-1].end(), last) if spaces else last)
            return place if place > start else end
    return end


def texts_of(parts: Sequence[Part], position: int = 0) -> Iterator[tuple[int, str]]:
    """Each text of parts with its place in characters."""
    for part in parts:
        if isinstance(part, ToolResult):
            yield from texts_of(part.content, position)
        else:
            yield position, _text(part)
        position += _size(part) + 1


def _size(part: Part) -> int:
    return size_of(part.content) if isinstance(part, ToolResult) else len(_text(part))


def _text(part: Text | Reasoning | ToolCall | Media | Opaque) -> str:
    match part:
        case Text(text=text) | Reasoning(text=text) | ToolCall(arguments=text):
            return text
        case Opaque():
            return part.text
        case Media():
            return MEDIA_TEXT


def _cut(part: Part, first: int, last: int) -> Part:
    match part:
        case Text() | Opaque():
            return Text(part.text[first:last])
        case Reasoning(text=text):
            return replace(part, text=text[first:last])
        case ToolCall(arguments=arguments):
            return replace(part, arguments=arguments[first:last])
        case ToolResult(content=content):
            inner = between(content, first, last)
            return replace(part, content=tuple(one for one in inner if isinstance(one, Text | Media)))
        case Media():
            return part
