"""The sources of a summary's lines: the messages and summaries that contain what a line says.

- A text that contains the line verbatim is its source.
- Otherwise the sources are the texts with most of its identifiers, and of those the ones with most of its words. A line
  without identifiers is compared by words alone.
- For an identifier that none of these has, the oldest text with it is a source too.
- The outcome of a call is in its result: if a line has a call with an outcome, the result is a source as well.
- A line with a number or a name that is in none of the texts has no source, however similar they are. It is from
  elsewhere: from the previous summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from palimpsest.lazy_regex import later
from palimpsest.ledger.sections import parse_names
from palimpsest.record.message import readable_text
from palimpsest.record.summary_source import Entry, MessageEntry, Source
from palimpsest.redaction.detector import PLACEHOLDER
from palimpsest.summarize.source import render_time
from palimpsest.text.identifiers import find_names, find_paths
from palimpsest.text.terms import terms
from palimpsest.toolcalls.call_actions import decode

LEAST_SAID = 3
"""A shorter line is never verbatim in a text."""
LEAST_SHARE, LIKE_SHARE = 0.34, 0.9
"""A text contains a line if it has this share of its words, and nearly as many as the best text."""
MAX_SOURCES, MAX_IDENTIFIER_SOURCES = 8, 64
"""The most sources of a whole line, and of single identifiers of it."""
SHORT_CHARS = 3
LIST_NAMES = 2
"""So many names after a label are a list, which a text states if it has one of them."""
_OUTCOME = "` -> "
_WORD = later(r"\w+")
_LAST_PART = later(r"^.*[/\\](?=.)", re.DOTALL)
_COUNTED = later(r"\(x\d{1,5}(?:, \d{1,5} failed)?\)")
"""How often a command ran, in a ledger."""
_NUMBERED = later(r"^\s*(?:[-*•]\s+)?(?:\d{1,3}[.)]\s+)?")
_MARK = later(r"^\s*(?:[-*]\s+)?(?:(?:tool|user|assistant):\s+)?")
"""Bullets and roles at the beginning of a line."""


Hold = tuple[bool, frozenset[str], float]
"""How a text contains a line: whether verbatim, which of its identifiers, and what share of its words."""

Name = TypeVar("Name")


def sources_of(lines: Sequence[str], source: Source) -> list[tuple[str, list[tuple[str, Hold]]]]:
    """For each line, the messages and summaries of its source that contain it, oldest first, and how.

    At most 8 contain the line itself, or most of its identifiers and words. Others have single identifiers, or are the
    results of calls.
    """
    held: list[tuple[str, str, frozenset[str]]] = []
    texts: list[str] = []
    messages = [entry for entry in source.entries if isinstance(entry, MessageEntry)]
    results = {one.call_id: entry.id for entry in messages for one in entry.message.results}
    called = {
        entry.id: [
            (_flat(decode(call).command or call.name), results.get(call.id)) for call in entry.message.calls
        ]
        for entry in messages
    }
    for entry in source.entries:
        (name, when), body = _name_and_time(entry), _text_of(entry)
        held.append((name, _flat(body), frozenset(_telling(body))))
        texts.append(f"{body}\n{name} {when}")
    stated = frozenset(word for text in texts for word in _words(text))
    found = ((line, _sources(line, held)) for line in lines)
    return [
        (line, [*_with_results(line, ones, called)])
        if any(hold[0] for _, hold in ones) or _stated(line, stated)
        else (line, [])
        for line, ones in found
    ]


def says_all(line: str, entry: Entry, hold: Hold) -> bool:
    """Whether a text contains all of a line: verbatim, or its numbers, its names and nearly all of its words."""
    return hold[0] or (hold[2] >= LIKE_SHARE and _stated(line, frozenset(_words(_text_of(entry)))))


def _telling(text: str) -> Iterator[str]:
    """The terms of a text without short words, most of which are in every text."""
    return (one for one in terms(text) if len(one) > SHORT_CHARS or not one.isascii() or not one.isalpha())


def _words(text: str) -> Iterator[str]:
    return (word.casefold() for word in _WORD.findall(text))


def _stated(line: str, words: frozenset[str]) -> bool:
    """Whether all words of a line with digits are among `words`, and so are its names and the last parts of its
    paths.
    """
    line = PLACEHOLDER.sub(" ", _COUNTED.sub(" ", _NUMBERED.sub("", line)))
    row = [name for _, name in parse_names(line)] if ": " in line else []
    if len(row) >= LIST_NAMES and all(any(map(str.isdecimal, name)) for name in row):
        return any(set(_words(name)) <= words for name in row)
    own = [word for word in _words(line) if any(map(str.isdecimal, word))]
    named = (name.rstrip("/\\") for name in (*find_paths(line), *(name for _, name in find_names(line))))
    own.extend(word for name in named for word in _words(_LAST_PART.sub("", name)))
    return all(word in words or word.lstrip("v") in words for word in own)


def _text_of(entry: Entry) -> str:
    return readable_text(entry.message) if isinstance(entry, MessageEntry) else entry.summary.text


def _name_and_time(entry: Entry) -> tuple[str, str]:
    if isinstance(entry, MessageEntry):
        return entry.id, f"{render_time(entry.message.time_s)} {entry.message.name}"
    made = entry.summary
    return made.id, f"{render_time(made.earliest_s)} {render_time(made.latest_s)}"


def _with_results(
    line: str, found: Sequence[tuple[str, Hold]], called: Mapping[str, Sequence[tuple[str, str | None]]]
) -> Iterator[tuple[str, Hold]]:
    """The sources of a line, each call that it has with an outcome followed by the call's result."""
    flat = _flat(line) if _OUTCOME in line else ""
    for name, hold in found:
        yield name, hold
        for what, result in called.get(name, ()) if flat else ():
            if result is not None and what in flat and result not in dict(found):
                yield result, hold


def _sources(line: str, held: Sequence[tuple[str, str, frozenset[str]]]) -> list[tuple[str, Hold]]:
    exact = {*find_paths(line), *(name for _, name in find_names(line))}
    words, said = set(_telling(line)), _flat(_MARK.sub("", line)).rstrip("…")
    is_said = max(len(words), len(said.split())) >= LEAST_SAID
    scored = [
        (
            name,
            (
                is_said and said in body,
                frozenset(one for one in exact if _flat(one) in body),
                len(words & known) / max(1, len(words)),
            ),
        )
        for name, body, known in held
    ]
    return strongest(scored)


def strongest(scored: Sequence[tuple[Name, Hold]]) -> list[tuple[Name, Hold]]:
    """The texts that contain a line best, in order, at most 8: verbatim, or with most of its identifiers and about the
    most words; without identifiers, with most of its words. In addition, the first text with each identifier that they
    lack."""
    most = max((len(hits) for _, (_, hits, _) in scored), default=0)
    if any(word_for_word for _, (word_for_word, _, _) in scored):
        kept = [place for place, (_, hold) in enumerate(scored) if hold[0]]
    else:
        kept = [place for place, (_, hold) in enumerate(scored) if len(hold[1]) == most]
    likest = max((scored[place][1][2] for place in kept), default=0.0)
    if not any(scored[place][1][0] or scored[place][1][1] for place in kept):
        likest = max(likest, LEAST_SHARE / LIKE_SHARE)
    kept = [place for place in kept if scored[place][1][0] or scored[place][1][2] >= likest * LIKE_SHARE]
    best = sorted(kept, key=lambda place: (-scored[place][1][2], place))[:MAX_SOURCES]
    has = {name for place in best for name in scored[place][1][1]}
    more: list[int] = []
    for place, (_, (_, hits, _)) in enumerate(scored):
        if not hits <= has and len(more) < MAX_IDENTIFIER_SOURCES:
            more.append(place)
            has |= hits
    return [scored[place] for place in sorted((*best, *more))]


def _flat(text: str) -> str:
    """A text in lower case, with single spaces."""
    return " ".join(text.split()).casefold()
