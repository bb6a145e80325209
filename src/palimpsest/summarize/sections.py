"""The form of an extracted summary: a few headings, one line for each entry, readable by people, models and ourselves.

Rules kept here:

- Headings are fixed and English, entries keep their language. A section without entries is left out. What was asked for
  last is so in the part that the summary is of: long since, where others follow.
- What is written can be read back, so that condensing merges entries instead of guessing at prose. Text in an entry
  stands behind a dash on one line, so that no text can forge a heading.
- Files are written as folders with the files in them (`ledger/tree.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

from palimpsest.patterns import as_key, later
from palimpsest.summarize.ledger.tree import SEPARATOR

Section = Literal[
    "Goal",
    "Last request of this part",
    "Constraints",
    "Also said by the user",
    "Taken back by the user",
    "Decisions",
    "Files",
    "Commands",
    "Errors",
    "Identifiers",
    "Open tasks",
    "Notes",
]

SECTIONS: tuple[Section, ...] = get_args(Section)


_OTHERS: Mapping[str, Section] = {
    "constraints & preferences": "Constraints",
    "errors and rejected approaches": "Errors",
    "pending user request": "Last request of this part",
    "newest request": "Last request of this part",
}
"""Headings of the form that models are asked for and of older summaries, where an entry means the same as in ours."""
_BY_LOWER: Mapping[str, Section] = {**{section.lower(): section for section in SECTIONS}, **_OTHERS}
_HEADING = later(r"#{1,4} (" + "|".join(_BY_LOWER) + r")\s{0,4}(?::\s{0,4}(.*)|:?)", re.IGNORECASE)
"""A heading, and the entry that may stand on its line."""
_BULLET = later(r"[-*] ")
"""One alone: a rule that was typed in a list of its own may begin with another."""
_COMMAND = later(r"`([^`]{1,400})`(?: -> (.{1,400}?))?(?: \(x\d{1,5}(?:, \d{1,5} failed)?\))?")
_FAILED = later(r"exit -?[1-9]|error|(?:declined|stopped) by the user|[1-9]\d{0,5} (?:failed|failing|error)")
_GROUPS: Mapping[str, str] = {
    "symbol": "symbols",
    "link": "links",
    "hash": "hashes",
    "uuid": "uuids",
    "email": "emails",
    "ticket": "tickets",
    "code": "error codes",
    "version": "versions",
    "calendar": "dates",
    "port": "ports",
    "host": "hosts",
    "address": "addresses",
    "quantity": "quantities",
    "number": "numbers",
    "branch": "branches",
    "colour": "colours",
    "id": "ids",
}
TEXT_GROUPS = frozenset(_GROUPS)
"""Kinds of names that texts are searched for; other labels are keys of values."""
_SPACED = frozenset(("port", "quantity"))
"""Kinds of names that hold a space between a word without a figure and one with it: `port 5433`, `48.3 s`."""
_DIGIT = later(r"\d")
_GROUP_OF: Mapping[str, str] = {label: group for group, label in _GROUPS.items()}


def render(sections: Mapping[Section, Sequence[str]]) -> str:
    """The text of a summary, its sections in their fixed order."""
    shown: list[str] = []
    for section in SECTIONS:
        lines = sections.get(section, ())
        if lines:
            shown.append(f"## {section}")
            shown.extend(f"{_indent(line)}- {line.lstrip(' ')}" for line in lines)
    return "\n".join(shown)


def parse(text: str) -> dict[Section, list[str]]:
    """The entries of a text in our form, by section; {} where the text has none of our headings.

    Text before the first heading and under unknown ones counts as notes.
    """
    found: dict[Section, list[str]] = {}
    section: Section = "Notes"
    known = False
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line.strip())
        if heading:
            section, known = _BY_LOWER[as_key(heading[1])], True
            if entry := (heading[2] or "").strip():
                found.setdefault(section, []).append(entry)
        elif line.startswith("#"):
            section = "Notes"
        elif entry := _BULLET.sub("", line.strip(), count=1).strip():
            found.setdefault(section, []).append(_indent(line) + entry if section == "Files" else entry)
    return found if known else {}


def _indent(line: str) -> str:
    return " " * (len(line) - len(line.lstrip(" ")))


def command_entry(command: str, outcome: str, runs: int, failures: int = 0) -> str:
    """`` `make test` -> 3 passed (x3, 2 failed) ``: the outcome of the last of three runs."""
    said = f" -> {outcome}" if outcome else ""
    failed = f", {failures} failed" if failures else ""
    return f"`{command}`{said}" + (f" (x{runs}{failed})" if runs > 1 else "")


def parse_command(entry: str) -> tuple[str, str, bool]:
    """(command, outcome, whether it failed) of a command entry; an entry in another form is all command."""
    match = _COMMAND.fullmatch(entry)
    if not match:
        return entry, "", False
    outcome = match[2] or ""
    return match[1], outcome, bool(_FAILED.search(outcome))


def name_entries(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """One line for each group: `symbols: parse_token loginUser`; where one holds a space, `;` parts them. It ends the
    only one of a group whose names mostly hold none, so that it is read back as one.
    """
    return [f"{_GROUPS.get(group, group)}: {_joined(group, names)}" for group, names in groups.items()]


def _joined(group: str, names: Sequence[str]) -> str:
    if not any(" " in name for name in names):
        return " ".join(names)
    only = len(names) == 1 and group not in _SPACED
    return SEPARATOR.join(names) + SEPARATOR.rstrip() * only


def parse_names(entry: str) -> Iterator[tuple[str, str]]:
    """(group, name) of each name in an entry."""
    label, _, names = entry.partition(": ")
    group = _GROUP_OF.get(label, label)
    whole = group in _SPACED and not all(map(_DIGIT.search, names.split()))
    for name in names.split(";") if whole or ";" in names else names.split():
        if name.strip():
            yield group, name.strip()
