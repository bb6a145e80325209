"""Whether texts state the figures and names of a line, so that the line can come from them.

Rules kept here:

- A line of prose tells one thing: a figure or a name of it that stands nowhere in the texts was heard elsewhere. A row
  of names tells as many things as it has names: the texts state it if they have one of them.
- A word with figures ("m0") is known as a whole, a number by what it comes to, in figures or in words: 18,412 is 18412.
  Of a path its last part has to be known, of any other name all parts.
- A number that its line reckons, that was rounded, or that counts what the texts may well have so many of, is theirs.
  It counts nothing where the texts number things with the word before it: "Step 4".
- What a summary puts beside what it says is no figure of a line: its place in a list, how often a command ran, a
  placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from palimpsest.patterns import later
from palimpsest.summarize.audit.numbers.numerals import FIGURES, figures, readings, values
from palimpsest.summarize.audit.numbers.quantities import is_derived, is_same, quantities, to_figures
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.secrets.places import PLACEHOLDER
from palimpsest.summarize.sections import parse_names
from palimpsest.summarize.spoken.numerals import in_digits

LEAST_ROUNDED = 1_000
"""Whole numbers from here on are rounded; smaller ones number things."""
ROW_NAMES = 2
"""So many names, and nothing else, are a row of names."""

_BESIDE = later(r"^\s*(?:[-*•]\s+)?(?:\d{1,3}[.)]\s+)?|\(x\d{1,5}(?:, \d{1,5} failed)?\)")
_WORD = later(r"[A-Za-z]+[0-9][A-Za-z0-9]*|[0-9]+[A-Za-z0-9]*|[A-Za-z]+")
_NUMBERED = later(r"(?P<word>[^\W\d_]{1,40})[ #:№-]{0,3}(?=[0-9])")
_NUMBERS_IT = later(r"(?P<word>[^\W\d_]{1,40})[ #:№-]{0,3}\Z")
BEFORE_CHARS = 44
"""What stands before a number, in which its word is."""
_NUMBER = later(rf"(?<![A-Za-z0-9_.,])(?P<raw>{FIGURES})")
_MEASURED = later(r"[0-9]+[A-Za-z]{0,4}")
_SHARE = later(r"^\s?%")
_LAST_PART = later(r"[^/\\]+[/\\]*$")


class Texts:
    """Texts in order, and the words, numbers and names for things in them, found when they are first asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of letters and figures, small."""
        return frozenset(word.lower() for text in self._texts for word in _WORD.findall(text))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """What their numbers come to, in figures or in words."""
        plain = (_WORD.sub(_without_code, text) for text in self._texts)
        return frozenset(one for text in plain for one in (*values(text), *figures(in_digits(text))))

    @cached_property
    def sizes(self) -> frozenset[float]:
        """What their numbers with units come to."""
        return frozenset(one.size for text in self._texts for one in quantities(text))

    @cached_property
    def numbering(self) -> frozenset[str]:
        """The words that a number stands behind."""
        return frozenset(_end_of(one["word"]) for text in self._texts for one in _NUMBERED.finditer(text))

    def state(self, line: str) -> bool:
        """Whether each figure and each name of a line stands in one of the texts; of a row of names, any."""
        line = _BESIDE.sub(" ", PLACEHOLDER.sub(" ", line))
        row = [name for _, name in parse_names(line)] if ": " in line else []
        if len(row) >= ROW_NAMES and all(map(_has_figure, {*row}.difference(_names(line)))):
            return any(map(self._has, row))
        return all(map(self._has, _names(line))) and self._counts(line)

    def _has(self, name: str) -> bool:
        if _NUMBER.fullmatch(name):
            return not self.numbers.isdisjoint(readings(name))
        part = _LAST_PART.search(name)
        words = _WORD.findall(part[0] if part and "://" not in name else name)
        return all(map(self._knows, words))

    def _knows(self, word: str) -> bool:
        """Whether a word stands in the texts; a version also without its letter, or with it."""
        small = word.lower()
        return not {small, small.removeprefix("v"), f"v{small}"}.isdisjoint(self.words)

    def _counts(self, line: str) -> bool:
        """Whether each figure of a line that is in no name of it stands in the texts, or comes of what does."""
        rest = line
        for name in sorted(_names(line), key=len, reverse=True):
            rest = rest.replace(name, " ")
        mixed = (word for word in _WORD.findall(rest) if word[0].isalpha() and _has_figure(word))
        return all(map(self._knows, mixed)) and all(
            self._comes_to(match, line) for match in _NUMBER.finditer(rest)
        )

    def _comes_to(self, match: re.Match[str], line: str) -> bool:
        said = readings(match["raw"])
        if not self.numbers.isdisjoint(said) or is_derived(_shared(match), line):
            return True
        if any(one.said.startswith(match["raw"]) and self._has_size(one.size) for one in quantities(line)):
            return True
        if any(self._is_rounded(one, match["raw"]) for one in said):
            return True
        before = _NUMBERS_IT.search(match.string[max(0, match.start() - BEFORE_CHARS) : match.start()])
        if before and _end_of(before["word"]) in self.numbering:
            return False
        return any(one.is_integer() and 1 < one <= len(self._texts) for one in said)

    def _has_size(self, size: float) -> bool:
        return any(is_same(size, other) for other in self.sizes)

    def _is_rounded(self, number: float, raw: str) -> bool:
        kept = len(re.sub(r"\D", "", raw).strip("0")) or 1
        return number != 0 and any(
            (other >= LEAST_ROUNDED or not other.is_integer()) and to_figures(other, kept) == number
            for other in self.numbers
            if other > 0
        )


def _names(line: str) -> Iterator[str]:
    yield from find_paths(line)
    yield from (name for _, name in find_names(line))


def _without_code(match: re.Match[str]) -> str:
    """A word, unless it is made of letters and figures and no number with its unit."""
    return match[0] if match[0].isalpha() or _MEASURED.fullmatch(match[0]) else " "


def _shared(match: re.Match[str]) -> str:
    """A number with the sign of a share behind it."""
    return match[0] + "".join(_SHARE.findall(match.string[match.end() : match.end() + 2])[:1])


def _has_figure(word: str) -> bool:
    return any(map(str.isdecimal, word))


def _end_of(word: str) -> str:
    """A word, small; of what a script without spaces writes in one, its last sign."""
    return word[-1] if "\u2e80" <= word[-1] <= "\ud7ff" else word.lower()
