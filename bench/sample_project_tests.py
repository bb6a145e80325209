"""The invented project of the sample session, before it begins: the tests it starts with."""

FILES: dict[str, str] = {}

FILES[
    "tests/conftest.py"
] = r'''"""A small fleet in memory: two routes, one night sailing, three harbours that connect."""

from __future__ import annotations

from collections.abc import Iterator
import sqlite3

import pytest

from scripts.migrate import migrate
from timetable import store

HARBOURS = [("KOB", "Kobbness"), ("LOM", "Lomsund"), ("TRN", "Ternholm"), ("VAD", "Vadholm")]


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    connection = store.connect(":memory:")
    migrate(connection)
    connection.executemany("INSERT INTO harbour (code, name) VALUES (?, ?)", HARBOURS)
    connection.execute(
        "INSERT INTO service VALUES ('daily', '1111111', '2025-01-01', '2025-12-31')"
    )
    connection.execute(
        "INSERT INTO service VALUES ('weekday', '1111100', '2025-01-01', '2025-12-31')"
    )
    add = store.insert_sailing
    add(connection, "test", "R1-0715", "R1", "MV Petrel", "daily",
        [(1, "KOB", None, 435, "2"), (2, "LOM", 475, 480, "1A"), (3, "TRN", 520, None, None)])
    add(connection, "test", "R1-0915", "R1", "MV Petrel", "weekday",
        [(1, "KOB", None, 555, "2"), (2, "LOM", 595, 600, "1A"), (3, "TRN", 640, None, None)])
    add(connection, "test", "R3-0800", "R3", "MV Dunlin", "daily",
        [(1, "LOM", None, 475, "3B"), (2, "VAD", 530, None, None)])
    add(connection, "test", "R3-0830", "R3", "MV Dunlin", "daily",
        [(1, "LOM", None, 510, "3B"), (2, "VAD", 565, None, None)])
    connection.commit()
    yield connection
    connection.close()
'''

FILES["tests/test_calendar.py"] = r'''"""Service days and clock times."""

from __future__ import annotations

from datetime import date, datetime

from timetable import calendar
from timetable.calendar import Service, runs_on, service_day, to_instant

WINTER = Service("w", "1111100", date(2025, 1, 1), date(2025, 3, 31))


def test_a_weekday_service_rests_on_saturday() -> None:
    assert runs_on(WINTER, date(2025, 1, 17))
    assert not runs_on(WINTER, date(2025, 1, 18))


def test_a_service_ends_with_its_season() -> None:
    assert not runs_on(WINTER, date(2025, 4, 1))


def test_a_removed_day_beats_the_weekday_mask() -> None:
    service = Service("w", "1111111", date(2025, 1, 1), date(2025, 3, 31), removed=frozenset({date(2025, 1, 6)}))
    assert not runs_on(service, date(2025, 1, 6))


def test_an_added_day_beats_the_season() -> None:
    service = Service("w", "0000000", date(2025, 1, 1), date(2025, 1, 2), added=frozenset({date(2025, 2, 1)}))
    assert runs_on(service, date(2025, 2, 1))


def test_the_small_hours_belong_to_the_evening_before() -> None:
    at = datetime(2025, 1, 15, 1, 20, tzinfo=calendar.ZONE)
    assert service_day(at) == date(2025, 1, 14)


def test_a_minute_becomes_a_clock_time_in_winter() -> None:
    assert to_instant(date(2025, 1, 15), 435).isoformat() == "2025-01-15T07:15:00+01:00"
'''

FILES["tests/test_feed.py"] = r'''"""Import of operator feeds."""

from __future__ import annotations

from pathlib import Path
import sqlite3

import pytest

from timetable import feed, store
from timetable.errors import FeedError

HEADER = "trip_id,route,vessel,service,seq,harbour,arrives,departs,quay\n"


def write(folder: Path, *rows: str) -> Path:
    path = folder / "winter.csv"
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_sailing_is_stored_with_its_calls(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write(tmp_path, "X1,R9,MV Skua,daily,1,KOB,,06:00,2", "X1,R9,MV Skua,daily,2,TRN,06:45,,")
    report = feed.import_feed(db, path)
    assert (report.read, report.sailings, report.calls) == (2, 1, 2)


def test_importing_again_replaces_the_sailings_of_the_feed(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write(tmp_path, "X1,R9,MV Skua,daily,1,KOB,,06:00,2", "X1,R9,MV Skua,daily,2,TRN,06:45,,")
    feed.import_feed(db, path)
    feed.import_feed(db, path)
    assert sum(sailing.trip_id == "X1" for sailing in store.sailings(db)) == 1


def test_a_row_with_a_broken_time_is_reported_with_its_line(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write(tmp_path, "X1,R9,MV Skua,daily,1,KOB,,6 o'clock,2", "X1,R9,MV Skua,daily,2,TRN,06:45,,")
    report = feed.import_feed(db, path)
    assert [rejection.line for rejection in report.rejected] == [2]
    assert report.sailings == 0


def test_a_foreign_header_stops_the_import(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("stop,time\nKOB,06:00\n", encoding="utf-8")
    with pytest.raises(FeedError, match="unexpected header"):
        feed.import_feed(db, path)
'''

FILES["tests/test_api.py"] = r'''"""The public API, as the ticket machines use it."""

from __future__ import annotations

from datetime import datetime
import sqlite3

import pytest

from timetable import api, calendar
from timetable.errors import BadRequest, NoJourney, UnknownHarbour


def at(text: str) -> datetime:
    return calendar.parse_instant(text)


def test_departures_come_soonest_first(db: sqlite3.Connection) -> None:
    lines = api.departures(db, "KOB", at("2025-01-15T06:00"))
    assert [line.trip_id for line in lines[:2]] == ["R1-0715", "R1-0915"]


def test_a_departure_names_its_last_harbour(db: sqlite3.Connection) -> None:
    assert api.departures(db, "KOB", at("2025-01-15T06:00"))[0].destination == "Ternholm"


def test_the_next_day_follows_when_today_is_over(db: sqlite3.Connection) -> None:
    lines = api.departures(db, "KOB", at("2025-01-15T21:00"), limit=1)
    assert lines[0].at.date().isoformat() == "2025-01-16"


def test_an_unknown_harbour_is_said_to_be_unknown(db: sqlite3.Connection) -> None:
    with pytest.raises(UnknownHarbour):
        api.departures(db, "XXX", at("2025-01-15T06:00"))


def test_a_limit_of_zero_is_refused(db: sqlite3.Connection) -> None:
    with pytest.raises(BadRequest, match="between 1 and 60"):
        api.departures(db, "KOB", at("2025-01-15T06:00"), limit=0)


def test_a_direct_journey_has_no_change(db: sqlite3.Connection) -> None:
    found = api.journey(db, "KOB", "TRN", at("2025-01-15T06:00"))
    assert found.changes == 0
    assert found.arrives.strftime("%H:%M") == "08:40"


def test_a_journey_may_change_vessels(db: sqlite3.Connection) -> None:
    found = api.journey(db, "KOB", "VAD", at("2025-01-15T06:00"))
    assert [leg.route for leg in found.legs] == ["R1", "R3"]


def test_nothing_sails_back_from_vadholm(db: sqlite3.Connection) -> None:
    with pytest.raises(NoJourney):
        api.journey(db, "VAD", "KOB", at("2025-01-15T06:00"))
'''

FILES["tests/test_web.py"] = r'''"""The HTTP face."""

from __future__ import annotations

from datetime import datetime
import json
import sqlite3
from wsgiref.util import setup_testing_defaults

from timetable import calendar, web


def get(db: sqlite3.Connection, path: str, query: str = "") -> tuple[str, dict[str, object]]:
    environ: dict[str, str] = {"PATH_INFO": path, "QUERY_STRING": query}
    setup_testing_defaults(environ)
    seen: list[str] = []
    body = b"".join(web.make_app(db)(environ, lambda status, headers: seen.append(status)))
    return seen[0], json.loads(body)


def test_health_is_ok(db: sqlite3.Connection) -> None:
    assert get(db, "/health")[1]["ok"] is True


def test_a_board_lists_departures(db: sqlite3.Connection) -> None:
    status, body = get(db, "/departures/KOB", "at=2025-01-15T06:00&limit=2")
    assert status == "200 OK"
    assert len(body["departures"]) == 2


def test_a_board_without_a_time_starts_now(db: sqlite3.Connection) -> None:
    body = get(db, "/departures/KOB", "limit=1")[1]
    today = datetime.now(calendar.ZONE).date().isoformat()
    assert body["departures"][0]["at"].startswith(today)


def test_an_unknown_harbour_is_a_404_with_a_code(db: sqlite3.Connection) -> None:
    status, body = get(db, "/departures/XXX", "at=2025-01-15T06:00")
    assert status == "404 Not Found"
    assert body["code"] == "TT-4040"


def test_a_time_we_cannot_read_is_a_400(db: sqlite3.Connection) -> None:
    assert get(db, "/departures/KOB", "at=tomorrow")[0] == "400 Bad Request"
'''
