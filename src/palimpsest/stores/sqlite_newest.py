"""The newest texts that match, and how many match in all. Part of the SQLite store.

Each is a pass over all texts that hold a word. A large index is divided by row numbers, which are found as fast as
the first, and a second connection takes one part. Where the newest part has enough matches, all are counted meanwhile;
where it has not, all are found, and nothing has to be counted. What is counted has one bound: SQLite holds every match
against each, which takes an eighth of the time that finding it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.stores.sqlite_db import Db
from palimpsest.stores.sqlite_helper import Helper

LARGE = 100_000
"""An index with fewer rows is gone through at once."""

NEWEST_SHARE = 8
"""This part of all rows is looked at first."""

FEW = 16
"""Where the newest part has no more, the others are one: to find the first row of each word of an expression takes
longer than going through what so few have in common.
"""


@dataclass(frozen=True, slots=True)
class Statements:
    """What is asked of one of the word indexes, by name."""

    last: str
    newest: str
    count: str
    count_to: str
    count_from: str


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds what matches in one of the word indexes."""

    db: Db
    helper: Helper | None
    ask: Statements
    large: int = LARGE

    @property
    def divides(self) -> bool:
        """Whether the index is gone through in parts."""
        return self._last >= self.large

    def newest_of(self, matching: str, most: int) -> tuple[list[int], Callable[[], int]]:
        """The newest texts that match, at most so many, newest first, and what tells how many match besides."""
        last = self._last
        found, whole = self._found(matching, most, last)
        if not whole:
            return found, self.besides(matching, len(found), helper_share=0.75)
        return found[:most], lambda: len(found[most:])

    def besides(self, matching: str, found: int, *, helper_share: float) -> Callable[[], int]:
        """What tells how many texts match besides those found. Counting begins now; the helper takes this share."""
        last = self._last
        if self.helper is None or last < self.large:
            return lambda: self.db.number(self.ask.count, matching) - found
        middle = int(last * helper_share)
        theirs = self.helper.begin(lambda db: db.number(self.ask.count_to, matching, middle))
        return lambda: max(
            0, self.db.number(self.ask.count_from, matching, middle + 1) + theirs.result() - found
        )

    def _found(self, matching: str, most: int, last: int) -> tuple[list[int], bool]:
        """Newest texts that match, newest first, and whether these are all; if not, there are `most`."""
        top = last - last // NEWEST_SHARE if last >= self.large else 0
        found = self._rows(self.db, matching, top + 1, last, most)
        if len(found) == most or not top:
            return found, len(found) < most
        if self.helper is None or len(found) <= FEW:
            found += self._rows(self.db, matching, 1, top, most)
            return found[:most], len(found) < most
        middle = top // 2
        enough = most * NEWEST_SHARE // 2
        theirs = self.helper.begin(lambda db: self._rows(db, matching, 1, middle, enough))
        mine = self._rows(self.db, matching, middle + 1, top, enough)
        older = theirs.result()
        if enough in (len(mine), len(older)):
            return (found + mine + older)[:most], False
        return found + mine + older, True

    @property
    def _last(self) -> int:
        return self.db.number(self.ask.last)

    def _rows(self, db: Db, matching: str, first: int, last: int, most: int) -> list[int]:
        return [int(row[0]) for row in db.run(self.ask.newest, matching, first, last, most)]
