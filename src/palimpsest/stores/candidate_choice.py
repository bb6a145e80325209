"""Which texts are ranked for a question, the same in every store. Pure functions.

For a frequent word only the newest texts are read. Their number is estimated from how close these are together,
because counting them would take longer than everything else.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter

from palimpsest.search.retrieval_candidates import Candidate
from palimpsest.stores.index_terms import indexed

COMMON_HITS = 1_000
"""The newest texts with a word that are read for a question."""

LARGE = 20_000
"""Above this many messages a third as many texts are ranked. Of equally good texts, those whose neighbours also match
are preferred.
"""

MANY = 100_000
"""Above this many messages in the store, two thirds as many texts of a smaller scope are ranked, because finding them
takes longer.
"""

NEIGHBOUR_WEIGHTS = (0.4, 0.2)
"""Weights of the next and the second next message when a text is chosen in a large scope. Adjacent numbers mostly
belong to one conversation.
"""

WIDE_HITS = 2_000
WIDE_SHARE = 4
"""A scope with at least a fourth of all messages is searched together with all others: 2,000 texts of all are found
faster than 1,000 of the scope.
"""

AMONG = 8
"""In a large scope, this many times more texts than are ranked are checked for their scope and their neighbours."""

SUMMARIES_SHARE = 5
"""A fifth as many summaries as messages are ranked: they are long, and the messages below them say the same in full.
"""

MOST_THERE = 20_000
"""The newest texts of a time that are read."""

_ROUNDING = 1e-9

NEAR = 2
"""Messages before and after a text that are read as its neighbours."""


def any_form(forms: Sequence[str]) -> str:
    """Return the index expression for texts with any form of a word."""
    return " OR ".join(f'"{indexed(form).replace(chr(34), " ")}"' for form in forms)


def ranked_count(total: int, limit: int, everything: int) -> int:
    """Return how many of at most `limit` texts are ranked, for a scope of `total` messages in a store of
    `everything`.
    """
    if total > LARGE:
        return max(1, limit // 3)
    return limit if everything <= MANY else max(1, limit * 2 // 3)


def ranked_summaries(most: int) -> int:
    """Return how many summaries are ranked next to this many messages."""
    return -(-most // SUMMARIES_SHARE)


def is_wide(total: int, everything: int) -> bool:
    """Return whether a scope of `total` messages is searched together with all others."""
    return total > LARGE and total * WIDE_SHARE >= everything


def texts_per_word(postings: Sequence[Sequence[int]], total: int, cut: int = COMMON_HITS) -> tuple[int, ...]:
    """Return how many of `total` texts contain each word. For a posting that was cut off after `cut`, older texts are
    assumed to contain the word as often as newer ones.
    """
    newest = max((numbers[0] for numbers in postings if numbers), default=0)
    return tuple(
        len(numbers) if len(numbers) < cut else _estimated(len(numbers), newest, numbers[-1], total)
        for numbers in postings
    )


def _estimated(count: int, newest: int, oldest: int, total: int) -> int:
    return max(count, min(total, count * newest // (newest - oldest + 1)))


def best_candidates(
    postings: Sequence[Sequence[int]], counts: Sequence[int], total: int, limit: int
) -> list[int]:
    """Return the numbers of the texts with the most of a question, weighting rare words more; newest first among
    equals.

    `postings` are the numbers of the texts with each word, `counts` how many of `total` there are.
    """
    return best_of(weights(postings, counts, total, limit), limit)


def candidates_of_scope(
    postings: Sequence[Sequence[int]], counts: Sequence[int], total: int, limit: int
) -> list[int]:
    """Return the numbers of the messages of a scope to rank: the best, or, in a large scope, those whose neighbours
    match best.
    """
    if total <= LARGE:
        return best_candidates(postings, counts, total, limit)
    held = weights(postings, counts, total, limit * AMONG)
    return best_with_neighbours(held, best_of(held, limit * AMONG), limit)


def evenly_spaced(numbers: Sequence[int], limit: int) -> list[int]:
    """Return this many of the numbers, evenly spaced."""
    if len(numbers) <= limit:
        return list(numbers)
    return [numbers[place * len(numbers) // limit] for place in range(limit)]


def weights(
    postings: Sequence[Sequence[int]], counts: Sequence[int], total: int, limit: int
) -> dict[int, float]:
    """Return the weight of each text, for the `limit` best texts and possibly others.

    Rare words are added first. Once the remaining words together weigh less than the last chosen text, no other text
    can be chosen, and only known weights change. This is checked whenever half of the rest is done.
    """
    telling_first = sorted(
        (
            (math.log(1 + (max(total, count) + 0.5) / (count + 0.5)), numbers)
            for numbers, count in zip(postings, counts, strict=True)
        ),
        key=itemgetter(0),
        reverse=True,
    )
    left = sum(weight for weight, _ in telling_first)
    held: dict[int, float] = {}
    settled, due = False, left / 2
    for weight, numbers in telling_first:
        for number in held.keys() & numbers if settled else numbers:
            held[number] = held.get(number, 0.0) + weight
        left -= weight
        if not settled and left <= due and len(held) > limit:
            sure = sum(map((left + _ROUNDING).__lt__, held.values()))
            settled, due = sure >= limit, left / 2
    return held


def best_of(held: Mapping[int, float], limit: int) -> list[int]:
    """Return the numbers of the best texts, newest first among equals.

    Selecting by weight first and sorting only those above the last takes half as long as sorting all by both keys.
    """
    if not held or limit < 1:
        return []
    last = sorted(held.values(), reverse=True)[:limit][-1]
    above = sorted(((value, number) for number, value in held.items() if value > last), reverse=True)
    level = sorted((number for number, value in held.items() if value == last), reverse=True)
    return [number for _, number in above] + level[: limit - len(above)]


def with_neighbours(held: Mapping[int, float], numbers: Collection[int]) -> set[int]:
    """Return these texts and their neighbours that have any weight."""
    found = set(numbers)
    for step in range(1, NEAR + 1):
        found.update([one + step for one in numbers], [one - step for one in numbers])
    return found & held.keys()


def best_with_neighbours(held: Mapping[int, float], numbers: Iterable[int], limit: int) -> list[int]:
    """Return the best of these texts together with their neighbours; newest first among equals."""
    known = held.get
    whole = {
        one: held[one]
        + NEIGHBOUR_WEIGHTS[0] * max(known(one - 1, 0.0), known(one + 1, 0.0))
        + NEIGHBOUR_WEIGHTS[1] * max(known(one - 2, 0.0), known(one + 2, 0.0))
        for one in numbers
    }
    return best_of(whole, limit)


def neighbour_ranges(places: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return (branch, first, last) of the messages around these (branch, position) pairs, merged where they overlap."""
    found: list[tuple[int, int, int]] = []
    for branch, seq in sorted(places):
        first, last = max(1, seq - NEAR), seq + NEAR
        if found and found[-1][0] == branch and first <= found[-1][2] + 1:
            found[-1] = (branch, found[-1][1], last)
        else:
            found.append((branch, first, last))
    return found


def empty_positions(found: Iterable[Candidate]) -> list[tuple[int, int]]:
    """Return the positions of empty messages, which are skipped when neighbours are counted."""
    return [(one.branch, one.seq) for one in found if not one.says_something]


def merged(found: Iterable[Candidate], further: Iterable[Candidate]) -> list[Candidate]:
    """Return messages from two reads without duplicates, in order."""
    places = {(one.branch, one.seq): one for one in (*found, *further)}
    return [places[place] for place in sorted(places)]
