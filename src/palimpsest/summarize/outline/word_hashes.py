"""Words and three-word phrases of a text, as numbers: the units in which need is estimated.

A word is a run of letters, digits and underscores that begins with a letter, a run of digits, or one character of a
script that is written without spaces. Case does not count. A phrase is three words in a row within one text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

CJK = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9d\u0e00-\u0eff\U00020000-\U0003ffff"
"""Han, kana, hangul, and scripts of South East Asia that are written without spaces."""

_ASCII_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
_ANY_WORD = re.compile(rf"[{CJK}]|[0-9]+|(?:(?![{CJK}])[^\W\d])(?:(?![{CJK}])\w)*")

WORD_BITS = 21
MAX_WORDS = 1 << WORD_BITS
"""Different words that are told apart; those beyond all count as one."""


def words(text: str) -> list[str]:
    """The words of a text, in order, in lower case."""
    pattern = _ASCII_WORD if text.isascii() else _ANY_WORD
    return pattern.findall(text.lower())


class _Numbers(dict[str, int]):
    """The number of each word, given when it is first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = min(len(self), MAX_WORDS - 1)
        return number


@dataclass(slots=True)
class Vocabulary:
    """Numbers of words, in the order in which they were first met."""

    numbers: dict[str, int] = field(default_factory=_Numbers)

    def of(self, text: str) -> list[int]:
        """The numbers of a text's words, in order."""
        return list(map(self.numbers.__getitem__, words(text)))


def phrases(numbers: Sequence[int]) -> set[int]:
    """The phrases of a text, each as one number, from the numbers of its words."""
    return {
        (first << 2 * WORD_BITS) | (second << WORD_BITS) | third
        for first, second, third in zip(numbers, numbers[1:], numbers[2:], strict=False)
    }


def words_of(phrase: int) -> tuple[int, int, int]:
    """The numbers of a phrase's words."""
    least = MAX_WORDS - 1
    return phrase >> 2 * WORD_BITS, (phrase >> WORD_BITS) & least, phrase & least
