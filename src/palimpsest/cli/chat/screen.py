"""Where the chat writes: the model's words and what was asked for on standard output, all else on standard error.

On a terminal words are set in lines and coloured, and something moves while there is nothing to read yet; on a pipe
they come out as they are, so that a program can read them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic

from rich.console import Console
from rich.status import Status as Spinner
from rich.style import Style
from rich.text import Text

from palimpsest.cli.chat.event_lines import DIM
from palimpsest.cli.chat.text_wrapping import Flow, Pieces
from palimpsest.cli.text_drawing import clean, wrap

_WIDEST = 110
_TOLD_S = 3
_THINKING_STYLE = f"italic {DIM}"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """What is waited for; from the third second on, how long already."""

    what: str
    began_s: float = field(default_factory=monotonic)

    def __rich__(self) -> Text:
        waited_s = int(monotonic() - self.began_s)
        return Text(
            self.what + (f" ({waited_s} s)" if waited_s >= _TOLD_S else ""),
            DIM,
            no_wrap=True,
            overflow="ellipsis",
        )


@dataclass(slots=True)
class Screen:
    """The two streams, and the line that is being written. `live` says that a person reads the answers as they come;
    nothing moves while a question is being asked (`asking`).
    """

    out: Console
    err: Console
    live: bool
    asking: bool = False
    words: Flow = field(default_factory=Flow)
    thinking: Flow = field(default_factory=Flow)
    _spinner: Spinner | None = None

    @property
    def width(self) -> int:
        """Cells of a line."""
        return min(self.out.width, _WIDEST) if self.live else 80

    def say(self, text: str) -> None:
        """More of the answer."""
        self.still()
        self._end(self.thinking, self.err, _THINKING_STYLE)
        self.words.width = self.width if self.live else 0
        self._write(self.out, self.words.feed(text))

    def think(self, text: str) -> None:
        """More of the model's thinking; a stream gets none of it."""
        if not self.live:
            return
        self.still()
        self._end(self.words, self.out)
        self.thinking.width = self.width
        self._write(self.err, self.thinking.feed(text), _THINKING_STYLE)

    def end(self) -> None:
        """End what is being written, so that the next thing begins on a line of its own."""
        self.still()
        self._end(self.thinking, self.err, _THINKING_STYLE)
        self._end(self.words, self.out)

    def event(self, *lines: Text) -> None:
        """Remarks beside the answer, a line each."""
        self.end()
        for line in lines:
            self.err.print(line, soft_wrap=not self.live)

    def note(self, text: str) -> None:
        """A dimmed remark."""
        self.event(Text(text, DIM))

    def show(self, lines: Iterable[str | Text]) -> None:
        """What was asked for, a line each; long ones are broken on a terminal."""
        self.end()
        for line in lines:
            if isinstance(line, Text) or not self.live:
                self.out.print(line if isinstance(line, Text) else Text(line), soft_wrap=True)
            else:
                for part in wrap(line, self.out.width) or [""]:
                    self.out.print(Text(part), soft_wrap=True)

    def gap(self) -> None:
        """An empty line between what was shown and the prompt; a stream needs none."""
        self.end()
        if self.live:
            self.err.print()

    def wait(self, what: str) -> None:
        """Something moves until the next thing is written, and tells how long that has taken."""
        idle = self._spinner is None and not self.words.open and not self.asking
        if self.live and self.err.is_terminal and idle:
            self._spinner = self.err.status(_Waiting(what), spinner="dots", spinner_style=DIM)
            self._spinner.start()

    def still(self) -> None:
        """Nothing moves."""
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None

    def _end(self, text: Flow, console: Console, style: str = "") -> None:
        if text.open:
            self._write(console, text.finish(), style)

    def _write(self, console: Console, pieces: Pieces, style: str = "") -> None:
        if pieces:
            whole = Text()
            for text, own in pieces:
                whole.append(text, Style.parse(f"{style} {own}".strip()) if style or own else None)
            console.print(whole, end="", soft_wrap=True)
            console.file.flush()


def make_screen(*, live: bool) -> Screen:
    """The screen of this process. Its output was made ready by `make_output`."""
    plain = bool(os.environ.get("NO_COLOR"))
    out = Console(no_color=plain, highlight=False, markup=False, emoji=False)
    err = Console(stderr=True, no_color=plain, highlight=False, markup=False, emoji=False)
    return Screen(out, err, live)


def two_columns(rows: Iterable[tuple[str, str]], width: int, left_cells: int = 22) -> list[str]:
    """Rows of a term and what it means, broken so that they fit; in a narrow terminal the meaning stands below."""
    lines: list[str] = []
    for term, meaning in rows:
        if width < 2 * left_cells + 8:
            lines.append(clean(term))
            lines.extend(f"    {line}" for line in flow_words(meaning, max(10, width - 4)))
            continue
        parts = flow_words(meaning, width - left_cells) or [""]
        lines.append(f"{term:<{left_cells}}{parts[0]}")
        lines.extend(" " * left_cells + part for part in parts[1:])
    return [line.rstrip() for line in lines]


def flow_words(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` cells, broken at blanks."""
    return [line for line in wrap(text, width) if line] if text else []
