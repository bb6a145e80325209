"""Connections to a SQLite file: opening one, and a transaction on it.

Every acknowledged commit survives a crash of the process and of the machine: write-ahead log with synchronous = FULL. A
file is made readable by its owner only. Driver errors become `StoreError` here and nowhere else.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from palimpsest.errors import PalimpsestError, StoreError, UsageError
from palimpsest.stores import migrate
from palimpsest.stores.sqlite_db import Db

Result = TypeVar("Result")

MAX_LOG_PAGES = 20_000
"""At so many pages of log (80 MB) a writer copies it itself: somebody keeps the other thread from doing it."""

WRITE = "BEGIN IMMEDIATE"
"""How a transaction begins that writes."""

_CACHED_STATEMENTS = 128
_HEADER = b"SQLite format 3\0"


def translate(error: sqlite3.Error, path: str) -> StoreError:
    """A driver error as one of ours, with the way out."""
    text = str(error).lower()
    if "locked" in text or "busy" in text:
        failure = StoreError(
            f"{path} is locked by another process", hint="wait for it to finish, then try again"
        )
        failure.retryable = True
        return failure
    for clue, message, hint in (
        ("readonly", "is read-only", "make the file and its folder writable, or choose another with --db"),
        ("not a database", "is not a Palimpsest database", "choose another file with --db"),
        ("malformed", "is damaged", "restore it from a backup"),
        (
            "disk is full",
            "cannot grow: the disk is full",
            "free some space; nothing that was acknowledged is lost",
        ),
        ("unable to open", "cannot be opened", "check that its folder exists and may be written to"),
    ):
        if clue in text:
            return StoreError(f"{path} {message}", hint=hint)
    return StoreError(
        f"{path}: {error}", hint="check that the file is a Palimpsest database and may be written to"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """A connection and the one thread that uses it."""

    thread: ThreadPoolExecutor
    db: Db


def open_lanes(path: str, busy_timeout_s: float) -> tuple[Lane, Lane, Lane]:
    """For writing, for reading and for searching; one and the same for a database in memory."""
    opened: list[Lane] = []
    try:
        if path != ":memory:":
            _make_private(Path(path))
        for name in ("writer",) if path == ":memory:" else ("writer", "reader", "searcher"):
            db = Db(connect(path, busy_timeout_s))
            opened.append(Lane(ThreadPoolExecutor(1, f"palimpsest-{name}"), db))
    except BaseException as error:
        for lane in opened:
            lane.db.connection.close()
        if isinstance(error, sqlite3.Error):
            raise translate(error, path) from error
        if isinstance(error, OSError):
            raise StoreError(
                f"{path} cannot be opened: {error.strerror}", hint="choose another place with --db"
            ) from error
        raise
    return opened[0], opened[len(opened) // 2], opened[-1]


def _make_private(path: Path) -> None:
    """Make the folder and the file if they do not exist, readable by their owner only.

    Raises StoreError for a file that is no database: SQLite itself takes a very short one for an empty database.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    elif path.is_file():
        with path.open("rb") as file:
            if file.read(len(_HEADER)) not in {b"", _HEADER}:
                raise StoreError(f"{path} is not a Palimpsest database", hint="choose another file with --db")


def connect(path: str, busy_timeout_s: float) -> sqlite3.Connection:
    """A connection to a Palimpsest database, made or brought up to date if it has to be."""
    connection = sqlite3.connect(
        path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
    )  # fmt: skip
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {MAX_LOG_PAGES}")
        migrate.prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


async def settled(job: Future[Result]) -> Result:
    """What a job that writes gives. Cancelled, this takes the job back where it has not begun, and waits for its end
    where it has, so that nothing is written behind anybody's back; cancelled once more, it waits no longer.
    """
    done = asyncio.wrap_future(job)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        if not job.cancel():
            done.add_done_callback(_seen)
            await asyncio.wait([done])
        raise


def _seen(done: asyncio.Future[Result]) -> None:
    """Take note of a failure that nobody waits for any more."""
    if not done.cancelled():
        done.exception()


def transaction(path: str, db: Db, begin: str, work: Callable[[Db], Result]) -> Result:
    """`work` in a transaction: all of it or nothing, whatever is raised."""
    try:
        db.connection.execute(begin)
        try:
            result = work(db)
            db.connection.execute("COMMIT")
        except BaseException:
            db.conversations.clear()
            db.owners.clear()
            db.words.clear()
            db.forks.clear()
            if db.connection.in_transaction:
                db.connection.execute("ROLLBACK")
            raise
    except PalimpsestError:
        raise
    except sqlite3.Error as error:
        raise translate(error, path) from error
    except UnicodeEncodeError as error:
        raise UsageError(
            "a name or key holds half of a surrogate pair", hint="give text that can be written as UTF-8"
        ) from error
    return result
