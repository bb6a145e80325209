"""Search filters: kind, speaker and time, parsed from a caller's arguments.

Times are those of the content. A time without a zone is UTC, and so is the midnight at which a day, a month or a year
begins; `since` is inclusive, `before` is not. `last` counts back from now: hours, days and weeks by the clock, months
by the calendar (m is months). Content without a time is outside every bound, and a summary is inside if any of its
time is.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from palimpsest.errors import UsageError, brief
from palimpsest.lazy_regex import later
from palimpsest.record.message import Role

SearchScope = Literal["summary", "message", "both"]

MAX_LAST = 100_000
"""The largest number before a unit of `last`."""

_LAST = later(r"\s*(\d{1,6})\s*([hdwm])\s*", re.IGNORECASE | re.ASCII)
_HOURS = {"h": 1, "d": 24, "w": 168}
_DAYS_AGO = {"today": 0, "yesterday": 1}
_WITHOUT_A_DAY = later(r"\d{4}(-\d\d)?", re.ASCII)
_MIDNIGHT = later(r"(?<=\d)[T ]24(?::?00){0,2}(?![:\d])", re.ASCII)
"""The end of a day is the beginning of the next."""

_NAMED_UTC = later(r"(?<=\d) ?(?:UTC|GMT)$", re.ASCII)
_FIRST_YEAR = 1


@dataclass(frozen=True, slots=True)
class Where:
    """A filter. `role` None is any; times are seconds since 1970, None for unbounded."""

    scope: SearchScope = "both"
    role: Role | None = None
    since_s: float | None = None
    before_s: float | None = None

    @property
    def timed(self) -> bool:
        """Whether there is any bound in time."""
        return self.since_s is not None or self.before_s is not None

    def holds(self, role: str, earliest_s: float | None, latest_s: float | None) -> bool:
        """Return whether content by `role` ("" for a summary) between two times passes, by speaker and time."""
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
    """Return the filter that a caller names. With both `last` and `since`, the later counts.

    Raises UsageError for unreadable values, a role for summaries, and an empty time range.
    """
    checked_scope, checked_role = _scope(scope), _role(role)
    if checked_role is not None and checked_scope == "summary":
        raise UsageError("a summary has no role", hint="leave role out, or look in messages")
    starts = [one for one in (_last(last, now_s), _time("since", since, now_s)) if one is not None]
    end = _time("before", before, now_s)
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
            raise UsageError(f"role cannot be {role!r}", hint="choose one of user, assistant, tool, system")


def _last(last: object, now_s: float) -> float | None:
    if last is None or last == "":
        return None
    found = _ago(last, now_s) if isinstance(last, str) else None
    if found is None:
        raise UsageError(
            f"last cannot be {_shown(last)}", hint="give a number and a unit: 6h, 7d, 2w or 1m (m is months)"
        )
    return found


def _ago(text: str, now_s: float) -> float | None:
    """Return the time this long before now, None for another text."""
    found = _LAST.fullmatch(text)
    if found is None or not 0 < int(found[1]) <= MAX_LAST:
        return None
    number, unit = int(found[1]), found[2].lower()
    if unit in _HOURS:
        return now_s - number * _HOURS[unit] * 3_600
    now = datetime.fromtimestamp(now_s, UTC)
    year, month = divmod(now.year * 12 + now.month - 1 - number, 12)
    if year < _FIRST_YEAR:
        return datetime(_FIRST_YEAR, 1, 1, tzinfo=UTC).timestamp()
    day = min(now.day, calendar.monthrange(year, month + 1)[1])
    return now.replace(year=year, month=month + 1, day=day).timestamp()


def _time(name: str, given: object, now_s: float) -> float | None:
    if given is None or given == "":
        return None
    text = str(given).strip().upper()
    try:
        found = _relative(text.lower(), now_s)
        return found if found is not None else _absolute(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{name} cannot be {_shown(given)}",
            hint="give a time in ISO 8601, such as 2026-11-21, 2026-11-21T09:30Z or 2026-11-21T09:30+01:00; "
            "or yesterday, today, now, 7d",
        ) from None


def _relative(text: str, now_s: float) -> float | None:
    """Return a time relative to now, None for another text."""
    if text in _DAYS_AGO:
        midnight = datetime.fromtimestamp(now_s, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=_DAYS_AGO[text])).timestamp()
    return now_s if text == "now" else _ago(text, now_s)


def _absolute(text: str) -> float:
    if short := _WITHOUT_A_DAY.fullmatch(text):
        text += "-01" if short[1] else "-01-01"
    text, days = _MIDNIGHT.subn("T00:00", _NAMED_UTC.sub("Z", text))
    found = datetime.fromisoformat(text)
    known = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return (known - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1) + days * 86_400


def _shown(given: object) -> str:
    return repr(given if len(given) <= 40 else given[:40] + "…") if isinstance(given, str) else brief(given)
