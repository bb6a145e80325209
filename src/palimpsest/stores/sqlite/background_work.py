"""Background work on a SQLite file: indexing new messages, merging indexes, copying the write-ahead log.

- Every write adds a segment to the word index, and a query reads each segment, so segments are merged. At 1,000,000
  messages a query over 150 segments takes three to ten times as long as over five. Merging runs in steps of one or
  two milliseconds on the writer's thread. Steps grow with the number of writes, so that bulk writes do not outrun
  them.
- Indexes of earlier tokenizing rules are rebuilt in the same way, for half of the time.
- Bitmaps of frequent words (`fulltext.bitmap_build`) are read by the thread that copies the log, and written by the
  writer's.
- A thread with its own connection copies the log while readers and writers continue. The rest is copied between two
  writes: only a fully copied log is written from its beginning again, and a commit to a growing file waits twice as
  long for the disk.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from palimpsest.errors import PalimpsestError
from palimpsest.stores.sqlite.connection import WRITE, ConnectionThread, connect, transaction
from palimpsest.stores.sqlite.fulltext.bitmap_build import (
    BitmapRange,
    build_range,
    due_range,
    start_range,
    store_range,
)
from palimpsest.stores.sqlite.fulltext.index import (
    MESSAGES_AT_ONCE,
    MOST_STEPS,
    index_state,
    index_waiting,
    rebuild_left,
    rebuild_step,
)
from palimpsest.stores.sqlite.fulltext.newest_matches import LARGE
from palimpsest.stores.sqlite.statements import Db

WRITES_PER_STEP = 8
"""Index work is checked after this many writes, and merging half as many later, so that one write waits for only one
of them.
"""

MERGED_PAGES = 16
MOST_MERGED_PAGES = 256
"""The least and most index pages that one merge step writes; 16 take one to four milliseconds."""

ROWS_PER_MERGED_PAGE = 8
"""A step merges one page for this many rows written since the last one."""

WRITES_PER_CHECKPOINT = 200
ROWS_PER_CHECKPOINT = 2_000
"""The log is copied after this many writes or rows."""

_COPY = "PRAGMA wal_checkpoint(PASSIVE)"

_MERGES = ("merge_messages", "merge_words")
"""The merge statements, one for each index."""


def merge_step(db: Db, pages: int) -> bool:
    """Merge one small step; return whether there was something to merge. A later step repeats a failed one."""
    before = db.connection.total_changes
    with contextlib.suppress(PalimpsestError):
        transaction("", db, WRITE, lambda held: [held.run(name, pages) for name in _MERGES])
        return db.connection.total_changes - before > len(_MERGES)
    return False


def index_step(db: Db) -> int:
    """Index some waiting messages; return how many still wait. A later step repeats a failed one."""
    with contextlib.suppress(PalimpsestError):
        return transaction("", db, WRITE, index_waiting)
    return 0


def renew_step(db: Db) -> int:
    """Index some texts in indexes that are being rebuilt; return how many are left. A later step repeats a failed
    one.
    """
    with contextlib.suppress(PalimpsestError):
        return transaction("", db, WRITE, rebuild_step)
    return 0


def is_renewing(db: Db) -> bool:
    """Return whether this program has indexes to rebuild."""
    with contextlib.suppress(sqlite3.Error):
        return index_state(db).ours and rebuild_left(db) > 0
    return False


def take_step(db: Db, large: int) -> BitmapRange | None:
    """Start building a bitmap range, if one is due. A later step repeats a failed one."""
    with contextlib.suppress(PalimpsestError, sqlite3.Error):
        now_s = time.time()
        if due_range(db, now_s, large=large) is not None:
            return transaction("", db, WRITE, lambda held: start_range(held, now_s, large=large))
    return None


class BackgroundWork:
    """Maintains one file. `opened` is called once, `wrote` after every write, `finish` on the writer's thread at the
    end. Bitmaps are built for a file of at least `large` messages.
    """

    def __init__(
        self, path: str, writer: ConnectionThread, busy_timeout_s: float, large: int = LARGE
    ) -> None:
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
        """Handle what earlier processes left, after the first calls."""
        self._writer.thread.submit(self._renew_if_due)

    def wrote(self) -> None:
        """Count a write and start due work, without waiting for it."""
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
        """Finish merging, within bounds, and close the connection."""
        if not self._closed:
            self._closed = True
            self._end.set()
            if self._writes:
                any(not index_step(self._writer.db) for _ in range(MOST_STEPS))
                any(not merge_step(self._writer.db, MERGED_PAGES) for _ in range(MOST_STEPS))
            self._keeper.submit(self._let_go)
            self._keeper.shutdown()

    def _take_in(self) -> None:
        """Run a step, and submit the next one while there is enough to index."""
        if index_step(self._writer.db) >= MESSAGES_AT_ONCE and not self._closed:
            with contextlib.suppress(RuntimeError):
                self._writer.thread.submit(self._take_in)
                return
        self._taking_in = False
        self._renew_if_due()
        self._gather_if_due()

    def _renew_if_due(self) -> None:
        """Start rebuilding indexes if necessary, on the writer's thread."""
        if self._renewing is None and not self._closed and is_renewing(self._writer.db):
            self._renewing = threading.Thread(target=self._renew, name="palimpsest-renewing", daemon=True)
            self._renewing.start()

    def _renew(self) -> None:
        """Run steps until everything is done, pausing after each for as long as it took."""
        more = True
        with contextlib.suppress(RuntimeError):  # closed in the meantime
            while more and not self._end.is_set():
                begun_s = time.monotonic()
                more = self._writer.thread.submit(renew_step, self._writer.db).result() > 0
                self.wrote()
                self._end.wait(time.monotonic() - begun_s)
        self._renewing = None

    def _gather_if_due(self) -> None:
        """Start building a bitmap range, on the writer's thread."""
        if self._gathering or self._closed or self._path == ":memory:":
            return
        one = take_step(self._writer.db, self._large)
        if one is not None:
            self._gathering = True
            with contextlib.suppress(RuntimeError):  # closed in the meantime
                self._keeper.submit(self._begin_to_gather, one)

    def _begin_to_gather(self, one: BitmapRange) -> None:
        with contextlib.suppress(sqlite3.Error, PalimpsestError):
            if not self._closed:
                self._gather(one, build_range(self._keepers(), one))

    def _keepers(self) -> Db:
        """Return the connection of the background thread."""
        if self._own is None:
            self._own = Db(connect(self._path, self._busy_timeout_s))
        return self._own

    def _gather(self, one: BitmapRange, steps: Iterator[None]) -> None:
        """Run a step, and submit the next one, using half of the time. If it fails, the next process that opens the
        file repeats it.
        """
        begun_s = time.monotonic()
        with contextlib.suppress(
            sqlite3.Error, PalimpsestError, RuntimeError
        ):  # RuntimeError: closed in the meantime
            if next(steps, one) is one:
                self._writer.thread.submit(self._keep_gathered, one)
                return
            self._end.wait(time.monotonic() - begun_s)
            self._keeper.submit(self._gather, one, steps)

    def _keep_gathered(self, one: BitmapRange) -> None:
        """Store a bitmap range, on the writer's thread, and start the next. A later one repeats a failed one."""
        with contextlib.suppress(PalimpsestError):
            transaction("", self._writer.db, WRITE, lambda db: store_range(db, one))
        self._gathering = False
        self._gather_if_due()

    def _merge(self) -> None:
        """Run a step, and submit the next one."""
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
        """Copy as much of the log as possible without blocking anyone; then submit the rest."""
        with contextlib.suppress(sqlite3.Error, PalimpsestError):
            self._keepers().connection.execute(_COPY).fetchall()
        with contextlib.suppress(RuntimeError):
            self._writer.thread.submit(self._copy_rest)

    def _copy_rest(self) -> None:
        """Copy what was written in the meantime, on the writer's thread, so that nothing follows it."""
        with contextlib.suppress(sqlite3.Error):
            self._writer.db.connection.execute(_COPY).fetchall()
        self._copying = False

    def _let_go(self) -> None:
        if self._own is not None:
            self._own.connection.close()
            self._own = None
