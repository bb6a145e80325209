"""Where reading back goes on: a short text that says all of it, so that nothing has to be remembered between two calls.

What was stored never changes its place, so a cursor means the same after any number of appends, compactions and forks.
To callers it is opaque. A checksum tells one that was shortened or made up; a cursor opens nothing that its ids do not.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from palimpsest.errors import UsageError
from palimpsest.lazy_regex import later

MAX_CURSOR_CHARS = 50_000

_FORM = later(
    r"(?P<ids>[ms]\d{1,18}(?:-m\d{1,18})?(?:,[ms]\d{1,18}(?:-m\d{1,18})?)*)"
    r"~(?P<flags>r?d?)~(?P<place>\d{1,18})~(?P<char>\d{1,18})~(?P<check>[0-9a-f]{4})",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """What is still to be read: of the first id from `place` on (a child's number or a message's position), and of what
    stands there from the character `char` on; the other ids whole.
    """

    ids: tuple[str, ...]
    include_results: bool
    to_messages: bool
    place: int = 0
    char: int = 0

    def __str__(self) -> str:
        flags = f"{'r' * self.include_results}{'d' * self.to_messages}"
        body = f"{','.join(self.ids)}~{flags}~{self.place}~{self.char}"
        return f"{body}~{_check(body)}"


def read_cursor(text: str) -> Cursor:
    """The cursor that a text is. Raises UsageError."""
    text = text.strip().strip("\"'")
    found = _FORM.fullmatch(text) if len(text) <= MAX_CURSOR_CHARS else None
    if found is None or _check(text.rpartition("~")[0]) != found["check"]:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise UsageError(
            f"{shown!r} is no cursor", hint="give it as the answer before has it, or the ids anew"
        )
    flags = found["flags"]
    ids = tuple(found["ids"].split(","))
    return Cursor(ids, "r" in flags, "d" in flags, int(found["place"]), int(found["char"]))


def _check(body: str) -> str:
    return f"{zlib.crc32(body.encode()) & 0xFFFF:04x}"
