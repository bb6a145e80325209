"""Bitmaps of frequent words, and their storage.

Scanning 300,000 texts with a word takes the word index 15 ms, and as much again to restrict them to a conversation.
So for every complete range of row numbers a bitmap per frequent word is stored, scope words included; AND and OR are
bit operations (`bitmap_search`). Bitmaps have no positions, so for the most frequent words the messages with one
directly after another are stored too. Everything is built in the background (`bitmap_build`). A change of the index
in a range drops its bitmaps.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from palimpsest.stores.codec import dumps
from palimpsest.stores.sqlite.statements import Db

RANGE_ROWS = 8_192
"""Row numbers of one range: a kilobyte of bits per word."""


_LISTS = msgspec.msgpack.Decoder(dict[str, bytes])
_NUMBER_BYTES = 2


def drop(db: Db, number: int) -> None:
    """Drop the bitmaps of a message's range, because its index entries change."""
    stretch = number // RANGE_ROWS
    db.run("drop_stretches", stretch, stretch)


def bits_of(numbers: Iterable[int], first: int, size: int) -> bytes:
    """Return a bitmap of `size` row numbers from `first` on, lowest first."""
    bits = bytearray(-(-size // 8))
    for number in numbers:
        place = number - first
        bits[place >> 3] |= 1 << (place & 7)
    return bytes(bits)


def packed(numbers: Sequence[int], first: int, size: int) -> bytes:
    """Return row numbers from `first` on as a bitmap, or as 16-bit numbers if that is shorter."""
    if len(numbers) * _NUMBER_BYTES >= size // 8:
        return bits_of(numbers, first, size)
    places = array("H", [number - first for number in numbers])
    return _little_endian(places).tobytes()


def unpacked(data: bytes, size: int) -> bytes:
    """Return the bitmap of packed numbers. Damaged data gives some bits."""
    if len(data) >= size // 8:
        return data[: size // 8]
    places = _little_endian(array("H", data[: len(data) // _NUMBER_BYTES * _NUMBER_BYTES]))
    return bits_of((place for place in places if place < size), 0, size)


def _little_endian(places: array[int]) -> array[int]:
    if sys.byteorder == "big":
        places.byteswap()
    return places


def packed_lists(behind: Mapping[str, bytes]) -> bytes:
    """Return the messages with another word directly after one, as stored."""
    return msgspec.msgpack.encode(behind)


def unpacked_lists(data: bytes) -> dict[str, bytes]:
    """Decode `packed_lists`. Damaged data gives nothing: then the index is asked."""
    try:
        return _LISTS.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}


def pair_bitmaps(db: Db, first: str, second: str, size: int) -> dict[int, bytes]:
    """Return the bitmaps of messages with a word directly after another, both given by stem, for each range that has
    them.
    """
    found: dict[int, bytes] = {}
    for row in db.run("lists_behind", first):
        lists = unpacked_lists(row[1])
        if second in lists:
            found[int(row[0])] = unpacked(lists[second], size)
    return found


def word_bitmaps(db: Db, stems: Iterable[str]) -> dict[str, dict[int, bytes]]:
    """Return the bitmaps of those of these stems that are frequent anywhere, by range."""
    found: dict[str, dict[int, bytes]] = {}
    for row in db.run("bits_of_words", dumps(list(stems))):
        found.setdefault(str(row[0]), {})[int(row[1])] = bytes(row[2])
    return found


def any_frequent(db: Db, stems: Iterable[str]) -> bool:
    """Return whether one of these stems is frequent anywhere."""
    return db.number("any_frequent", dumps(list(stems))) > 0
