"""Days in a summary that its source does not have, nor anything that they are reckoned from.

Rules kept here:

- A day is known where the source has it in any form: in figures, in words, as the end of a stretch, as a stamp, which
  is another day elsewhere, or so many days or weeks beside another one.
- A day that is reckoned is one of a year that the source names, or beside one.
- Where people say "tomorrow" or "on Friday", every day near one that the source has may be meant.
- What a source tells in words that are not read here is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from itertools import pairwise

from palimpsest.patterns import as_key, later
from palimpsest.summarize.audit.numbers.amounts import Held
from palimpsest.summarize.audit.numbers.numerals import spelled

MAX_DAYS = 400
"""Days of one source that others are reckoned from."""
MAX_STRETCHES = 24
MAX_FAR = 800
"""Days in the longest stretch that others are reckoned by."""
NEAR_DAYS = 14
"""How far a day may be that is told by its distance or its name in the week."""
BESIDE_CHARS = 25
"""Beside a month's name, in which its days stand."""
ANY_YEAR = 2024
"""For days without a year: one that has all days."""

_MONTHS = (
    "january jan januar jänner janvier enero gennaio janeiro januari января",
    "february feb februar febr février febrero febbraio fevereiro februari февраля",
    "march mar märz mrz mars marzo março maart марта",
    "april apr avril abril aprile апреля",
    "may mai mayo maggio maio mei мая",
    "june jun juni juin junio giugno junho июня",
    "july jul juli juillet julio luglio julho июля",
    "august aug août agosto augustus августа",
    "september sep sept septembre septiembre settembre setembro сентября",
    "october oct oktober okt octobre octubre ottobre outubro октября",
    "november nov novembre noviembre novembro ноября",
    "december dec dezember dez décembre diciembre dicembre dezembro декабря",
)
_MONTH = {name: at for at, names in enumerate(_MONTHS, 1) for name in names.split()}
_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_NAMED = later(rf"(?<![^\W\d_])(?:{_NAMES})(?![^\W\d_])", re.IGNORECASE)
_DAY_OF = later(
    rf"(?<![\w.,:/-])(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.|er|º)?\s(?:of |de )?(?P<month>(?!may\b|mar\b){_NAMES})\b\.?"
    r"(?:,? (?:de )?(?P<year>(?:19|20)\d\d))?",
    re.IGNORECASE,
)
_MONTH_DAY = later(
    r"(?<!\bin )(?<!\bIn )(?<!\bim )(?<!\bsince )(?<!\d )(?<![\w.-])"
    r"(?P<month>(?:Jan|Febr?|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\.?|January|February|March|April|August|September|October|November|December)"
    r" (?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\w%]|[:.,]\d|-\d)(?:,? (?P<year>(?:19|20)\d\d)\b)?(?! [a-z]{3,20}s\b)"
)
_FIGURES = later(
    r"(?<![\w./-])(?:(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?!-?\d)|"
    r"(?P<day2>\d{1,2})\.(?P<month2>\d{1,2})\.(?P<year2>(?:19|20)\d\d)(?![\d.]))"
)
_CHINESE = later(r"(?<!\d)(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日号號일]")
_CHINESE_WORDS = later(r"([一二三四五六七八九十]{1,3})月(?:([一二三四五六七八九十]{1,3})[日号號])?")
_CHINESE_MONTH = later(r"(?<!\d)(\d{1,2})\s?[月월]")
_ANY_FIGURES = later(
    r"(?<!\d)(?:((?:19|20)\d\d)[-/.年]\s?(\d{1,2})[-/.月]\s?(\d{1,2})|((?:19|20)\d\d)([01]\d)([0-3]\d))(?!\d)"
    r"(?P<clock>[T _]?\d\d:?\d\d)?"
)
_TURNED = later(
    r"(?<![\d./-])(\d{1,2})(?:[./-](\d{1,2})[./-]((?:19|20)?\d\d)\b(?![./]\d)|/(\d{1,2})(?![\d/])|\.(\d{1,2})\.(?!\d))"
)
_YEAR = later(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_EPOCH = later(r"(?<!\d)(1[0-9]{9})(?:\d{3})?(?!\d)")
_DAY = later(r"(?<![\d:.,])0?(\d{1,2})(?![\d:]|[.,]\d)")
_NOT_READ = later(r"[\u0370-\u03ff\u0590-\u07ff\u0900-\u0fff]")
_RELATIVE = later(
    r"\b(?:today|tonight|tomorrow|yesterday|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:next|last|this|coming|past) "
    r"(?:week|weekend|month)|ago|heute|morgen|gestern|übermorgen|vorgestern|(?:mon|diens|donners|frei|sams|sonn)tags?|"
    r"mittwochs?|(?:nächste|letzte|kommende|diese)\w? (?:woche|wochenende|monat)|hier|demain|mañana|ayer)\b|"
    r"今天|明天|昨天|后天|前天|[上下这本]个?(?:周|星期|礼拜|月)|周[一二三四五六日末]|星期",
    re.IGNORECASE,
)
_STRETCH = later(
    r"(?P<count>\b[^\W\d]{2,20}|[一二两三四五六七八九十半]{1,3}) ?个?"
    r"(?P<unit>days?|weeks?|months?|Tagen?|Wochen?|Monaten?|"
    r"天|周|星期|月)"
)
"""How long something takes, in words."""
_RANGE = later(
    r"\d(?:st|nd|rd|th|[日号.])?(?: [^\W\d]{3,10})?\s?"
    r"(?:[-–—]|to\b|until\b|till\b|through\b|and\b|bis\b|à\b|au\b|al?\b|[到至])\s?\d"
)
_HOLIDAY = later(
    r"\b(?:christmas|xmas|new year|easter|valentine|halloween|thanksgiving|weihnacht\w*|heilig\w*abend|silvester|"
    r"neujahr|ostern|pfingst\w*|noël|navidad|(?:end|middle|mid|beginning|start|first|last day) of|mid-\w+|ende|mitte|"
    r"anfang)\b|春节|国庆|元旦|中秋|月[底初末中]",
    re.IGNORECASE,
)


class Calendar:
    """The days of a source's text, found when they are first asked for."""

    def __init__(self, held: Held) -> None:
        self.text, self.held = held.text, held

    @cached_property
    def days(self) -> set[date]:
        """Days that it has in figures, or with a month's name; without a year as those of `ANY_YEAR`."""
        found: set[date] = set()
        for match in _ANY_FIGURES.finditer(self.text):
            year, month, day = (int(part) for part in match.groups()[:6] if part)
            for one in _day(year, month, day):
                found |= {one + timedelta(by) for by in ((-1, 0, 1) if match["clock"] else (0,))}
        for match in _TURNED.finditer(self.text):
            one, two, year = int(match[1]), int(match[2] or match[4] or match[5]), int(match[3] or ANY_YEAR)
            for month, day in ((two, one), (one, two)):
                found.update(_day(year + 2_000 * (year < 100), month, day))
        for match in _EPOCH.finditer(self.text):
            stamp = datetime.fromtimestamp(int(match[1]), UTC).date()
            found |= {stamp + timedelta(by) for by in (-1, 0, 1)}
        return found | set(self._named())

    def _named(self) -> Iterator[date]:
        for match in (*_NAMED.finditer(self.text), *_CHINESE_MONTH.finditer(self.text)):
            month = _MONTH.get(as_key(match[0])) or int(match[1])
            before = self.text[max(0, match.start() - BESIDE_CHARS) : match.start()].rsplit("\n", 1)[-1]
            after = self.text[match.end() : match.end() + BESIDE_CHARS].split("\n", 1)[0]
            for part in (before, after):
                for found in _DAY.findall(part):
                    yield from _day(ANY_YEAR, month, int(found))
                for value in spelled(part):
                    yield from _day(ANY_YEAR, month, int(value))
        for match in _CHINESE_WORDS.finditer(self.text):
            month, day = (max(map(int, spelled(part)), default=0) if part else 0 for part in match.groups())
            yield from _day(ANY_YEAR, month, day)

    @cached_property
    def years(self) -> set[int]:
        """The years that it names, and those beside them."""
        return {int(year) + by for year in _YEAR.findall(self.text) for by in (-1, 0, 1)}

    @cached_property
    def said(self) -> set[tuple[int, int]]:
        """(month, day) of all days that it has."""
        return {(one.month, one.day) for one in self.days}

    @cached_property
    def open(self) -> bool:
        """Whether it has days that cannot be reckoned: by a holiday, or "tomorrow" without any day."""
        return bool(_HOLIDAY.search(self.text) or (not self.days and _RELATIVE.search(self.text)))

    @cached_property
    def known(self) -> set[tuple[int, int]]:
        """(month, day) of all days that it has or that are reckoned from them."""
        some = sorted(self.days)[-MAX_DAYS:]
        near = range(-NEAR_DAYS, NEAR_DAYS + 1) if _RELATIVE.search(self.text) else range(1)
        far = [size for one in self.held.of("span") for size in one.sizes]
        for match in _STRETCH.finditer(self.text):
            scale = 7.0 if match["unit"][0] in "wW周星" else 30.4375 if match["unit"][0] in "mM月" else 1.0
            far += [value * scale for value in spelled(match["count"])]
        steps = {*near}
        for size in sorted(size for size in set(far) if size < MAX_FAR)[:MAX_STRETCHES]:
            slack = 1 if size < 28 else 2
            steps |= {sign * round(size) + by for sign in (-1, 1) for by in range(-slack, slack + 1)}
        reckoned = {one + timedelta(by) for one in some for by in steps}
        for one, last in pairwise(some) if _RANGE.search(self.text) else ():
            if (last - one).days < NEAR_DAYS:
                reckoned |= {one + timedelta(by) for by in range((last - one).days)}
        return {(one.month, one.day) for one in reckoned}


def _day(year: int, month: int, day: int) -> Iterator[date]:
    with suppress(ValueError, OverflowError):
        yield date(year, month, day)


def misdated(text: str, calendar: Calendar) -> Iterator[str]:
    """Days of a text that the source does not have."""
    if _NOT_READ.search(calendar.text):
        return
    for pattern in (_DAY_OF, _MONTH_DAY, _FIGURES, _CHINESE):
        for match in pattern.finditer(text):
            if not _is_known(match, calendar):
                yield match[0].rstrip(".")


def _is_known(match: re.Match[str], calendar: Calendar) -> bool:
    parts = match.groupdict()
    month, day = _month_day(match)
    year = int(parts.get("year") or parts.get("year2") or 0)
    if year and calendar.years and year not in calendar.years and (month, day) not in calendar.said:
        return False
    return calendar.open or (month, day) in calendar.known or not list(_day(ANY_YEAR, month, day))


def _month_day(match: re.Match[str]) -> tuple[int, int]:
    parts = match.groupdict()
    name = parts.get("month") or parts["month2"] or ""
    month = _MONTH.get(as_key(name.rstrip("."))) or int(name)
    return month, int(parts.get("day") or parts["day2"] or 0)


def days_in(text: str) -> Iterator[tuple[int, int]]:
    """(month, day) of the days that a text names."""
    for pattern in (_DAY_OF, _MONTH_DAY, _FIGURES, _CHINESE):
        for match in pattern.finditer(text):
            yield _month_day(match)
