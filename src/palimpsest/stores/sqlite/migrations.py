"""Opening a database file: identification, version, and migrations.

A Palimpsest database has an application id, so that another program's file is never written to. The schema version is
`user_version`. Each migration is one numbered SQL file, applied in a transaction of its own. The tokenizing rules
have a version of their own (`fulltext.index`).
"""

from __future__ import annotations

import sqlite3
import time
from functools import cache

from palimpsest.errors import StoreError
from palimpsest.stores import checksums
from palimpsest.stores.sqlite.fulltext.index import start_rebuild_if_older
from palimpsest.stores.sqlite.statements import APPLICATION_ID, Db, scripts, version

__all__ = ["APPLICATION_ID", "migrations", "prepare", "stand_in", "version"]

_PAUSE_MS = 20


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """Return (version, SQL) of every migration, in order."""
    folder = scripts()
    files = sorted(entry.name for entry in folder.iterdir() if entry.name[:4].isdigit())
    return tuple((int(name[:4]), (folder / name).read_text(encoding="utf-8")) for name in files)


def prepare(connection: sqlite3.Connection, path: str) -> None:
    """Create the schema in an empty database, or migrate an older one.

    Raises StoreError, with nothing written, for another program's database or a newer version.
    """
    checksums.register_crc(connection)
    application, found, tables = _identify(connection)
    if application != APPLICATION_ID and (application or found or tables):
        raise StoreError(f"{path} is a database of another program", hint="choose another file for the store")
    if found > version():
        raise StoreError(
            f"{path} has schema version {found}, this program knows {version()}",
            hint="install a newer version",
        )
    _write_ahead(connection)
    if application != APPLICATION_ID or found < version():
        try:
            _migrate(connection)
        except sqlite3.OperationalError as error:
            if not found or "readonly" not in str(error):
                raise
            stand_in(connection)
    start_rebuild_if_older(Db(connection))


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not wait while another process does the same, so this does."""
    for left in range(_pragma(connection, "busy_timeout") // _PAUSE_MS, -1, -1):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not left or "locked" not in str(error):
                raise
            time.sleep(_PAUSE_MS / 1000)
        else:
            break


def _identify(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Return (application id, schema version, number of tables), read in one transaction."""
    connection.execute("BEGIN")
    try:
        tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        return _pragma(connection, "application_id"), _pragma(connection, "user_version"), tables
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _migrate(connection: sqlite3.Connection) -> None:
    """Apply missing migrations. Another process may do the same now, so the version is read under the lock."""
    for number, script in migrations():
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _pragma(connection, "user_version") < number:
                for statement in _statements(script):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def stand_in(connection: sqlite3.Connection) -> None:
    """Create the tables that came after the file's version as temporary tables, for a connection that cannot write."""
    found = _pragma(connection, "user_version")
    for number, script in migrations():
        for statement in _statements(script) if 0 < found < number else ():
            connection.execute(statement.replace("CREATE TABLE", "CREATE TEMP TABLE"))


def _statements(script: str) -> list[str]:
    """Return the statements of a script. `executescript` would commit an open transaction."""
    found: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
