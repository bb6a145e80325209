"""Purging deleted content from the word indexes, the free pages and the write-ahead log.

SQLite overwrites deleted rows with zeros (`secure_delete`). A word index keeps deleted entries until its segments are
merged into one, which happens in short transactions so that appends continue. The log keeps every old page until it
is copied and truncated, for which there must be no reader. Until both are done the database says so (`unswept`), and
the next process that opens it continues.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from palimpsest.errors import StoreError
from palimpsest.stores.sqlite.connection import WRITE, connect, transaction, translate
from palimpsest.stores.sqlite.statements import Db

MERGED_PAGES = 256
"""Index pages that one step writes: some tens of milliseconds."""

MAX_STEPS = 100_000
"""The most merge steps of an index: 100 GB."""

BUSY_TIMEOUT_S = 10.0
"""How long each step waits for another process that writes."""

WAIT_S = 5.0
"""How long readers of the log are waited for."""

IN_MEMORY_BYTES = 256_000_000
"""The largest database that is copied in memory when it shrinks; a larger one is copied in a temporary file."""

LEAST_FREE_SHARE = 0.1
"""A larger database is copied only if this share of it is free; less is overwritten with zeros and reused."""

_PAUSE_S = 0.05
_INDEXES = ("optimize_messages", "optimize_summaries", "optimize_words")


def sweep(path: str, wait_s: float = WAIT_S) -> tuple[str, ...]:
    """Purge everything on a connection of its own; return what is left and why, "" if nothing. Raises StoreError."""
    connection = connect(path, BUSY_TIMEOUT_S)
    try:
        connection.execute("PRAGMA temp_store = MEMORY")
        db = Db(connection)
        times = db.number("erasures")
        for name in _INDEXES:
            merge_whole(path, db, name)
        left = _cut_log(connection, path, wait_s)
        if not left:
            transaction(path, db, WRITE, lambda held: held.run("swept", times))
            left = _cut_log(connection, path, wait_s)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    else:
        return left
    finally:
        connection.close()


def merge_whole(path: str, db: Db, name: str) -> None:
    """Merge an index into one segment, which contains no deleted entries."""
    pages = -MERGED_PAGES
    for _ in range(MAX_STEPS):
        before = db.connection.total_changes
        transaction(path, db, WRITE, lambda held, most=pages: held.run(name, most))
        if db.connection.total_changes - before < 2:
            return
        pages = MERGED_PAGES
    raise StoreError(f"{path}: an index could not be merged", hint="try again")


def _cut_log(connection: sqlite3.Connection, path: str, wait_s: float) -> tuple[str, ...]:
    """Copy the whole log into the database and truncate it. It retries instead of waiting, because a connection that
    waits inside SQLite blocks all writers.
    """
    ends_s = time.monotonic() + wait_s
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() >= ends_s:
                size_bytes = _size(path + "-wal")
                return (
                    f"the write-ahead log ({size_bytes:,} bytes) could not be cut: another process reads the database",
                )
            time.sleep(_PAUSE_S)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {round(BUSY_TIMEOUT_S * 1_000)}")
    return ()


def shrink(path: str, in_memory_bytes: int = IN_MEMORY_BYTES) -> bool:
    """Return deleted space to the file system where that is worthwhile; return whether it was possible now. The
    database is copied for it, up to `in_memory_bytes` in memory. Raises StoreError.
    """
    connection = connect(path, BUSY_TIMEOUT_S)
    try:
        small = _size(path) <= in_memory_bytes
        if not small and _free_share(connection) < LEAST_FREE_SHARE:
            return True
        where = "MEMORY" if small else "FILE"
        connection.execute(f"PRAGMA temp_store = {where}")
        connection.execute("VACUUM")
        return not _cut_log(connection, path, WAIT_S)
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "full" in str(error):
            return False
        raise translate(error, path) from error
    finally:
        connection.close()


def _free_share(connection: sqlite3.Connection) -> float:
    free, pages = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count")
    )
    return free / max(1, pages)


def _size(path: str) -> int:
    return Path(path).stat().st_size if Path(path).exists() else 0
