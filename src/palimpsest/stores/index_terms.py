"""The words and scopes that the indexes of a store hold, and the expressions that query them. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable

from palimpsest.record.message import Message, out_of_search
from palimpsest.search.word_folding import RESERVED, spaced
from palimpsest.stores.codec import storable

TOKENIZER = "porter ascii"
"""The index gets folded, separated words, so it only has to stem them."""

HOURS = (1, 24, 24 * 32, 24 * 32 * 32)
LAST_HOUR = 32 * HOURS[-1] - 1
"""Times are indexed by the hour and by longer ranges of hours. Times before 1970 count as the first hour, later ones
than this (in 2059) as the last.
"""


NOTHING = f'"{RESERVED}nothing"'
"""An index expression that matches nothing."""

TOGETHER = 16
"""Words in one row of ORs."""


def indexed(text: str) -> str:
    """Return a text as it is indexed: its words."""
    return spaced(storable(text))


def index_scope(conversation: int, owner: int, message: Message | None = None) -> str:
    """Return the scope words of an index row: whose it is and, for a message, who said it and when.

    They begin with a character that no word has, so a query needs no column filter, which takes SQLite a third
    longer. Excluded texts have no scope words; NOT queries match whatever has those of the scope.
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
    """Return the index expression for rows with any of these scope words."""
    return any_of(RESERVED + word for word in words)


def any_of(phrases: Iterable[str]) -> str:
    """Return the index expression for rows with any of these phrases, which contain no quote.

    For every row found, SQLite checks every word of a row of ORs, so many words are nested in groups. It flattens
    nested groups unless something is between them.
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
    """Return the hour of a time, counted from 1970."""
    return int(min(max(time_s, 0.0), LAST_HOUR * 3_600.0) // 3_600) if not math.isnan(time_s) else 0


def hours_between(first: int, end: int) -> list[str]:
    """Return the fewest scope words that cover the hours from `first` to before `end`."""
    found: list[str] = []
    while first < end:
        level = max(level for level, size in enumerate(HOURS) if first % size == 0 and first + size <= end)
        found.append(f"t{level}x{first // HOURS[level]}")
        first += HOURS[level]
    return found
