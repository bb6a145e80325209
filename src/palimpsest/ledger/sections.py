"""The sections of a ledger as text: a few headings, and one line for each entry.

- Headings are fixed and English, entries keep their language. A section without entries is left out.
- The text can be parsed again. Each entry is on one line after a dash, so that no text can forge a heading.
- Files are written as folders with the files in them (`file_tree`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

from palimpsest.lazy_regex import later
from palimpsest.ledger.file_tree import SEPARATOR

Section = Literal["Files", "Commands", "Identifiers", "Open tasks"]

SECTIONS: tuple[Section, ...] = get_args(Section)
_BY_HEADING: Mapping[str, Section] = {f"## {section}": section for section in SECTIONS}

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
"""Kinds of names that are found in texts; other labels are keys of values."""
_SPACED = frozenset(("port", "quantity"))
"""Kinds of names with a space between a word and a number: `port 5433`, `48.3 s`."""
_DIGIT = later(r"\d")
_GROUP_OF: Mapping[str, str] = {label: group for group, label in _GROUPS.items()}


def render(sections: Mapping[Section, Sequence[str]]) -> str:
    """The text of the sections, in their fixed order."""
    shown: list[str] = []
    for section in SECTIONS:
        lines = sections.get(section, ())
        if lines:
            shown.append(f"## {section}")
            shown.extend(f"{_indent(line)}- {line.lstrip(' ')}" for line in lines)
    return "\n".join(shown)


def parse(text: str) -> dict[Section, list[str]]:
    """The entries of the sections in a text, by their headings."""
    found: dict[Section, list[str]] = {}
    section: Section | None = None
    for line in text.splitlines():
        if line.startswith("#"):
            section = _BY_HEADING.get(line.rstrip(" :"))
        elif section and (entry := line.strip().removeprefix("- ").removeprefix("* ").strip()):
            found.setdefault(section, []).append(_indent(line) + entry if section == "Files" else entry)
    return found


def _indent(line: str) -> str:
    return " " * (len(line) - len(line.lstrip(" ")))


def command_entry(command: str, outcome: str, runs: int, failures: int = 0) -> str:
    """`` `make test` -> 3 passed (x3, 2 failed) ``: the outcome of the last of three runs."""
    arrow = f" -> {outcome}" if outcome else ""
    failed = f", {failures} failed" if failures else ""
    return f"`{command}`{arrow}" + (f" (x{runs}{failed})" if runs > 1 else "")


def name_entries(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """One line for each group: `symbols: parse_token loginUser`. Names with spaces are separated by `;`.

    A single name with spaces ends with `;` as well, so that it is parsed as one name.
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
