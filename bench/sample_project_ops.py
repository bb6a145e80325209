"""The invented project of the sample session, before it begins: migrations, scripts and documents."""

FILES: dict[str, str] = {}

FILES["migrations/0001_init.sql"] = r"""-- Harbours, services, sailings and their calls.
CREATE TABLE harbour (
    code TEXT PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE TABLE service (
    id TEXT PRIMARY KEY,
    weekdays TEXT NOT NULL CHECK (length(weekdays) = 7),
    first_day TEXT NOT NULL,
    last_day TEXT NOT NULL
);

CREATE TABLE sailing (
    id INTEGER PRIMARY KEY,
    feed TEXT NOT NULL,
    trip_id TEXT NOT NULL UNIQUE,
    route TEXT NOT NULL,
    vessel TEXT NOT NULL,
    service_id TEXT NOT NULL REFERENCES service (id)
);

CREATE TABLE call (
    sailing_id INTEGER NOT NULL REFERENCES sailing (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    harbour TEXT NOT NULL REFERENCES harbour (code),
    arrives INTEGER,
    departs INTEGER,
    PRIMARY KEY (sailing_id, seq)
);
"""

FILES["migrations/0002_exceptions.sql"] = r"""-- Dated exceptions: holidays, school terms, dry docking.
CREATE TABLE service_exception (
    service_id TEXT NOT NULL REFERENCES service (id),
    day TEXT NOT NULL,
    runs INTEGER NOT NULL CHECK (runs IN (0, 1)),
    PRIMARY KEY (service_id, day)
);
"""

FILES["migrations/0003_feed.sql"] = r"""-- When each operator feed was last imported.
CREATE TABLE feed (
    name TEXT PRIMARY KEY,
    imported_at TEXT NOT NULL,
    rows INTEGER NOT NULL
);
"""

FILES[
    "migrations/0004_quays.sql"
] = r"""-- Quays are painted on the ground since spring, so boards may name them.
ALTER TABLE call ADD COLUMN quay TEXT;
"""

FILES["scripts/migrate.py"] = r'''"""Bring a database file up to date: python scripts/migrate.py var/dev.db"""

from __future__ import annotations

import hashlib
from pathlib import Path
import sqlite3
import sys

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"

LEDGER = """
CREATE TABLE IF NOT EXISTS applied_migration (
    name TEXT PRIMARY KEY,
    checksum TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (datetime('now'))
)
"""


def checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def migrate(db: sqlite3.Connection, folder: Path = MIGRATIONS) -> list[str]:
    """Apply what is missing, in order, and return the names applied.

    A migration whose file no longer matches its recorded checksum stops everything: a shipped
    migration is never edited.
    """
    db.execute(LEDGER)
    done = dict(db.execute("SELECT name, checksum FROM applied_migration"))
    applied: list[str] = []
    for path in sorted(folder.glob("*.sql")):
        if path.name in done:
            if done[path.name] != checksum(path):
                raise SystemExit(f"{path.name} was edited after it was applied")
            continue
        db.executescript(path.read_text(encoding="utf-8"))
        db.execute(
            "INSERT INTO applied_migration (name, checksum) VALUES (?, ?)",
            (path.name, checksum(path)),
        )
        db.commit()
        applied.append(path.name)
    return applied


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "var/dev.db")
    target.parent.mkdir(parents=True, exist_ok=True)
    for name in migrate(sqlite3.connect(target)):
        print("applied", name)
'''

FILES["scripts/serve.py"] = r'''"""Start the development server: python scripts/serve.py [DATABASE]"""

from __future__ import annotations

import logging
import os
import sys
from wsgiref.simple_server import make_server

from timetable import store, web

PORT = int(os.environ.get("TIMETABLE_PORT", "8137"))

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    db = store.connect(sys.argv[1] if len(sys.argv) > 1 else "var/dev.db")
    with make_server("127.0.0.1", PORT, web.make_app(db)) as server:
        print(f"listening on http://localhost:{PORT}")
        server.serve_forever()
'''

FILES["scripts/import_feed.py"] = r'''"""Import a feed: python scripts/import_feed.py DATABASE FILE..."""

from __future__ import annotations

import logging
from pathlib import Path
import sys
import time

from timetable import feed, store

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    db = store.connect(sys.argv[1])
    for name in sys.argv[2:]:
        started = time.perf_counter()
        report = feed.import_feed(db, Path(name))
        elapsed_s = time.perf_counter() - started
        print(
            f"{name}: {report.read} rows, {report.sailings} sailings, "
            f"{len(report.rejected)} rejected, {elapsed_s:.1f} s"
        )
        for rejection in report.rejected[:20]:
            print(f"  line {rejection.line}: {rejection.reason}")
'''

FILES["README.md"] = r"""# Skerryline timetable service

Departure boards and journey planning for eight harbours.

## Run it

    python scripts/migrate.py var/dev.db
    python scripts/import_feed.py var/dev.db data/feeds/winter-2025.csv
    python scripts/serve.py
    curl 'http://localhost:8080/departures/KOB?limit=3'

## Test it

    python -m pytest -q
    npm --prefix web test

## Operations

Two staging machines and two in production import the operator's feed at 03:30 every night. The board
cache is per worker and empty after a restart. Logs carry the request id that the widget shows on errors.
"""

FILES["CHANGELOG.md"] = r"""# Changelog

## 2.3.1 - 2025-09-30

- Boards name the quay where the feed does.
- `limit` outside 1..60 is answered with TT-4000 instead of being clipped.

## 2.3.0 - 2025-08-18

- Journey planning across two service days.

## 2.2.0 - 2025-06-02

- Dated exceptions for services.
"""

FILES["docs/incidents/TT-4471.md"] = r"""# TT-4471: boards one hour off after the clock change

- Reported: 2025-10-27, 06:50 local, by the quay staff at Kobbness.
- Seen on: staging-2.skerryline.example and both production machines.
- Example request: 7d0c41be-93a5-4f0e-8d52-6b1e0a94c3f7

At 06:50 the first line of the board was the 08:15 to Ternholm, with a countdown of 25 minutes. The 07:15 had
already vanished from the board, and the vessel was still lying at quay 2.

The process on staging-2 was up since 2025-10-19T04:02:11Z. Restarting it made the board right again, so
the on-call closed the page. On Sunday 26 October itself, however, a machine restarted at 02:30 was wrong
from 03:00 on as well; nobody followed that up.
"""
