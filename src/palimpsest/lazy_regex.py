"""Regular expressions that are compiled on first use.

Compiling all expressions of this package takes longer than most commands, and a process uses few of them. None
repeats a group possessively: Python 3.11.2 handles groups in it wrongly.
"""

from __future__ import annotations

import re
from typing import AnyStr, Generic, cast


class _Later(Generic[AnyStr]):
    """The result of `later`: after the first use a method is the compiled pattern's own."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._given, self._flags = pattern, flags

    def __getattr__(self, name: str) -> object:
        value: object = getattr(re.compile(self._given, self._flags), name)
        if not name.startswith("__"):
            setattr(self, name, value)
        return value


def later(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return `re.compile`, deferred to the first use. An invalid pattern fails only then, so tests must use it."""
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))


def as_key(word: str) -> str:
    """Return a case-insensitive match as a lower-case table key. Such a pattern matches a long s as s, and dotted and
    dotless Turkish letters as i.
    """
    return word.casefold().replace("\u0307", "").replace("ı", "i")
