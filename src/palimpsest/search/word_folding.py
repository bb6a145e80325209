"""Text as words: how every index and evaluator splits and folds it.

- A word is a run of letters and digits with case and accents folded (Größe and GROSSE are one; so are Arabic and
  Hebrew words with and without vowel signs).
- A character of a script without spaces (Han, kana, hangul, Thai, Lao, Khmer, Burmese) is a word of its own, so any
  run of them is a phrase. It is normalized (ｶﾞ is ガ, ㍿ is 株式会社, jamo are syllables). An emoji is a word too.
- Everything else separates words. A text is its words with one space between them: a phrase is a part of that string
  between spaces, the inside of an identifier any part of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from palimpsest.lazy_regex import later
from palimpsest.search.stemming import porter

MAX_WORD_CHARS = 256
"""A longer run, such as encoded data, is split into words of this many characters."""

MAX_STEMMED_BYTES = 64
"""The word index stems no longer word."""

RESERVED = "\ue000"
"""No word has this character, so an index may use it."""

MOST_REPLACED = 100
"""More different characters of a text are looked up one by one."""

_CACHED_STEMS = 50_000
_SHORT = {"eed": "e", "eeds": "e", "ies": "ie", "sses": "sse"}
"""Words that consist of an ending only, which SQLite stems differently."""

_CJK_RANGES = (
    "\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
SYLLABIC_RANGES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
"""Thai, Lao, Burmese and Khmer: letters, and marks that belong to the one before them."""

_EMOJI_RANGES = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f0ff\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
_EMOJI = later(f"[{_EMOJI_RANGES}]")
_ALONE = later(f"[{_CJK_RANGES}{SYLLABIC_RANGES}{_EMOJI_RANGES}]")
_CJK = later(f"[{_CJK_RANGES}]")
_SYLLABIC = later(f"[{SYLLABIC_RANGES}]")
_LONE = f"[{_CJK_RANGES}{SYLLABIC_RANGES}]"
_UNSPACED_CHAR = later(f"({_LONE})")
_BORDERS = later(f"(?<={_LONE})(?=[^ ])(?!{_LONE})|(?<=[^ ])(?<!{_LONE})(?={_LONE})")
"""Where a script without spaces begins or ends next to another one."""

ACCENTS = later(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]+"
)
"""Ignored marks: accents, vowel signs of Arabic and Hebrew, and invisible joiners, variation selectors and soft
hyphens.
"""

_STROKES = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "þ": "th", "æ": "ae", "œ": "oe"}
)
"""Letters that Unicode does not decompose, although people without the key write others: IĞDIR is Iğdır, Lodz is
Łódź.
"""

_PIECES = "\u3099\u309a\u309f\u30ff\u3190-\u33ff\uff61-\uffdc\U0001f200-\U0001f2ff"
_IN_PIECES = later(f"[{_PIECES}\u1100-\u11ff\u2e80-\u2fdf\u3130-\u318f\uf900-\ufaff\U0002f800-\U0002fa1f]")
"""Characters that are, or form with others, other Han, kana or hangul characters."""

_RUN = later(f"[{_CJK_RANGES}{_PIECES}]+")


def bare(text: str) -> str:
    """Return a text in one case and one form, without accents, fully decomposed."""
    apart = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return ACCENTS.sub("", apart).translate(_STROKES)


def is_emoji(char: str) -> bool:
    """Return whether a character is an emoji, not only a modifier of one."""
    return unicodedata.category(char) == "So" and _EMOJI.match(char) is not None


class _Folded(dict[int, str]):
    """The folded form of each character, computed on first use."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if _CJK.match(char):
            folded = f" {char} " if char.isalnum() else " "
        else:
            between = " " if _SYLLABIC.match(char) else ""
            folded = between.join(["", *(one if _in_word(one) else " " for one in bare(char)), ""])
            if folded.isspace() and is_emoji(char):
                folded = f" {char} "
        self[code] = folded
        return folded


_FOLDED = _Folded()


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char) in {"Mn", "Mc"}


_FOLDED_ASCII = bytes(ord(_FOLDED[code]) for code in range(128)) + bytes(128)
_LINES_ASCII = bytes(ord("\n" if code == 10 else _FOLDED[code]) for code in range(128)) + bytes(
    range(128, 256)
)
"""Folds ASCII, and leaves line ends and the bytes of all other characters."""


class _Plain(dict[str, str]):
    """The plain form of each lower-case character, computed on first use."""

    def __missing__(self, char: str) -> str:
        self[char] = plain = char if _SYLLABIC.match(char) else unicodedata.normalize("NFC", bare(char))
        return plain


class _Apart(dict[str, str]):
    """The same, with a space for separators, and around an emoji."""

    def __missing__(self, char: str) -> str:
        apart = "".join(one if _in_word(one) else " " for one in _PLAIN[char])
        self[char] = apart = f" {char} " if apart.isspace() and is_emoji(char) else apart
        return apart


_PLAIN, _APART = _Plain(), _Apart()


def plain(text: str) -> str:
    """Return a text in lower case and without accents, as the word indexes fold it: Größe is grosse, Café is cafe.
    Scripts without spaces and separators stay unchanged.
    """
    lowered = text.lower()
    return lowered if lowered.isascii() else _replaced(lowered, _PLAIN)


def apart(text: str) -> str:
    """Return a plain text with spaces for separators. Scripts without spaces stay together, separated from adjacent
    words and numbers.
    """
    if text.isascii():
        return text.encode().translate(_FOLDED_ASCII).decode()
    words = _replaced(text.lower(), _APART)
    return _BORDERS.sub(" ", words) if unspaced(words) else words


def _replaced(lowered: str, table: dict[str, str]) -> str:
    """Return a text with each character replaced by the table. Only a few of its different characters change, and
    replacing those one by one takes a fourth of the time of a lookup per character.
    """
    text = unicodedata.normalize("NFC", composed(lowered))
    changed = {char: instead for char in set(text) if (instead := table[char]) != char}
    if len(changed) > MOST_REPLACED:
        return text.translate(str.maketrans(changed))
    for char, instead in changed.items():
        text = text.replace(char, instead)
    return text


def unspaced(text: str) -> bool:
    """Return whether a text has a character that is a word of its own."""
    return _ALONE.search(text) is not None


def composed(text: str, form: Literal["NFC", "NFKC"] = "NFKC") -> str:
    """Return a text with Han, kana and hangul characters in their usual form: syllables for jamo, no separate marks,
    and full width with NFKC. File names and old systems use other forms.
    """
    if text.isascii() or not _IN_PIECES.search(text):
        return text
    return _RUN.sub(lambda run: unicodedata.normalize(form, run[0]), text)


def folded(text: str) -> str:
    """Return the folded words of a text, with spaces between and around them."""
    if text.isascii():
        return f" {text.encode().translate(_FOLDED_ASCII).decode()} "
    return f" {composed(text).translate(_FOLDED)} "


def folded_lines(texts: Iterable[str]) -> str:
    """Return the folded words of texts, each text on a line of its own."""
    lines = [text.replace("\n", " ") if text.isascii() else folded(text) for text in texts]
    return " {} ".format(" \n ".join(lines)).encode().translate(_LINES_ASCII).decode()


def spaced(text: str) -> str:
    """Return the folded words of a text, with one space between them."""
    words = folded(text).split()
    if max(map(len, words), default=0) > MAX_WORD_CHARS:
        words = [
            word[start : start + MAX_WORD_CHARS]
            for word in words
            for start in range(0, len(word), MAX_WORD_CHARS)
        ]
    return " ".join(words)


def segment(text: str) -> str:
    """Return a text with each character of a script without spaces separated, unfolded. Lone surrogates and NUL,
    which no index accepts, become spaces.
    """
    if not text.isascii():
        text = _UNSPACED_CHAR.sub(r" \1 ", text.encode("utf-8", "replace").decode("utf-8"))
    return text.replace("\0", " ")


@lru_cache(maxsize=_CACHED_STEMS)
def index_stem(word: str) -> str:
    """Return the stem under which the word index has a folded word: Porter's stem of its bytes."""
    raw = word.encode("utf-8")
    if not 2 < len(raw) <= MAX_STEMMED_BYTES:
        return word
    stem = _SHORT.get(word) or porter(raw.decode("latin-1"))
    return stem.encode("latin-1").decode("utf-8", "replace")


def stemmed(words: str) -> str:
    """Return spaced words as their stems."""
    return " ".join(map(index_stem, words.split(" "))) if words else ""
