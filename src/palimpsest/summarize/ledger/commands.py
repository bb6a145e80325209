"""Commands in a call and in a text: the line that stands for one, the parts of a chain, and what somebody wrote down.

Rules kept here:

- A command on one line is kept letter by letter, because it may be run again so; a longer one becomes a line.
- Nothing in quotes parts a command, and what only looks around or prints is no part of its own.
- In prose a command ends where it is clear that nothing more belongs to it; in backticks and in blocks it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from palimpsest.patterns import later
from palimpsest.summarize.cut import clip_words

COMMAND_CHARS = 300
"""A command on one line, up to here, is kept as it was written: it may be run again letter by letter."""
COMMAND_LINE_CHARS = 200
MAX_SEGMENTS = 8

_HEREDOC = later(r"<<-?\s{0,2}['\"]?\w{1,40}['\"]?")
_FILE_WRITTEN = later(r"\s*(?:cat|tee(?: -a)?)[ \t]*>{0,2}[ \t]*[^\s;&|<>]{1,300}\s*")
_CHANGING_FOLDER = later(r"cd [^\s;&|]{1,200} ?(?:&&|;) ?")
_SEGMENT = later(r"&&|\|\||[;|\n]")
_QUOTED = later(r"'[^']{0,2000}'|\"(?:[^\"\\]|\\.){0,2000}\"", re.DOTALL)
_LINE_END = later(
    r"(?<![\\|&;({\s])(?<!\bdo)(?<!\bthen)(?<!\belse)[ \t]{0,40}(?:\n[ \t]{0,40}){1,8}(?=[^\s|&)}])"
)
"""The end of a line that is the end of a command."""
_COMMENTED = later(r"^[ \t]{0,40}#(?!!)[^\n]*(?:\n|\Z)", re.MULTILINE)
_REDIRECTED = later(r"\s{0,4}(?:2>&1|\d?>\s?/dev/null)")
_DULL_SEGMENT = later(
    r"(?:cd|echo|ls|cat|head|tail|wc|sort|uniq|true|false|sleep|pwd|exit|fi|done|do|then|else|if|for|while|printf|"
    r"export|xargs|tee)\b|#"
)
_FILTER = later(
    r"(?:sed|g?awk|[ef]?grep|rg|jq|yq|tr|cut|column|fold|nl|tac|rev|paste|less|more|perl -\w{0,4}e)\b"
)
"""What behind a pipe only picks from an output: it is never run by itself."""

_OPTIONS = r"(?: --?[\w-]{1,30}(?:=[\w./:@-]{1,40})?)"
_END = r"(?=[.,;:!?)`'\"\n]| \(|$)"
_MENTIONED = later(
    r"`((?:npm|npx|pnpm|yarn|bun|make|python3?|pytest|uv|uvx|cargo|go|git|gh|docker|node|ruff|mypy|tox|gradle|mvn|just|"
    r"deno|php|composer|bundle|rails|rake|dotnet|swift|\./[\w./-]{1,80}) [^`\n]{2,120})`"
    r"|\"(git [a-z-]{2,20} --[a-z-]{2,30})\""
    r"|(?<![\w`/.-])("
    r"(?:(?:npm|pnpm|yarn|bun) run [\w:.-]{0,40}[\w-]|(?:npm|pnpm|yarn) (?:install|test|ci|start)|"
    r"cargo (?:build|test|check|run|clippy|fmt))(?:(?![\w=-]| -)|" + _OPTIONS + r"{1,2}" + _END + r")|"
    r"(?:npx [\w@/.-]{1,40}[\w-]|uv run [\w.-]{1,40}[\w-])" + _OPTIONS + r"{0,2}" + _END + r")"
)
"""Commands that somebody wrote down: whole ones in backticks, the runners' own short forms anywhere, with options only
where it is clear that nothing follows them, and what git advises to do next."""
_RUNNERS = ("`", '"git ', "npm ", "yarn ", "bun ", "npx ", "uv run ", "cargo ")
"""One of them stands in every such command."""
_SHELL_FENCE = later(r"^[ \t]{0,8}```(?:bash|sh|shell|zsh|console)\n(.{1,4000}?)^[ \t]{0,8}```", re.M | re.S)
_SHELL_LINE = later(r"^[ \t]{0,12}(?:\$ )?([a-z.~][^\n<>`]{6,118}[^\s\\<>`])[ \t]{0,8}$", re.M)
"""A command in a block of commands, of one line and with nothing to fill in."""
_COMMENT = later(r"[ \t]{1,60}#(?![\w!]).*$")
_DRAWN = later(r"^\S{1,60}/ |[→─│├└]")
"""A folder with what it is for: a tree drawn in such a block."""
MAX_SHELL_LINES = 20
_TO_FILL_IN = later(r"<[a-z][\w -]{1,40}>|\[[a-z][\w -]{1,40}\](?!\()|\.\.\.(?!/)|…|\byour[-_]\w|\bpath/to/")
"""A form of a command, in which somebody is to put something."""


def mentioned(block: str) -> Iterator[str]:
    """The commands that somebody wrote down in a block of text, of a chain each part as well."""
    for command in _written_down(block):
        if _TO_FILL_IN.search(command):
            continue
        yield command
        parts = segments(command)
        yield from parts if len(parts) > 1 else ()


def _written_down(block: str) -> Iterator[str]:
    if any(runner in block for runner in _RUNNERS):
        for found in _MENTIONED.finditer(block):
            yield found[1] or found[2] or found[3]
    for fence in _SHELL_FENCE.finditer(block) if "```" in block else ():
        for line in islice(_SHELL_LINE.finditer(fence[1]), MAX_SHELL_LINES):
            command = _COMMENT.sub("", line[1])
            if " " in command and not _DRAWN.search(command):
                yield command


def command_text(command: str) -> str:
    """A command as it was written if it is one line of at most 300 characters, else the line that stands for it."""
    text = command.strip()
    return text if len(text) <= COMMAND_CHARS and len(text.splitlines()) == 1 else command_line(text)


def command_line(command: str) -> str:
    """A command on one line of at most 200 characters: no `cd` in front, no here-document behind."""
    text = _CHANGING_FOLDER.sub("", command[: COMMAND_LINE_CHARS * 8], count=1)
    heredoc = _HEREDOC.search(text)
    if heredoc:
        text = text[: heredoc.end()] + " …"
    return clip_words(" ".join(_joined_lines(text).replace("`", "'").split()), COMMAND_LINE_CHARS)


def _joined_lines(command: str) -> str:
    """Several commands on one line, parted as they were by lines."""
    command = _COMMENTED.sub("", command)
    if "\n" not in command.strip():
        return command
    masked = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), command)
    parts: list[str] = []
    start = 0
    for found in _LINE_END.finditer(masked):
        parts += [command[start : found.start()], "; "]
        start = found.end()
    return "".join((*parts, command[start:])).replace("\\\n", " ")


def segments(command: str) -> list[str]:
    """The parts of a command line that do something, without their redirections; nothing in quotes parts them.

    One of several lines is left out: an entry that breaks could say what looks like a section of its own.
    """
    head = command[: COMMAND_CHARS * 2].split("<<", 1)[0]
    masked = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), head)
    borders = [match.span() for match in _SEGMENT.finditer(masked)][: MAX_SEGMENTS * 2]
    found: list[str] = []
    for start, end in zip(
        [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(head)], strict=True
    ):
        text = _REDIRECTED.sub("", head[start:end]).strip()
        told = 8 <= len(text) <= COMMAND_LINE_CHARS and " " in text and len(text.splitlines()) == 1
        piped = head[max(0, start - 2) : start].endswith("|") and head[max(0, start - 2) : start] != "||"
        if told and not _DULL_SEGMENT.match(text) and not (piped and _FILTER.match(text)):
            found.append(text)
    return found[:MAX_SEGMENTS]


def only_writes(command: str, plain: str) -> bool:
    """Whether a command, which is `plain` without its here-documents, does nothing but write a file: the file says so,
    and nobody runs it again.
    """
    return plain != command and bool(_FILE_WRITTEN.fullmatch(plain))
