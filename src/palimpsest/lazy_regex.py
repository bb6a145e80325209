"""Expressions that are compiled when they are first used, and the words they find as keys of a table.

Compiling all that this package knows takes longer than most commands; a process uses few of them. None repeats a group
possessively: Python 3.11.2, which some systems have, then passes over what the group gave back.
"""

from __future__ import annotations

import re
from typing import AnyStr, Generic, cast


class _Later(Generic[AnyStr]):
    """What `later` gives: after its first use a method is the compiled pattern's own, and costs as little."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._given, self._flags = pattern, flags

    def __getattr__(self, name: str) -> object:
        value: object = getattr(re.compile(self._given, self._flags), name)
        if not name.startswith("__"):
            setattr(self, name, value)
        return value


def later(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile`, when it is first used: for `search`, `match` and the other methods, and what a pattern says of
    itself. A fault in the pattern shows then, so tests have to use it.
    """
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))


def as_key(word: str) -> str:
    """A word that a pattern found whatever its case, as a table in small letters has it. Such a pattern takes a long s
    for an s, and Turkish letters with and without their dots for an i.
    """
    return word.casefold().replace("\u0307", "").replace("ı", "i")
