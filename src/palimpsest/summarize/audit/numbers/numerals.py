"""What numbers of a text come to, however they are written: 1,140 and 1.140, thirty-five, zweihundert, 三百二十.

Rules kept here:

- Which sign parts the thousands differs by language. A number that can be read in two ways has both values.
- Words are read in English, German and Chinese, small ones in other languages. A half makes a number and a half of
  what stands beside it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later

FIGURES = r"(?:\d{1,3}(?:[.,'’\u00a0\u202f]\d{3}){1,4}(?!\d)(?:[.,]\d{1,6})?|\d{1,15}(?:[.,]\d{1,6})?)"
"""A number in figures, with whatever signs in it."""
_FIGURES = later(rf"(?<![\d.,])(?P<raw>{FIGURES})(?P<times>\s?(?:k|K|M|[Mm]io\b|million|thousand|[万亿]))?")
_THOUSANDS = later(r"\d{1,3}([.,'’\u00a0\u202f])\d{3}(?:\1\d{3})*")
TIMES = {"": 1.0, "k": 1e3, "thousand": 1e3, "tausend": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6,
         "millionen": 1e6, "bn": 1e9, "billion": 1e9, "mrd": 1e9, "milliarden": 1e9, "万": 1e4, "亿": 1e8}  # fmt: skip
"""What a word behind a number multiplies it by."""

_SMALL: dict[str, int] = {
    word: number
    for row in (
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ),
        (
            "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
            "siebzehn achtzehn neunzehn"
        ),
    )
    for number, word in enumerate(row.split())
} | {"eins": 1, "a": 1, "an": 1, "once": 1, "twice": 2, "thrice": 3, "dozen": 12}
_ELSEWHERE: dict[str, int] = {
    word: number
    for row in (
        "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis",
        "dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis",
        "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici",
        "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien",
    )
    for number, word in enumerate(row.split(), 2)
}
"""Words that are numbers by themselves in French, Spanish, Portuguese, Italian and Dutch."""
_TENS: dict[str, int] = {
    word: 10 * number
    for row in (
        "twenty thirty forty fifty sixty seventy eighty ninety",
        "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    )
    for number, word in enumerate(row.split(), 2)
}
_GREAT: dict[str, int] = {"hundred": 100, "hundert": 100, "thousand": 1_000, "tausend": 1_000}
_PART = "|".join(sorted({*_SMALL, *_TENS, *_GREAT} - {"a", "an"}, key=len, reverse=True))
_WORDS = later(rf"\b(?:(?:an? )?(?:{_PART})(?:e[nrms]?\b)?(?:[ -]|und| and )?){{1,8}}", re.IGNORECASE)
_PARTS = later(rf"\ban?\b|{_PART}", re.IGNORECASE)
_WORD = later(r"[a-zéêèá]{3,12}")
_HALF = later(r"\bhal(?:f|b)|anderthalb|半", re.IGNORECASE)
_CHINESE = later(r"[零〇一二两三四五六七八九十百千万]{1,12}")
_DIGITS: dict[str, int] = {sign: at for at, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_POWERS: dict[str, int] = {"十": 10, "百": 100, "千": 1_000}


def readings(raw: str) -> tuple[float, ...]:
    """What a number in figures may come to: one value, or two where its one sign parts thousands or decimals."""
    bare = re.sub(r"['’\u00a0\u202f]", "", raw)
    signs = [sign for sign in bare if sign in ".,"]
    if not signs:
        return (float(bare),)
    if len(set(signs)) == 2 or (len(signs) == 1 and not _THOUSANDS.fullmatch(raw)):
        whole, _, rest = bare.rpartition(signs[-1])
        return (float(f"{re.sub(r'[.,]', '', whole)}.{rest}"),)
    plain = float(re.sub(r"[.,]", "", bare))
    return (plain,) if len(signs) > 1 else (plain, float(bare.replace(",", ".")))


def values(text: str) -> set[float]:
    """All that the numbers of a text come to, in figures and in words."""
    return {*figures(text), *spelled(text)}


def figures(text: str) -> set[float]:
    """What the numbers in figures of a text come to."""
    return {
        value * TIMES[times.strip().lower()]
        for raw, times in set(_FIGURES.findall(text))
        for value in readings(raw)
    }


def spelled(text: str) -> Iterator[float]:
    """What the numbers in words of a text come to."""
    for match in _WORDS.finditer(text):
        yield from _spoken(_PARTS.findall(match[0].lower()))
    yield from {float(_ELSEWHERE[word]) for word in set(_WORD.findall(text.lower())) & _ELSEWHERE.keys()}
    for match in _CHINESE.finditer(text) if not text.isascii() else ():
        yield float(_chinese(match[0]))
    if _HALF.search(text):
        yield from (0.5, 1.5, 2.5)


def _spoken(parts: list[str]) -> Iterator[float]:
    """The whole number that words make, and each of those that merely stand beside each other."""
    total, now = 0, 0
    for part in parts:
        if part in _GREAT:
            now = max(now, 1) * _GREAT[part]
            total, now = (total + now, 0) if _GREAT[part] == 1_000 else (total, now)
        else:
            now += _SMALL.get(part, 0) or _TENS.get(part, 0)
            yield float(_SMALL.get(part, 0) or _TENS.get(part, 0))
    yield float(total + now)


def _chinese(text: str) -> int:
    total, part, digit = 0, 0, 0
    for sign in text:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign == "万":
            total, part, digit = (total + part + digit) * 10_000, 0, 0
        else:
            part, digit = part + (digit or 1) * _POWERS[sign], 0
    return total + part + digit
