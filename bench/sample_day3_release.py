"""The third day of the sample session, afternoon: dead code, the release, staging, and a port in the README."""

STORY = r"""
%% wait 41
%% user
Call went well, they mean elapsed time, so we were right. Release 2.4.0 today. Before that: on Wednesday you left dead
functions in store.py. Clean that up, nothing else.
%% say
Those were `sailing` and `harbour_name`. I'll read the file as it is now and check every function for callers.
%% read timetable/store.py
%%+ bash for f in $(grep -oP '^def \K\w+' timetable/store.py); do printf '%-20s %s\n' $f $(grep -rnE "store\.$f\(" --include=*.py . | wc -l); done :: Callers of each function
!callers timetable/store.py store
%% edit timetable/store.py
def harbour_name(db: sqlite3.Connection, code: str) -> str:
    row = db.execute("SELECT name FROM harbour WHERE code = ?", (code,)).fetchone()
    return row[0] if row else code


def transfer_minutes(
====
def transfer_minutes(
%%+ edit timetable/store.py
def sailing(db: sqlite3.Connection, sailing_id: int) -> Sailing:
    row = db.execute(
        "SELECT id, trip_id, route, vessel, service_id FROM sailing WHERE id = ?", (sailing_id,)
    ).fetchone()
    return Sailing(*row)


def calls_of(
====
def calls_of(
%% bash python -m pytest -q && git commit -qam 'Remove store functions without callers' && git log --oneline -1 :: Test and commit
!pytest -q
!commit 6d1ea94 Remove store functions without callers
%% say
`harbour_name` and `sailing` had no callers and are gone (`6d1ea94`). `calls_of` has one caller left, a test; I kept it,
because that test reads better with it.
%% user
ok. Release then: changelog, version in both places, tag. After that roll it out on staging-1 and show me the numbers.
%% todo
[>] Changelog and version 2.4.0 / Writing the changelog
[ ] Full test run, tag v2.4.0
[ ] Roll out on staging-1: migrations 0005 to 0009, restart, feeds
[ ] Percentiles before and after
%% bash git log --oneline -8; git diff main --shortstat :: What goes into the release
!log 8
!since_start
%%+ read CHANGELOG.md
%%+ grep 2\.3\.1 :: .
%% edit CHANGELOG.md
## 2.3.1 - 2025-09-30
====
## 2.4.0 - 2025-10-31

The public API in `timetable/api.py` is unchanged.

- Minutes of a service day count from noon minus twelve hours; boards are right across clock changes (TT-4471).
- Feeds may use hours up to 47:59. A sailing with an unreadable call is left out as a whole (TT-4475).
- A feed is imported in one transaction, an unchanged one is skipped, reports are kept as JSON (TT-4476).
- Boards say "tonight" before four in the morning and "tomorrow" after (TT-4479).
- A board takes one join instead of thousands of queries, and a day of lines is cached by revision (TT-4480).
- Boards show cancellations and delays polled from the operator; the widget escapes all text (TT-4485).
- Two feeds may name the same trip; feeds named `extra-` win on the days they run (TT-4490).
- Journeys leave ten minutes for a change at Lomsund and five elsewhere (TT-4491).

Migrations 0005 to 0009. Run them before the next nightly import.

## 2.3.1 - 2025-09-30
%%+ edit timetable/__init__.py
__version__ = "2.3.1"
====
__version__ = "2.4.0"
%%+ edit pyproject.toml
version = "2.3.1"
====
version = "2.4.0"
%% bash python -m pytest -v && npm --prefix web test :: The full run for the release
!pytest -v

 RUN  v2.1.4 /home/dev/skerryline/web

 ✓ src/board.test.ts (10 tests) 11ms

 Test Files  1 passed (1)
      Tests  10 passed (10)
%% bash git commit -qam 'Release 2.4.0' && git tag -a v2.4.0 -m 'Release 2.4.0' && git push -q --follow-tags && git describe :: Commit, tag, push
!commit a91f3c6 Release 2.4.0
v2.4.0
%% bash ssh staging-1.skerryline.example 'cd /srv/timetable && git fetch -q --tags && git checkout -q v2.4.0 && cp boards.db boards-before-2.4.0.db && python scripts/migrate.py boards.db && systemctl restart timetable && sleep 2 && tail -4 /var/log/timetable/boot.log' :: Roll out on staging-1, with a copy of the database first
applied 0005_feed_digest.sql
applied 0006_board_index.sql
applied 0007_advisory.sql
applied 0008_sailing_key.sql
applied 0009_transfer.sql
2025-10-31T08:50:41Z INFO timetable.boot version 2.4.0 pid 3319
2025-10-31T08:50:41Z INFO timetable.boot zone Europe/Stockholm
2025-10-31T08:50:41Z INFO timetable.boot database /srv/timetable/boards.db, 9 migrations
2025-10-31T08:50:42Z INFO timetable.boot listening on 8137
%% bash ssh staging-1.skerryline.example 'cd /srv/timetable && python scripts/import_feed.py boards.db data/feeds/*.csv; echo exit $?; python scripts/poll_advisories.py boards.db' :: All feeds, then one poll
INFO timetable.feed imported extra-allsaints.csv: 8 rows, 3 sailings, 0 rejected
data/feeds/extra-allsaints.csv: 8 rows, 3 sailings, 0 rejected, 0.2 s
INFO timetable.feed imported extra-lucia.csv: 14 rows, 6 sailings, 0 rejected
data/feeds/extra-lucia.csv: 14 rows, 6 sailings, 0 rejected, 0.2 s
INFO timetable.feed imported freight-2025.csv: 1904 rows, 692 sailings, 0 rejected
data/feeds/freight-2025.csv: 1904 rows, 692 sailings, 0 rejected, 1.1 s
INFO timetable.feed imported mailboat.csv: 867 rows, 315 sailings, 0 rejected
data/feeds/mailboat.csv: 867 rows, 315 sailings, 0 rejected, 0.6 s
INFO timetable.feed imported outer-isles.csv: 4411 rows, 1604 sailings, 2 rejected
data/feeds/outer-isles.csv: 4411 rows, 1604 sailings, 2 rejected, 2.3 s
  new, line 1207: '8:05' is not a time of a service day
  new, line 3390: '26:60' is not a time of a service day
INFO timetable.feed imported school-2025.csv: 3182 rows, 1157 sailings, 0 rejected
data/feeds/school-2025.csv: 3182 rows, 1157 sailings, 0 rejected, 1.7 s
INFO timetable.feed imported winter-2025.csv: 536 rows, 194 sailings, 0 rejected
data/feeds/winter-2025.csv: 536 rows, 194 sailings, 0 rejected, 0.5 s
exit 0
3 advisories
%% say
Seven feeds in 6.6 s instead of nine minutes. Two rows of `outer-isles.csv` are rejected and named; `26:60` is plainly
wrong at the operator's side. Now I let it serve for a while and then read the log.
%% wait 25
%% bash tail -110 /mnt/staging-1/access.log :: Requests after the restart
!access 110 2025-10-31 09:12 7 66
%%+ bash awk '$4 ~ /departures/ {sub("ms","",$6); print $6}' /mnt/staging-1/access.log | sort -n | awk '{a[NR]=$1} END {print "n",NR,"p50",a[int(NR*.5)],"p90",a[int(NR*.9)],"p95",a[int(NR*.95)],"p99",a[int(NR*.99)],"max",a[NR]}'; curl -s https://staging-1.skerryline.example/health :: Percentiles and hit rate
n 2106 p50 2 p90 34 p95 44 p99 63 max 118
{"ok": true, "hits": 1871, "misses": 235}
%%+ bash curl -s 'https://staging-1.skerryline.example/departures/KOB?limit=6&at=2025-10-31T05:00' | python -m json.tool :: The board of Kobbness as it is now
!board KOB 2025-10-31 05:00 6 +01:00 0 pretty
%% say
staging-1 on 2.4.0, measured over 2,106 board requests:

| | before (29 October) | now |
|---|---|---|
| p50 | 1,187 ms | 2 ms |
| p95 | 1,912 ms | 44 ms |
| p99 | 2,108 ms | 63 ms |
| answered from the cache | about 20 % | 89 % |

One thing I was told on Tuesday still stands: staging-2 must not be restarted, the process with pid 21874 is evidence
until Thursday. Thursday was yesterday. May I roll out there too?
%% user
Yes, evidence is archived, go ahead with staging-2. And the README says port 8080, someone just lost half an hour on that.
%% grep 8080|8137 :: .
%% edit README.md
    curl 'http://localhost:8080/departures/KOB?limit=3'
====
    curl 'http://localhost:8137/departures/KOB?limit=3'

The development server listens on 8137; set `TIMETABLE_PORT` for another port.
%%+ bash ssh staging-2.skerryline.example 'cd /srv/timetable && git fetch -q --tags && git checkout -q v2.4.0 && cp boards.db boards-before-2.4.0.db && python scripts/migrate.py boards.db && systemctl restart timetable && sleep 2 && tail -4 /var/log/timetable/boot.log' :: Roll out on staging-2
applied 0005_feed_digest.sql
applied 0006_board_index.sql
applied 0007_advisory.sql
applied 0008_sailing_key.sql
applied 0009_transfer.sql
2025-10-31T09:19:14Z INFO timetable.boot version 2.4.0 pid 50233
2025-10-31T09:19:14Z INFO timetable.boot zone Europe/Stockholm
2025-10-31T09:19:14Z INFO timetable.boot database /srv/timetable/boards.db, 9 migrations
2025-10-31T09:19:15Z INFO timetable.boot listening on 8137
%% bash git commit -qam 'Name the right port in the README' && git push -q && git log --oneline -4 && git status --short :: Commit the README
!commit 17c5b0d Name the right port in the README
!log 4
%% todo
[x] Changelog and version 2.4.0
[x] Full test run, tag v2.4.0
[x] Roll out on staging-1: migrations 0005 to 0009, restart, feeds
[x] Percentiles before and after
[x] Roll out on staging-2
[ ] Production: migrations, timer for scripts/poll_advisories.py, restart before Saturday 03:30
[ ] Tell the operator about lines 1207 and 3390 of outer-isles.csv
[ ] scripts/nightly.py on the machines should use the exit code of import_feed.py
%% say
2.4.0 is on both staging machines, tag `v2.4.0`. The README names 8137 now (`17c5b0d`, after the tag).

Open, in the order I would take them:

1. Production before Saturday 03:30: migrations 0005 to 0009, the timer for `scripts/poll_advisories.py`, restart.
2. `outer-isles.csv` lines 1207 and 3390 (`8:05`, `26:60`) go to the operator.
3. `scripts/nightly.py` on the machines can call `import_feed.py` once and use its exit code.

In all of this `timetable/api.py` kept its three functions as they were, there is no new dependency, and every fix has
its test.
"""
