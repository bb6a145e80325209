"""The newest texts that match, and how many match in all. Part of the SQLite store.

Each is a pass over all texts that hold a word. A large index is divided by row numbers, which are found as fast as
the first, and a second connection takes one part. Where the newest part has enough matches, all are counted meanwhile;
where it has not, all are found, from the oldest on, which takes half as long as from the newest, and nothing has to be
counted. What is counted has one bound: SQLite holds every match against each, which takes an eighth of the time that
finding it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.stores.sqlite.fulltext.bitmap_search import Fitting
from palimpsest.stores.sqlite.fulltext.reader_connections import Help, Helper
from palimpsest.stores.sqlite.statements import Db

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
    count_between: str


MESSAGES = Statements(
    last="newest_message",
    newest="newest_messages_between",
    oldest="oldest_messages_between",
    count="count_matching_messages",
    count_to="count_matching_messages_to",
    count_from="count_matching_messages_from",
    count_between="count_matching_messages_between",
)
SUMMARIES = Statements(
    last="newest_summary",
    newest="newest_summaries_between",
    oldest="oldest_summaries_between",
    count="count_matching_summaries",
    count_to="count_matching_summaries_to",
    count_from="count_matching_summaries_from",
    count_between="count_matching_summaries_between",
)


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds what matches in one of the word indexes. `by_bits` tells what fits without it, None where it has to."""

    db: Db
    helper: Helper | None
    ask: Statements
    large: int = LARGE
    by_bits: Callable[[], Fitting | None] = lambda: None

    @property
    def divides(self) -> bool:
        """Whether the index is gone through in parts."""
        return self._last >= self.large

    def newest_of(
        self, matching: str, most: int, *, halved: bool = False
    ) -> tuple[list[int], Callable[[], int]]:
        """The newest texts that match, at most so many, newest first, and what tells how many match besides. `halved`
        where all have to be gone through anyhow: each half at once.
        """
        last = self._last
        if halved and last >= self.large:
            return self._halved(matching, most)
        top = last - last // NEWEST_SHARE if last >= self.large else 0
        found = self.db.numbers(self.ask.newest, matching, top + 1, last, most)
        if len(found) == most:
            return found, self.besides(matching, most, helper_share=0.75)
        if not top:
            return found, lambda: 0
        middle = self._middle(found, top, most)
        return self._with_older(matching, found, top, most, middle, self._oldest(matching, middle, most))

    def _halved(self, matching: str, most: int) -> tuple[list[int], Callable[[], int]]:
        """See `newest_of`. Where the newer half of one half has enough, the rest of it is counted once that is asked
        for, so that these can be looked at meanwhile.
        """
        last = self._last
        middle, top = (last // 2 if self.helper is not None else 0), last - last // 4
        theirs = self._oldest(matching, middle, most)
        enough = most * NEWEST_SHARE
        found = self.db.numbers(self.ask.oldest, matching, top + 1, last, enough)[::-1]
        if len(found) == enough:
            found = self.db.numbers(self.ask.newest, matching, top + 1, last, most)
            return found, self.besides(matching, most, helper_share=0.75)
        if len(found) < most:
            return self._with_older(matching, found, top, most, middle, theirs)
        return (
            found[:most],
            lambda: (
                len(found)
                - most
                + self.db.number(self.ask.count_between, matching, middle + 1, top)
                + self._up_to(matching, middle, theirs, enough)
            ),
        )

    def _oldest(self, matching: str, middle: int, most: int) -> Help[list[int]] | None:
        """The helper begins to look in the oldest rows, up to `middle`."""
        if self.helper is None or not middle:
            return None
        return self.helper.begin(
            lambda db: db.numbers(self.ask.oldest, matching, 1, middle, most * NEWEST_SHARE)
        )

    def besides(self, matching: str, found: int, *, helper_share: float) -> Callable[[], int]:
        """What tells how many texts match besides those found. Counting begins now; the helper takes this share."""
        last = self._last
        fitting = self.by_bits() if last >= self.large else None
        if fitting is not None:
            return lambda: max(0, fitting.total() - found)
        if self.helper is None or last < self.large:
            return lambda: self.db.number(self.ask.count, matching) - found
        middle = int(last * helper_share)
        theirs = self.helper.begin(lambda db: db.number(self.ask.count_to, matching, middle))
        return lambda: max(
            0, self.db.number(self.ask.count_from, matching, middle + 1) + theirs.result() - found
        )

    def _with_older(
        self,
        matching: str,
        found: list[int],
        top: int,
        most: int,
        middle: int,
        theirs: Help[list[int]] | None,
    ) -> tuple[list[int], Callable[[], int]]:
        """See `newest_of`: these are found among the rows above `top`, and are too few. The helper looks in the oldest
        rows, up to `middle`; where the others have enough, what it finds is only asked for in the end.
        """
        enough = most * NEWEST_SHARE
        mine = self.db.numbers(self.ask.oldest, matching, middle + 1, top, enough)
        newest, whole = found + mine[::-1], len(mine) < enough
        if theirs is not None and len(newest) < most:
            older, theirs = theirs.result(), None
            newest, whole = newest + older[::-1], len(older) < enough
        if not whole:
            newest = (found + self.db.numbers(self.ask.newest, matching, 1, top, most))[:most]
            return newest, self.besides(matching, len(newest), helper_share=0.75)
        return newest[:most], lambda: len(newest[most:]) + self._up_to(matching, middle, theirs, enough)

    def _middle(self, found: Sequence[int], top: int, most: int) -> int:
        """The row up to which the helper looks for older texts: as far as what is found lets expect that those above
        are enough, and no less than half of the way; 0 where one looks alone.
        """
        if self.helper is None or len(found) <= FEW:
            return 0
        wanted = (most - len(found)) * top // ((NEWEST_SHARE - 1) * len(found))
        return top - max(top // 4, min(wanted * 5 // 4, top // 2))

    def _up_to(self, matching: str, middle: int, found: Help[list[int]] | None, enough: int) -> int:
        """How many texts match up to a row, given the first of them."""
        older = found.result() if found is not None else ()
        return len(older) if len(older) < enough else self.db.number(self.ask.count_to, matching, middle)

    @property
    def _last(self) -> int:
        return self.db.number(self.ask.last)
