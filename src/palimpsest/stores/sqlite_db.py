"""A connection to a SQLite file, and running named statements on it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import cast

from palimpsest.stores.queries import sql


@dataclass(slots=True)
class Db:
    """A connection with what never changes once read: numbers of owners and conversations, where branches fork, and
    words that are known to be stored.
    """

    connection: sqlite3.Connection
    conversations: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    owners: dict[str, int] = field(default_factory=dict[str, int])
    words: set[str] = field(default_factory=set[str])
    forks: dict[int, tuple[int | None, int]] = field(default_factory=dict[int, tuple[int | None, int]])

    def run(self, name: str, *values: object) -> sqlite3.Cursor:
        """Execute the named statement."""
        return self.connection.execute(sql(name), values)

    def row(self, name: str, *values: object) -> sqlite3.Row | None:
        """The first row of the named statement, None where there is none."""
        return cast("sqlite3.Row | None", self.run(name, *values).fetchone())

    def number(self, name: str, *values: object) -> int:
        """The first column of the first row."""
        row = self.row(name, *values)
        return int(row[0]) if row is not None else 0
