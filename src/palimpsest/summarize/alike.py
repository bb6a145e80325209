"""Which words are forms of one word: "commit" and "committed", "borres" and "borrar", "şemasına" and "şemasını".

Rules kept here:

- Two words are alike where one begins with the other, or where they begin with the same letters but for two or three
  at their ends. Nothing is known of any language but how German makes participles.
- Short words and pairs of signs are alike where they are the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

SHORT_CHARS = 3
STEM_CHARS = 4
"""Letters that two words have in common at least, and that words are looked up by."""
ENDING_CHARS = 2
"""Letters at the end of the shorter of two words that may differ."""
PARTICIPLE_CHARS, PREFIX_CHARS = 7, 4
LONGER_CHARS = 5
"""A word that goes on for more letters is another one: "use" and "useless"."""


def are_alike(one: str, other: str) -> bool:
    """Whether two words in lower case are forms of one word."""
    one, other = _verb(one), _verb(other)
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < SHORT_CHARS or len(long) - len(short) > LONGER_CHARS:
        return False
    if long.startswith(short):
        return True
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(short))
    return same >= max(STEM_CHARS, len(short) - ENDING_CHARS)


class Known:
    """Words to be asked for in any form, sorted once: `with_forms` sorts them for each question."""

    __slots__ = ("_stems", "_words")

    def __init__(self, words: Collection[str]) -> None:
        self._words = words
        self._stems: dict[str, list[str]] = {}
        for word in words:
            self._stems.setdefault(_verb(word)[:SHORT_CHARS], []).append(word)

    def of(self, words: Iterable[str]) -> set[str]:
        """Those of the words that are known in any form."""
        return {word for word in words if word in self._words or self._is_alike(word)}

    def _is_alike(self, word: str) -> bool:
        return any(are_alike(word, other) for other in self._stems.get(_verb(word)[:SHORT_CHARS], ()))


def with_forms(words: Iterable[str], known: Collection[str]) -> set[str]:
    """Those of the words that are known in any form."""
    return Known(known).of(words)


def _verb(word: str) -> str:
    """A German participle without what makes it one: "startet" of "gestartet", "anhalten" of "angehalten"; any other
    word as it is.
    """
    is_participle = len(word) >= PARTICIPLE_CHARS and word.endswith(("t", "en"))
    at = word.find("ge", 0, PREFIX_CHARS + 2) if is_participle else -1
    return f"{word[:at]}{word[at + 2 :]}" if at == 0 or (at > 1 and len(word) > PARTICIPLE_CHARS) else word
