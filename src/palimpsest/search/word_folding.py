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
"""A longer run, such as encoded data, is divided into words of so many characters."""

MAX_STEMMED_BYTES = 64
"""The word index stems no longer word."""

RESERVED = "\ue000"
"""No word holds this character, so that an index may mean something by it."""

MOST_REPLACED = 100
"""More different characters of a text are looked up one by one."""

_CACHED_STEMS = 50_000
_SHORT = {"eed": "e", "eeds": "e", "ies": "ie", "sses": "sse"}
"""Words that are nothing but an ending, which SQLite stems otherwise."""

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
"""Where a script without spaces begins or ends beside another one."""

ACCENTS = later(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]+"
)
"""Marks that do not count: accents, the vowel signs of Arabic and Hebrew, and what is not seen but picks the form of a
character, joins two or keeps them apart, or says where a word may be broken.
"""

_STROKES = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "þ": "th", "æ": "ae", "œ": "oe"}
)
"""Letters that Unicode takes apart no further, though who has no key for them writes others: IĞDIR is Iğdır, Lodz is
Łódź.
"""

_PIECES = "\u3099\u309a\u309f\u30ff\u3190-\u33ff\uff61-\uffdc\U0001f200-\U0001f2ff"
_IN_PIECES = later(f"[{_PIECES}\u1100-\u11ff\u2e80-\u2fdf\u3130-\u318f\uf900-\ufaff\U0002f800-\U0002fa1f]")
"""Characters that are, or make with others, other Han, kana or hangul characters."""

_RUN = later(f"[{_CJK_RANGES}{_PIECES}]+")


def bare(text: str) -> str:
    """A text in one case and one form, without accents, its characters taken apart as far as they can be."""
    apart = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return ACCENTS.sub("", apart).translate(_STROKES)


def is_emoji(char: str) -> bool:
    """Whether a character is an emoji, not what only colours one."""
    return unicodedata.category(char) == "So" and _EMOJI.match(char) is not None


class _Folded(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

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
"""Folds what is ASCII, and leaves the ends of lines and the bytes of all other characters."""


class _Plain(dict[str, str]):
    """What each character in lower case becomes by itself, worked out when it is first met."""

    def __missing__(self, char: str) -> str:
        self[char] = plain = char if _SYLLABIC.match(char) else unicodedata.normalize("NFC", bare(char))
        return plain


class _Apart(dict[str, str]):
    """The same, with a space for whatever is no letter or digit, and around an emoji."""

    def __missing__(self, char: str) -> str:
        apart = "".join(one if _in_word(one) else " " for one in _PLAIN[char])
        self[char] = apart = f" {char} " if apart.isspace() and is_emoji(char) else apart
        return apart


_PLAIN, _APART = _Plain(), _Apart()


def plain(text: str) -> str:
    """A text in lower case and without accents, as the word indexes fold it: Größe is grosse, Café is cafe. What
    scripts without spaces write, and what stands between words, stays as it is.
    """
    lowered = text.lower()
    return lowered if lowered.isascii() else _replaced(lowered, _PLAIN)


def apart(text: str) -> str:
    """A plain text with spaces for what stands between words. What scripts without spaces write stands together, apart
    from the words and numbers of others beside it.
    """
    if text.isascii():
        return text.encode().translate(_FOLDED_ASCII).decode()
    words = _replaced(text.lower(), _APART)
    return _BORDERS.sub(" ", words) if unspaced(words) else words


def _replaced(lowered: str, table: dict[str, str]) -> str:
    """A text with each character as the table has it. Few of its different characters become others, and to replace
    these one by one takes a fourth of the time that looking up every character takes.
    """
    text = unicodedata.normalize("NFC", composed(lowered))
    changed = {char: instead for char in set(text) if (instead := table[char]) != char}
    if len(changed) > MOST_REPLACED:
        return text.translate(str.maketrans(changed))
    for char, instead in changed.items():
        text = text.replace(char, instead)
    return text


def unspaced(text: str) -> bool:
    """Whether a text has a character that is a word of its own."""
    return _ALONE.search(text) is not None


def composed(text: str, form: Literal["NFC", "NFKC"] = "NFKC") -> str:
    """A text with Han, kana and hangul characters as they are mostly written: syllables for jamo, no marks that stand
    apart, with NFKC in full width, too. Names of files and what old systems wrote have the other forms.
    """
    if text.isascii() or not _IN_PIECES.search(text):
        return text
    return _RUN.sub(lambda run: unicodedata.normalize(form, run[0]), text)


def folded(text: str) -> str:
    """The words of a text, folded, with spaces between and around them."""
    if text.isascii():
        return f" {text.encode().translate(_FOLDED_ASCII).decode()} "
    return f" {composed(text).translate(_FOLDED)} "


def folded_lines(texts: Iterable[str]) -> str:
    """The words of texts, folded as `folded` does, each text on a line of its own."""
    lines = [text.replace("\n", " ") if text.isascii() else folded(text) for text in texts]
    return " {} ".format(" \n ".join(lines)).encode().translate(_LINES_ASCII).decode()


def spaced(text: str) -> str:
    """The words of a text, folded, with one space between them."""
    words = folded(text).split()
    if max(map(len, words), default=0) > MAX_WORD_CHARS:
        words = [
            word[start : start + MAX_WORD_CHARS]
            for word in words
            for start in range(0, len(word), MAX_WORD_CHARS)
        ]
    return " ".join(words)


def segment(text: str) -> str:
    """Text with each character of a script without spaces standing alone, nothing folded. Lone surrogates and NUL,
    which no index takes, become spaces.
    """
    if not text.isascii():
        text = _UNSPACED_CHAR.sub(r" \1 ", text.encode("utf-8", "replace").decode("utf-8"))
    return text.replace("\0", " ")


@lru_cache(maxsize=_CACHED_STEMS)
def index_stem(word: str) -> str:
    """The one form under which the word index keeps a folded word: Porter's stem of its bytes."""
    raw = word.encode("utf-8")
    if not 2 < len(raw) <= MAX_STEMMED_BYTES:
        return word
    stem = _SHORT.get(word) or porter(raw.decode("latin-1"))
    return stem.encode("latin-1").decode("utf-8", "replace")


def stemmed(words: str) -> str:
    """Each of spaced words as its stem."""
    return " ".join(map(index_stem, words.split(" "))) if words else ""
