"""The newest matching texts, and the number of all matches.

Both are scans over all texts with a word. A large index is split by row numbers, and a second connection scans one
part. If the newest part has enough matches, the rest is counted meanwhile. If not, all are found, from the oldest on,
which takes half as long as from the newest. A count has one bound: SQLite compares every match with each, an eighth
of the scan time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.stores.sqlite.fulltext.bitmap_search import BitmapMatches
from palimpsest.stores.sqlite.fulltext.reader_connections import PendingScan, ScanHelper
from palimpsest.stores.sqlite.statements import Db

LARGE = 100_000
"""A smaller index is scanned at once."""

NEWEST_SHARE = 8
"""The part of all rows that is scanned first."""

FEW = 16
"""If the newest part has at most this many matches, the rest is scanned at once: finding the first row of each word
takes longer than intersecting a few.
"""


@dataclass(frozen=True, slots=True)
class Statements:
    """The named statements for one of the word indexes."""

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
    """Finds matches in one of the word indexes. `by_bits` returns the matches from bitmaps, None if the index must be
    scanned.
    """

    db: Db
    helper: ScanHelper | None
    ask: Statements
    large: int = LARGE
    by_bits: Callable[[], BitmapMatches | None] = lambda: None

    @property
    def divides(self) -> bool:
        """Return whether the index is scanned in parts."""
        return self._last >= self.large

    def newest_of(
        self, matching: str, most: int, *, halved: bool = False
    ) -> tuple[list[int], Callable[[], int]]:
        """Return the newest matches, at most this many, newest first, and a function that counts the others. `halved`
        scans both halves at once, if all must be scanned anyway.
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
        """See `newest_of`. If the newer half has enough, the rest of it is counted when asked for, so that these can
        be read meanwhile.
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

    def _oldest(self, matching: str, middle: int, most: int) -> PendingScan[list[int]] | None:
        """Let the helper scan the oldest rows, up to `middle`."""
        if self.helper is None or not middle:
            return None
        return self.helper.begin(
            lambda db: db.numbers(self.ask.oldest, matching, 1, middle, most * NEWEST_SHARE)
        )

    def besides(self, matching: str, found: int, *, helper_share: float) -> Callable[[], int]:
        """Start counting, and return a function that gives the number of matches besides those found. The helper
        takes this share.
        """
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
        theirs: PendingScan[list[int]] | None,
    ) -> tuple[list[int], Callable[[], int]]:
        """See `newest_of`, if too few are found above `top`. The helper scans the oldest rows, up to `middle`; if the
        others have enough, its result is only asked for at the end.
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
        """Return the row up to which the helper scans: as far as the density of matches suggests, and at least half
        of the way; 0 without a helper.
        """
        if self.helper is None or len(found) <= FEW:
            return 0
        wanted = (most - len(found)) * top // ((NEWEST_SHARE - 1) * len(found))
        return top - max(top // 4, min(wanted * 5 // 4, top // 2))

    def _up_to(self, matching: str, middle: int, found: PendingScan[list[int]] | None, enough: int) -> int:
        """Return how many texts match up to a row, given the first of them."""
        older = found.result() if found is not None else ()
        return len(older) if len(older) < enough else self.db.number(self.ask.count_to, matching, middle)

    @property
    def _last(self) -> int:
        return self.db.number(self.ask.last)
