"""Numbers that are told as rough ones: "about 18,400", "in under 3 seconds", "knapp 39 s", "不到 52 秒".

Rules kept here:

- A number that is called rough is right where one of the source's rounds to it, or nearly does; one that is called a
  bound where one of the source's lies within a step of its last figure on the right side of it.
- A number that also stands somewhere as exact is no rough one.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from palimpsest.patterns import later

BEFORE_CHARS, BEHIND_CHARS = 24, 12
NEAR_SHARE = 0.01
"""A rough number may be off by so much of it, though it has more figures."""

_LINK = r"(?: (?:the|a|an|just|only|nur|die|der|das|les?|los|las|de|di))?[\s$€£¥]{0,3}$"
_UNDER = later(
    r"(?:\b(?:under|below|less than|fewer than|up to|at most|nearly|almost|not quite|just short of|"
    r"unter|weniger als|bis zu|höchstens|maximal|fast|knapp|beinahe|moins d[e']|presque|jusqu'à|au plus|"
    r"menos de|casi|hasta|como mucho|quase|até|meno di|quasi|fino a|менее|меньше|почти|до|bijna|minder dan)|"
    rf"<|≤|不到|不足|少于|低于|近|将近|接近|最多|至多|거의){_LINK}",
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


def is_rough(said: str, number: float, text: str, held: Collection[float]) -> bool:
    """Whether a number is called rough or a bound wherever a text says it, and one of the source's, `held` in its unit,
    is what it was made from.
    """
    places = list(re.finditer(rf"(?<![A-Za-z0-9_.,]){re.escape(said)}(?![A-Za-z0-9_]|[.,]\d)", text))
    return bool(places) and all(
        any(_fits(number, step(said, number), value, kind) for value in held)
        for place in places
        for kind in (_kind(text, place),)
    )


def step(said: str, number: float) -> float:
    """How much one of the last figure of a number is that is not zero, as it was written: 100 of 18,400."""
    decimals = re.search(r"\d[.,](\d{1,2}|\d{4,})(?!\d)", said)
    if decimals and number != int(number):
        return 10.0 ** -len(decimals[1])
    whole = str(int(number))
    return 10.0 ** (len(whole) - len(whole.rstrip("0"))) if number else 1.0


def calls_rough(before: str) -> bool:
    """Whether the words before a number call it rough, or a bound."""
    return any(cue.search(before) for cue in (_UNDER, _OVER, _ABOUT))


def _kind(text: str, place: re.Match[str]) -> str:
    before = text[max(0, place.start() - BEFORE_CHARS) : place.start()]
    behind = text[place.end() : place.end() + BEHIND_CHARS]
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
            return number - by <= value <= number
        case "over":
            return number <= value <= number + by
        case "about":
            return abs(value - number) < max(by / 2, NEAR_SHARE * number)
        case _:
            return False
