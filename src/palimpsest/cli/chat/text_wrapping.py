"""Text that comes in pieces, set in lines as it comes. Pure: pieces in, styled pieces out.

Words are kept whole at a line's end. Of Markdown the little that helps the eye is shown by style, and every character
stays as it was sent: headings and **strong** words bold, `code` and fenced blocks in colour. Fenced lines are never
wrapped, so that they can be copied.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rich.cells import cell_len

from palimpsest.cli.text_drawing import clean

CODE_STYLE = "cyan"
STRONG_STYLE = "bold"
MAX_HELD = 200
"""Characters of a word that are waited for; a longer one is shown in parts."""

_TAB_CELLS = 4
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_WORD = re.compile(r"\s+|\S+")
_MARK = re.compile(r"`+|\*\*|[^`*]+|\*")
_UNDECIDED = re.compile(r"[ \t]*[`~#]*")

Pieces = list[tuple[str, str]]


@dataclass(slots=True)
class Flow:
    """Sets text in lines of `width` cells, 0 for lines of any length."""

    width: int = 0
    _column: int = 0
    _held: str = ""
    _fence: str = ""
    _wrapped: bool = False
    _heading: bool = False
    _code: bool = False
    _strong: bool = False
    _out: Pieces = field(default_factory=list[tuple[str, str]])

    def feed(self, text: str) -> Pieces:
        """What can be shown now that `text` has come, as (text, style); the last word may have to wait."""
        *lines, self._held = (self._held + text).replace("\r\n", "\n").split("\n")
        for line in lines:
            self._put(line)
            self._break()
        cut = self._ready()
        if cut:
            ready, self._held = self._held[:cut], self._held[cut:]
            self._put(ready)
        return self._taken()

    def finish(self) -> Pieces:
        """What was still waited for; a line that was begun is ended."""
        self._put(self._held)
        if self._column:
            self._break()
        out = self._taken()
        self._held, self._fence, self._code, self._strong = "", "", False, False
        return out

    @property
    def open(self) -> bool:
        """Whether a line is begun, or a word waited for."""
        return bool(self._column or self._held)

    def _taken(self) -> Pieces:
        out, self._out = self._out, []
        return out

    def _ready(self) -> int:
        """How many characters of the unfinished line can be shown."""
        held = self._held.removesuffix("\r")
        if not self._column and _UNDECIDED.fullmatch(held):
            return 0
        if self._fence:
            return 0 if not self._column and _FENCE.match(held) else len(held)
        if len(held) > MAX_HELD or cell_len(held) > len(held):
            return len(held)
        return max(held.rfind(" "), held.rfind("\t")) + 1

    def _put(self, text: str) -> None:
        """Show text that holds no line's end."""
        text = clean(text)
        if not self._column and not self._wrapped:
            fence = _FENCE.match(text)
            if self._fence:
                self._add(text, CODE_STYLE)
                if fence is not None and fence[1].startswith(self._fence) and not text[fence.end() :].strip():
                    self._fence = ""
                    self._column = self._column or 1
                return
            self._fence = fence[1] if fence is not None else ""
            self._heading = text.lstrip().startswith("#")
        if self._fence:
            self._add(text, CODE_STYLE)
            return
        for word in _WORD.findall(text.expandtabs(_TAB_CELLS) if self.width else text):
            self._put_word(word)

    def _put_word(self, word: str) -> None:
        if word.isspace() and (self._wrapped or (self.width and self._column + len(word) > self.width)):
            return
        parts = [(mark, self._style(mark)) for mark in _MARK.findall(word)]
        cells = cell_len(word)
        if self.width and self._column and self._column + cells > self.width and cells == len(word):
            self._wrap()
        for text, style in parts:
            self._put_part(text, style)

    def _style(self, mark: str) -> str:
        """The style of a part of a word; marks turn it on before them, and off behind them."""
        is_code, is_strong = mark.startswith("`"), mark == "**" and not self._code
        if is_strong:
            self._strong = not self._strong
        code = CODE_STYLE if self._code or is_code else ""
        if is_code:
            self._code = not self._code
        return f"{code} {STRONG_STYLE}".strip() if self._heading or self._strong or is_strong else code

    def _put_part(self, text: str, style: str) -> None:
        """Part of a word; broken wherever the line ends, where it is longer than that."""
        while self.width and self._column + cell_len(text) > self.width:
            head = _head(text, self.width - self._column) or text[: not self._column]
            self._add(head, style)
            self._wrap()
            text = text[len(head) :]
        self._add(text, style)

    def _add(self, text: str, style: str) -> None:
        if text:
            self._out.append((text, style))
            self._column += cell_len(text)
            self._wrapped = False

    def _wrap(self) -> None:
        self._out.append(("\n", ""))
        self._column, self._wrapped = 0, True

    def _break(self) -> None:
        """The end of a line that the text itself has."""
        self._out.append(("\n", ""))
        self._column, self._wrapped, self._code, self._strong = 0, False, False, False


def _head(text: str, cells: int) -> str:
    """As many of the first characters as fit into so many cells."""
    for place, char in enumerate(text):
        cells -= cell_len(char)
        if cells < 0:
            return text[:place]
    return text
