"""How far what is said behind a call to machines reaches, and what an order stands in.

Rules kept here:

- It reaches to the end of its paragraph: to an empty line, or to a line that is no prose, as rows of a tool's output
  are. Behind a label, as in a log, it reaches to the end of its line.
- A line is prose where most of its words are words, or where it ends a line of prose that has not come to its stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.sentences import PIECE

BEHIND_CHARS = 240
"""How far behind an order its passage reaches."""
_ENCLOSED = (
    (later(r"<!--"), later(r"-->"), 2_000),
    (later(r"/\*"), later(r"\*/"), 2_000),
    (later(r"[:,\[{(]\s{0,2}\""), later(r"\"\s{0,2}[,}\])]"), BEHIND_CHARS),
)
"""How what an order stands in begins and ends as a whole, and how far away that may be."""
_LINE_END = later(r"\n\s{0,8}\n|\n(?=\s{0,8}(?:[-*•#>|<]|\d{1,3}[.)]|[A-ZÀ-Þ]|$))")
REACH_CHARS, BACK_CHARS = 1_500, 240
PROSE_SHARE, LEAST_WORDS, LEAST_SIGNS = 0.7, 4, 5
_MARK = later(r"[ \t]{0,12}(?:(?:[-*•>#]|//|\d{1,2}[.)])[ \t]{0,4}){0,3}")
_WORD = later(r"[\"'“„«(]{0,2}[^\W\d_][^\W\d_'’-]*(?:['’-][^\W\d_]+)*[\"'”“»).,;:!?]{0,3}")
_SIGN = later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STOP = later(r"[.!?。！？:：][\"'”»)\]]{0,2}\s*$")
_LABEL = later(r"[^\n.!?。！？]{0,80}\w[^\n.!?。！？\w]{0,6}")
"""What stands before a call on its own line and is no sentence."""


def said_to(text: str, start: int, end: int) -> int:
    """Where it ends what stands behind a call to machines that stands between two places."""
    last = min(len(text), end + REACH_CHARS)
    begun = text.rfind("\n", max(0, start - BACK_CHARS), start) + 1 or max(0, start - BACK_CHARS)
    stop = _line_end(text, end, last)
    marked = _MARK.match(text, begun, start)
    if _LABEL.fullmatch(text, marked.end() if marked else begun, start):
        return stop
    open_end = True
    while stop < last:
        following = _line_end(text, stop + 1, last)
        line = text[stop + 1 : following]
        said = text[end:stop].strip(" \t\n*_]】)")
        open_end = not _STOP.search(text[end:stop])
        if not line.strip() or not (_is_prose(line) or (open_end and said and _is_rest(line))):
            break
        stop = following
    return stop


def _line_end(text: str, start: int, last: int) -> int:
    found = text.find("\n", start, last)
    return last if found < 0 else found


def _is_prose(line: str) -> bool:
    bare = _MARK.sub("", line, count=1).strip()
    if len(_SIGN.findall(bare)) >= LEAST_SIGNS:
        return True
    parts = bare.split()
    words = sum(1 for one in parts if _WORD.fullmatch(one))
    return words >= LEAST_WORDS and words >= PROSE_SHARE * len(parts)


def _is_rest(line: str) -> bool:
    """Whether a line is the last words of a sentence that was begun above it."""
    return all(map(_WORD.fullmatch, line.split())) and bool(_STOP.search(line))


def within(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the comment, or the value of JSON, begins and ends that an order stands in."""
    for opens, closes, reach_chars in _ENCLOSED:
        found = next(reversed(list(opens.finditer(text, max(0, start - reach_chars), end))), None)
        if (
            found
            and not closes.search(text, found.end(), start)
            and (close := closes.search(text, end, end + reach_chars))
        ):
            return found.end(), close.start()
    return None


def breaks(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Where sentences, and lines that do not go on, end."""
    yield from PIECE.finditer(text, start, end)
    yield from _LINE_END.finditer(text, start, end)


def sentence_end(text: str, start: int, last: int) -> int:
    """Where the sentence ends that goes on behind a place."""
    return min(
        (one.end() for one in breaks(text, start, last) if one.end() > start), default=min(last, len(text))
    )
