"""Whether a number before "failed" or "passed" counts anything, or says which one it was: `epochs=11 failed`, "row 17".

Rules kept here:

- A number joined to a word before it, by a sign or by one space, is the value of a key or the number of a thing. What
  counts begins a part of its line, or stands behind a word for several ("Tests 3 failed"), for the whole ("Total: 3
  failed") or for how it was come by ("and 3 failed", "reported 3 failed").
- A label may also stand before counts where another count of the line begins a part of it: "unit: 3 failed, 20 passed".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from palimpsest.patterns import later
from palimpsest.summarize.spoken.texts import STOP

LOOK_CHARS = 40
"""So much before a number is looked at."""

_VALUE = later(r"[\w\"'\])]=[\"']?$|#$")
_KEY = later(r"(?<![^\s(\[\"'{,;|])([^\W\d_]{1,30})(?:[\"']?(?P<label>[:：])\s{0,8}|\s)$")
_COUNTS = later(
    r".+(?<![sui])s|.+(?:ed|ing)|total|summary|result|outcome|.*(?:test|spec|suite)|check|ran|got|saw|found|had|still|"
    r"合計|总计|共",
    re.IGNORECASE,
)
_ONE = frozenset(("test", "spec", "check"))
"""Words for one of those that are counted: a number behind a space is its own."""


def are_counts(line: str, starts: Sequence[int]) -> list[bool]:
    """Whether each of the numbers of a line counts something; `starts` are where they begin."""
    bound = [_bound(line[max(0, start - LOOK_CHARS) : start]) for start in starts]
    free = "" in bound
    return [not one or (one == "labelled" and free) for one in bound]


def _bound(before: str) -> str:
    """How a number is bound to what stands before it: "" for not, "valued", or "labelled" with what may be the name of
    all that is counted.
    """
    if _VALUE.search(before):
        return "valued"
    key = _KEY.search(before)
    if not key:
        return ""
    word = key[1].lower()
    if word in STOP or (_COUNTS.fullmatch(word) and (key["label"] or word not in _ONE)):
        return ""
    return "labelled"
