"""Scripts for the strict servers: what the model says to its n-th request, and the invented parts that it reads.

A script is `script(n, body)`, where n counts the accepted requests of a conversation from 1. Requests without tools are
side requests (a title, a summary) and are answered by a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from palimpsest.record.message import ToolCall
from tests.wire.replies import Say
from tests.wire.strict.refusal import Fields

Script = Callable[[int, Fields], Say]
READ_TOOL = "read_part"
SIDE = Say("Reading the parts of the harbour log")
_WORDS = "tide buoy keeper swell lantern ballast quay ferry mooring beacon anchor pilot".split()


def part_text(number: int, lines: int = 6) -> str:
    """The text of an invented part."""
    found = [f"Part {number} of the harbour log."]
    for line in range(lines):
        words = [_WORDS[(number * 7 + line * 5 + at * (line + 3)) % len(_WORDS)] for at in range(9)]
        found.append(f"{number:03d}.{line}: {' '.join(words)} at /var/harbour/part-{number}/line-{line}.log")
    return "\n".join(found)


def read_part(number: int) -> str:
    """Read a part of the harbour log."""
    return part_text(number)


def call_of(number: int, name: str = READ_TOOL, arguments: Fields | None = None) -> ToolCall:
    """The call that reads a part."""
    return ToolCall(f"call_part_{number}", name, json.dumps(arguments or {"number": number}))


def reading(calls: int, *, thinks: bool = True, each: int = 1) -> Script:
    """A script that reads so many parts, `each` at a time, thinking before each call, and then answers."""

    def script(n: int, body: Fields) -> Say:
        first = (n - 1) * each + 1
        if first > calls:
            return Say(f"All {calls} parts are read.", thinking="That was the last part." if thinks else "")
        thinking = f"Part {first} comes next." if thinks else ""
        numbers = range(first, min(first + each, calls + 1))
        return Say("", tuple(call_of(number) for number in numbers), thinking)

    return script


def in_turns(calls: int, turns: int) -> Script:
    """A script for so many turns, each with so many calls and an answer."""

    def script(n: int, body: Fields) -> Say:
        turn, step = divmod(n - 1, calls + 1)
        if step == calls or turn >= turns:
            return Say(f"Turn {turn + 1} is done.", thinking="Nothing is left to read in this turn.")
        number = turn * calls + step + 1
        return Say("", (call_of(number),), f"Part {number} comes next.")

    return script
