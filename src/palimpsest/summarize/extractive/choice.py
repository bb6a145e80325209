"""What was chosen for a summary so far, and requests cut to their room.

Rules kept here:

- What is said in one line is remembered, so that no other line says it again.
- A request that is too long for its room keeps some of its sentences whole: words from the middle of two sentences, put
  side by side, say what nobody said. What its author asks for comes before how it begins, and that before how it ends;
  what was pasted asks for nothing, and a greeting stands only before what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from palimpsest.summarize.cut import ELLIPSIS, Count, fit_ends
from palimpsest.summarize.ledger.entries import Entry, normal
from palimpsest.summarize.pasted import parted
from palimpsest.summarize.sections import Section
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.cues import RULE_WEIGHT, rule_weight
from palimpsest.summarize.spoken.wanted import asks_for

HEADING_TOKENS = 4
LINE_TOKENS = 2
STEP = 16
"""Lines counted between two pauses."""
FIRST_ASKED = 2
"""Sentences that ask for something, before how the request begins."""
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
    """`text`, or those of its sentences that say what it asks for, then its first and its last, with an ellipsis for
    what is left out, in fewer than `limit_tokens` tokens; where none of these has room, its first and its last words.
    """
    if count(text) < limit_tokens:
        return text
    borders = [0, *(stop.end() for stop in _STOP.finditer(text)), len(text)]
    if len(borders) > MAX_PIECES:
        borders[MAX_PIECES // 2 : -MAX_PIECES // 2] = []
    pieces = [text[start:end] for start, end in pairwise(borders) if end > start]
    costs = [count(piece) for piece in pieces]
    typed, _ = parted(text)
    own = [at for at, one in enumerate(pieces) if one.strip() in typed and not one.lstrip().startswith(">")]
    asking = [at for at in own if _asks(pieces[at].strip())]
    questions = [at for at in own if pieces[at].rstrip().endswith(("?", "？", "؟"))]
    asking.sort(key=lambda at: at in questions)
    telling = [at for at, piece in enumerate(pieces) if len(terms(piece)) >= TELLING_TERMS]
    opening = [*telling[:1], *range(telling[0] if telling else 1)]
    first = (asking or questions)[:FIRST_ASKED]
    whole = range(len(pieces))
    ranked = dict.fromkeys([*first, *opening, *asking, whole[-1], *questions, *whole])
    kept: list[int] = []
    shown = ""
    for at in ranked:
        leads = at not in (*telling, *asking, *questions) and at + 1 < len(pieces)
        if costs[at] >= limit_tokens or (leads and at + 1 not in kept):
            continue
        longer = _joined(pieces, sorted([*kept, at]))
        if count(longer) < limit_tokens:
            kept.append(at)
            shown = longer
    return shown or fit_ends(text, limit_tokens, count)


def _asks(sentence: str) -> bool:
    """Whether a sentence asks for something, or says how it has to be."""
    return asks_for(sentence) or rule_weight(sentence) >= RULE_WEIGHT


def _joined(pieces: Sequence[str], kept: Sequence[int]) -> str:
    """Those pieces of a text, with an ellipsis where one is left out between two."""
    parts = [pieces[kept[0]]]
    for before, at in pairwise(kept):
        parts.append(pieces[at] if at == before + 1 else f"{ELLIPSIS} {pieces[at]}")
    return "".join(parts)
