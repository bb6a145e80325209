"""The tools of the sample session: a step's input as the model wrote it, and the result the tool gave.

A body that begins with `!error` is a failed call; a file whose text begins with `!interrupted` was never
written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sample_outputs import expand
from sample_script import Step, flow
from sample_world import World, absolute, edit, glob, grep, numbered

COPY_LIMIT = 480
INTERRUPTED = "!interrupted\n"


@dataclass(frozen=True)
class Outcome:
    """A tool's answer: its text, whether it failed, and the client's own copy (None when it kept none)."""

    text: str
    failed: bool = False
    copy: object = None
    answered: bool = True


@dataclass(frozen=True)
class Tool:
    """A tool by the name the model knows, with its two halves."""

    name: str
    arguments: Callable[[Step], dict[str, object]]
    run: Callable[[World, Step], Outcome]


def _split(args: str) -> list[str]:
    return [part.strip() for part in args.split(" :: ")]


def _span(args: str) -> tuple[str, int, int]:
    """Path, first and last line of a read; the whole file when no span is given."""
    path, _, span = args.partition(" ")
    if not span:
        return path, 1, 2000
    first, last = span.split("-")
    return path, int(first), int(last)


def _read_arguments(step: Step) -> dict[str, object]:
    path, first, last = _span(step.args)
    span: dict[str, object] = {} if last == 2000 else {"offset": first, "limit": last - first + 1}
    return {"file_path": absolute(path), **span}


def _read(world: World, step: Step) -> Outcome:
    path, first, last = _span(step.args)
    if step.body:
        return Outcome(step.body.removeprefix("!error\n"), failed=True)
    text = world.files[path]
    shown = numbered(text, first, last)
    file = {
        "filePath": absolute(path),
        "numLines": shown.count("\n") + 1,
        "startLine": first,
        "totalLines": text.count("\n"),
    }
    return Outcome(shown, copy={"type": "text", "file": file})


def _bash_arguments(step: Step) -> dict[str, object]:
    command, description = _split(step.args)
    return {"command": command, "description": description}


def _bash(world: World, step: Step) -> Outcome:
    failed = step.body.startswith("!error")
    text = expand(world, step.body.removeprefix("!error").lstrip("\n"))
    if len(text) > COPY_LIMIT:
        return Outcome(text, failed)
    copy: object = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    return Outcome(text, failed, f"Error: {text}" if failed else copy)


def _grep_arguments(step: Step) -> dict[str, object]:
    pattern, *rest = _split(step.args)
    where: dict[str, object] = {"path": rest[0]} if rest and rest[0] != "." else {}
    if len(rest) > 1:
        where["glob"] = rest[1]
    return {"pattern": pattern, **where, "output_mode": "content", "-n": True}


def _grep(world: World, step: Step) -> Outcome:
    pattern, *rest = _split(step.args)
    under = "" if not rest or rest[0] == "." else rest[0]
    text = grep(world, pattern, under, rest[1] if len(rest) > 1 else "*")
    count = 0 if text == "No matches found" else text.count("\n") + 1
    return Outcome(text, copy={"mode": "content", "numFiles": 0, "filenames": [], "numLines": count})


def _glob(world: World, step: Step) -> Outcome:
    text = glob(world, step.args)
    names = [] if text == "No files found" else text.splitlines()
    return Outcome(text, copy={"filenames": names, "numFiles": len(names), "truncated": False})


def _edit_arguments(step: Step) -> dict[str, object]:
    old, _, new = step.body.removeprefix("!error\n").partition("\n====\n")
    return {"file_path": absolute(step.args), "old_string": old, "new_string": new}


def _edit(world: World, step: Step) -> Outcome:
    body = step.body.removeprefix("!error\n")
    old, _, new = body.partition("\n====\n")
    if body != step.body:
        if old in world.files[step.args]:
            raise LookupError(f"{step.args} does hold {old!r}")
        note = "<tool_use_error>The text to replace does not occur in the file.</tool_use_error>"
        return Outcome(note, failed=True, copy="Error: the text to replace does not occur in the file.")
    text = edit(world, step.args, old, new)
    return Outcome(text, copy={"filePath": absolute(step.args), "userModified": False, "replaceAll": False})


def _write_arguments(step: Step) -> dict[str, object]:
    return {"file_path": absolute(step.args), "content": step.body.removeprefix(INTERRUPTED) + "\n"}


def _write(world: World, step: Step) -> Outcome:
    if step.body.startswith(INTERRUPTED):
        return Outcome("", answered=False)
    kind = "update" if step.args in world.files else "create"
    world.files[step.args] = step.body + "\n"
    text = f"File {kind}d: {absolute(step.args)}"
    return Outcome(text, copy={"type": kind, "filePath": absolute(step.args), "structuredPatch": []})


def _todos(step: Step) -> list[dict[str, str]]:
    states = {"x": "completed", ">": "in_progress", " ": "pending"}
    todos: list[dict[str, str]] = []
    for line in step.body.splitlines():
        content, _, active = line[4:].partition(" / ")
        todos.append({"content": content, "status": states[line[1]], "activeForm": active or content})
    return todos


def _todo_arguments(step: Step) -> dict[str, object]:
    return {"todos": _todos(step)}


def _todo(_world: World, step: Step) -> Outcome:
    todos = _todos(step)
    open_count = sum(todo["status"] != "completed" for todo in todos)
    return Outcome(f"Todo list saved, {open_count} of {len(todos)} open.", copy={"newTodos": len(todos)})


def task_parts(step: Step) -> tuple[str, str, str]:
    """Prompt, script and report of a subagent."""
    prompt, script, report = step.body.split("\n----\n")
    return flow(prompt), script, flow(report)


def _task_arguments(step: Step) -> dict[str, object]:
    kind, description = _split(step.args)
    return {"subagent_type": kind, "description": description, "prompt": task_parts(step)[0]}


def _task(_world: World, step: Step) -> Outcome:
    return Outcome(task_parts(step)[2])


TOOLS = {
    "read": Tool("Read", _read_arguments, _read),
    "bash": Tool("Bash", _bash_arguments, _bash),
    "grep": Tool("Grep", _grep_arguments, _grep),
    "glob": Tool("Glob", lambda step: {"pattern": step.args}, _glob),
    "edit": Tool("Edit", _edit_arguments, _edit),
    "write": Tool("Write", _write_arguments, _write),
    "todo": Tool("TodoWrite", _todo_arguments, _todo),
    "task": Tool("Task", _task_arguments, _task),
}
