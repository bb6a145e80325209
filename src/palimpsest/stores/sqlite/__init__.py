"""The SQLite store.

The store is imported lazily: a command that reads a few rows needs little of this package.
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
