"""What the chat reads from: a person at a terminal (`keys`), or lines from anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TextIO

from palimpsest.cli.chat.event_lines import Fragments
from palimpsest.cli.chat.input_parsing import continues
from palimpsest.complete.model_adapter import in_thread

MAX_LINE_CHARS = 1_000_000


class Reader(Protocol):
    """Where a person's words come from."""

    async def read(self) -> str | None:
        """The next line or lines; None at the end. Raises KeyboardInterrupt where the person stopped it."""
        ...

    async def ask(self, question: str) -> str:
        """The answer to a question, "" where there is none. Raises KeyboardInterrupt."""
        ...

    def changed(self) -> None:
        """What is shown beside the prompt is another."""
        ...


@dataclass(slots=True)
class Shown:
    """What a reader shows and offers: the status line for a width, and what a command can be completed by."""

    status: Callable[[int], Fragments]
    conversations: Callable[[], Sequence[tuple[str, str]]]


@dataclass(slots=True)
class LineReader:
    """Reads lines of a stream. One that ends in a backslash goes on in the next."""

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

    async def ask(self, question: str) -> str:  # noqa: ARG002  (whoever asks has shown it)
        return (await self._line()) or ""

    def changed(self) -> None:
        return

    async def _line(self) -> str | None:
        stream = self.stream or sys.stdin
        line = await in_thread(stream.readline, (MAX_LINE_CHARS,))
        return line.removesuffix("\n").removesuffix("\r") if isinstance(line, str) and line else None
