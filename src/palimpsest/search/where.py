"""Where a search looks: kind, speaker and time, read from what a caller gives.

Times are those at which the content happened. A time without a zone is UTC; `since` is included, `before` is not.
`last` counts back from now: hours, days and weeks by the clock, months by the calendar (m is months). What has no time
is outside every bound, and a summary is inside where any of what it covers is.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from palimpsest.errors import UsageError, brief
from palimpsest.record.message import Role

SearchScope = Literal["summary", "message", "both"]

MAX_LAST = 100_000
"""The largest number before a unit of `last`."""

_LAST = re.compile(r"\s*(\d{1,6})\s*([hdwm])\s*", re.IGNORECASE | re.ASCII)
_HOURS = {"h": 1, "d": 24, "w": 168}
_FIRST_YEAR = 1


@dataclass(frozen=True, slots=True)
class Where:
    """What may be found. `role` None is any; times are seconds since 1970, None for unbounded."""

    scope: SearchScope = "both"
    role: Role | None = None
    since_s: float | None = None
    before_s: float | None = None

    @property
    def timed(self) -> bool:
        """Whether there is any bound in time."""
        return self.since_s is not None or self.before_s is not None

    def holds(self, role: str, earliest_s: float | None, latest_s: float | None) -> bool:
        """Whether what was said by `role` ("" for a summary) between two times may be found, by speaker and time."""
        if self.role is not None and role != self.role:
            return False
        if not self.timed:
            return True
        if earliest_s is None or latest_s is None:
            return False
        return (self.since_s is None or latest_s >= self.since_s) and (
            self.before_s is None or earliest_s < self.before_s
        )


ANYWHERE = Where()


def read_where(
    scope: str = "both",
    role: str | None = None,
    last: str | None = None,
    since: str | None = None,
    before: str | None = None,
    *,
    now_s: float,
) -> Where:
    """The place that a caller names. With both `last` and `since`, the later counts.

    Raises UsageError for what cannot be read, a role asked of summaries, and bounds with nothing between them.
    """
    checked_scope, checked_role = _scope(scope), _role(role)
    if checked_role is not None and checked_scope == "summary":
        raise UsageError("a summary has no role", hint="leave role out, or look in messages")
    starts = [one for one in (_last(last, now_s), _time("since", since)) if one is not None]
    end = _time("before", before)
    start = max(starts, default=None)
    if start is not None and end is not None and end <= start:
        raise UsageError("nothing lies between these times", hint="give a `before` later than the beginning")
    return Where("message" if checked_role is not None else checked_scope, checked_role, start, end)


def _scope(scope: str) -> SearchScope:
    match scope:
        case "summary" | "message" | "both":
            return scope
        case _:
            raise UsageError(f"scope cannot be {scope!r}", hint="choose one of summary, message, both")


def _role(role: str | None) -> Role | None:
    match role:
        case None | "":
            return None
        case "user" | "assistant" | "tool" | "system":
            return role
        case _:
            raise UsageError(f"role cannot be {role!r}", hint="choose one of user, assistant, tool")


def _last(last: object, now_s: float) -> float | None:
    if last is None or last == "":
        return None
    found = _LAST.fullmatch(last) if isinstance(last, str) else None
    if found is None or not 0 < int(found[1]) <= MAX_LAST:
        raise UsageError(
            f"last cannot be {_shown(last)}", hint="give a number and a unit: 6h, 7d, 2w or 1m (m is months)"
        )
    number, unit = int(found[1]), found[2].lower()
    if unit in _HOURS:
        return now_s - number * _HOURS[unit] * 3_600
    now = datetime.fromtimestamp(now_s, UTC)
    year, month = divmod(now.year * 12 + now.month - 1 - number, 12)
    if year < _FIRST_YEAR:
        return datetime(_FIRST_YEAR, 1, 1, tzinfo=UTC).timestamp()
    day = min(now.day, calendar.monthrange(year, month + 1)[1])
    return now.replace(year=year, month=month + 1, day=day).timestamp()


def _time(name: str, text: object) -> float | None:
    if text is None or text == "":
        return None
    try:
        found = datetime.fromisoformat(str(text).strip().upper())
        known = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        return (known - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{name} cannot be {_shown(text)}",
            hint="give a time in ISO 8601, such as 2026-11-21, 2026-11-21T09:30Z or 2026-11-21T09:30+01:00",
        ) from None


def _shown(given: object) -> str:
    return repr(given if len(given) <= 40 else given[:40] + "…") if isinstance(given, str) else brief(given)
