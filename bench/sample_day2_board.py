"""The second morning of the sample session: slow boards, a survey by a subagent, one join, a cache by revision."""

STORY = r'''
%% at 2025-10-29T07:34:05
%% branch perf/board
%% user
Morning. Boards: the screens at Lomsund time out at two seconds now and then. Here is what I have, the staging-1 access
log of the last minutes is in var/staging-access.log. Profile it, tell me what you find, and only then change things.
%% snapshot
%% say
Log first, then a profile of the same request against a copy of the staging database.
%% bash wc -l var/staging-access.log; tail -110 var/staging-access.log :: Recent requests on staging
4212 var/staging-access.log
!access 110 2025-10-29 07:30 640 2240
%%+ bash awk '$4 ~ /departures/ {sub("ms","",$6); print $6}' var/staging-access.log | sort -n | awk '{a[NR]=$1} END {print "n",NR,"p50",a[int(NR*.5)],"p90",a[int(NR*.9)],"p95",a[int(NR*.95)],"p99",a[int(NR*.99)],"max",a[NR]}' :: Percentiles of the board requests
n 3748 p50 1187 p90 1822 p95 1912 p99 2108 max 2391
%% think
p95 1912 ms; cached ones are 1-3 ms (about 20 %). So the hit rate is only ~20 %, although each screen asks every 30
seconds with a TTL of 90. The key contains `at` to the minute, and the default is now, so a key lives one minute at
most. Two problems: (a) a miss is slow, (b) misses are frequent. Start with (a).
%% say
p95 is 1,912 ms, and about four of five requests miss the cache. So there are two questions: why is a miss slow, and
why are there so many? The first one first.
%% bash scp -q staging-1.skerryline.example:/srv/timetable/boards.db var/staging-copy.db && sqlite3 var/staging-copy.db 'SELECT (SELECT count(*) FROM sailing), (SELECT count(*) FROM call), (SELECT count(*) FROM service), (SELECT count(*) FROM service_exception)' :: Copy the database, count rows
5127|15894|23|1406
%%+ bash python -m cProfile -s cumtime var/board_profile.py LOM 8 2>&1 | head -40 :: Profile one board of Lomsund
         2251904 function calls (2251871 primitive calls) in 2.214 seconds

   Ordered by: cumulative time

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
        1    0.000    0.000    2.214    2.214 board_profile.py:1(<module>)
        1    0.031    0.031    2.190    2.190 api.py:{L:timetable/api.py:def departures}(departures)
     2431    0.017    0.000    1.268    0.001 store.py:{L:timetable/store.py:def service(}(service)
   148291    0.402    0.000    0.402    0.000 {built-in method fromisoformat}
     9727    0.391    0.000    0.391    0.000 {method 'execute' of 'sqlite3.Connection' objects}
     2431    0.012    0.000    0.222    0.000 store.py:{L:timetable/store.py:def calls_of}(calls_of)
     2431    0.010    0.000    0.118    0.000 store.py:{L:timetable/store.py:def sailing(}(sailing)
     2304    0.007    0.000    0.101    0.000 store.py:{L:timetable/store.py:def harbour_name}(harbour_name)
        1    0.001    0.001    0.071    0.071 store.py:{L:timetable/store.py:def calls_at}(calls_at)
     4862    0.018    0.000    0.032    0.000 calendar.py:{L:timetable/calendar.py:def runs_on}(runs_on)
     2316    0.008    0.000    0.019    0.000 calendar.py:{L:timetable/calendar.py:def to_instant}(to_instant)
     2316    0.003    0.000    0.009    0.000 calendar.py:{L:timetable/calendar.py:def day_start}(day_start)
     4862    0.004    0.000    0.004    0.000 {method 'fetchone' of 'sqlite3.Cursor' objects}
%%+ bash sqlite3 var/staging-copy.db "EXPLAIN QUERY PLAN SELECT sailing_id, seq, harbour, arrives, departs, quay FROM call WHERE harbour = 'LOM' AND departs IS NOT NULL ORDER BY departs" :: How SQLite finds the calls of a harbour
QUERY PLAN
|--SCAN call
`--USE TEMP B-TREE FOR ORDER BY
%% say
Clear picture for one board of Lomsund with a limit of 8:

| where | calls | time |
|---|---|---|
| `store.service`, one per call, 61 exceptions parsed each | 2,431 | 1.27 s |
| `store.calls_of` only to find the last harbour | 2,431 | 0.22 s |
| `store.sailing` | 2,431 | 0.12 s |
| `store.harbour_name` | 2,304 | 0.10 s |
| `store.calls_at`, a full scan of `call` | 1 | 0.07 s |

9,727 queries to show eight lines. The time in `service` is spent on parsing the same 23 services 2,431 times. Before
I propose something I want to know who else depends on these functions; I'll have that surveyed while I read `web.py`.
%% task general-purpose :: Survey callers of the store
Survey the callers of these functions of timetable/store.py: sailing, service, calls_of, calls_at, harbour_name.
Search timetable/, scripts/ and tests/. For each call say the file, the line, whether it is inside a loop, and what the
caller needs from the result. Do not change any file. Answer in at most 200 words.
----
>> grep store\.(sailing|service|calls_of|calls_at|harbour_name)\( :: .
>>+ grep from timetable import.*store|from timetable.store :: . :: *.py
>> say
Four of the five are called from two modules only. I'll look at the loops around the calls.
>> read timetable/api.py 28-68
>>+ read timetable/planner.py 30-66
>> say
One more check: the tests use `calls_of` directly.
>> bash grep -n 'store\.' tests/*.py | grep -v insert_sailing | head :: Uses in tests
tests/test_feed.py:{L:tests/test_feed.py:assert sum(sailing.trip_id}:    assert sum(sailing.trip_id == "X1" for sailing in store.sailings(db)) == 1
tests/test_feed.py:{L:tests/test_feed.py:night = next}:    night = next(sailing for sailing in store.sailings(db) if sailing.trip_id == "N1")
tests/test_feed.py:{L:tests/test_feed.py:[None, 1475]}:    assert [call.arrives for call in store.calls_of(db, night.id)] == [None, 1475]
tests/test_feed.py:{L:tests/test_feed.py:before = store.revision(db)}:    before = store.revision(db)
----
Callers of the five store functions:

- `store.calls_at`: one caller, `api.departures`, once per request. Needs departs, quay and the sailing id.
- `store.sailing`: one caller, `api.departures`, inside the loop over calls. Needs route, vessel, trip id, service id.
- `store.service`: `api.departures` (in the loop) and `planner.connections` (in the loop over all sailings). Both need
  the whole service for `runs_on`.
- `store.calls_of`: `api.departures` (inner loop, only the last call's harbour is used), `planner.connections` (needs
  all calls in order) and one test in `tests/test_feed.py`.
- `store.harbour_name`: one caller, `api.departures`, inner loop.

The planner has the same pattern: for N sailings it runs 2N + 1 queries plus one for each service's exceptions. A
function that returns all services at once would serve both callers. Nothing outside `timetable/` calls
`store.sailing`, `store.calls_at` or `store.harbour_name`, so they can go when `departures` no longer needs them.
%%+ read timetable/web.py
%% think
Options: 1 Redis - reject, new dependency and the miss stays slow. 2 materialised board table rebuilt at import -
10k rows × days; invalidation with exceptions. 3 one join + all services loaded once + covering index. Choose 3.
departures' signature must stay the same; body can change.
%% say
Three ways to make a miss fast:

1. **A shared cache such as Redis.** Rejected: a new dependency and another machine to run, and the first request after
   every change stays slow.
2. **A materialised board table, rebuilt at import.** Fast, but dated exceptions change without an import, and then
   the table is silently wrong. Rejected for the same reason as UTC instants yesterday.
3. **One join, services loaded once, a covering index.** Two queries plus one for the lines. No new state. This one.

The body of `api.departures` changes, its name, parameters, defaults and return type do not. Shall I?
%% wait 6
%% user
3. And put a benchmark script next to it so we can rerun it, no numbers without a command.
%% todo
[>] scripts/bench_board.py and a baseline / Writing the benchmark
[ ] One join in store, services loaded once
[ ] Covering index, migration 0006
[ ] Planner: services at once
[ ] Misses: cache key by revision
%% write scripts/bench_board.py
"""Time board requests: python scripts/bench_board.py DATABASE [ROUNDS]

Prints milliseconds per board over all harbours, cache bypassed. The time asked for is fixed, so that
two runs on the same database do the same work.
"""

from __future__ import annotations

import sys
import time

from timetable import api, calendar, store

AT = calendar.parse_instant("2025-10-29T06:30")


def measure(path: str, rounds: int) -> list[float]:
    """Sorted milliseconds of every request."""
    db = store.connect(path)
    codes = [place.code for place in api.harbours(db)]
    taken_ms: list[float] = []
    for _ in range(rounds):
        for code in codes:
            started = time.perf_counter()
            api.departures(db, code, AT, 8)
            taken_ms.append((time.perf_counter() - started) * 1000)
    return sorted(taken_ms)


if __name__ == "__main__":
    times = measure(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
    for share in (0.5, 0.95, 0.99):
        print(f"p{share * 100:.0f} {times[int(len(times) * share)]:8.1f} ms")
%%+ bash python scripts/bench_board.py var/staging-copy.db :: Baseline
p50   1071.4 ms
p95   1906.2 ms
p99   2097.8 ms
%% say
The baseline agrees with the log: p95 1,906 ms here, 1,912 ms there. Now the store.
%% edit timetable/store.py
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
====
def services(db: sqlite3.Connection) -> dict[str, Service]:
    """All services by id, with their dated exceptions, in two queries."""
    added: defaultdict[str, set[date]] = defaultdict(set)
    removed: defaultdict[str, set[date]] = defaultdict(set)
    for service_id, day, runs in db.execute("SELECT service_id, day, runs FROM service_exception"):
        (added if runs else removed)[service_id].add(date.fromisoformat(day))
    return {
        row[0]: Service(
            row[0],
            row[1],
            date.fromisoformat(row[2]),
            date.fromisoformat(row[3]),
            frozenset(added[row[0]]),
            frozenset(removed[row[0]]),
        )
        for row in db.execute("SELECT id, weekdays, first_day, last_day FROM service")
    }
%%+ edit timetable/store.py
def calls_at(db: sqlite3.Connection, harbour: str) -> list[Call]:
    """Every call at a harbour that can be boarded, by minute of departure."""
    rows = db.execute(
        "SELECT sailing_id, seq, harbour, arrives, departs, quay FROM call"
        " WHERE harbour = ? AND departs IS NOT NULL ORDER BY departs",
        (harbour,),
    )
    return [Call(*row) for row in rows]
====
def boardable(db: sqlite3.Connection, harbour: str) -> list[Boardable]:
    """Every sailing that can be boarded at a harbour, by minute of departure, in one query.

    The last call of a sailing is the one without a departure; it names the destination.
    """
    rows = db.execute(
        "SELECT here.departs, here.quay, sailing.trip_id, sailing.route, sailing.vessel,"
        " sailing.service_id, harbour.name"
        " FROM call AS here"
        " JOIN sailing ON sailing.id = here.sailing_id"
        " JOIN call AS last ON last.sailing_id = here.sailing_id AND last.departs IS NULL"
        " JOIN harbour ON harbour.code = last.harbour"
        " WHERE here.harbour = ? AND here.departs IS NOT NULL ORDER BY here.departs",
        (harbour,),
    )
    return [Boardable(*row) for row in rows]
%%+ edit timetable/store.py
from timetable.model import Call, Harbour, Sailing
====
from timetable.model import Boardable, Call, Harbour, Sailing
%%+ edit timetable/store.py
from collections.abc import Sequence
====
from collections import defaultdict
from collections.abc import Sequence
%%+ edit timetable/model.py
@dataclass(frozen=True, slots=True)
class Departure:
====
@dataclass(frozen=True, slots=True)
class Boardable:
    """A sailing as seen from one harbour, before it is known on which days it runs."""

    departs: int
    quay: str | None
    trip_id: str
    route: str
    vessel: str
    service_id: str
    destination: str


@dataclass(frozen=True, slots=True)
class Departure:
%% edit timetable/api.py
    for call in store.calls_at(db, harbour):
        assert call.departs is not None
        sailing = store.sailing(db, call.sailing_id)
        service = store.service(db, sailing.service_id)
        for day in days:
            if not calendar.runs_on(service, day):
                continue
            when = calendar.to_instant(day, call.departs)
            if when < at:
                continue
            last = store.calls_of(db, sailing.id)[-1]
            found.append(
                Departure(
                    when,
                    sailing.route,
                    sailing.vessel,
                    store.harbour_name(db, last.harbour),
                    call.quay,
                    sailing.trip_id,
                )
            )
====
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
%% bash python -m pytest -q :: Do the boards still say the same
!error
!pytest -q fail=test_a_direct_journey_has_no_change fail=test_a_journey_may_change_vessels fail=test_nothing_sails_back_from_vadholm
=================================== FAILURES ===================================
_____________________ test_a_direct_journey_has_no_change ______________________

db = <sqlite3.Connection object at 0x7f1a6c0d5990>

    def test_a_direct_journey_has_no_change(db: sqlite3.Connection) -> None:
>       found = api.journey(db, "KOB", "TRN", at("2025-01-15T06:00"))

tests/test_api.py:{L:tests/test_api.py:"KOB", "TRN", at}:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
timetable/api.py:{L:timetable/api.py:return planner.earliest}: in journey
    return planner.earliest(planner.connections(db, at), origin, destination, at)
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

>       service = store.service(db, sailing.service_id)
E       AttributeError: module 'timetable.store' has no attribute 'service'. Did you mean: 'services'?

timetable/planner.py:{L:timetable/planner.py:store.service(db}: AttributeError
!pytest_end AttributeError: module... | AttributeError: module... | AttributeError: module...
%% say
As the survey said, the planner has the same loop. It gets the same cure.
%% edit timetable/planner.py
    days = calendar.days_around(at)
    for sailing in store.sailings(db):
        service = store.service(db, sailing.service_id)
        calls = store.calls_of(db, sailing.id)
        for day in days:
            if not calendar.runs_on(service, day):
                continue
====
    days = calendar.days_around(at)
    services = store.services(db)
    calls_by_sailing = store.all_calls(db)
    for sailing in store.sailings(db):
        calls = calls_by_sailing[sailing.id]
        for day in days:
            if not calendar.runs_on(services[sailing.service_id], day):
                continue
%%+ edit timetable/store.py
def boardable(db: sqlite3.Connection, harbour: str) -> list[Boardable]:
====
def all_calls(db: sqlite3.Connection) -> defaultdict[int, list[Call]]:
    """The calls of every sailing, in order, by sailing id."""
    found: defaultdict[int, list[Call]] = defaultdict(list)
    rows = db.execute(
        "SELECT sailing_id, seq, harbour, arrives, departs, quay FROM call ORDER BY sailing_id, seq"
    )
    for row in rows:
        found[row[0]].append(Call(*row))
    return found


def boardable(db: sqlite3.Connection, harbour: str) -> list[Boardable]:
%%+ write migrations/0006_board_index.sql
-- A board asks for the calls of one harbour by departure; the index holds all it reads of the call.
CREATE INDEX call_board ON call (harbour, departs, sailing_id, quay) WHERE departs IS NOT NULL;

-- The destination of a sailing is its call without a departure.
CREATE INDEX call_last ON call (sailing_id, harbour) WHERE departs IS NULL;
%% bash python -m pytest -q && python scripts/migrate.py var/staging-copy.db && python scripts/bench_board.py var/staging-copy.db :: Test, migrate the copy, measure
!pytest -q
applied 0005_feed_digest.sql
applied 0006_board_index.sql
p50     31.7 ms
p95     60.9 ms
p99     71.2 ms
%%+ bash sqlite3 var/staging-copy.db "EXPLAIN QUERY PLAN SELECT here.departs FROM call AS here JOIN sailing ON sailing.id = here.sailing_id JOIN call AS last ON last.sailing_id = here.sailing_id AND last.departs IS NULL JOIN harbour ON harbour.code = last.harbour WHERE here.harbour = 'LOM' AND here.departs IS NOT NULL ORDER BY here.departs" :: Are the indexes used
QUERY PLAN
|--SEARCH here USING COVERING INDEX call_board (harbour=?)
|--SEARCH sailing USING INTEGER PRIMARY KEY (rowid=?)
|--SEARCH last USING COVERING INDEX call_last (sailing_id=?)
`--SEARCH harbour USING COVERING INDEX sqlite_autoindex_harbour_1 (code=?)
%% say
p95 went from 1,906 ms to 61 ms, and the plan is all index searches. What remains is parsing the 1,406 exceptions once
per request; that can wait.
%% bash git diff timetable :: Review
!diff timetable
%% bash git add -A && git commit -qm 'Read a board with one join and a covering index (TT-4480)' && git log --oneline -1 :: Commit
!commit 58f2e06 Read a board with one join and a covering index (TT-4480)
%% say
`58f2e06` is in. `store.sailing`, `store.service`, `store.calls_at` and `store.harbour_name` lost their callers; I left
`sailing` and `harbour_name` where they are for now, because removing them is a change of its own. Rerun it with
`python scripts/bench_board.py var/staging-copy.db`.
'''
