"""Where a line of a summary comes from: the texts of its source that hold it.

Rules kept here:

- Who says the line word for word said it, whoever else has its words.
- Of the others those hold it that have the most of its identifiers, and of those the ones with the most of its words; a
  line without identifiers is held by words alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from palimpsest.patterns import later
from palimpsest.record.message import readable_text
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.source import MessageEntry, Source

LEAST_SAID = 3
"""A line of fewer words is nowhere said word for word."""
LEAST_SHARE, LIKE_SHARE = 0.34, 0.9
"""A text holds a line if it has so many of its words, and nearly as many as the one that has the most."""
MAX_SOURCES = 8

_MARK = later(r"^\s*(?:[-*]\s+)?(?:(?:tool|user|assistant):\s+)?")
"""What a line of a summary begins with besides what it says."""


def trace(text: str, source: Source) -> list[tuple[str, tuple[str, ...]]]:
    """(line, ids) for each line of a summary: the messages and summaries of its source that hold what it says.

    Those that say the line itself, else those that share most of its identifiers and words; at most 8, oldest first.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line, tuple(name for name, _ in found)) for line, found in sources_of(lines, source)]


Hold = tuple[bool, int, float]
"""How a text holds a line: whether word for word, how many of its identifiers, and what share of its words."""

Name = TypeVar("Name")


def sources_of(lines: Sequence[str], source: Source) -> list[tuple[str, list[tuple[str, Hold]]]]:
    """As `trace`, for lines of any text, with how each source holds them."""
    held: list[tuple[str, str, frozenset[str]]] = []
    for entry in source.entries:
        body = readable_text(entry.message) if isinstance(entry, MessageEntry) else entry.summary.text
        name = entry.id if isinstance(entry, MessageEntry) else entry.summary.id
        held.append((name, _flat(body), frozenset(terms(body))))
    return [(line, _sources(line, held)) for line in lines]


def _sources(line: str, held: Sequence[tuple[str, str, frozenset[str]]]) -> list[tuple[str, Hold]]:
    exact = {*find_paths(line), *(name for _, name in find_names(line))}
    words, said = set(terms(line)), _flat(_MARK.sub("", line)).rstrip("…")
    is_said = len(words) >= LEAST_SAID
    scored = [
        (
            name,
            (
                is_said and said in body,
                sum(_flat(one) in body for one in exact),
                len(words & known) / max(1, len(words)),
            ),
        )
        for name, body, known in held
    ]
    return strongest(scored)


def strongest(scored: Sequence[tuple[Name, Hold]]) -> list[tuple[Name, Hold]]:
    """Of texts in order those that hold a line best, at most 8: word for word; else with most of its identifiers, and
    of those with about the most words; where it has none, with most of its words.
    """
    most = max((hits for _, (_, hits, _) in scored), default=0)
    if any(word_for_word for _, (word_for_word, _, _) in scored):
        kept = [one for one in scored if one[1][0]]
    else:
        kept = [one for one in scored if one[1][1] == most]
    likest = max((share for _, (_, _, share) in kept), default=0.0)
    if not any(word_for_word or hits for _, (word_for_word, hits, _) in kept):
        likest = max(likest, LEAST_SHARE / LIKE_SHARE)
    kept = [one for one in kept if one[1][0] or one[1][2] >= likest * LIKE_SHARE]
    best = sorted(range(len(kept)), key=lambda place: (-kept[place][1][2], place))[:MAX_SOURCES]
    return [kept[place] for place in sorted(best)]


def _flat(text: str) -> str:
    """A text in one case, with one space where it has several or ends a line."""
    return " ".join(text.split()).casefold()
