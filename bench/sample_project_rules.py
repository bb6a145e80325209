"""The invented project of the sample session, before it begins: the rules, the values and the service calendar."""

FILES: dict[str, str] = {}

FILES["CLAUDE.md"] = r"""# Skerryline timetable service

Departure boards and journey planning for the island ferries. Python 3.12, SQLite, a small TypeScript widget.

## Rules

- The public API in `timetable/api.py` is used by the ticket machines. Names, parameters, defaults and return
  types of its functions do not change inside a major version.
- Standard library first. A new runtime dependency needs a written reason in `docs/decisions/`.
- Times are published as minutes of a service day. Only `timetable/calendar.py` turns them into clock times.
- SQL lives in `timetable/store.py` and in `migrations/`. A migration that has shipped is never edited.
- Every fix comes with a test that fails without it.
- Commits are small, in the imperative, with the ticket number in brackets at the end.

## Commands

- `python -m pytest -q` runs the tests, `python scripts/migrate.py var/dev.db` brings a database up to date.
- `python scripts/serve.py` starts the development server.
- `npm --prefix web test` runs the widget's tests.

## Layout

- `timetable/` the service, `migrations/` numbered SQL, `scripts/` operations, `web/` the board widget.
- `data/feeds/` holds the operator's CSV as delivered. Never edit these by hand.
- `docs/incidents/` one page for each incident, named by its ticket.
"""

FILES["pyproject.toml"] = r"""[project]
name = "skerryline-timetable"
version = "2.3.1"
requires-python = ">=3.12"
dependencies = ["tzdata>=2025.2"]

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "--strict-markers"

[tool.ruff]
line-length = 100
"""

FILES["timetable/__init__.py"] = r'''"""Timetables of the island ferries."""

__version__ = "2.3.1"
'''

FILES[
    "timetable/errors.py"
] = r'''"""Errors raised on purpose, each with the code the ticket machines print."""


class TimetableError(Exception):
    """Base of everything this package raises itself."""

    code = "TT-5000"
    status = 500


class BadRequest(TimetableError):
    """The caller sent something we cannot read."""

    code = "TT-4000"
    status = 400


class UnknownHarbour(TimetableError):
    """No harbour has this code."""

    code = "TT-4040"
    status = 404


class NoJourney(TimetableError):
    """Both harbours exist, but nothing connects them within the search window."""

    code = "TT-4041"
    status = 404


class FeedError(TimetableError):
    """An operator feed could not be imported as a whole."""

    code = "TT-5100"
    status = 500
'''

FILES["timetable/model.py"] = r'''"""Values that travel between the layers. All of them are immutable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Harbour:
    """A place where ferries call; `code` is the three letter code painted on the quay."""

    code: str
    name: str


@dataclass(frozen=True, slots=True)
class Sailing:
    """One vessel going down one route once per day of its service."""

    id: int
    trip_id: str
    route: str
    vessel: str
    service_id: str


@dataclass(frozen=True, slots=True)
class Call:
    """A stop of a sailing. `arrives` is None at the first call, `departs` at the last."""

    sailing_id: int
    seq: int
    harbour: str
    arrives: int | None
    departs: int | None
    quay: str | None = None


@dataclass(frozen=True, slots=True)
class Departure:
    """A line on a departure board."""

    at: datetime
    route: str
    vessel: str
    destination: str
    quay: str | None
    trip_id: str


@dataclass(frozen=True, slots=True)
class Leg:
    """Riding one sailing from one harbour to another."""

    trip_id: str
    route: str
    origin: str
    destination: str
    departs: datetime
    arrives: datetime


@dataclass(frozen=True, slots=True)
class Journey:
    """One or more legs, in order."""

    legs: tuple[Leg, ...]

    @property
    def departs(self) -> datetime:
        return self.legs[0].departs

    @property
    def arrives(self) -> datetime:
        return self.legs[-1].arrives

    @property
    def changes(self) -> int:
        return len(self.legs) - 1
'''

FILES["timetable/calendar.py"] = r'''"""Service days, seasons and the clock.

A sailing is published as minutes of a service day. This module turns those minutes into
aware times and says on which days a service runs. The rest of the package treats times as
opaque, so a mistake in here shows up on every board at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Stockholm")
DAY_BREAK = time(4, 0)

# Looked up once: utcoffset() was visible in the profile of 2.1.
_OFFSET = datetime.now(ZONE).utcoffset() or timedelta(0)


@dataclass(frozen=True)
class Service:
    """When a group of sailings runs: a weekday mask, a season and dated exceptions."""

    id: str
    weekdays: str
    first_day: date
    last_day: date
    added: frozenset[date] = frozenset()
    removed: frozenset[date] = frozenset()


def runs_on(service: Service, day: date) -> bool:
    """Whether the service runs on a service day; a dated exception beats the weekday mask."""
    if day in service.removed:
        return False
    if day in service.added:
        return True
    if not service.first_day <= day <= service.last_day:
        return False
    return service.weekdays[day.weekday()] == "1"


def service_day(at: datetime) -> date:
    """The service day of an instant: the small hours belong to the evening before."""
    local = at.astimezone(ZONE)
    if local.time() < DAY_BREAK:
        return local.date() - timedelta(days=1)
    return local.date()


def to_instant(day: date, minute: int) -> datetime:
    """The aware time of a minute of a service day."""
    wall = datetime.combine(day, time.min) + timedelta(minutes=minute)
    return wall.replace(tzinfo=timezone(_OFFSET))


def parse_instant(text: str) -> datetime:
    """Read ISO 8601; a time without an offset is taken as local to the harbours."""
    value = datetime.fromisoformat(text)
    if value.tzinfo is None:
        return value.replace(tzinfo=ZONE)
    return value.astimezone(ZONE)


def days_around(at: datetime, ahead: int = 1) -> list[date]:
    """Service days whose sailings may still leave after `at`, oldest first."""
    today = service_day(at)
    return [today + timedelta(days=offset) for offset in range(ahead + 1)]
'''
