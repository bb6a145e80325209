"""Reading a simple command line by what its command declares, without the library that reads all others.

Simple is a line whose options are whole words followed by their values (`--limit 5`), once each, and whose values are
what the command takes. Every other line is left to the library: help, abbreviations, `--limit=5`, values that begin
with a hyphen, and everything that is wrong, so that there is one place that says what is wrong. A test holds that a
line that is read here is read by the library to the same values.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import Any, get_args

from palimpsest.cli.declarations import Taken

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_FOUND_BY_SYSTEM = frozenset("*?[$%~")
"""Where a shell does not look for files and variables in a word (Windows), the library does."""

Parameter = tuple[str, Taken, type, object]
"""Name, declaration, type and default, `inspect.Parameter.empty` where there is none."""


def values_of(command: Callable[..., None], words: Sequence[str]) -> dict[str, object] | None:
    """The arguments that a line's words, without the command's name, are for a command; None for one that is not
    simple, and for a command that declares otherwise.
    """
    if os.name == "nt" and any(_FOUND_BY_SYSTEM.intersection(word) for word in words):
        return None
    taken = _parameters(command)
    if taken is None:
        return None
    options = {spelled: one for one in taken for spelled in one[1].names}
    places = iter([one for one in taken if not one[1].names])
    values: dict[str, object] = {}
    waiting = iter(words)
    for word in waiting:
        one = options.get(word)
        if one is None:
            one = next(places, None)
            value = None if one is None else _value(one, word)
        else:
            value = True if one[2] is bool else _value(one, next(waiting, "-"))
        if one is None or value is None or one[0] in values:
            return None
        values[one[0]] = value
    for name, _, _, default in taken:
        if values.setdefault(name, default) is inspect.Parameter.empty:
            return None
    return values


def _parameters(command: Callable[..., None]) -> list[Parameter] | None:
    """What a command takes, None where it is not all declared by `Taken`."""
    found: list[Parameter] = []
    for name, one in inspect.signature(command, eval_str=True).parameters.items():
        declared: tuple[Any, ...] = getattr(one.annotation, "__metadata__", ())
        kinds = _kinds(one.annotation)
        if len(declared) != 1 or not isinstance(declared[0], Taken) or len(kinds) != 1:
            return None
        found.append((name, declared[0], kinds[0], one.default))
    return found


def _kinds(annotation: Any) -> list[type]:
    """The types that a value may have, but None."""
    kind = annotation.__origin__ if hasattr(annotation, "__metadata__") else annotation
    return [one for one in get_args(kind) or (kind,) if isinstance(one, type) and one is not NoneType]


def _value(one: Parameter, word: str) -> object:
    """A word as the parameter takes it, None where that is for the library to say."""
    _, taken, kind, _ = one
    if word.startswith("-"):
        return None
    if kind is str:
        return word
    if kind is Path:
        return Path(word) if word else None
    if kind is int:
        number = int(word) if _NUMBER.fullmatch(word) else None
        least, most = taken.least or 0, taken.most
        return (
            number if number is not None and least <= number <= (number if most is None else most) else None
        )
    if issubclass(kind, StrEnum):
        return next((member for member in kind if member.value == word), None)
    return None
