"""Writes the chat's output: the model's words and requested lists to standard output, the rest to standard error.

On a terminal, words are wrapped and a spinner shows that something is awaited. On a pipe, text is written unchanged, so
that programs can read it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.status import Status as Spinner
from rich.text import Text

from palimpsest.cli.chat.display import DIM
from palimpsest.cli.drawing import clean, wrap

MAX_HELD = 200
"""Characters of an unfinished word that are held back; a longer word is shown in parts."""

_WIDEST = 110
_ELAPSED_AFTER_S = 3
_THINKING_STYLE = f"italic {DIM}"
_TAB_CELLS = 4
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_WORD = re.compile(r"\s+|\S+")
_MAYBE_FENCE = re.compile(r"[ \t]*[`~]*")


@dataclass(slots=True)
class Flow:
    """Wraps text that arrives in pieces to lines of `width` cells, 0 for no limit. Words stay whole. Lines of fenced
    code are not wrapped, so that they can be copied.
    """

    width: int = 0
    _column: int = 0
    _held: str = ""
    _fence: str = ""
    _wrapped: bool = False
    _out: list[str] = field(default_factory=list[str])

    def feed(self, text: str) -> str:
        """The text that can be shown now; the last word may be held back."""
        *lines, self._held = (self._held + text).replace("\r\n", "\n").split("\n")
        for line in lines:
            self._put(line)
            self._end_line()
        cut = self._ready()
        if cut:
            ready, self._held = self._held[:cut], self._held[cut:]
            self._put(ready)
        return self._take()

    def finish(self) -> str:
        """The text that was held back, and the end of the current line."""
        self._put(self._held)
        if self._column:
            self._end_line()
        self._held = self._fence = ""
        return self._take()

    @property
    def open(self) -> bool:
        """Whether a line is unfinished or a word is held back."""
        return bool(self._column or self._held)

    def _take(self) -> str:
        out, self._out = "".join(self._out), []
        return out

    def _ready(self) -> int:
        """How many characters of the unfinished line can be shown."""
        held = self._held.removesuffix("\r")
        if not self._column and (_MAYBE_FENCE.fullmatch(held) or (self._fence and _FENCE.match(held))):
            return 0
        if self._fence or len(held) > MAX_HELD or cell_len(held) > len(held):
            return len(held)
        return max(held.rfind(" "), held.rfind("\t")) + 1

    def _put(self, text: str) -> None:
        """Show text without line ends."""
        text = clean(text)
        if not self._column and not self._wrapped:
            fence = _FENCE.match(text)
            if not self._fence:
                self._fence = fence[1] if fence is not None else ""
            elif fence is not None and fence[1].startswith(self._fence) and not text[fence.end() :].strip():
                self._fence = ""
                self._add(text)
                return
        if self._fence:
            self._add(text)
            return
        for word in _WORD.findall(text.expandtabs(_TAB_CELLS) if self.width else text):
            self._put_word(word)

    def _put_word(self, word: str) -> None:
        cells = cell_len(word)
        over = self.width and self._column + cells > self.width
        if word.isspace() and (self._wrapped or over):
            return
        if over and self._column and cells == len(word):
            self._wrap()
        while self.width and self._column + cell_len(word) > self.width:
            head = set_cell_size(word, self.width - self._column).rstrip(" ") or word[: not self._column]
            self._add(head)
            self._wrap()
            word = word[len(head) :]
        self._add(word)

    def _add(self, text: str) -> None:
        if text:
            self._out.append(text)
            self._column += cell_len(text)
            self._wrapped = False

    def _wrap(self) -> None:
        self._end_line()
        self._wrapped = True

    def _end_line(self) -> None:
        self._out.append("\n")
        self._column, self._wrapped = 0, False


@dataclass(frozen=True, slots=True)
class _Waiting:
    """What is awaited, with the elapsed time from the third second on."""

    what: str
    began_s: float = field(default_factory=monotonic)

    def __rich__(self) -> Text:
        waited_s = int(monotonic() - self.began_s)
        elapsed = f" ({waited_s} s)" if waited_s >= _ELAPSED_AFTER_S else ""
        return Text(self.what + elapsed, DIM, no_wrap=True, overflow="ellipsis")


@dataclass(slots=True)
class Screen:
    """The two streams, and the line that is being written. `live`: a person reads the answers on a terminal. While a
    question is being asked (`asking`), there is no spinner.
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
        """The width of a line in cells."""
        return min(self.out.width, _WIDEST) if self.live else 80

    def say(self, text: str) -> None:
        """Write more of the answer."""
        self.still()
        self._end(self.thinking, self.err, _THINKING_STYLE)
        self.words.width = self.width if self.live else 0
        self._write(self.out, self.words.feed(text))

    def think(self, text: str) -> None:
        """Write more of the model's thinking; not on a pipe."""
        if self.live:
            self.still()
            self._end(self.words, self.out)
            self.thinking.width = self.width
            self._write(self.err, self.thinking.feed(text), _THINKING_STYLE)

    def end(self) -> None:
        """End the current line."""
        self.still()
        self._end(self.thinking, self.err, _THINKING_STYLE)
        self._end(self.words, self.out)

    def event(self, *lines: Text) -> None:
        """Write lines about what happens."""
        self.end()
        for line in lines:
            self.err.print(line, soft_wrap=not self.live)

    def note(self, text: str) -> None:
        """Write a dimmed remark."""
        self.event(Text(text, DIM))

    def show(self, lines: Iterable[str | Text]) -> None:
        """Write requested lines; long ones are wrapped on a terminal."""
        self.end()
        for line in lines:
            if isinstance(line, Text) or not self.live:
                self.out.print(line if isinstance(line, Text) else Text(line), soft_wrap=True)
            else:
                for part in wrap(line, self.out.width) or [""]:
                    self.out.print(Text(part), soft_wrap=True)

    def gap(self) -> None:
        """Write an empty line before the prompt; not on a pipe."""
        self.end()
        if self.live:
            self.err.print()

    def wait(self, what: str) -> None:
        """Show a spinner, with the elapsed time, until something is written."""
        idle = self._spinner is None and not self.words.open and not self.asking
        if self.live and self.err.is_terminal and idle:
            self._spinner = self.err.status(_Waiting(what), spinner="dots", spinner_style=DIM)
            self._spinner.start()

    def still(self) -> None:
        """Remove the spinner."""
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None

    def _end(self, text: Flow, console: Console, style: str = "") -> None:
        if text.open:
            self._write(console, text.finish(), style)

    def _write(self, console: Console, text: str, style: str = "") -> None:
        if text:
            console.print(Text(text, style), end="", soft_wrap=True)
            console.file.flush()


def make_screen(*, live: bool) -> Screen:
    """The screen of this process, whose streams `make_output` has prepared."""
    plain = bool(os.environ.get("NO_COLOR"))
    out = Console(no_color=plain, highlight=False, markup=False, emoji=False)
    err = Console(stderr=True, no_color=plain, highlight=False, markup=False, emoji=False)
    return Screen(out, err, live)
