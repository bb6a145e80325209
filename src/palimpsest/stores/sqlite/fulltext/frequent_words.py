"""Which messages hold the most frequent words, as bits. Part of the SQLite store.

Going through 300,000 texts that hold a word takes the word index 15 ms, and as long again to keep to those of one
conversation. So of every stretch of row numbers that is complete, the words that many of its messages hold, the names
of places and roles among them, are kept as bits, one for each message: what holds several of them is counted by "and"
and "or" (`bits`). Bits do not know places; so of the most frequent words it is kept, too, which messages hold which
of them right behind another: a phrase of two is read off. All this is gathered behind the writes (`gathering`).
Whatever changes what the index has of a stretch drops all that is known of it, and it is gathered anew.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from palimpsest.stores.codec import dumps
from palimpsest.stores.sqlite.statements import Db

STRETCH = 8_192
"""So many row numbers are one stretch: a kilobyte of bits for a word."""


_LISTS = msgspec.msgpack.Decoder(dict[str, bytes])
_NUMBER_BYTES = 2


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


def packed(numbers: Sequence[int], first: int, size: int) -> bytes:
    """Row numbers from `first` on as bits, or as numbers of 16 bits where that is shorter."""
    if len(numbers) * _NUMBER_BYTES >= size // 8:
        return bits_of(numbers, first, size)
    places = array("H", [number - first for number in numbers])
    return _little_endian(places).tobytes()


def unpacked(data: bytes, size: int) -> bytes:
    """Bits of what is packed. Of what is damaged, some."""
    if len(data) >= size // 8:
        return data[: size // 8]
    places = _little_endian(array("H", data[: len(data) // _NUMBER_BYTES * _NUMBER_BYTES]))
    return bits_of((place for place in places if place < size), 0, size)


def _little_endian(places: array[int]) -> array[int]:
    if sys.byteorder == "big":
        places.byteswap()
    return places


def packed_lists(behind: Mapping[str, bytes]) -> bytes:
    """What is known of the words behind another, as it is stored."""
    return msgspec.msgpack.encode(behind)


def lists_behind(data: bytes) -> dict[str, bytes]:
    """See `packed_lists`. Nothing of what is damaged: then the index is asked."""
    try:
        return _LISTS.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}


def known_behind(db: Db, first: str, second: str, size: int) -> dict[int, bytes]:
    """The bits of messages that hold a word right behind another, both given by their stems, for each stretch in which
    that is kept.
    """
    found: dict[int, bytes] = {}
    for row in db.run("lists_behind", first):
        lists = lists_behind(row[1])
        if second in lists:
            found[int(row[0])] = unpacked(lists[second], size)
    return found


def known_bits(db: Db, stems: Iterable[str]) -> dict[str, dict[int, bytes]]:
    """The bits of those of these words, given by their stems, that are frequent anywhere, by stretches."""
    found: dict[str, dict[int, bytes]] = {}
    for row in db.run("bits_of_words", dumps(list(stems))):
        found.setdefault(str(row[0]), {})[int(row[1])] = bytes(row[2])
    return found


def any_frequent(db: Db, stems: Iterable[str]) -> bool:
    """Whether one of these words, given by their stems, is frequent anywhere."""
    return db.number("any_frequent", dumps(list(stems))) > 0
