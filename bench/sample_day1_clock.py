"""The first morning of the sample session: boards an hour off, and how service days are counted now."""

STORY = r'''
%% at 2025-10-28T08:41:12
%% branch fix/service-day
%% user
Boards are an hour off since the clock change on Sunday. The page is docs/incidents/TT-4471.md. Find out why and
show me a failing test before you change anything.

Ground rules for the whole week: never change the public API in timetable/api.py, the ticket machines call it in
process. Prefer the standard library. Every fix gets a test. And do not restart staging-2, I want to keep that
process alive as evidence until Thursday.
%% snapshot
%% think
The user wants a diagnosis first, then a failing test, then a fix. Constraints to keep in mind for everything that
follows: no change to timetable/api.py, standard library, a test for every fix, staging-2 must not be restarted.
I will read the incident page and the project rules before looking at code.
%% say
I'll start with the incident page and the project's own rules.
%% read docs/incidents/TT-4471.md
%%+ read CLAUDE.md
%%+ glob timetable/*.py
%% say
Restarting helps, so something is remembered by the process. Only `timetable/calendar.py` is meant to turn minutes
into clock times, so that is the first suspect.
%% read timetable/calendar.py
%%+ grep utcoffset|timezone\(|astimezone|datetime\.now :: timetable
%% think
There it is: _OFFSET = datetime.now(ZONE).utcoffset() at import. A process that started in summer keeps +02:00 until
it is restarted. That explains "restart helps". But the page also says that a machine restarted at 02:30 on the
Sunday was wrong from 03:00 on. 02:30 on 26 October exists twice; if it was the first 02:30 then the process also
started with +02:00. If it was the second, the offset was right and something else is wrong. Also to_instant adds
minutes to a naive midnight, which is wall clock arithmetic, fine for most days, and on the change day gives the
wall clock time the feed says, if the offset is the right one for that time. So one constant explains both. But a
summer date asked for in winter is wrong too, and nobody noticed because all tests use January.
%% say
That is very likely it: `_OFFSET` is computed once, when the module is imported. A process that came up before
26 October keeps `+02:00` for ever. Let me check that against the process on staging-2 before I believe it; reading
its log does not touch it.
%% bash ssh staging-2.skerryline.example 'head -5 /var/log/timetable/boot.log; ps -o pid,lstart,cmd -C python' :: Start time of the running process, read only
2025-10-19T04:02:11Z INFO timetable.boot version 2.3.1 pid 21874
2025-10-19T04:02:11Z INFO timetable.boot zone Europe/Stockholm offset +7200 s
2025-10-19T04:02:12Z INFO timetable.boot database /srv/timetable/boards.db, 4 migrations
2025-10-19T04:02:12Z INFO timetable.boot cache 256 boards, 90 s
2025-10-19T04:02:12Z INFO timetable.boot listening on 8137
    PID                  STARTED CMD
  21874 Sun Oct 19 06:02:10 2025 python scripts/serve.py /srv/timetable/boards.db
%%+ bash curl -s 'https://staging-2.skerryline.example/departures/KOB?at=2025-10-28T06:50&limit=3' | python -m json.tool :: Ask the old process for the board in question
!board KOB 2025-10-28 07:50 3 +02:00 0 pretty
%% say
Confirmed. The process with pid 21874 logged `offset +7200 s` at boot and still labels every time `+02:00` today. Asked
for 06:50 it starts with the 08:15: the 07:15, read as `07:15+02:00`, is 06:15 local and counts as gone. And
`08:15+02:00` is 07:15 local, hence the countdown of 25 minutes. Now who else relies on this function, and what do the tests
cover?
%% grep to_instant :: . :: *.py
%%+ read timetable/api.py
%%+ read timetable/planner.py
%% say
Two callers, the board and the planner, and neither does arithmetic of its own on the result. Good: one place to fix.
%% read tests/test_calendar.py
%%+ read tests/conftest.py
%%+ bash python -m pytest -v :: Run the whole suite for a baseline
!pytest -v
%% say
23 tests pass, and the only clock time any of them checks is on 15 January. Running in winter with a winter date, the
constant is right by luck. Before a fix I want to know what the feed means on the change day itself, because there
are two defensible readings.
%% bash grep -n '' data/feeds/winter-2025.csv | sed -n '1,190p' :: See how the operator writes times
!head data/feeds/winter-2025.csv 1 190
%%+ bash ls docs docs/* :: Look for a format note by the operator
docs/incidents

docs/incidents:
TT-4471.md
%% think
No format note. The industry convention for feeds with minutes beyond midnight is: time is counted from noon minus
twelve hours of the service day. On ordinary days that is midnight. On change days it keeps all daytime sailings on
the wall clock, and elapsed minutes across the night are right. The other option is to treat them as wall clock.
For daytime both agree. For hours before 03:00 on change day they differ by one hour. I should state this as a
decision for the user.
%% say
The cause is clear; there is one decision to make. Two faults, one of them hidden by the other:

1. `_OFFSET` is read once per process. Wrong for every process that lives across a clock change (TT-4471).
2. Adding minutes to a naive midnight ignores that 26 October had 25 hours. Sailings after midnight of the evening
   before come out an hour wrong on that night even with a fresh process.

For the second there are three ways:

- **Store UTC instants in the database.** I would reject this: a sailing is published once for a whole season, so an
  instant per day would mean about 180 rows where there is one now, and a change of the zone rules would make
  stored rows wrong silently.
- **Wall clock arithmetic.** Simple, but 24:35 on the night of the change is ambiguous.
- **Minutes count from noon minus twelve hours of the service day.** It is the same as midnight on 363 days, daytime
  sailings never move, and minutes beyond 24:00 are elapsed time. I recommend this one.

I'll write the failing tests for that reading now and change nothing else.
%% edit tests/test_calendar.py
def test_a_minute_becomes_a_clock_time_in_winter() -> None:
    assert to_instant(date(2025, 1, 15), 435).isoformat() == "2025-01-15T07:15:00+01:00"
====
def test_a_minute_becomes_a_clock_time_in_winter() -> None:
    assert to_instant(date(2025, 1, 15), 435).isoformat() == "2025-01-15T07:15:00+01:00"


def test_a_minute_becomes_a_clock_time_in_summer() -> None:
    assert to_instant(date(2025, 7, 15), 435).isoformat() == "2025-07-15T07:15:00+02:00"


def test_daytime_sailings_keep_the_wall_clock_on_the_day_the_clocks_go_back() -> None:
    assert to_instant(date(2025, 10, 26), 435).isoformat() == "2025-10-26T07:15:00+01:00"


def test_daytime_sailings_keep_the_wall_clock_on_the_day_the_clocks_go_forward() -> None:
    assert to_instant(date(2025, 3, 30), 435).isoformat() == "2025-03-30T07:15:00+02:00"


def test_minutes_beyond_midnight_are_elapsed_time_in_the_night_of_the_change() -> None:
    # 27:30 of Saturday is 27 and a half hours after its start: the second 02:30 of Sunday.
    assert to_instant(date(2025, 10, 25), 1650).isoformat() == "2025-10-26T02:30:00+01:00"
%% bash python -m pytest tests/test_calendar.py :: Show that the new tests fail
!error
!pytest tests/test_calendar.py fail=test_a_minute_becomes_a_clock_time_in_summer fail=test_daytime_sailings_keep_the_wall_clock_on_the_day_the_clocks_go_forward fail=test_minutes_beyond_midnight_are_elapsed_time_in_the_night_of_the_change

=================================== FAILURES ===================================
_________________ test_a_minute_becomes_a_clock_time_in_summer _________________

    def test_a_minute_becomes_a_clock_time_in_summer() -> None:
>       assert to_instant(date(2025, 7, 15), 435).isoformat() == "2025-07-15T07:15:00+02:00"
E       AssertionError: assert '2025-07-15T07:15:00+01:00' == '2025-07-15T07:15:00+02:00'
E
E         - 2025-07-15T07:15:00+02:00
E         ?                      ^
E         + 2025-07-15T07:15:00+01:00
E         ?                      ^

tests/test_calendar.py:{L:tests/test_calendar.py:2025-07-15T07:15:00+02:00}: AssertionError
_ test_daytime_sailings_keep_the_wall_clock_on_the_day_the_clocks_go_forward __

    def test_daytime_sailings_keep_the_wall_clock_on_the_day_the_clocks_go_forward() -> None:
>       assert to_instant(date(2025, 3, 30), 435).isoformat() == "2025-03-30T07:15:00+02:00"
E       AssertionError: assert '2025-03-30T07:15:00+01:00' == '2025-03-30T07:15:00+02:00'
E
E         - 2025-03-30T07:15:00+02:00
E         ?                      ^
E         + 2025-03-30T07:15:00+01:00
E         ?                      ^

tests/test_calendar.py:{L:tests/test_calendar.py:2025-03-30T07:15:00+02:00}: AssertionError
___ test_minutes_beyond_midnight_are_elapsed_time_in_the_night_of_the_change ___

    def test_minutes_beyond_midnight_are_elapsed_time_in_the_night_of_the_change() -> None:
        # 27:30 of Saturday is 27 and a half hours after its start: the second 02:30 of Sunday.
>       assert to_instant(date(2025, 10, 25), 1650).isoformat() == "2025-10-26T02:30:00+01:00"
E       AssertionError: assert '2025-10-26T03:30:00+01:00' == '2025-10-26T02:30:00+01:00'
E
E         - 2025-10-26T02:30:00+01:00
E         ?             ^
E         + 2025-10-26T03:30:00+01:00
E         ?             ^

tests/test_calendar.py:{L:tests/test_calendar.py:25), 1650)}: AssertionError
!pytest_end tests/test_calendar.py AssertionError: assert '2025-07-1... | AssertionError: assert '2025-03-3... | AssertionError: assert '2025-10-2...
%% say
Three of the four fail now; the fourth passes only because I am running in winter. Under
`faketime '2025-10-19 04:02:11'` the winter tests would be the ones that fail. Shall I go on with noon minus twelve
hours?
%% wait 11
%% user
Good find. Yes, noon minus twelve, and write the reason down in docs/decisions so nobody proposes UTC again in spring.
zoneinfo is fine, no new dependency.
%% todo
[>] Count service minutes from noon minus twelve hours / Rewriting to_instant
[ ] Test with a process that started before the change
[ ] Write docs/decisions/0001-service-minutes.md
[ ] Close TT-4471 on its page
%% edit timetable/calendar.py
ZONE = ZoneInfo("Europe/Stockholm")
DAY_BREAK = time(4, 0)

# Looked up once: utcoffset() was visible in the profile of 2.1.
_OFFSET = datetime.now(ZONE).utcoffset() or timedelta(0)
====
ZONE = ZoneInfo("Europe/Stockholm")
DAY_BREAK = time(4, 0)
HALF_DAY = timedelta(hours=12)
%% edit timetable/calendar.py
def to_instant(day: date, minute: int) -> datetime:
    """The aware time of a minute of a service day."""
    wall = datetime.combine(day, time.min) + timedelta(minutes=minute)
    return wall.replace(tzinfo=timezone(_OFFSET))
====
def day_start(day: date) -> datetime:
    """Minute 0 of a service day: noon minus twelve hours.

    That is midnight but on the two days a year when the clocks change. Daytime sailings keep
    their wall clock, and minutes beyond 24:00 are elapsed time.
    """
    noon = datetime.combine(day, time(12), tzinfo=ZONE)
    return noon - HALF_DAY


def to_instant(day: date, minute: int) -> datetime:
    """The aware time of a minute of a service day."""
    return day_start(day) + timedelta(minutes=minute)
%% bash python -m pytest tests/test_calendar.py :: Run the calendar tests
!error
!pytest tests/test_calendar.py fail=test_minutes_beyond_midnight_are_elapsed_time_in_the_night_of_the_change

=================================== FAILURES ===================================
_ test_minutes_beyond_midnight_are_elapsed_time_in_the_night_of_the_change ____

    def test_minutes_beyond_midnight_are_elapsed_time_in_the_night_of_the_change() -> None:
        # 27:30 of Saturday is 27 and a half hours after its start: the second 02:30 of Sunday.
>       assert to_instant(date(2025, 10, 25), 1650).isoformat() == "2025-10-26T02:30:00+01:00"
E       AssertionError: assert '2025-10-26T03:30:00+01:00' == '2025-10-26T02:30:00+01:00'
E
E         - 2025-10-26T02:30:00+01:00
E         ?             ^
E         + 2025-10-26T03:30:00+01:00
E         ?             ^

tests/test_calendar.py:{L:tests/test_calendar.py:25), 1650)}: AssertionError
!pytest_end tests/test_calendar.py AssertionError: assert '2025-10-2...
%% think
Of course: arithmetic between an aware datetime and a timedelta in Python is wall clock arithmetic when the tzinfo
stays the same. noon - 12h gives wall midnight, and + minutes is wall again. I have to go through UTC for the
elapsed part.
%% say
My own mistake, and a classic one: `datetime + timedelta` within one `tzinfo` is wall clock arithmetic in Python. The
elapsed time has to be added in UTC.
%% edit timetable/calendar.py
    noon = datetime.combine(day, time(12), tzinfo=ZONE)
    return noon - HALF_DAY
====
    noon = datetime.combine(day, time(12), tzinfo=ZONE)
    return noon.astimezone(UTC) - HALF_DAY
%%+ edit timetable/calendar.py
    """The aware time of a minute of a service day."""
    return day_start(day) + timedelta(minutes=minute)
====
    """The local time of a minute of a service day. Adding happens in UTC: it is elapsed time."""
    return (day_start(day) + timedelta(minutes=minute)).astimezone(ZONE)
%%+ edit timetable/calendar.py
from datetime import date, datetime, time, timedelta, timezone
====
from datetime import UTC, date, datetime, time, timedelta
%% bash python -m pytest -q && faketime '2025-10-19 04:02:11' python -m pytest -q tests/test_calendar.py :: Whole suite, then the calendar as if started in summer
!pytest -q
!pytest -q tests/test_calendar.py
%% say
Both pass: the whole suite, and the calendar tests in a process that believes it is 19 October, 04:02:11. The old
comment claimed `utcoffset()` was visible in a profile, so I measure what the correct version costs.
%% bash python -m timeit -s 'from datetime import date; from timetable.calendar import to_instant; d=date(2025,10,28)' 'to_instant(d, 435)' :: Cost of one conversion
200000 loops, best of 5: 1.38 usec per loop
%%+ bash git stash -q && python -m timeit -s 'from datetime import date; from timetable.calendar import to_instant; d=date(2025,10,28)' 'to_instant(d, 435)'; git stash pop -q :: The same before the change
500000 loops, best of 5: 612 nsec per loop
%% say
1.38 µs against 0.61 µs per conversion. A board converts a few hundred, so this is under half a millisecond; I leave
it without a cache. Now the decision page and the incident.
%% write docs/decisions/0001-service-minutes.md
# 1. Minutes of a service day count from noon minus twelve hours

Status: accepted, 2025-10-28 (TT-4471)

## Context

The feed gives times as `HH:MM` of a service day, and hours may exceed 23. Until 2.3.1 we added them to a naive
midnight and attached an offset that was looked up when the process started. Every process that lived across a clock
change showed boards an hour off.

## Decision

Minute 0 of a service day is noon of that day minus twelve hours of elapsed time. `timetable/calendar.py` is the
only place that knows this.

## Rejected

- **UTC instants in the database.** One published sailing becomes about 180 rows a season, and stored rows turn
  wrong without a sound when a government changes its zone rules.
- **Wall clock arithmetic.** Ambiguous for 24:35 in the night when the clocks go back.
- **A constant offset refreshed by a timer.** Right most of the time is what we had.

## Consequences

Conversion costs 1.4 microseconds instead of 0.6. In the night of a change, sailings before 03:00 are elapsed time
from the start of the service day; the operator confirms its published board means the same.
%%+ edit docs/incidents/TT-4471.md
from 03:00 on as well; nobody followed that up.
====
from 03:00 on as well; nobody followed that up.

## Cause

The UTC offset was a module constant, computed at import. Minutes were added to a naive midnight besides, so even a
fresh process was wrong in the night of the change.

## Fix

Minutes count from noon minus twelve hours, see docs/decisions/0001-service-minutes.md. Four tests in
tests/test_calendar.py hold it. The process with pid 21874 on staging-2 stays up as evidence until 30 October.
%% bash git diff timetable/ tests/ :: Review before the commit
!diff timetable/ tests/
%% bash git add -A && git commit -qm 'Count service minutes from noon minus twelve hours (TT-4471)' && git log --stat -1 --oneline :: Commit the fix
!diffstat
!commit 4c81e9d Count service minutes from noon minus twelve hours (TT-4471)
%% say
TT-4471 is fixed in `4c81e9d`. What it does:

- `to_instant` counts from noon minus twelve hours and adds in UTC; the module constant is gone.
- Four new tests, among them both change days and the night between.
- The reason against UTC instants stands in `docs/decisions/0001-service-minutes.md`.

`timetable/api.py` is untouched and staging-2 still runs the old process.
'''
