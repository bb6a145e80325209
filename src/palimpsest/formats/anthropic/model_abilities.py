"""What a Claude model accepts in a request, read off its name.

Names have the forms that people, clouds and routers write: "claude-opus-5-5", "anthropic:claude-sonnet-4.5",
"us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-3-5-sonnet@20240620", "claude-opus-4-8[1m]".
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from palimpsest.lazy_regex import later

Version: TypeAlias = tuple[int, int]

_FAMILIES = ("opus", "sonnet", "haiku", "fable", "mythos")
_REFUSES_SYSTEM_UP_TO: dict[str, Version] = {"": (3, 99), "opus": (4, 7), "sonnet": (5, 0), "haiku": (4, 99)}
"""The newest version of each family that refuses system messages among the messages; "" is a name without family."""
_UNBOUND_UP_TO: dict[str, Version] = {
    "": (3, 99),
    "opus": (5, 0),
    "sonnet": (5, 0),
    "haiku": (4, 99),
    "fable": (5, 0),
    "mythos": (5, 0),
}
"""The newest version of each family whose thinking is not bound to what precedes it."""
_BOUND: dict[str, tuple[Version, ...]] = {
    **dict.fromkeys(("fable", "mythos"), ((5, 1), (5, 2))),
    **dict.fromkeys(("opus", "sonnet", "haiku"), ((5, 5),)),
}
"""The versions whose thinking is known to be bound."""

_COMPACTS_FROM: dict[str, Version] = {
    "opus": (4, 6),
    "sonnet": (4, 6),
    "haiku": (5, 5),
    "fable": (5, 0),
    "mythos": (5, 0),
}
"""The oldest version of each family that compacts on request and reads compaction blocks."""

_MAX_NAME_CHARS = 200
_CLAUDE = later(r"(?:.*[^a-z0-9])?claude[^a-z0-9]+(.*)")
_WORD = later(r"[a-z0-9]+")


def accepts_system_messages(model: str) -> bool:
    """Return whether the model accepts system messages among the messages; True for unknown names."""
    found = _family_and_version(model)
    if found is None:
        return True
    family, version = found
    return version > _REFUSES_SYSTEM_UP_TO.get(family, (0, 0))


def binds_thinking(model: str) -> bool | None:
    """Return whether the model's thinking is valid only behind the same prefix; None if that is unknown."""
    found = _family_and_version(model)
    if found is None:
        return None
    family, version = found
    if version <= _UNBOUND_UP_TO.get(family, (0, 0)):
        return False
    return True if version in _BOUND.get(family, ()) else None


def reads_compactions(model: str) -> bool:
    """Return whether the model reads compaction blocks; True for unknown names."""
    found = _family_and_version(model)
    if found is None:
        return True
    family, version = found
    return bool(family) and version >= _COMPACTS_FROM[family]


def is_same_model(one: str, other: str) -> bool:
    """Return whether two names are of one Claude model, or one of them is unknown."""
    first, second = _family_and_version(one), _family_and_version(other)
    return first is None or second is None or first == second


@lru_cache(maxsize=64)
def _family_and_version(model: str) -> tuple[str, Version] | None:
    """Return the family and version of a Claude model; None for another name, or one without a version."""
    found = _CLAUDE.fullmatch(model[:_MAX_NAME_CHARS].lower())
    if found is None:
        return None
    words = _WORD.findall(found[1])
    family = next((word for word in words if word in _FAMILIES), "")
    start = next((at for at, word in enumerate(words) if _is_number(word)), len(words))
    numbers = [int(word) for word in words[start : start + 1]]
    numbers += [int(word) for word in words[start + 1 : start + 2] if _is_number(word)]
    return (family, (numbers[0], (*numbers, 0)[1])) if numbers else None


def _is_number(word: str) -> bool:
    """Return whether a word is part of a version, and not a date."""
    return word.isdecimal() and len(word) <= 2
