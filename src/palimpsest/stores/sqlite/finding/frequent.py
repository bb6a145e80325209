"""Which messages hold the most frequent words, as bits. Part of the SQLite store.

Going through 300,000 texts that hold a word takes the word index 15 ms, and as long again to keep to those of one
conversation. So of every stretch of row numbers that is complete, the words that many of its messages hold, the names
of places and roles among them, are kept as bits, one for each message: what holds several of them is counted by "and"
and "or" (`counting`). They are gathered behind the writes (`gathering`). Whatever changes what the index has of a
stretch drops all that is known of it, and it is gathered anew.
"""

from __future__ import annotations

from collections.abc import Iterable

from palimpsest.stores.codec import dumps
from palimpsest.stores.sqlite.db import Db

STRETCH = 8_192
"""So many row numbers are one stretch: a kilobyte of bits for a word."""


def drop(db: Db, number: int) -> None:
    """Let go of what is known of the stretch of a message, because what the index has of it changes."""
    stretch = number // STRETCH
    db.run("drop_stretches", stretch, stretch)


def bits_of(numbers: Iterable[int], first: int, size: int) -> bytes:
    """A bit for each of `size` row numbers from `first` on, the lowest first, set for these."""
    bits = bytearray(-(-size // 8))
    for number in numbers:
        place = number - first
        bits[place >> 3] |= 1 << (place & 7)
    return bytes(bits)


def known_bits(db: Db, stems: Iterable[str]) -> dict[str, dict[int, bytes]]:
    """The bits of those of these words, given by their stems, that are frequent anywhere, by stretches."""
    found: dict[str, dict[int, bytes]] = {}
    for row in db.run("bits_of_words", dumps(list(stems))):
        found.setdefault(str(row[0]), {})[int(row[1])] = bytes(row[2])
    return found
