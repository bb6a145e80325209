"""Declares a command's options and arguments, and parses simple command lines without typer.

Importing typer (with pydantic) takes longer than most commands run. So commands declare their parameters with `option`
and `argument`; `parse_simple` parses a simple line by these declarations, and `typer_app` translates them into typer's
for every other line and for the help. A command returns its exit code (None is 0) or raises an error of this package.

A line is simple if its options are whole words followed by their values (`--limit 5`), each at most once, and all
values are valid. Everything else is left to typer: help, abbreviations, `--limit=5`, lists, values that begin with a
hyphen, and all errors. A test checks that both parsers agree.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_EXPANDED_BY_TYPER = frozenset("*?[$%~")
"""Characters for which typer expands a word on Windows, whose shell does not."""

Complete = Callable[[str], list[tuple[str, str]]]
"""Takes the beginning of a word; returns possible words, each with its meaning."""
Command = Callable[..., int | None]
"""Takes the values of its parameters; returns its exit code."""


@dataclass(frozen=True, slots=True)
class Declared:
    """An option with its names, or an argument, which has none. `least` and `most` limit a number."""

    names: tuple[str, ...]
    help: str
    metavar: str | None = None
    least: int | None = None
    most: int | None = None
    readable: bool = True
    show_default: bool = True
    complete: Complete | None = None


def option(
    usage: str,
    help: str,
    *,
    min: int | None = None,
    max: int | None = None,
    readable: bool = True,
    complete: Complete | None = None,
) -> Declared:
    """An option. `usage` has its names, and the name of its value: "--limit N"."""
    words = usage.split()
    names = tuple(word for word in words if word.startswith("-"))
    return Declared(names, help, " ".join(words[len(names) :]) or None, min, max, readable, complete=complete)


def argument(
    usage: str, help: str, *, show_default: bool = True, complete: Complete | None = None
) -> Declared:
    """An argument. `usage` is its name in the help."""
    return Declared((), help, usage, show_default=show_default, complete=complete)


_Parameter = tuple[str, Declared, type, object]
"""Name, declaration, type and default (`inspect.Parameter.empty` for none)."""


def parse_simple(command: Command, words: Sequence[str]) -> dict[str, object] | None:
    """The values of a command's parameters in a line's words, without the command's name. None for a line that is not
    simple, and for a command with a list of values.
    """
    if os.name == "nt" and any(_EXPANDED_BY_TYPER.intersection(word) for word in words):
        return None
    parameters = _parameters(command)
    if parameters is None:
        return None
    options = {name: one for one in parameters for name in one[1].names}
    arguments = iter([one for one in parameters if not one[1].names])
    values: dict[str, object] = {}
    remaining = iter(words)
    for word in remaining:
        if (one := options.get(word)) is not None:
            value = True if one[2] is bool else _value(one, next(remaining, "-"))
        else:
            one = next(arguments, None)
            value = None if one is None else _value(one, word)
        if one is None or value is None or one[0] in values:
            return None
        values[one[0]] = value
    for name, _, _, default in parameters:
        if values.setdefault(name, default) is inspect.Parameter.empty:
            return None
    return values


def _parameters(command: Command) -> list[_Parameter] | None:
    """A command's parameters, None if one of them is a list."""
    found: list[_Parameter] = []
    for name, one in inspect.signature(command, eval_str=True).parameters.items():
        kind: Any = one.annotation.__origin__
        kinds = [own for own in get_args(kind) or (kind,) if isinstance(own, type) and own is not NoneType]
        if get_origin(kind) is list or len(kinds) != 1:
            return None
        found.append((name, one.annotation.__metadata__[0], kinds[0], one.default))
    return found


def _value(parameter: _Parameter, word: str) -> object:
    """A word as the parameter's value, None if typer has to decide."""
    _, declared, kind, _ = parameter
    if word.startswith("-"):
        return None
    if kind is str:
        return word
    if kind is Path:
        return Path(word) if word else None
    if kind is int and _NUMBER.fullmatch(word):
        number = int(word)
        above = declared.most is not None and number > declared.most
        return None if above or number < (declared.least or 0) else number
    if issubclass(kind, StrEnum):
        return next((member for member in kind if member.value == word), None)
    return None
