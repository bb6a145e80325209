"""A short passage around the best match, with the matches marked."""

from __future__ import annotations

import re

from palimpsest.search.query import Query

SNIPPET_CHARS = 160
_SPACES = re.compile(r"\s+")
_GAP = r"[\W_]+"
_SEARCHED_CHARS = 200_000


def _matcher(query: Query) -> re.Pattern[str]:
    """Matches any of the query's phrases, whatever stands between its tokens. Longest first."""
    runs = sorted(query.phrases, key=lambda phrase: -sum(map(len, phrase)))
    return re.compile("|".join(_alternative(run) for run in runs), re.IGNORECASE)


def _alternative(phrase: tuple[str, ...]) -> str:
    escaped = [re.escape(token) for token in phrase]
    out = escaped[0]
    for before, token in zip(phrase, escaped[1:], strict=False):
        out += (r"[\W_]*" if not before.isascii() else _GAP) + token
    return out


def snippet(
    text: str, query: Query, *, size_chars: int = SNIPPET_CHARS, mark: tuple[str, str] = ("[", "]")
) -> str:
    """At most about `size_chars` of `text` around the densest matches, on one line, each match between `mark`s.

    Text without a literal match (a stemmed one matched the index) gives its beginning.
    """
    searched = text[:_SEARCHED_CHARS]
    spans = [match.span() for match in _matcher(query).finditer(searched)]
    if not spans:
        return _one_line(searched[:size_chars]) + ("…" if len(text) > size_chars else "")
    start = _best_start(spans, size_chars)
    begin = max(0, start - size_chars // 4)
    end = min(len(searched), begin + size_chars)
    inside = [span for span in spans if begin <= span[0] and span[1] <= end] or [spans[0]]
    end = max(end, inside[0][1])
    pieces: list[str] = ["…" if begin else ""]
    position = begin
    for first, last in inside:
        pieces += [searched[position:first], mark[0], searched[first:last], mark[1]]
        position = last
    pieces += [searched[position:end], "…" if end < len(text) else ""]
    return _one_line("".join(pieces))


def _best_start(spans: list[tuple[int, int]], size_chars: int) -> int:
    """Where a passage of this size holds the most matches; the first such place."""
    best, best_count, tail = spans[0][0], 0, 0
    for head, (_, last) in enumerate(spans):
        while last - spans[tail][0] > size_chars and tail < head:
            tail += 1
        if head - tail + 1 > best_count:
            best, best_count = spans[tail][0], head - tail + 1
    return best


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()
