"""A secret as it reads, however deep in literals it is written: a key in a call's arguments, where escapes end its
lines, is the one that a file shows, and has the same placeholder.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

DEPTH = 3
"""Literals in one another whose escapes are undone: JSON text in a string of JSON text in a call's arguments."""

_ESCAPE = later(r"\\(?:u([0-9a-fA-F]{4})|([bfnrt/\"\\]))")
_SIGNS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PAIR = later("[\ud800-\udbff][\udc00-\udfff]")


def as_read(secret: str) -> str:
    """A secret with its escapes undone, and without the ends of lines that other systems have."""
    for _ in range(DEPTH):
        if "\\" not in secret:
            break
        secret = _ESCAPE.sub(_sign, secret)
    secret = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), secret)
    return secret.replace("\r\n", "\n")


def _sign(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _SIGNS.get(escape[2], escape[2])
