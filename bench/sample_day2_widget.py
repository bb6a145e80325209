"""The second day of the sample session, early afternoon: the widget learns to say tonight and tomorrow."""

STORY = r"""
%% at 2025-10-29T12:18:31
%% user
Widget. At 22:30 the board at Ternholm says 00:10 and people think that boat is gone. Write "tomorrow" in front when it
is another day.
%% apierror 1
%% apierror 2
%% say
I'll read the widget's three files and one live board for that moment.
%% read web/src/board.ts
%%+ read web/src/api.ts
%%+ read web/src/board.test.ts
%%+ bash curl -s 'localhost:8137/departures/TRN?at=2025-10-29T22:30&limit=4' | python -m json.tool :: The board in question
!board TRN 2025-10-29 22:30 4 +01:00 0 pretty
%% think
What is "another day"? The browser's zone may differ from the harbour's: comparing now.getDate() would be wrong for a
tourist's phone, and the screens run in UTC probably. So the server should say what now is at the harbour: add "now" to
the board JSON, in web.py, not in api.py. Then compare the date prefix as strings.
%% say
The screens on the quays may run in UTC and a visitor's phone anywhere, so the browser must not decide what today is.
The service knows the harbour's clock: the board's JSON gets a `now` beside `harbour`. That is in `web.py`; the public
API stays as it is.
%% edit tests/test_web.py
def test_an_unknown_harbour_is_a_404_with_a_code(db: sqlite3.Connection) -> None:
====
def test_a_board_says_what_time_it_is_at_the_harbour(db: sqlite3.Connection) -> None:
    assert get(db, "/departures/KOB")[1]["now"] == "2025-01-15T08:00+01:00"


def test_an_unknown_harbour_is_a_404_with_a_code(db: sqlite3.Connection) -> None:
%%+ edit timetable/web.py
    lines = board_lines(db, cache, code, _instant(query, clock), _limit(query))
    return json.dumps(
        {"harbour": code, "departures": [departure_json(line) for line in lines]}
    ).encode()
====
    at = _instant(query, clock)
    lines = board_lines(db, cache, code, at, _limit(query))
    body = {
        "harbour": code,
        "now": at.isoformat(timespec="minutes"),
        "departures": [departure_json(line) for line in lines],
    }
    return json.dumps(body).encode()
%%+ edit web/src/api.ts
export interface Board {
  harbour: string;
====
export interface Board {
  harbour: string;
  /** The clock at the harbour when the board was made. */
  now: string;
%%+ edit web/src/board.ts
export function whenText(at: string, now: Date): string {
  const minutes = minutesUntil(at, now);
  if (minutes <= 0) return "now";
  if (minutes < 20) return `${minutes} min`;
  return clockText(at);
}

export function rowHtml(line: Departure, now: Date): string {
====
export function dayOf(at: string): string {
  return at.slice(0, 10);
}

export function whenText(at: string, now: Date, today: string): string {
  const minutes = minutesUntil(at, now);
  if (minutes <= 0) return "now";
  if (minutes < 20) return `${minutes} min`;
  return dayOf(at) === today ? clockText(at) : `tomorrow ${clockText(at)}`;
}

export function rowHtml(line: Departure, now: Date, today: string): string {
%% bash npm --prefix web run -s check; npm --prefix web test :: Types, then tests
!error
src/board.ts({L:web/src/board.ts:whenText(line.at, now)},54): error TS2554: Expected 3 arguments, but got 2.
src/board.ts({L:web/src/board.ts:rowHtml(line, now))},64): error TS2554: Expected 3 arguments, but got 2.
src/board.test.ts({L:web/src/board.test.ts:"12 min"},12): error TS2554: Expected 3 arguments, but got 2.
src/board.test.ts({L:web/src/board.test.ts:"18:40"},12): error TS2554: Expected 3 arguments, but got 2.
src/board.test.ts({L:web/src/board.test.ts:toBe("now")},12): error TS2554: Expected 3 arguments, but got 2.
src/board.test.ts({L:web/src/board.test.ts:departures: []},23): error TS2345: Argument of type '{ harbour: string; departures: never[]; }' is not assignable to parameter of type 'Board'.
  Property 'now' is missing in type '{ harbour: string; departures: never[]; }' but required in type 'Board'.

 RUN  v2.1.4 /home/dev/skerryline/web

 ✓ src/board.test.ts (5 tests) 9ms

 Test Files  1 passed (1)
      Tests  5 passed (5)
%% say
The compiler found every place, the tests none of them, which says something about the tests. Fixing the callers now.
%% user
wait. before you go on: nobody on the quay calls 00:10 "tomorrow". Anything before four in the morning is "tonight".
Tomorrow starts with the first boat after that.
%% think
That matches DAY_BREAK = 04:00 in calendar.py. So label by service day: before 04:00 of the next calendar day and today
= the service day: "tonight 00:10". After: "tomorrow 05:15". If it is 01:00 now and the boat leaves at 01:30, today's
date is the same, so no label, fine. If now is 01:00 and boat leaves 05:15 same calendar date: no label. fine.
%% say
That is the service's own notion of a day: `DAY_BREAK` in `calendar.py` is four o'clock too. So before 04:00 of the next
date it reads "tonight 00:10", after it "tomorrow 05:15".
%% edit web/src/board.ts
  return dayOf(at) === today ? clockText(at) : `tomorrow ${clockText(at)}`;
}
====
  if (dayOf(at) === today) return clockText(at);
  return clockText(at) < DAY_BREAK ? `tonight ${clockText(at)}` : `tomorrow ${clockText(at)}`;
}
%%+ edit web/src/board.ts
const REFRESH_MS = 30_000;
====
const REFRESH_MS = 30_000;

// The same hour as DAY_BREAK in timetable/calendar.py: on the quay the night belongs to the evening before.
const DAY_BREAK = "04:00";
%%+ edit web/src/board.ts
    `<tr data-trip="${line.trip}"><td class="when">${whenText(line.at, now)}</td>` +
====
    `<tr data-trip="${line.trip}"><td class="when">${whenText(line.at, now, today)}</td>` +
%%+ edit web/src/board.ts
  return `<table>${board.departures.map((line) => rowHtml(line, now)).join("")}</table>`;
====
  const today = dayOf(board.now);
  return `<table>${board.departures.map((line) => rowHtml(line, now, today)).join("")}</table>`;
%% write web/src/board.test.ts
import { describe, expect, it } from "vitest";

import type { Departure } from "./api";
import { boardHtml, clockText, whenText } from "./board";

const now = new Date("2025-10-29T22:30:00+01:00");
const today = "2025-10-29";

const night: Departure = {
  at: "2025-10-30T00:10+01:00",
  route: "N1",
  vessel: "MV Turnstone",
  destination: "Kobbness",
  quay: "4",
  trip: "N1-2410-Ed",
};

describe("whenText", () => {
  it("counts minutes when the sailing is near", () => {
    expect(whenText("2025-10-29T22:42+01:00", now, today)).toBe("12 min");
  });
  it("shows the clock when it is further away", () => {
    expect(whenText("2025-10-29T23:30+01:00", now, today)).toBe("23:30");
  });
  it("says now for a sailing that is leaving", () => {
    expect(whenText("2025-10-29T22:30+01:00", now, today)).toBe("now");
  });
  it("says tonight for the small hours", () => {
    expect(whenText(night.at, now, today)).toBe("tonight 00:10");
  });
  it("says tomorrow from four o'clock on", () => {
    expect(whenText("2025-10-30T04:00+01:00", now, today)).toBe("tomorrow 04:00");
    expect(whenText("2025-10-30T05:45+01:00", now, today)).toBe("tomorrow 05:45");
  });
  it("has no label after midnight for a boat of the same date", () => {
    const late = new Date("2025-10-30T00:05:00+01:00");
    expect(whenText("2025-10-30T00:50+01:00", late, "2025-10-30")).toBe("00:50");
  });
});

describe("boardHtml", () => {
  it("has a text of its own when nothing sails any more", () => {
    const empty = { harbour: "KOB", now: "2025-10-29T22:30+01:00", departures: [] };
    expect(boardHtml(empty, now)).toContain("No more sailings");
  });
  it("takes today from the board, not from the browser", () => {
    const board = { harbour: "TRN", now: "2025-10-29T22:30+01:00", departures: [night] };
    expect(boardHtml(board, now)).toContain("tonight 00:10");
  });
  it("keeps the wall clock of the harbour, whatever the browser's zone", () => {
    expect(clockText("2025-10-29T23:50+01:00")).toBe("23:50");
  });
});
%% bash npm --prefix web run -s check; TZ=UTC npm --prefix web test -- --reporter=verbose; python -m pytest -q :: Types, widget tests in another zone, service tests

 RUN  v2.1.4 /home/dev/skerryline/web

 ✓ src/board.test.ts > whenText > counts minutes when the sailing is near
 ✓ src/board.test.ts > whenText > shows the clock when it is further away
 ✓ src/board.test.ts > whenText > says now for a sailing that is leaving
 ✓ src/board.test.ts > whenText > says tonight for the small hours
 ✓ src/board.test.ts > whenText > says tomorrow from four o'clock on
 ✓ src/board.test.ts > whenText > has no label after midnight for a boat of the same date
 ✓ src/board.test.ts > boardHtml > has a text of its own when nothing sails any more
 ✓ src/board.test.ts > boardHtml > takes today from the board, not from the browser
 ✓ src/board.test.ts > boardHtml > keeps the wall clock of the harbour, whatever the browser's zone

 Test Files  1 passed (1)
      Tests  9 passed (9)
   Start at  13:26:40
   Duration  604ms (transform 58ms, setup 0ms, collect 49ms, tests 11ms)

!pytest -q
%% bash git diff web/src/board.ts timetable/web.py :: Review
!diff web/src/board.ts timetable/web.py
%% bash git commit -qam 'Say tonight and tomorrow on boards (TT-4479)' && git log --oneline -1 :: Commit
!commit e5517bd Say tonight and tomorrow on boards (TT-4479)
%% say
`e5517bd`: the board sends the harbour's clock as `now`, and the widget says "tonight 00:10" before four and "tomorrow
05:45" after. The tests run with `TZ=UTC` to prove that the browser's zone does not matter.
"""
