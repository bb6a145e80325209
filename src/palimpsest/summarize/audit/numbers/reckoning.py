"""What people reckon from numbers they were told: sums, differences, means, shares, so many times so much.

Each function gives all results of one kind; whoever asks holds a number against them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, permutations

MAX_SUMMED = 10
"""Amounts of one kind, all sums of which are known."""
MAX_COUNTS = 8
"""Counts that are added up."""
MAX_LEFT = 6
"""Prices of which what they leave is known: so much less three times so much."""
COUNTS = range(2, 13)
"""How often people buy a thing, or have it beside the others."""
RATE = 20
"""No rate between two currencies that people name is higher."""


def summed(some: Sequence[float], plain: Sequence[float]) -> Iterator[float]:
    """Sums, differences and means of amounts of one kind, and of numbers without units."""
    yield sum(some)
    yield sum(some) / max(1, len(some))
    for size in range(3, len(some) + 1) if len(some) <= MAX_SUMMED else ():
        yield from (sum(chosen) for chosen in combinations(some, size))
    for first, second in (*combinations(some, 2), *combinations(plain, 2)):
        yield from (first + second, (first + second) / 2, abs(first - second))


def shared(every: Sequence[float], shares: Collection[float]) -> Iterator[float]:
    """So many percent of a number, and what it is with them and without them."""
    for share in shares:
        for value in every:
            yield from (value * share, value * (1 - share), value * (1 + share))


def multiplied(some: Sequence[float], by: Collection[float], *, is_money: bool) -> Iterator[float]:
    """So many times an amount, and its parts; of money also what it is in another currency."""
    counts = {*by, *COUNTS, 1_000.0, *(value for value in some if is_money and value < RATE)} - {0.0}
    for value in some:
        for count in counts:
            yield from (value * count, value / count)
    if is_money and len(some) <= MAX_LEFT:
        yield from (abs(one - count * other) for one, other in permutations(some, 2) for count in COUNTS)


def adds_up(number: int, counts: Collection[int]) -> bool:
    """Whether a number is the sum of some of the counts, one of them included."""
    some = sorted(counts)[-MAX_COUNTS:]
    return any(
        sum(chosen) == number for size in range(1, len(some) + 1) for chosen in combinations(some, size)
    )
