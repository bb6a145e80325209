"""Texts in blocks of bounded size, their ends, and user messages without what agents add to them.

Blocks have at most 2,000 characters, and lines at most 1,000. Of one huge line only the first 8,000 characters are
read, and no pattern gets it in one piece."""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.text.cut import word_end, word_start

BLOCK_CHARS = 2_000
BREAK_CHARS = 240
"""How far from a cut the end of a sentence is searched for."""
LINE_CHARS = 1_000
LINE_PIECES = 8
WORDY_SPACES = 40
"""A long line with fewer spaces at its beginning is minified or encoded."""
MAX_WRAPPERS = 16

_BREAK = re.compile(r"\n+|[.!?][\"')\]]{0,2}\s+|[。！？；]")
_STOP_SIGN = re.compile(r"[.!?](?=\s)|[。！？；]")
_WRAPPER = re.compile(r"\s{0,20}<([a-z]{1,30}(?:[-_][a-z]{1,30}){1,5})(?:\s[^>]{0,200})?>", re.IGNORECASE)
_EDITOR_REQUEST = re.compile(r"^#{1,3} My request for [A-Z][a-z]{2,20}:?\s", re.MULTILINE)
_REQUEST_TAG = re.compile(r"query|request|user_message|user_input|issue|task_description", re.IGNORECASE)
_PREAMBLE = re.compile(
    r"\s{0,20}(?:Caveat: The messages below|\[Request interrupted|# AGENTS\.md instructions)"
)


def without_wrappers(text: str) -> str:
    """A user's message without the blocks that agents add (`<environment_context>`, reminders, ...); "" for no more."""
    rest = _without_reminders(text)
    for _ in range(MAX_WRAPPERS):
        opening = _WRAPPER.match(rest)
        if not opening:
            break
        closing = f"</{opening[1]}>"
        end = rest.find(closing)
        if _REQUEST_TAG.search(opening[1]):
            rest = rest[opening.end() :].replace(closing, "\n", 1)
        else:
            rest = rest[end + len(closing) :] if end >= 0 else ""
    asked = _EDITOR_REQUEST.search(rest)
    if asked:
        rest = rest[asked.end() :]
    return "" if _PREAMBLE.match(rest) else rest.strip()


def _without_reminders(text: str) -> str:
    opening, closing = "<system-reminder>", "</system-reminder>"
    for _ in range(MAX_WRAPPERS):
        start = text.find(opening)
        if start < 0:
            break
        end = text.find(closing, start)
        text = text[:start] + (text[end + len(closing) :] if end >= 0 else "")
    return text


def ends(text: str, look_chars: int) -> str:
    """The two ends of a text of more than `look_chars` characters, two thirds and one third, separated by a line end.

    They are cut between words, and between sentences unless the sentence is long.
    """
    if len(text) <= look_chars:
        return text
    tail = look_chars // 3
    end, start = word_end(text, look_chars - tail), word_start(text, len(text) - tail)
    before = [match.end() for match in _BREAK.finditer(text, max(0, end - BREAK_CHARS), end)]
    after = _BREAK.search(text, start, start + BREAK_CHARS)
    return f"{text[: before[-1] if before else end].rstrip()}\n{text[after.end() if after else start :]}"


def blocks(text: str) -> Iterator[str]:
    """`text` in blocks of whole lines, of at most 2,000 characters.

    A line of more than 1,000 characters is divided at the ends of sentences or words, and read up to 8,000 characters.
    Of a line without spaces only the first piece is read.
    """
    block: list[str] = []
    size = 0
    for line in text.splitlines():
        for piece in (line,) if len(line) <= LINE_CHARS else _pieces(line):
            size += len(piece) + 1
            if size > BLOCK_CHARS and block:
                yield "\n".join(block)
                block, size = [], len(piece) + 1
            block.append(piece)
    if block:
        yield "\n".join(block)


def _pieces(line: str) -> Iterator[str]:
    start = 0
    for _ in range(LINE_PIECES if line.count(" ", 0, LINE_CHARS) >= WORDY_SPACES else 1):
        if len(line) - start <= LINE_CHARS:
            break
        stop = word_end(line, start + LINE_CHARS)
        ending = max(
            (match.end() for match in _STOP_SIGN.finditer(line, start + LINE_CHARS // 2, stop)), default=stop
        )
        yield line[start:ending]
        start = ending
    else:
        return
    yield line[start:]
