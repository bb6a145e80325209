"""Building bitmaps of frequent words, a range at a time, in the background.

A sample of messages tells which words are frequent in a range. The index tells which messages have them, and which
have one directly after another. This is read in steps of a few milliseconds, and stored only if nobody changed the
range in the meantime.
"""

from __future__ import annotations

import heapq
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.record.message import searchable_text
from palimpsest.search.word_folding import RESERVED, index_stem
from palimpsest.stores.codec import dumps
from palimpsest.stores.index_terms import any_of, index_scope, indexed
from palimpsest.stores.sqlite.fulltext.frequent_words import RANGE_ROWS, bits_of, packed, packed_lists
from palimpsest.stores.sqlite.fulltext.index import as_read, index_state
from palimpsest.stores.sqlite.fulltext.newest_matches import LARGE
from palimpsest.stores.sqlite.statements import Db

LEAST_SHARE = 32
"""A word is frequent in a range if one in this many messages has it; for rarer ones the index's own list is shorter.
"""

MOST_WORDS = 256
"""The most words of a range with bitmaps."""

MOST_PAIRED = 32
"""The most frequent words, for which adjacent pairs are stored too."""

SAMPLED = 256
SAMPLED_AT_ONCE = 32
SAMPLED_CHARS = 100_000
"""Messages of a range that are sampled, and the longest one that is."""

SURELY = 0.75
"""A word is looked up if the sample has this share of the minimum."""

SETTLED_SHARE = 32
"""A range is complete once this part of the next exists: the newest messages may still change."""

PATIENCE_S = 60.0
"""A worker that takes longer for a range has most likely ended."""

_WORKER_BYTES = 8


@dataclass(slots=True)
class BitmapRange:
    """A range under construction: the bitmap of each frequent word, and for each of the most frequent ones the
    messages with another directly after it.
    """

    number: int
    size: int
    worker: bytes
    bits: dict[str, bytes] = field(default_factory=dict[str, bytes])
    behind: dict[str, bytes] = field(default_factory=dict[str, bytes])


def due_range(db: Db, now_s: float, size: int = RANGE_ROWS, large: int = LARGE) -> int | None:
    """Return the first complete range that nobody has built or is building; None if there is none, or if the index is
    small.
    """
    last = db.number("newest_message")
    if last < large:
        return None
    at = index_state(db)
    if not at.ours:
        return None
    in_hand = set(db.numbers("stretches_in_hand", now_s, PATIENCE_S))
    first = at.messages_left // size + 1 if at.messages_left else 0
    missing = (one for one in range(first, (last - size // SETTLED_SHARE) // size) if one not in in_hand)
    number = next(missing, None)
    waits = number is not None and db.number("is_waiting_up_to", (number + 1) * size - 1)
    return None if waits else number


def start_range(db: Db, now_s: float, size: int = RANGE_ROWS, large: int = LARGE) -> BitmapRange | None:
    """Start building the due range, in a write transaction of the caller."""
    number = due_range(db, now_s, size, large)
    if number is None:
        return None
    one = BitmapRange(number, size, secrets.token_bytes(_WORKER_BYTES))
    db.run("drop_stretches", number, number)
    db.run("take_stretch", number, one.worker, now_s)
    return one


def build_range(db: Db, one: BitmapRange) -> Iterator[None]:
    """Find the frequent words of a range and their messages, in steps of a few milliseconds."""
    first, last = one.number * one.size, (one.number + 1) * one.size - 1
    holding, words = Counter[str](), dict[str, str]()
    sample = list(range(first, last + 1, max(1, one.size // SAMPLED)))
    for start in range(0, len(sample), SAMPLED_AT_ONCE):
        for said in _words_of(db, sample[start : start + SAMPLED_AT_ONCE]):
            holding.update(said.keys())
            words |= said
        yield
    least = len(sample) / LEAST_SHARE * SURELY
    for key, count in holding.most_common(MOST_WORDS):
        if count < least:
            break
        numbers = db.numbers("oldest_messages_between", any_of([words[key]]), first, last, one.size)
        if len(numbers) * LEAST_SHARE >= one.size:
            one.bits[key] = bits_of(numbers, first, one.size)
        yield
    yield from _gather_pairs(db, one, words)


def _gather_pairs(db: Db, one: BitmapRange, words: Mapping[str, str]) -> Iterator[None]:
    """Find the messages with each pair of the most frequent words; `words` has a form of each."""
    first, last = one.number * one.size, (one.number + 1) * one.size - 1
    said = [key for key in one.bits if not key.startswith(RESERVED)]
    paired = heapq.nlargest(MOST_PAIRED, said, key=lambda key: int.from_bytes(one.bits[key]).bit_count())
    for key in paired:
        behind: dict[str, bytes] = {}
        for other in paired:
            phrase = any_of([f"{words[key]} {words[other]}"])
            numbers = db.numbers("oldest_messages_between", phrase, first, last, one.size)
            behind[other] = packed(numbers, first, one.size)
            yield
        one.behind[key] = packed_lists(behind)


def store_range(db: Db, one: BitmapRange) -> bool:
    """Store a range, in a transaction of the caller; return False if the index changed since."""
    if not db.number("is_at_stretch", one.number, one.worker):
        return False
    for word, bits in one.bits.items():
        db.run("put_frequent", one.number, word, bits)
    for word, behind in one.behind.items():
        db.run("put_behind", one.number, word, behind)
    db.run("end_stretch", one.number)
    return True


def _words_of(db: Db, numbers: Sequence[int]) -> Iterator[dict[str, str]]:
    """Yield the indexed words of each message, by stem."""
    for row in db.run("sampled_messages", dumps(numbers), SAMPLED_CHARS):
        message = as_read(row)
        if message is not None:
            scope = index_scope(row["conversation_id"], row["owner_id"], message)
            said = f"{indexed(searchable_text(message))} {scope}" if scope else ""
            yield {index_stem(word): word for word in said.split()}
