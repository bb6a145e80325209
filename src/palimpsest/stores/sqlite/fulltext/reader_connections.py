"""Extra reader connections for parallel index scans.

SQLite releases the interpreter's lock, so on two processors a scan takes as long as its longer half. Texts that are
not in memory arrive sooner if more are requested at once. A message written in between may be counted and not found,
or the other way round.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as StillRunning
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from typing import Generic, TypeVar

from palimpsest.stores.sqlite.connection import connect, enlarge_cache, search_timeout
from palimpsest.stores.sqlite.statements import Db

Result = TypeVar("Result")

READERS = 3
MORE_READERS = 8
PATIENCE_S = 0.012
"""Parallel readers; and further ones if these have not done half by then, because the file is not in memory. A disk
serves many requests in half of the time of three; in memory they would only compete.
"""

TEXTS_AT_ONCE = 128
"""Texts that one statement reads."""

STEPS_BETWEEN_LOOKS = 1_000_000
"""SQLite steps between two checks, about 20 ms."""


@dataclass(frozen=True, slots=True)
class PendingScan(Generic[Result]):
    """A job of the helper."""

    helper: ScanHelper
    answer: Future[Result]
    ends_s: float

    def result(self) -> Result:
        """Return the job's result. Raises StoreError if it takes longer than a search may."""
        try:
            return self.answer.result(max(0.0, self.ends_s - time.monotonic()))
        except StillRunning:
            self.helper.give_up()
            raise search_timeout(self.helper.limit_s) from None


class ScanHelper:
    """A connection and its thread, both created on first use. One thread at a time uses it.

    It rarely checks for cancellation, because that takes the interpreter's lock from the thread it helps.
    """

    def __init__(self, path: str, busy_timeout_s: float, limit_s: float, *, keeps_pages: bool = True) -> None:
        self.limit_s = limit_s
        self._keeps_pages = keeps_pages
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._thread = ThreadPoolExecutor(1, "palimpsest-helper")
        self._db: Db | None = None
        self._given_up = Event()
        self._begun = False

    def begin(self, work: Callable[[Db], Result]) -> PendingScan[Result]:
        """Start this job. An abandoned one is interrupted."""
        self.give_up()
        self._given_up, self._begun = Event(), True
        answer = self._thread.submit(self._do, work, self._given_up)
        return PendingScan(self, answer, time.monotonic() + self.limit_s)

    def give_up(self) -> None:
        """Interrupt the current job."""
        self._given_up.set()
        if self._db is not None:
            self._db.connection.interrupt()

    def close(self) -> None:
        """Interrupt the current job, and close the connection."""
        self.give_up()
        if self._begun:
            self._thread.submit(self._close)
        self._thread.shutdown(wait=True)

    def _do(self, work: Callable[[Db], Result], given_up: Event) -> Result:
        if self._db is None:
            self._db = Db(connect(self._path, self._busy_timeout_s))
            if self._keeps_pages:
                enlarge_cache(self._db.connection)
        self._db.connection.set_progress_handler(given_up.is_set, STEPS_BETWEEN_LOOKS)
        return work(self._db)

    def _close(self) -> None:
        if self._db is not None:
            self._db.connection.close()
            self._db = None


class TextReaders:
    """Connections that read parts of the same list in parallel. They cache few pages, because a search reads no text
    twice.
    """

    def __init__(self, path: str, busy_timeout_s: float, limit_s: float) -> None:
        self._helpers = [
            ScanHelper(path, busy_timeout_s, limit_s, keeps_pages=False)
            for _ in range(READERS + MORE_READERS)
        ]

    def begin(
        self, numbers: Sequence[int], work: Callable[[Db, Sequence[int]], Result]
    ) -> Callable[[], list[Result]]:
        """Start this work on the numbers, in batches; return a function that gives the results, in any order."""
        left = deque(
            numbers[start : start + TEXTS_AT_ONCE] for start in range(0, len(numbers), TEXTS_AT_ONCE)
        )

        def next_part() -> Sequence[int]:
            with suppress(IndexError):
                return left.popleft()
            return ()

        def share(db: Db) -> list[Result]:
            return [work(db, part) for part in iter(next_part, ())]

        begun = [helper.begin(share) for helper in self._helpers[: min(READERS, len(left))]]

        def found() -> list[Result]:
            wait([one.answer for one in begun], PATIENCE_S)
            if len(left) * TEXTS_AT_ONCE * 2 > len(numbers):
                more = self._helpers[READERS : READERS + len(left)]
                begun.extend(helper.begin(share) for helper in more)
            return [one for helping in begun for one in helping.result()]

        return found

    def close(self) -> None:
        """Interrupt current jobs, and close the connections."""
        for helper in self._helpers:
            helper.close()
