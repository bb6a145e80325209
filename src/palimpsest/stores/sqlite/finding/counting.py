"""Counting what fits a query by bits, where its words are frequent (`frequent`). Part of the SQLite store.

Bits are counted in a hundredth of the time that going through the word index takes. Of the words that are not frequent
the index lists the messages; what lies in no stretch that was gathered, the newest messages mostly, it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from palimpsest.search.fold import RESERVED, index_stem
from palimpsest.search.query import All, Any, Node, Not, Term
from palimpsest.stores.sqlite.finding.frequent import STRETCH, bits_of, known_bits
from palimpsest.stores.sqlite.finding.matching import bounds
from palimpsest.stores.sqlite.finding.words import Vocabulary
from palimpsest.stores.words import any_of, any_scope

MOST_LISTED = 30_000
"""More messages with a word, or with what is no word, are not listed by the index: it counts faster."""

MOST_TERMS = 16
"""A query of more terms is left to the index."""

MOST_LEFT_SHARE = 4
"""Where more than this part of all rows lies in no stretch that was gathered, the index counts."""


class _LeftToIndex(Exception):
    """The index counts this faster, or only the index can."""


@dataclass(slots=True)
class _Bits:
    """The bits of messages, in the stretches that were gathered. `frequent` says how many words there are bits of."""

    known: Vocabulary
    stretches: Sequence[int]
    size: int
    everything: str
    listed: int = 0
    terms: int = 0
    frequent: int = 0

    def of(self, node: Node) -> int:
        """Those of the messages that fit a query; of what is ruled out, of others as well."""
        match node:
            case Term():
                return self._of_term(node)
            case Not(part):
                return ~self.of(part)
            case All(parts):
                return reduce(int.__and__, map(self.of, parts))
            case Any(parts):
                return reduce(int.__or__, map(self.of, parts))

    def of_words(self, words: Sequence[str]) -> int:
        """Those of the messages that hold one of these words, each in any form of its stem."""
        by_stem = {index_stem(word): word for word in words}
        found = known_bits(self.known.db, by_stem)
        self.frequent += bool(found)
        rare = [word for stem, word in by_stem.items() if stem not in found]
        bits = self._listed(any_of(rare), self.stretches) if rare else 0
        for stem, there in found.items():
            missing = [one for one in self.stretches if one not in there]
            bits |= self._joined(there) | self._listed(any_of([by_stem[stem]]), missing)
        return bits

    def _of_term(self, term: Term) -> int:
        self.terms += 1
        if self.terms > MOST_TERMS:
            raise _LeftToIndex
        found = bounds(self.known, term, self.everything)
        if found.words:
            return self.of_words(found.words)
        if not found.exact or self._all_frequent(term.words.split(" ")):
            raise _LeftToIndex
        return self._listed(found.most, self.stretches)

    def _all_frequent(self, words: Sequence[str]) -> bool:
        """Whether a phrase has frequent words only: to list what holds it takes as long as counting."""
        stems = set(map(index_stem, words))
        return stems == known_bits(self.known.db, stems).keys()

    def _joined(self, found: dict[int, bytes]) -> int:
        nothing = bytes(self.size // 8)
        parts = [found.get(one, nothing) for one in range(self.stretches[-1] + 1)]
        return int.from_bytes(b"".join(parts), "little")

    def _listed(self, matching: str, stretches: Sequence[int]) -> int:
        """Those that the index lists in these stretches."""
        bits = 0
        for first, last in _ranges(stretches):
            start, size = first * self.size, (last + 1 - first) * self.size
            most = MOST_LISTED - self.listed + 1
            asked = matching, start, start + size - 1, most
            numbers = self.known.db.numbers("oldest_messages_between", *asked)
            self.listed += len(numbers)
            if len(numbers) == most:
                raise _LeftToIndex
            if numbers:
                bits |= int.from_bytes(bits_of(numbers, start, size), "little") << start
        return bits


def counted(
    known: Vocabulary, root: Node, place: Sequence[str], matching: str, size: int = STRETCH
) -> int | None:
    """How many messages fit a query in a place, given by its scope words. `matching` is the index's expression for the
    same. None where the index counts as fast.
    """
    db = known.db
    last, stretches = db.number("newest_message"), db.numbers("stretches_done")
    if (last - len(stretches) * size) * MOST_LEFT_SHARE > last:
        return None
    stretches.sort()
    bits = _Bits(known, stretches, size, any_scope(place))
    try:
        fitting = bits.of(root)
        if not bits.frequent:
            return None
        for word in place:
            fitting &= bits.of_words([RESERVED + word])
    except _LeftToIndex:
        return None
    return fitting.bit_count() + sum(
        db.number("count_matching_messages_between", matching, first, end)
        for first, end in _between(stretches, size, last)
    )


def _ranges(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of numbers that follow one another."""
    first = None
    for place, number in enumerate(numbers):
        first = number if first is None else first
        if place + 1 == len(numbers) or numbers[place + 1] != number + 1:
            yield first, number
            first = None


def _between(stretches: Sequence[int], size: int, last: int) -> Iterator[tuple[int, int]]:
    """The rows up to `last` that are in none of these stretches, as first and last of each range."""
    start = 0
    for one in (*stretches, last // size + 1):
        if one * size > start:
            yield start, one * size - 1
        start = (one + 1) * size
