"""A quick read of an ordinary database: one connection, in the caller's thread.

Opening a store creates connections for writing, reading and searching, each with its thread, and migrates the file. A
command that reads a few rows needs one connection. Unusual files are left to the store, which can handle or report
them.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from palimpsest.errors import PalimpsestError
from palimpsest.stores import checksums
from palimpsest.stores.sqlite.statements import APPLICATION_ID, OTHERS, Db, tune, version

Result = TypeVar("Result")

_OURS = """SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
(SELECT journal_mode FROM pragma_journal_mode)"""


def quick_read(path: Path, work: Callable[[Db], Result | None]) -> Result | None:
    """Return what `work(db)` returns in a read transaction. Return None for an unusual file: missing, readable by
    others, in a read-only folder, of another version or program, locked, or damaged.
    """
    try:
        if not _is_usual(path):
            return None
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            tune(connection)
            checksums.register_crc(connection)
            connection.execute("BEGIN")
            if tuple(connection.execute(_OURS).fetchone()) != (APPLICATION_ID, version(), "wal"):
                return None
            return work(Db(connection))
    except (OSError, sqlite3.Error, PalimpsestError, UnicodeError):
        return None


def _is_usual(path: Path) -> bool:
    known = path.stat()
    private = os.name != "posix" or not known.st_mode & OTHERS
    return stat.S_ISREG(known.st_mode) and known.st_size > 1 and private and os.access(path.parent, os.W_OK)
