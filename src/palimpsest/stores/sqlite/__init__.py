"""The SQLite store: one file for each database, and all that is done to it.

The store is imported when it is asked for: a command that takes one look at a file needs little of this room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palimpsest.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]


def __getattr__(name: str) -> object:
    if name != "SqliteStore":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from palimpsest.stores.sqlite.store import SqliteStore

    globals()[name] = SqliteStore
    return SqliteStore
