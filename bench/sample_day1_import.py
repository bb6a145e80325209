"""The first afternoon of the sample session: a slow import, feeds that did not change, reports to compare."""

STORY = r'''
%% meta
Caveat: the next lines come from a command the user ran in the client.
%% user
<command-name>/model</command-name>
<command-message>model</command-message>
<command-args></command-args>
%% user
<local-command-stdout>Kept the model as it was</local-command-stdout>
%% at 2025-10-28T12:52:40
%% user
48 seconds for 536 rows is silly, and production has seven feeds: the nightly run takes nine minutes. Three things:
make it fast, skip a feed that did not change since last night, and keep the last report so that we see which
rejections are new.
%% todo
[>] Find out where the 48 seconds go / Profiling the import
[ ] Skip a feed whose content did not change
[ ] Keep the last report and say which rejections are new
%% say
First the profile, before I guess.
%% bash python -m cProfile -s tottime scripts/import_feed.py var/dev.db data/feeds/winter-2025.csv 2>&1 | head -32 :: Profile one import
INFO timetable.feed imported winter-2025.csv: 536 rows, 194 sailings, 0 rejected
data/feeds/winter-2025.csv: 536 rows, 194 sailings, 0 rejected, 48.6 s
         61873 function calls (60911 primitive calls) in 48.702 seconds

   Ordered by: internal time

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
      194   47.914    0.247   47.914    0.247 {method 'commit' of 'sqlite3.Connection' objects}
      391    0.201    0.001    0.201    0.001 {method 'execute' of 'sqlite3.Connection' objects}
      194    0.083    0.000    0.083    0.000 {method 'executemany' of 'sqlite3.Connection' objects}
       57    0.044    0.001    0.044    0.001 {built-in method marshal.loads}
      536    0.019    0.000    0.031    0.000 feed.py:{L:timetable/feed.py:def parse_row}(parse_row)
        1    0.018    0.018   48.391   48.391 feed.py:{L:timetable/feed.py:def import_feed}(import_feed)
     1072    0.011    0.000    0.014    0.000 feed.py:{L:timetable/feed.py:def parse_minute}(parse_minute)
      537    0.009    0.000    0.013    0.000 csv.py:178(__next__)
      194    0.008    0.000   48.205    0.248 feed.py:{L:timetable/feed.py:def _store_trip}(_store_trip)
       12    0.006    0.000    0.006    0.000 {built-in method posix.stat}
        8    0.005    0.001    0.005    0.001 {method 'read' of '_io.BufferedReader' objects}
      388    0.004    0.000    0.004    0.000 {method 'append' of 'list' objects}
      262    0.003    0.000    0.003    0.000 {built-in method builtins.isinstance}
        1    0.003    0.003    0.003    0.003 {method 'close' of 'sqlite3.Connection' objects}
%%+ bash df -T var | tail -1; cut -d' ' -f1-4 /proc/mounts | grep ' /home' :: What kind of disk is under var
//filer.example/dev cifs 209715200 61483520 148231680  30% /home
//filer.example/dev /home cifs rw,relatime,vers=3.1.1
%% say
194 commits at 247 ms each: one commit a sailing, on a network disk. Everything else together takes 0.8 s. It is also a
correctness problem: the feed is cleared in the first of those transactions, so a crash half way leaves a board with
half its boats. One transaction per feed fixes both.
%% edit timetable/feed.py
        _store_trip(db, path.stem, trip_id, rows)
        report.sailings += 1
        report.calls += len(rows)
        db.commit()
====
        _store_trip(db, path.stem, trip_id, rows)
        report.sailings += 1
        report.calls += len(rows)
    db.commit()
%% bash python scripts/import_feed.py var/dev.db data/feeds/winter-2025.csv :: Time it again
INFO timetable.feed imported winter-2025.csv: 536 rows, 194 sailings, 0 rejected
data/feeds/winter-2025.csv: 536 rows, 194 sailings, 0 rejected, 0.5 s
%% think
48.3 s -> 0.5 s. But a commit at the end without a rollback on exceptions: if insert_sailing raises in the middle, the
connection keeps an open transaction with the feed cleared. `with db:` rolls back. Test: an IntegrityError in the
middle leaves the old sailings. I need a row with an unknown harbour for that.
%% say
48.3 s became 0.5 s. It should be a real transaction though: if a row refers to an unknown harbour the connection would
be left with a cleared feed. A test for that first, then `with db:`.
%% edit tests/test_feed.py
def test_a_time_is_hours_and_minutes_below_forty_eight_hours() -> None:
====
def test_an_import_that_fails_half_way_leaves_the_old_sailings(db: sqlite3.Connection, tmp_path: Path) -> None:
    good = ["X1,R9,MV Skua,daily,1,KOB,,06:00,2", "X1,R9,MV Skua,daily,2,TRN,06:45,,"]
    feed.import_feed(db, write(tmp_path, *good))
    bad = write(tmp_path, *good, "X2,R9,MV Skua,daily,1,KOB,,07:00,2", "X2,R9,MV Skua,daily,2,ZZZ,07:45,,")
    with pytest.raises(sqlite3.IntegrityError):
        feed.import_feed(db, bad)
    assert not db.in_transaction
    assert [sailing.trip_id for sailing in store.sailings(db)].count("X1") == 1


def test_a_time_is_hours_and_minutes_below_forty_eight_hours() -> None:
%% bash python -m pytest tests/test_feed.py :: See it fail
!error
!pytest tests/test_feed.py fail=test_an_import_that_fails_half_way_leaves_the_old_sailings

=================================== FAILURES ===================================
__________ test_an_import_that_fails_half_way_leaves_the_old_sailings __________

db = <sqlite3.Connection object at 0x7fd0a45be890>
tmp_path = PosixPath('/home/dev/.cache/pytest-of-dev/pytest-31/test_an_import_that_fails_half0')

    def test_an_import_that_fails_half_way_leaves_the_old_sailings(db: sqlite3.Connection, tmp_path: Path) -> None:
        good = ["X1,R9,MV Skua,daily,1,KOB,,06:00,2", "X1,R9,MV Skua,daily,2,TRN,06:45,,"]
        feed.import_feed(db, write(tmp_path, *good))
        bad = write(tmp_path, *good, "X2,R9,MV Skua,daily,1,KOB,,07:00,2", "X2,R9,MV Skua,daily,2,ZZZ,07:45,,")
        with pytest.raises(sqlite3.IntegrityError):
            feed.import_feed(db, bad)
>       assert not db.in_transaction
E       assert not True
E        +  where True = <sqlite3.Connection object at 0x7fd0a45be890>.in_transaction

tests/test_feed.py:{L:tests/test_feed.py:assert not db.in_transaction}: AssertionError
!pytest_end tests/test_feed.py assert not True
%% edit timetable/feed.py
    store.clear_feed(db, path.stem)
    for trip_id, rows in trips.items():
        if len(rows) < 2 or trip_id in incomplete:
            continue
        _store_trip(db, path.stem, trip_id, rows)
        report.sailings += 1
        report.calls += len(rows)
    db.commit()
====
    with db:
        store.clear_feed(db, path.stem)
        for trip_id, rows in trips.items():
            if len(rows) < 2 or trip_id in incomplete:
                continue
            _store_trip(db, path.stem, trip_id, rows)
            report.sailings += 1
            report.calls += len(rows)
%% bash python -m pytest -q && git commit -qam 'Import a feed in one transaction (TT-4476)' && git log --oneline -1 :: Test and commit
!pytest -q
!commit 7a615cc Import a feed in one transaction (TT-4476)
%% say
Next the unchanged feeds. The table `feed` exists since migration 0003, and nothing writes to it. I'd keep a digest of
the file there, and a revision number that grows whenever any feed changed; the revision costs nothing now and gives
the board cache something to key on later.
%% grep imported_at|FROM feed|INTO feed :: . :: *
%%+ read scripts/migrate.py
%%+ read timetable/store.py
%% write migrations/0005_feed_digest.sql
-- What was imported last, so that an unchanged feed can be skipped, and a number that grows with each change.
ALTER TABLE feed ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';

CREATE TABLE revision (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    value INTEGER NOT NULL
);

INSERT INTO revision (id, value) VALUES (1, 0);
%%+ edit timetable/store.py
def clear_feed(db: sqlite3.Connection, feed: str) -> None:
====
def feed_digest(db: sqlite3.Connection, feed: str) -> str | None:
    """SHA-256 of the file this feed was last imported from, or None."""
    row = db.execute("SELECT sha256 FROM feed WHERE name = ?", (feed,)).fetchone()
    return row[0] if row else None


def record_feed(db: sqlite3.Connection, feed: str, digest: str, rows: int) -> None:
    """Remember an import and count the revision up. Runs in the caller's transaction."""
    db.execute(
        "INSERT INTO feed (name, imported_at, rows, sha256) VALUES (?, datetime('now'), ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET imported_at = excluded.imported_at,"
        " rows = excluded.rows, sha256 = excluded.sha256",
        (feed, rows, digest),
    )
    db.execute("UPDATE revision SET value = value + 1")


def revision(db: sqlite3.Connection) -> int:
    """Grows with every import that changed anything."""
    return db.execute("SELECT value FROM revision").fetchone()[0]


def clear_feed(db: sqlite3.Connection, feed: str) -> None:
%% edit timetable/feed.py
!error
    report = ImportReport()
    trips: dict[str, list[FeedRow]] = {}
    for line, row in read_rows(path):
====
    report = ImportReport()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
%% say
I edited that block this morning and remembered it without the new set. Reading the function again.
%% read timetable/feed.py 88-140
%% edit timetable/feed.py
    report = ImportReport()
    trips: dict[str, list[FeedRow]] = {}
    incomplete: set[str] = set()
====
    report = ImportReport()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if store.feed_digest(db, path.stem) == digest:
        report.unchanged = True
        log.info("unchanged %s: sha256 %s", path.name, digest[:12])
        return report
    trips: dict[str, list[FeedRow]] = {}
    incomplete: set[str] = set()
%%+ edit timetable/feed.py
            report.sailings += 1
            report.calls += len(rows)
    log.info(
====
            report.sailings += 1
            report.calls += len(rows)
        store.record_feed(db, path.stem, digest, report.read)
    log.info(
%%+ edit timetable/feed.py
    rejected: list[Rejection] = field(default_factory=list)
====
    rejected: list[Rejection] = field(default_factory=list)
    unchanged: bool = False
%%+ edit timetable/feed.py
from dataclasses import dataclass, field
import logging
====
from dataclasses import dataclass, field
import hashlib
import logging
%%+ edit tests/test_feed.py
def test_a_time_is_hours_and_minutes_below_forty_eight_hours() -> None:
====
def test_an_unchanged_feed_is_skipped_and_keeps_the_revision(db: sqlite3.Connection, tmp_path: Path) -> None:
    path = write(tmp_path, "X1,R9,MV Skua,daily,1,KOB,,06:00,2", "X1,R9,MV Skua,daily,2,TRN,06:45,,")
    assert not feed.import_feed(db, path).unchanged
    before = store.revision(db)
    assert feed.import_feed(db, path).unchanged
    assert store.revision(db) == before


def test_a_changed_feed_counts_the_revision_up(db: sqlite3.Connection, tmp_path: Path) -> None:
    rows = ["X1,R9,MV Skua,daily,1,KOB,,06:00,2", "X1,R9,MV Skua,daily,2,TRN,06:45,,"]
    feed.import_feed(db, write(tmp_path, *rows))
    before = store.revision(db)
    feed.import_feed(db, write(tmp_path, rows[0].replace("06:00", "06:05"), rows[1]))
    assert store.revision(db) == before + 1


def test_a_time_is_hours_and_minutes_below_forty_eight_hours() -> None:
%% bash python -m pytest -q && python scripts/migrate.py var/dev.db && for i in 1 2; do python scripts/import_feed.py var/dev.db data/feeds/winter-2025.csv; done :: Test, migrate, import twice
!pytest -q
applied 0005_feed_digest.sql
INFO timetable.feed imported winter-2025.csv: 536 rows, 194 sailings, 0 rejected
data/feeds/winter-2025.csv: 536 rows, 194 sailings, 0 rejected, 0.5 s
INFO timetable.feed unchanged winter-2025.csv: sha256 9f2b6c01d4e7
data/feeds/winter-2025.csv: 0 rows, 0 sailings, 0 rejected, 0.0 s
%% say
The second run skips the feed. Now the reports: what was rejected last night against tonight. An `ImportReport` is a
small dataclass, so the shortest way is to pickle it next to the database.
%% write timetable/reports.py
!interrupted
"""Import reports kept from night to night."""

from __future__ import annotations

from pathlib import Path
import pickle

from timetable.feed import ImportReport, Rejection


def save(folder: Path, feed: str, report: ImportReport) -> Path:
    path = folder / f"{feed}.pickle"
    path.write_bytes(pickle.dumps(report))
    return path
%% user
no, don't use pickle; keep it JSON. I want to diff two nights with ordinary tools, and I don't want code execution from
a file in var/.
%% think
Fair. JSON with sorted keys and one rejection per line so that diff is useful. Also write atomically: a draft beside it,
then replace.
%% say
Agreed, and the second reason alone would be enough. JSON, indented, one rejection a line, written beside and then
renamed, so that a reader never sees half a file.
%% write timetable/reports.py
"""Import reports kept as JSON from night to night, one file a feed.

Plain and indented on purpose: operations compares two nights with diff. Nothing in here is ever
executed, whoever wrote the file.
"""

from __future__ import annotations

import json
from pathlib import Path

from timetable.feed import ImportReport, Rejection


def save(folder: Path, feed: str, report: ImportReport) -> Path:
    """Write the report; the old one is replaced in one step."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{feed}.json"
    body = {
        "calls": report.calls,
        "read": report.read,
        "rejected": [{"line": item.line, "reason": item.reason} for item in report.rejected],
        "sailings": report.sailings,
    }
    draft = path.with_suffix(".json.new")
    draft.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)
    return path


def load(folder: Path, feed: str) -> ImportReport | None:
    """The last report of a feed; None when there is none or when it cannot be read."""
    try:
        body = json.loads((folder / f"{feed}.json").read_text(encoding="utf-8"))
        rejected = [Rejection(int(item["line"]), str(item["reason"])) for item in body["rejected"]]
        return ImportReport(int(body["read"]), int(body["sailings"]), int(body["calls"]), rejected)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def new_rejections(before: ImportReport | None, after: ImportReport) -> list[Rejection]:
    """Rejections whose reason was not there before. Lines move, so only reasons are compared."""
    known = {item.reason for item in before.rejected} if before else set()
    return [item for item in after.rejected if item.reason not in known]
%%+ write tests/test_reports.py
"""Import reports, night by night."""

from __future__ import annotations

import json
from pathlib import Path

from timetable import reports
from timetable.feed import ImportReport, Rejection

TONIGHT = ImportReport(536, 188, 520, [Rejection(516, "'24:75' is not a time of a service day")])


def test_a_report_is_read_back_as_it_was_saved(tmp_path: Path) -> None:
    reports.save(tmp_path / "reports", "winter", TONIGHT)
    assert reports.load(tmp_path / "reports", "winter") == TONIGHT


def test_a_report_is_plain_json(tmp_path: Path) -> None:
    path = reports.save(tmp_path, "winter", TONIGHT)
    assert json.loads(path.read_text(encoding="utf-8"))["rejected"][0]["line"] == 516


def test_a_broken_report_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "winter.json").write_text('{"read": 5', encoding="utf-8")
    assert reports.load(tmp_path, "winter") is None


def test_only_reasons_that_were_not_there_before_are_new() -> None:
    before = ImportReport(536, 188, 520, [Rejection(400, "'24:75' is not a time of a service day")])
    after = ImportReport(536, 188, 520, [*TONIGHT.rejected, Rejection(9, "'late' is not a time of a service day")])
    assert [item.line for item in reports.new_rejections(before, after)] == [9]
%% edit scripts/import_feed.py
        report = feed.import_feed(db, Path(name))
        elapsed_s = time.perf_counter() - started
====
        report = feed.import_feed(db, Path(name))
        elapsed_s = time.perf_counter() - started
        if report.unchanged:
            print(f"{name}: unchanged")
            continue
        fresh = reports.new_rejections(reports.load(REPORTS, Path(name).stem), report)
        reports.save(REPORTS, Path(name).stem, report)
%%+ edit scripts/import_feed.py
        for rejection in report.rejected[:20]:
            print(f"  line {rejection.line}: {rejection.reason}")
====
        for rejection in fresh[:20]:
            print(f"  new, line {rejection.line}: {rejection.reason}")
%%+ edit scripts/import_feed.py
from timetable import feed, store
====
from timetable import feed, reports, store

REPORTS = Path("var/reports")
%% bash python -m pytest -q; git status --short :: Run everything, look at what changed
!pytest -q
!status
%% bash git add -A && git commit -qm 'Skip unchanged feeds, keep import reports as JSON (TT-4476)' && git log --oneline -5 :: Commit
!commit d93f0a6 Skip unchanged feeds, keep import reports as JSON (TT-4476)
!log 5
%% wait 7
%% user
Good. Enough for today. Give me the state in a few lines, tomorrow I want to look at how slow the boards are.
%% say
State at the end of the day, branch `fix/service-day`, four commits:

- `4c81e9d` TT-4471: minutes of a service day count from noon minus twelve hours.
- `e20b7a4` TT-4475: times up to 47:59; a sailing that lost a call is left out as a whole.
- `7a615cc` TT-4476: one transaction per feed; 48.3 s became 0.5 s.
- `d93f0a6` TT-4476: unchanged feeds are skipped by SHA-256, reports are JSON in `var/reports/`.

Migration `0005_feed_digest.sql` has to run on staging and production before the next nightly import. staging-2, pid
21874, has not been touched. Open: the night boats need a label such as "tomorrow" in the widget, and nothing uses
the revision number yet; the board cache could.
'''
