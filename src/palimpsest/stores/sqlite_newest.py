"""The newest texts that match, and how many match in all. Part of the SQLite store.

Each is a pass over all texts that hold a word. A large index is divided by row numbers, which are found as fast as
the first, and a second connection takes one part. Where the newest part has enough matches, all are counted meanwhile;
where it has not, all are found, from the oldest on, which takes half as long as from the newest, and nothing has to be
counted. What is counted has one bound: SQLite holds every match against each, which takes an eighth of the time that
finding it does.
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
    oldest: str
    count: str
    count_to: str
    count_from: str


MESSAGES = Statements(
    last="newest_message",
    newest="newest_messages_between",
    oldest="oldest_messages_between",
    count="count_matching_messages",
    count_to="count_matching_messages_to",
    count_from="count_matching_messages_from",
)
SUMMARIES = Statements(
    last="newest_summary",
    newest="newest_summaries_between",
    oldest="oldest_summaries_between",
    count="count_matching_summaries",
    count_to="count_matching_summaries_to",
    count_from="count_matching_summaries_from",
)


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
        found = self.db.numbers(self.ask.newest, matching, top + 1, last, most)
        if len(found) == most or not top:
            return found, len(found) < most
        older = self._all(matching, top, most * NEWEST_SHARE, shared=len(found) > FEW)
        if older is not None:
            return found + older, True
        return (found + self.db.numbers(self.ask.newest, matching, 1, top, most))[:most], False

    def _all(self, matching: str, last: int, most: int, *, shared: bool) -> list[int] | None:
        """All up to a row that match, newest first; None for more than about so many."""
        if self.helper is None or not shared:
            found = self.db.numbers(self.ask.oldest, matching, 1, last, most)
        else:
            middle = last // 2
            theirs = self.helper.begin(lambda db: db.numbers(self.ask.oldest, matching, 1, middle, most))
            mine = self.db.numbers(self.ask.oldest, matching, middle + 1, last, most)
            found = theirs.result() + mine
        return found[::-1] if len(found) < most else None

    @property
    def _last(self) -> int:
        return self.db.number(self.ask.last)
