"""Cutting texts between characters, between words, and to a number of tokens.

- Half a path or half an id would be a wrong one, so a cut moves to the end of a word if that is near. In scripts
  without spaces every character ends one.
- A cut never splits what is drawn as one character: a letter and its combining marks, an emoji and its modifiers, the
  halves of a surrogate pair, CR and LF. The search is bounded, since a text may consist of nothing but marks.
- A token limit is checked by counting the text that is returned. Token counts are not quite monotone: one more letter
  can complete a word that is a single token. So the counts of parts are never added up.
- Half a surrogate pair cannot be stored as UTF-8. `clean` joins or replaces it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from palimpsest.lazy_regex import later

Count = Callable[[str], int]

ELLIPSIS = "…"
MAX_WALK = 256
"""How far a cut moves to the border of a character."""
MAX_CHARS_PER_TOKEN = 16
"""At most this many characters for each token of a limit are counted."""
MAX_WORD = 100
"""How far a cut moves to the end of a word."""
PROPORTIONAL_CUTS = 8
"""Cuts in proportion to the excess, before the size is halved each time."""

_STOP = later(r"[.!?;:][\"')\]]{0,2}\s+|[。！？；：]\s*|\n\s*")
"""What separates two sentences."""
_COMMA = later(r"[,，、]\s*")
_SURROGATE = later("[\ud800-\udfff]")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3")


def clean(text: str) -> str:
    """`text` with surrogate pairs joined, halves of pairs replaced by U+FFFD, and NULs removed."""
    if not text.isascii() and _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "")


def safe_end(text: str, index: int) -> int:
    """The largest border at or before `index`, so that `text[:border]` ends with a whole character."""
    if not 0 < index < len(text):
        return max(0, min(index, len(text)))
    for border in range(index, max(0, index - MAX_WALK), -1):
        if not _joined(text[border - 1], text[border]):
            return border
    return max(0, index - MAX_WALK) if index <= MAX_WALK else index


def safe_start(text: str, index: int) -> int:
    """The smallest border at or after `index`, so that `text[border:]` starts with a whole character."""
    if not 0 < index < len(text):
        return max(0, min(index, len(text)))
    for border in range(index, min(len(text), index + MAX_WALK)):
        if not _joined(text[border - 1], text[border]):
            return border
    return len(text) if len(text) - index <= MAX_WALK else index


def word_end(text: str, index: int) -> int:
    """The end of the last whole word at or before `index`; `safe_end` where the word is too long."""
    if not _splits_word(text, index):
        return safe_end(text, index)
    for border in range(index - 1, max(index // 2, index - MAX_WORD), -1):
        if not _splits_word(text, border):
            return safe_end(text, border)
    return safe_end(text, index)


def word_start(text: str, index: int) -> int:
    """The beginning of the first whole word at or after `index`; `safe_start` where the word is too long."""
    if not _splits_word(text, index):
        return safe_start(text, index)
    for border in range(index + 1, min((index + len(text)) // 2, index + MAX_WORD)):
        if not _splits_word(text, border):
            return safe_start(text, border)
    return safe_start(text, index)


def _splits_word(text: str, index: int) -> bool:
    """Whether a cut here would split a word: visible ASCII characters on both sides."""
    return 0 < index < len(text) and all("!" <= sign <= "~" for sign in text[index - 1 : index + 1])


def _joined(before: str, after: str) -> bool:
    if after.isascii():
        return before == "\r" and after == "\n"
    if after in _JOINERS or before == "\u200d" or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    flags = "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff"
    return flags or "\U0001f3fb" <= after <= "\U0001f3ff" or "\u1160" <= after <= "\u11ff"


def clip(text: str, max_chars: int) -> str:
    """`text`, or its first `max_chars` characters, of which the last is an ellipsis."""
    if len(text) <= max_chars:
        return text
    return text[: safe_end(text, max(0, max_chars - 1))].rstrip() + ELLIPSIS


def clip_words(text: str, max_chars: int) -> str:
    """`clip`, but between two words."""
    if len(text) <= max_chars:
        return text
    return text[: word_end(text, max(0, max_chars - 1))].rstrip() + ELLIPSIS


def shorten(text: str, head_chars: int, tail_chars: int) -> str:
    """The beginning and the end of `text` around a line that says how much is left out; `text` if that is short."""
    if len(text) <= head_chars + tail_chars + 40:
        return text
    head = safe_end(text, head_chars)
    tail = safe_start(text, len(text) - tail_chars) if tail_chars else len(text)
    return f"{text[:head]}\n[{tail - head} characters left out]\n{text[tail:]}"


def fit(make: Callable[[int], str], size: int, limit_tokens: int, count: Count) -> str:
    """The text `make(n)` with fewer than `limit_tokens` tokens, for the first such n from `size` downwards.

    `make(n)` returns a text of about n characters. The result is "" where not even `make(0)` is below the limit.
    """
    size = max(0, min(size, limit_tokens * MAX_CHARS_PER_TOKEN))
    for cuts in range(PROPORTIONAL_CUTS + size.bit_length() + 1):
        text = make(size)
        tokens = count(text)
        if tokens < limit_tokens:
            return text
        if size == 0:
            break
        size = size * max(0, limit_tokens - 1) // tokens if cuts < PROPORTIONAL_CUTS else size // 2
    return ""


def fit_prefix(text: str, limit_tokens: int, count: Count) -> str:
    """As much of the beginning of `text` as has fewer than `limit_tokens` tokens, with an ellipsis where it is cut."""

    def make(size: int) -> str:
        return clip_words(text, size) if size else ""

    return fit(make, len(text), limit_tokens, count)


def fit_ends(text: str, limit_tokens: int, count: Count) -> str:
    """`text`, or its two ends around an ellipsis, two thirds and one third, in fewer than `limit_tokens` tokens.

    The second end begins with a sentence or a line, or after a comma; otherwise it is left out.
    """

    def make(size: int) -> str:
        if size >= len(text) or not size:
            return text[:size]
        least = len(text) - size // 3
        stop = _STOP.search(text, least, len(text) - 1) or _COMMA.search(text, least)
        rest = text[stop.end() :] if stop else ""
        head = text[: word_end(text, size - len(rest))].rstrip()
        return f"{head} {ELLIPSIS} {rest}".rstrip()

    return fit(make, len(text), limit_tokens, count)
