"""Commands in a call: the line that stands for one, and the parts of a chain.

Rules kept here:

- A command on one line is kept letter by letter, because it may be run again so; a longer one becomes a line.
- Nothing in quotes parts a command, and what only looks around or prints is no part of its own.
"""

from __future__ import annotations

from palimpsest.summarize.ledger.patterns import (
    CHANGING_FOLDER,
    COMMENTED,
    DULL_SEGMENT,
    FILE_WRITTEN,
    FILTER,
    HEREDOC,
    LINE_END,
    QUOTED,
    REDIRECTED,
    SEGMENT,
)
from palimpsest.text.cut import clip_words

COMMAND_CHARS = 300
"""A command on one line, up to here, is kept as it was written: it may be run again letter by letter."""
COMMAND_LINE_CHARS = 200
MAX_SEGMENTS = 8


def command_text(command: str) -> str:
    """A command as it was written if it is one line of at most 300 characters, else the line that stands for it."""
    text = command.strip()
    return text if len(text) <= COMMAND_CHARS and len(text.splitlines()) == 1 else command_line(text)


def command_line(command: str) -> str:
    """A command on one line of at most 200 characters: no `cd` in front, no here-document behind."""
    text = CHANGING_FOLDER.sub("", command[: COMMAND_LINE_CHARS * 8], count=1)
    heredoc = HEREDOC.search(text)
    if heredoc:
        text = text[: heredoc.end()] + " …"
    return clip_words(" ".join(_joined_lines(text).replace("`", "'").split()), COMMAND_LINE_CHARS)


def _joined_lines(command: str) -> str:
    """Several commands on one line, parted as they were by lines."""
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
    """The parts of a command line that do something, without their redirections; nothing in quotes parts them.

    One of several lines is left out: an entry that breaks could say what looks like a section of its own.
    """
    head = command[: COMMAND_CHARS * 2].split("<<", 1)[0]
    masked = QUOTED.sub(lambda quoted: "x" * len(quoted[0]), head)
    borders = [match.span() for match in SEGMENT.finditer(masked)][: MAX_SEGMENTS * 2]
    found: list[str] = []
    for start, end in zip(
        [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(head)], strict=True
    ):
        text = REDIRECTED.sub("", head[start:end]).strip()
        told = 8 <= len(text) <= COMMAND_LINE_CHARS and " " in text and len(text.splitlines()) == 1
        piped = head[max(0, start - 2) : start].endswith("|") and head[max(0, start - 2) : start] != "||"
        if told and not DULL_SEGMENT.match(text) and not (piped and FILTER.match(text)):
            found.append(text)
    return found[:MAX_SEGMENTS]


def only_writes(command: str, plain: str) -> bool:
    """Whether a command, which is `plain` without its here-documents, does nothing but write a file: the file says so,
    and nobody runs it again.
    """
    return plain != command and bool(FILE_WRITTEN.fullmatch(plain))
