"""The invented project of the sample session, before it begins: store and feed import."""

FILES: dict[str, str] = {}

FILES[
    "timetable/store.py"
] = r'''"""All SQL of the service. Functions take a connection and return values from `model`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
import sqlite3

from timetable.calendar import Service
from timetable.model import Call, Harbour, Sailing

PRAGMAS = ("PRAGMA foreign_keys = ON", "PRAGMA journal_mode = WAL", "PRAGMA busy_timeout = 3000")


def connect(path: str | Path) -> sqlite3.Connection:
    """Open a database file (or ":memory:") with our pragmas set."""
    db = sqlite3.connect(path)
    for pragma in PRAGMAS:
        db.execute(pragma)
    return db


def harbours(db: sqlite3.Connection) -> list[Harbour]:
    rows = db.execute("SELECT code, name FROM harbour ORDER BY name")
    return [Harbour(code, name) for code, name in rows]


def has_harbour(db: sqlite3.Connection, code: str) -> bool:
    row = db.execute("SELECT 1 FROM harbour WHERE code = ?", (code,)).fetchone()
    return row is not None


def harbour_name(db: sqlite3.Connection, code: str) -> str:
    row = db.execute("SELECT name FROM harbour WHERE code = ?", (code,)).fetchone()
    return row[0] if row else code


def sailings(db: sqlite3.Connection) -> list[Sailing]:
    rows = db.execute("SELECT id, trip_id, route, vessel, service_id FROM sailing ORDER BY id")
    return [Sailing(*row) for row in rows]


def sailing(db: sqlite3.Connection, sailing_id: int) -> Sailing:
    row = db.execute(
        "SELECT id, trip_id, route, vessel, service_id FROM sailing WHERE id = ?", (sailing_id,)
    ).fetchone()
    return Sailing(*row)


def calls_of(db: sqlite3.Connection, sailing_id: int) -> list[Call]:
    """The calls of one sailing, in order."""
    rows = db.execute(
        "SELECT sailing_id, seq, harbour, arrives, departs, quay FROM call"
        " WHERE sailing_id = ? ORDER BY seq",
        (sailing_id,),
    )
    return [Call(*row) for row in rows]


def calls_at(db: sqlite3.Connection, harbour: str) -> list[Call]:
    """Every call at a harbour that can be boarded, by minute of departure."""
    rows = db.execute(
        "SELECT sailing_id, seq, harbour, arrives, departs, quay FROM call"
        " WHERE harbour = ? AND departs IS NOT NULL ORDER BY departs",
        (harbour,),
    )
    return [Call(*row) for row in rows]


def service(db: sqlite3.Connection, service_id: str) -> Service:
    """A service with its dated exceptions."""
    row = db.execute(
        "SELECT id, weekdays, first_day, last_day FROM service WHERE id = ?", (service_id,)
    ).fetchone()
    added: set[date] = set()
    removed: set[date] = set()
    for day, runs in db.execute(
        "SELECT day, runs FROM service_exception WHERE service_id = ?", (service_id,)
    ):
        (added if runs else removed).add(date.fromisoformat(day))
    return Service(
        row[0],
        row[1],
        date.fromisoformat(row[2]),
        date.fromisoformat(row[3]),
        frozenset(added),
        frozenset(removed),
    )


def clear_feed(db: sqlite3.Connection, feed: str) -> None:
    """Forget the sailings of one feed; their calls go with them."""
    db.execute("DELETE FROM sailing WHERE feed = ?", (feed,))


def insert_sailing(
    db: sqlite3.Connection,
    feed: str,
    trip_id: str,
    route: str,
    vessel: str,
    service_id: str,
    calls: Sequence[tuple[int, str, int | None, int | None, str | None]],
) -> int:
    """Add one sailing with its calls and return its id."""
    cursor = db.execute(
        "INSERT INTO sailing (feed, trip_id, route, vessel, service_id) VALUES (?, ?, ?, ?, ?)",
        (feed, trip_id, route, vessel, service_id),
    )
    sailing_id = cursor.lastrowid
    assert sailing_id is not None
    db.executemany(
        "INSERT INTO call (sailing_id, seq, harbour, arrives, departs, quay)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [(sailing_id, *call) for call in calls],
    )
    return sailing_id
'''

FILES["timetable/feed.py"] = r'''"""Import of the operator's CSV feed.

One row is one call of one sailing. Rows that cannot be read are reported with their line
and skipped; a sailing with fewer than two readable calls is not stored.
"""

from __future__ import annotations

from collections.abc import Iterator
import csv
from dataclasses import dataclass, field
from datetime import datetime
import logging
from pathlib import Path
import sqlite3

from timetable import store
from timetable.errors import FeedError

log = logging.getLogger("timetable.feed")

COLUMNS = (
    "trip_id", "route", "vessel", "service", "seq", "harbour", "arrives", "departs", "quay",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FeedRow:
    """One readable row. Times are minutes of the service day."""

    trip_id: str
    route: str
    vessel: str
    service: str
    seq: int
    harbour: str
    arrives: int | None
    departs: int | None
    quay: str | None


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that was skipped, and why."""

    line: int
    reason: str


@dataclass
class ImportReport:
    """What an import did."""

    read: int = 0
    sailings: int = 0
    calls: int = 0
    rejected: list[Rejection] = field(default_factory=list)


def parse_minute(text: str) -> int | None:
    """Minutes of the service day from `HH:MM`; None for an empty field."""
    if not text:
        return None
    parsed = datetime.strptime(text, "%H:%M")
    return parsed.hour * 60 + parsed.minute


def parse_row(row: dict[str, str]) -> FeedRow:
    """Raises KeyError for a missing column and ValueError for a value we cannot read."""
    return FeedRow(
        row["trip_id"],
        row["route"],
        row["vessel"],
        row["service"],
        int(row["seq"]),
        row["harbour"],
        parse_minute(row["arrives"]),
        parse_minute(row["departs"]),
        row["quay"] or None,
    )


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows with their line numbers. Raises FeedError when the header is not ours."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise FeedError(f"{path.name}: unexpected header {reader.fieldnames}")
        for row in reader:
            yield reader.line_num, row


def import_feed(db: sqlite3.Connection, path: Path) -> ImportReport:
    """Replace the sailings of this feed by what the file says."""
    report = ImportReport()
    trips: dict[str, list[FeedRow]] = {}
    for line, row in read_rows(path):
        report.read += 1
        try:
            parsed = parse_row(row)
        except (KeyError, ValueError) as error:
            report.rejected.append(Rejection(line, str(error)))
            continue
        trips.setdefault(parsed.trip_id, []).append(parsed)
    store.clear_feed(db, path.stem)
    for trip_id, rows in trips.items():
        if len(rows) < 2:
            continue
        _store_trip(db, path.stem, trip_id, rows)
        report.sailings += 1
        report.calls += len(rows)
        db.commit()
    log.info(
        "imported %s: %d rows, %d sailings, %d rejected",
        path.name, report.read, report.sailings, len(report.rejected),
    )  # fmt: skip
    return report


def _store_trip(db: sqlite3.Connection, feed: str, trip_id: str, rows: list[FeedRow]) -> None:
    rows.sort(key=lambda row: row.seq)
    first = rows[0]
    calls = [(row.seq, row.harbour, row.arrives, row.departs, row.quay) for row in rows]
    store.insert_sailing(db, feed, trip_id, first.route, first.vessel, first.service, calls)
'''
