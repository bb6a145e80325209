"""Dates and times in a text, relative to when it was said: "last Friday", "3 May", "2023-05-08", "two weeks ago".

Common English and Chinese expressions are parsed, in a question also those of its own language
(`date_parsing_european`), and numeric dates.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import cast

from palimpsest.lazy_regex import as_key, later
from palimpsest.search.calendar_ranges import (
    SEASONS,
    WEEKDAYS,
    Direction,
    Span,
    ago,
    begun,
    day_of,
    during,
    near,
    season,
    span_of,
    year_and_month,
)

MAX_SPANS = 8
_MONTHS = {
    **{name.lower(): number for number, name in enumerate(calendar.month_name) if name},
    **{name.lower(): number for number, name in enumerate(calendar.month_abbr) if name},
    "sept": 9,
}
_NUMBERS = {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4, "dozen": 12} | {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_YEAR = r"(?:19|20)\d\d"
_MONTH = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = "|".join(WEEKDAYS)
_SEASON = "|".join(SEASONS)
_COUNT = rf"\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}"
_UNIT = "minute|hour|day|week|month|year"

_DATED = later(
    rf"\b(?=[\dadfjlmnoqstw])(?:(?P<iso>{_YEAR})(?P<joint>[-/.])(?P<isomonth>\d{{1,2}})(?:(?P=joint)(?P<isoday>\d{{1,2}}))?"
    rf"(?![-/.]?\d)(?=\b|T\d)"
    rf"|(?P<one>\d{{1,2}})(?P<mark>[./-])(?P<two>\d{{1,2}})(?P=mark)(?P<figures>{_YEAR})\b"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH}),?(?: (?P<year>{_YEAR}))?\b"
    rf"|(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year2>{_YEAR}))?\b"
    rf"|(?:(?P<which>last|next|this) )?(?P<month3>{_MONTH}),?(?:(?: of)? (?P<year3>{_YEAR}))?\b"
    rf"|Q(?P<quarter>[1-4])(?:,?(?: of)? (?P<quarterly>{_YEAR}))?\b"
    rf"|(?P<season>{_SEASON}),?(?: of)? (?P<seasonal>{_YEAR})\b"
    rf"|(?P<year4>{_YEAR})\b)",
    re.IGNORECASE,
)
_RELATIVE = later(
    r"\b(?=[acdefhilnopsty\d])"
    r"(?:(?P<near>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|today|tonight|tomorrow)"
    rf"|(?P<which>last|next|this|past) (?P<what>{_DAY}|week|weekend|month|year|night|morning|afternoon|evening"
    rf"|(?:{_SEASON})(?!,?(?: of)? {_YEAR}))"
    rf"|(?:last|past) (?P<during>{_COUNT})(?: of)? (?P<units>{_UNIT})s"
    rf"|(?P<half>half )?(?P<count>{_COUNT})(?: of)? (?P<unit>{_UNIT})s? ago"
    rf"|on (?P<weekday>{_DAY})"
    rf"|(?:in|during)(?: the)? (?P<season>{_SEASON})(?!,?(?: of)? {_YEAR}))\b",
    re.IGNORECASE,
)
_NEAR_DAYS = {"day before yesterday": -2, "yesterday": -1, "tomorrow": 1, "day after tomorrow": 2}
_NEAR_WORDS = frozenset(("last", "next", "this", "past"))
TIME_WORDS = _NEAR_WORDS.union(
    WEEKDAYS,
    _MONTHS,
    "yesterday today tonight tomorrow ago since recently just day days week weeks weekend month months year years"
    " morning evening".split(),
)
"""Words that say when something is; some only together with the next word."""

_NUMBERED = later(rf"{_YEAR}|[qQ][1-4]")
_WORD = later("[a-z]+")
_RELATIVE_WORDS = frozenset(WEEKDAYS).union(
    SEASONS,
    (f"{unit}s" for unit in _UNIT.split("|")),
    "yesterday today tonight tomorrow ago week weekend month year night morning afternoon evening".split(),
)
"""A text without a year, a quarter or a month has no absolute date, and without one of these no relative one."""

_NEAR_OR_YEAR = later(r"\b(?:(?:last|next|this|past) \w|(?:19|20)\d\d\b)")
_NUMERAL = "一二两三四五六七八九十"
_CHINESE = later(
    rf"(?:(?P<year>{_YEAR}) ?年 ?|(?P<yearly>前年|去年|今年|明年|昨年|작년 |올해 )的?)?"
    rf"(?P<month>\d{{1,2}}|十[一二]?|[一二三四五六七八九]) ?[月월]份?(?!前) ?"
    rf"(?:(?P<day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}}) ?[日号號일])?"
    r"|(?P<near>大前天|前天|昨天|昨晚|昨日|今天|今晚|今日|明天|明日|后天|一昨日|그저께|어제|오늘|내일)"
    rf"|(?P<count>\d{{1,3}}|[{_NUMERAL}]{{1,3}}|半|几) ?个?(?P<unit>天|周|星期|月|年)前"
    r"|(?P<which>上|这|本|下|先|今|来|지난 ?|이번 ?|다음 ?)个?(?P<what>周末|周|星期|礼拜|月|週|주|달)"
    r"|(?P<years>前年|去年|今年|明年|昨年|작년|올해|내년)"
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
    "一昨日": -2,
    "그저께": -2,
    "어제": -1,
    "내일": 1,
}
_CHINESE_YEARS = {"前": -2, "去": -1, "昨": -1, "작": -1, "今": 0, "올": 0, "明": 1, "내": 1}
_CHINESE_UNITS = {
    **dict.fromkeys("天", "day"), **dict.fromkeys("周星礼週주", "week"), **dict.fromkeys("月달", "month"), "年": "year",
}  # fmt: skip
_CHINESE_WHICH: dict[str, Direction] = {
    "上": "last",
    "先": "last",
    "지": "last",
    "下": "next",
    "来": "next",
    "다": "next",
}
_CHINESE_TIMED = later(
    r"\d ?[年月日号點点]|昨|今天|今晚|明天|前天|上个?[周月]|星期|礼拜|周[一二三四五六日末]"
    r"|去年|今年|明年|早上|下午|晚上|最近|刚"
)
_MAY_ALONE = later(r"may\.?", re.IGNORECASE)
_US_LAST_MONTH = 12

NamedDays = tuple[Span, int, int]
"""The days that a text names, and the character range of the name."""


def names_date(word: str) -> bool:
    """Return whether a word in lower case is a year or the name of a month."""
    return word in _MONTHS or (len(word) == 4 and word.isdecimal() and word[:2] in {"19", "20"})


def names_time(text: str, words: AbstractSet[str]) -> bool:
    """Return whether a text says when something is; `words` are those of `TIME_WORDS` in it."""
    if words - _NEAR_WORDS:
        return True
    if (words or "19" in text or "20" in text) and _NEAR_OR_YEAR.search(text.lower()) is not None:
        return True
    return not text.isascii() and _CHINESE_TIMED.search(text) is not None


def spans(text: str, said_s: float | None, *, past: bool = False) -> tuple[Span, ...]:
    """Return the days that a text names. Relative ones are left out if the time of the text is unknown. A month
    without a year is of the year in which it was said; with `past`, as in a question, it is the last one of that
    name, and "in the last two weeks" counts too.
    """
    return tuple(span for span, _, _ in named_days(text, said_s, past=past))


def named_days(text: str, said_s: float | None, *, past: bool = False, language: str = "") -> list[NamedDays]:
    """Return the same with the positions; for a question also those in another `language` of `languages`."""
    words = set(_WORD.findall(as_key(text)))
    found: list[NamedDays] = []
    if not words.isdisjoint(_MONTHS) or _NUMBERED.search(text):
        found += _found(_DATED, text, lambda match: _dated(match, said_s, past))
    if said_s is not None and not words.isdisjoint(_RELATIVE_WORDS):
        today = day_of(said_s)
        found += _found(_RELATIVE, text, lambda match: _relative(match, today, past))
    if said_s is not None and language:
        from palimpsest.search.date_parsing_european import named_in

        found += named_in(language, text, said_s)
    if not text.isascii():
        found += _found(_CHINESE, text, lambda match: _chinese(match, said_s, past))
    return found[:MAX_SPANS]


def _found(
    pattern: re.Pattern[str], text: str, read: Callable[[re.Match[str]], Iterator[Span | None]]
) -> Iterator[NamedDays]:
    for match in pattern.finditer(text):
        for span in read(match):
            if span is not None:
                yield span, match.start(), match.end()


def _year_of(said_s: float | None, month: int, past: bool, which: str = "") -> int:
    """Return the year of a month without one; 0 if unknown."""
    year, now = year_and_month(said_s)
    if as_key(which) == "last":
        return year - (month >= now)
    if as_key(which) == "next":
        return year + (month <= now)
    return year - (past and not which and month > now)


def _dated(match: re.Match[str], said_s: float | None, past: bool) -> Iterator[Span | None]:
    if match["iso"]:
        yield span_of(int(match["iso"]), int(match["isomonth"]), int(match["isoday"] or 0))
    elif match["figures"]:
        yield from _in_figures(int(match["one"]), int(match["two"]), int(match["figures"]), match["mark"])
    elif match["quarter"]:
        first = int(match["quarter"]) * 3 - 2
        yield span_of(int(match["quarterly"] or _year_of(said_s, first, past)), first, months=3)
    elif match["season"]:
        yield season(as_key(match["season"]), int(match["seasonal"]))
    elif match["year4"]:
        yield span_of(int(match["year4"]))
    else:
        name = match["month"] or match["month2"] or match["month3"]
        alone = match["month3"] and not (match["year3"] or match["which"])
        if alone and _MAY_ALONE.fullmatch(name) and name[0] == "m":
            return
        month = _MONTHS[as_key(name.rstrip("."))]
        year = match["year"] or match["year2"] or match["year3"]
        day = int(match["day"] or match["day2"] or 0)
        yield span_of(int(year or _year_of(said_s, month, past, match["which"] or "")), month, day)


def _in_figures(one: int, two: int, year: int, mark: str) -> Iterator[Span | None]:
    """Parse numeric dates: 5.3.2026 is a day of March; 5/3/2026 is that or a day of May."""
    if two <= _US_LAST_MONTH:
        yield span_of(year, two, one)
    if mark != "." and one <= _US_LAST_MONTH and one != two:
        yield span_of(year, one, two)


def _relative(match: re.Match[str], today: int, past: bool) -> Iterator[Span | None]:
    if match["near"]:
        shift = _NEAR_DAYS.get(as_key(match["near"]).removeprefix("the "), 0)
        yield today + shift, today + shift
    elif match["during"]:
        if past:
            yield during(today, _number(match["during"]), as_key(match["units"]))
    elif match["count"]:
        yield ago(today, _number(match["count"]) / (2 if match["half"] else 1), as_key(match["unit"]))
    elif match["season"]:
        if past:
            yield begun(today, as_key(match["season"]))
    else:
        which = cast("Direction", as_key(match["which"] or "last"))
        yield near(today, which, as_key(match["what"] or match["weekday"]))


def _number(text: str) -> int:
    """Return a number in digits, or one of `_NUMBERS`."""
    return int(text) if text.isdigit() else _NUMBERS[as_key(text)]


def _chinese(match: re.Match[str], said_s: float | None, past: bool) -> Iterator[Span | None]:
    today = day_of(said_s) if said_s is not None else None
    if match["month"]:
        month, day = int(_count(match["month"])), int(_count(match["day"] or "0"))
        year = int(match["year"] or 0)
        if match["yearly"]:
            year = (year_and_month(said_s)[0] or -9) + _CHINESE_YEARS[match["yearly"][0]]
        yield span_of(year or _year_of(said_s, month, past), month, day)
    elif today is None:
        return
    elif match["near"]:
        shift = _CHINESE_NEAR.get(match["near"], 0)
        yield today + shift, today + shift
    elif match["count"]:
        yield ago(today, _count(match["count"]), _CHINESE_UNITS[match["unit"][0]])
    elif match["what"]:
        what = "weekend" if match["what"] == "周末" else _CHINESE_UNITS[match["what"][0]]
        yield near(today, _CHINESE_WHICH.get(match["which"][0], "this"), what)
    else:
        yield span_of(year_and_month(said_s)[0] + _CHINESE_YEARS[match["years"][0]])


def _count(text: str) -> float:
    """Return a number in digits, or a Chinese one below a hundred; half of one, or some."""
    if text in ("半", "几"):
        return 0.5 if text == "半" else 3
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.replace("两", "二").rpartition("十")
    digits = _NUMERAL.replace("两", "")
    return (digits.find(tens[-1:]) + 1 if tens else 1) * 10 * bool(ten) + (
        digits.find(ones) + 1 if ones else 0
    )
