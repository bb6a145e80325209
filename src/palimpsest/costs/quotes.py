"""Finds what a reply quotes from earlier pieces, so that hidden pieces that are needed again can be charged.

A quote is a whole line of at least `LEAST_CHARS` characters, without surrounding white space, that a reply contains (in
its text or in the decoded strings of its calls' arguments) and that is also a line of an earlier piece. A line in many
pieces is boilerplate. This is a lower bound of what is needed: a value that was read and written elsewhere is no quote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from palimpsest.record.message import Message, ToolCall

LEAST_CHARS = 32
MOST_HOLDERS = 8
"""How many of the newest pieces with a line are remembered."""

MOST_LINES = 400_000
"""How many lines of one session are remembered."""

_LINE_NUMBER = re.compile(r"\s*\d+\s*[\t\u2192]")


@dataclass(frozen=True, slots=True)
class Holder:
    """A piece that contains a quoted line, `offset_tokens` after its start and `rest_tokens` before its end."""

    piece: int
    offset_tokens: int
    rest_tokens: int


class Quoting:
    """The lines of a session's pieces so far."""

    def __init__(self) -> None:
        self._holders: dict[str, list[Holder]] = {}

    def hold(self, piece: int, text: str, tokens: int) -> None:
        """Remember the lines of a piece."""
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
        """For each set of pieces that contain a line of the reply: these pieces, newest first."""
        found: dict[tuple[int, ...], tuple[Holder, ...]] = {}
        for line, _ in lines("\n".join([reply.text, *_call_texts(reply)])):
            if held := self._holders.get(line):
                newest = tuple(reversed(held))
                found.setdefault(tuple(one.piece for one in newest), newest)
        return tuple(found.values())


def lines(text: str) -> Iterator[tuple[str, float]]:
    """Each line long enough to be a quote, with the share of the text before it."""
    at = 0
    for raw in text.split("\n"):
        line = bare(raw)
        if len(line) >= LEAST_CHARS:
            yield line, at / len(text)
        at += len(raw) + 1


def bare(line: str) -> str:
    """A line without surrounding white space and without the line number that file tools print."""
    numbered = _LINE_NUMBER.match(line)
    return (line[numbered.end() :] if numbered else line).strip()


def needed_text(message: Message) -> str:
    """The text that can be needed again: an assistant's calls, not its words; everything in other messages."""
    return "\n".join(_call_texts(message)) if message.role == "assistant" else message.text


def _call_texts(message: Message) -> list[str]:
    """The strings in the arguments of a message's calls."""
    return [text for call in message.calls for text in _strings(call)]


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
