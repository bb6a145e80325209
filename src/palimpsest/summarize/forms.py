"""The forms a model's summary can have: which headings, and which of them rules can fill.

Rules kept here:

- A heading is recognised however a model decorates it: hashes, bold type, a number, a colon, a shorter wording.
- What the rules know of is put under the heading of the form that it belongs to. Prose has no headings; what the user
  demanded and a prose summary leaves out follows it under ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.settings import SummaryForm
from palimpsest.summarize.sections import Section

_HEADING = later(
    r"\s{0,3}(?:#{1,4}\s{0,3}(?:\d{1,2}[.)]\s{0,2})?|(?:\d{1,2}[.)]\s{0,2})?(?=\*\*))(?:\*\*)?([^\n#*:：]{2,60}?)(?:\*\*)?\s{0,2}[:：]?(?:\*\*)?\s*"
)
_APART = later(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Form:
    """A form's headings in order; where the facts of each section of ours go; the heading of the newest request.

    `others` are further wordings of a heading.
    """

    headings: tuple[str, ...]
    homes: Mapping[Section, str]
    request: str = ""
    others: Mapping[str, str] | None = None

    def heading_of(self, line: str) -> str:
        """The heading that a line is, "" for any other line."""
        match = _HEADING.fullmatch(line[:100])
        if not match:
            return ""
        said = _plain(match[1])
        for heading in self.headings:
            if said == _plain(heading) or said == _plain(re.split(r" (?:&|and|with) ", heading)[0]):
                return heading
        return (self.others or {}).get(said, "")

    def parse(self, text: str) -> list[tuple[str, list[str]]]:
        """(heading, lines) in the order of the text; the first is "" for what stands before any heading. Headings of
        other forms are lines like others.
        """
        found: list[tuple[str, list[str]]] = [("", [])]
        for line in text.splitlines():
            heading = self.heading_of(line)
            if heading:
                found.append((heading, []))
            else:
                found[-1][1].append(line)
        return found


def _plain(heading: str) -> str:
    return _APART.sub("", heading.lower())


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
        homes={
            "Goal": "Goal",
            "Constraints": "Constraints & preferences",
            "Decisions": "Decisions",
            "Files": "Files",
            "Commands": "Commands and outcomes",
            "Errors": "Errors and rejected approaches",
            "Identifiers": "Critical identifiers",
            "Open tasks": "Open tasks",
        },
        request="Pending user request",
        others={
            "decisionswithrationale": "Decisions",
            "identifiers": "Critical identifiers",
            "newestrequest": "Pending user request",
            "lastrequestofthispart": "Pending user request",
            "todo": "Open tasks",
            "opentodos": "Open tasks",
        },
    ),
    "page": Form(
        headings=("Goal", "Progress", "Decisions", "Files", "Next Steps"),
        homes={
            "Goal": "Goal",
            "Constraints": "Goal",
            "Decisions": "Decisions",
            "Files": "Files",
            "Commands": "Progress",
            "Errors": "Progress",
            "Identifiers": "Progress",
            "Open tasks": "Next Steps",
        },
        others={"decisionswithrationale": "Decisions"},
    ),
    "prose": Form(
        headings=("Goal", "Constraints", "Open tasks"),
        homes={"Goal": "Goal", "Constraints": "Constraints", "Open tasks": "Open tasks"},
    ),
}
