"""Upkeep of a SQLite file, behind the writes: messages taken into the word index, indexes merged, the log copied.

Every write leaves a piece of index behind, and a query looks into each piece, so pieces are merged: at 1,000,000
messages a query over 150 pieces takes three to ten times as long as one over five. It is done in steps of a millisecond
or two on the writer's thread, one after another as long as there is something to merge; what is written meanwhile waits
for one step. A bulk of writes leaves that thread no rest, so a step grows with what was written since the last.

Indexes that earlier rules made are made anew in the same way (`finding.indexing`), by half of the time that there is.
Which messages hold the most frequent words is gathered so, too (`finding.gathering`): read by the thread that copies
the log, and written by the writer's.

The log is copied by a thread and a connection of their own: writers go on meanwhile, and so do readers. What they wrote
meanwhile is copied between two writes. Only a log of which nothing is left to copy is written from its beginning again,
and a commit to a file that grows waits for the disk twice as long as one that overwrites.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from palimpsest.errors import PalimpsestError
from palimpsest.stores.sqlite.connection import WRITE, Lane, connect, transaction
from palimpsest.stores.sqlite.fulltext.bitmap_build import Stretch, due, gather, keep, take
from palimpsest.stores.sqlite.fulltext.index import (
    MESSAGES_AT_ONCE,
    MOST_STEPS,
    catch_up,
    indexing,
    renew,
    to_renew,
)
from palimpsest.stores.sqlite.fulltext.newest_matches import LARGE
from palimpsest.stores.sqlite.statements import Db

WRITES_PER_STEP = 8
"""After so many writes it is seen whether messages wait, and half as many later whether there is something to merge:
whoever writes next waits for one of the two, not for both.
"""

MERGED_PAGES = 16
MOST_MERGED_PAGES = 256
"""Pages of an index that one step of merging writes, least and most: 16 take one to four milliseconds."""

ROWS_PER_MERGED_PAGE = 8
"""A step merges a page for so many rows that were written since the last one."""

WRITES_PER_CHECKPOINT = 200
ROWS_PER_CHECKPOINT = 2_000
"""After so many writes or rows the log is copied."""

_COPY = "PRAGMA wal_checkpoint(PASSIVE)"

_MERGES = ("merge_messages", "merge_words")
"""The statements that merge, one for each index whose writes do not."""


def merge_step(db: Db, pages: int) -> bool:
    """One small step of merging; whether there was something to merge. Should it fail, a later one does its work."""
    before = db.connection.total_changes
    with contextlib.suppress(PalimpsestError):
        transaction("", db, WRITE, lambda held: [held.run(name, pages) for name in _MERGES])
        return db.connection.total_changes - before > len(_MERGES)
    return False


def index_step(db: Db) -> int:
    """Take in some of the messages that wait; how many still do. Should it fail, a later step does its work."""
    with contextlib.suppress(PalimpsestError):
        return transaction("", db, WRITE, catch_up)
    return 0


def renew_step(db: Db) -> int:
    """Take some texts into indexes that are made anew; how many are left. Should it fail, a later one does its work."""
    with contextlib.suppress(PalimpsestError):
        return transaction("", db, WRITE, renew)
    return 0


def is_renewing(db: Db) -> bool:
    """Whether this program has indexes to make anew."""
    with contextlib.suppress(sqlite3.Error):
        return indexing(db).ours and to_renew(db) > 0
    return False


def take_step(db: Db, large: int) -> Stretch | None:
    """Begin to gather a stretch, where one is due. Should it fail, a later one does its work."""
    with contextlib.suppress(PalimpsestError, sqlite3.Error):
        now_s = time.time()
        if due(db, now_s, large=large) is not None:
            return transaction("", db, WRITE, lambda held: take(held, now_s, large=large))
    return None


class Upkeep:
    """Keeps one file in order. `opened` is called once, `wrote` after every write, `finish` on the writer's thread at
    the end. Of a file of `large` messages frequent words are gathered.
    """

    def __init__(self, path: str, writer: Lane, busy_timeout_s: float, large: int = LARGE) -> None:
        self._path = path
        self._writer = writer
        self._busy_timeout_s = busy_timeout_s
        self._large = large
        self._keeper = ThreadPoolExecutor(1, "palimpsest-keeper")
        self._own: Db | None = None
        self._writes = self._merged_rows = self._copied_rows = self._copied_writes = 0
        self._taking_in = self._merging = self._copying = self._gathering = self._closed = False
        self._renewing: threading.Thread | None = None
        self._end = threading.Event()

    def opened(self) -> None:
        """See to what earlier processes left, behind the first calls."""
        self._writer.thread.submit(self._renew_if_due)

    def wrote(self) -> None:
        """Note a write and start what is due, without waiting for it."""
        if self._closed:
            return
        self._writes += 1
        place = self._writes % WRITES_PER_STEP
        if place == 0 and not self._taking_in:
            self._taking_in = True
            self._writer.thread.submit(self._take_in)
        elif place == WRITES_PER_STEP // 2 and not self._merging:
            self._merging = True
            self._writer.thread.submit(self._merge)
        rows = self._writer.db.connection.total_changes - self._copied_rows
        due = rows >= ROWS_PER_CHECKPOINT or self._writes - self._copied_writes >= WRITES_PER_CHECKPOINT
        if due and not self._copying and self._path != ":memory:":
            self._copying = True
            self._copied_rows += rows
            self._copied_writes = self._writes
            self._keeper.submit(self._copy)

    def finish(self) -> None:
        """Do what is left of a merge, within bounds, and let go of the file."""
        if not self._closed:
            self._closed = True
            self._end.set()
            if self._writes:
                any(not index_step(self._writer.db) for _ in range(MOST_STEPS))
                any(not merge_step(self._writer.db, MERGED_PAGES) for _ in range(MOST_STEPS))
            self._keeper.submit(self._let_go)
            self._keeper.shutdown()

    def _take_in(self) -> None:
        """A step, and the next behind whatever was asked of the thread meanwhile, while there is enough for one."""
        if index_step(self._writer.db) >= MESSAGES_AT_ONCE and not self._closed:
            with contextlib.suppress(RuntimeError):
                self._writer.thread.submit(self._take_in)
                return
        self._taking_in = False
        self._renew_if_due()
        self._gather_if_due()

    def _renew_if_due(self) -> None:
        """Begin to make indexes anew where they have to be, on the writer's thread."""
        if self._renewing is None and not self._closed and is_renewing(self._writer.db):
            self._renewing = threading.Thread(target=self._renew, name="palimpsest-renewing", daemon=True)
            self._renewing.start()

    def _renew(self) -> None:
        """One step after another until all is done; as long as each takes, this process and others may write."""
        more = True
        with contextlib.suppress(RuntimeError):  # closed meanwhile
            while more and not self._end.is_set():
                begun_s = time.monotonic()
                more = self._writer.thread.submit(renew_step, self._writer.db).result() > 0
                self.wrote()
                self._end.wait(time.monotonic() - begun_s)
        self._renewing = None

    def _gather_if_due(self) -> None:
        """Begin to gather a stretch, on the writer's thread."""
        if self._gathering or self._closed or self._path == ":memory:":
            return
        one = take_step(self._writer.db, self._large)
        if one is not None:
            self._gathering = True
            with contextlib.suppress(RuntimeError):  # closed meanwhile
                self._keeper.submit(self._begin_to_gather, one)

    def _begin_to_gather(self, one: Stretch) -> None:
        with contextlib.suppress(sqlite3.Error, PalimpsestError):
            if not self._closed:
                self._gather(one, gather(self._keepers(), one))

    def _keepers(self) -> Db:
        """The connection of the keeper's thread."""
        if self._own is None:
            self._own = Db(connect(self._path, self._busy_timeout_s))
        return self._own

    def _gather(self, one: Stretch, steps: Iterator[None]) -> None:
        """A step, and the next behind whatever was asked of the thread meanwhile; others have half of the time. Should
        it fail, whoever opens the file next does it.
        """
        begun_s = time.monotonic()
        with contextlib.suppress(
            sqlite3.Error, PalimpsestError, RuntimeError
        ):  # the latter: closed meanwhile
            if next(steps, one) is one:
                self._writer.thread.submit(self._keep_gathered, one)
                return
            self._end.wait(time.monotonic() - begun_s)
            self._keeper.submit(self._gather, one, steps)

    def _keep_gathered(self, one: Stretch) -> None:
        """Keep a stretch, on the writer's thread, and begin with the next. Should that fail, a later one does it."""
        with contextlib.suppress(PalimpsestError):
            transaction("", self._writer.db, WRITE, lambda db: keep(db, one))
        self._gathering = False
        self._gather_if_due()

    def _merge(self) -> None:
        """A step, and the next behind whatever was asked of the thread meanwhile."""
        rows = self._writer.db.connection.total_changes
        pages = (rows - self._merged_rows) // ROWS_PER_MERGED_PAGE
        more = merge_step(self._writer.db, min(MOST_MERGED_PAGES, max(MERGED_PAGES, pages)))
        self._merged_rows = self._writer.db.connection.total_changes
        if more and not self._closed:
            with contextlib.suppress(RuntimeError):
                self._writer.thread.submit(self._merge)
                return
        self._merging = False

    def _copy(self) -> None:
        """Copy what can be copied of the log, without holding anybody up; then see to the rest."""
        with contextlib.suppress(sqlite3.Error, PalimpsestError):
            self._keepers().connection.execute(_COPY).fetchall()
        with contextlib.suppress(RuntimeError):
            self._writer.thread.submit(self._copy_rest)

    def _copy_rest(self) -> None:
        """Copy the little that was written meanwhile, on the writer's thread, so that nothing follows it."""
        with contextlib.suppress(sqlite3.Error):
            self._writer.db.connection.execute(_COPY).fetchall()
        self._copying = False

    def _let_go(self) -> None:
        if self._own is not None:
            self._own.connection.close()
            self._own = None
