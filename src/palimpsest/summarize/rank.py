"""How much each thing gathered is worth keeping.

Rules kept here:

- The scores follow what was measured to be needed after a compaction: use in arguments before mention in words, what
  the user named last before all, edited before read, recency and frequency on curves that flatten.
- Ages are in characters from the end of the source; a scale of 8,000 is a few turns, one of 120,000 a long stretch.
- What scores the same keeps the order in which it was gathered.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from palimpsest.summarize.cut import clip
from palimpsest.summarize.evidence import CommandUse, Evidence, FileUse, Found, NameUse
from palimpsest.summarize.names import has_extension
from palimpsest.summarize.sections import command_entry, split_path
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.toolcalls import Deed

ERROR_CHARS = 120
MAX_FOLDERS = 32
"""Folders above a file that need no mention of their own."""
MAX_SHORT = 32
MAX_LONGER = 8
"""Paths of one file name that are compared with longer ones, and how many longer ones may match."""

_DEED_WORTH: Mapping[Deed, float] = {"named": 0.0, "read": 0.1, "deleted": 0.6, "written": 0.8, "edited": 0.9}
_KIND_WORTH: Mapping[str, float] = {
    "symbol": 0.0,
    "link": 0.5,
    "hash": 0.5,
    "uuid": 0.2,
    "email": 0.3,
    "ticket": 0.8,
    "code": 0.6,
    "version": -0.2,
    "port": 0.9,
    "number": -0.8,
}
KEYED_WORTH = 1.0
NAME_LEAST = 0.9
"""Names below this score are left out even where there is room."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate: `text` is what is counted, `order` its place among those chosen, `item` what it is."""

    text: str
    score: float
    order: int
    item: str | FileUse | CommandUse | NameUse


def _sorted(candidates: Iterable[Ranked]) -> list[Ranked]:
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.order))


def rank_lines(found: Iterable[Found], evidence: Evidence, focus: frozenset[str]) -> list[Ranked]:
    """Rules, decisions or errors, best first; those that hold a term of the focus before the others."""
    return _sorted(_lines(found, evidence, focus))


def rank_files(evidence: Evidence) -> list[Ranked]:
    """Files, best first, without folders that a file's own path names."""
    return _sorted(_files(evidence))


def rank_commands(evidence: Evidence) -> list[Ranked]:
    """Commands, best first: recent, repeated, failed and testing ones before those that only look at something."""
    return _sorted(_commands(evidence))


def rank_names(evidence: Evidence) -> list[Ranked]:
    """Names and keyed values, best first."""
    return _sorted(_names(evidence))


def _lines(found: Iterable[Found], evidence: Evidence, focus: frozenset[str]) -> Iterable[Ranked]:
    for at, line in enumerate(found):
        age = evidence.position - line.position
        score = (
            line.weight + 0.6 * math.exp(-age / 60_000) + 0.3 * math.log(line.times) - len(line.text) / 800
        )
        if focus and not focus.isdisjoint(terms(line.text)):
            score += 1.0
        yield Ranked(line.text, score, at, line.text)


def _files(evidence: Evidence) -> Iterable[Ranked]:
    uses = _merged(evidence.files)
    folders = {folder for use in uses for folder in _folders(use.path)}
    for at, use in enumerate(uses):
        if use.path in folders and use.deed != "deleted":
            continue
        age, age_used = evidence.position - use.position, evidence.position - use.used
        folder = use.deed == "named" and not has_extension(use.path)
        score = (
            _DEED_WORTH[use.deed]
            - 0.6 * folder
            + 0.5 * math.log1p(use.messages)
            + 0.3 * math.exp(-age / 8_000)
        )
        if use.used >= 0:
            score += 1.0 + 0.7 * math.exp(-age_used / 120_000) + 0.35 * math.log1p(use.uses)
        if use.by_user >= 0:
            score += 1.5 if use.by_user == evidence.newest_message else 0.6
        name = split_path(use.path)[1]
        yield Ranked(f"{name} {use.deed}" if use.deed != "named" else name, score, at, use)


def _folders(path: str) -> Iterable[str]:
    folder, name = split_path(path)
    for _ in range(MAX_FOLDERS):
        if not name or folder in (".", "/"):
            break
        yield folder
        folder, name = split_path(folder)


def _merged(files: Mapping[str, FileUse]) -> list[FileUse]:
    """Uses by path, a path that is the end of exactly one longer one counted with it."""
    by_name: dict[str, list[str]] = {}
    for path in files:
        by_name.setdefault(split_path(path)[1], []).append(path)
    uses = dict(files)
    for paths in by_name.values():
        for short in sorted(paths, key=len)[:MAX_SHORT]:
            longer = [
                path
                for path in paths
                if len(path) > len(short) and path.endswith(("/" + short, "\\" + short))
            ]
            if len(longer) > MAX_LONGER:
                continue
            whole = [
                path
                for path in longer
                if not any(path != more and more.endswith("/" + path) for more in longer)
            ]
            if len(whole) == 1 and short in uses and whole[0] in uses:
                uses[whole[0]] = _both(uses.pop(short), uses[whole[0]])
    return list(uses.values())


def _both(short: FileUse, whole: FileUse) -> FileUse:
    deed = whole.deed if _DEED_WORTH[whole.deed] >= _DEED_WORTH[short.deed] else short.deed
    return FileUse(
        whole.path,
        deed,
        max(short.position, whole.position),
        max(short.used, whole.used),
        short.uses + whole.uses,
        short.messages + whole.messages,
        max(short.last_message, whole.last_message),
        max(short.by_user, whole.by_user),
    )


def _commands(evidence: Evidence) -> Iterable[Ranked]:
    for at, use in enumerate(evidence.commands.values()):
        age = evidence.position - use.position
        score = 0.8 * math.exp(-age / 40_000) + 0.6 * math.log(use.runs) + (0.5 if use.failed else 0.0)
        score += 0.6 if any(sign in use.outcome for sign in ("passed", "failed")) else 0.0
        score -= 0.8 if _looks(use.text) else 0.0
        outcome = (
            f"{use.outcome}: {clip(use.error, ERROR_CHARS)}" if use.failed and use.error else use.outcome
        )
        yield Ranked(command_entry(use.text, outcome, use.runs), score - len(use.text) / 600, at, use)


_LOOKING = (
    "ls",
    "cat",
    "pwd",
    "cd",
    "head",
    "tail",
    "grep",
    "rg",
    "find",
    "sed -n",
    "wc",
    "echo",
    "tree",
    "which",
    "nl",
)


def _looks(command: str) -> bool:
    return any(command == word or command.startswith(word + " ") for word in _LOOKING)


def _names(evidence: Evidence) -> Iterable[Ranked]:
    for at, use in enumerate(evidence.names.values()):
        age, age_used = evidence.position - use.position, evidence.position - use.used
        score = _KIND_WORTH.get(use.group, KEYED_WORTH) + math.log1p(use.messages)
        score += 0.9 * math.exp(-age / 120_000) + 0.4 * math.exp(-age / 30_000)
        if use.used >= 0:
            score += 0.9 + 1.2 * math.exp(-age_used / 8_000) + 0.5 * math.exp(-age_used / 120_000)
        if use.by_user >= 0:
            score += 1.8 if use.by_user == evidence.newest_message else 1.0
        if not use.messages:
            score -= 0.8
        if score >= NAME_LEAST:
            yield Ranked(use.name, score, at, use)
