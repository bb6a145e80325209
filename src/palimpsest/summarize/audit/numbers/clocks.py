"""Times of day in a summary that its source does not have, nor anything that they are reckoned from.

Rules kept here:

- A time of day is known in any form: of a half day or a whole one, in figures or as a quarter, in a stamp.
- One whose hour or whose minutes a single time of the source has becomes that one. In another zone or at another place
  it is another time, and where the source speaks of earlier and later, any may be right.
- All others are invented, but for whole hours, and what lies so long before or after another as the source tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from palimpsest.patterns import as_key, later
from palimpsest.summarize.audit.numbers.numerals import spelled
from palimpsest.summarize.audit.numbers.quantities import quantities

DAY = 1_440
"""Minutes of a day."""
MAX_STRETCHES = 24
LINE_CHARS = 1_000
"""Of a line, beside a time of day, in which a zone is looked for."""
MAX_PLACES = 200
"""Places of one time that are looked at."""
ZONE_CHARS = 40
"""Beside a time of day, in which its zone or its place is."""

_CLOCK = later(
    r"(?<![\w:./-])(?P<hour>[01]?\d|2[0-3])"
    r"(?::(?P<minute>[0-5]\d)(?![\d:]|\.\d)|\.(?P<minute2>[0-5]\d)(?= (?:Uhr|[ap]\.?m)))"
    r"(?P<half>\s?[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_ANY = later(
    r"(?<!\d)([01]?\d|2[0-3])\s?[:.h：点时](?:\s?Uhr\s)?([0-5]\d)(?!\d)|(?<!\d)([01]\d|2[0-3])([0-5]\d)(?!\d)"
)
_FULL = later(r"(?<![\d:.])([01]?\d|2[0-3])(?:\s?(?:[ap]\.?m\b|Uhr|o'clock|点|h\b))", re.IGNORECASE)
_STAMP = later(r"\d\d:([0-5]\d)(?::\d\d|Z)")
_QUARTERS = later(
    r"\b(?P<part>half past|half|quarter past|quarter to|halb|viertel nach|viertel vor|dreiviertel) (?P<hour>\w{1,6})\b|"
    r"(?P<before>\d{1,2}|[一二两三四五六七八九十]{1,2})点(?P<behind>半|[一三]?刻)",
    re.IGNORECASE,
)
"""A time of day in words: half past six, halb sieben, quarter to six."""
_MINUTES = {"half past": 30, "half": 30, "quarter past": 15, "quarter to": -15, "halb": -30, "viertel nach": 15,
            "viertel vor": -15, "dreiviertel": -15, "半": 30, "刻": 15, "一刻": 15, "三刻": 45}  # fmt: skip
_ZONED = later(
    r"\b(?:UTC|GMT|[A-Z]{1,4}ST|[A-Z]{2}T)\b|(?i:\b(?:time ?zone|zeitzone|ortszeit|local time)\b)|时区|当地|时间"
)
_ZONE = later(
    r"\b(?:UTC|GMT|[A-Z]{1,4}T)\b|(?<=\d)Z\b|(?<=\bin )[A-Z]\w{1,30}|\b[A-Z]\w{1,30}(?= (?:time|[Zz]eit)\b)|"
    r"\b(?:local time|[Oo]rtszeit)\b|[+-]\d\d:?\d\d\b|[\u4e00-\u9fff]{2}(?=时间)"
)
_CLAUSE = later(r"[.;,，。；)\n]|\b\d{1,2}:\d\d\b")
_RECKONED = later(
    r"\b(?:hours?|minutes?|mins?|stunden?|minuten?) (?:\w+ ){0,2}?"
    r"(?:before|earlier|later|after|ahead|früher|später|vor|nach)\b|"
    r"\b(?:postpon|delay|bring forward|push(?:ed)? back|verschieb|verschob)|\bby (?:\w+ ){1,3}?(?:hours?|minutes?)\b|"
    r"(?:小时|分钟)(?:之?前|之?后|以前|以后)|提前|推迟",
    re.I,
)
"""Words by which a time of day is reckoned from another."""


class Clocks:
    """The times of day of a source's text, found when they are first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def told(self) -> set[tuple[int, str]]:
        """(hour, minutes) as people tell them."""
        return {(int(one["hour"]), _minute(one)) for one in _CLOCK.finditer(self.text)}

    @cached_property
    def all(self) -> set[int]:
        """Minutes of the day of all its times, those of a half day twice."""
        found = {
            int(one or three) * 60 + int(two or four) for one, two, three, four in _ANY.findall(self.text)
        }
        found |= {int(hour) * 60 for hour in _FULL.findall(self.text)}
        for match in _QUARTERS.finditer(self.text):
            minutes = _MINUTES[as_key(match["part"] or match["behind"])]
            found |= {(60 * hour + minutes) % DAY for hour in _hours(match["hour"] or match["before"])}
        return found | {(minutes + DAY // 2) % DAY for minutes in found}

    @cached_property
    def reckoned(self) -> set[int]:
        """The same, so long before and after as it tells anywhere."""
        long = sorted({round(one.size / 60) for one in quantities(self.text) if one.kind == "time"})
        long = [minutes for minutes in long if 0 < minutes < DAY][:MAX_STRETCHES]
        steps = {0, *long, *(one + two for one in long for two in long)}
        return {(at + sign * step) % DAY for at in self.all for step in steps for sign in (-1, 1)}

    @cached_property
    def between(self) -> set[int]:
        """Minutes from each to each of its times, and what whole hours leave of them."""
        some = sorted(60 * hour + int(minute) for hour, minute in self.told)[:MAX_STRETCHES]
        found = {abs(one - two) for one in some for two in some}
        return found | {minutes % 60 for minutes in found}

    @cached_property
    def minutes(self) -> set[int]:
        """The minutes of its stamps, whose hours are others elsewhere."""
        return {int(minute) for minute in _STAMP.findall(self.text)}


def mistimed(text: str, clocks: Clocks) -> Iterator[tuple[str, str]]:
    """(time of day, the source's) of those in a text that the source does not have; "" where none is meant."""
    for line in text.splitlines():
        for found in {found[0]: found for found in _CLOCK.finditer(line)}.values():
            right = _meant(found, line, clocks)
            if right is not None:
                yield found[0], right


def _hours(said: str) -> Iterator[int]:
    """The hours that a number in figures or in words says."""
    yield from (int(value) for value in ((float(said),) if said.isdecimal() else spelled(said)) if value < 25)


def _minute(found: re.Match[str]) -> str:
    return found["minute"] or found["minute2"]


def _meant(found: re.Match[str], line: str, clocks: Clocks) -> str | None:
    """The time of the source that a line means by one that is not the source's; "" for none, None where it is right."""
    hour, minute, half = int(found["hour"]), _minute(found), found["half"] or ""
    at, held = 60 * hour + int(minute), {hour, (hour + 12) % 24}
    if not clocks.all or minute == "00" or at in clocks.all or found[0] in clocks.text:
        return None
    if _RECKONED.search(clocks.text):
        return None
    near = [(of, beside) for of, beside in clocks.told if of in held or beside == minute]
    if len(near) == 1:
        of, beside = near[0]
        if _is_elsewhere(line, found, near[0], clocks.text):
            return None
        hour, half = (hour, half) if half and of in held else (of, "")
        return f"{hour:0{len(found['hour'])}d}:{beside}{half}"
    zoned = _ZONED.search(
        line, max(0, found.start() - LINE_CHARS), found.end() + LINE_CHARS
    ) or _ZONED.search(clocks.text)
    known = at in clocks.reckoned or at % 60 in clocks.minutes
    return None if known or (zoned and at % 60 in {one % 60 for one in clocks.all}) else ""


def _is_elsewhere(line: str, at: re.Match[str], told: tuple[int, str], text: str) -> bool:
    """Whether a line names a zone or a place beside a time of day that the source does not name beside its own."""
    same = re.finditer(rf"(?<!\d)0?{told[0]}[:.]{told[1]}(?!\d)", text)
    own = " ".join(_beside(found, text) for _, found in zip(range(MAX_PLACES), same, strict=False))
    return any(
        not re.search(rf"(?<![A-Z]){re.escape(found[0])}", own) for found in _ZONE.finditer(_beside(at, line))
    )


def _beside(found: re.Match[str], text: str) -> str:
    """The words beside a time of day, without what belongs to another."""
    before = _CLAUSE.split(text[max(0, found.start() - ZONE_CHARS) : found.start()])[-1]
    return f"{before}{found[0]}{_CLAUSE.split(text[found.end() : found.end() + ZONE_CHARS])[0]}"
