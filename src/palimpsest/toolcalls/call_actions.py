"""What a tool call did, from its name and arguments, and the values in its result.

- Arguments are decoded first: a path in JSON is not the path. Of arguments too long to decode, both ends are searched
  for a path.
- Agents name the same thing differently (`file_path`, `absolute_path`, `target_file`; `Bash`, `shell`, `execute_bash`),
  so shapes decide, not lists of tools. A path key names a file, a command key or a command list is a shell call, a list
  of entries with a status is a task list, and every other scalar is a value with its key. Patches in the `*** Update
  File:` form are read wherever they occur."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import cast

from palimpsest.lazy_regex import later
from palimpsest.record.message import ToolCall, ToolResult
from palimpsest.text.cut import clean, clip, clip_words
from palimpsest.text.identifiers import is_path
from palimpsest.toolcalls.file_operation_kinds import FileOperation
from palimpsest.toolcalls.shell_commands import shell_files

PARSED_CHARS = 100_000
TEXT_CHARS = 40_000
"""Characters of a call's arguments that are searched for names."""
LINE_CHARS = 200
MAX_TASKS = 30
DONE, DOING, OPEN = "[x]", "[>]", "[ ]"
MAX_VALUES = 40
MAX_RESULT_VALUES = 160
MAX_FILES = 40
MAX_DEPTH = 4
PROSE_SPACES = 3
"""A value with so many spaces and no digit is prose: nobody repeats it exactly."""

ID_KEY = later(r"(?:[_-]|(?<=[a-z])(?=I))ids?$", re.IGNORECASE)
"""Ids (of a session, a cell) in a call with a command or a file are used again."""
DIGIT = later(r"\d")
KEEPS_TASKS = later(r"task|todo|plan", re.I)
"""The command of such a tool ("plan", "view") is no shell command."""
ADDS_TASK = later(r"(?:task|todo)_?(?:create|add)|(?:create|add)_?(?:task|todo)", re.I)
CHANGES_TASK = later(r"(?:task|todo)_?update|update_?(?:task|todo)", re.I)
STATUS = re.compile(r"pending|in_progress|completed|cancelled|blocked", re.I)
PATCH = later(
    r"^\*\*\* (Add|Update|Delete) File: ([^\n]{1,400})$|^\*\*\* (Move) to: ([^\n]{1,400})$", re.MULTILINE
)
RAW_PATH = later(
    r'"(?:file_?path|path|absolute_path|target_file|filename)"\s{0,4}:\s{0,4}"([^"\\]{1,300})"', re.I
)
FINDING = r"list|glob|grep|search|find"
FINDS = later(FINDING, re.I)
READS = later(r"read|view|open|(?<![a-z])(?:get|show)|(?<![a-z])cat(?![a-z])", re.I)
_PATH_KEYS = frozenset(
    "path filepath file filename absolutepath notebookpath targetfile relativepath oldpath newpath "
    "directorypath dirpath directory".split()
)
_PATH_LIST_KEYS = frozenset("paths files filepaths filenames".split())
_FOLDER_KEYS = frozenset("workdir cwd workingdirectory workingdir".split())
_COMMAND_FOLDER_KEYS = frozenset("directory dirpath dir".split())
"""Keys of the folder in which a command runs, next to a command."""
_COMMAND_KEYS = frozenset("command cmd script bashcommand shellcommand commandline".split())
_PATTERN_KEYS = frozenset("pattern patterns regex regexp globpattern searchpattern".split())
"""A search pattern is no value, but the names in it are."""
_TASK_KEYS = ("content", "step", "title", "subject", "task", "description", "text", "name")
_IGNORED_KEYS = frozenset(
    "description query queries question prompt thought thoughts explanation timeout timeoutms timeouts limit offset "
    "securityrisk message "
    "instruction oldstring newstring oldtext newtext oldstr newstr content filetext text outputmode type replaceall "
    "runinbackground toolsummary toolaction maxoutputtokens yieldtimems withescalatedpermissions justification".split()
)
_PATCH_OPERATIONS: dict[str, FileOperation] = {
    "Add": "written",
    "Update": "edited",
    "Delete": "deleted",
    "Move": "written",
}
_SHELLS = frozenset(("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "powershell", "pwsh", "cmd"))
_EDITOR_COMMANDS: dict[str, FileOperation] = {
    "view": "read",
    "create": "written",
    "str_replace": "edited",
    "insert": "edited",
    "undo_edit": "edited",
}
_NAME_OPERATIONS: tuple[tuple[re.Pattern[str], FileOperation], ...] = (
    (later(r"delete|remove|unlink", re.I), "deleted"),
    (
        later(
            r"edit|replace|patch|insert|update|append|apply|modify|rename|move|refactor|format(?!ion|ted)",
            re.I,
        ),
        "edited",
    ),
    (later(r"write|create|save", re.I), "written"),
    (later(rf"{FINDING}|push|upload", re.I), "named"),
    (READS, "read"),
)


@dataclass(frozen=True, slots=True)
class Action:
    """What a call did. `files` are paths as written. `tasks` is a whole task list without the finished ones, which are
    in `done`; None where the call has no list.

    `values` are scalar arguments with their keys; `text` has the other strings, for the names and paths in them.
    `plans`: the text is a plan. `added` is a task that is added to the list, `changed` the id of one and its mark, ""
    for none."""

    files: tuple[tuple[str, FileOperation], ...] = ()
    command: str = ""
    folder: str = ""
    tasks: tuple[str, ...] | None = None
    done: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    text: str = ""
    plans: bool = False
    added: str = ""
    changed: tuple[str, str] = ("", "")


def decode(call: ToolCall) -> Action:
    """What `call` did, by its name and arguments. Never raises."""
    arguments = call.arguments
    if len(arguments) > PARSED_CHARS:
        ends = arguments[:TEXT_CHARS] + "\n" + arguments[-TEXT_CHARS:]
        found = RAW_PATH.search(ends)
        return Action(files=((found[1], _operation_of_tool(call.name)),) if found else ())
    try:
        value: object = json.loads(arguments)
    except (ValueError, RecursionError):
        value = arguments
    if isinstance(value, str):
        return _from_text(call.name, clean(value))
    if isinstance(value, list):
        value = {"command": cast("object", value)}
    return _from_fields(call.name, cast("dict[str, object]", value)) if isinstance(value, dict) else Action()


def _from_text(name: str, text: str) -> Action:
    files = _patched(text)
    is_shell = not files and re.search(r"shell|bash|exec|terminal|command", name, re.I)
    return Action(files=files, command=text if is_shell else "", text=text[:TEXT_CHARS])


def _from_fields(name: str, fields: dict[str, object]) -> Action:
    by_key = {_plain(key): value for key, value in fields.items()}
    command, operation = _command(by_key), _operation_of_tool(name)
    if command in _EDITOR_COMMANDS and _strings(by_key.get("path")):
        operation, command = _EDITOR_COMMANDS[command], ""
    listed = _tasks(by_key)
    if KEEPS_TASKS.search(name) and " " not in command:
        command = ""
    tasks = None if listed is None else tuple(line for line in listed if not line.startswith(DONE))
    texts = [text for text in _texts(fields, MAX_DEPTH) if listed is None or not STATUS.fullmatch(text)]
    files: list[tuple[str, FileOperation]] = [(path, operation) for path in _paths(by_key)]
    for text in texts if command in texts else (*texts, command):
        files.extend(_patched(text))
    if command and not files:
        files.extend(shell_files(command))
    added, changed = _task_change(name, by_key)
    listless = tasks is None and not added and not changed[0]
    values = tuple(_values(fields, MAX_DEPTH))[:MAX_VALUES] if listless else ()
    if command or files or not _PATTERN_KEYS.isdisjoint(by_key):
        values = tuple(pair for pair in values if ID_KEY.search(pair[0]))
    whole = (path for path, _ in files if " " in path or not path.isascii() or not is_path(path))
    taken = frozenset((*(value for _, value in values), *whole))
    return Action(
        files=tuple(dict.fromkeys(files))[:MAX_FILES],
        command="" if _patched(command) else command,
        folder=_folder(by_key, _COMMAND_FOLDER_KEYS if command else ()),
        tasks=tasks,
        done=tuple(line for line in listed or () if line.startswith(DONE)),
        values=values,
        text="\n".join(text[:TEXT_CHARS] for text in texts if text.strip() not in taken)[:TEXT_CHARS],
        plans=bool(added or _strings(by_key.get("plan"))),
        added=added,
        changed=changed,
    )


def _folder(by_key: dict[str, object], more: Collection[str]) -> str:
    """The folder in which a call runs."""
    keys = (*_FOLDER_KEYS, *more)
    return next((_unquote(text) for key in keys for text in _strings(by_key.get(key))), "")


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


def _strings(value: object) -> list[str]:
    return [clean(value[:PARSED_CHARS])] if isinstance(value, str) and value else []


def _texts(value: object, depth: int) -> Iterator[str]:
    """All strings in a call's arguments, up to a depth."""
    if isinstance(value, str):
        yield from _strings(value)
    elif isinstance(value, dict) and depth:
        for inner in list(cast("dict[str, object]", value).values())[:MAX_VALUES]:
            yield from _texts(inner, depth - 1)
    elif isinstance(value, list) and depth:
        for inner in cast("list[object]", value)[:MAX_VALUES]:
            yield from _texts(inner, depth - 1)


def _unquote(text: str) -> str:
    return text.strip().strip('"')


def _operation_of_tool(name: str) -> FileOperation:
    """What a tool does to its files, by its name without that of its server (`server__tool`)."""
    own = name.rpartition("__")[2]
    for pattern, operation in _NAME_OPERATIONS:
        if pattern.search(own):
            return operation
    return "named"


def looks(name: str) -> bool:
    """Whether a tool's name says that it reads or finds files, and does not change them."""
    words = re.findall(r"[A-Z]?[a-z]{1,40}", name.rpartition("__")[2])
    return _operation_of_tool(name) in ("named", "read") and any(
        FINDS.match(word) or READS.match(word) for word in words
    )


def _command(by_key: dict[str, object]) -> str:
    for key in _COMMAND_KEYS:
        value = by_key.get(key)
        if isinstance(value, str) and value.strip():
            return clean(value.strip())
        if isinstance(value, list):
            words = [clean(word) for word in cast("list[object]", value) if isinstance(word, str)]
            if len(words) >= 3 and words[0] in _SHELLS and words[1].startswith(("-", "/")):
                return words[2].strip()
            return " ".join(words)
    return ""


def _paths(by_key: dict[str, object]) -> Iterator[str]:
    for key, value in by_key.items():
        if key in _PATH_KEYS:
            yield from (path for text in _strings(value) if is_path(path := _unquote(text), given=True))
        elif key in _PATH_LIST_KEYS and isinstance(value, list):
            for item in cast("list[object]", value)[:MAX_FILES]:
                inner: object = item
                if isinstance(item, dict):
                    fields = {_plain(name): field for name, field in cast("dict[str, object]", item).items()}
                    inner = next((fields[name] for name in fields if name in _PATH_KEYS), None)
                yield from (path for text in _strings(inner) if is_path(path := _unquote(text), given=True))


def _patched(text: str) -> tuple[tuple[str, FileOperation], ...]:
    if "*** " not in text:
        return ()
    found: list[tuple[str, FileOperation]] = []
    for match in PATCH.finditer(text[:PARSED_CHARS]):
        path: str = match[2] or match[4]
        if match[3] and found:
            found[-1] = (found[-1][0], "deleted")
        found.append((path.strip(), _PATCH_OPERATIONS[match[1] or match[3]]))
    return tuple(found[:MAX_FILES])


def _tasks(by_key: dict[str, object]) -> tuple[str, ...] | None:
    for value in by_key.values():
        if not isinstance(value, list):
            continue
        entries = [
            cast("dict[str, object]", item) for item in cast("list[object]", value) if isinstance(item, dict)
        ]
        listed = [
            f"{_mark(str(entry['status']))} {text}"
            for entry in entries[:MAX_TASKS]
            if "status" in entry and (text := _task_text(entry))
        ]
        if listed or (not entries and not value and "todos" in by_key):
            return tuple(listed)
    return None


def _task_text(entry: dict[str, object]) -> str:
    text = next((text for key in _TASK_KEYS for text in _strings(entry.get(key))), "")
    return clip_words(" ".join(text.split()), LINE_CHARS)


def _mark(status: str) -> str:
    """The mark of a status in a task list."""
    if re.match(r"complete|done|finish|cancel|closed|delete", status, re.I):
        return DONE
    return DOING if "progress" in status.lower() else OPEN


def _task_change(name: str, by_key: dict[str, object]) -> tuple[str, tuple[str, str]]:
    """The task that a call adds to the list, and the id and mark of one that it changes."""
    if ADDS_TASK.search(name):
        return _task_text(by_key), ("", "")
    status = next(iter(_strings(by_key.get("status"))), "")
    if status and CHANGES_TASK.search(name):
        number = by_key.get("taskid", by_key.get("id"))
        return "", (clip(str(number), 40), _mark(status)) if isinstance(number, str | int) else ("", "")
    return "", ("", "")


def _values(fields: dict[str, object], depth: int) -> Iterator[tuple[str, str]]:
    for key, value in list(fields.items())[:MAX_VALUES]:
        if _plain(key) in _IGNORED_KEYS:
            continue
        if isinstance(value, dict) and depth:
            yield from _values(cast("dict[str, object]", value), depth - 1)
        elif isinstance(value, list) and depth:
            for item in cast("list[object]", value)[:MAX_VALUES]:
                inner = cast("dict[str, object]", item) if isinstance(item, dict) else {key: item}
                yield from _values(inner, depth - 1)
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            text = clean(str(value)[: LINE_CHARS * 2]).strip()
            prose = text.count(" ") >= PROSE_SPACES and not DIGIT.search(text)
            says = any(sign.isalnum() for sign in text) and not (len(text) == 1 and text.isalpha())
            if len(text) <= 80 and not prose and text.isprintable() and says:
                yield clip(" ".join(clean(key).split()), 40), text


def result_values(result: ToolResult) -> list[tuple[str, str]]:
    """(key, value) of the scalars in a JSON result, at most 160; [] for any other result."""
    text = result.text
    if not text.startswith(("{", "[")) or len(text) > PARSED_CHARS:
        return []
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return []
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else {"": value}
    return list(islice(_values(fields, MAX_DEPTH), MAX_RESULT_VALUES))
