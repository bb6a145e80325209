"""Patterns as models write them for other tools, in the words of ours.

Who knows `grep` writes `error|exception`, `LNK\\d+` or `useState*`, who knows other searches `timeout and retry`. To an
index these signs only divide words, and what is meant is found by none of them. A pattern that finds nothing as it
stands is therefore read again by these habits.
"""

from __future__ import annotations

import re

from palimpsest.lazy_regex import later

_HABITS = (
    (later(r"\A\s*/(.+)/[a-z]{0,4}\s*\Z", re.DOTALL), r"\1"),
    (later(r"(?<!\S)(?:and|&+)(?!\S)"), "AND"),
    (later(r"(?<!\S)or(?!\S)"), "OR"),
    (later(r"\(\?:"), "("),
    (later(r"\(\?[a-z]{1,5}\)|\\[bBAZ]|[\^$]|\.[*+]\??|\\[sWnrt][*+]?"), " "),
    (later(r"(?:\\[dw]|\[[^\]]{1,80}\])(?:[*+?]|\{[\d,]{1,9}\})?|\*+"), "%"),
    (later(r"\\(\W)"), r"\1"),
    (later(r"\|+"), " OR "),
    (later(r"(?<!\w)%(?!\w)"), " "),
)
_SHORT = later(r"(?<![^\s(])(?!(?:AND|NOT)\b)\w{3,5}(?![^\s)])")
"""Words that are not looked for inside others, as an expression would find them."""


def reworded(pattern: str) -> str:
    """The pattern with alternatives, wildcards and classes of characters in our grammar; as it is where it has none."""
    text = pattern
    for habit, ours in _HABITS:
        text = habit.sub(ours, text)
    return pattern if text == pattern else " ".join(_SHORT.sub(r"%\g<0>%", text).split())
