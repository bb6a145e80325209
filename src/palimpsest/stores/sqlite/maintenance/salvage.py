"""A new database from whatever rows a damaged one still has: the last resort, where SQLite cannot read a file any more.

Rows are known by their sums (`stores.sound`), so nothing that is not as it was written is taken. What they belong
to and is lost (an owner, a conversation, a branch) is put in place under a name that says so. The new database is
examined and put right where that can be; its messages can be read, searched and exported, and where some are
missing `export --all` says so. What was forgotten stays so: tombstones come along, and a copy of the key beside them.

Left out is what is made again: indexes, ledgers (read again from the messages, as their text stands in the records of
compactions), vectors; and what is worth nothing later: leases, jobs, the list of files that were written.
"""

from __future__ import annotations

import json
import re
import sqlite3
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
from palimpsest.stores.sqlite.maintenance.page_reader import Pages, Record

_BUSY_TIMEOUT_S = 5.0
_MAX_NAME_CHARS = 1_000
_SOURCE = re.compile(r"[ms][1-9]\d*")
_KEPT = (
    "conversation", "branch", "message", "summary", "compaction", "pin", "append_key", "calibration", "usage", "item",
    "spent",
)  # fmt: skip
"""Tables whose rows are known by their columns and sums."""


def salvage(path: Path, target: Path) -> Counter[str]:
    """Make a new database at `target` from the rows of the file at `path`; how many of each table.

    Raises UsageError where `target` is there, StoreError where the file cannot be read or nothing can be made.
    """
    if target.exists():
        raise UsageError(f"{target} is there already", hint="choose another file")
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
    """Every row that is as it was written."""
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
"""Whether a summary may be a source of another: an index holds rows of the same form that are none."""


_UNSUMMED = {
    "owner": ("id", "name"),
    "summary_source": ("summary_id", "place", "source"),
    "tombstone": ("message_id", "conversation_id", "salt", "mark", "origin_mark"),
    "forgotten": ("owner_id", "mark"),
}
_NOTED = {"memo": ("conversation_id", "body", "crc"), "account": ("branch_id", "body", "crc")}
"""Tables of one form, as that of ledgers is: a row is known by what its JSON holds."""

_MEMO = {"failed_s", "effect", "secrets"}
_ACCOUNT = {one.name for one in fields(Account)}


def _fits(record: Record, table: str) -> bool:
    """Whether a row without a sum can be one of these."""
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
    """Which of the tables with JSON in them a row is of, if it is as it was written."""
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
    """The columns of a table as they are stored."""
    return tuple(
        str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))
    )


def _is_of(record: Record, table: str, columns: tuple[str, ...]) -> bool:
    """Whether a row is one of the table, as it was written."""
    row = dict(zip(columns, _whole(record, columns), strict=True))
    return columns[-1] == "crc" and row["crc"] == crc(
        *(_as_stored(row[name], table, name) for name in SUMMED[table])
    )


_REAL = {
    "time_s", "updated_s", "earliest_s", "latest_s", "estimated", "reported", "cost", "never_cost", "units",
}  # fmt: skip


def _as_stored(value: object, table: str, name: str) -> object:
    """A number as its column has it: SQLite keeps a whole one of a REAL column as an integer."""
    real = name in _REAL and (table, name) != ("spent", "reported")
    return float(value) if real and isinstance(value, int) else value


def _whole(record: Record, columns: tuple[str, ...]) -> tuple[object, ...]:
    """The values of a row, with its number where the first column is just that."""
    number, values = record
    return (number, *values[1:]) if number is not None and columns[0] in _NUMBERED else values


_NUMBERED = {"id", "branch_id", "conversation_id", "message_id"}
"""Columns that are a row's number where they come first."""


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
    """Owners, conversations and branches that are lost, under names that say so."""
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
