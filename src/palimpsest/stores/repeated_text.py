"""What a short text repeats of others, as pure functions: words and numbers, whatever separators stand in them.

Texts are compared as the indexes have them (`search.fold`): without case, accents and punctuation. `030-1234567` and
`0301234567` are one, and so are `correct horse` and `correcthorse`. What a word means does not matter, nor how common
it is: whether it tells anything is decided by who else says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from palimpsest.search.word_folding import unspaced
from palimpsest.stores.indexed_text import indexed

MAX_GROUPS = 12
"""So many groups of digits in a row may be one number: a card, an account, a time."""

MAX_RUN = 5
"""So many characters of a script without spaces in a row are compared as one."""

_LEAST_CHARS = 2


@dataclass(frozen=True, slots=True)
class _Words:
    """A text as the index has it, with a space around each word; and without any."""

    spaced: str
    joined: str

    @classmethod
    def of(cls, text: str) -> _Words:
        words = indexed(text)
        return cls(f" {words} ", words.replace(" ", ""))

    def hold(self, unit: str) -> bool:
        """Whether the text has this word, or words in a row that make it."""
        if unit not in self.joined:
            return False
        if f" {unit} " in self.spaced:
            return True
        return re.search(f" {' ?'.join(map(re.escape, unit))} ", self.spaced) is not None


def shared_units(text: str, others: Iterable[str]) -> set[str]:
    """The words and numbers of a text that stand in any of the others, without what separates their parts. A single
    character is none.
    """
    mine = _Words.of(text)
    units = _units(text, mine.spaced)
    found: set[str] = set()
    for other in others:
        theirs = _Words.of(other)
        found |= {one for one in units - found if theirs.hold(one)}
        words = {one for one in theirs.spaced.split() if len(one) >= _LEAST_CHARS}
        found |= {one for one in words - found if mine.hold(one)}
    return found


def unsaid(units: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Those of these words and numbers that stand in none of the texts."""
    left = set(units)
    for text in texts:
        if not left:
            break
        words = _Words.of(text)
        left = {one for one in left if not words.hold(one)}
    return left


def _units(text: str, words: str) -> set[str]:
    """What a text may repeat: its words, what stands between its blanks (an address, a path), numbers that are written
    in groups, and characters in a row where a script sets no spaces.
    """
    found = set(words.split())
    found.update(indexed(chunk).replace(" ", "") for chunk in text.split())
    for kind, group in groupby(words.split(), _kind):
        run = list(group)
        most = MAX_GROUPS if kind == "digits" else MAX_RUN
        for start in range(len(run) if kind else 0):
            found.update("".join(run[start : start + size]) for size in range(2, most + 1))
    return {one for one in found if len(one) >= _LEAST_CHARS}


def _kind(word: str) -> str:
    if word.isdigit():
        return "digits"
    return "unspaced" if len(word) == 1 and unspaced(word) else ""
