"""Words that are looked for in any case, in about the time that a search for them as they are takes."""

from __future__ import annotations

import re


class Cue:
    """Words in any case. A text of ASCII is looked through in lower case by a pattern that knows no other: alternatives
    with a first letter are passed over then, those whose case is open are all tried, which takes ten times as long.
    """

    __slots__ = ("_any_case", "_lower_case")

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._any_case = pattern
        self._lower_case: re.Pattern[str] | None = None

    def stands_in(self, text: str) -> bool:
        """Whether some of the words stand in a text."""
        if text.isascii():
            return self._in_lower_case().search(text.lower()) is not None
        return self._any_case.search(text) is not None

    def begins(self, text: str) -> bool:
        """Whether a text begins with some of the words."""
        if text.isascii():
            return self._in_lower_case().match(text.lower()) is not None
        return self._any_case.match(text) is not None

    def _in_lower_case(self) -> re.Pattern[str]:
        if self._lower_case is None:
            dotted = _DOTLESS.sub("[ıi]", self._any_case.pattern)
            self._lower_case = re.compile(dotted, self._any_case.flags & ~re.IGNORECASE)
        return self._lower_case


_DOTLESS = re.compile(r"(?<!\[)ı")
"""Is an i as well where the case is open; in brackets it stands beside one, or for itself."""
