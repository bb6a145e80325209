"""What was chosen for a summary so far, and requests cut to their room.

Rules kept here:

- What is said in one line is remembered, so that no other line says it again.
- A request that is too long for its room keeps its first and its last sentences whole: words from the middle of two
  sentences, put side by side, say what nobody said. The first that says something comes before the last: a greeting
  and the last sentence are no request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from palimpsest.summarize.cut import ELLIPSIS, Count, fit_ends
from palimpsest.summarize.ledger.entries import Entry, normal
from palimpsest.summarize.sections import Section
from palimpsest.summarize.sentences import terms

HEADING_TOKENS = 4
LINE_TOKENS = 2
STEP = 16
"""Lines counted between two pauses."""
ENDING_SHARE = 1 / 3
"""Of a request's room, what its last sentences may take."""
MAX_PIECES = 120
TELLING_TERMS = 3
"""A sentence of fewer words only leads to the next."""

_STOP = re.compile(r"[.!?][\"')\]]{0,2}\s+|[。！？；]\s*")


@dataclass(frozen=True, slots=True)
class Line:
    """A candidate: `text` is what is counted, `order` its place among those chosen, `entry` what it is of."""

    text: str
    order: int
    entry: Entry | None = None


@dataclass(slots=True)
class Choice:
    """What was chosen so far. `left_tokens` is what the whole summary may still cost."""

    left_tokens: int
    lines: dict[Section, list[str]] = field(default_factory=dict[Section, list[str]])
    said: set[str] = field(default_factory=set[str])

    def spend(self, section: Section, line: str, tokens: int) -> None:
        """Take a line into a section."""
        self.lines.setdefault(section, []).append(line)
        self.said.add(normal(line))
        self.left_tokens -= tokens


def fit_request(text: str, limit_tokens: int, count: Count) -> str:
    """`text`, or its first and its last sentences around an ellipsis, in fewer than `limit_tokens` tokens; where these
    are too long, its first and its last words.
    """
    if count(text) < limit_tokens:
        return text
    borders = [0, *(stop.end() for stop in _STOP.finditer(text)), len(text)]
    if len(borders) > MAX_PIECES:
        borders[MAX_PIECES // 2 : -MAX_PIECES // 2] = []
    pieces = [text[start:end] for start, end in pairwise(borders) if end > start]
    costs = [count(piece) for piece in pieces]
    room = limit_tokens - LINE_TOKENS
    opening = next((at for at, piece in enumerate(pieces) if len(terms(piece)) >= TELLING_TERMS), 0) + 1
    owed = sum(costs[:opening])
    last = len(pieces)
    spent = 0
    while last > opening and spent + costs[last - 1] <= min(room * ENDING_SHARE, room - owed):
        last -= 1
        spent += costs[last]
    first = 0
    while first < last and spent + costs[first] <= room:
        spent += costs[first]
        first += 1
    shown = f"{''.join(pieces[:first]).rstrip()} {ELLIPSIS} {''.join(pieces[last:])}".rstrip()
    whole = first >= opening and count(shown) < limit_tokens
    return shown if whole else fit_ends(text, limit_tokens, count)
