"""Named SQL statements on a connection.

Each statement is in `sql/*.sql` under a line `-- name: ...`, and is never composed from pieces.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
if TYPE_CHECKING:
    import msgspec

    from palimpsest.record.log import Branch


_NAME = re.compile(r"^-- name: (\w+)[^\n]*\n", re.MULTILINE)


def scripts() -> Path | Traversable:
    """Return the folder of the SQL files. `importlib.resources` is slow to import, so it is used only inside
    archives.
    """
    folder = Path(__file__).with_name("sql")
    if folder.is_dir():
        return folder
    from importlib import resources

    return resources.files("palimpsest.stores.sqlite") / "sql"


@cache
def version() -> int:
    """Return the schema version that this program writes: the number of the newest migration."""
    return max(int(entry.name[:4]) for entry in scripts().iterdir() if entry.name[:4].isdigit())


@cache
def _all() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in scripts().iterdir():
        if entry.name.endswith(".sql") and not entry.name[:4].isdigit():
            pieces = _NAME.split(entry.read_text(encoding="utf-8"))
            found.update(zip(pieces[1::2], (text.strip().rstrip(";") for text in pieces[2::2]), strict=True))
    return found


def sql(name: str) -> str:
    """Return the statement of this name."""
    return _all()[name]


APPLICATION_ID = 0x50414C49
"""The bytes "PALI"."""

MAX_LOG_PAGES = 20_000
"""At this many log pages (80 MB) a writer copies the log itself, because something keeps the other thread from doing
it.
"""

OTHERS = 0o077
"""The permissions of everybody but a file's owner."""


@cache
def _numbers() -> msgspec.json.Decoder[list[int]]:
    """Imported lazily: not every read needs numbers."""
    import msgspec

    return msgspec.json.Decoder(list[int])


@dataclass(slots=True)
class Db:
    """A connection with a cache of what hardly changes: numbers of owners and conversations, titled conversations,
    written branches, forks, and known words. Everything but the forks is valid for the deletion count `erasures` (see
    `refresh`). `closed` are conversations without a provisional message, as long as no other connection writes
    (`data_version`). `key` is the database's key for deleted content, once it was used.
    """

    connection: sqlite3.Connection
    conversations: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    owners: dict[str, int] = field(default_factory=dict[str, int])
    titled: set[int] = field(default_factory=set[int])
    words: set[str] = field(default_factory=set[str])
    branches: dict[int, Branch] = field(default_factory=dict[int, "Branch"])
    forks: dict[int, tuple[int | None, int]] = field(default_factory=dict[int, tuple[int | None, int]])
    closed: set[int] = field(default_factory=set[int])
    data_version: int = 0
    erasures: int = 0
    fresh: bool = False
    key: bytes | None = field(default=None, repr=False)

    def run(self, name: str, *values: object) -> sqlite3.Cursor:
        """Execute the named statement."""
        return self.connection.execute(sql(name), values)

    def refresh(self) -> None:
        """Clear the cache if any process deleted something since. Within a transaction this is checked once, because
        another process's deletion is not visible there.
        """
        if self.fresh:
            return
        self.fresh = self.connection.in_transaction
        erasures = self.number("erasures")
        if erasures != self.erasures:
            self.erasures = erasures
            self.let_go()

    def let_go(self) -> None:
        """Clear the cache."""
        for known in (self.conversations, self.owners, self.titled, self.words, self.branches, self.closed):
            known.clear()

    def row(self, name: str, *values: object) -> sqlite3.Row | None:
        """Return the first row of the named statement, None if there is none."""
        return cast("sqlite3.Row | None", self.run(name, *values).fetchone())

    def number(self, name: str, *values: object) -> int:
        """Return the first column of the first row. Raises DatabaseError if a damaged page gives no number."""
        row = self.row(name, *values)
        try:
            return int(row[0]) if row is not None else 0
        except (TypeError, ValueError) as error:
            raise sqlite3.DatabaseError(f"not a number ({name})") from error

    def numbers(self, name: str, *values: object) -> list[int]:
        """Return the numbers that the named statement gives as one JSON array. Raises DatabaseError for anything
        else.
        """
        row = self.row(name, *values)
        try:
            return _numbers().decode(row[0]) if row is not None else []
        except (TypeError, ValueError) as error:
            raise sqlite3.DatabaseError(f"not a list of numbers ({name})") from error

    def beyond(self, number: object, last: int) -> int:
        """Return the row number from which a scan continues. Raises DatabaseError if damaged pages would make it
        loop.
        """
        if not isinstance(number, int) or number <= last:
            raise sqlite3.DatabaseError("rows that are out of order")
        return number


def tune(connection: sqlite3.Connection) -> None:
    """Set the options that all connections to a Palimpsest database share."""
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA wal_autocheckpoint = {MAX_LOG_PAGES}")


def raw_text(data: bytes) -> str:
    """Return text as stored, even if its bytes are damaged."""
    return data.decode("utf-8", "surrogateescape")
