"""A message in pieces, where it is larger than what may be read of it at once.

The parts of a message are taken as one row of characters, in which each part is followed by a border of its own. A
piece is a stretch of that row, given as parts again: whole ones, and at its ends the beginnings and the rests of texts,
call arguments and results. Pieces that follow one another are the whole message, each character once.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from palimpsest.budget.token_estimator import count_text
from palimpsest.errors import UsageError
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult
from palimpsest.text.cut import safe_end

HEAD_TOKENS = 24
"""What the line over a message costs in an answer."""

LABEL_TOKENS = 6
"""What tells a call, a result or media from text, beside a call's name and an address."""

_MEDIA = " "
"""Media take one character of the row, and are never cut."""

WORD_CHARS = 100
"""A longer word is cut: half of a number, a name or an id reads like another one."""

_MAX_CUTS = 40

_SPACES = later(r"\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a message: its parts, where it ends in the row of characters, and the tokens it costs."""

    parts: tuple[Part, ...]
    end: int
    tokens: int


def size_of(parts: Sequence[Part]) -> int:
    """The length of the row of characters that parts make."""
    return sum(_size(part) + 1 for part in parts)


def cost_of(parts: Sequence[Part]) -> int:
    """What parts cost as texts, with the line over them."""
    return HEAD_TOKENS + texts_cost(parts)


def texts_cost(parts: Sequence[Part]) -> int:
    """What parts cost as texts."""
    return sum(map(_cost, parts))


def _cost(part: Part) -> int:
    match part:
        case Text(text=text) | Reasoning(text=text):
            return count_text(text)
        case ToolCall(name=name, arguments=arguments):
            return LABEL_TOKENS + count_text(name) + count_text(arguments)
        case ToolResult(content=content):
            return LABEL_TOKENS + texts_cost(content)
        case Media(media_type=media_type, uri=uri):
            return LABEL_TOKENS + count_text(media_type) + count_text(uri)


def first_piece(parts: Sequence[Part], start: int, budget_tokens: int) -> Piece:
    """As much from `start` on as costs no more than the budget, and at least one character."""
    total = size_of(parts)
    end = min(total, start + max(1, budget_tokens) * 16)
    for _ in range(_MAX_CUTS):
        found = between(parts, start, end)
        tokens = cost_of(found)
        if tokens <= budget_tokens or end <= start + 1:
            return Piece(found, end, tokens)
        room = max(1, budget_tokens - HEAD_TOKENS)
        wanted = start + (end - start) * room // max(room + 1, tokens - HEAD_TOKENS)
        end = max(start + 1, _border(parts, start, min(wanted, end - 1)))
    return Piece(between(parts, start, end), end, cost_of(between(parts, start, end)))


def between(parts: Sequence[Part], start: int, end: int) -> tuple[Part, ...]:
    """The parts of a stretch of the row."""
    found: list[Part] = []
    position = 0
    for part in parts:
        size = _size(part)
        first, last = max(0, start - position), min(size, end - position)
        begins, goes_on = start <= position, position < start < position + size
        if (begins or goes_on) and position < end:
            found.append(part if first == 0 and last == size else _cut(part, first, last))
        position += size + 1
    return tuple(found)


def _border(parts: Sequence[Part], start: int, end: int) -> int:
    """The last place at or before `end`, after `start`, that parts no word; for a very long one, no character as it is
    drawn.
    """
    for position, text in texts_of(parts):
        if position < end < position + len(text):
            last = end - position
            spaces = list(_SPACES.finditer(text, max(0, start - position, last - WORD_CHARS), last + 1))
            place = safe_end(text, min(spaces[-1].end(), last) if spaces else last)
            return position + place if position + place > start else end
    return end


def texts_of(parts: Sequence[Part], position: int = 0) -> Iterator[tuple[int, str]]:
    """Each text of parts with its place in the row of characters."""
    for part in parts:
        if isinstance(part, ToolResult):
            yield from texts_of(part.content, position)
        else:
            yield position, _text(part)
        position += _size(part) + 1


def _size(part: Part) -> int:
    return size_of(part.content) if isinstance(part, ToolResult) else len(_text(part))


def _text(part: Text | Reasoning | ToolCall | Media) -> str:
    match part:
        case Text(text=text) | Reasoning(text=text) | ToolCall(arguments=text):
            return text
        case Media():
            return _MEDIA


def _cut(part: Part, first: int, last: int) -> Part:
    match part:
        case Text(text=text):
            return Text(text[first:last])
        case Reasoning(text=text):
            return replace(part, text=text[first:last])
        case ToolCall(arguments=arguments):
            return replace(part, arguments=arguments[first:last])
        case ToolResult(content=content):
            inner = between(content, first, last)
            return replace(part, content=tuple(one for one in inner if isinstance(one, Text | Media)))
        case Media():
            return part


MAX_CURSOR_CHARS = 50_000

_FORM = later(
    r"(?P<ids>[ms]\d{1,18}(?:-m\d{1,18})?(?:,[ms]\d{1,18}(?:-m\d{1,18})?)*)"
    r"~(?P<flags>r?d?)~(?P<place>\d{1,18})~(?P<char>\d{1,18})~(?P<check>[0-9a-f]{4})",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """What is still to be read: of the first id from `place` on (a child's number or a message's position), and of what
    stands there from the character `char` on; the other ids whole.
    """

    ids: tuple[str, ...]
    include_results: bool
    to_messages: bool
    place: int = 0
    char: int = 0

    def __str__(self) -> str:
        flags = f"{'r' * self.include_results}{'d' * self.to_messages}"
        body = f"{','.join(self.ids)}~{flags}~{self.place}~{self.char}"
        return f"{body}~{_check(body)}"


def read_cursor(text: str) -> Cursor:
    """The cursor that a text is. Raises UsageError."""
    text = text.strip().strip("\"'")
    found = _FORM.fullmatch(text) if len(text) <= MAX_CURSOR_CHARS else None
    if found is None or _check(text.rpartition("~")[0]) != found["check"]:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise UsageError(
            f"{shown!r} is no cursor", hint="give it as the answer before has it, or the ids anew"
        )
    flags = found["flags"]
    ids = tuple(found["ids"].split(","))
    return Cursor(ids, "r" in flags, "d" in flags, int(found["place"]), int(found["char"]))


def _check(body: str) -> str:
    return f"{zlib.crc32(body.encode()) & 0xFFFF:04x}"
