"""Here-documents in a command: what is written into a program's input stands in it, and is no command.

Rules kept here:

- A document ends at the next line that holds nothing but its word. Where its own first line is such a line, it is the
  end only if no other follows.
- A word runs on to what it is followed by; where no line ends the document of a whole word, a shorter one counts.
- What some agents' editors are given to write (`edit 3:9` up to `end_of_edit`) is such a document as well.
- Lines that may end a document are looked up, not sought from each beginning: a text of nothing but beginnings costs no
  more than its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from operator import itemgetter

from palimpsest.patterns import later

REST_CHARS = 300
"""Characters behind the word, on the line that begins a document."""

_BEGINNING = later(r"<<-?[ \t]{0,2}(['\"]?)(\w{1,40})\1([^\n]{0,300})\n")
_EDIT = later(
    r"\A(\s{0,8}edit \d{1,7}:\d{1,7})\n.{0,100000}^end_of_edit[ \t]{0,8}$", re.DOTALL | re.MULTILINE
)
_END = later(r"^[ \t]{0,8}+(\w{1,40}+)[ \t]*+$", re.MULTILINE)

Ends = dict[str, list[tuple[int, int]]]


def without_bodies(command: str) -> str:
    """A command without its here-documents."""
    if "end_of_edit" in command:
        command = _EDIT.sub(r"\1", command)
    if "<<" not in command:
        return command
    ends: Ends = {}
    for line in _END.finditer(command):
        ends.setdefault(line[1], []).append(line.span())
    kept: list[str] = []
    at = seen = 0
    while (begun := _BEGINNING.search(command, seen)) is not None:
        found = _ended(begun[2], begun[3], ends, begun.end(), quoted=bool(begun[1]))
        seen = begun.start() + 1
        if found is not None:
            rest, seen = found
            kept.extend((command[at : begun.start()], rest))
            at = seen
    return "".join((*kept, command[at:]))


def _ended(word: str, rest: str, ends: Ends, start: int, *, quoted: bool) -> tuple[str, int] | None:
    """What stands behind a document's word, and where the document ends that begins at `start`; None where it does not.
    In quotes the word is whole.
    """
    for size in range(len(word), len(word) - 1 if quoted else 0, -1):
        behind = word[size:] + rest
        if len(behind) > REST_CHARS:
            return None
        lines = ends.get(word[:size], [])
        later_on = bisect_right(lines, start, key=itemgetter(0))
        if later_on < len(lines):
            return behind, lines[later_on][1]
        if lines and lines[-1][0] == start:
            return behind, lines[-1][1]
    return None
