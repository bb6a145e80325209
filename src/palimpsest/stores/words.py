"""What is given to the word indexes of every store, as pure functions, and what a question takes from them."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from palimpsest.record.message import Message
from palimpsest.search.fold import spaced
from palimpsest.stores.codec import storable

TOKENIZER = "porter ascii"
"""Words are given folded and apart, so the index has only to stem them."""

COMMON_HITS = 1_000
"""Of the texts that hold a word of a question so many are looked at, the newest: a word that more hold tells little."""

NEAR = 2
"""So many messages before and after one are taken for what stands around it."""

HOURS = (1, 24, 24 * 32, 24 * 32 * 32)
LAST_HOUR = 64 * HOURS[-1] - 1
"""Times are indexed by the hour and by longer stretches of hours. What is earlier than 1970 counts as the first hour,
what is later than this one as the last.
"""


def indexed(text: str) -> str:
    """A text as it is given to an index: its words."""
    return spaced(storable(text))


def index_scope(conversation: int, owner: int, message: Message | None = None) -> str:
    """The scope words of an index row: whose it is and, for a message, who said it and when."""
    place = [f"c{conversation}", f"o{owner}"]
    if message is not None:
        place.append(message.role)
        if message.time_s is not None:
            hour = hour_of(message.time_s)
            place += [f"t{level}x{hour // size}" for level, size in enumerate(HOURS)]
    return " ".join(place)


def hour_of(time_s: float) -> int:
    """The hour that a time lies in, counted from 1970."""
    return int(min(max(time_s // 3_600, 0), LAST_HOUR)) if not math.isnan(time_s) else 0


def hours_between(first: int, end: int) -> list[str]:
    """The fewest scope words that cover the hours from `first` on and before `end`."""
    found: list[str] = []
    while first < end:
        level = max(level for level, size in enumerate(HOURS) if first % size == 0 and first + size <= end)
        found.append(f"t{level}x{first // HOURS[level]}")
        first += HOURS[level]
    return found


def any_form(forms: Sequence[str]) -> str:
    """The index's expression for a text that holds a word in any of its forms."""
    return " OR ".join(f'"{indexed(form).replace(chr(34), " ")}"' for form in forms)


def telling(postings: Sequence[Sequence[int]], total: int, limit: int) -> list[int]:
    """The numbers of the texts that hold the most of a question, rare words counting more; of equal ones the newest.

    `postings` are the numbers of the texts that hold each word, `total` is how many texts there are.
    """
    held: dict[int, float] = {}
    for numbers in postings:
        weight = math.log(1 + (max(total, len(numbers)) + 0.5) / (len(numbers) + 0.5))
        for number in numbers:
            held[number] = held.get(number, 0.0) + weight
    return heapq.nlargest(limit, held, key=lambda number: (held[number], number))


def stretches(places: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """(branch, first, last) of the messages around these places (branch, position), joined where they meet."""
    found: list[tuple[int, int, int]] = []
    for branch, seq in sorted(places):
        first, last = max(1, seq - NEAR), seq + NEAR
        if found and found[-1][0] == branch and first <= found[-1][2] + 1:
            found[-1] = (branch, found[-1][1], last)
        else:
            found.append((branch, first, last))
    return found
