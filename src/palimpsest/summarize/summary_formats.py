"""The forms of a model's summary, by their headings.

- A heading is recognised with hashes, bold type, a number, a colon, a shorter wording, and listed words of other
  languages.
- Text after a heading and a colon on the same line is the first line of its section. Bold words before a text are
  headings only if no heading of the text has hashes; otherwise they are labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import get_args

from palimpsest.lazy_regex import later
from palimpsest.settings import SummaryForm

_HEADING = later(
    r"\s{0,3}(?:(?P<hashes>#{1,4})\s{0,3}(?:\d{1,2}[.)]\s{0,2})?|(?:\d{1,2}[.)]\s{0,2})?(?=\*\*))(?:\*\*)?"
    r"(?P<title>[^\n#*:：]{2,60}?)(?:\*\*)?\s{0,2}(?:[:：](?:\*\*)?|(?<=\*\*)|\Z)\s{0,8}(?P<rest>\S.*)?\Z"
)
"""A heading: its hashes if it has any, its title, and the rest of the line."""
_MARK = later(r"\s{0,3}(#{1,4}) {0,3}\S")
_FENCE = later(r"\s{0,3}(```|~~~)")
_APART = later(r"[\W_]+")
_JOINS = later(r" (?:&|and|with) ")

HEADING_CHARS = 100
"""A longer line is no heading."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form's headings in order, and those of the newest request and of the open tasks ("" for none)."""

    headings: tuple[str, ...] = ()
    request: str = ""
    tasks: str = ""

    def heading_of(self, line: str) -> str:
        """The heading of a line, "" for any other line, and if text follows the heading."""
        match = _HEADING.match(line[:HEADING_CHARS].rstrip())
        return self._named(match["title"]) if match and not match["rest"] else ""

    def _named(self, words: str) -> str:
        """The heading with these words, "" for none."""
        return _spellings(self.headings).get(_plain(words), "")

    def _begun(self, line: str) -> re.Match[str] | None:
        """A known heading at the beginning of a line."""
        match = _HEADING.match(line)
        return match if match and self._named(match["title"]) else None

    def parse(self, text: str) -> list[tuple[str, list[str]]]:
        """(heading, lines) in the order of the text; the first heading is "" for the text before any heading.

        Headings of other forms are ordinary lines. Text after a heading and a colon is the first of its lines.
        """
        found: list[tuple[str, list[str]]] = [("", [])]
        lines = text.splitlines()
        fenced = fenced_lines(lines)
        begun = [None if at in fenced else self._begun(line) for at, line in enumerate(lines)]
        hashed = any(
            match and line.lstrip().startswith("#") for match, line in zip(begun, lines, strict=True)
        )
        for match, line in zip(begun, lines, strict=True):
            if match and (not match["rest"] or match["hashes"] or not hashed):
                found.append((self._named(match["title"]), [match["rest"]] if match["rest"] else []))
            else:
                found[-1][1].append(line)
        return found

    def insert(self, parsed: list[tuple[str, list[str]]], heading: str, lines: Iterable[str]) -> None:
        """Put lines under a heading of `parsed`, which is inserted in order if it is missing."""
        at = next((at for at in reversed(range(len(parsed))) if parsed[at][0] == heading), None)
        if at is None:
            order = self.headings.index(heading)
            behind = (at for at, (name, _) in enumerate(parsed) if name in self.headings[order:])
            parsed.insert(next(behind, len(parsed)), (heading, list(lines)))
            return
        body = [line.rstrip() for line in parsed[at][1]]
        fenced = fenced_lines(body)
        marks = (at for at, line in enumerate(body) if at not in fenced and _MARK.match(line))
        end = next(marks, len(body))
        parsed[at] = (heading, [*filter(None, body[:end]), *lines, *filter(None, body[end:])])


def written(parsed: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Sections as text."""
    blocks = ("\n".join([f"## {heading}", *lines] if heading else lines) for heading, lines in parsed)
    return "\n".join(block for block in blocks if block.strip())


def fenced_lines(lines: Sequence[str]) -> set[int]:
    """The lines inside fenced code; a fence that is never closed does not count."""
    found: set[int] = set()
    opened, sign = -1, ""
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence and opened < 0:
            opened, sign = at, fence[1]
        elif fence and fence[1] == sign and not line.strip(" `~"):
            found.update(range(opened + 1, at))
            opened = -1
    return found


def _plain(heading: str) -> str:
    return _APART.sub("", heading.lower())


@cache
def _wordings() -> Mapping[str, str]:
    """Other wordings of known headings, without spaces and punctuation, in several languages."""
    text = files("palimpsest.summarize").joinpath("headings.txt").read_text(encoding="utf-8")
    return dict(line.split(": ", 1) for line in text.splitlines())


@lru_cache(len(get_args(SummaryForm)))
def _spellings(headings: tuple[str, ...]) -> Mapping[str, str]:
    """The headings of a form by their wordings: listed ones, the first of two joined words, or the whole heading."""
    own = {heading.lower(): heading for heading in headings}
    found = {
        word: own[heading.lower()]
        for heading, words in _wordings().items()
        if heading.lower() in own
        for word in words.split()
    }
    for heading in reversed(headings):
        found.update({_plain(_JOINS.split(heading)[0]): heading, _plain(heading): heading})
    return found


FORMS: Mapping[SummaryForm, Form] = {
    "sections": Form(
        headings=(
            "Goal",
            "Constraints & preferences",
            "Progress",
            "Decisions",
            "Files",
            "Commands and outcomes",
            "Errors and rejected approaches",
            "Open tasks",
            "Pending user request",
            "Next steps",
            "Critical identifiers",
        ),
        request="Pending user request",
        tasks="Open tasks",
    ),
    "page": Form(headings=("Goal", "Progress", "Decisions", "Files", "Next Steps"), tasks="Next Steps"),
    "prose": Form(headings=("Goal",)),
}
