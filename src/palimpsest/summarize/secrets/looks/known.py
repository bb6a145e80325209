"""Secrets that are known, wherever they stand: whether one can be mistaken for ordinary text, and how others write it.

Rules kept here:

- A short word or number is left alone outside of the places that name it. A longer word is replaced everywhere, too,
  unless the text of a conversation often uses it otherwise: then it is a word of its subject.
- Words that hyphens join were drawn by lot: four or more, or three that are not short.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import quote

from palimpsest.patterns import later

WORD_CHARS = 8
"""A word shorter than this is replaced only where it was found."""
LETTERS = 12
"""So many letters alone cannot be mistaken where capitals stand among them as in no name."""
MAX_FORMED_CHARS = 200
_COUNTING = "01234567890123456789 9876543210"
_WORD = re.compile(r"[^\W_]+")
_PIECE = later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLAIN = later(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_DRAWN = later(r"[^\W\d_]{3,}(?:-[^\W\d_]{3,}){3,}|[^\W\d_]{4,}(?:-[^\W\d_]{4,}){2}")
_LETTER, _DIGIT, _SIGN = later(r"[^\W\d_]"), later(r"\d"), later(r"[!@#$%^&*?+/=~_-]")

Span = tuple[int, int]


def is_telling(secret: str) -> bool:
    """Whether a secret cannot be mistaken for ordinary text."""
    if secret.isdecimal():
        return len(secret) >= 6 and len(set(secret)) > 2 and secret not in _COUNTING
    if len(secret) >= LETTERS and secret.isalpha() and secret.isascii():
        return len(secret) <= 3.5 * len(_PIECE.findall(secret))
    if len(secret) >= WORD_CHARS:
        return (
            bool(_DRAWN.fullmatch(secret))
            or bool(_DIGIT.search(secret) and _LETTER.search(secret))
            or bool(_SIGN.search(secret) and not _PLAIN.fullmatch(secret))
        )
    return len(secret) >= 6 and bool(_DIGIT.search(secret) and _LETTER.search(secret))


def is_word(secret: str) -> bool:
    """Whether a secret could be a word, and is long enough to be none that every text has."""
    return len(secret) >= WORD_CHARS and secret.isalpha() and not is_telling(secret)


def forms_of(secret: str) -> Iterator[str]:
    """How a secret is written in addresses, in JSON text and in base64, where that is not as it is."""
    if len(secret) <= MAX_FORMED_CHARS:
        forms = (
            quote(secret, safe=""),
            json.dumps(secret)[1:-1],
            b64encode(secret.encode("utf-8", "replace")).decode(),
        )
        yield from (form for form in dict.fromkeys(forms) if form != secret)


def words_of(text: str) -> set[str]:
    """The runs of letters and digits of a text, and "", which stands in every text."""
    return {"", *_WORD.findall(text)}


def longest_word(secret: str) -> str:
    """The longest of a secret's words; it is a word of whatever text `places_of` finds the secret in."""
    return max(_WORD.findall(secret), key=len, default="")


def places_of(text: str, secret: str) -> Iterator[Span]:
    """Where a known secret stands in a text, apart from what only begins or ends like it."""
    at = text.find(secret)
    while at >= 0:
        end = at + len(secret)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() and secret[0].isalnum()) and not (after.isalnum() and secret[-1].isalnum()):
            yield at, end
        at = text.find(secret, end)
