"""What a summary has from tools, set apart from what people said: no text of a tool's may stand in the system role.

Rules kept here:

- A line, or a sentence of prose, is a tool's where two words stand in it side by side that results have so, and that
  neither the user nor the agent's own prompt has. The assistant repeats what it reads, so that its words clear nothing.
  A word by itself, paths, links and names of code tell nobody anything, and stay.
- It stands behind `TOOLS_SAID`, under its heading again. That line is there also where nothing is: a summary without it
  was made for another place, and all of it counts as a tool's.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import pairwise

from palimpsest.patterns import later
from palimpsest.record.summary import TOOLS_SAID, parted_by_speaker
from palimpsest.summarize.sentences import PIECE, terms
from palimpsest.summarize.source import Source
from palimpsest.summarize.visible import told

SLICE_CHARS = 4_000
"""Characters whose words are taken between two pauses."""
_BULLETS = ("- ", "* ", "• ")
_NAME = later(r"[\w.~@:-]{0,200}(?:[/\\_=<>{}][\w.~@:-]{0,200})+|\w{1,60}\.\w{1,12}\b")

Pair = tuple[str, str]


def tools_apart(text: str, source: Source) -> Generator[None, None, str]:
    """A summary of a source with what it has from tools behind `TOOLS_SAID`. Yields between small pieces of work."""
    people, tools = set[Pair](), set[Pair]()
    for said, is_read in _texts(source):
        for start in range(0, len(said), SLICE_CHARS):
            (tools if is_read else people).update(_pairs(said[start : start + SLICE_CHARS]))
            yield
    theirs = tools - people
    parts = (list[str](), list[str]())
    shown = ["", ""]
    heading = ""
    for line in text.splitlines():
        if line.strip() == TOOLS_SAID:
            continue
        if line.startswith("#") and not _has(line, theirs):
            heading = line
            continue
        for part, its in enumerate(_by_speaker(line, theirs)):
            if its.strip() and heading and shown[part] != heading:
                parts[part].append(heading)
                shown[part] = heading
            if its or not line:
                parts[part].append(its)
        yield
    spoken, read = parts
    return "\n".join((*spoken, TOOLS_SAID, *read)).strip()


def _by_speaker(line: str, theirs: set[Pair]) -> tuple[str, str]:
    """What of a line is people's, and what is a tool's: a line of a list as a whole, any other by its sentences."""
    if not _has(line, theirs):
        return line, ""
    if line.lstrip().startswith(_BULLETS):
        return "", line
    pieces = [(one, _has(one, theirs)) for one in PIECE.split(line)]
    spoken, read = (
        " ".join(one for one, is_read in pieces if is_read == of_tools) for of_tools in (False, True)
    )
    return (spoken, read) if read else ("", line)


def _texts(source: Source) -> Iterator[tuple[str, bool]]:
    """The texts of a source, and whether tools say them; those of the assistant are neither's."""
    yield from (
        (one, False) for one in (source.system, source.goal, source.newer_goal, source.focus, *source.rules)
    )
    for summary in source.summaries:
        spoken, read = parted_by_speaker(summary)
        yield from ((spoken, False), (read, True))
    for message in source.messages:
        if message.role == "user":
            yield message.text, False
        yield from ((told(one.text), True) for one in message.results)


def _pairs(text: str) -> Iterator[Pair]:
    return pairwise(terms(_NAME.sub(" / ", text)))


def _has(text: str, theirs: set[Pair]) -> bool:
    return any(pair in theirs for pair in _pairs(text))
