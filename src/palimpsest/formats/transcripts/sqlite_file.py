"""A SQLite database as bytes: its tables, read in memory.

- The file itself is never opened by SQLite, so it is neither locked nor written, whoever else uses it. What stands in
  the write-ahead log beside it is applied here: the frames of whole transactions, up to the first invalid one.
- Only tables are read, no views and no virtual tables, so no expression of the file's author runs. Damage ends the rows
  of one query and is reported; what was read before stays.
"""

from __future__ import annotations

import glob
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts.reader_base import JsonObject, Skipped, Skips, Source

if TYPE_CHECKING:
    import sqlite3

MAGIC = b"SQLite format 3\0"
LOG, JOURNAL = "-wal", "-journal"
MAX_VALUE_BYTES = 500_000_000
STEPS_PER_CHECK = 1_000_000
_CHECKS, _BYTES_PER_CHECK = 50, 50_000
_LOG_ENDS = {0x377F0682: "<", 0x377F0683: ">"}
_HOT = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
_COLUMNS = "SELECT name FROM pragma_table_info(?)"


def is_database(data: bytes) -> bool:
    """Return whether a file is a SQLite database."""
    return data.startswith(MAGIC)


def beside(path: str) -> tuple[str, ...]:
    """Return the names of the files that SQLite keeps beside a database."""
    name = glob.escape(path.replace("\\", "/").rsplit("/", 1)[-1])
    return (name + LOG, name + JOURNAL)


def missing(tables: Mapping[str, frozenset[str]], needed: Mapping[str, str]) -> str:
    """Return the first of the needed tables or columns that a database lacks, "" if it has all."""
    for table, columns in needed.items():
        if table not in tables:
            return f"no table {table}"
        lacking = frozenset(columns.split()) - tables[table]
        if lacking:
            return f"no column {min(lacking)} in its table {table}"
    return ""


def demand(tables: Mapping[str, frozenset[str]], needed: Mapping[str, str], what: str) -> None:
    """Raise FormatError unless a database has these tables and columns."""
    if lacking := missing(tables, needed):
        raise FormatError(
            f"not {what}: it has {lacking}", hint="name the file of that program, or leave --format out"
        )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


class Database:
    """The tables of a database, and their columns. Raises FormatError if it cannot be read at all."""

    def __init__(self, data: bytes, log: bytes = b"") -> None:
        import sqlite3

        self.errors = (sqlite3.Error, OverflowError, UnicodeError)
        self.checks_left = _CHECKS + len(data) // _BYTES_PER_CHECK
        self.link = sqlite3.connect(":memory:")
        self.link.row_factory = sqlite3.Row
        self.link.text_factory = _text
        self.link.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        try:
            self.link.deserialize(with_log(data, log))
            self.link.execute("PRAGMA trusted_schema = OFF")
            self.link.set_progress_handler(self._is_over, STEPS_PER_CHECK)
            self.tables: Mapping[str, frozenset[str]] = {
                name: frozenset(column for (column,) in self.link.execute(_COLUMNS, (name,)))
                for (name,) in self.link.execute(_TABLES).fetchall()
            }
        except self.errors as error:
            self.link.close()
            raise FormatError(
                f"a SQLite database that cannot be read: {error}",
                hint="close the program that writes it, and import again; or use the program's own export",
            ) from None

    def _is_over(self) -> bool:
        """Return whether more was done than the file can hold: its pages lead in circles."""
        self.checks_left -= 1
        return self.checks_left < 0

    def rows(self, statement: str, *values: object, skipped: Skips) -> Iterator[JsonObject]:
        """Yield the rows that a statement selects; damage ends them and is reported."""
        found: Iterator[sqlite3.Row] = iter(())
        try:
            found = self.link.execute(statement, values)
            for row in found:
                yield dict(zip(row.keys(), cast("tuple[object, ...]", tuple(row)), strict=True))
        except self.errors as error:
            skipped.append(Skipped(1, f"the database is damaged: {error}"))

    def close(self) -> None:
        """Free the memory."""
        self.link.close()


def opened(source: Source) -> Database:
    """Return the database of a source with the log beside it. Raises FormatError, also in the middle of a write."""
    kept = {name: data for name, data in source.related.items() if data}
    log = next((data for name, data in kept.items() if name.endswith(LOG)), b"")
    if any(data.startswith(_HOT) for name, data in kept.items() if name.endswith(JOURNAL)):
        raise FormatError(
            "the database is in the middle of a write",
            hint="close the program that writes it, and import again",
        )
    return Database(source.data, log)


def with_log(data: bytes, log: bytes) -> bytes:
    """Return a database with the transactions of its write-ahead log, no longer marked as having one."""
    pages, size_bytes = _committed(log)
    if not pages and data[18:20] == b"\1\1":
        return data
    size_bytes = min(size_bytes or len(data), len(data) + len(log))
    whole = bytearray(data[:size_bytes].ljust(size_bytes, b"\0"))
    for at, page in pages.items():
        if at + len(page) <= size_bytes:
            whole[at : at + len(page)] = page
    whole[18:20] = b"\1\1"
    return bytes(whole)


def _committed(log: bytes) -> tuple[dict[int, bytes], int]:
    """Return the newest page at each place of the database, of whole transactions, and its size after them."""
    done: dict[int, bytes] = {}
    size_bytes = 0
    with suppress(struct.error, KeyError):
        magic, _, size = struct.unpack_from(">3I", log)
        order, salts = _LOG_ENDS[magic], log[16:24]
        sums = _summed(log[:24], order, (0, 0))
        if sums != struct.unpack_from(">2I", log, 24) or not 512 <= size <= 65536:
            return done, 0
        open_pages: dict[int, bytes] = {}
        for at in range(32, len(log) - size - 23, size + 24):
            head, page = log[at : at + 24], log[at + 24 : at + 24 + size]
            sums = _summed(page, order, _summed(head[:8], order, sums))
            number, commit = struct.unpack_from(">2I", head)
            if head[8:16] != salts or sums != struct.unpack_from(">2I", head, 16) or not number:
                break
            open_pages[(number - 1) * size] = page
            if commit:
                done.update(open_pages)
                open_pages.clear()
                size_bytes = commit * size
    return done, size_bytes


def _summed(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Return the running checksum of a log after more data."""
    one, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
