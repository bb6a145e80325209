"""BM25 of a few of very many texts, counted in the texts themselves.

To rank, an index scans all texts with each word just to count them; for frequent words that takes longer than reading
2,000 short texts. So words or a phrase are counted in the texts, in the way of the index and with the same order. The
number of texts with a frequent word is estimated (`candidate_choice`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

import msgspec

from palimpsest.errors import IntegrityError
from palimpsest.search.query_grammar import Node, leaves
from palimpsest.search.word_folding import folded_lines, index_stem
from palimpsest.stores.candidate_choice import COMMON_HITS, texts_per_word
from palimpsest.stores.codec import decode_all_said, decode_said, dumps, storable
from palimpsest.stores.index_terms import any_of
from palimpsest.stores.sqlite.fulltext.reader_connections import TextReaders
from palimpsest.stores.sqlite.fulltext.vocabulary import Vocabulary
from palimpsest.stores.sqlite.statements import Db

MOST_WORDS = 400_000
"""Texts of more words together are not read."""

CHARS_OF_A_WORD = 12
"""Texts of words twice as long as usual are started and abandoned."""

MAX_CHARS = 100_000
"""A longer text is read alone."""

ROWS_TOGETHER = 150
"""Rows per read: few enough not to trigger a full garbage collection."""

WORDS_OF_A_ROW = 75
"""Finding a text takes as long as reading this many words."""

MOST_FORMS = 100
"""A word in more forms is left to the index."""

MOST_COUNTED = 8
"""More words are left to the index."""

_K1, _B = 1.2, 0.75
_LEAST = 1e-6
"""SQLite's minimum weight, for words in more than half of all texts."""


class _Said(msgspec.Struct, frozen=True, gc=False):
    """The text of a message and its indexed word count, without objects that the garbage collector tracks."""

    number: int
    text: str
    words: int


class _Sizes(dict[str, int]):
    """Reads the word count of a text from the index's packed numbers, in hexadecimal."""

    def __missing__(self, packed: str) -> int:
        self[packed] = words = sum(_varints(bytes.fromhex(packed)))
        return words


def counted_for(root: Node) -> tuple[str, ...]:
    """Return the words, or the one phrase, that a query asks for, ignoring NOT; empty for any other query, or for too
    many.
    """
    terms = [term for term, wanted in leaves(root) if wanted]
    words = tuple(dict.fromkeys(term.words for term in terms))
    if not all(term.whole and not term.inner for term in terms) or len(words) > MOST_COUNTED:
        return ()
    return () if len(words) > 1 and any(" " in one for one in words) else words


def ranks_of(
    known: Vocabulary, phrases: Sequence[str], numbers: Sequence[int], readers: TextReaders | None = None
) -> Callable[[], dict[int, float] | None]:
    """Start the readers, and return a function that gives the ranks of those of these messages, newest first, that
    match these words or phrases; lower is better. Return None if the index ranks faster.
    """
    words = tuple(dict.fromkeys(word for one in phrases for word in one.split(" ")))
    held = _holding(known.db, words)
    most = min(MOST_WORDS, sum(held) - WORDS_OF_A_ROW * len(numbers))
    return read(known, phrases, numbers, most, readers, held if words == tuple(phrases) else ())


def read(
    known: Vocabulary,
    phrases: Sequence[str],
    numbers: Sequence[int],
    most_words: int,
    readers: TextReaders | None = None,
    held: Sequence[int] = (),
) -> Callable[[], dict[int, float] | None]:
    """See `ranks_of`; None for texts of more than `most_words`. `held` is the number of texts with each word; an
    unknown one is estimated from how close the matches are.
    """
    patterns = [_pattern(known, one.split(" ")) for one in phrases]
    asked = [one for one in patterns if one is not None]
    rows, words = _totals(known.db)
    if len(asked) < len(phrases) or not words or words * len(numbers) > most_words * rows:
        return lambda: None
    reading = _Reading(most_words * CHARS_OF_A_WORD)
    parts = readers.begin(numbers, reading.read) if readers is not None else None

    def ranks() -> dict[int, float] | None:
        found = parts() if parts is not None else [reading.read(known.db, numbers)]
        if reading.chars_left < 0:
            return None
        said = list(chain.from_iterable(found))
        counts = held or texts_per_word([numbers] * len(phrases), rows)
        weights = [max(_LEAST, math.log((rows - one + 0.5) / (one + 0.5))) for one in counts]
        return _ranks(said, list(zip(asked, weights, strict=True)), words / rows) if said else {}

    return ranks


@dataclass(slots=True)
class _Reading:
    """Messages being read, as long as they are short enough together."""

    chars_left: int

    def read(self, db: Db, numbers: Sequence[int]) -> list[_Said]:
        """Return these messages except damaged ones; fewer if they are too long."""
        found: list[_Said] = []
        for start in range(0, len(numbers), ROWS_TOGETHER):
            if self.chars_left >= 0:
                said = _said(db, numbers[start : start + ROWS_TOGETHER])
                self.chars_left -= sum(len(one.text) for one in said)
                found += said
        return found


def _said(db: Db, numbers: Sequence[int]) -> list[_Said]:
    wanted = dumps(numbers)
    row = db.row("message_bodies_together", wanted, MAX_CHARS)
    sizes = _Sizes()
    with suppress(IntegrityError, UnicodeEncodeError):
        found, roles, packed, bodies = map(str, row) if row is not None and row[0] else ("",) * 4
        said = decode_all_said(roles.split(","), bodies) if found else []
        return [
            _Said(int(number), storable(text), sizes[size])
            for number, (_, text), size in zip(found.split(","), said, packed.split(","), strict=bool(said))
        ]
    return list(_one_by_one(db, wanted, sizes))


def _one_by_one(db: Db, wanted: str, sizes: _Sizes) -> Iterator[_Said]:
    """Return the same if one is damaged, very long, or has a lone surrogate."""
    for row in db.run("message_bodies", wanted):
        with suppress(IntegrityError):
            text = storable(decode_said(row["role"], row["body"])[1])
            yield _Said(int(row["id"]), text, sizes[row["size"]])


def _ranks(
    said: Sequence[_Said], asked: Sequence[tuple[re.Pattern[str], float]], mean: float
) -> dict[int, float]:
    """Return SQLite's BM25 of the texts that match, each with its weight; `mean` is the mean word count."""
    lines = folded_lines(one.text for one in said).split("\n")
    lengths = [_K1 * (1 - _B + _B * one.words / mean) for one in said]
    ranks: dict[int, float] = {}
    for pattern, weight in asked:
        scale, times = -weight * (_K1 + 1), pattern.findall
        for one, length, line in zip(said, lengths, lines, strict=True):
            count = len(times(line))
            if count:
                ranks[one.number] = ranks.get(one.number, 0.0) + scale * count / (count + length)
    return ranks


def _totals(db: Db) -> tuple[int, int]:
    """Return the number of rows and of words of the index."""
    row = db.row("index_totals")
    rows, *words = _varints(row[0]) if row is not None else [0]
    return rows, sum(words) if rows else 0


def _varints(packed: bytes) -> list[int]:
    """Decode SQLite varints: seven bits a byte, the high bit set in all but the last."""
    found: list[int] = []
    value = 0
    for byte in packed:
        value = value << 7 | byte & 127
        if byte < 128:
            found.append(value)
            value = 0
    return found


def _holding(db: Db, words: Iterable[str]) -> tuple[int, ...]:
    """Return how many messages have each word; an estimate for frequent ones."""
    found = [db.numbers("numbers_of_newest_messages", any_of([one]), COMMON_HITS) for one in words]
    return texts_per_word(found, db.number("newest_message"))


def _pattern(known: Vocabulary, words: Sequence[str]) -> re.Pattern[str] | None:
    """Return a pattern for each occurrence of a phrase in folded words, in any form; None for too many forms."""
    forms = [sorted({word, *known.of_stem(index_stem(word))}) for word in words]
    if any(len(one) > MOST_FORMS for one in forms):
        return None
    first, *others = [
        f" (?:{'|'.join(map(re.escape, one))})" if len(one) > 1 else f" {re.escape(one[0])}" for one in forms
    ]
    return re.compile(f"{first}(?={''.join(f' *{one}' for one in others)} )")
