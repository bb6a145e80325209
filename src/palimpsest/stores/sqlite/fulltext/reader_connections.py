"""Further connections: one goes through a part of an index while the search goes through the other, others read texts.

SQLite holds no lock of the interpreter meanwhile, so on two processors it takes as long as the longer of them; and what
is not in memory comes the sooner the more of it is asked for at once. What is written in between may be counted and not
be found, or the other way round.
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

from palimpsest.stores.sqlite.connection import connect, enlarge_cache, took_too_long
from palimpsest.stores.sqlite.statements import Db

Result = TypeVar("Result")

READERS = 3
MORE_READERS = 8
PATIENCE_S = 0.012
"""So many read texts at once; and so many more where these have not done half by then, because the file is not in
memory: then the disk is waited for, which serves many in half of the time that it takes for three. In memory so many
would only be in each other's way.
"""

TEXTS_AT_ONCE = 128
"""So many are read by one statement."""

STEPS_BETWEEN_LOOKS = 1_000_000
"""So many steps of SQLite take some 20 ms."""


@dataclass(frozen=True, slots=True)
class Help(Generic[Result]):
    """What the helper is asked for."""

    helper: Helper
    answer: Future[Result]
    ends_s: float

    def result(self) -> Result:
        """What came of it. Raises StoreError where that takes longer than a search may."""
        try:
            return self.answer.result(max(0.0, self.ends_s - time.monotonic()))
        except StillRunning:
            self.helper.give_up()
            raise took_too_long(self.helper.limit_s) from None


class Helper:
    """The connection and its thread, both made when they are first wanted. Used by one thread at a time.

    While it works it hardly ever looks whether it is still wanted: that takes the interpreter's lock from whoever it
    helps. Who waits for it does so for as long as a search may take.
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

    def begin(self, work: Callable[[Db], Result]) -> Help[Result]:
        """Begin to do this. What nobody waits for any more is given up."""
        self.give_up()
        self._given_up, self._begun = Event(), True
        answer = self._thread.submit(self._do, work, self._given_up)
        return Help(self, answer, time.monotonic() + self.limit_s)

    def give_up(self) -> None:
        """End what runs."""
        self._given_up.set()
        if self._db is not None:
            self._db.connection.interrupt()

    def close(self) -> None:
        """Give up what runs, and close the connection."""
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


class Readers:
    """Connections that read parts of the same at once. They keep few pages: no text is read twice in a search."""

    def __init__(self, path: str, busy_timeout_s: float, limit_s: float) -> None:
        self._helpers = [
            Helper(path, busy_timeout_s, limit_s, keeps_pages=False) for _ in range(READERS + MORE_READERS)
        ]

    def begin(
        self, numbers: Sequence[int], work: Callable[[Db, Sequence[int]], Result]
    ) -> Callable[[], list[Result]]:
        """Begin to do this with these numbers, some at a time; what tells what came of it, in any order."""
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
        """Give up what runs, and close the connections."""
        for helper in self._helpers:
            helper.close()
