"""How far what is said behind a call to machines reaches.

Rules kept here:

- It reaches to the end of its paragraph: to an empty line, or to a line that is no prose, as rows of a tool's output
  are. Behind a label, as in a log, it reaches to the end of its line.
- A line is prose where most of its words are words, or where it ends a line of prose that has not come to its stop.
"""

from __future__ import annotations

from palimpsest.patterns import later

REACH_CHARS = 1_500
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
    begun = text.rfind("\n", 0, start) + 1
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
