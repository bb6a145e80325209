"""Days as numbers (days since 1970), and ranges of days: a month, last week, ten days ago.

A range is its first and its last day. Weeks begin on Monday; seasons are those of the northern hemisphere, in whole
months.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Literal

Span = tuple[int, int]

Direction = Literal["last", "this", "next", "past"]
"""`past` ends today: the past month is the thirty days before, last month the one before this."""

WEEKDAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month in which each begins."""

UNIT_DAYS = {"minute": 1, "hour": 1, "day": 1, "week": 7, "month": 30, "year": 365}
_EPOCH = date(1970, 1, 1)
_MAX_DAY = 2_000_000
_SEASON_MONTHS = 3
_STEPS = {"last": -1, "past": -1, "this": 0, "next": 1}


def day_of(time_s: float) -> int:
    """Return the number of the day, in UTC."""
    return int(time_s // 86_400)


def date_of(day: int) -> date:
    """Return the date of a day; the nearest one if the calendar has none."""
    return _EPOCH + timedelta(days=max(0, min(day, _MAX_DAY)))


def year_and_month(time_s: float | None) -> tuple[int, int]:
    """Return the year and the month of a time, zeros if unknown."""
    if time_s is None or not 0 <= time_s < 2e11:
        return 0, 0
    said = datetime.fromtimestamp(time_s, UTC)
    return said.year, said.month


def span_of(year: int, month: int = 0, day: int = 0, *, months: int = 1) -> Span | None:
    """Return the days of a year, of some months, or of a day; None for an invalid date."""
    try:
        first = date(year, month or 1, day or 1)
        if day:
            last = first
        else:
            further, last_month = divmod((month or 12) + (months - 1 if month else 0) - 1, 12)
            last_year = year + further
            last = date(last_year, last_month + 1, calendar.monthrange(last_year, last_month + 1)[1])
    except ValueError:
        return None
    return (first - _EPOCH).days, (last - _EPOCH).days


def season(name: str, year: int) -> Span | None:
    """Return the days of a season; the winter of a year begins in the year before."""
    first = SEASONS[name]
    return span_of(year - (first == 12), first, months=_SEASON_MONTHS)


def begun(today: int, name: str) -> Span | None:
    """Return the days of the last season of a name that has begun."""
    year = date_of(today).year
    found = [one for of in range(year - 1, year + 2) if (one := season(name, of)) and one[0] <= today]
    return found[-1] if found else None


def _season_near(today: int, which: Direction, name: str) -> Span | None:
    there = date_of(today)
    around = [one for of in range(there.year - 2, there.year + 3) if (one := season(name, of))]
    before, after = [one for one in around if one[1] < today], [one for one in around if one[0] > today]
    if which == "next":
        return after[0] if after else None
    if which == "this":
        return season(name, there.year + (SEASONS[name] == 12 and there.month > 6))
    return before[-1] if before else None


def ago(today: int, count: float, unit: str) -> Span:
    """Return the days of "three weeks ago", wider for longer ago."""
    if unit in ("minute", "hour"):
        before = today - int(count) // (24 if unit == "hour" else 1_440)
        return before - 1, before
    days = round(count * UNIT_DAYS[unit])
    slack = max(min(days, UNIT_DAYS[unit]) // 4, days // 10)
    return today - days - slack, today - days + slack


def during(today: int, count: float, unit: str) -> Span:
    """Return the days of "in the last two weeks"."""
    if unit in ("minute", "hour"):
        return today - 1 - int(count) // (24 if unit == "hour" else 1_440), today
    return today - round(count * UNIT_DAYS[unit]), today


def near(today: int, which: Direction, what: str) -> Span:
    """Return the days of "last Friday", "next month", "this weekend", "last summer"."""
    step = _STEPS[which]
    there = date_of(today)
    if what in WEEKDAYS:
        away = WEEKDAYS[what] - there.weekday()
        day = today + away % 7 if step >= 0 else today - (-away % 7 or 7)
        return day, day
    if what in SEASONS:
        return _season_near(today, which, what) or (today, today)
    if what == "night":
        return (today - 1, today) if step < 0 else (today, today + step)
    if what in ("morning", "afternoon", "evening"):
        return today + step, today + step
    if which == "past" and what != "weekend":
        return during(today, 1, what)
    if what in ("week", "weekend"):
        monday = today - there.weekday() + 7 * step
        return monday + (4 if what == "weekend" else 0), monday + 6
    if what == "year":
        return span_of(there.year + step) or (today, today)
    further, month = divmod(there.month - 1 + step, 12)
    return span_of(there.year + further, month + 1) or (today, today)


def narrowest(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the ranges without those that contain another: this year, in January."""
    found = list(dict.fromkeys(spans))
    return tuple(
        one
        for one in found
        if not any(other != one and one[0] <= other[0] and other[1] <= one[1] for other in found)
    )


def overlaps(asked: tuple[Span, ...], given: tuple[Span, ...], *, slack_days: int = 0) -> bool:
    """Return whether any asked range meets any given one, with at most this many days between them."""
    return any(
        first - slack_days <= other_last and other_first <= last + slack_days
        for first, last in asked
        for other_first, other_last in given
    )
