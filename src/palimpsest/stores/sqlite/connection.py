"""Connections to a SQLite file, and transactions on them.

Every acknowledged commit survives a crash of the process and of the machine: write-ahead log with synchronous = FULL.
With relaxed durability the writing connection does not wait for the disk (NORMAL); the log reaches it when it is
copied into the file. The file is valid at every moment either way. Only its owner can read a file. Driver errors
become `StoreError` here and nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from palimpsest.errors import PalimpsestError, StoreError, UsageError, reason_of
from palimpsest.settings import Durability
from palimpsest.stores.sqlite import migrations
from palimpsest.stores.sqlite.statements import OTHERS, Db, tune

Result = TypeVar("Result")

SEARCH_CACHE_KB = 16_000
"""The page cache of a search connection: the pages of 2,000 messages. SQLite's 2 MB hold a fourth of them, and
reading the others again takes as long as the rest of the search.
"""

WRITE = "BEGIN IMMEDIATE"
"""How a write transaction begins."""

_LOGGER = logging.getLogger("palimpsest")
_CACHED_STATEMENTS = 128
_SALVAGE = "`palimpsest doctor --salvage NEW` takes out what is whole"
_DAMAGED = f"see `palimpsest doctor`; where that cannot open it either, restore a backup, or {_SALVAGE}"
_NO_DATABASE = f"choose another file with --db; if it was one and is damaged, {_SALVAGE}"
_STEPS_BETWEEN_LOOKS = 2_000


def translate(error: sqlite3.Error, path: str) -> StoreError:
    """Return a driver error as one of ours, with a hint."""
    text = str(error).lower()
    if "locked" in text or "busy" in text:
        failure = StoreError(
            f"{path} is locked by another process", hint="wait for it to finish, then try again"
        )
        failure.retryable = True
        return failure
    for clue, message, hint in (
        ("readonly", "is read-only", "make the file and its folder writable, or choose another with --db"),
        ("not a database", "is not a Palimpsest database", _NO_DATABASE),
        ("malformed", "is damaged", _DAMAGED),
        ("could not decode", "is damaged", _DAMAGED),
        ("user-defined function raised", "is damaged", _DAMAGED),
        ("no such column", "is damaged", _DAMAGED),
        ("no such table", "is damaged", _DAMAGED),
        (
            "disk i/o error",
            "cannot be read or written: the disk refused",
            "check the disk, then see `palimpsest verify`; nothing that was acknowledged was changed",
        ),
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
class ConnectionThread:
    """A connection and the one thread that uses it."""

    thread: ThreadPoolExecutor
    db: Db
    process: int = field(default_factory=os.getpid)

    @property
    def forked(self) -> bool:
        """Return whether this is a copy in a forked process, where its thread does not exist."""
        return self.process != os.getpid()

    async def run(self, path: str, begin: str, work: Callable[[Db], Result]) -> Result:
        """Return what `work(db)` returns in a transaction. Raises StoreError in a forked process, which has no such
        thread.

        Cancellation withdraws a job that has not started. It waits for the end of a write that has, so that nothing
        is written unnoticed; a second cancellation stops waiting.
        """
        if self.forked:
            raise StoreError(
                f"{path} was opened before this process was forked", hint="open it after the fork"
            )
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()
        job = self.thread.submit(_answered, loop, done, path, self.db, begin, work)
        try:
            return await done
        except asyncio.CancelledError:
            if not job.cancel() and begin == WRITE:
                await asyncio.wait([asyncio.wrap_future(job)])
            raise


def _answered(
    loop: asyncio.AbstractEventLoop, done: asyncio.Future[Result], path: str, db: Db, begin: str,
    work: Callable[[Db], Result],
) -> None:  # fmt: skip
    """Run a job on a connection's thread and answer on the loop's thread in one step; chained futures take three."""
    answer: Callable[[], None]
    try:
        answer = partial(done.set_result, transaction(path, db, begin, work))
    except BaseException as error:  # noqa: BLE001  (the waiting caller receives any exception)
        answer = partial(done.set_exception, error)
    with suppress(RuntimeError):  # the loop was closed: nobody waits
        loop.call_soon_threadsafe(_unless_done, done, answer)


def _unless_done(done: asyncio.Future[Result], answer: Callable[[], None]) -> None:
    if not done.done():
        answer()


def open_connections(
    path: str, busy_timeout_s: float, durability: Durability = "full"
) -> tuple[ConnectionThread, ConnectionThread, ConnectionThread]:
    """Open connections for writing, reading and searching; one for all three in memory."""
    opened: list[ConnectionThread] = []
    try:
        if path != ":memory:":
            _make_private(Path(path))
        for name in ("writer",) if path == ":memory:" else ("writer", "reader", "searcher"):
            db = Db(connect(path, busy_timeout_s))
            opened.append(ConnectionThread(ThreadPoolExecutor(1, f"palimpsest-{name}"), db))
        enlarge_cache(opened[-1].db.connection)
        if durability == "relaxed":
            opened[0].db.connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException as error:
        for worker in opened:
            worker.db.connection.close()
        if isinstance(error, sqlite3.Error):
            raise translate(error, path) from error
        if isinstance(error, OSError):
            raise StoreError(
                f"{path} cannot be opened: {reason_of(error)}", hint="choose another place with --db"
            ) from error
        raise
    return opened[0], opened[len(opened) // 2], opened[-1]


def absolute_path(path: str | Path) -> str:
    """Return the absolute path, because some connections are opened later, when the working folder may have changed.
    Raises StoreError if that folder is gone.
    """
    if str(path) == ":memory:":
        return str(path)
    try:
        return str(Path(path).absolute())
    except FileNotFoundError as error:
        raise StoreError(
            f"{path} cannot be opened: the working folder is gone", hint="give an absolute path"
        ) from error


def _make_private(path: Path) -> None:
    """Create the folder and the file if they do not exist, readable only by their owner.

    Raises StoreError for a file of one byte, which SQLite takes for an empty database. An existing file is opened
    only by SQLite: POSIX releases all locks of a process on a file when any handle on it is closed, and another
    process could then remove the log.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    elif path.is_file():
        known = path.stat()
        if known.st_size == 1:
            raise StoreError(f"{path} is not a Palimpsest database", hint=_NO_DATABASE)
        if os.name == "posix" and known.st_mode & OTHERS:
            _LOGGER.warning("%s is open to other users of this machine: `chmod 600` closes it", path)
    elif not path.is_dir():
        raise StoreError(f"{path} is not a file", hint="choose another place with --db")


def connect(path: str, busy_timeout_s: float) -> sqlite3.Connection:
    """Return a connection to a Palimpsest database, created or migrated if necessary."""
    sealed = is_sealed(path)
    connection = sqlite3.connect(
        uri_of(path, "immutable=1") if sealed else path, timeout=busy_timeout_s, isolation_level=None,
        check_same_thread=False, cached_statements=_CACHED_STATEMENTS, uri=sealed,
    )  # fmt: skip
    try:
        tune(connection)
        migrations.prepare(connection, path)
    except UnicodeDecodeError as error:
        connection.close()
        raise sqlite3.DatabaseError("malformed: a name is not text") from error
    except BaseException:
        connection.close()
        raise
    return connection


def enlarge_cache(connection: sqlite3.Connection) -> None:
    """Enlarge a connection's page cache to what a search reads."""
    connection.execute(f"PRAGMA cache_size = -{SEARCH_CACHE_KB}")


def is_sealed(path: str) -> bool:
    """Return whether a database can only be read as it is: SQLite cannot create the log in its folder, and it was
    closed properly, so there is no log to read.
    """
    file = Path(path)
    if path == ":memory:" or not file.is_file() or Path(f"{path}-wal").exists():
        return False
    effective = os.access in os.supports_effective_ids
    return not os.access(file.parent, os.W_OK, effective_ids=effective)


def uri_of(path: str, options: str) -> str:
    """Return a file's name as a SQLite URI."""
    return f"file:{quote(str(Path(path).absolute()))}?{options}"


def with_time_limit(limit_s: float, work: Callable[[Db], Result], db: Db) -> Result:
    """Run `work`, interrupted after `limit_s`, because a connection that one search holds serves nobody else. Raises
    StoreError.
    """
    ends_s = time.monotonic() + limit_s
    db.connection.set_progress_handler(lambda: time.monotonic() > ends_s, _STEPS_BETWEEN_LOOKS)
    try:
        return work(db)
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            raise
        raise search_timeout(limit_s) from None
    finally:
        db.connection.set_progress_handler(None, 0)


def search_timeout(limit_s: float) -> StoreError:
    """Return the error of an interrupted search."""
    return StoreError(
        f"the search took longer than {limit_s:g} s and was given up",
        hint="look for rarer words, or narrow it to a conversation, a role or a time",
    )


def transaction(path: str, db: Db, begin: str, work: Callable[[Db], Result]) -> Result:
    """Run `work` in a transaction: all of it or nothing, whatever is raised."""
    try:
        db.fresh = False
        db.connection.execute(begin)
        try:
            result = work(db)
            db.connection.execute("COMMIT")
        except BaseException:
            db.let_go()
            db.forks.clear()
            if db.connection.in_transaction:
                db.connection.execute("ROLLBACK")
            raise
    except PalimpsestError:
        raise
    except sqlite3.Error as error:
        raise translate(error, path) from error
    except UnicodeDecodeError as error:
        raise translate(sqlite3.DatabaseError("malformed: a name is not text"), path) from error
    except UnicodeEncodeError as error:
        raise UsageError(
            "a name or key has a lone surrogate", hint="give text that can be encoded as UTF-8"
        ) from error
    return result
