"""Which texts a question looks at, the same in every store, as pure functions.

A word that many texts hold tells little, so only the newest of them are looked at, and how many there are is estimated
from how close these lie together: an index gives them at once, where counting would take longer than all the rest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter

from palimpsest.search.retrieval_candidates import Candidate
from palimpsest.stores.indexed_text import indexed

COMMON_HITS = 1_000
"""Of the texts that hold a word of a question so many are looked at, the newest."""

LARGE = 20_000
"""Among more messages than that a third as many texts are weighed: what holds but one common word tells nothing
there, and of what holds as much as others, what has more of the question beside it is where that was spoken of.
"""

MANY = 100_000
"""Where a store has more messages than that, finding them takes longer, and of a smaller place two thirds as many are
weighed.
"""

BESIDE = (0.4, 0.2)
"""What the message beside one counts for, and the one behind that, when it is chosen in a large place. Messages with
neighbouring numbers were appended one after another: mostly in one conversation.
"""

WIDE_HITS = 2_000
WIDE_SHARE = 4
"""In a large place that has a fourth of all messages or more, a word is looked for among all of them: so many texts are
found sooner than half as many within the place.
"""

AMONG = 8
"""In a large place so many times more texts than are weighed are looked at for whether they are of it, and for what
stands beside them.
"""

SUMMARIES_SHARE = 5
"""Of summaries a fifth as many are weighed as of messages: they are long, and the messages under them say the same in
full.
"""

MOST_THERE = 20_000
"""Of what was said at a time so many are looked at, the newest."""

_ROUNDING = 1e-9

NEAR = 2
"""So many messages before and after one are taken for what stands around it."""


def any_form(forms: Sequence[str]) -> str:
    """The index's expression for a text that holds a word in any of its forms."""
    return " OR ".join(f'"{indexed(form).replace(chr(34), " ")}"' for form in forms)


def weighed(total: int, limit: int, everything: int) -> int:
    """How many of at most `limit` texts are weighed, among `total` of a store that has `everything`."""
    if total > LARGE:
        return max(1, limit // 3)
    return limit if everything <= MANY else max(1, limit * 2 // 3)


def summaries_weighed(most: int) -> int:
    """How many summaries are weighed beside so many messages."""
    return -(-most // SUMMARIES_SHARE)


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

    `postings` are the numbers of the texts that hold each word, `counts` how many there are of `total`.
    """
    return best_of(weights(postings, counts, total, limit), limit)


def chosen(postings: Sequence[Sequence[int]], counts: Sequence[int], total: int, limit: int) -> list[int]:
    """The numbers of the messages of a place that are weighed: the most telling, or, in a large place, those of them
    that have the most telling ones beside them.
    """
    if total <= LARGE:
        return telling(postings, counts, total, limit)
    held = weights(postings, counts, total, limit * AMONG)
    return surrounded(held, best_of(held, limit * AMONG), limit)


def evenly(numbers: Sequence[int], limit: int) -> list[int]:
    """So many of these numbers, as far apart as they can be."""
    if len(numbers) <= limit:
        return list(numbers)
    return [numbers[place * len(numbers) // limit] for place in range(limit)]


def weights(
    postings: Sequence[Sequence[int]], counts: Sequence[int], total: int, limit: int
) -> dict[int, float]:
    """What each text holds of a question, for the `limit` texts that hold the most of it, and for others.

    Rare words come first: once the words that are left weigh less together than the last text that would be chosen, no
    other text can be, and only the weights of those known are added to. That is looked at whenever half of what was
    left is done.
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
    """The numbers of the texts that hold the most, of equal ones the newest.

    Many hold as much as others: sorting what they hold first, and then only those above the last, takes half as long
    as sorting them by both.
    """
    if not held or limit < 1:
        return []
    last = sorted(held.values(), reverse=True)[:limit][-1]
    above = sorted(((value, number) for number, value in held.items() if value > last), reverse=True)
    level = sorted((number for number, value in held.items() if value == last), reverse=True)
    return [number for _, number in above] + level[: limit - len(above)]


def with_beside(held: Mapping[int, float], numbers: Collection[int]) -> set[int]:
    """These texts, and those beside them that hold anything."""
    found = set(numbers)
    for step in range(1, NEAR + 1):
        found.update([one + step for one in numbers], [one - step for one in numbers])
    return found & held.keys()


def surrounded(held: Mapping[int, float], numbers: Iterable[int], limit: int) -> list[int]:
    """Of these texts those that hold the most together with what stands beside them; of equal ones the newest."""
    known = held.get
    whole = {
        one: held[one]
        + BESIDE[0] * max(known(one - 1, 0.0), known(one + 1, 0.0))
        + BESIDE[1] * max(known(one - 2, 0.0), known(one + 2, 0.0))
        for one in numbers
    }
    return best_of(whole, limit)


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


def silent(found: Iterable[Candidate]) -> list[tuple[int, int]]:
    """The places of what says nothing: what stands behind it is as near as if it were not there."""
    return [(one.branch, one.seq) for one in found if not one.says_something]


def together(found: Iterable[Candidate], further: Iterable[Candidate]) -> list[Candidate]:
    """Messages that were read in two goes, each once, in the order of their places."""
    places = {(one.branch, one.seq): one for one in (*found, *further)}
    return [places[place] for place in sorted(places)]
