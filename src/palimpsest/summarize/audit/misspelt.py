"""Which of a source's names a name of a summary is a misspelling of.

Rules kept here:

- Names are alike as wholes and part for part: in a long path another file's name is a small part.
- Numbers are not misspelt: a short name with other digits is another one, and so is a path or a host.
- Where two names are about as near, neither is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from palimpsest.patterns import later

LEAST_CHARS = 6
"""Shorter names are never taken for misspellings."""
LIKE_SHARE = 0.86
"""From this likeness on, a name is taken for a misspelling of another."""
PART_CHARS, PART_SHARE = 4, 0.75
"""A part of a path or a host that is at least so long, and so like another, is taken for a misspelling of it."""
MAX_LIKE = 400
SURE_CHARS = 20
"""A shorter name that differs from another in its digits alone is another name."""

_DIGITS = later(r"\d+")
_PARTS = later(r"[/\\.:?&=@]")


def alike(name: str, others: Sequence[str], *, same_numbers: bool = False) -> str:
    """The only one of the others that is nearly the same; "" for short names, and where only digits differ. With
    `same_numbers`, for names of several parts, no number of it may differ, and no part be another.
    """
    if len(name) < LEAST_CHARS:
        return ""
    if same_numbers:
        numbers = _DIGITS.findall(name)
        others = [other for other in others if _DIGITS.findall(other)[: len(numbers)] == numbers]
    if len(name) < SURE_CHARS:
        others = [other for other in others if _DIGITS.sub("", other) != _DIGITS.sub("", name)]
    near: dict[str, float] = {}
    for other in list(dict.fromkeys(others))[-MAX_LIKE:]:
        if abs(len(other) - len(name)) > max(4, len(name) // 4):
            continue
        likeness = SequenceMatcher(None, name, other, autojunk=False)
        if likeness.real_quick_ratio() < LIKE_SHARE or (ratio := likeness.ratio()) < LIKE_SHARE:
            continue
        if not same_numbers or _in_parts(name, other):
            near[other] = ratio
    best = sorted(near, key=lambda other: -near[other])
    return best[0] if len(best) == 1 or (best and near[best[0]] - near[best[1]] > 0.05) else ""


def _in_parts(name: str, other: str) -> bool:
    """Whether two names of several parts differ by misspelt parts alone: in a long path `paixu.py` is nearly all of
    `fenpei.py`, and so is another host of one domain, but it is another one.
    """
    ours, theirs = _PARTS.split(name), _PARTS.split(other)
    return len(ours) == len(theirs) and all(
        one == two or (min(len(one), len(two)) >= PART_CHARS and _likeness(one, two) >= PART_SHARE)
        for one, two in zip(ours, theirs, strict=True)
    )


def _likeness(one: str, two: str) -> float:
    return SequenceMatcher(None, one, two, autojunk=False).ratio()
