"""Rows of a damaged SQLite file, read off its pages without SQLite: whatever else is broken, a page that is whole
gives them.

A page says by its first byte whether it holds rows (of a table, or of one that is its own index), and where they
begin. Rows that run over their page go on in a list of others. The tree above the pages, free pages and the list of
tables are not looked at, so a row may turn up that was deleted, or twice: whoever reads must know a row by what it
holds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

Record = tuple[int | None, tuple[object, ...]]
"""(row number, values); the number is None in a table that is its own index."""

_TABLE_LEAF, _INDEX_LEAF, _INDEX_TREE = 0x0D, 0x0A, 0x02
_DEFAULT_PAGE = 4_096
_MAX_RECORD = 1 << 30
_MAX_COLUMNS = 64


class _Broken(Exception):
    """A row or page that is not whole."""


class Pages:
    """The pages of a file, with those of its write-ahead log, which come later."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        size = int.from_bytes(self._data[16:18], "big")
        size = 65_536 if size == 1 else size
        self.size = size if 512 <= size <= 65_536 and not size & (size - 1) else _DEFAULT_PAGE
        self.usable = self.size - (self._data[20] if len(self._data) > 20 and self._data[20] < 64 else 0)
        self._log = dict(self._logged(Path(f"{path}-wal")))
        self.count = max([len(self._data) // self.size + 1, *self._log])

    def _logged(self, log: Path) -> Iterator[tuple[int, bytes]]:
        """(number, content) of the pages in the log, as far as it is of one piece."""
        data = log.read_bytes() if log.is_file() else b""
        frame = 24 + self.size
        for start in range(32, len(data) - frame + 1, frame):
            number = int.from_bytes(data[start : start + 4], "big")
            if data[start + 8 : start + 16] != data[16:24]:
                return
            yield number, data[start + 24 : start + frame]

    def page(self, number: int) -> bytes:
        """A page, from 1 on; short where the file was cut."""
        return self._log.get(number) or self._data[(number - 1) * self.size : number * self.size]

    def records(self) -> Iterator[Record]:
        """Every row of every page that can be read."""
        for number in range(1, self.count + 1):
            yield from self._of_page(number, self.page(number))

    def _of_page(self, number: int, page: bytes) -> Iterator[Record]:
        start = 100 if number == 1 else 0
        kind = page[start] if len(page) > start + 8 else 0
        if kind not in {_TABLE_LEAF, _INDEX_LEAF, _INDEX_TREE}:
            return
        first, skipped = (12, 4) if kind == _INDEX_TREE else (8, 0)
        cells = int.from_bytes(page[start + 3 : start + 5], "big")
        for place in range(min(cells, self.size // 4)):
            at = start + first + 2 * place
            offset = int.from_bytes(page[at : at + 2], "big") + skipped
            try:
                yield self._cell(page, offset, kind)
            except (_Broken, IndexError, ValueError, struct.error):
                continue

    def _cell(self, page: bytes, offset: int, kind: int) -> Record:
        length, at = _varint(page, offset)
        number: int | None = None
        if kind == _TABLE_LEAF:
            number, at = _varint(page, at)
        if not 0 < length <= _MAX_RECORD:
            raise _Broken
        least = (self.usable - 12) * 32 // 255 - 23
        most = self.usable - 35 if kind == _TABLE_LEAF else (self.usable - 12) * 64 // 255 - 23
        local = length
        if length > most:
            local = least + (length - least) % (self.usable - 4)
            local = local if local <= most else least
        payload = page[at : at + local]
        if length > local:
            payload += self._overflow(
                int.from_bytes(page[at + local : at + local + 4], "big"), length - local
            )
        if len(payload) != length:
            raise _Broken
        return number, tuple(_values(payload))

    def _overflow(self, number: int, left: int) -> bytes:
        found = bytearray()
        for _ in range(left // (self.usable - 4) + 1):
            page = self.page(number)
            if not 0 < number <= self.count or len(page) < self.usable:
                raise _Broken
            found += page[4 : min(self.usable, 4 + left - len(found))]
            number = int.from_bytes(page[:4], "big")
            if len(found) >= left:
                break
        return bytes(found)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(9):
        byte = data[at + place]
        value = value << 8 | byte if place == 8 else value << 7 | byte & 0x7F
        if byte < 0x80 or place == 8:
            return (value - (1 << 64) if value >= 1 << 63 else value), at + place + 1
    raise _Broken


def _values(payload: bytes) -> Iterator[object]:
    """The values of a row."""
    size, at = _varint(payload, 0)
    if not 0 < size <= len(payload):
        raise _Broken
    kinds: list[int] = []
    while at < size:
        kind, at = _varint(payload, at)
        kinds.append(kind)
        if len(kinds) > _MAX_COLUMNS:
            raise _Broken
    at = size
    for kind in kinds:
        length = (kind - 12) // 2 if kind >= 12 else (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)[kind]
        part = payload[at : at + length]
        if len(part) != length:
            raise _Broken
        at += length
        yield _value(kind, part)


def _value(kind: int, part: bytes) -> object:
    if kind == 0:
        return None
    if kind in {8, 9}:
        return kind - 8
    if kind == 7:
        return struct.unpack(">d", part)[0]
    if kind < 7:
        return int.from_bytes(part, "big", signed=True)
    if kind < 12:
        raise _Broken
    return part.decode() if kind % 2 else part
