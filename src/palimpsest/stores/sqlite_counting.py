"""Counting what matches on a connection of its own, while the search that wants to know goes on.

Of very many matches the newest are weighed and all are counted: each goes through all texts that hold a word once more,
and neither needs the other. SQLite holds no lock of the interpreter meanwhile, so on two processors it takes as long as
the longer of them. What is written in between may be counted and not be found, or the other way round.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from palimpsest.stores.sqlite_db import Db
from palimpsest.stores.sqlite_lane import connect, within


class Counting:
    """A connection and its thread, both made when they are first wanted. Used by one thread at a time."""

    def __init__(self, path: str, busy_timeout_s: float, limit_s: float) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._limit_s = limit_s
        self._thread = ThreadPoolExecutor(1, "palimpsest-counter")
        self._db: Db | None = None
        self._begun = False

    def begin(self, statement: str, matching: str) -> Future[int]:
        """Count what matches, by the named statement. What nobody waits for any more is given up."""
        self._interrupt()
        self._begun = True
        return self._thread.submit(self._count, statement, matching)

    def close(self) -> None:
        """Give up what runs, and close the connection."""
        self._interrupt()
        if self._begun:
            self._thread.submit(self._close)
        self._thread.shutdown(wait=True)

    def _count(self, statement: str, matching: str) -> int:
        if self._db is None:
            self._db = Db(connect(self._path, self._busy_timeout_s))
        return within(self._limit_s, lambda db: db.number(statement, matching), self._db)

    def _interrupt(self) -> None:
        if self._db is not None:
            self._db.connection.interrupt()

    def _close(self) -> None:
        if self._db is not None:
            self._db.connection.close()
            self._db = None
