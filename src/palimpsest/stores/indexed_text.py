"""What is given to the word indexes of every store, as pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable

from palimpsest.record.message import Message, out_of_search
from palimpsest.search.word_folding import RESERVED, spaced
from palimpsest.stores.codec import storable

TOKENIZER = "porter ascii"
"""Words are given folded and apart, so the index has only to stem them."""

HOURS = (1, 24, 24 * 32, 24 * 32 * 32)
LAST_HOUR = 32 * HOURS[-1] - 1
"""Times are indexed by the hour and by longer stretches of hours. What is earlier than 1970 counts as the first hour,
what is later than this one (in 2059) as the last.
"""


NOTHING = f'"{RESERVED}nothing"'
"""What no text fits, as the index takes it."""

TOGETHER = 16
"""Words in one row of ORs."""


def indexed(text: str) -> str:
    """A text as it is given to an index: its words."""
    return spaced(storable(text))


def index_scope(conversation: int, owner: int, message: Message | None = None) -> str:
    """The scope words of an index row: whose it is and, for a message, who said it and when.

    No word of a text begins as they do, so that a query names them, and the words of texts, without saying in which
    column: looking at the column of every word takes SQLite a third longer. What no search finds has none, as it has no
    words: everything but a word is whatever has those of a place.
    """
    if message is not None and out_of_search(message):
        return ""
    place = [f"c{conversation}", f"o{owner}"]
    if message is not None:
        place.append(message.role)
        if message.time_s is not None:
            hour = hour_of(message.time_s)
            place += [f"t{level}x{hour // size}" for level, size in enumerate(HOURS)]
    return " ".join(RESERVED + word for word in place)


def any_scope(words: Iterable[str]) -> str:
    """The index's expression for whatever has any of these scope words."""
    return any_of(RESERVED + word for word in words)


def any_of(phrases: Iterable[str]) -> str:
    """The index's expression for whatever holds any of these phrases, which have no quote in them.

    For every row it finds SQLite looks at every word of a row of ORs, so many words stand in rows of rows; it takes
    nested ones for one row, unless something stands between.
    """
    parts = [f'"{one}"' for one in dict.fromkeys(phrases)]
    if not parts:
        return NOTHING
    many = len(parts) > TOGETHER
    while len(parts) > TOGETHER:
        parts = [
            f"(({' OR '.join(parts[start : start + TOGETHER])}) NOT {NOTHING})"
            for start in range(0, len(parts), TOGETHER)
        ]
    joined = " OR ".join(parts)
    return f"({joined}) NOT {NOTHING}" if many else joined


def hour_of(time_s: float) -> int:
    """The hour that a time lies in, counted from 1970."""
    return int(min(max(time_s, 0.0), LAST_HOUR * 3_600.0) // 3_600) if not math.isnan(time_s) else 0


def hours_between(first: int, end: int) -> list[str]:
    """The fewest scope words that cover the hours from `first` on and before `end`."""
    found: list[str] = []
    while first < end:
        level = max(level for level, size in enumerate(HOURS) if first % size == 0 and first + size <= end)
        found.append(f"t{level}x{first // HOURS[level]}")
        first += HOURS[level]
    return found
