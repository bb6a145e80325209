"""Which texts a question looks at, the same in every store, as pure functions.

A word that many texts hold tells little, so only the newest of them are looked at, and how many there are is estimated
from how close these lie together: an index gives them at once, where counting would take longer than all the rest.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from operator import itemgetter

from palimpsest.stores.words import indexed

COMMON_HITS = 1_000
"""Of the texts that hold a word of a question so many are looked at, the newest."""

LARGE = 20_000
"""Among more messages than that two thirds as many texts are weighed: what holds but one common word tells nothing
there.
"""

WIDE_HITS = 2_000
WIDE_SHARE = 4
"""In a large place that has a fourth of all messages or more, a word is looked for among all of them: so many texts are
found sooner than half as many within the place. Of the best, so many times more than are weighed are looked at for
whether they are of it.
"""

MOST_SUMMARIES = 30
"""So many summaries are weighed: they are long, and the messages under them say the same in full."""

_ROUNDING = 1e-9

NEAR = 2
"""So many messages before and after one are taken for what stands around it."""


def any_form(forms: Sequence[str]) -> str:
    """The index's expression for a text that holds a word in any of its forms."""
    return " OR ".join(f'"{indexed(form).replace(chr(34), " ")}"' for form in forms)


def weighed(total: int, limit: int) -> int:
    """How many of at most `limit` texts are weighed, among `total`."""
    return limit if total <= LARGE else max(1, limit * 2 // 3)


def is_wide(total: int, everything: int) -> bool:
    """Whether a place with `total` of all messages is looked at with all others."""
    return total > LARGE and total * WIDE_SHARE >= everything


def holding(postings: Sequence[Sequence[int]], total: int, cut: int = COMMON_HITS) -> tuple[int, ...]:
    """How many of `total` texts hold each word. Where its posting, newest first, was cut off, after `cut`, older texts
    are taken to hold it as often as newer ones.
    """
    newest = max((numbers[0] for numbers in postings if numbers), default=0)
    return tuple(
        len(numbers) if len(numbers) < cut else _estimated(len(numbers), newest, numbers[-1], total)
        for numbers in postings
    )


def _estimated(count: int, newest: int, oldest: int, total: int) -> int:
    return max(count, min(total, count * newest // (newest - oldest + 1)))


def telling(postings: Sequence[Sequence[int]], counts: Sequence[int], total: int, limit: int) -> list[int]:
    """The numbers of the texts that hold the most of a question, rare words counting more; of equal ones the newest.

    `postings` are the numbers of the texts that hold each word, `counts` how many there are of `total`. Rare words
    come first: once the words that are left weigh less together than the last text that would be chosen, no other text
    can be, and only the weights of those known are added to.
    """
    weights = [math.log(1 + (max(total, count) + 0.5) / (count + 0.5)) for count in counts]
    left = sum(weights)
    held: dict[int, float] = {}
    settled = False
    for weight, numbers in sorted(zip(weights, postings, strict=True), key=itemgetter(0), reverse=True):
        for number in held.keys() & numbers if settled else numbers:
            held[number] = held.get(number, 0.0) + weight
        left -= weight
        if not settled and len(held) > limit > 0:
            settled = sorted(held.values())[-limit] > left + _ROUNDING
    best = heapq.nlargest(limit, zip(held.values(), held, strict=True))
    return [number for _, number in best]


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
