"""The second day of the sample session, late afternoon: cancellations by wind, beside the public API."""

STORY = r'''
%% wait 34
%% user
Storm warning for the weekend. The operator publishes cancellations and delays at
https://operator.example/advisories.json, sample in data/advisories-sample.json. Boards should show them. How would you
do it without touching api.py? Plan first.
%% say
I'll look at the sample and at where the web layer could join them.
%% bash python -m json.tool data/advisories-sample.json :: The operator's format
{
    "generated": "2025-10-29T12:30:04Z",
    "advisories": [
        {
            "id": "5f0c9a3e-71d2-4c1b-8f5e-0d6a2b7c9e14",
            "trip": "R1-0715-Ed",
            "day": "2025-10-31",
            "kind": "cancelled",
            "minutes": 0,
            "text": "Wind above 17 m/s at Kobbness"
        },
        {
            "id": "a2b8e6d0-4c57-49f3-b1a6-93e0d8f7c521",
            "trip": "R3-0605-Ed",
            "day": "2025-10-31",
            "kind": "delayed",
            "minutes": 25,
            "text": "Waiting for the mail boat at Lomsund"
        },
        {
            "id": "0e9d7c6b-5a48-4132-a0f1-e2d3c4b5a697",
            "trip": "N1-2410-Ed",
            "day": "2025-10-31",
            "kind": "cancelled",
            "minutes": 0,
            "text": "Wind above 17 m/s in the outer fairway"
        }
    ]
}
%%+ bash for i in 1 2 3 4 5; do curl -s -o /dev/null -w '%{http_code} %{time_total}\n' https://operator.example/advisories.json; sleep 2; done :: How fast and reliable is the source
200 0.412
200 3.871
503 10.004
200 0.398
200 6.220
%%+ read timetable/web.py
%% think
The operator's endpoint is slow and flaky: 503 after 10 s. So never in the request path. Poll by script every minute via
systemd timer; write to a table; a failed poll leaves the old rows; but rows age: expire by day, and "as_of" to say how
old. urllib from stdlib. Key: trip + service day. The board line has `at` and trip; service day = calendar.service_day(at),
for N1-2410 on 31 Oct leaves 1 Nov 00:10, service day 31 Oct: right.

Cache: board lines cached by revision; advisories are joined after the cache, at render time. Good, so no invalidation.
%% say
The plan, with one measured fact behind it: out of five requests to the operator one failed after 10 s and two took
longer than 3 s. So it must never be called while a board is being answered.

1. `scripts/poll_advisories.py` runs every minute from a timer, fetches with `urllib` (5 s limit) and replaces the table
   `advisory` in one transaction. A failed poll leaves the old rows.
2. `timetable/advisories.py` parses and checks. An entry it cannot read is skipped and logged, the rest counts.
3. `web.py` joins them to the lines after the cache, by trip and service day. A line gets an optional key `advisory`;
   lines without one look exactly as before. `api.py` is not involved.
4. The widget strikes a cancelled line out and shows the new time of a delayed one.

Rejected: fetching in the request with a short limit (a board would wait for a third party), and a column on `sailing`
(an import would wipe it every night). A cancelled boat stays on the board: people need to see that it does not come.
%% user
Yes. Text from outside goes through escaping in the widget please, I see innerHTML there.
%% todo
[>] Migration 0007 and store functions / Adding the advisory table
[ ] timetable/advisories.py with tests
[ ] Join in web.py
[ ] Poll script
[ ] Widget: show, and escape everything
%% write migrations/0007_advisory.sql
-- Cancellations and delays by trip and service day, replaced as a whole by every successful poll.
CREATE TABLE advisory (
    trip_id TEXT NOT NULL,
    day TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('cancelled', 'delayed')),
    minutes INTEGER NOT NULL CHECK (minutes BETWEEN 0 AND 720),
    text TEXT NOT NULL,
    PRIMARY KEY (trip_id, day)
);
%%+ write timetable/advisories.py
"""Cancellations and delays from the operator.

The operator's service is slow and sometimes down, so it is polled into a table and never asked while a
board is being made. An entry we cannot read is skipped with a line in the log; the others count.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
import json
import logging

from timetable.errors import FeedError

log = logging.getLogger("timetable.advisories")

KINDS = ("cancelled", "delayed")
MAX_MINUTES = 720
MAX_TEXT = 200


@dataclass(frozen=True, slots=True)
class Advisory:
    """What the operator says about one sailing on one service day."""

    trip_id: str
    day: date
    kind: str
    minutes: int
    text: str


def parse(body: bytes) -> list[Advisory]:
    """Read the operator's document. Raises FeedError when it is not one."""
    try:
        entries = json.loads(body)["advisories"]
    except (ValueError, KeyError, TypeError) as error:
        raise FeedError(f"not an advisory document: {error!r}") from error
    found: dict[tuple[str, date], Advisory] = {}
    for entry in entries:
        try:
            advisory = parse_entry(entry)
        except (ValueError, KeyError, TypeError) as error:
            log.warning("skipped advisory %r: %r", entry, error)
            continue
        found[advisory.trip_id, advisory.day] = advisory
    return list(found.values())


def parse_entry(entry: dict[str, object]) -> Advisory:
    """Raises KeyError, TypeError or ValueError for an entry we cannot read."""
    kind, minutes = str(entry["kind"]), int(str(entry.get("minutes", 0)))
    if kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}")
    if not 0 <= minutes <= MAX_MINUTES:
        raise ValueError(f"{minutes} minutes")
    day = date.fromisoformat(str(entry["day"]))
    return Advisory(str(entry["trip"]), day, kind, minutes, str(entry.get("text", ""))[:MAX_TEXT])
%%+ edit timetable/store.py
def clear_feed(db: sqlite3.Connection, feed: str) -> None:
====
def replace_advisories(db: sqlite3.Connection, found: Sequence[Advisory]) -> None:
    """Make these the only advisories, in one transaction."""
    with db:
        db.execute("DELETE FROM advisory")
        db.executemany(
            "INSERT INTO advisory (trip_id, day, kind, minutes, text) VALUES (?, ?, ?, ?, ?)",
            [(one.trip_id, one.day.isoformat(), one.kind, one.minutes, one.text) for one in found],
        )


def advisories(db: sqlite3.Connection, days: Sequence[date]) -> dict[tuple[str, date], Advisory]:
    """Advisories of these service days by trip and day."""
    rows = db.execute(
        "SELECT trip_id, day, kind, minutes, text FROM advisory WHERE day BETWEEN ? AND ?",
        (days[0].isoformat(), days[-1].isoformat()),
    )
    found = [Advisory(row[0], date.fromisoformat(row[1]), *row[2:]) for row in rows]
    return {(one.trip_id, one.day): one for one in found}


def clear_feed(db: sqlite3.Connection, feed: str) -> None:
%%+ edit timetable/store.py
from timetable.calendar import Service
====
from timetable.advisories import Advisory
from timetable.calendar import Service
%% write tests/test_advisories.py
"""Cancellations and delays, from the operator's document to the board."""

from __future__ import annotations

from datetime import date
import json
import sqlite3

import pytest

from timetable import advisories, store
from timetable.errors import FeedError
from tests.test_web import get

CANCELLED = {"trip": "R1-0915", "day": "2025-01-15", "kind": "cancelled", "text": "Wind"}
DELAYED = {"trip": "R1-0715", "day": "2025-01-16", "kind": "delayed", "minutes": 25, "text": "Mail"}


def document(*entries: object) -> bytes:
    return json.dumps({"advisories": entries}).encode()


def test_an_entry_is_read_with_its_day() -> None:
    (one,) = advisories.parse(document(DELAYED))
    assert (one.trip_id, one.day, one.minutes) == ("R1-0715", date(2025, 1, 16), 25)


def test_entries_that_cannot_be_read_are_skipped() -> None:
    bad = [{**DELAYED, "kind": "sunk"}, {**DELAYED, "minutes": 9000}, {"trip": "R1"}, 7, None]
    assert len(advisories.parse(document(*bad, CANCELLED))) == 1


def test_the_last_entry_for_a_sailing_wins() -> None:
    (one,) = advisories.parse(document(CANCELLED, {**CANCELLED, "kind": "delayed", "minutes": 5}))
    assert one.kind == "delayed"


def test_something_else_than_the_document_is_refused() -> None:
    for body in (b"", b"<html>503</html>", b"[]", b'{"advisory": []}'):
        with pytest.raises(FeedError, match="not an advisory document"):
            advisories.parse(body)


def test_a_cancelled_sailing_stays_on_the_board_and_says_so(db: sqlite3.Connection) -> None:
    store.replace_advisories(db, advisories.parse(document(CANCELLED)))
    lines = get(db, "/departures/KOB")[1]["departures"]
    assert lines[0]["advisory"] == {"kind": "cancelled", "minutes": 0, "text": "Wind"}
    assert "advisory" not in lines[1]


def test_an_advisory_of_another_day_does_not_count(db: sqlite3.Connection) -> None:
    store.replace_advisories(db, advisories.parse(document({**CANCELLED, "day": "2025-01-14"})))
    assert "advisory" not in get(db, "/departures/KOB")[1]["departures"][0]


def test_a_new_poll_replaces_the_old_one_without_waiting_for_the_cache(db: sqlite3.Connection) -> None:
    store.replace_advisories(db, advisories.parse(document(CANCELLED)))
    store.replace_advisories(db, [])
    assert store.advisories(db, [date(2025, 1, 15)]) == {}
%% edit timetable/web.py
def departure_json(line: Departure) -> dict[str, object]:
    return {
        "at": line.at.isoformat(timespec="minutes"),
        "route": line.route,
        "vessel": line.vessel,
        "destination": line.destination,
        "quay": line.quay,
        "trip": line.trip_id,
    }
====
def departure_json(line: Departure, advisory: Advisory | None = None) -> dict[str, object]:
    body: dict[str, object] = {
        "at": line.at.isoformat(timespec="minutes"),
        "route": line.route,
        "vessel": line.vessel,
        "destination": line.destination,
        "quay": line.quay,
        "trip": line.trip_id,
    }
    if advisory is not None:
        body["advisory"] = {
            "kind": advisory.kind,
            "minutes": advisory.minutes,
            "text": advisory.text,
        }
    return body
%%+ edit timetable/web.py
    body = {
        "harbour": code,
        "now": at.isoformat(timespec="minutes"),
        "departures": [departure_json(line) for line in lines],
    }
====
    known = store.advisories(db, calendar.days_around(at))
    body = {
        "harbour": code,
        "now": at.isoformat(timespec="minutes"),
        "departures": [
            departure_json(line, known.get((line.trip_id, calendar.service_day(line.at))))
            for line in lines
        ],
    }
%%+ edit timetable/web.py
from timetable import api, board, calendar, store
from timetable.cache import BoardCache
====
from timetable import api, board, calendar, store
from timetable.advisories import Advisory
from timetable.cache import BoardCache
%%+ write scripts/poll_advisories.py
"""Fetch the operator's advisories: python scripts/poll_advisories.py DATABASE [URL]

Meant for a timer, once a minute. When the operator cannot be reached or answers with something else, the
old advisories stay and the exit code is 75, which the timer does not report before ten in a row.
"""

from __future__ import annotations

import sys
from urllib.error import URLError
from urllib.request import urlopen

from timetable import advisories, store
from timetable.errors import FeedError

URL = "https://operator.example/advisories.json"
TIMEOUT_S = 5.0
MAX_BYTES = 1_000_000
TRY_LATER = 75

if __name__ == "__main__":
    address = sys.argv[2] if len(sys.argv) > 2 else URL
    try:
        with urlopen(address, timeout=TIMEOUT_S) as response:
            found = advisories.parse(response.read(MAX_BYTES))
    except (URLError, TimeoutError, FeedError) as error:
        print(f"kept the old advisories: {error}", file=sys.stderr)
        sys.exit(TRY_LATER)
    store.replace_advisories(store.connect(sys.argv[1]), found)
    print(f"{len(found)} advisories")
%% bash python -m pytest -v tests/test_advisories.py tests/test_web.py tests/test_cache.py :: Advisories, web and cache
!pytest -v tests/test_advisories.py tests/test_web.py tests/test_cache.py
%% think
Public API unchanged? I can show it: git diff main -- timetable/api.py signatures. Now widget: escape.
%% say
All green. Now the widget. You are right about `innerHTML`: vessel and destination come from the feed and were never
escaped either. One helper, used for every value that comes from outside.
%% edit web/src/board.ts
export function rowHtml(line: Departure, now: Date, today: string): string {
====
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Everything that comes from outside goes through here before it becomes HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found);
}

export function noteHtml(line: Departure): string {
  const advisory = line.advisory;
  if (advisory === undefined) return "";
  const what = advisory.kind === "cancelled" ? "cancelled" : `+${advisory.minutes} min`;
  return `<td class="note ${advisory.kind}">${what}: ${escapeHtml(advisory.text)}</td>`;
}

export function rowHtml(line: Departure, now: Date, today: string): string {
%%+ edit web/src/board.ts
  const quay = line.quay === null ? "" : `<td class="quay">${line.quay}</td>`;
  return (
    `<tr data-trip="${line.trip}"><td class="when">${whenText(line.at, now, today)}</td>` +
    `<td class="route">${line.route}</td><td class="to">${line.destination}</td>${quay}</tr>`
  );
====
  const quay = line.quay === null ? "" : `<td class="quay">${escapeHtml(line.quay)}</td>`;
  const state = line.advisory?.kind ?? "planned";
  return (
    `<tr data-trip="${escapeHtml(line.trip)}" class="${state}">` +
    `<td class="when">${whenText(line.at, now, today)}</td>` +
    `<td class="route">${escapeHtml(line.route)}</td>` +
    `<td class="to">${escapeHtml(line.destination)}</td>${quay}${noteHtml(line)}</tr>`
  );
%%+ edit web/src/api.ts
export interface Departure {
  at: string;
====
export interface Advisory {
  kind: "cancelled" | "delayed";
  minutes: number;
  text: string;
}

export interface Departure {
  at: string;
  advisory?: Advisory;
%%+ edit web/src/board.test.ts
  it("keeps the wall clock of the harbour, whatever the browser's zone", () => {
====
  it("never turns text from outside into markup", () => {
    const advisory = { kind: "cancelled" as const, minutes: 0, text: "<img src=x onerror=alert(1)>" };
    const board = { harbour: "TRN", now: "2025-10-29T22:30+01:00", departures: [{ ...night, advisory }] };
    expect(boardHtml(board, now)).not.toContain("<img");
    expect(boardHtml(board, now)).toContain("cancelled: &lt;img");
  });
  it("keeps the wall clock of the harbour, whatever the browser's zone", () => {
%% bash npm --prefix web run -s check && npm --prefix web test && python -m pytest -q :: Everything
 ✓ src/board.test.ts (10 tests) 12ms

 Test Files  1 passed (1)
      Tests  10 passed (10)

!pytest -q
%%+ bash python -c 'import inspect, timetable.api as a; [print(n, inspect.signature(getattr(a, n))) for n in ("harbours", "departures", "journey")]' :: Signatures of the public API
harbours (db: 'sqlite3.Connection') -> 'list[Harbour]'
departures (db: 'sqlite3.Connection', harbour: 'str', at: 'datetime', limit: 'int' = 10) -> 'list[Departure]'
journey (db: 'sqlite3.Connection', origin: 'str', destination: 'str', at: 'datetime') -> 'Journey'
%% bash git add -A && git commit -qm 'Show cancellations and delays on boards (TT-4485)' && git push -q && git log --oneline -6 :: Commit and push
!commit f3d8a19 Show cancellations and delays on boards (TT-4485)
!log 6
%% say
`f3d8a19`. Boards show cancellations and delays, the operator is only asked by the poll script, and every value in the
widget is escaped. The three signatures of `timetable/api.py` are what they were on `main`; only the body of
`departures` became shorter, this morning. For the weekend two things have to be deployed together: migration
`0007_advisory.sql` and the timer that runs `scripts/poll_advisories.py` every minute.
'''
