"""The second day of the sample session, late morning: a cache keyed by revision."""

STORY = r'''
%% wait 18
%% user
Very nice. Now the misses.
%% think
Cache key is (code, at minute, limit). `at` absent means now, to the minute. Each screen asks every 30 s, so two hits at
best per minute per worker. To have more hits: without explicit `at`, cache the lines for the whole day from the first
departure and cut at request time? Simpler: key by (revision, code, service day, limit?) holding the full departures
list for the two service days, then filter at >= now in Python. That keeps 31 ms work only once per revision and
service day. Then TTL is not needed for correctness, but exceptions may be edited by operations directly in the
database without an import... then revision doesn't change. So a TTL would still be useful. Let me propose dropping
the TTL? Revision covers imports. Hmm, I'd propose to remove it, being "the revision says it all".
%% say
Why it misses: the key contains the minute of the request, so an entry is useful for a minute at most, whatever the
TTL says. Better: keep one entry per revision, harbour and service day that holds all lines of that day, and cut it at
the moment of the request. An import counts the revision up and with that makes old entries unreachable, so I would
take the TTL out entirely.
%% read timetable/cache.py
%%+ grep BoardCache|ttl_s|cache\.(get|put|clear) :: . :: *.py
%% user
The idea is right, but the TTL stays at 90 s as a fallback, don't remove it. Operations edits service_exception by hand
when a boat breaks down, and no import runs then.
%% say
Good point: a manual exception does not count the revision up. The TTL stays at 90 s, and I write that reason into the
docstring, because it is exactly the kind of thing someone tidies away.
%% write tests/test_cache.py
"""The board cache."""

from __future__ import annotations

import sqlite3

from timetable import calendar, store, web
from timetable.cache import BoardCache

SIX = calendar.parse_instant("2025-01-15T06:00")
EIGHT = calendar.parse_instant("2025-01-15T08:00")


class Clock:
    """A clock the test turns by hand."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def trips(db: sqlite3.Connection, boards: BoardCache, at: object = SIX, limit: int = 10) -> list[str]:
    return [line.trip_id for line in web.board_lines(db, boards, "KOB", at, limit)]


def test_a_board_of_the_same_day_is_answered_from_the_cache(db: sqlite3.Connection) -> None:
    boards = BoardCache()
    assert trips(db, boards)[0] == "R1-0715"
    assert trips(db, boards, EIGHT)[0] == "R1-0915"
    assert (boards.hits, boards.misses) == (1, 1)


def test_the_limit_is_cut_after_the_cache(db: sqlite3.Connection) -> None:
    boards = BoardCache()
    trips(db, boards)
    assert len(trips(db, boards, limit=1)) == 1
    assert boards.misses == 1


def test_an_import_makes_old_boards_unreachable(db: sqlite3.Connection) -> None:
    boards = BoardCache()
    trips(db, boards)
    store.clear_feed(db, "test")
    store.record_feed(db, "test", "0" * 64, 0)
    assert trips(db, boards) == []


def test_a_hand_made_exception_shows_after_the_age_limit(db: sqlite3.Connection) -> None:
    clock = Clock()
    boards = BoardCache(ttl_s=90.0, clock=clock)
    trips(db, boards)
    db.execute("INSERT INTO service_exception VALUES ('daily', '2025-01-15', 0)")
    assert trips(db, boards)[0] == "R1-0715"
    clock.now_s = 90.5
    assert trips(db, boards)[0] == "R1-0915"


def test_the_oldest_board_goes_when_the_cache_is_full(db: sqlite3.Connection) -> None:
    boards = BoardCache(size=1)
    web.board_lines(db, boards, "KOB", SIX, 5)
    web.board_lines(db, boards, "LOM", SIX, 5)
    web.board_lines(db, boards, "KOB", SIX, 5)
    assert (boards.hits, boards.misses) == (0, 3)
%% think
api.departures has limit max 60. For all lines of a day from its start I need more than 60 possibly. The API has
MAX_LIMIT 60. I must not change the API. So cached board should come from a helper beneath: api has the loop. Could I
move the loop to a new module `timetable/board.py` with `lines(db, harbour, days)`, and api.departures calls it and
filters. That's allowed: signature same.
%% say
`api.departures` stops at 60 lines and must stay as it is, so the loop moves one floor down into a module of its own,
and both the API and the web layer call it.
%% write timetable/board.py
"""All lines of a board, before anyone asks from when on and how many.

Lines depend on the harbour, the service days and the data; not on the minute of the request. That is
what makes them worth keeping.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
import sqlite3

from timetable import calendar, store
from timetable.model import Departure


def lines(db: sqlite3.Connection, harbour: str, days: Sequence[date]) -> list[Departure]:
    """Every sailing that leaves a harbour on these service days, soonest first."""
    found: list[Departure] = []
    services = store.services(db)
    for line in store.boardable(db, harbour):
        for day in days:
            if calendar.runs_on(services[line.service_id], day):
                when = calendar.to_instant(day, line.departs)
                found.append(
                    Departure(when, line.route, line.vessel, line.destination, line.quay, line.trip_id)
                )
    return sorted(found, key=lambda item: (item.at, item.trip_id))
%%+ edit timetable/api.py
    found: list[Departure] = []
    days = calendar.days_around(at)
    services = store.services(db)
    for line in store.boardable(db, harbour):
        for day in days:
            if not calendar.runs_on(services[line.service_id], day):
                continue
            when = calendar.to_instant(day, line.departs)
            if when < at:
                continue
            found.append(
                Departure(when, line.route, line.vessel, line.destination, line.quay, line.trip_id)
            )
    found.sort(key=lambda line: (line.at, line.trip_id))
    return found[:limit]
====
    found = board.lines(db, harbour, calendar.days_around(at))
    return [line for line in found if line.at >= at][:limit]
%%+ edit timetable/api.py
from timetable import calendar, planner, store
====
from timetable import board, calendar, planner, store
%% write timetable/cache.py
"""A small cache for the lines of boards.

Boards are asked for by every screen on every quay every thirty seconds. An entry holds all lines of one
harbour and service day under the revision of the data, so an import makes old entries unreachable.

The age limit stays as a fallback: operations adds dated exceptions by hand when a boat breaks down, and
no import counts the revision up then. The oldest entries go when there are more than `size`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
import time

from timetable.model import Departure

Key = tuple[str, ...]


class BoardCache:
    """Lines by key with an age limit. Not safe for threads: one per worker."""

    def __init__(
        self, ttl_s: float = 90.0, size: int = 256, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ttl_s = ttl_s
        self._size = size
        self._clock = clock
        self._entries: OrderedDict[Key, tuple[float, list[Departure]]] = OrderedDict()
        self.hits = 0
        self.misses = 0

    def get(self, key: Key) -> list[Departure] | None:
        """The stored lines, or None when absent or too old."""
        entry = self._entries.get(key)
        if entry is None or self._clock() - entry[0] > self._ttl_s:
            self.misses += 1
            return None
        self.hits += 1
        return entry[1]

    def put(self, key: Key, lines: list[Departure]) -> None:
        self._entries[key] = (self._clock(), lines)
        self._entries.move_to_end(key)
        while len(self._entries) > self._size:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        self._entries.clear()
%% edit timetable/web.py
def _board(
    db: sqlite3.Connection, cache: BoardCache, code: str, query: dict[str, list[str]]
) -> bytes:
    at, limit = _instant(query), _limit(query)
    key = (code, at.isoformat(timespec="minutes"), str(limit))
    cached = cache.get(key)
    if cached is not None:
        return cached
    lines = api.departures(db, code, at, limit)
    body = json.dumps({"harbour": code, "departures": [departure_json(line) for line in lines]})
    cache.put(key, body.encode())
    return body.encode()
====
def board_lines(
    db: sqlite3.Connection, cache: BoardCache, code: str, at: datetime, limit: int
) -> list[Departure]:
    """What `api.departures` would answer, with the day's lines taken from the cache if they are there."""
    days = calendar.days_around(at)
    key = (str(store.revision(db)), code, days[0].isoformat())
    lines = cache.get(key)
    if lines is None:
        api.departures(db, code, at, limit)
        lines = board.lines(db, code, days)
        cache.put(key, lines)
    return [line for line in lines if line.at >= at][:limit]


def _board(
    db: sqlite3.Connection, cache: BoardCache, code: str, query: dict[str, list[str]]
) -> bytes:
    lines = board_lines(db, cache, code, _instant(query), _limit(query))
    return json.dumps(
        {"harbour": code, "departures": [departure_json(line) for line in lines]}
    ).encode()
%%+ edit timetable/web.py
from timetable import api, calendar
====
from timetable import api, board, calendar, store
%% bash python -m pytest -q :: Run everything
!pytest -q
%% think
Calling api.departures just to validate is wasteful: on miss it computes the board twice. And on a hit the limit is not
validated: limit=0 answered from cache gives empty instead of 400! That's a bug that no test catches: the order of
requests matters. Fix: validate explicitly. api has validation inside departures. Put a check function in board? e.g.
board.check(db, harbour, limit) raising BadRequest/UnknownHarbour; api.departures uses it too. MAX_LIMIT stays in api
(public name?) keep it there as an alias.
%% say
Green, but I don't like what I wrote: `api.departures` is called on a miss only for its checks, so a miss does the work
twice, and on a hit nothing checks at all. `limit=0` would be a 400 the first time and an empty board the second. A
test for that, then the checks become a function both use.
%% edit tests/test_cache.py
def test_an_import_makes_old_boards_unreachable(db: sqlite3.Connection) -> None:
====
def test_a_bad_limit_is_refused_on_a_hit_too(db: sqlite3.Connection) -> None:
    boards = BoardCache()
    trips(db, boards)
    with pytest.raises(BadRequest):
        trips(db, boards, limit=0)


def test_an_import_makes_old_boards_unreachable(db: sqlite3.Connection) -> None:
%%+ edit tests/test_cache.py
import sqlite3

from timetable import calendar, store, web
from timetable.cache import BoardCache
====
import sqlite3

import pytest

from timetable import calendar, store, web
from timetable.cache import BoardCache
from timetable.errors import BadRequest
%%+ edit timetable/board.py
def lines(db: sqlite3.Connection, harbour: str, days: Sequence[date]) -> list[Departure]:
====
def check(db: sqlite3.Connection, harbour: str, limit: int) -> None:
    """Raises UnknownHarbour for a code nobody uses and BadRequest for a limit outside 1..60."""
    if not 1 <= limit <= MAX_LIMIT:
        raise BadRequest(f"limit must be between 1 and {MAX_LIMIT}, not {limit}")
    if not store.has_harbour(db, harbour):
        raise UnknownHarbour(f"no harbour has the code {harbour!r}")


def lines(db: sqlite3.Connection, harbour: str, days: Sequence[date]) -> list[Departure]:
%%+ edit timetable/board.py
from timetable import calendar, store
from timetable.model import Departure
====
from timetable import calendar, store
from timetable.errors import BadRequest, UnknownHarbour
from timetable.model import Departure

MAX_LIMIT = 60
%%+ edit timetable/api.py
    if not 1 <= limit <= MAX_LIMIT:
        raise BadRequest(f"limit must be between 1 and {MAX_LIMIT}, not {limit}")
    if not store.has_harbour(db, harbour):
        raise UnknownHarbour(f"no harbour has the code {harbour!r}")
    found = board.lines
====
    board.check(db, harbour, limit)
    found = board.lines
%%+ edit timetable/api.py
MAX_LIMIT = 60
====
MAX_LIMIT = board.MAX_LIMIT
%%+ edit timetable/web.py
    days = calendar.days_around(at)
    key = (str(store.revision(db)), code, days[0].isoformat())
    lines = cache.get(key)
    if lines is None:
        api.departures(db, code, at, limit)
        lines = board.lines(db, code, days)
====
    board.check(db, code, limit)
    days = calendar.days_around(at)
    key = (str(store.revision(db)), code, days[0].isoformat())
    lines = cache.get(key)
    if lines is None:
        lines = board.lines(db, code, days)
%% bash python -m pytest -v tests/test_cache.py tests/test_api.py tests/test_web.py :: Cache, API and web
!pytest -v tests/test_cache.py tests/test_api.py tests/test_web.py
%% bash git add -A && git commit -qm 'Keep a day of lines per harbour and revision (TT-4480)' && git push -q origin perf/board && git log --oneline -1 :: Commit and push
!commit b6d4402 Keep a day of lines per harbour and revision (TT-4480)
'''
