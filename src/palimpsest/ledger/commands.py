"""Commands in a call: the line that represents one, the parts of a chain, and how they ended.

- A command on one line is kept exactly, because it may be run again; a longer one becomes a line.
- A chain is not divided inside quotes. Parts that only look around or print are not kept.
"""

from __future__ import annotations

import re
from typing import Literal

from palimpsest.lazy_regex import later
from palimpsest.ledger.entries import MAX_WAITING, Awaited, Entry, Ledger, entry_of
from palimpsest.ledger.extraction import (
    CHANGING_FOLDER,
    COMMENTED,
    FILE_WRITTEN,
    FILTER,
    HEREDOC,
    LINE_END,
    PASSIVE_SEGMENT,
    QUOTED,
    REDIRECTED,
    SEGMENT,
)
from palimpsest.text.cut import clip_words
from palimpsest.toolcalls.outcomes import Outcome

COMMAND_CHARS = 300
"""A command on one line, up to this length, is kept exactly: it may be run again."""
COMMAND_LINE_CHARS = 200
MAX_SEGMENTS = 8


def command_text(command: str) -> str:
    """A command as it was written if it is one line of at most 300 characters, else the line that represents it."""
    text = command.strip()
    return text if len(text) <= COMMAND_CHARS and len(text.splitlines()) == 1 else command_line(text)


def command_line(command: str) -> str:
    """A command on one line of at most 200 characters, without a leading `cd` and a here-document."""
    text = CHANGING_FOLDER.sub("", command[: COMMAND_LINE_CHARS * 8], count=1)
    heredoc = HEREDOC.search(text)
    if heredoc:
        text = text[: heredoc.end()] + " …"
    return clip_words(" ".join(_joined_lines(text).replace("`", "'").split()), COMMAND_LINE_CHARS)


def _joined_lines(command: str) -> str:
    """Several commands on one line, separated by `;` instead of line ends."""
    command = COMMENTED.sub("", command)
    if "\n" not in command.strip():
        return command
    masked = QUOTED.sub(lambda quoted: "x" * len(quoted[0]), command)
    parts: list[str] = []
    start = 0
    for found in LINE_END.finditer(masked):
        parts += [command[start : found.start()], "; "]
        start = found.end()
    return "".join((*parts, command[start:])).replace("\\\n", " ")


def segments(command: str) -> list[str]:
    """The parts of a command line that do something, without their redirections.

    A part with a line break is left out: as an entry it could forge a section.
    """
    head = command[: COMMAND_CHARS * 2].split("<<", 1)[0]
    masked = QUOTED.sub(lambda quoted: "x" * len(quoted[0]), head)
    borders = [match.span() for match in SEGMENT.finditer(masked)][: MAX_SEGMENTS * 2]
    found: list[str] = []
    for start, end in zip(
        [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(head)], strict=True
    ):
        text = REDIRECTED.sub("", head[start:end]).strip()
        fits = 8 <= len(text) <= COMMAND_LINE_CHARS and " " in text and len(text.splitlines()) == 1
        piped = head[max(0, start - 2) : start].endswith("|") and head[max(0, start - 2) : start] != "||"
        if fits and not PASSIVE_SEGMENT.match(text) and not (piped and FILTER.match(text)):
            found.append(text)
    return found[:MAX_SEGMENTS]


def only_writes(command: str, plain: str) -> bool:
    """Whether a command, `plain` without its here-documents, only writes a file. Nobody runs it again."""
    return plain != command and bool(FILE_WRITTEN.fullmatch(plain))


_FOLDER_SAID = later(
    r"^(?:\[Current working directory: |\(Current directory: |Shell cwd was reset to )"
    r"((?:/|[A-Za-z]:\\)[^\n\])]{0,300}?)(?:[\])]|[ \t]*$)",
    re.MULTILINE,
)
"""Where the next command runs, as results of OpenHands, SWE-agent and Claude Code say at their end."""
FOLDER_CHARS = 600
MAX_ELSEWHERE = 4
"""The most folders for which a command's failures are kept."""


def note_command(
    ledger: Ledger, text: str, *, kind: Literal["command", "segment"] = "command", folder: str = ""
) -> str:
    """Note that a command was run, in `folder` if that is known, and return its key. Its outcome is noted later."""
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
    """Move an entry to the folder in which its command runs now; a failure in the previous one is kept."""
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
    """Note how the command of a call ended."""
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
    """Remember which command a call ran until its result arrives."""
    ledger.waiting[call_id] = awaited
    if len(ledger.waiting) > MAX_WAITING:
        del ledger.waiting[next(iter(ledger.waiting))]


def note_folder(ledger: Ledger, result: str) -> None:
    """Note where the next command runs, if a result says so."""
    found = _FOLDER_SAID.findall(result[-FOLDER_CHARS:])
    if found:
        ledger.folder = found[-1].rstrip("/") or "/"


def how_it_went(entry: Entry, error: str = "") -> str:
    """The outcome of a command's newest run, with `error`; and its failures in other folders.

    `2 passed in /w/web; 1 failed in /w/api`
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
