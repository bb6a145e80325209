"""What a word search means in every store, as pure functions.

Word indexes divide text as FTS5's `unicode61` does and stem English. Where an index finds nothing, the words are looked
for as plain strings in a conversation's newest messages, which finds the inside of an identifier or of a hash.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Sequence

from palimpsest.search.query import Query, segment
from palimpsest.stores.codec import storable

TOKENIZER = "porter unicode61"
MAX_SCANNED_MESSAGES = 20_000
MAX_SCANNED_HITS = 1_000

COMMON_HITS = 1_000
"""Of the texts that hold a word of a question so many are looked at, the newest: a word that more hold tells little."""

NEAR = 2
"""So many messages before and after one are taken for what stands around it."""

_RUN = re.compile(r"[a-z0-9]+")


def indexed(text: str) -> str:
    """A text as it is given to an index."""
    return segment(storable(text))


def expression(query: Query) -> str:
    """The index's expression for a text that holds every word of the query: quoted phrases, so that nothing a person
    types is an operator.
    """
    return " AND ".join(f'"{indexed(word).replace(chr(34), " ")}"' for word in query.words)


def occur_in(query: Query, text: str) -> bool:
    """Whether every word of the query stands in the text as a plain string, case folded."""
    folded = text.casefold()
    return all(word.casefold() in folded for word in query.words)


def longest_run(query: Query) -> str:
    """The longest run of ASCII letters and digits, in lower case, that a text must hold however it is escaped; "" for
    none.
    """
    runs = [run for word in query.words for run in _RUN.findall(word.casefold())]
    return max(runs, key=len, default="")


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
