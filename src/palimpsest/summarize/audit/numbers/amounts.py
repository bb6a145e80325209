"""Amounts of money, weights, lengths and the like in a summary, held against its source.

Rules kept here:

- An amount is known where the source has its number, in figures or in words, with whatever unit, or has it in another
  unit, or where it is reckoned from the source's numbers: sums, differences, shares, so many times so much.
- One that a single amount of the source rounds to, or that has its figures in another order, becomes that one. Beside
  "about" a rounded one is right. All other amounts are invented.
- A single figure is left alone. So is a unit of one letter where the source measures nothing of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from palimpsest.patterns import later
from palimpsest.summarize.audit.numbers.numerals import FIGURES, TIMES, figures, readings, spelled, values
from palimpsest.summarize.audit.numbers.quantities import quantities
from palimpsest.summarize.audit.numbers.reckoning import multiplied, shared, summed
from palimpsest.summarize.sentences import terms

MAX_HELD = 2_000
"""Amounts of one source that are looked at, the last ones."""
MAX_OPERANDS = 40
MAX_PRICED = 60
"""Numbers behind the name of a price."""
MAX_PLAIN = 24
"""Other numbers that an amount may be reckoned from."""
SHORT_VALUES = 80
"""Numbers that a short source has."""
LINE_CHARS = 2_000
WHOLE, SLACK = 0.5001, 0.05
"""By how much of its last place a number may be rounded, and a whole one that is reckoned and not called about."""
MIN_TURNED = 3
"""Figures that nobody reckons in another order by chance."""
CLOSE_SHARE = 0.1
"""Beside "about", a number may be off by so much of it."""

_SIZES = (
    ("mass", "µg mcg", 1e-6),
    ("mass", "mg", 1e-3),
    ("mass", "g gram grams Gramm 克", 1.0),
    ("mass", "kg kilo kilos kilogram kilograms Kilo Kilos Kilogramm 公斤 千克", 1e3),
    ("mass", "t tonne tonnes Tonne Tonnen 吨", 1e6),
    ("mass", "斤", 500.0),
    ("mass", "lb lbs", 453.592),
    ("mass", "oz", 28.3495),
    ("length", "mm 毫米", 1e-3),
    ("length", "cm 厘米", 1e-2),
    ("length", "m meter meters metre metres Meter Metern 米", 1.0),
    ("length", "km kilometer kilometers kilometre kilometres Kilometer Kilometern 公里 千米", 1e3),
    ("length", "mile miles", 1_609.344),
    ("length", "ft", 0.3048),
    ("volume", "ml", 1e-3),
    ("volume", "cl", 1e-2),
    ("volume", "l L liter liters litre litres Liter Litern 升", 1.0),
    ("pressure", "mbar hPa", 1e-3),
    ("pressure", "kPa", 1e-2),
    ("pressure", "bar", 1.0),
    ("pressure", "psi", 0.0689476),
    ("energy", "Wh", 1.0),
    ("energy", "kWh 度电", 1e3),
    ("energy", "MWh", 1e6),
    ("food", "kcal", 1.0),
    ("food", "kJ", 0.239006),
    ("voltage", "mV", 1e-3),
    ("voltage", "V", 1.0),
    ("voltage", "kV", 1e3),
    ("current", "mA", 1e-3),
    ("current", "A", 1.0),
    ("power", "W", 1.0),
    ("power", "kW", 1e3),
    ("power", "MW", 1e6),
    ("sound", "dB dBA", 1.0),
    ("speed", "km/h kmh kph", 1.0),
    ("speed", "m/s", 3.6),
    ("speed", "mph", 1.609344),
    ("heat", "°C", 1.0),
    ("heat", "°F", 1.0),
    ("span", "day days Tag Tage Tagen 天", 1.0),
    ("span", "week weeks Woche Wochen 周 个星期", 7.0),
    ("span", "month months Monat Monate Monaten 个月", 30.4375),
    ("span", "year years Jahr Jahre Jahren", 365.25),
    ("money", "€ $ £ ¥ EUR USD GBP CHF JPY CNY RMB euro euros Euro dollar dollars yuan 元 块 欧元 美元", 1.0),
)
_UNITS = {unit: (kind, scale) for kind, units, scale in _SIZES for unit in units.split()}
_COMBINED = frozenset(("power", "energy", "speed"))
"""What two amounts of other kinds make: volts and amperes are watts."""
_HALVES = frozenset((0.5, 1.5, 2.5))
_LEFT_TO_OTHERS = frozenset("day days Tag Tage Tagen 天".split())
_COINS = r"(?:(?:US|C|A)?\$|[€£¥]|EUR|USD|GBP|CHF|CNY|RMB)"
_TIMES = r"(?:k|K|M|bn|mn|Mio\.?|Mrd\.?|[Mm]illion(?:en)?|[Bb]illion|[Tt]housand|[Tt]ausend|[万亿])"
UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_AMOUNT = later(
    rf"(?<![A-Za-z0-9_.,:/#-])(?:(?P<coin>{_COINS})\s?(?P<priced>{FIGURES})(?P<by>\s?{_TIMES})?(?![\w])|"
    rf"(?P<number>{FIGURES})(?P<times>\s?{_TIMES}(?![a-z]))?[\s\u00a0-]?(?P<unit>{UNIT})(?![A-Za-z0-9_²³]|/[a-z]))"
)
_ABOUT = later(
    r"(?:\b(?:about|around|approx\w*\.?|roughly|nearly|almost|some|circa|ca\.?|over|more than|less than|under|up to|"
    r"at least|at most|etwa|rund|ungefähr|fast|knapp|gut|über|unter|mehr als|weniger als|bis zu|mindestens|"
    r"höchstens)|[~≈<>]|约|大约|近|超过|不到|将近|至少|最多)(?: (?:the|a|an|die|der|das))?\s?$",
    re.IGNORECASE,
)
ABOUT_CHARS = 24
_PRICE = later(
    r"pric|cost|amount|fee\b|fare|total|balance|fund|paid|pay|preis|kosten|betrag|gebühr|prix|precio|[价费额]",
    re.IGNORECASE,
)
_BARE = later(rf"(?<![\w.,-])(?P<raw>{FIGURES})(?![\w%/-])")
PRICE_CHARS = 120
"""Behind the name of a price, in which numbers without a currency are prices, as results of tools have them."""
_WORD = later(r"(?<![A-Za-z0-9_.:/-])[A-Za-z_.:/-]*\d[A-Za-z0-9_.:/-]*")
_NAMED = later(r"[A-Za-z_]\d|\d[:/-]\d|\d\.\d+\.")
"""What tells that a number belongs to a name, a time, a day or a version."""
_PERCENT = later(rf"(?<![\d.,])({FIGURES})\s?(?:%|percent|per cent|Prozent)")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit: `said` as written, `raw` its figures, `sizes` what it may come to in the unit of its
    kind.
    """

    said: str
    raw: str
    kind: str
    unit: str
    scale: float
    times: float

    @property
    def numbers(self) -> tuple[float, ...]:
        """What its figures may come to, in its own unit."""
        return tuple(value * self.times for value in readings(self.raw))

    @property
    def sizes(self) -> tuple[float, ...]:
        return tuple(in_kind(value, self.unit, self.scale) for value in self.numbers)

    @property
    def figures(self) -> str:
        """Its figures without signs and without zeros at the ends."""
        return re.sub(r"\D", "", self.raw).strip("0")

    @property
    def is_single(self) -> bool:
        """Whether it has one figure alone, with which people count and guess."""
        return len(re.sub(r"\D", "", self.raw).lstrip("0")) < 2


def in_kind(value: float, unit: str, scale: float) -> float:
    """What a value in a unit comes to in the unit of its kind."""
    return (value - 32) / 1.8 if unit == "°F" else value * scale


def in_unit(size: float, unit: str, scale: float) -> float:
    """What a size in the unit of its kind comes to in a unit."""
    return size * 1.8 + 32 if unit == "°F" else size / scale


def amounts(text: str) -> Iterator[Amount]:
    """Every amount of a text, in order."""
    for match in _AMOUNT.finditer(text):
        unit = match["unit"] or "€"
        kind, scale = _UNITS[unit]
        times = (match["times"] or match["by"] or "").strip().rstrip(".").lower()
        yield Amount(match[0], match["number"] or match["priced"], kind, unit, scale, TIMES[times])


class Held:
    """What a source's text has to hold amounts against, found when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def values(self) -> set[float]:
        """What its numbers come to, with units and without."""
        return {*figures(self.text), *self.spelled}

    @cached_property
    def spelled(self) -> set[float]:
        """Its numbers in words."""
        return set(spelled(self.text))

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        return tuple(dict.fromkeys(amounts(self.text)))[-MAX_HELD:]

    def of(self, kind: str) -> list[Amount]:
        return [one for one in self.amounts if one.kind == kind]

    @cached_property
    def shares(self) -> set[float]:
        """Its percentages, as parts of one."""
        return {value / 100 for match in _PERCENT.finditer(self.text) for value in readings(match[1])}

    @cached_property
    def stretches(self) -> set[float]:
        """The numbers of its times: eight hours, three nights."""
        return {float(one.number) for one in quantities(self.text) if one.kind == "time"}

    @cached_property
    def priced(self) -> tuple[float, ...]:
        """Its prices without a currency."""
        found = dict.fromkeys(value for raw in dict.fromkeys(self._priced()) for value in readings(raw))
        return tuple(found)[-MAX_PRICED:]

    def _priced(self) -> Iterator[str]:
        end = 0
        for named in _PRICE.finditer(self.text):
            start, end = max(end, named.end()), max(end, named.end() + PRICE_CHARS)
            yield from (match["raw"] for match in _BARE.finditer(self.text, start, end))

    @cached_property
    def counts(self) -> set[float]:
        """The numbers of its amounts that are no money: five pounds of a thing, twelve metres."""
        return {number for one in self.amounts if one.kind != "money" for number in one.numbers}

    def beside(self, line: str) -> set[float]:
        """The numbers without units that an amount of a line may be reckoned from: all of a short source, else those of
        the lines that share a word with it.
        """
        if len(self.values) <= SHORT_VALUES:
            return set(sorted((figures(_bare(self.text)) | self.spelled) - _HALVES)[:MAX_PLAIN])
        own = set(terms(line))
        found: set[float] = set()
        for other in self.text.splitlines():
            if own.intersection(terms(other[:LINE_CHARS])) and len(found) < MAX_PLAIN:
                found |= values(_bare(other[:LINE_CHARS]))
        return set(sorted(found - _HALVES)[:MAX_PLAIN])


def _bare(text: str) -> str:
    """A text without what its numbers belong to: units, clocks, days, names."""
    return _AMOUNT.sub(" ", _WORD.sub(lambda word: " " if _NAMED.search(word[0]) else word[0], text))


def judged(line: str, held: Held) -> Iterator[tuple[str, str | None]]:
    """(what a line says, the source's form) of its amounts; None for what is known, "" for what the source has in no
    form.
    """
    known: list[Amount] = []
    for match in _AMOUNT.finditer(line):
        one = next(amounts(match[0]), None)
        if one and one.unit not in _LEFT_TO_OTHERS:
            about = bool(_ABOUT.search(line[max(0, match.start() - ABOUT_CHARS) : match.start()]))
            right = _judged(one, line, held, known, about=about)
            known += () if right is not None else (one,)
            yield one.said, right


def _judged(one: Amount, line: str, held: Held, known: Sequence[Amount], *, about: bool) -> str | None:
    """What the source has in place of an amount; `known` are those before it in its line."""
    if one.is_single or not held.values.isdisjoint(one.numbers):
        return None
    others = held.of(one.kind)
    if len(one.unit) == 1 and one.unit.isascii() and one.unit.isalpha() and not others:
        return None
    elsewhere = [
        size for other in others if other.scale != one.scale or other.unit != one.unit for size in other.sizes
    ]
    ranges = _ranges(one)
    if any(low <= in_unit(size, one.unit, one.scale) <= high for size in elsewhere for low, high in ranges):
        return None
    if swapped := _swapped(one, others):
        return swapped
    known = [other for other in known if other.kind == one.kind]
    if _is_reckoned(one, (*others, *known), held.beside(line), held, slack=WHOLE if about else SLACK):
        return None
    near = [size for other in others for size in other.sizes]
    if about and any(abs(size - own) <= CLOSE_SHARE * abs(own) for size in near for own in one.sizes):
        return None
    return _meant(one, others)


def _ranges(one: Amount, slack: float = WHOLE) -> list[tuple[float, float]]:
    """From where to where an amount's number may have been rounded, in its own unit: a whole one by `slack`."""
    digits = float(re.sub(r"\D", "", one.raw))
    found: list[tuple[float, float]] = []
    for value in readings(one.raw):
        off = slack if value == digits else WHOLE * 10.0 ** -len(re.split(r"[.,]", one.raw)[-1])
        found.append(((value - off) * one.times, (value + off) * one.times))
    return found


def _is_reckoned(
    one: Amount, others: Sequence[Amount], plain: Collection[float], held: Held, *, slack: float
) -> bool:
    """Whether a number comes to what the source's numbers make together."""
    some = sorted({in_unit(size, one.unit, one.scale) for other in others for size in other.sizes})
    plain = sorted(value for value in plain if value)
    by = {*plain, *sorted(held.stretches)[:MAX_PLAIN]}
    is_money = one.kind == "money"
    if is_money:
        some = sorted({*some[-MAX_OPERANDS:], *held.priced})
        by |= set(sorted(held.counts)[:MAX_PLAIN])
    some = some[-MAX_OPERANDS:]
    made = (
        summed(some, plain if others or is_money else ()),
        shared((*some, *plain), sorted(held.shares)[:MAX_PLAIN]),
        multiplied(some, by, is_money=is_money),
        (in_unit(size, one.unit, one.scale) for size in _combined(one, held.amounts)),
    )
    ranges = _ranges(one, slack)
    return any(low <= result <= high for results in made for result in results for low, high in ranges)


def _combined(one: Amount, every: Sequence[Amount]) -> Iterator[float]:
    """What two amounts of two other kinds make: volts and amperes are watts."""
    others = (
        [other for other in every if other.kind != one.kind][-MAX_OPERANDS:] if one.kind in _COMBINED else []
    )
    for first, second in combinations(others, 2):
        left, right = first.sizes[0], second.sizes[0]
        if first.kind != second.kind and left and right:
            yield from (left * right, left / right, right / left)


def _meant(one: Amount, others: Sequence[Amount]) -> str:
    """The one amount of the source in the same unit that this one was rounded from, or whose figures it has in another
    order.
    """
    rounded = {
        other.raw
        for other in _same(one, others)
        if len(one.figures) > 1
        and any(_rounds(value, number) for value in other.numbers for number in one.numbers)
    }
    fitting = rounded or _turned(one, others)
    return one.said.replace(one.raw, fitting.pop()) if len(fitting) == 1 else ""


def _swapped(one: Amount, others: Sequence[Amount]) -> str:
    """The one amount whose figures, three at least, this one has in another order, and that is no sum of others."""
    fitting = _turned(one, others) if len(one.figures) >= MIN_TURNED else set[str]()
    some = [value for other in _same(one, others) for value in other.numbers][-MAX_OPERANDS:]
    if len(fitting) != 1 or any(
        abs(made - value) < SLACK for made in summed(some, ()) for value in one.numbers
    ):
        return ""
    return one.said.replace(one.raw, fitting.pop())


def _same(one: Amount, others: Sequence[Amount]) -> list[Amount]:
    """Those in the same unit."""
    return [
        other
        for other in others
        if (other.unit, other.scale, other.times) == (one.unit, one.scale, one.times)
    ]


def _turned(one: Amount, others: Sequence[Amount]) -> set[str]:
    """The figures of those in the same unit that have them in another order."""
    return {
        other.raw
        for other in _same(one, others)
        if other.raw != one.raw and _shape(other.raw) == _shape(one.raw)
    }


def _rounds(exactly: float, number: float) -> bool:
    figures = len(f"{number:.6f}".rstrip("0").replace(".", "").strip("0")) or 1
    return exactly != number and abs(float(f"{exactly:.{figures - 1}e}") - number) <= 1e-9 * abs(number)


def _shape(raw: str) -> tuple[str, str]:
    """The figures of a number in order of size, and where signs stand in it."""
    return "".join(sorted(re.sub(r"\D", "", raw))), re.sub(r"\d", "0", raw)
