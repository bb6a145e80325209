"""The clauses of a sentence, and what is left of it without one of them.

Rules kept here:

- A clause ends at a comma, at a semicolon, or before a word of a script without spaces that goes on with another deed.
- What goes takes the word with it that joins it to its neighbour: "then", "and".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from palimpsest.patterns import later
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.sentences import terms

MAX_CLAUSES = 24
_ENDS = later(
    r"[,;]\s+|[，；、](?!\s*$)|(?<=[\u3400-\u9fff\w/`\"」”）)])\s?(?=(?:然后|并且|接着|同时|并(?=[\u3400-\u9fff]))[^，。；]{2})|"
    r"(?<=して)(?=[^、。いおくもはから\s])|(?<=[가-힣]고)\s(?=\S)"
)
"""Where one clause ends and the next begins."""
_JOINING = later(
    r"^\s*(?:(?:and|then|also|und|dann|danach|anschließend|et|puis|ensuite|y|luego|después|e|poi|depois|и|затем|потом)\s(?:then\s|"
    r"dann\s|ensuite\s)?|然后再?|并且?|接着|同时|再(?=\S)|その後、?|それから、?|そして、?|그리고\s|그\s?후\s)",
    re.IGNORECASE,
)
"""How a clause begins that goes on with the one before it."""
_STOP = later(r"[.!?。！？]?\s*$")
_OPEN_END = later(r"[\s,;，；、]+$")
_MARK = later(r"\s{0,12}(?:[-*•]|\d{1,3}[.)])?\s{0,4}")


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, each without what joins it to the one before and without its mark of a list."""
    return [*_clauses(sentence)]


@remembered()
def _clauses(sentence: str) -> tuple[str, ...]:
    return tuple(one for start, end, _ in _spans(sentence) if (one := _bare(sentence[start:end])))


def without_clause(sentence: str, clause: str) -> str:
    """A sentence without a clause of it, "" where it has no such clause or nothing is left that says something."""
    for start, end, behind in _spans(sentence):
        if not clause or _bare(sentence[start:end]) != clause:
            continue
        before, rest = sentence[:start], sentence[behind:]
        if not terms(before):
            rest = _JOINING.sub("", rest, count=1).lstrip()
            mark = _MARK.match(sentence)
            return f"{mark[0] if mark else ''}{rest[:1].upper()}{rest[1:]}" if terms(rest) else ""
        if not terms(rest):
            stop = _STOP.search(sentence)
            return f"{_OPEN_END.sub('', before)}{stop[0] if stop else ''}"
        return before + rest.lstrip()
    return ""


def _spans(sentence: str) -> Iterator[tuple[int, int, int]]:
    """Where each clause begins and ends, and where the next one begins."""
    start = 0
    for found in islice(_ENDS.finditer(sentence), MAX_CLAUSES):
        yield start, found.start(), found.end()
        start = found.end()
    yield start, len(sentence), len(sentence)


def _bare(part: str) -> str:
    return _STOP.sub("", _MARK.sub("", _JOINING.sub("", part, count=1), count=1)).strip()
