"""A copy of a SQLite file while it is in use: one moment of it, whole or not at all, for its owner only to read."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from palimpsest.errors import StoreError, UsageError, reason_of
from palimpsest.record.progress import Progress, unwatched
from palimpsest.stores.sqlite.lane import translate

_OF_THE_COPY = frozenset({"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE"})
"""What can only go wrong where something is written."""

_PAGES = 2_000
"""Pages that are copied between two reports of progress."""


def backup(
    source: sqlite3.Connection, path: str, target: Path, *, force: bool, step: Progress | None = None
) -> int:
    """Copy the database at `path`, open as `source`, to `target`; its size in bytes.

    A read transaction is held meanwhile, so that what others write does not make the copy begin again. Raises
    UsageError where the target is there and not `force`, StoreError where it cannot be written.
    """
    if target.exists() and not force:
        raise UsageError(f"{target} is there already", hint="choose another file, or add --force")
    if target.exists() and Path(path).exists() and target.samefile(path):
        raise UsageError(f"{target} is the database itself", hint="choose another file")
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _copy(source, part, step or unwatched)
        _sync(part)
        size = part.stat().st_size
        part.replace(target)
        _sync(target.parent)
    except OSError as error:
        raise StoreError(
            f"cannot write {target}: {reason_of(error)}", hint="make room, or choose another place"
        ) from error
    except sqlite3.Error as error:
        if error.sqlite_errorname in _OF_THE_COPY:
            raise StoreError(
                f"cannot write {target}: the disk is full or refuses",
                hint="make room, or choose another place",
            ) from error
        raise translate(error, path) from error
    finally:
        for left in (part, *(part.with_name(part.name + end) for end in ("-journal", "-wal", "-shm"))):
            with suppress(OSError):
                left.unlink(missing_ok=True)
    return size


def _copy(source: sqlite3.Connection, part: Path, step: Progress) -> None:
    source.execute("BEGIN")
    copy = sqlite3.connect(part)
    try:
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(
            copy, pages=_PAGES, sleep=0, progress=lambda _, left, total: step("pages", total - left, total)
        )  # fmt: skip
    finally:
        copy.close()
        source.execute("ROLLBACK")


def _sync(path: Path) -> None:
    """Have the system write a file or folder out."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
