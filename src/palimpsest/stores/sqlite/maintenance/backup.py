"""A copy of a SQLite file while it is in use: a consistent snapshot, all or nothing, readable only by its owner."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from palimpsest.errors import StoreError, UsageError, reason_of
from palimpsest.file_writing import PRIVATE, would_replace, writing
from palimpsest.record.store_values import Progress, unwatched
from palimpsest.stores.sqlite.connection import translate

_OF_THE_COPY = frozenset({"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE"})
"""Errors that only a write can cause."""

_PAGES = 2_000
"""Pages copied between two progress reports."""


def backup(
    source: sqlite3.Connection, path: str, target: Path, *, force: bool, step: Progress | None = None
) -> int:
    """Copy the database at `path`, open as `source`, to `target`; return its size in bytes.

    A read transaction is held meanwhile, so that other writes do not restart the copy. Raises UsageError if the
    target exists and not `force`, or is not a file; StoreError if it cannot be written.
    """
    refuse_to_replace(target, path, force=force)
    try:
        with writing(target, mode=PRIVATE) as file:
            _copy(source, Path(file.name), step or unwatched)
            return os.fstat(file.fileno()).st_size
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


def refuse_to_replace(target: Path, path: str, *, force: bool) -> None:
    """Raise UsageError if the target exists and not `force`, or is the database itself."""
    if would_replace(target) and not force:
        raise UsageError(f"{target} exists already", hint="choose another file, or add --force")
    if target.exists() and Path(path).exists() and target.samefile(path):
        raise UsageError(f"{target} is the database itself", hint="choose another file")


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
