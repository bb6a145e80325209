"""Patterns as models write them for other search tools, in the words of ours.

A model that knows `grep` writes `error|exception`, `LNK\\d+` or `useState*`. To the index these signs only divide words, so
what is meant is found by none of them. Where such a pattern finds nothing as it stands, it is read again by these habits,
and the answer says how it was read.
"""

from __future__ import annotations

import re

_HABITS = (
    (re.compile(r"\(\?[a-z:!=<]{1,3}"), "("),
    (re.compile(r"\\[bBAZz]|[\^$]|\\?[*+]\?"), lambda found: "" if found[0][0] in "\\^$" else found[0][0]),
    (re.compile(r"(?:\.|\\[sWD])[*+]|\\[sWD]"), " "),
    (re.compile(r"(?:\\[dwS]|\[[^\]]{0,80}\])(?:[*+?]|\{[\d,]{1,9}\})?"), "%"),
    (re.compile(r"\\(.)"), r"\1"),
    (re.compile(r"\*+"), "%"),
    (re.compile(r"\|+"), " OR "),
)
_SIGNS = re.compile(r"[|*\\^$]|\.\+|\[.*\]|\(\?")
_WORD = re.compile(r"(?<![\w%])\w{3,5}(?![\w%])")
_OPERATORS = frozenset(("AND", "NOT"))
