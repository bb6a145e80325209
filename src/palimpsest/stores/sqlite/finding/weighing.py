"""BM25 of a phrase in a few of very many texts, counted in themselves.

For a rank an index goes through all texts that hold a phrase, only to count them: of frequent words that takes longer
than reading 2,000 short texts. So where these are shorter than what the index would go through is long, the phrase is
counted in them. Lengths are the index's own, so the order is the index's; how many texts hold the phrase, which only
scales the ranks of all, is estimated as it is for a question (`candidates`).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from palimpsest.errors import IntegrityError
from palimpsest.search.fold import folded_lines, index_stem
from palimpsest.search.query import All, Node, Not, Term
from palimpsest.stores.candidates import COMMON_HITS, holding
from palimpsest.stores.codec import decode_said, dumps, storable
from palimpsest.stores.sqlite.db import Db
from palimpsest.stores.sqlite.finding.helper import Helper
from palimpsest.stores.sqlite.finding.words import Vocabulary
from palimpsest.stores.words import any_of

MOST_WORDS = 400_000
"""Texts of more words together are not read."""

WORDS_OF_A_ROW = 20
"""Finding a text takes as long as reading so many words of it."""

HELD_TO_A_WORD = 3
"""To read a word takes as long as to go through so many places of words in the index."""

SHARED_TEXTS = 200
"""So many are read by two connections at once: from a file that is not in memory that takes half as long."""

MOST_FORMS = 100
"""A word in more forms is left to the index."""

_LINE_END = re.compile("\n")
_PACKED = msgspec.json.Decoder(dict[int, str])
_BODIES = msgspec.json.Decoder(list[tuple[int, str, str]])
_K1, _B = 1.2, 0.75
_LEAST = 1e-6
"""What SQLite takes for the weight of what more than half of all texts hold."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some messages: how many words the index has of each, and what they say."""

    lengths: dict[int, int]
    texts: dict[int, str]


def phrase_of(root: Node) -> Term | None:
    """The one phrase that a query asks for, whatever it rules out; None where it asks for anything else."""
    wanted = [part for part in root.parts if not isinstance(part, Not)] if isinstance(root, All) else [root]
    match wanted:
        case [Term(words=words, whole=True, inner=False) as term] if " " in words:
            return term
        case _:
            return None


def weighed(
    known: Vocabulary, phrase: Term, numbers: Sequence[int], helper: Helper | None = None
) -> dict[int, float] | None:
    """The ranks of those of these messages, newest first, that hold a phrase, the lower the better; None where the
    index ranks faster. The helper reads half of them.
    """
    held = sum(_holding(known.db, dict.fromkeys(phrase.words.split(" "))))
    most = held // HELD_TO_A_WORD - WORDS_OF_A_ROW * len(numbers)
    return read(known, phrase, numbers, min(MOST_WORDS, most), helper)


def read(
    known: Vocabulary, phrase: Term, numbers: Sequence[int], most_words: int, helper: Helper | None = None
) -> dict[int, float] | None:
    """See `weighed`; None for texts of more than `most_words`."""
    pattern = _pattern(known, phrase.words.split(" "))
    if pattern is None or most_words <= 0:
        return None
    middle = len(numbers) // 2 if helper is not None and len(numbers) >= SHARED_TEXTS else len(numbers)
    theirs = None
    if helper is not None and middle < len(numbers):
        theirs = helper.begin(lambda db: _read(db, numbers[middle:], most_words))
    parts = [_read(known.db, numbers[:middle], most_words)]
    if theirs is not None:
        parts.append(theirs.result())
    lengths = {number: length for part in parts for number, length in part.lengths.items()}
    if sum(lengths.values()) > most_words:
        return None
    texts = {number: text for part in parts for number, text in part.texts.items()}
    return _ranks(known.db, _counted(pattern, texts), lengths, numbers)


def _read(db: Db, numbers: Sequence[int], most_words: int) -> _Part:
    """These messages; without their texts where these have more words."""
    lengths = _lengths(db, numbers)
    return _Part(lengths, _texts(db, numbers) if sum(lengths.values()) <= most_words else {})


def _counted(pattern: re.Pattern[str], texts: Mapping[int, str]) -> dict[int, int]:
    """How often a phrase stands in each text that holds it. All are gone through at once: to begin with each of 2,000
    texts takes longer than to read it.
    """
    lines = folded_lines(texts.values())
    ends = [end.start() for end in _LINE_END.finditer(lines)]
    places = Counter([bisect_left(ends, found.start()) for found in pattern.finditer(lines)])
    numbers = list(texts)
    return {numbers[place]: count for place, count in places.items()}


def _ranks(
    db: Db, counts: Mapping[int, int], lengths: Mapping[int, int], numbers: Sequence[int]
) -> dict[int, float] | None:
    """SQLite's BM25 of texts that have a phrase so often; None where the index does not tell their lengths."""
    row = db.row("index_totals")
    rows, *totals = _varints(row[0]) if row is not None else [0]
    if not rows or not sum(totals) or not counts.keys() <= lengths.keys():
        return None
    mean = sum(totals) / rows
    (held,) = holding([numbers], rows)
    weight = max(_LEAST, math.log((rows - held + 0.5) / (held + 0.5)))
    return {
        number: -weight * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * lengths[number] / mean))
        for number, count in counts.items()
    }


def _lengths(db: Db, numbers: Sequence[int]) -> dict[int, int]:
    """How many words the index has of each of these messages."""
    row = db.row("index_lengths", dumps(numbers))
    packed = _PACKED.decode(row[0]) if row is not None else {}
    known = {size: sum(_varints(bytes.fromhex(size))) for size in set(packed.values())}
    return {number: known[size] for number, size in packed.items()}


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


def _texts(db: Db, numbers: Sequence[int]) -> dict[int, str]:
    """What these messages say. Damaged ones are left out."""
    row = db.row("message_bodies", dumps(numbers))
    texts: dict[int, str] = {}
    for number, role, body in _BODIES.decode(row[0]) if row is not None else ():
        with suppress(IntegrityError):
            texts[number] = storable(decode_said(role, body)[1])
    return texts


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
