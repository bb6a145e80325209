"""Times that a text names, against the time it was said: "last Friday", "3 May", "2023-05-08", "two weeks ago".

Only what is common in English and Chinese conversation is read, and dates written in figures. A span is two days'
numbers (days since 1970, both included); what names no time gives none.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, timedelta

from palimpsest.patterns import later

MAX_SPANS = 8
_MONTHS = {
    **{name.lower(): number for number, name in enumerate(calendar.month_name) if name},
    **{name.lower(): number for number, name in enumerate(calendar.month_abbr) if name},
    "sept": 9,
}
_DAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "few": 3,
    "couple": 2,
}
_MONTH = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = "|".join(_DAYS)

_DATED = later(
    r"\b(?:(?P<iso>(?:19|20)\d\d-\d\d-\d\d)"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH}),?(?: (?P<year>(?:19|20)\d\d))?"
    rf"|(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year2>(?:19|20)\d\d))?"
    rf"|(?P<month3>{_MONTH}),?(?: (?P<year3>(?:19|20)\d\d))?"
    r"|(?P<year4>(?:19|20)\d\d))\b",
    re.IGNORECASE,
)
_RELATIVE = later(
    r"\b(?:(?P<near>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|today|tonight|tomorrow)"
    rf"|(?P<which>last|next|this|past) (?P<what>{_DAY}|week|weekend|month|year|night)"
    rf"|(?:last|past) (?P<during>\d{{1,3}}|{'|'.join(_NUMBERS)})(?: of)? (?P<units>day|week|month|year)s"
    rf"|(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})(?: of)? (?P<unit>day|week|month|year)s? ago"
    rf"|on (?P<weekday>{_DAY}))\b",
    re.IGNORECASE,
)
_NEAR_DAYS = {"day before yesterday": -2, "yesterday": -1, "tomorrow": 1, "day after tomorrow": 2}
_NEAR_WORDS = frozenset(("last", "next", "this", "past"))
TIME_WORDS = _NEAR_WORDS.union(
    _DAYS,
    _MONTHS,
    "yesterday today tonight tomorrow ago since recently just day days week weeks weekend month months year years"
    " morning evening".split(),
)
"""Words that say when something is; some do together with what follows."""

_NEAR_OR_YEAR = later(r"\b(?:(?:last|next|this|past) \w|(?:19|20)\d\d\b)")
_CHINESE = later(
    r"(?:(?P<year>(?:19|20)\d\d) ?年 ?)?(?P<month>\d{1,2}) ?[月월] ?(?:(?P<day>\d{1,2}) ?[日号號일])?"
    r"|(?P<near>大前天|前天|昨天|昨晚|昨日|今天|今晚|今日|明天|明日|后天)|(?P<count>\d{1,3}|[一二两三四五六七八九十]) ?"
    r"个?(?P<unit>天|周|星期|月|年)前|(?P<which>上|这|本|下)个?(?P<what>周末|周|星期|礼拜|月)"
    r"|(?P<years>前年|去年|今年|明年)"
)
_CHINESE_NEAR = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "昨日": -1,
    "明天": 1,
    "明日": 1,
    "后天": 2,
}
_CHINESE_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1}
_CHINESE_UNITS = {"天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_CHINESE_WHICH = {"上": "last", "这": "this", "本": "this", "下": "next"}
_CHINESE_TIMED = later(
    r"\d ?[年月日号點点]|昨|今天|今晚|明天|前天|上个?[周月]|星期|礼拜|周[一二三四五六日末]"
    r"|去年|今年|明年|早上|下午|晚上|最近|刚"
)
_MAY_ALONE = later(r"may\.?", re.IGNORECASE)
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

Span = tuple[int, int]


def day_of(time_s: float) -> int:
    """The number of the day, in UTC."""
    return int(time_s // 86_400)


def names_date(word: str) -> bool:
    """Whether a word in lower case is a year or the name of a month."""
    return word in _MONTHS or (len(word) == 4 and word.isdecimal() and word[:2] in {"19", "20"})


def names_time(text: str, words: AbstractSet[str]) -> bool:
    """Whether a text says when something is; `words` are those of `TIME_WORDS` that it holds."""
    if words - _NEAR_WORDS:
        return True
    if (words or "19" in text or "20" in text) and _NEAR_OR_YEAR.search(text.lower()) is not None:
        return True
    return not text.isascii() and _CHINESE_TIMED.search(text) is not None


def spans(text: str, said_s: float | None, *, past: bool = False) -> tuple[Span, ...]:
    """The days that a text names. Those relative to when it was said are left out where that is unknown. A month
    without a year is of the year in which it was said; with `past`, as in a question, it is the last one of that name,
    and "in the last two weeks" names days, too.
    """
    found = list(_dated(text, said_s, past))
    if said_s is not None:
        found += _relative(text, day_of(said_s), past)
    if not text.isascii():
        found += _chinese(text, said_s, past)
    return tuple(found[:MAX_SPANS])


def _year_of(said_s: float | None, month: int, past: bool) -> int:
    """The year of a month that was named without one; 0 where it is unknown."""
    if said_s is None or not 0 <= said_s < 2e11:
        return 0
    said = datetime.fromtimestamp(said_s, UTC)
    return said.year - (past and month > said.month)


def _dated(text: str, said_s: float | None, past: bool) -> Iterator[Span]:
    for match in _DATED.finditer(text):
        if match["iso"]:
            year, month, day = (int(part) for part in match["iso"].split("-"))
        elif match["year4"]:
            year, month, day = int(match["year4"]), 0, 0
        else:
            name = match["month"] or match["month2"] or match["month3"]
            if match["month3"] and not match["year3"] and _MAY_ALONE.fullmatch(name) and name[0] == "m":
                continue
            month = _MONTHS[name.lower().rstrip(".")]
            year = int(match["year"] or match["year2"] or match["year3"] or _year_of(said_s, month, past))
            day = int(match["day"] or match["day2"] or 0)
        span = _span(year, month, day)
        if span is not None:
            yield span


def _chinese(text: str, said_s: float | None, past: bool) -> Iterator[Span]:
    today = day_of(said_s) if said_s is not None else None
    for match in _CHINESE.finditer(text):
        if match["month"]:
            month = int(match["month"])
            span = _span(int(match["year"] or _year_of(said_s, month, past)), month, int(match["day"] or 0))
            if span is not None:
                yield span
        elif today is None:
            continue
        elif match["near"]:
            shift = _CHINESE_NEAR.get(match["near"], 0)
            yield today + shift, today + shift
        elif match["count"]:
            yield _ago(today, _count(match["count"]), _CHINESE_UNITS[match["unit"]])
        elif match["what"]:
            what = "weekend" if match["what"] == "周末" else _CHINESE_UNITS[match["what"]]
            yield _near(today, _CHINESE_WHICH[match["which"]], what)
        else:
            year = _year_of(said_s, 0, past=False) + _CHINESE_YEARS[match["years"]]
            yield _span(year, 0, 0) or (today, today)


def _count(text: str) -> int:
    """A number in figures, or a Chinese one up to ten."""
    return int(text) if text.isdecimal() else "零一二三四五六七八九十".find(text.replace("两", "二"))


def _ago(today: int, count: int, unit: str) -> Span:
    """The days of "three weeks ago": as exact as that is said, and the less the longer ago it is."""
    size = _UNIT_DAYS[unit]
    slack = max(size // 4, count * size // 10)
    return today - count * size - slack, today - count * size + slack


def _span(year: int, month: int, day: int) -> Span | None:
    """The days of a year, month or day; None for a date that does not exist."""
    try:
        first = date(year, month or 1, day or 1)
    except ValueError:
        return None
    last_day = calendar.monthrange(year, month or 12)[1]
    last = first if day else date(year, month or 12, last_day)
    epoch = date(1970, 1, 1)
    return (first - epoch).days, (last - epoch).days


def _relative(text: str, today: int, past: bool) -> Iterator[Span]:
    for match in _RELATIVE.finditer(text):
        if match["near"]:
            shift = _NEAR_DAYS.get(match["near"].lower().removeprefix("the "), 0)
            yield today + shift, today + shift
        elif match["during"]:
            if past:
                yield today - _number(match["during"]) * _UNIT_DAYS[match["units"].lower()], today
        elif match["count"]:
            yield _ago(today, _number(match["count"]), match["unit"].lower())
        else:
            yield _near(today, match["which"], (match["what"] or match["weekday"]).lower())


def _number(text: str) -> int:
    """A number in figures, or one of `_NUMBERS`."""
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


def _near(today: int, which: str | None, what: str) -> Span:
    """The days of "last Friday", "next month", "this weekend"."""
    forward = {"next": 1, "this": 0}.get((which or "last").lower(), -1)
    weekday = (date(1970, 1, 1) + timedelta(days=max(0, min(today, 2_000_000)))).weekday()
    if what in _DAYS:
        away = (_DAYS[what] - weekday) % 7
        there = today + away if forward >= 0 else today - ((weekday - _DAYS[what]) % 7 or 7)
        return there, there
    if what == "night":
        return today - 1, today
    monday = today - weekday
    if what == "week":
        return monday + 7 * forward, monday + 7 * forward + 6
    if what == "weekend":
        return monday + 7 * forward + 4, monday + 7 * forward + 6
    size = _UNIT_DAYS[what]
    middle = today + size * forward
    return middle - size // 2, middle + size // 2


def overlaps(asked: tuple[Span, ...], given: tuple[Span, ...], *, slack_days: int = 0) -> bool:
    """Whether any asked span meets any given one, with so many days between them at most."""
    return any(
        first - slack_days <= other_last and other_first <= last + slack_days
        for first, last in asked
        for other_first, other_last in given
    )
