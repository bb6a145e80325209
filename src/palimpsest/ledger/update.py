"""Reading a message into the ledger, one block at a time.

- `reading` yields after every block, so that other work can run: the work between two yields is bounded by the size of
  a block. `update` does not pause.
- At most so much of one part of a message is read, from both ends.
- Files and names in results count as seen, not as used: most of them never matter, and the others are used soon.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import replace
from posixpath import normpath

from palimpsest.lazy_regex import later
from palimpsest.ledger.commands import (
    await_result,
    command_text,
    note_command,
    note_folder,
    note_outcome,
    only_writes,
    segments,
)
from palimpsest.ledger.entries import (
    MAX_TEXT_CHARS,
    Awaited,
    Ledger,
    Where,
    note_changes,
    note_file,
    note_name,
    note_request,
    note_task,
    note_value,
    note_values_said,
    number_task,
    settle_changes,
)
from palimpsest.ledger.extraction import ROOTS, is_built, is_missed_edit, names_in, paths_in
from palimpsest.record.forgetting import is_blank
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.text.blocks import blocks, ends, without_wrappers
from palimpsest.text.cut import ELLIPSIS, clean
from palimpsest.text.identifiers import find_opaque, find_quantities, has_extension, is_path
from palimpsest.toolcalls.call_actions import Action, decode, result_values
from palimpsest.toolcalls.calls_in_text import as_call, as_result, command_in, shell_output
from palimpsest.toolcalls.file_operation_kinds import FileOperation
from palimpsest.toolcalls.outcomes import DECLINED, Outcome, outcome, result_ends
from palimpsest.toolcalls.shell_commands import HEREDOC_BODY

_EDITED = later(
    r"(?:Text replaced|File updated)[^\[]{0,400}\[File: ([^\n]{1,300}?) \(\d{1,9} lines total\)\]|"
    r"\[File: ([^\n]{1,300}?) \(\d{1,9} lines total\)\]"
)
"""The beginning of a result of SWE-agent's `edit`, which changed the open file."""
_CHANGES_ONE = later(
    r"(?:sudo )?(?:git )?(?:(?:rm|touch|Remove-Item)(?: -\S+)*(?: [^\s;&|<>-][^\s;&|<>]*)|"
    r"(?:mv|cp|sed|Move-Item)(?= )[^;&|<>]*)",
    re.DOTALL,
)
"""A command that only changes or moves one file."""
EDITED_CHARS = 1_000
ALIKE_FOLDERS = 2
READ_CHARS = 60_000
"""Characters of one part of a message that are read into a stored ledger."""
LOOK_CHARS = 20_000
"""Characters of one part of a message that are read for a summary."""
ARGUMENT_CHARS = 8_000
"""Characters of a call's arguments that are always read."""
LEAST_WORDS = 3
"""A shorter user message ("go on") is no request of its own."""
SHORT_NUMBER_CHARS = 5
"""Longer numbers in results are sizes and times, which are never needed again."""

_BRANCH = later(
    r"\bgit (?:checkout|switch|merge|rebase|push|branch|worktree add)\b[^;|&\n]{0,200}?\s"
    r"((?![-./~])[\w.-]{0,60}[/_-][\w./-]{1,80})(?=\s|$)|^On branch (\S{1,100})$"
    r"|^Switched to (?:a new )?branch '(\S{1,100})'$"
    r"|^## (\S{1,100}?)(?:\.\.\.\S{1,100}(?: \[[^\]\n]{1,40}\])?$|(?=\n(?: [MD]|[MADRCU][ MDAU]|\?\?) \S))"
    r"|\A## (\S{1,100})\n?\Z"
    r"|^\[([\w./-]{1,100}) [0-9a-f]{7,40}\] |^ \* \[new branch\] {1,40}(\S{1,100}) {1,9}-> ",
    re.MULTILINE,
)
"""Branches in git commands, and in git's output about the current branch, commits and pushes."""

_MENTION = later(r"(?<![\w/.@-])@([a-z]{2,12}(?:/[\w+-][\w.+-]{0,80}){1,12})(?<!\.)")
"""A file or folder that a user mentions: `@src/tide`. `@scope/kit` would be a package."""
_FOLDERS_UP = later(r"(?:\.\./){1,24}")
_VALUE = later(r"[\w$#@.:+-]*\w")

Reading = Generator[None, None, None]


def update(ledger: Ledger, message: Message, seq: int) -> Ledger:
    """Read a message into the ledger, in place, and return the ledger. `seq` is its position, from 1."""
    for _ in reading(ledger, message, seq):
        pass
    return ledger


def reading(
    ledger: Ledger,
    message: Message,
    seq: int,
    *,
    look_chars: int = READ_CHARS,
) -> Reading:
    """`update`, yielding None after every block."""
    message = yield from _read_typed(ledger, message, seq, look_chars)
    ledger.seq = seq
    for part in message.parts if not is_blank(message) else ():
        match part:
            case Text() if message.role == "user":
                yield from _read_user(ledger, part.text, look_chars)
            case Text():
                for block in blocks(clean(ends(part.text, look_chars))):
                    note_names(ledger, block, "assistant")
                    yield
                ledger.position += len(part.text)
            case ToolCall():
                yield from _read_call(ledger, part, look_chars)
            case ToolResult():
                yield from _read_result(ledger, part, look_chars)
            case _:
                pass
    yield


def _read_typed(ledger: Ledger, message: Message, seq: int, look: int) -> Generator[None, None, Message]:
    """Read the command at the end of the previous message if this one is its shell output, and return this one as its
    result.
    """
    command, follows = ledger.typed, ledger.seq == seq - 1
    ledger.typed = command_in(message)
    shown = shell_output(message) if command and follows else None
    if shown is None:
        return message
    note_folder(ledger, message.text)
    yield from _read_call(ledger, as_call(command, ledger.seq), look)
    return as_result(message, shown, ledger.seq)


def _read_user(ledger: Ledger, text: str, look: int) -> Reading:
    size = len(text)
    whole = clean(text[: look * 8])
    text = without_wrappers(whole)
    for block in blocks(ends(whole, look)) if text != whole.strip() else ():
        note_names(ledger, block, "assistant")
        yield
    _note_request(ledger, " ".join(text.split()))
    for block in blocks(ends(text, look)):
        note_names(ledger, block, "user")
        yield
    ledger.position += size


def _note_request(ledger: Ledger, text: str) -> None:
    """Note a user message as a request; of a long one both ends."""
    if not text or (text.count(" ") < LEAST_WORDS - 1 and text.isascii() and ledger.of("request")):
        return
    if len(text) > MAX_TEXT_CHARS:
        text = f" {ELLIPSIS} ".join(ends(text, MAX_TEXT_CHARS - 4).split("\n", 1))
    note_request(ledger, text)


def note_names(ledger: Ledger, block: str, where: Where) -> None:
    """Note the paths and names in a block of text."""
    _note_paths(ledger, block, where)
    if "git " in block or "branch" in block or "## " in block or block.startswith("["):
        for found in _BRANCH.finditer(block):
            branch: str = next(filter(None, found.groups()))
            if not has_extension(branch):
                note_name(ledger, "branch", branch, where)
    if ledger.of("value") and where in ("user", "assistant"):
        note_values_said(ledger, frozenset(_VALUE.findall(block)), where)
    for kind, name in names_in(block):
        if kind != "number" or where != "result" or len(name) <= SHORT_NUMBER_CHARS:
            note_name(ledger, kind, name, where)
    if where in ("user", "assistant"):
        known = ledger.of("name")
        for _, name in find_opaque(block):
            if name not in known or known[name].label == "id":
                note_name(ledger, "id", name, where)
        for quantity in find_quantities(block):
            note_name(ledger, "quantity", quantity, where)


def _note_paths(ledger: Ledger, block: str, where: Where) -> None:
    """Note the paths in a block of text.

    Paths inside an argument's text, such as a written file, are mentioned, not used. Imports (`./x`, `../x`) are no
    paths. What a tool names from another folder (`../x/y.py:3: error`) is noted without `../`."""
    said: Where = "assistant" if where == "argument" else where
    for mention in _MENTION.finditer(block) if where == "user" and "@" in block else ():
        if mention[1].partition("/")[0] in ROOTS:
            note_file(ledger, mention[1], "named", "user")
    for path in paths_in(block):
        if where == "result" and (is_built(path) or path.startswith("@/")):
            continue
        if where == "result" and path.startswith("../") and has_extension(path):
            path = _FOLDERS_UP.sub("", path)  # noqa: PLW2901
        if not path.startswith("../") and (said == where or not path.startswith("./")):
            bare = path.removeprefix("@")
            mentioned = (where == "user" and has_extension(path)) or bare in ledger.of("file")
            note_file(ledger, bare if mentioned else path, "named", said)


def _read_call(ledger: Ledger, call: ToolCall, look: int) -> Reading:
    action = decode(call)
    if is_path(action.folder):
        note_file(ledger, action.folder, "named", "argument")
    elif action.command and not action.folder:
        action = replace(action, folder=ledger.folder)
    yield
    note_changes(ledger, call.id, list(_files_of(action)))
    for key, value in action.values:
        note_value(ledger, key, value, "argument")
    if action.tasks is not None:
        ledger.tasks = action.tasks
    ledger.keeps_tasks = ledger.keeps_tasks or action.tasks is not None or bool(action.added)
    note_task(ledger, action.added, action.changed)
    _note_call(ledger, call.id, action)
    where: Where = "plan" if action.tasks is not None or action.plans else "argument"
    for block in blocks(ends(action.text, max(look, ARGUMENT_CHARS))):
        note_names(ledger, block, where)
        yield
    ledger.position += len(call.arguments)


def _note_call(ledger: Ledger, call_id: str, action: Action) -> None:
    key = ""
    if action.command:
        plain = HEREDOC_BODY.sub(r"\3", action.command)
        if not only_writes(action.command, plain):
            key = note_command(ledger, command_text(action.command), folder=action.folder)
        for segment in segments(plain):
            note_command(ledger, segment, kind="segment", folder=action.folder)
    does = action.files or action.tasks is not None or action.added or action.changed[0]
    await_result(ledger, call_id, Awaited(key, bool(does and not action.command), action.folder))


def _files_of(action: Action) -> Iterator[tuple[str, FileOperation]]:
    """The files of a call relative to its working folder; without `../` if that is not known."""
    for path, operation in action.files:
        placed = joined(action.folder, path)
        yield (_FOLDERS_UP.sub("", placed) if action.command else placed), operation


def joined(folder: str, path: str) -> str:
    """A path relative to the working folder of its call.

    If it begins with the parent folders of that folder, it is relative to where these begin: some agents name all files
    like this.
    """
    if not folder.startswith("/") or path.startswith(("/", "~")) or path[1:2] == ":":
        return path
    first = path.split("/")[:ALIKE_FOLDERS]
    folders = folder.rstrip("/").split("/")
    for at in range(1, len(folders) - ALIKE_FOLDERS + 1) if len(first) == ALIKE_FOLDERS else ():
        if folders[at : at + ALIKE_FOLDERS] == first and path.startswith("/".join((*folders[at:], ""))):
            return normpath("/".join((*folders[:at], path)))
    return normpath(f"{folder}/{path}")


def _as_known(ledger: Ledger, path: str) -> str:
    """The path of a file as it was named before, if it was: the result of a call may have the absolute path."""
    known = (one for one in ledger.of("file") if path.endswith(f"/{one}"))
    return max(known, key=len, default=path)


def _is_refused(result: ToolResult, key: str, ended: Outcome) -> bool:
    """Whether a result says that its call changed nothing.

    The user declined it, a tool failed or did not find its text, or a command that only changes one file failed.
    """
    if ended.label == DECLINED:
        return True
    if key:
        return ended.failed and _CHANGES_ONE.fullmatch(key) is not None
    return result.is_error or "exit " in ended.label or is_missed_edit(result.text[:EDITED_CHARS])


def _read_result(ledger: Ledger, result: ToolResult, look: int) -> Reading:
    awaited = ledger.waiting.pop(result.call_id, Awaited())
    key, quiet = awaited.key, awaited.quiet
    ended = outcome(result, key)
    settle_changes(ledger, result.call_id, refused=_is_refused(result, key, ended))
    if key.startswith("edit ") and (shown := _EDITED.match(result.text[:EDITED_CHARS])):
        note_file(ledger, _as_known(ledger, shown[1] or shown[2]), "edited", "argument")
    if key or not is_missed_edit(ended.error):
        note_outcome(ledger, awaited, ended)
    if key:
        note_folder(ledger, result.text)
    number_task(ledger, result.text)
    yield
    values = result_values(result) if not key and not quiet else []
    for label, value in values:
        note_value(ledger, label, value, "result")
    text = "" if values else result_ends(result, look)
    yield
    for block in blocks(text):
        note_names(ledger, block, "result")
        yield
    ledger.position += len(result.text)
