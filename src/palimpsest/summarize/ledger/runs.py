"""Commands that ran, where, and how they went; and what is awaited of calls whose results have not come.

Rules kept here:

- One line stands for a command wherever it ran, with the outcome of its newest run. What failed in another folder, and
  did not run there again, stays told beside it: that the tests of one package pass says nothing of another's.
- A run in a folder that is not known counts as one where the last was.
"""

from __future__ import annotations

import re
from typing import Literal

from palimpsest.patterns import later
from palimpsest.summarize.ledger.entries import (
    MAX_WAITING,
    Awaited,
    Entry,
    Ledger,
    entry_of,
)
from palimpsest.summarize.outcomes import Outcome

_FOLDER_SAID = later(
    r"^(?:\[Current working directory: |\(Current directory: |Shell cwd was reset to )"
    r"((?:/|[A-Za-z]:\\)[^\n\])]{0,300}?)(?:[\])]|[ \t]*$)",
    re.MULTILINE,
)
"""Where the next command runs, as results in the shapes of OpenHands, SWE-agent and Claude Code say at their end."""
FOLDER_CHARS = 600
MAX_ELSEWHERE = 4
"""Folders of which one command's failures are kept."""


def note_command(
    ledger: Ledger, text: str, *, kind: Literal["command", "segment"] = "command", folder: str = ""
) -> str:
    """Note that a command was run, in `folder` where that is known, and give its key; its outcome is filled in when
    the result comes.
    """
    key = " ".join(text.split())
    if not key:
        return ""
    entry = entry_of(ledger, kind, key, text)
    table = ledger.tables[kind]
    table[key] = table.pop(key)
    _move(entry, folder)
    entry.text, entry.label, entry.failed, entry.error = text, "", False, ""
    entry.runs += 1
    entry.used = ledger.position
    entry.met(ledger.seq, ledger.position)
    return key


def _move(entry: Entry, folder: str) -> None:
    """Take an entry to the folder in which its command runs now; how it went in the one before stays, if badly."""
    if folder and entry.folder not in ("", folder) and entry.failed:
        _fail_elsewhere(entry, entry.folder, entry.label)
    entry.folder = folder or entry.folder
    entry.elsewhere.pop(entry.folder, None)


def _fail_elsewhere(entry: Entry, folder: str, label: str) -> None:
    entry.elsewhere.pop(folder, None)
    entry.elsewhere[folder] = label
    if len(entry.elsewhere) > MAX_ELSEWHERE:
        del entry.elsewhere[next(iter(entry.elsewhere))]


def note_outcome(ledger: Ledger, awaited: Awaited, result: Outcome) -> None:
    """Note how a call went: in its command's line where it has one, else the error it ended with."""
    entry = ledger.tables["command"].get(awaited.key)
    if entry is None:
        return
    if awaited.folder in ("", entry.folder):
        entry.label, entry.failed = result.label, result.failed
        entry.error = result.error if result.failed else result.printed
    elif result.failed:
        _fail_elsewhere(entry, awaited.folder, result.label)
    entry.failures += result.failed
    entry.met(ledger.seq, entry.at)


def await_result(ledger: Ledger, call_id: str, awaited: Awaited) -> None:
    """Remember which command a call ran until its result comes."""
    ledger.waiting[call_id] = awaited
    if len(ledger.waiting) > MAX_WAITING:
        del ledger.waiting[next(iter(ledger.waiting))]


def note_folder(ledger: Ledger, result: str) -> None:
    """Note where the next command runs, if the result of one says so."""
    told = _FOLDER_SAID.findall(result[-FOLDER_CHARS:])
    if told:
        ledger.folder = told[-1].rstrip("/") or "/"


def how_it_went(entry: Entry, error: str = "") -> str:
    """The outcome of a command's newest run, `error` behind it; where it failed in other folders, each with its folder:
    `2 passed in /w/web; 1 failed in /w/api`.
    """
    again = error.lower().startswith(entry.label)
    outcome = entry.label + (error[len(entry.label) :] if again else f": {error}" if error else "")
    if not entry.elsewhere:
        return outcome
    others = (f"{label} in {folder}" for folder, label in entry.elsewhere.items())
    return "; ".join((f"{outcome or 'ran'} in {entry.folder}", *others))


def has_failed(entry: Entry) -> bool:
    """Whether a command's newest run failed, in any folder."""
    return entry.failed or bool(entry.elsewhere)
