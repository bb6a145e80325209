"""Bitmap intersection for frequent terms.

Counting bits takes a hundredth of the time of a word index scan. For rarer words the index lists the messages, and
also for ranges without bitmaps, mostly the newest messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice

from palimpsest.search.query_grammar import All, Any, Node, Not, Term, leaves
from palimpsest.search.word_folding import RESERVED, index_stem
from palimpsest.stores.index_terms import any_of, any_scope
from palimpsest.stores.sqlite.fulltext.frequent_words import (
    RANGE_ROWS,
    any_frequent,
    bits_of,
    pair_bitmaps,
    unpacked_lists,
    word_bitmaps,
)
from palimpsest.stores.sqlite.fulltext.match_expressions import bounds
from palimpsest.stores.sqlite.fulltext.vocabulary import Vocabulary
from palimpsest.stores.sqlite.statements import Db

MOST_LISTED = 30_000
"""The index does not list more messages than this: then it counts faster."""

MOST_TERMS = 16
"""A query of more terms is left to the index."""

MOST_LEFT_SHARE = 4
"""If more than this part of all rows has no bitmaps, the index counts."""


_PAIR = 2


class _LeftToIndex(Exception):
    """The index counts this faster, or only the index can."""


@dataclass(slots=True)
class _Bits:
    """Bitmaps of messages, in the ranges that have them. `frequent` counts the words with bitmaps; `single` means
    that the query is one term.
    """

    known: Vocabulary
    stretches: Sequence[int]
    size: int
    everything: str
    single: bool = False
    listed: int = 0
    terms: int = 0
    frequent: int = 0

    def of(self, node: Node) -> int:
        """Return the bitmap of a query; that of a NOT includes other rows."""
        match node:
            case Term():
                return self._of_term(node)
            case Not(part):
                return ~self.of(part)
            case All(parts):
                return reduce(int.__and__, map(self.of, parts))
            case Any(parts):
                return reduce(int.__or__, map(self.of, parts))

    def of_words(self, words: Sequence[str], *, left_if_rare: bool = False) -> int:
        """Return the bitmap of these words in any form of their stems. With `left_if_rare` the index finds them if
        none is frequent.
        """
        by_stem = {index_stem(word): word for word in words}
        found = word_bitmaps(self.known.db, by_stem)
        if left_if_rare and not found:
            raise _LeftToIndex
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
            return self.of_words(found.words, left_if_rare=self.single)
        if not found.exact:
            raise _LeftToIndex
        words = term.words.split(" ")
        bits = self._of_pair(found.most, words) if found.most == any_of([term.words]) else None
        if bits is None and self._all_frequent(words):
            raise _LeftToIndex
        return self._listed(found.most, self.stretches) if bits is None else bits

    def _of_pair(self, matching: str, words: Sequence[str]) -> int | None:
        """Return the bitmap of a phrase of two words if most ranges have it, else None."""
        if len(words) != _PAIR:
            return None
        first, second = map(index_stem, words)
        there = pair_bitmaps(self.known.db, first, second, self.size)
        missing = [one for one in self.stretches if one not in there]
        if len(missing) * MOST_LEFT_SHARE > len(self.stretches):
            return None
        self.frequent += 1
        return self._joined(there) | self._listed(matching, missing)

    def _all_frequent(self, words: Sequence[str]) -> bool:
        """Return whether a phrase has only frequent words: then listing it takes as long as counting."""
        stems = set(map(index_stem, words))
        return stems == word_bitmaps(self.known.db, stems).keys()

    def _joined(self, found: dict[int, bytes]) -> int:
        nothing = bytes(self.size // 8)
        parts = [found.get(one, nothing) for one in range(self.stretches[-1] + 1)]
        return int.from_bytes(b"".join(parts), "little")

    def _listed(self, matching: str, stretches: Sequence[int]) -> int:
        """Return the bitmap of what the index lists in these ranges."""
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


@dataclass(frozen=True, slots=True)
class BitmapMatches:
    """The matches of a query: bitmaps where they exist, and index expressions for the rest."""

    db: Db
    bits: int
    size: int
    matching: str
    between: Sequence[tuple[int, int]]

    def total(self) -> int:
        """Return the number of messages."""
        return self.bits.bit_count() + sum(
            self.db.number("count_matching_messages_between", self.matching, first, end)
            for first, end in self.between
        )

    def newest(self, most: int) -> list[int]:
        """Return their numbers, newest first, at most this many."""
        found = [
            number
            for first, end in self.between
            for number in self.db.numbers("newest_messages_between", self.matching, first, end, most)
        ]
        found.extend(islice(self._gathered(), most))
        return sorted(found, reverse=True)[:most]

    def _gathered(self) -> Iterator[int]:
        """Yield the numbers of set bits, highest first, a range at a time, because changing a long integer is slow."""
        width = self.size // 8
        data = self.bits.to_bytes(-(-self.bits.bit_length() // 8), "little")
        for start in range((len(data) - 1) // width * width, -1, -width):
            left = int.from_bytes(data[start : start + width], "little")
            while left:
                top = left.bit_length() - 1
                yield start * 8 + top
                left ^= 1 << top


def bitmap_matches(
    known: Vocabulary, root: Node, place: Sequence[str], matching: str, size: int = RANGE_ROWS
) -> BitmapMatches | None:
    """Return the matches of a query in a scope, given by its scope words. `matching` is the index expression for the
    same. Return None if the index finds them as fast.
    """
    db = known.db
    last, stretches = db.number("newest_message"), db.numbers("stretches_done")
    if (last - len(stretches) * size) * MOST_LEFT_SHARE > last:
        return None
    stretches.sort()
    bits = _Bits(known, stretches, size, any_scope(place), single=isinstance(root, Term))
    try:
        found = bits.of(root)
        if not bits.frequent:
            return None
        for word in place:
            found &= bits.of_words([RESERVED + word])
    except _LeftToIndex:
        return None
    return BitmapMatches(db, found, size, matching, tuple(_between(stretches, size, last)))


def holds_many(db: Db, query: Node) -> bool:
    """Return whether a query is an OR, or a word with a NOT, with a frequent word in it: then many match, and bitmaps
    take half the time.
    """
    parts = query.parts if isinstance(query, All | Any) else ()
    if isinstance(query, All) and sum(not isinstance(one, Not) for one in parts) != 1:
        return False
    words = [term.words for term, wanted in leaves(query) if wanted and " " not in term.words]
    return len(parts) > 1 and any_frequent(db, map(index_stem, words))


def keeps(db: Db, phrase: str) -> bool:
    """Return whether any range stores this phrase."""
    words = phrase.split(" ")
    row = db.row("lists_behind", index_stem(words[0])) if len(words) == _PAIR else None
    return row is not None and index_stem(words[1]) in unpacked_lists(row[1])


def _ranges(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return the first and the last of each run of consecutive numbers."""
    first = None
    for place, number in enumerate(numbers):
        first = number if first is None else first
        if place + 1 == len(numbers) or numbers[place + 1] != number + 1:
            yield first, number
            first = None


def _between(stretches: Sequence[int], size: int, last: int) -> Iterator[tuple[int, int]]:
    """Return the rows up to `last` in none of these ranges, as (first, last)."""
    start = 0
    for one in (*stretches, last // size + 1):
        if one * size > start:
            yield start, one * size - 1
        start = (one + 1) * size
