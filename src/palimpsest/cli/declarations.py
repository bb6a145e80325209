"""What a command takes, declared in values of this package's own.

The library that reads command lines (typer, with pydantic) takes longer to import than most commands take. So the
commands that people type most declare their options and arguments by these; `plain` reads a simple line by them, and
`making` hands them to the library for every other one, and for the help. Such a command ends by returning, or by an
error of ours: nobody may be there who knows the library's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Completing = Callable[[str], list[tuple[str, str]]]
"""Gives what the beginning of a word may become, each with what it means."""


@dataclass(frozen=True, slots=True)
class Taken:
    """An option by its names, or an argument, which has none. `least` and `most` bound a number."""

    names: tuple[str, ...]
    help: str
    metavar: str | None = None
    least: int | None = None
    most: int | None = None
    readable: bool = True
    show_default: bool = True
    complete: Completing | None = None


def option(
    *names: str, help: str, metavar: str | None = None, min: int | None = None, max: int | None = None,
    readable: bool = True,
) -> Taken:  # fmt: skip
    """An option; its arguments are called as those of `typer.Option`."""
    return Taken(names, help, metavar, min, max, readable)


def argument(
    *, metavar: str, help: str, show_default: bool = True, autocompletion: Completing | None = None
) -> Taken:
    """An argument; its own arguments are called as those of `typer.Argument`."""
    return Taken((), help, metavar, show_default=show_default, complete=autocompletion)
