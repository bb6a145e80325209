"""Parts that several ids of the source have: each put right where its line decides which is meant, or taken out.

Rules kept here:

- What decides nothing leaves no short form: the bracket or the item of a list goes that has it, the clause that says no
  more than it, or the part alone behind the word that the source puts before such ids ("the run"). Otherwise its clause
  goes, or its sentence: of which one it is true nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from palimpsest.summarize.audit.clauses import clauses, without_clause
from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.identifiers import Doubt
from palimpsest.summarize.audit.names.which import BOTH, labels_of, meant_in
from palimpsest.summarize.audit.struck import rejoined, without_gaps, without_item
from palimpsest.summarize.sentences import PIECE, terms

_MARK = "\ue000"
"""Stands in a line for a part that goes; no text has it, where it is no letter."""
_HERE = re.compile(_MARK)
_BRACKET = re.compile(rf"\s?[(（\[]([^()（）\[\]]{{0,40}}){_MARK}([^()（）\[\]]{{0,40}})[)）\]]")
_LEAST = 2
"""Terms of a sentence that still says something."""


def given_whole(text: str, doubt: Doubt, exact: Exact) -> str:
    """The text with the part that a doubt is about in whole, wherever its line decides which of the ids is meant;
    without it elsewhere, but for where the part itself is meant.
    """
    labels = labels_of(doubt.among, exact)
    lines: list[str] = []
    for line in text.splitlines():
        marked = line
        for start, right in reversed(
            meant_in(line, doubt.text, doubt.among, exact) if doubt.text in line else ()
        ):
            if right != BOTH:
                marked = f"{marked[:start]}{right or _MARK}{marked[start + len(doubt.text) :]}"
        if _MARK not in marked:
            lines.append(marked)
            continue
        pieces = PIECE.split(marked)
        kept = [_without(one, labels) if _MARK in one else one for one in pieces]
        lines.extend(rejoined(marked, pieces, without_gaps(kept, pieces)))
    return "\n".join(lines)


def _without(piece: str, labels: Collection[str]) -> str:
    """A sentence without the part, "" where nothing stays."""
    bracket = _BRACKET.search(piece)
    if bracket and len(set(terms(f"{bracket[1]} {bracket[2]}")) - {*labels}) < _LEAST:
        return _without(rest, labels) if _MARK in (rest := _BRACKET.sub("", piece, count=1)) else rest
    listed = without_item(piece, _HERE)
    if listed is not None:
        return listed
    own = next((one for one in clauses(piece) if _MARK in one), "")
    if len(set(terms(own.replace(_MARK, " "))) - {*labels}) < _LEAST:
        return without_clause(piece, own)
    word = re.search(rf"([^\W\d_]{{2,20}})[\s\"'`#]{{1,3}}{_MARK}[\"'`]?", piece)
    if word and word[1].lower() in labels:
        return f"{piece[: word.end(1)]}{piece[word.end() :]}"
    return without_clause(piece, own)
