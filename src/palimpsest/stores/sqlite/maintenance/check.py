"""Verifying a SQLite file: what is damaged, and where. Nothing is written; readers and writers continue.

- Pages, tables, foreign keys: as SQLite checks them.
- Rows: every checksum is correct (`stores.checksums`).
- The log: hash chains, positions, forks, and the recorded ends of branches (`check_rows`).
- Windows: each equals the fold of the log and covers every message once; the sources of every summary exist and cover
  its range (`check_rows`).
- Indexes: they contain exactly what messages and summaries give them (`check_index`).

An unreadable part is a fault like any other, and the verification continues behind it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress

from palimpsest.record.health_report import Health
from palimpsest.record.store_values import Progress, unwatched
from palimpsest.stores import checksums
from palimpsest.stores.sqlite.connection import is_sealed, translate, uri_of
from palimpsest.stores.sqlite.fulltext.index import index_state, rebuild_left
from palimpsest.stores.sqlite.maintenance.check_index import check_indexes, empty_copy
from palimpsest.stores.sqlite.maintenance.check_rows import (
    Findings,
    check_attachments,
    check_branches,
    check_calibration,
    check_windows,
)
from palimpsest.stores.sqlite.migrations import stand_in
from palimpsest.stores.sqlite.statements import Db, raw_text

_MAX_COMPLAINTS = 100
_TABLES = "SELECT type, name, sql FROM sqlite_master UNION SELECT type, name, sql FROM sqlite_temp_master"


def open_to_read(path: str) -> sqlite3.Connection:
    """Return a read-only connection that returns invalid UTF-8 as stored. Raises StoreError."""
    try:
        connection = sqlite3.connect(
            uri_of(path, "immutable=1" if is_sealed(path) else "mode=ro"), uri=True, isolation_level=None,
            check_same_thread=False,
        )  # fmt: skip
    except sqlite3.Error as error:
        raise translate(error, path) from error
    prepared_to_look(connection)
    return connection


def prepared_to_look(connection: sqlite3.Connection) -> None:
    """Let a connection return text as stored, even if it is damaged."""
    connection.row_factory = sqlite3.Row
    connection.text_factory = raw_text
    checksums.register_crc(connection)


def check(
    db: Db, owner: str | None, conversation: str | None, *, indexes: bool = True, step: Progress | None = None
) -> Health:
    """Verify one conversation, an owner's, or (without an owner) everybody's, within a transaction of the caller."""
    tell = step or unwatched
    findings = Findings(tell=tell)
    with readable(findings, "the file's version"):
        stand_in(db.connection)
    if conversation is None:
        tell("pages", 0, 1)
        _check_file(db, findings)
        if not _has_schema(db, findings):
            return findings.health(indexed=False)
    _check_conversations(db, findings, owner, conversation)
    looked_at, to_index = indexes and conversation is None, 0
    with readable(findings, "how far the indexes have come"):
        to_index = rebuild_left(db)
        looked_at = looked_at and index_state(db).ours
    if looked_at:
        check_indexes(db, findings, tell)
    return findings.health(indexed=looked_at, to_index=to_index)


def _check_file(db: Db, findings: Findings) -> None:
    with readable(findings, "the file's pages"):
        for row in db.connection.execute(f"PRAGMA integrity_check({_MAX_COMPLAINTS})"):
            text = str(row[0])
            if text != "ok":
                findings.add("file", f"SQLite finds: {text}", repairable=_derived(text))
    with readable(findings, "the references between tables"):
        for table, number, parent, _ in db.connection.execute("PRAGMA foreign_key_check"):
            findings.add(
                "reference", f"row {number} of table {table} points to a row of {parent} that is not there",
                repairable=table in {"vector", "vector_progress", "ledger"},
            )  # fmt: skip


def _has_schema(db: Db, findings: Findings) -> bool:
    """Return whether the tables are this program's: with others nothing else can be verified."""
    with readable(findings, "the list of tables"), closing(empty_copy().connection) as fresh:
        right, there = ({tuple(row) for row in one.execute(_TABLES)} for one in (fresh, db.connection))
        for row in sorted(right - there, key=str):
            findings.add("file", f"the {row[0]} {row[1]} is not there as this program makes it")
        return right <= there
    return False


def _derived(complaint: str) -> bool:
    """Return whether SQLite complains about an index, which it can rebuild from its table."""
    return "missing from index" in complaint or "wrong # of entries in index" in complaint


def _check_conversations(db: Db, findings: Findings, owner: str | None, conversation: str | None) -> None:
    number = 0
    owners = dict[int, bool]()
    with readable(findings, "the list of conversations"):
        while (row := db.row("every_conversation", number)) is not None:
            number = db.beyond(row["id"], number)
            named = conversation is None or (row["name"] == conversation and row["owner"] == owner)
            if not named:
                continue
            if not findings.of:
                findings.of = _how_many(db, number if conversation is not None else None)
            findings.tell("messages", findings.read, findings.of)
            findings.place(row["name"], own=owner is None or row["owner"] == owner)
            _check_conversation(db, findings, row)
            owners[int(row["owner_id"])] = findings.own
        for owner_id, own in owners.items() if conversation is None else ():
            findings.place("", own=own)
            with readable(findings, "what was learnt of models"):
                check_calibration(db, findings, owner_id)
    findings.place("")


def _how_many(db: Db, conversation: int | None) -> int:
    """Return the approximate number of messages, for the progress; damage is found elsewhere."""
    with suppress(sqlite3.Error):
        if conversation is None:
            return db.number("newest_message")
        return db.number("count_conversation_messages", conversation)
    return 0


def _check_conversation(db: Db, findings: Findings, row: sqlite3.Row) -> None:
    findings.count("conversations")
    if not checksums.is_intact(row, "conversation"):
        findings.add("row", "the conversation's title or system prompt is not what was stored")
    for what, part in (
        ("its messages", check_branches),
        ("its windows and summaries", check_windows),
        ("other data of the conversation", check_attachments),
    ):
        with readable(findings, what):
            part(db, findings, row)


@contextmanager
def readable(findings: Findings, what: str) -> Generator[None]:
    """Turn a read error into a fault: SQLite's, or a value of another type."""
    try:
        yield
    except (sqlite3.Error, TypeError, ValueError) as error:
        findings.add("file", f"{what} cannot be read whole: {error}")
