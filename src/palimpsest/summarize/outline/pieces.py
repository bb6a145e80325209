"""The pieces of a conversation from which an outline is chosen: a few lines of a message each.

- Prose is divided at line ends and between sentences.
- A call is one line: the tool, what it was about, and its outcome. Long arguments have pieces of their own.
- Lines of results and of long arguments are grouped by three: a single line is seldom understood.
- An earlier summary whose messages are not available is divided like prose.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from palimpsest.record.message import Message, ToolCall, ToolResult
from palimpsest.record.summary_source import Entry, MessageEntry
from palimpsest.summarize.outline.need_estimator import argument_texts, looked_at, result_text
from palimpsest.text.cut import clean, clip_words, safe_end
from palimpsest.text.invisible_characters import readable
from palimpsest.toolcalls.call_actions import Action, decode
from palimpsest.toolcalls.file_operation_kinds import CHANGES
from palimpsest.toolcalls.outcomes import only_looks, outcome
from palimpsest.toolcalls.output_wrappers import unwrapped

PROSE_CHARS, LINE_CHARS = 400, 260
"""The most characters of a piece of prose, and of a line of anything else ..."""
LEAST_PROSE_CHARS, LEAST_LINE_CHARS = 120, 80
"""... and in a small outline."""
LINES = 3
CALL_CHARS = 200
"""Characters of a call's subject in its line."""
HEADER_CHARS = 60
"""The same in the header of a result."""
LONG_ARGUMENT_CHARS = 200
"""Longer arguments have pieces in addition to the call's line."""
YIELD_CHARS = 20_000
"""Characters of pieces between two yields."""
WIDE = 3
"""A character beyond U+2E80 counts as so many: most are a token each."""

Kind = Literal["prose", "call", "argument", "result"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of the entry at `place`, at the position `at` in it. `acts`: it is the line of a call that changed
    something or failed. `call` is the line of the call that an argument belongs to. `tokens` is 0 until they are
    counted."""

    place: int
    kind: Kind
    text: str
    acts: bool = False
    call: Piece | None = None
    at: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of an outline: its place in the conversation, its id and header, what the user says in it ("" for
    anybody else), and its pieces, including what the user says as prose."""

    place: int
    id: str
    header: str
    said: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Grain:
    """The size of pieces in characters."""

    prose: int = PROSE_CHARS
    line: int = LINE_CHARS
    header: int = HEADER_CHARS


def grain_for(budget_tokens: int) -> Grain:
    """The size of pieces, so that an outline of this size can contain several."""
    return Grain(
        min(PROSE_CHARS, max(LEAST_PROSE_CHARS, budget_tokens // 2)),
        min(LINE_CHARS, max(LEAST_LINE_CHARS, budget_tokens // 3)),
        min(HEADER_CHARS, budget_tokens // 25),
    )


def rows_of(
    entries: Sequence[Entry], grain: Grain, places: Sequence[int] | None = None
) -> Generator[None, None, list[Row]]:
    """Return a row for each entry, at these places of the conversation or counted from 0, yielding None between
    steps.
    """
    calls: dict[str, ToolCall] = {}
    results: dict[str, ToolResult] = {}
    for entry in entries:
        if isinstance(entry, MessageEntry):
            results.update((one.call_id, one) for one in entry.message.results)
    yield
    rows: list[Row] = []
    chars = 0
    for place, entry in zip(range(len(entries)) if places is None else places, entries, strict=True):
        if not isinstance(entry, MessageEntry):
            lines = divided(clean(entry.summary.text), grain.prose)
            pieces = tuple(Piece(place, "prose", text, at=at) for at, text in enumerate(lines))
            rows.append(Row(place, entry.summary.id, f"[{entry.summary.id} summary]", "", pieces))
            yield
            continue
        message = entry.message
        said = clean(readable(message.text)) if message.role == "user" and message.text.strip() else ""
        if message.calls:
            calls.update((call.id, call) for call in message.calls)
        found: list[Piece] = []
        for piece in _of_message(place, message, results, grain):
            found.append(piece)
            chars += len(piece.text)
            if chars > YIELD_CHARS:
                chars = 0
                yield
        rows.append(Row(place, entry.id, _header(entry, calls, grain), said, tuple(found)))
    return rows


def _header(entry: MessageEntry, calls: Mapping[str, ToolCall], grain: Grain) -> str:
    """The header of a message's texts: its id and role, and for a result the subject of the call."""
    message = entry.message
    asked = [calls[one.call_id] for one in message.results if one.call_id in calls]
    if not message.results:
        return f"[{entry.id} {message.role}]"
    if len(asked) != 1:
        return f"[{entry.id} result]"
    about = " ".join(_about(asked[0], decode(asked[0])).split())
    return clean(readable(f"[{entry.id} result] {clip_words(about, grain.header)}")).rstrip()


def _of_message(
    place: int, message: Message, results: Mapping[str, ToolResult], grain: Grain
) -> Iterator[Piece]:
    at = count()
    if message.text:
        for text in divided(clean(readable(looked_at(message.text))), grain.prose):
            yield Piece(place, "prose", text, at=next(at))
    for call in message.calls:
        line, acts = call_line(call, results.get(call.id))
        own = Piece(place, "call", line, acts, at=next(at))
        yield own
        if len(call.arguments) > LONG_ARGUMENT_CHARS:
            for text in argument_texts(call):
                if len(text) > LINE_CHARS or "\n" in text:
                    for lines in _by_lines(divided(clean(readable(text)), grain.line)):
                        yield Piece(place, "argument", lines, call=own, at=next(at))
    for result in message.results:
        if text := unwrapped(result_text(result)).text:
            for lines in _by_lines(divided(clean(readable(looked_at(text))), grain.line)):
                yield Piece(place, "result", lines, at=next(at))


def _by_lines(lines: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    for line in lines:
        held.append(line)
        if len(held) == LINES:
            yield "\n".join(held)
            held = []
    if held:
        yield "\n".join(held)


def divided(text: str, most_chars: int) -> Iterator[str]:
    """The lines of a text without blank ones; a longer line is divided between sentences, else between words."""
    for line in text.splitlines():
        stripped = line.rstrip()
        if stripped.strip():
            yield from _parts(stripped, most_chars)


def _parts(line: str, most_chars: int) -> Iterator[str]:
    if _width(line) <= most_chars:
        yield line
        return
    held = ""
    for sentence in _SENTENCE_END.split(line):
        rest = sentence
        if held and _width(held) + _width(rest) > most_chars:
            yield held
            held = ""
        while _width(rest) > most_chars:
            size = most_chars if rest.isascii() else most_chars // WIDE
            at = rest.rfind(" ", size // 2, size)
            at = at if at > 0 else safe_end(rest, size) or size
            yield rest[:at]
            rest = rest[at:].lstrip()
        held = f"{held} {rest}" if held and rest.isascii() else held + rest
    if held.strip():
        yield held


def _width(text: str) -> int:
    """The characters of a text, wide ones counted as `WIDE`."""
    if text.isascii():
        return len(text)
    return len(text) + (WIDE - 1) * sum(sign >= "\u2e80" for sign in text)


def call_line(call: ToolCall, result: ToolResult | None) -> tuple[str, bool]:
    """A call as one line with its outcome, and whether it changed something or failed."""
    action = decode(call)
    about = clip_words(" ".join(_about(call, action).split()), CALL_CHARS)
    name = " ".join(call.name.split())
    line = f"{name}: {about}" if about else name
    if result is None:
        return f"{clean(readable(line))} -> no result", True
    ended = outcome(result, action.command)
    changes = any(operation in CHANGES for _, operation in action.files)
    runs = bool(action.command) and not only_looks(action.command)
    error = (
        f" ({clip_words(' '.join(ended.error.split()), CALL_CHARS // 2)})"
        if ended.failed and ended.error
        else ""
    )
    return clean(readable(f"{line} -> {ended.label}{error}")), ended.failed or changes or runs


def _about(call: ToolCall, action: Action) -> str:
    """The subject of a call: its command, its files, its values, or its text."""
    if action.command:
        return action.command
    if action.files:
        return " ".join(path for path, _ in action.files)
    values = ", ".join(f"{key}={value}" for key, value in action.values)
    return values or action.text or " ".join(argument_texts(call))
