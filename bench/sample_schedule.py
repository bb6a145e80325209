"""The invented ferries' timetable: eight harbours, five routes, and the operator's CSV made from them."""

from __future__ import annotations

HARBOURS = {
    "KOB": "Kobbness", "LOM": "Lomsund", "TRN": "Ternholm", "GUL": "Gullwick",
    "ASK": "Askerhaven", "VAD": "Vadholm", "RIN": "Rinnsay", "FLD": "Fairlead",
}  # fmt: skip

HEADER = "trip_id,route,vessel,service,seq,harbour,arrives,departs,quay"

# Route, its calls as (harbour, minutes to arrive, minutes at the quay, quay), vessels, first, last, headway.
Stop = tuple[str, int, int, str]
ROUTES: list[tuple[str, list[Stop], list[str], int, int, int]] = [
    ("R1", [("KOB", 0, 0, "2"), ("LOM", 40, 5, "1A"), ("TRN", 40, 0, "4")],
     ["MV Petrel", "MV Fulmar"], 315, 1275, 60),
    ("R2", [("TRN", 0, 0, "5"), ("GUL", 35, 5, "1"), ("ASK", 35, 0, "2")],
     ["MV Skua", "MV Turnstone"], 345, 1245, 60),
    ("R3", [("LOM", 0, 0, "3B"), ("VAD", 55, 5, "1"), ("RIN", 30, 0, "1")], ["MV Dunlin"], 365, 1205, 70),
    ("R4", [("ASK", 0, 0, "3"), ("FLD", 50, 0, "1")], ["MV Sanderling"], 390, 1230, 60),
    ("N1", [("TRN", 0, 0, "4"), ("LOM", 40, 5, "1A"), ("KOB", 40, 0, "2")], ["MV Turnstone"], 1370, 1490, 40),
]  # fmt: skip

SERVICES = ("weekday", "weekend")


def clock(minute: int) -> str:
    """HH:MM of a service day, hours not wrapped at midnight."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _backwards(stops: list[Stop]) -> list[Stop]:
    ran = [0, *(stop[1] for stop in stops[:0:-1])]
    return [(code, ran[at], stay, quay) for at, (code, _, stay, quay) in enumerate(stops[::-1])]


def _trips() -> list[tuple[str, str, str, str, list[tuple[str, int | None, int | None, str]]]]:
    """(trip id, route, vessel, service, calls) of every sailing; calls as `_times` gives them."""
    found: list[tuple[str, str, str, str, list[tuple[str, int | None, int | None, str]]]] = []
    for route, stops, vessels, first, last, headway in ROUTES:
        ways = [("E", stops), ("W", _backwards(stops))]
        for service in SERVICES:
            step = headway if service == "weekday" or route == "N1" else headway * 2
            for way, calls in ways[: 1 if route == "N1" else 2]:
                for number, start in enumerate(range(first, last + 1, step)):
                    vessel = vessels[number % len(vessels)]
                    name = f"{route}-{clock(start).replace(':', '')}-{way}{service[4]}"
                    found.append((name, route, vessel, service, _times(calls, start)))
    return found


def _times(stops: list[Stop], start: int) -> list[tuple[str, int | None, int | None, str]]:
    calls: list[tuple[str, int | None, int | None, str]] = []
    at = start
    for number, (code, run, stay, quay) in enumerate(stops):
        at += run
        arrives = at if number else None
        at += stay
        departs = at if number < len(stops) - 1 else None
        calls.append((code, arrives, departs, quay))
    return calls


def feed_csv() -> str:
    """The operator's winter feed."""
    rows = [HEADER]
    for name, route, vessel, service, calls in _trips():
        for seq, (code, arrives, departs, quay) in enumerate(calls, 1):
            times = ["" if minute is None else clock(minute) for minute in (arrives, departs)]
            rows.append(",".join([name, route, vessel, service, str(seq), code, *times, quay]))
    return "\n".join(rows) + "\n"


def departures_at(
    harbour: str, day: str, minute: int, count: int, offset: str, error: int
) -> list[dict[str, object]]:
    """A weekday's board from `minute` on; `error` minutes are added to each shown time."""
    lines: list[tuple[int, dict[str, object]]] = []
    for name, route, vessel, service, calls in _trips():
        if service != "weekday":
            continue
        for code, _, departs, quay in calls:
            if code != harbour or departs is None or departs < minute:
                continue
            shown = departs + error
            line: dict[str, object] = {
                "at": f"{_shift(day, shown // 1440)}T{clock(shown % 1440)}{offset}",
                "route": route,
                "vessel": vessel,
                "destination": HARBOURS[calls[-1][0]],
                "quay": quay,
                "trip": name,
            }
            lines.append((departs, line))
    return [line for _, line in sorted(lines, key=lambda pair: (pair[0], str(pair[1]["trip"])))][:count]


def _shift(day: str, days: int) -> str:
    return f"{day[:8]}{int(day[8:]) + days:02d}"
