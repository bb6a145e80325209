"""The SQLite store: one file for each database, and all that is done to it."""

from palimpsest.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
