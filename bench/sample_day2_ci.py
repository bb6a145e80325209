"""The second day of the sample session, midday: a test that fails on one evening of the year."""

STORY = r'''
%% wait 21
%% user
CI is red on that push, run c1a7e2f4-60b3-4d5e-9a08-3f7712d0be95. It was green for you. Flaky?
%% bash cat var/ci/c1a7e2f4-60b3-4d5e-9a08-3f7712d0be95.log | tail -45 :: Read the log of the run
runner ci-3.skerryline.example, python 3.12.7, TZ=UTC, started 2025-10-29T08:24:11Z
$ faketime -f '@2025-12-31 23:40:00' python -m pytest
!pytest fail=test_a_board_without_a_time_starts_now

=================================== FAILURES ===================================
____________________ test_a_board_without_a_time_starts_now ____________________

db = <sqlite3.Connection object at 0x7f5b1e2f4d50>

    def test_a_board_without_a_time_starts_now(db: sqlite3.Connection) -> None:
        body = get(db, "/departures/KOB", "limit=1")[1]
        today = datetime.now(calendar.ZONE).date().isoformat()
>       assert body["departures"][0]["at"].startswith(today)
               ^^^^^^^^^^^^^^^^^^^^^
E       IndexError: list index out of range

tests/test_web.py:{L:tests/test_web.py:.startswith(today)}: IndexError
!pytest_end IndexError: list index out of range
error: the nightly matrix entry "year-end" exited with 1, artefacts kept for 14 days
%% say
Not flaky in the sense of random: this test depends on the day it runs. The matrix entry "year-end" sets the clock to
2025-12-31 23:40, the fixture's services end that day, so the board is empty. It would also fail every evening after
the last boat. The commit is innocent; the test was waiting for it.

The cure is a clock that is handed in, not one that is patched: `make_app` gets a `clock` parameter with the present
default. `make_app` is not part of the public API.
%% edit timetable/web.py
def _instant(query: dict[str, list[str]]) -> datetime:
    text = query.get("at", [""])[0]
    if not text:
        return datetime.now(calendar.ZONE)
====
def local_now() -> datetime:
    """The present time at the harbours."""
    return datetime.now(calendar.ZONE)


def _instant(query: dict[str, list[str]], clock: Clock) -> datetime:
    text = query.get("at", [""])[0]
    if not text:
        return clock()
%%+ edit timetable/web.py
App = Callable[[Environ, StartResponse], Iterable[bytes]]
====
App = Callable[[Environ, StartResponse], Iterable[bytes]]
Clock = Callable[[], datetime]
%% read timetable/web.py 96-165
%% edit timetable/web.py
    db: sqlite3.Connection, cache: BoardCache, code: str, query: dict[str, list[str]]
) -> bytes:
    lines = board_lines(db, cache, code, _instant(query), _limit(query))
====
    db: sqlite3.Connection, cache: BoardCache, code: str, query: dict[str, list[str]], clock: Clock
) -> bytes:
    lines = board_lines(db, cache, code, _instant(query, clock), _limit(query))
%%+ edit timetable/web.py
def _route(db: sqlite3.Connection, cache: BoardCache, path: str, query: dict[str, list[str]]) -> bytes:
====
def _route(
    db: sqlite3.Connection, cache: BoardCache, path: str, query: dict[str, list[str]], clock: Clock
) -> bytes:
%%+ edit timetable/web.py
        return _board(db, cache, path.removeprefix("/departures/").upper(), query)
    if path == "/journey":
        ends = [query.get(name, [""])[0].upper() for name in ("from", "to")]
        return json.dumps(journey_json(api.journey(db, ends[0], ends[1], _instant(query)))).encode()
====
        return _board(db, cache, path.removeprefix("/departures/").upper(), query, clock)
    if path == "/journey":
        ends = [query.get(name, [""])[0].upper() for name in ("from", "to")]
        found = api.journey(db, ends[0], ends[1], _instant(query, clock))
        return json.dumps(journey_json(found)).encode()
%%+ edit timetable/web.py
def make_app(db: sqlite3.Connection, cache: BoardCache | None = None) -> App:
    """The application over one database connection."""
====
def make_app(
    db: sqlite3.Connection, cache: BoardCache | None = None, clock: Clock = local_now
) -> App:
    """The application over one database connection; `clock` says what "now" is."""
%%+ edit timetable/web.py
            body = _route(db, boards, environ.get("PATH_INFO", "/"), query)
====
            body = _route(db, boards, environ.get("PATH_INFO", "/"), query, clock)
%% edit tests/test_web.py
def test_a_board_without_a_time_starts_now(db: sqlite3.Connection) -> None:
    body = get(db, "/departures/KOB", "limit=1")[1]
    today = datetime.now(calendar.ZONE).date().isoformat()
    assert body["departures"][0]["at"].startswith(today)
====
def test_a_board_without_a_time_starts_now(db: sqlite3.Connection) -> None:
    body = get(db, "/departures/KOB", "limit=1")[1]
    assert body["departures"][0]["at"] == "2025-01-15T09:15+01:00"


def test_the_board_of_the_last_evening_of_the_season_is_empty(db: sqlite3.Connection) -> None:
    body = get(db, "/departures/KOB", now="2025-12-31T23:40")[1]
    assert body["departures"] == []
%%+ edit tests/test_web.py
def get(db: sqlite3.Connection, path: str, query: str = "") -> tuple[str, dict[str, object]]:
    environ: dict[str, str] = {"PATH_INFO": path, "QUERY_STRING": query}
    setup_testing_defaults(environ)
    seen: list[str] = []
    body = b"".join(web.make_app(db)(environ, lambda status, headers: seen.append(status)))
====
def get(
    db: sqlite3.Connection, path: str, query: str = "", now: str = "2025-01-15T08:00"
) -> tuple[str, dict[str, object]]:
    environ: dict[str, str] = {"PATH_INFO": path, "QUERY_STRING": query}
    setup_testing_defaults(environ)
    seen: list[str] = []
    app = web.make_app(db, clock=lambda: calendar.parse_instant(now))
    body = b"".join(app(environ, lambda status, headers: seen.append(status)))
%%+ edit tests/test_web.py
from datetime import datetime
import json
====
import json
%% bash python -m pytest -q && faketime -f '@2025-12-31 23:40:00' python -m pytest -q :: Now, and on the last evening of the year
!pytest -q
!pytest -q
%% bash git commit -qam 'Hand the clock to the application instead of reading it (TT-4482)' && git push -q && git log --oneline -3 :: Commit and push
!commit 0ac93fe Hand the clock to the application instead of reading it (TT-4482)
!log 3
%% say
`0ac93fe`: the suite passes today and on 31 December at 23:40. No monkeypatching, the clock is a parameter of
`make_app`. In the same pass I checked that nothing else in `tests/` reads the real time.
'''
