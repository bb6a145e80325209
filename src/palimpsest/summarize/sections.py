"""The form of an extracted summary: a few headings, one line for each entry, readable by people, models and ourselves.

Rules kept here:

- Headings are fixed and English, entries keep their language. A section without entries is left out.
- What is written can be read back, so that condensing merges entries instead of guessing at prose. Text in an entry
  stands behind a dash on one line, so that no text can forge a heading.
- Files are written as folders with the files in them, below lines that name their roots: forty paths cost a quarter of
  the tokens, and every path can still be put together exactly. Each root has its own line, since a wrong root is worse
  than a long path. Names before the first root line are relative to nobody knows what, as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

from palimpsest.summarize.toolcalls import DEEDS, Deed

Section = Literal[
    "Goal",
    "Newest request",
    "Constraints",
    "Decisions",
    "Files",
    "Commands",
    "Errors",
    "Identifiers",
    "Open tasks",
    "Notes",
]

SECTIONS: tuple[Section, ...] = get_args(Section)

MAX_ROOTS = 6
MIN_ROOT_DEPTH = 2
"""Folders in a root, at least: `/home` alone says nothing."""
ROOT_OVERHEAD = 6
"""Characters that a root line costs besides the root."""
SEPARATOR = "; "

_HEADING = re.compile(r"#{1,4} (" + "|".join(SECTIONS) + r")\s{0,4}:?\s{0,4}", re.IGNORECASE)
_BY_LOWER: Mapping[str, Section] = {section.lower(): section for section in SECTIONS}
_COMMAND = re.compile(r"`([^`]{1,400})`(?: -> (.{1,400}?))?(?: \(x\d{1,5}\))?")
_FAILED = re.compile(r"exit -?[1-9]|error|[1-9]\d{0,5} (?:failed|failing|error)")
_GROUPS: Mapping[str, str] = {
    "symbol": "symbols",
    "link": "links",
    "hash": "hashes",
    "uuid": "uuids",
    "email": "emails",
    "ticket": "tickets",
    "code": "error codes",
    "version": "versions",
    "port": "ports",
    "number": "numbers",
}
_GROUP_OF: Mapping[str, str] = {label: group for group, label in _GROUPS.items()}


def render(sections: Mapping[Section, Sequence[str]]) -> str:
    """The text of a summary, its sections in their fixed order."""
    shown: list[str] = []
    for section in SECTIONS:
        lines = sections.get(section, ())
        if lines:
            shown.append(f"## {section}")
            shown.extend(f"- {line}" for line in lines)
    return "\n".join(shown)


def parse(text: str) -> dict[Section, list[str]]:
    """The entries of a text in our form, by section; {} where the text has none of our headings.

    Text before the first heading and under unknown ones counts as notes.
    """
    found: dict[Section, list[str]] = {}
    section: Section = "Notes"
    known = False
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line.strip()[:80])
        if heading:
            section, known = _BY_LOWER[heading[1].lower()], True
        elif line.startswith("#"):
            section = "Notes"
        elif entry := line.strip().removeprefix("- ").removeprefix("* ").strip():
            found.setdefault(section, []).append(entry)
    return found if known else {}


def command_entry(command: str, outcome: str, runs: int) -> str:
    """`` `make test` -> 3 passed (x2) ``"""
    said = f" -> {outcome}" if outcome else ""
    return f"`{command}`{said}" + (f" (x{runs})" if runs > 1 else "")


def parse_command(entry: str) -> tuple[str, str, bool]:
    """(command, outcome, whether it failed) of a command entry; an entry in another form is all command."""
    match = _COMMAND.fullmatch(entry)
    if not match:
        return entry, "", False
    outcome = match[2] or ""
    return match[1], outcome, bool(_FAILED.search(outcome))


def name_entries(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """One line for each group: `symbols: parse_token; loginUser`."""
    return [f"{_GROUPS.get(group, group)}: {SEPARATOR.join(names)}" for group, names in groups.items()]


def parse_names(entry: str) -> Iterator[tuple[str, str]]:
    """(group, name) of each name in an entry."""
    label, _, names = entry.partition(": ")
    for name in names.split(SEPARATOR):
        if name.strip():
            yield _GROUP_OF.get(label, label), name.strip()


def split_path(path: str) -> tuple[str, str]:
    """(folder, name): ("/" , "x") for `/x`, (".", "x") for a bare name."""
    cut = max(path.rfind("/"), path.rfind("\\"))
    if cut < 0:
        return ".", path
    return path[:cut] or "/", path[cut + 1 :]


def join_path(folder: str, name: str) -> str:
    """The path of which `split_path` gives these two."""
    if folder in (".", "/"):
        return name if folder == "." else f"/{name}"
    return f"{folder}{_mark(folder)}{name}"


def _mark(folder: str) -> str:
    return "\\" if "\\" in folder and "/" not in folder else "/"


def file_entries(files: Sequence[tuple[str, Deed]]) -> list[str]:
    """Folder lines with their files and what was done to each, below lines for the roots that several folders share."""
    folders: dict[str, list[str]] = {}
    for path, deed in files:
        folder, name = split_path(path)
        folders.setdefault(folder, []).append(name if deed == "named" else f"{name} {deed}")
    roots = _roots([folder for folder in folders if folder.startswith(("/", "~")) or folder[1:2] == ":"])
    placed: dict[str, list[str]] = {}
    for folder, names in folders.items():
        root = roots.get(folder, "")
        inner = (folder[len(root) + 1 :] or ".") if root else folder
        placed.setdefault(root, []).append(f"{inner}: {SEPARATOR.join(names)}")
    lines = placed.pop("", [])
    for root, entries in placed.items():
        lines += [f"root {root}", *entries]
    return lines


def _roots(folders: Sequence[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for _ in range(MAX_ROOTS):
        below: dict[str, list[str]] = {}
        for folder in folders:
            if folder not in chosen:
                for root in _ancestors(folder):
                    below.setdefault(root, []).append(folder)
        best = max(below, key=lambda root: (_gain(root, len(below[root])), root), default="")
        if not best or _gain(best, len(below[best])) <= 0:
            break
        chosen.update((folder, best) for folder in below[best])
    return chosen


def _ancestors(folder: str) -> Iterator[str]:
    mark = _mark(folder)
    steps = folder.split(mark)
    for depth in range(MIN_ROOT_DEPTH + 1, len(steps) + 1):
        yield mark.join(steps[:depth])


def _gain(root: str, folders: int) -> int:
    return (folders - 1) * len(root) - ROOT_OVERHEAD


def parse_files(entries: Sequence[str]) -> Iterator[tuple[str, Deed]]:
    """(path, deed) of each file in the entries of a Files section."""
    root = ""
    for entry in entries:
        if entry.startswith("root "):
            root = entry.removeprefix("root ").strip()
            continue
        folder, found, names = entry.partition(": ")
        if not found:
            continue
        base = join_path(root, folder) if root and folder != "." else root or folder
        for item in names.split(SEPARATOR):
            if item.strip():
                name, deed = _marked(item.strip())
                yield join_path(base, name), deed


def _marked(item: str) -> tuple[str, Deed]:
    name, _, mark = item.rpartition(" ")
    for deed in DEEDS[1:]:
        if name and mark == deed:
            return name, deed
    return item, "named"
