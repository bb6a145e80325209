"""The invented project of the sample session, before it begins: planner, public API and board cache."""

FILES: dict[str, str] = {}

FILES["timetable/planner.py"] = r'''"""Journey planning: an earliest arrival scan over the day's connections.

A connection is one hop of one sailing between two neighbouring calls. Scanned in the order
of departure, each either improves the earliest known arrival at its end or is skipped. The
scan looks at every connection of two service days once, which is a few thousand steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
import sqlite3

from timetable import calendar, store
from timetable.errors import NoJourney
from timetable.model import Journey, Leg


@dataclass(frozen=True, slots=True)
class Connection:
    """A hop of one sailing between two calls that follow each other."""

    trip_id: str
    route: str
    origin: str
    destination: str
    departs: datetime
    arrives: datetime


def connections(db: sqlite3.Connection, at: datetime) -> list[Connection]:
    """Every hop of the service days around `at`, by departure."""
    found: list[Connection] = []
    days = calendar.days_around(at)
    for sailing in store.sailings(db):
        service = store.service(db, sailing.service_id)
        calls = store.calls_of(db, sailing.id)
        for day in days:
            if not calendar.runs_on(service, day):
                continue
            for here, there in zip(calls, calls[1:]):
                if here.departs is None or there.arrives is None:
                    continue
                found.append(
                    Connection(
                        sailing.trip_id,
                        sailing.route,
                        here.harbour,
                        there.harbour,
                        calendar.to_instant(day, here.departs),
                        calendar.to_instant(day, there.arrives),
                    )
                )
    return sorted(found, key=lambda hop: (hop.departs, hop.arrives))


def earliest(hops: Iterable[Connection], origin: str, goal: str, at: datetime) -> Journey:
    """The journey that arrives first, and among those the one found first.

    Raises NoJourney when nothing in `hops` leads to the goal.
    """
    reached: dict[str, datetime] = {origin: at}
    came_by: dict[str, Connection] = {}
    for hop in hops:
        ready = reached.get(hop.origin)
        if ready is None or hop.departs < ready:
            continue
        best = reached.get(hop.destination)
        if best is None or hop.arrives < best:
            reached[hop.destination] = hop.arrives
            came_by[hop.destination] = hop
        if goal in reached and hop.departs > reached[goal]:
            break
    if goal not in came_by:
        raise NoJourney(f"nothing sails from {origin} to {goal} within two days")
    return Journey(tuple(_legs(came_by, origin, goal)))


def _legs(came_by: dict[str, Connection], origin: str, goal: str) -> list[Leg]:
    """Walk back from the goal and merge hops of the same sailing into legs."""
    hops: list[Connection] = []
    place = goal
    while place != origin:
        hop = came_by[place]
        hops.append(hop)
        place = hop.origin
    hops.reverse()
    legs: list[Leg] = []
    for hop in hops:
        if legs and legs[-1].trip_id == hop.trip_id:
            last = legs.pop()
            legs.append(
                Leg(last.trip_id, last.route, last.origin, hop.destination, last.departs, hop.arrives)
            )
        else:
            legs.append(
                Leg(hop.trip_id, hop.route, hop.origin, hop.destination, hop.departs, hop.arrives)
            )
    return legs
'''

FILES["timetable/api.py"] = r'''"""The public API. Ticket machines call these three functions in process.

Their names, parameters, defaults and return types are a promise for the whole of version 2.
Anything new goes beside them, never into them.
"""

from __future__ import annotations

from datetime import datetime
import sqlite3

from timetable import calendar, planner, store
from timetable.errors import BadRequest, UnknownHarbour
from timetable.model import Departure, Harbour, Journey

MAX_LIMIT = 60


def harbours(db: sqlite3.Connection) -> list[Harbour]:
    """All harbours, by name."""
    return store.harbours(db)


def departures(
    db: sqlite3.Connection, harbour: str, at: datetime, limit: int = 10
) -> list[Departure]:
    """The next sailings from a harbour, soonest first.

    Raises UnknownHarbour for a code nobody uses and BadRequest for a limit outside 1..60.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise BadRequest(f"limit must be between 1 and {MAX_LIMIT}, not {limit}")
    if not store.has_harbour(db, harbour):
        raise UnknownHarbour(f"no harbour has the code {harbour!r}")
    found: list[Departure] = []
    days = calendar.days_around(at)
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
    found.sort(key=lambda line: (line.at, line.trip_id))
    return found[:limit]


def journey(db: sqlite3.Connection, origin: str, destination: str, at: datetime) -> Journey:
    """The journey that arrives first.

    Raises UnknownHarbour, BadRequest when both ends are the same, or NoJourney.
    """
    for code in (origin, destination):
        if not store.has_harbour(db, code):
            raise UnknownHarbour(f"no harbour has the code {code!r}")
    if origin == destination:
        raise BadRequest("origin and destination are the same harbour")
    return planner.earliest(planner.connections(db, at), origin, destination, at)
'''

FILES["timetable/cache.py"] = r'''"""A small cache for rendered boards.

Boards are asked for by every screen on every quay every thirty seconds, mostly with the same
answer. Entries live for `ttl_s` seconds; the oldest go when there are more than `size`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
import time


class BoardCache:
    """Keyed bytes with an age limit. Not safe for threads: one per worker."""

    def __init__(
        self, ttl_s: float = 90.0, size: int = 256, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ttl_s = ttl_s
        self._size = size
        self._clock = clock
        self._entries: OrderedDict[tuple[str, ...], tuple[float, bytes]] = OrderedDict()
        self.hits = 0
        self.misses = 0

    def get(self, key: tuple[str, ...]) -> bytes | None:
        """The stored bytes, or None when absent or too old."""
        entry = self._entries.get(key)
        if entry is None or self._clock() - entry[0] > self._ttl_s:
            self.misses += 1
            return None
        self.hits += 1
        return entry[1]

    def put(self, key: tuple[str, ...], body: bytes) -> None:
        self._entries[key] = (self._clock(), body)
        self._entries.move_to_end(key)
        while len(self._entries) > self._size:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        self._entries.clear()
'''
