"""The files in a shell command, and what it does to them.

- Quoted text is no path unless it looks like a file's path. Comments and here-documents are ignored.
- Redirections, `tee` and `touch` write, `sed -i` edits, `rm` deletes, and `mv` deletes the old name; the same commands
  of PowerShell do the same. Other files are read by commands that show text, and else only named.
- What git checks out or restores is as it was before.
- After `cd`, relative paths are below that folder, in brackets up to their end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from posixpath import normpath

from palimpsest.lazy_regex import later
from palimpsest.text.identifiers import find_paths, has_extension, is_path
from palimpsest.toolcalls.file_operation_kinds import FileOperation

COMMAND_CHARS = 2_000
"""Characters of a command that are searched for paths and names."""
MAX_STEPS = 100

WRITING = later(
    r"(?:(?<![-=>])>>?|\btee(?: -a)?|\btouch|^create|"
    r"\b(?:[Ss]et-[Cc]ontent|[Aa]dd-[Cc]ontent|[Oo]ut-[Ff]ile)(?: -(?:(?:File)?Path|LiteralPath|Append|Force))*) ?"
    r"([^\s;|&<>'\"()]{1,300})"
)
OPERANDS = r"(?P<operands>(?:[ \t]{1,8}[^\s;&|<>'\"]{1,300}){1,40})"
EDITING = later(r"\bsed" + OPERANDS)
BEGIN = r"(?:^|[;&|({\n])[ \t]{0,8}(?:(?:then|do|else|sudo)[ \t]{1,8}){0,2}"
GIT = r"git[ \t]{1,8}"
ELSEWHERE = later(r"\bgit[ \t]{1,8}-C[ \t]{1,8}([^\s;&|<>'\"()]{1,300})([ \t]{1,8}[^;&|\n()]{1,600})")
"""Git that works in another folder, as after `cd`."""
DELETING = later(BEGIN + rf"(?:{GIT})?(?:rm|[Rr]emove-[Ii]tem|del)" + OPERANDS)
"""`rm` at the beginning of a command: `docker rm` and `--rm` delete no file."""
MOVING = later(BEGIN + rf"(?:{GIT})?(?P<program>mv|cp|[Mm]ove-[Ii]tem|[Cc]opy-[Ii]tem)" + OPERANDS)
RESTORING = later(BEGIN + GIT + r"(?P<program>checkout|restore)" + OPERANDS)
IN_PLACE = later(r"-[A-Za-z]{0,4}i(?:\.\w{1,12})?|--in-place(?:=\S{1,40})?")
WALKABLE = later(r"[^$`*?\[\]{}-][^$`*?\[\]{}]*")
"""A folder whose name is literal."""
QUOTED = later(r"'([^']{0,400})'|\"((?:[^\"\\]|\\.){0,400})\"|(?<![^\s;])#[^\n]{0,2000}")
"""Quoted text, or a comment."""
UNENDED = later(r"(?<!<)<<-?[ \t]{0,2}['\"]?(?!\w{1,40}[ \t]{0,4}\)\))[^\W\d][^\n]{0,300}\n")
"""A here-document without an end; a shift (`$((1 << n))`) and a here-string (`<<<`) are none."""
GROUP = later(r"(?<=/)\([\w.-]{1,40}\)(?=/)")
"""A folder in brackets, as in routers: `app/(shop)/page.tsx`."""
STEP = later(
    r"\(|\)(?:/[^\s;&|()<>]{1,300})?|"
    r"(?:^|(?<=[;&|({\n]))[ \t]{0,8}(?:(?:cd|pushd)(?P<target>[ \t]{1,8}[^\s;&|()<>]{1,300})?|popd)(?=[\s;&|)]|$)"
)
"""Where a command changes the folder, and the brackets after which it is back, with the rest of a path that they are
part of (`$(npm root)/kit`), which is relative to no folder."""
READING = later(r"[\s;&|(]{0,40}(?:cat|head|tail|less|open|nl|sed -n)\b")

HEREDOC_BODY = later(
    r"<<-?[ \t]{0,2}(['\"]?)(\w{1,40})\1([^\n]{0,300})\n(?:[^\n]{0,2000}\n){0,2000}?[ \t]{0,8}\2[ \t]*(?=\n|\Z)"
)
"""A here-document up to the line that ends it; the rest of the first line is part of the command."""


def shell_files(command: str) -> Iterator[tuple[str, FileOperation]]:
    """The paths in a command with what is done to each, the changes first; relative to where the command begins."""
    changed: dict[str, FileOperation] = {}
    named: dict[str, FileOperation] = {}
    head = ELSEWHERE.sub(r"(cd \1; git\2)", _without_comments(_head(command)))
    for folder, part in _stretches(head):
        plain = QUOTED.sub(_path_quoted, part).replace("\\\n", " ")
        changed |= {_below(folder, path): operation for path, operation in _changes(plain)}
        reads = READING.match(part)
        for path in find_paths(plain):
            placed = _below(folder, path)
            is_file = reads or "/" in path or placed in changed
            named.setdefault(placed if is_file else path, "read" if reads else "named")
    yield from changed.items()
    yield from (one for one in named.items() if one[0] not in changed)


def _changes(plain: str) -> Iterator[tuple[str, FileOperation]]:
    """The paths that a command without quotes changes, in order."""
    found: list[tuple[int, str, FileOperation]] = [
        (match.start(), match[1], "written") for match in WRITING.finditer(plain)
    ]
    for match in EDITING.finditer(plain):
        found.extend((match.start(), path, "edited") for path in _edited(match["operands"].split()))
    for match in DELETING.finditer(plain):
        found.extend((match.start(), path, "deleted") for path in _deleted(_words(match)))
    for match in MOVING.finditer(plain):
        moved = _moved(match["program"], _words(match))
        found.extend((match.start(), *one) for one in moved)
    for match in RESTORING.finditer(plain):
        restored = _restored(match["program"], _words(match))
        found.extend((match.start(), path, "restored") for path in restored)
    return ((path, operation) for _, path, operation in sorted(found, key=itemgetter(0)) if is_path(path))


def _stretches(command: str) -> Iterator[tuple[str, str]]:
    """The parts of a command with the folder of each, as (folder, part); "" for where it begins, or an unknown one."""
    masked = GROUP.sub(_masked, QUOTED.sub(_masked, command))
    folder, start = "", 0
    outside: list[str] = []
    for step in islice(STEP.finditer(masked), MAX_STEPS):
        if step[0] == "(":
            outside.append(folder)
            continue
        yield folder, command[start : step.end()]
        start = step.end()
        if step[0].startswith(")"):
            folder = outside.pop() if outside else folder
        else:
            target = (
                command[step.start("target") : step.end("target")].strip(" \t'\"") if step["target"] else ""
            )
            folder = _below(folder, target) if target and WALKABLE.fullmatch(target) else ""
    yield folder, command[start:]


def _masked(match: re.Match[str]) -> str:
    return "x" * len(match[0])


def _below(folder: str, path: str) -> str:
    """A path relative to the folder in which the command begins."""
    if not folder or path.startswith(("/", "~")) or path[1:2] == ":":
        return path
    return f"{folder}\\{path}" if "\\" in folder else normpath(f"{folder}/{path}")


def _head(command: str) -> str:
    """The beginning of a command that is searched for files: without here-documents, up to a whole word."""
    text = HEREDOC_BODY.sub(r"\3", command)
    if unended := UNENDED.search(text):
        text = text[: unended.end()]
    if len(text) <= COMMAND_CHARS or text[COMMAND_CHARS].isspace():
        return text[:COMMAND_CHARS]
    return text[: max(0, *(text.rfind(space, 0, COMMAND_CHARS) for space in " \t\n"))]


def _without_comments(command: str) -> str:
    if "#" not in command:
        return command
    return QUOTED.sub(lambda match: "" if match[0].startswith("#") else match[0], command)


def _words(match: re.Match[str]) -> list[str]:
    operands: str = match["operands"]
    return operands.split()


def _restored(program: str, words: Sequence[str]) -> list[str]:
    """The files that git restores: after `--`, or with an extension. Unstaging alone changes none."""
    if program == "restore" and {"--staged", "-S"} & {*words} and not {"--worktree", "-W"} & {*words}:
        return []
    cut = words.index("--") + 1 if "--" in words else 0
    named = [word for word in words[cut:] if word[0] != "-" and word != "."]
    return [word.rstrip(")") for word in named if cut or has_extension(word)]


def _edited(words: Sequence[str]) -> list[str]:
    """The files that `sed` edits: the last word, and others with an extension."""
    if not any(map(IN_PLACE.fullmatch, words)):
        return []
    named = [word.rstrip(")") for word in words if word[0] != "-" and any(map(str.isalnum, word))]
    return [word for word in named[:-1] if has_extension(word)] + named[-1:]


def _deleted(words: Sequence[str]) -> list[str]:
    """The files that `rm` deletes. With `--cached`, git deletes none."""
    if "--cached" in words:
        return []
    cut = words.index("--") if "--" in words else len(words)
    named = [word for word in words[:cut] if word[0] != "-"] + list(words[cut + 1 :])
    return [word if "(" in word else word.rstrip(")") for word in named]


def _moved(program: str, words: Sequence[str]) -> Iterator[tuple[str, FileOperation]]:
    """What `mv` or `cp` does to its files. If the target is a folder, they keep their names."""
    named = [word.rstrip(")") for word in words if word[0] != "-"]
    if len(named) < 2:
        return
    *sources, target = named
    for source in sources:
        if program[0] in "mM":
            yield source, "deleted"
        if has_extension(source) and not has_extension(target):
            yield f"{target.rstrip('/')}/{source.rpartition('/')[2]}", "written"
    if has_extension(target):
        yield target, "written"


def _path_quoted(match: re.Match[str]) -> str:
    """Quoted text if it is a file's path, else a space."""
    text: str = match[1] or match[2] or ""
    return text if "/" in text and " " not in text and has_extension(text) and is_path(text) else " "
