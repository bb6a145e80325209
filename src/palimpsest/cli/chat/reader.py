"""Where the chat's input comes from: a prompt at a terminal (`prompt_editor`), or lines of a stream."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TextIO

from palimpsest.complete.model_adapter import in_thread

MAX_LINE_CHARS = 1_000_000

Fragments = list[tuple[str, str]]
"""(style, text) parts of a line."""


class Reader(Protocol):
    """A source of input."""

    async def read(self) -> str | None:
        """The next input, None at the end. Raises KeyboardInterrupt if the user pressed Ctrl-C."""
        ...

    async def ask(self, question: str) -> str:
        """The answer to a question, "" for none. Raises KeyboardInterrupt."""
        ...

    def changed(self) -> None:
        """The status line has changed."""
        ...


@dataclass(slots=True)
class Shown:
    """What a prompt shows and offers: the status line for a width, and (id, title) of conversations for completion."""

    status: Callable[[int], Fragments]
    conversations: Callable[[], Sequence[tuple[str, str]]]


@dataclass(slots=True)
class LineReader:
    """Reads lines of a stream. A line that ends in a backslash continues in the next one."""

    stream: TextIO | None = None

    async def read(self) -> str | None:
        lines: list[str] = []
        chars = 0
        while True:
            line = await self._line()
            if line is None:
                return "\n".join(lines) if lines else None
            chars += len(line)
            if not continues(line) or chars > MAX_LINE_CHARS:
                return "\n".join([*lines, line])
            lines.append(line[:-1])

    async def ask(self, question: str) -> str:  # noqa: ARG002  (the caller has shown it)
        return (await self._line()) or ""

    def changed(self) -> None:
        return

    async def _line(self) -> str | None:
        stream = self.stream or sys.stdin
        line = await in_thread(stream.readline, (MAX_LINE_CHARS,))
        return line.removesuffix("\n").removesuffix("\r") if isinstance(line, str) and line else None


def continues(line: str) -> bool:
    """Whether a line continues in the next one: it ends in an odd number of backslashes."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1
