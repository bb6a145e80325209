"""BM25 of a few of very many texts, counted in themselves.

For a rank an index goes through all texts that hold a word, only to count them, and so for every word that is asked
for: of frequent words that takes longer than reading 2,000 short texts. So where these are shorter than what the index
would go through is long, words or a phrase are counted in them as the index counts them: the order is the index's. How
many texts hold a frequent word is estimated as it is for a question (`candidates`).
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
from palimpsest.stores.candidate_choice import COMMON_HITS, holding
from palimpsest.stores.codec import decode_all_said, decode_said, dumps, storable
from palimpsest.stores.indexed_text import any_of
from palimpsest.stores.sqlite.fulltext.reader_connections import Readers
from palimpsest.stores.sqlite.fulltext.vocabulary import Vocabulary
from palimpsest.stores.sqlite.statements import Db

MOST_WORDS = 400_000
"""Texts of more words together are not read."""

CHARS_OF_A_WORD = 12
"""Texts of words twice as long as most are begun with and given up."""

MAX_CHARS = 100_000
"""A longer text is not read together with others."""

ROWS_TOGETHER = 150
"""So few that what their JSON is read into does not wake the collector of garbage: where it finds that there is more
and more, it goes through everything that the program holds.
"""

WORDS_OF_A_ROW = 75
"""Finding a text takes as long as reading so many words of it."""

MOST_FORMS = 100
"""A word in more forms is left to the index."""

MOST_COUNTED = 8
"""More words are left to the index."""

_K1, _B = 1.2, 0.75
_LEAST = 1e-6
"""What SQLite takes for the weight of what more than half of all texts hold."""


class _Said(msgspec.Struct, frozen=True, gc=False):
    """What a message says, and how many words the index has of it. Nothing that a collector of garbage would count."""

    number: int
    text: str
    words: int


class _Sizes(dict[str, int]):
    """How many words the index has of a text, by what it keeps of that: numbers, packed, in hexadecimal digits."""

    def __missing__(self, packed: str) -> int:
        self[packed] = words = sum(_varints(bytes.fromhex(packed)))
        return words


def counted_for(root: Node) -> tuple[str, ...]:
    """The words, or the one phrase, that a query asks for, whatever it rules out; none where it asks for anything else,
    or for too many.
    """
    terms = [term for term, wanted in leaves(root) if wanted]
    words = tuple(dict.fromkeys(term.words for term in terms))
    if not all(term.whole and not term.inner for term in terms) or len(words) > MOST_COUNTED:
        return ()
    return () if len(words) > 1 and any(" " in one for one in words) else words


def weighed(
    known: Vocabulary, phrases: Sequence[str], numbers: Sequence[int], readers: Readers | None = None
) -> Callable[[], dict[int, float] | None]:
    """What tells the ranks of those of these messages, newest first, that hold one of these words or phrases, the lower
    the better; None where the index ranks faster. The readers begin now.
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
    readers: Readers | None = None,
    held: Sequence[int] = (),
) -> Callable[[], dict[int, float] | None]:
    """See `weighed`; None for texts of more than `most_words`. `held`: how many texts hold each; where that is not
    known, it is estimated from how close those that are read lie together.
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
        counts = held or holding([numbers] * len(phrases), rows)
        weights = [max(_LEAST, math.log((rows - one + 0.5) / (one + 0.5))) for one in counts]
        return _ranks(said, list(zip(asked, weights, strict=True)), words / rows) if said else {}

    return ranks


@dataclass(slots=True)
class _Reading:
    """Some messages being read, as long as they are short enough together."""

    chars_left: int

    def read(self, db: Db, numbers: Sequence[int]) -> list[_Said]:
        """These messages, but damaged ones; fewer where they are too long."""
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
    """The same where one is damaged, very long, or holds half of a surrogate pair."""
    for row in db.run("message_bodies", wanted):
        with suppress(IntegrityError):
            text = storable(decode_said(row["role"], row["body"])[1])
            yield _Said(int(row["id"]), text, sizes[row["size"]])


def _ranks(
    said: Sequence[_Said], asked: Sequence[tuple[re.Pattern[str], float]], mean: float
) -> dict[int, float]:
    """SQLite's BM25 of those of these texts that hold what is asked for, each with its weight; `mean` is how many words
    a text has.
    """
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
    """How many rows the index has, and how many words."""
    row = db.row("index_totals")
    rows, *words = _varints(row[0]) if row is not None else [0]
    return rows, sum(words) if rows else 0


def _varints(packed: bytes) -> list[int]:
    """Numbers as SQLite packs them: seven bits to a byte, the high bit set in all but the last."""
    found: list[int] = []
    value = 0
    for byte in packed:
        value = value << 7 | byte & 127
        if byte < 128:
            found.append(value)
            value = 0
    return found


def _holding(db: Db, words: Iterable[str]) -> tuple[int, ...]:
    """How many messages hold each word; estimated where these are many."""
    found = [db.numbers("numbers_of_newest_messages", any_of([one]), COMMON_HITS) for one in words]
    return holding(found, db.number("newest_message"))


def _pattern(known: Vocabulary, words: Sequence[str]) -> re.Pattern[str] | None:
    """What finds each place of a phrase in a line of folded words, whatever the form of its words; None for too many
    forms.
    """
    forms = [sorted({word, *known.of_stem(index_stem(word))}) for word in words]
    if any(len(one) > MOST_FORMS for one in forms):
        return None
    first, *others = [
        f" (?:{'|'.join(map(re.escape, one))})" if len(one) > 1 else f" {re.escape(one[0])}" for one in forms
    ]
    return re.compile(f"{first}(?={''.join(f' *{one}' for one in others)} )")
