"""Numbers that are told as rough ones: "about 18,400", "in under 3 seconds", "knapp 39 s", "不到 52 秒".

Rules kept here:

- A number that is called rough is right where one of the source's rounds to it, or nearly does, and is no tenth off;
  one that is called a bound where one of the source's lies within a step of its last figure on the right side of
  it, and is no fifth off.
- The source's number has the same unit. Of numbers without one, it is of the same thing: a word of what it counts
  stands beside the other too. 1187 requests make no 1,000 errors.
- A number that also stands somewhere as exact is no rough one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator
from heapq import nsmallest

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.sentences import terms

BEFORE_CHARS, BEHIND_CHARS = 24, 12
NEAR_SHARE, MOST_SHARE = 0.01, 0.1
"""A rough number may be off by so much of it, though it has more figures; and by no more, though it has fewer."""
BOUND_SHARE = 0.2
"""So far from a bound may lie what it bounds."""
BESIDE_CHARS = 60
"""Beside a number, in which the words stand that say what it counts."""
MAX_NEAR, MAX_PLACES = 12, 40
"""Numbers that are looked up in the source, the nearest; and places of each."""

_LINK = r"(?: (?:the|a|an|just|only|nur|die|der|das|les?|los|las|de|di))?[\s$€£¥]{0,3}$"
_UNDER = later(
    r"(?:\b(?:under|below|less than|fewer than|up to|at most|unter|weniger als|bis zu|höchstens|maximal|moins d[e']|"
    r"jusqu'à|au plus|menos de|hasta|como mucho|até|meno di|fino a|менее|меньше|до|minder dan)|"
    rf"<|≤|不到|不足|少于|低于|最多|至多){_LINK}",
    re.IGNORECASE,
)
_NEARLY = later(
    r"(?:\b(?:nearly|almost|not quite|just short of|fast|knapp|beinahe|presque|casi|quase|quasi|почти|bijna)|"
    rf"近|将近|接近|거의){_LINK}",
    re.IGNORECASE,
)
_OVER = later(
    r"(?:\b(?:(?:just |well )?over|above|more than|at least|upwards of|über|mehr als|mindestens|gut|"
    r"plus d[e']|au moins|más de|al menos|mais de|pelo menos|più di|oltre|almeno|более|больше|свыше|meer dan)|"
    rf">|≥|超过|超過|多于|高于|至少|逾){_LINK}",
    re.IGNORECASE,
)
_ABOUT = later(
    r"(?:\b(?:about|around|roughly|approx\w*\.?|some|circa|ca\.?|close to|etwa|rund|ungefähr|gegen|um die|"
    r"environ|à peu près|près de|autour de|quelque|unos|unas|cerca de|alrededor de|aproximadamente|cerca|uns|umas|"
    rf"all'incirca|около|примерно|приблизительно|ongeveer)|[~≈∼〜～]|大约|大概|大致|约|約|およそ|ほぼ|약|대략){_LINK}",
    re.IGNORECASE,
)
_OVER_BEHIND = later(r"\s?(?:or more|\+|\w{0,2}以上|余|多[条个名次秒])", re.I)
_UNDER_BEHIND = later(r"\s?(?:or less|or fewer|\w{0,2}(?:以内|以下|未満|弱))", re.I)
_ABOUT_BEHIND = later(r"\s?(?:or so|odd|\w{0,2}(?:左右|上下|前[后後]|程度|くらい|ぐらい|ほど)|정도)", re.I)


LAST_LATIN = "\u024f"
_PART_END = later(r"[.,;:!?](?=\s)|[;|\n。，；、！？]|(?<![\w-])\d[\d.,_]*(?!\w)")
"""Where what stands beside a number ends: at a sign, or at another number."""
_NEXT_NAME = later(r"[\w-]{1,30}\s?[:=]")
"""Behind a number, the name of the next one."""


def is_rough(said: str, number: float, text: str, held: Collection[float]) -> bool:
    """Whether a number is called rough or a bound wherever a text says it, and one of the source's, `held` in its unit,
    is what it was made from.
    """
    places = list(_places(said, text)) if math.isfinite(number) else []
    return bool(places) and all(
        any(_fits(number, step(said, number), value, kind) for value in held)
        for place in places
        for kind in (_kind(text, place),)
    )


def is_rough_count(said: str, number: float, text: str, source: str, held: Iterable[str]) -> bool:
    """As `is_rough`, of a number without a unit: `held` are the source's numbers as it writes them."""
    places = [(place, _kind(text, place)) for place in _places(said, text)] if math.isfinite(number) else []
    if not places or not all(kind for _, kind in places):
        return False
    by = step(said, number)
    values = ((abs(_value(one) - number), one) for one in held)
    near = nsmallest(MAX_NEAR, ((off, one) for off, one in values if off <= BOUND_SHARE * number))
    told = {one: list(_told(one, source)) for _, one in near}
    return all(
        any(
            _fits(number, by, _value(one), kind) and any(_may_be_of(words, beside) for words in told[one])
            for _, one in near
        )
        for place, kind in places
        for beside in (frozenset(terms(" ".join(_beside(text, place)))),)
    )


def step(said: str, number: float) -> float:
    """How much one of the last figure of a number is that is not zero, as it was written: 100 of 18,400."""
    decimals = re.search(r"\d[.,](\d{1,2}|\d{4,})(?!\d)", said)
    if not number or not math.isfinite(number):
        return 1.0
    if decimals and number != int(number):
        return 10.0 ** -len(decimals[1])
    whole = str(int(number))
    return 10.0 ** (len(whole) - len(whole.rstrip("0")))


def calls_rough(before: str) -> bool:
    """Whether the words before a number call it rough, or a bound."""
    return any(cue.search(before) for cue in (_UNDER, _NEARLY, _OVER, _ABOUT))


def _places(said: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![A-Za-z0-9_.,]){re.escape(said)}(?![A-Za-z0-9_]|[.,]\d)", text)


def _value(said: str) -> float:
    return float(said.replace(",", "").replace("_", ""))


def _told(said: str, source: str) -> Iterator[frozenset[str]]:
    """What a number of the source counts, wherever it stands: the words behind it, else those before it."""
    for at, place in enumerate(_places(said, source)):
        if at == MAX_PLACES:
            return
        before, behind = _beside(source, place)
        yield frozenset(terms(behind) or terms(before))


def _beside(text: str, place: re.Match[str]) -> tuple[str, str]:
    """What stands before and behind a number and belongs to it."""
    before = text[max(0, place.start() - BESIDE_CHARS) : place.start()]
    behind = text[place.end() : place.end() + BESIDE_CHARS]
    behind = _PART_END.split(behind)[0]
    if named := _NEXT_NAME.search(behind):
        behind = behind[: named.start()]
    return _PART_END.split(before)[-1], behind


def _may_be_of(told: frozenset[str], words: frozenset[str]) -> bool:
    """Whether words name what a number counts, or do so in another script, where nobody can tell."""
    apart = told and words and any(map(_is_latin, words)) != any(map(_is_latin, told))
    return bool(apart or with_forms(words, told))


def _is_latin(word: str) -> bool:
    return max(word) <= LAST_LATIN


def _kind(text: str, place: re.Match[str]) -> str:
    before = text[max(0, place.start() - BEFORE_CHARS) : place.start()]
    behind = text[place.end() : place.end() + BEHIND_CHARS]
    if _NEARLY.search(before):
        return "nearly"
    for kind, ahead, after in (
        ("under", _UNDER, _UNDER_BEHIND),
        ("over", _OVER, _OVER_BEHIND),
        ("about", _ABOUT, _ABOUT_BEHIND),
    ):
        if ahead.search(before) or after.match(behind):
            return kind
    return ""


def _fits(number: float, by: float, value: float, kind: str) -> bool:
    match kind:
        case "under":
            return number - min(by, BOUND_SHARE * number) <= value <= number
        case "nearly":
            return number - min(by, MOST_SHARE * number) <= value <= number
        case "over":
            return number <= value <= number + min(by, BOUND_SHARE * number)
        case "about":
            return abs(value - number) <= min(max(by / 2, NEAR_SHARE * number), MOST_SHARE * number)
        case _:
            return False
