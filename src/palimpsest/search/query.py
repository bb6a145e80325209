"""What a pattern asks for. Today: words, all of which must occur; quoted runs of words are one phrase.

Any text is a pattern; nothing in it is an operator of the index. A word such as a path or a hash is looked up as the
phrase of its letter and digit runs, so `src/app/main.py` finds that path and not merely its pieces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palimpsest.errors import UsageError

MAX_PATTERN_CHARS = 2_000
MAX_WORDS = 40

_CJK = (
    r"\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    r"\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_CJK_CHAR = re.compile(f"([{_CJK}])")
_TOKEN = re.compile(r"[^\W_]+")
_PIECES = re.compile(r'"([^"]*)"?|(\S+)')


@dataclass(frozen=True, slots=True)
class Query:
    """Each entry of `words` must occur; `phrases` are the same words as the runs of tokens the index is asked for."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]


def segment(text: str) -> str:
    """Text as it is indexed: each Han, kana or hangul character stands alone, so that any run of them is a phrase.

    Lone surrogates and NUL, which no index takes, become spaces.
    """
    if not text.isascii():
        text = _CJK_CHAR.sub(r" \1 ", text.encode("utf-8", "replace").decode("utf-8"))
    return text.replace("\0", " ")


def tokens(text: str) -> tuple[str, ...]:
    """The letter and digit runs of a text, in order, as the index divides it."""
    return tuple(_TOKEN.findall(segment(text)))


def parse(pattern: str) -> Query:
    """The query a pattern stands for. Raises UsageError for one with nothing to look for, or of unreasonable size."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise UsageError(
            f"the pattern has {len(pattern):,} characters",
            hint=f"give at most {MAX_PATTERN_CHARS:,} characters",
        )
    words: list[str] = []
    phrases: list[tuple[str, ...]] = []
    for quoted, bare in _PIECES.findall(pattern):
        found = tokens(quoted or bare)
        if found and found not in phrases:
            words.append(quoted or bare)
            phrases.append(found)
    if not phrases:
        raise UsageError("the pattern holds no word to look for", hint="give at least one letter or digit")
    if len(phrases) > MAX_WORDS:
        raise UsageError(f"the pattern has {len(phrases)} words", hint=f"give at most {MAX_WORDS}")
    return Query(tuple(words), tuple(phrases))
