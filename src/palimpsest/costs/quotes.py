"""What a reply quotes of what stands before it, so that whatever was hidden and is needed again can be charged.

A quote is a whole line of at least `LEAST_CHARS` characters, blanks at both ends left out, that a reply writes - in its
words or in the decoded strings of its calls' arguments - and that an earlier piece holds as a line of its own. A line
that many pieces hold is boilerplate and nobody needs the source of it.

This is a lower bound of what is needed: a value read off a line and written elsewhere is no quote. It counts what can
be counted without judgement.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from palimpsest.record.message import Message, ToolCall

LEAST_CHARS = 32
MOST_HOLDERS = 8
"""A line is looked for in so many of the newest pieces that hold it."""

MOST_LINES = 400_000
"""The most lines that are remembered of one session."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A piece that holds a quoted line, `offset_tokens` into it, and `rest_tokens` before its end."""

    piece: int
    offset_tokens: int
    rest_tokens: int


class Quoting:
    """The lines of a session's pieces so far."""

    def __init__(self) -> None:
        self._holders: dict[str, list[Holder]] = {}

    def hold(self, piece: int, text: str, tokens: int) -> None:
        """Remembers the lines of a piece."""
        if not text:
            return
        for line, share in lines(text):
            held = self._holders.get(line)
            if held is None:
                if len(self._holders) >= MOST_LINES:
                    return
                held = self._holders[line] = []
            if held and held[-1].piece == piece:
                continue
            offset = int(share * tokens)
            held.append(Holder(piece, offset, tokens - offset))
            if len(held) > MOST_HOLDERS:
                del held[0]

    def quoted(self, reply: Message) -> tuple[tuple[Holder, ...], ...]:
        """For each different set of pieces that hold what the reply quotes, these pieces, the newest first."""
        found: dict[tuple[int, ...], tuple[Holder, ...]] = {}
        for line, _ in lines(spoken_text(reply)):
            held = self._holders.get(line)
            if held:
                newest = tuple(reversed(held))
                found.setdefault(tuple(one.piece for one in newest), newest)
        return tuple(found.values())


def lines(text: str) -> Iterator[tuple[str, float]]:
    """Each line long enough to be a quote, with the share of the text that stands before it."""
    at = 0
    for raw in text.split("\n"):
        line = bare(raw)
        if len(line) >= LEAST_CHARS:
            yield line, at / len(text)
        at += len(raw) + 1


def bare(line: str) -> str:
    """A line without blanks at its ends and without the number that file tools print before it."""
    head, mark, rest = line.partition("\u2192")
    if mark and head.strip().isdigit():
        line = rest
    else:
        head, mark, rest = line.partition("\t")
        if mark and head.strip().isdigit():
            line = rest
    return line.strip()


def held_text(message: Message) -> str:
    """What of a message can be needed again: an assistant's calls, not its words; all that others say."""
    if message.role != "assistant":
        return message.text
    return "\n".join(text for call in message.calls for text in _strings(call))


def spoken_text(message: Message) -> str:
    """What a message says: its words, and the strings in its calls' arguments, as they read."""
    parts = [message.text] if message.text else []
    for call in message.calls:
        parts.extend(_strings(call))
    return "\n".join(parts)


def _strings(call: ToolCall) -> list[str]:
    try:
        value = cast("object", json.loads(call.arguments))
    except (ValueError, RecursionError):
        return [call.arguments]
    found: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            waiting.extend(cast("dict[str, object]", one).values())
        elif isinstance(one, list):
            waiting.extend(cast("list[object]", one))
    return found
