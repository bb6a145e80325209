"""Salvaging a damaged SQLite file: reading rows from intact pages without SQLite, and making a new database of them.

- A page's first byte says whether it holds rows, and where they begin. Rows that overflow their page continue in
  linked pages. Tree, free list and schema are not read, so a row may be a deleted one, or appear twice.
- Rows are recognized by their checksums (`stores.checksums`), so nothing is taken that was changed. Lost owners,
  conversations and branches get names that say so. The new database is verified and repaired; its messages can be
  read, searched and exported, and `export --all` names missing ones.
- Deleted content stays deleted: tombstones are salvaged, with a copy of the key.
- Not salvaged are derived data (indexes, ledgers, vectors) and short-lived data (leases, jobs, the list of written
  files).
"""

from __future__ import annotations

import json
import re
import sqlite3
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import cast

from palimpsest.errors import StoreError, UsageError, reason_of
from palimpsest.record.forgetting import MARK_BYTES, SALT_BYTES
from palimpsest.record.spending import Account
from palimpsest.stores.checksums import SUMMED, crc
from palimpsest.stores.sqlite.connection import connect, translate
from palimpsest.stores.sqlite.deletion.digest_key import copy_key

Record = tuple[int | None, tuple[object, ...]]
"""(row number, values); the number is None in a table without row numbers."""

_TABLE_LEAF, _INDEX_LEAF, _INDEX_TREE = 0x0D, 0x0A, 0x02
_DEFAULT_PAGE = 4_096
_MAX_RECORD = 1 << 30
_MAX_COLUMNS = 64


class _Broken(Exception):
    """A damaged row or page."""


class Pages:
    """The pages of a file, updated by those of its write-ahead log."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        size = int.from_bytes(self._data[16:18], "big")
        size = 65_536 if size == 1 else size
        self.size = size if 512 <= size <= 65_536 and not size & (size - 1) else _DEFAULT_PAGE
        self.usable = self.size - (self._data[20] if len(self._data) > 20 and self._data[20] < 64 else 0)
        self._log = dict(self._logged(Path(f"{path}-wal")))
        self.count = max([len(self._data) // self.size + 1, *self._log])

    def _logged(self, log: Path) -> Iterator[tuple[int, bytes]]:
        """Return (number, content) of the pages in the log, up to the first damaged one."""
        data = log.read_bytes() if log.is_file() else b""
        frame = 24 + self.size
        for start in range(32, len(data) - frame + 1, frame):
            number = int.from_bytes(data[start : start + 4], "big")
            if data[start + 8 : start + 16] != data[16:24]:
                return
            yield number, data[start + 24 : start + frame]

    def page(self, number: int) -> bytes:
        """Return a page, from 1 on; shorter if the file was truncated."""
        return self._log.get(number) or self._data[(number - 1) * self.size : number * self.size]

    def records(self) -> Iterator[Record]:
        """Yield every row of every readable page."""
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
    """Return the values of a row."""
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


_BUSY_TIMEOUT_S = 5.0
_MAX_NAME_CHARS = 1_000
_SOURCE = re.compile(r"[ms][1-9]\d*")
_KEPT = (
    "conversation", "branch", "message", "summary", "compaction", "pin", "append_key", "calibration", "usage", "item",
    "spent",
)  # fmt: skip
"""Tables whose rows are recognized by their columns and checksums."""


def salvage(path: Path, target: Path) -> Counter[str]:
    """Make a new database at `target` from the rows of the file at `path`; return the number of rows of each table.

    Raises UsageError if `target` exists, StoreError if the file cannot be read or nothing can be made.
    """
    if target.exists():
        raise UsageError(f"{target} exists already", hint="choose another file")
    try:
        pages = Pages(path)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read: {reason_of(error)}", hint="check its permissions"
        ) from error
    try:
        with closing(_made(target)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            found = _take(connection, pages)
            _put_in_place(connection)
            connection.execute("COMMIT")
            copy_key(str(path), str(target))
            return found
    except sqlite3.Error as error:
        raise translate(error, str(target)) from error


def _made(target: Path) -> sqlite3.Connection:
    target.touch(mode=0o600)
    connection = connect(str(target), _BUSY_TIMEOUT_S)
    connection.execute("PRAGMA foreign_keys = OFF")
    return connection


def _take(connection: sqlite3.Connection, pages: Pages) -> Counter[str]:
    """Yield every intact row."""
    shapes = {table: _columns(connection, table) for table in _KEPT}
    by_width: dict[int, list[str]] = {}
    for table, columns in shapes.items():
        by_width.setdefault(len(columns), []).append(table)
    found = Counter[str]()
    later: list[Record] = []
    for record in pages.records():
        for table in by_width.get(len(record[1]), ()):
            columns = shapes[table]
            if _is_of(record, table, columns):
                found[table] += _put(connection, table, columns, record)
                break
        else:
            for table, columns in _UNSUMMED.items():
                if _fits(record, table):
                    if table == "summary_source" and str(record[1][-1]).startswith("s"):
                        later.append(record)
                    else:
                        found[table] += _put(connection, table, columns, record)
            for table in _noted(record):
                found[table] += _put(connection, table, _NOTED[table], record)
    for record in later:
        if connection.execute(_IS_BENEATH, (record[1][0], str(record[1][2])[1:])).fetchone():
            found["summary_source"] += _put(connection, "summary_source", _UNSUMMED["summary_source"], record)
    return found


_IS_BENEATH = (
    "SELECT 1 FROM summary JOIN summary AS child ON child.id = CAST(?2 AS INTEGER) WHERE summary.id = ?1 "
    "AND child.id < summary.id AND child.depth < summary.depth AND child.branch_id <= summary.branch_id "
    "AND child.first_seq >= summary.first_seq AND child.last_seq <= summary.last_seq"
)
"""Whether a summary may be a source of another: an index has rows of the same form."""


_UNSUMMED = {
    "owner": ("id", "name"),
    "summary_source": ("summary_id", "place", "source"),
    "tombstone": ("message_id", "conversation_id", "salt", "mark", "origin_mark"),
    "forgotten": ("owner_id", "mark"),
}
_NOTED = {"memo": ("conversation_id", "body", "crc"), "account": ("branch_id", "body", "crc")}
"""Tables of the same form as ledgers: a row is recognized by its JSON."""

_MEMO = {"failed_s", "effect", "secrets"}
_ACCOUNT = {one.name for one in fields(Account)}


def _fits(record: Record, table: str) -> bool:
    """Return whether a row without a checksum can belong to one of these tables."""
    number, values = record
    match table, values:
        case "owner", (None, str(name)):
            return number is not None and bool(name) and len(name) <= _MAX_NAME_CHARS
        case "summary_source", (int(), int(), str(source)):
            return number is None and _SOURCE.fullmatch(source) is not None
        case "tombstone", (None, int(), bytes(salt), bytes(mark), bytes(origin)):
            sizes = (len(salt), len(mark), len(origin))
            return number is not None and sizes in {
                (SALT_BYTES, MARK_BYTES, MARK_BYTES),
                (SALT_BYTES, MARK_BYTES, 0),
            }
        case "forgotten", (int(), bytes(mark)):
            return number is None and len(mark) == MARK_BYTES
        case _:
            return False


def _noted(record: Record) -> Iterator[str]:
    """Return the JSON table that an intact row belongs to."""
    match record:
        case int(), (None, str(body), int(given)) if given == crc(body):
            try:
                value: object = json.loads(body)
            except ValueError:
                return
            names = set(cast("dict[str, object]", value)) if isinstance(value, dict) else set[str]()
            if names and names <= _MEMO:
                yield "memo"
            elif names == _ACCOUNT:
                yield "account"
        case _:
            return


def _columns(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Return the columns of a table as stored."""
    return tuple(
        str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))
    )


def _is_of(record: Record, table: str, columns: tuple[str, ...]) -> bool:
    """Return whether a row is an intact row of the table."""
    row = dict(zip(columns, _whole(record, columns), strict=True))
    return columns[-1] == "crc" and row["crc"] == crc(
        *(_as_stored(row[name], table, name) for name in SUMMED[table])
    )


_REAL = {
    "time_s", "updated_s", "earliest_s", "latest_s", "estimated", "reported", "cost", "never_cost", "units",
}  # fmt: skip


def _as_stored(value: object, table: str, name: str) -> object:
    """Return a number as its column has it: SQLite stores an integral REAL as an integer."""
    real = name in _REAL and (table, name) != ("spent", "reported")
    return float(value) if real and isinstance(value, int) else value


def _whole(record: Record, columns: tuple[str, ...]) -> tuple[object, ...]:
    """Return the values of a row, with its row number if that is the first column."""
    number, values = record
    return (number, *values[1:]) if number is not None and columns[0] in _NUMBERED else values


_NUMBERED = {"id", "branch_id", "conversation_id", "message_id"}
"""Columns that are the row number if they come first."""


def _put(connection: sqlite3.Connection, table: str, columns: tuple[str, ...], record: Record) -> int:
    names = [name for name in columns if name != "crc"]
    values = _whole(record, columns)[: len(names)]
    # Names of tables and columns come from the schema, never from the file.
    statement = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608
    try:
        return max(0, connection.execute(statement, values).rowcount)
    except (sqlite3.Error, OverflowError):
        return 0


def _put_in_place(connection: sqlite3.Connection) -> None:
    """Create lost owners, conversations and branches under names that say so."""
    for statement in _statements():
        connection.execute(statement)


def _statements() -> Iterator[str]:
    yield (
        "INSERT OR IGNORE INTO owner (id, name) SELECT DISTINCT owner_id, 'recovered-' || owner_id FROM "
        "(SELECT owner_id FROM message UNION SELECT owner_id FROM conversation) "
        "WHERE owner_id NOT IN (SELECT id FROM owner)"
    )
    yield (
        "INSERT OR IGNORE INTO conversation (id, owner_id, name, updated_s) "
        "SELECT conversation_id, min(owner_id), 'recovered-' || conversation_id, 0 FROM message "
        "WHERE conversation_id NOT IN (SELECT id FROM conversation) GROUP BY conversation_id"
    )
    yield (
        "INSERT OR IGNORE INTO branch (id, conversation_id, head_seq, head_chain, closed_seq) "
        "SELECT branch_id, min(conversation_id), max(seq), X'', max(seq) FROM message "
        "WHERE branch_id NOT IN (SELECT id FROM branch) GROUP BY branch_id"
    )
    yield "DELETE FROM branch WHERE conversation_id NOT IN (SELECT id FROM conversation)"
    yield "DELETE FROM summary WHERE branch_id NOT IN (SELECT id FROM branch)"
    yield "DELETE FROM summary_source WHERE summary_id NOT IN (SELECT id FROM summary)"
    yield "DELETE FROM compaction WHERE branch_id NOT IN (SELECT id FROM branch)"
    yield "DELETE FROM item WHERE branch_id NOT IN (SELECT id FROM branch)"
    yield "DELETE FROM usage WHERE branch_id NOT IN (SELECT id FROM branch)"
    yield "DELETE FROM pin WHERE conversation_id NOT IN (SELECT id FROM conversation)"
    yield "DELETE FROM append_key WHERE conversation_id NOT IN (SELECT id FROM conversation)"
    yield "DELETE FROM spent WHERE conversation_id NOT IN (SELECT id FROM conversation)"
    yield "DELETE FROM memo WHERE conversation_id NOT IN (SELECT id FROM conversation)"
    yield "DELETE FROM account WHERE branch_id NOT IN (SELECT id FROM branch)"
    yield "DELETE FROM tombstone WHERE message_id NOT IN (SELECT id FROM message)"
    yield "DELETE FROM forgotten WHERE owner_id NOT IN (SELECT id FROM owner)"
    yield "DELETE FROM calibration WHERE owner_id NOT IN (SELECT id FROM owner)"
    yield (
        "UPDATE conversation SET branch_id = (SELECT max(id) FROM branch WHERE conversation_id = conversation.id) "
        "WHERE branch_id IS NULL OR branch_id NOT IN (SELECT id FROM branch)"
    )
