"""Numbers with units in a summary, held against those of its source: the same, rounded, or invented.

Rules kept here:

- A quantity is known where the source has it, also in another unit (0.25 s are 250 ms), has its number without one, or
  has what it comes to in plain seconds, milliseconds or bytes (`timeout=1800` are 30 minutes).
- One that a single quantity of the source rounds to is a rounded one, also in another unit; the same number in a unit
  that the source does not have it in is a slip.
- A single digit is left alone: people count and guess with it. So is a number that is spelled out in the source. In the
  same words as the source has it in another unit, neither a single digit nor a number known without a unit is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from palimpsest.patterns import later
from palimpsest.summarize.audit.numbers.numerals import spelled
from palimpsest.summarize.sentences import terms

MAX_QUANTITIES = 2_000
"""Quantities of one source that are looked at, the last ones."""
MAX_OPERANDS = 12
"""Numbers of one line that another is reckoned from."""
SAME_SHARE = 1e-6
"""Within this share of each other two sizes are the same."""

_SIZES = (
    ("time", "ns", 1e-9),
    ("time", "µs us", 1e-6),
    ("time", "ms 毫秒 ミリ秒", 1e-3),
    ("time", "s sec secs second seconds 秒 초", 1.0),
    ("time", "min mins minute minutes 分钟 分鐘 분", 60.0),
    ("time", "h hour hours 小时 小時 時間", 3_600.0),
    ("time", "day days 天", 86_400.0),
    ("bytes", "byte bytes", 1.0),
    ("bytes", "kB KB", 1e3),
    ("bytes", "KiB Ki", 1_024.0),
    ("bytes", "MB", 1e6),
    ("bytes", "MiB Mi", 1_024.0**2),
    ("bytes", "GB", 1e9),
    ("bytes", "GiB Gi", 1_024.0**3),
    ("bytes", "TB", 1e12),
    ("share", "% percent", 1.0),
    ("rate", "Hz", 1.0),
    ("rate", "kHz", 1e3),
    ("rate", "MHz", 1e6),
    ("rate", "GHz", 1e9),
    ("calls", "rps qps", 1.0),
    ("length", "px", 1.0),
)
_UNITS = {unit: (kind, scale) for kind, units, scale in _SIZES for unit in units.split()}
_MEASURES = _UNITS | {
    unit: (kind, scale)
    for kind, units, scale in (
        ("time", "Tag Tage Tagen jour jours día días dia dias giorni", 86_400.0),
        ("time", "week weeks Woche Wochen semaine semaines semana semanas settimane", 604_800.0),
        ("time", "month months Monat Monate Monaten mois mes meses mesi", 2_629_800.0),
        ("time", "year years Jahr Jahre Jahren an ans año años ano anos anni", 31_557_600.0),
        ("volume", "ml mL", 1e-3),
        ("volume", "cl cL", 1e-2),
        ("volume", "dl dL", 0.1),
        ("volume", "l L litre litres liter liters Liter litros", 1.0),
        ("mass", "mg", 1e-3),
        ("mass", "g", 1.0),
        ("mass", "kg", 1e3),
        ("distance", "mm", 1e-3),
        ("distance", "cm", 1e-2),
        ("distance", "m", 1.0),
        ("distance", "km", 1e3),
    )
    for unit in units.split()
}
"""Those of daily life too, which other rules judge: here only a slip from one to another."""
_MEASURE = (
    rf"(?:{'|'.join(re.escape(unit) for unit in sorted(_MEASURES, key=len, reverse=True))})(?![A-Za-z0-9_/])"
)
_UNIT = rf"(?:{'|'.join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))})(?![A-Za-z0-9_/])"
_QUANTITY = later(
    r"(?<![\w.,$€£¥/:-])(?P<number>\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,6})?|\d{1,9}(?:\.\d{1,6})?)\s?"
    rf"(?P<unit>{_UNIT})"
)
_MEASURED = later(
    r"(?<![\w.,$€£¥/:-])(?P<number>\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,6})?|\d{1,9}(?:\.\d{1,6})?)\s?"
    rf"(?P<unit>{_MEASURE})"
)
_SIZE = later(r"(?<![\w.,])(\d[\d,_]{0,20}(?:\.\d{1,9})?)(?:\s?(k|m|thousand|million)\b)?", re.IGNORECASE)
_PART = later(
    r"(?<![\w.,/])(\d{1,9})\s?(?:/|out of|of|von|de|sur|di|из)\s?(?:the |den |der )?(\d{1,9})(?![\w/]|[.,]\d)"
)
"""So many of so many."""
SCALE = {"": 1.0, "k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6}
"""What a word behind a number multiplies it by."""
BESIDE_CHARS = 60
"""Beside a quantity, in which the words stand that it is known by."""
_GOES_ON = later(r"[\w.,]")
"""What stands before a part of a number or of a name."""
_CLAUSE = later(r"[.;\n]\s|[。；\n]")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit: `said` as written, `size` in the unit that its kind is reckoned in."""

    said: str
    number: str
    kind: str
    scale: float

    @property
    def size(self) -> float:
        """In the unit of its kind: seconds, bytes, hertz."""
        return float(self.number) * self.scale

    @property
    def figures(self) -> int:
        """How many figures were given: 250 and 0.25 have two, 12.70 has four."""
        bare = self.number if "." in self.number else self.number.rstrip("0")
        return len(bare.replace(".", "").lstrip("0")) or 1


def quantities(text: str) -> Iterator[Quantity]:
    """Every number with a unit, in order."""
    for match in _QUANTITY.finditer(text):
        kind, scale = _UNITS[match["unit"]]
        yield Quantity(match[0], match["number"].replace(",", ""), kind, scale)


def sizes(text: str) -> Iterator[float]:
    """What every number of a text comes to, whatever its unit: 4k and 4,000 are the same, and 37 of 50 are 0.74."""
    for match in _SIZE.finditer(text):
        yield float(match[1].replace(",", "").replace("_", "")) * SCALE[(match[2] or "").lower()]
    for match in _PART.finditer(text):
        if 0 < int(match[1]) < int(match[2]):
            yield int(match[1]) / int(match[2])


def is_judged(one: Quantity) -> bool:
    """Whether there is enough of a quantity to judge it by."""
    is_whole = one.kind == "share" and float(one.number) == 100
    return len(one.number.replace(".", "").lstrip("0")) > 1 and not is_whole


def is_held(one: Quantity, held: Sequence[Quantity], text: str) -> bool:
    """Whether the source, whose quantities are `held`, says it: as it is, in another unit, or without one."""
    if one.said in text or any(is_same(one.size, other.size) for other in held if other.kind == one.kind):
        return True
    bare = rf"(?<![\w.,]){re.escape(one.number)}(?!\.?\d)(?!\s?{_UNIT})"
    return bool(re.search(rf"{bare}(?:(?![A-Za-z%])|(?i:{re.escape(_first_of_unit(one))}))", text))


def is_reckoned(one: Quantity, held: Collection[float]) -> bool:
    """Whether a quantity is one of the source's numbers, whose sizes are `held`, in plain seconds, milliseconds or
    bytes, or as a part of one; the very number in another unit is not.
    """
    if one.kind == "share":
        return any(0 < size < 1 and to_figures(100 * size, one.figures) == float(one.number) for size in held)
    plain = {one.size, one.size * 1_000} if one.kind == "time" else {one.size}
    if not (plain - {float(one.number)}).isdisjoint(held):
        return True
    power = round(math.log(one.scale, 1_000)) if one.kind == "bytes" else 0
    return power > 0 and any(
        float(f"{size / scale:.{one.figures - 1}e}") == float(one.number)
        for scale in (1_000.0**power, 1_024.0**power)
        for size in held
        if 0.5 < size / one.size < 2
    )


def _first_of_unit(one: Quantity) -> str:
    """How a unit may be written shortly: 41 minutes as "41m"."""
    return one.said.lstrip("0123456789., ")[:1]


def is_derived(said: str, line: str) -> bool:
    """Whether a number is the sum, the difference, the product or the share of two others that stand in its line."""
    rest = line.replace(said, " ")
    others = list(dict.fromkeys((*sizes(rest), *(one.size for one in quantities(rest)))))[:MAX_OPERANDS]
    own = next(sizes(said), 0.0)
    figures = len(re.sub(r"[^\d]", "", said).strip("0")) or 1
    is_share = said.endswith(("%", "percent"))
    return any(
        is_same(own, one + other)
        or is_same(own, abs(one - other))
        or is_same(own, one * other)
        or (
            is_share
            and other != 0
            and own in (to_figures(100 * share, figures) for share in (one / other, abs(one / other - 1)))
        )
        for one, other in permutations(others, 2)
    )


def to_figures(number: float, figures: int) -> float:
    """A number rounded to so many figures."""
    return float(f"{number:.{figures - 1}e}")


def rounded(one: Quantity, held: Sequence[Quantity]) -> str:
    """The one quantity of the source that this one was rounded from, or whose unit it got wrong, as it was written; ""
    for none or several.
    """
    like = [other for other in held if other.kind == one.kind]
    fitting = {other.said: other.size for other in like if _rounds(other, one)}
    fitting = fitting or {other.said: other.size for other in like if other.number == one.number}
    return next(iter(fitting)) if len(set(fitting.values())) == 1 else ""


def _rounds(exactly: Quantity, one: Quantity) -> bool:
    return is_same(float(f"{exactly.size / one.scale:.{one.figures - 1}e}"), float(one.number))


def is_same(size: float, other: float) -> bool:
    """Whether two sizes are the same, but for how numbers are kept."""
    return abs(size - other) <= SAME_SHARE * max(abs(size), abs(other))


def slipped(line: str, text: str) -> Iterator[tuple[str, str]]:
    """(quantity, the source's) of a line's quantities that the source has in the same words, but in another unit."""
    for one in _measures(line):
        others = [] if one.said in text else list(_in_other_units(one, text))
        if not others or float(one.number) in set(spelled(text)) or _has_size(one, text):
            continue
        own = set(terms(line.replace(one.said, " ")))
        fitting = {said for said, beside in others if own & set(terms(beside))}
        if len(fitting) == 1:
            yield one.said, fitting.pop()


def _measures(line: str) -> Iterator[Quantity]:
    """The quantities of a line, in units of daily life as well."""
    for match in _MEASURED.finditer(line):
        kind, scale = _MEASURES[match["unit"]]
        yield Quantity(match[0], match["number"].replace(",", ""), kind, scale)


def _in_other_units(one: Quantity, text: str) -> Iterator[tuple[str, str]]:
    """(quantity, words before and behind it) of the places that have a number in another unit of its kind."""
    for found in re.finditer(rf"{re.escape(one.number)}\s?({_MEASURE})", text):
        kind, scale = _MEASURES[found[1]]
        if _GOES_ON.match(text[max(0, found.start() - 1) : found.start()]):
            continue
        if kind == one.kind and scale != one.scale:
            before = text[max(0, found.start() - BESIDE_CHARS) : found.start()]
            behind = text[found.end() : found.end() + BESIDE_CHARS]
            yield found[0], f"{_CLAUSE.split(before)[-1]} {_CLAUSE.split(behind)[0]}"


def _has_size(one: Quantity, text: str) -> bool:
    """Whether a text has what a quantity comes to in any unit, or the number with its unit's first letter."""
    short = rf"(?<![\w.]){re.escape(one.number)}[\s-]?{re.escape(_first_of_unit(one))}"
    return (
        bool(re.search(rf"{short}(?![A-Za-z])|{short}\w{{2,10}}(?<!s)-", text, re.I))
        or is_reckoned(one, set(sizes(text)))
        or any(is_same(one.size, other.size) for other in quantities(text) if other.kind == one.kind)
    )
