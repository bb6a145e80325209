"""Hooks in the configuration of coding agents: installed, removed to the byte, and found again.

- An agent's file is edited as text. What is there stays byte for byte, and its original is kept next to it.
- Removing restores the original, unless the file was edited since; then only the hooks are taken out.
- Installing twice changes nothing. A file that cannot be edited, such as one with comments, is not changed.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from palimpsest.config import edited_files, json_edit
from palimpsest.config.edited_files import Edit
from palimpsest.config.paths import expand_home
from palimpsest.errors import SettingsError, UsageError

MARKS = ("palimpsest", "hooks run")
"""An installed hook is recognized by both: another program may have a command of the same name."""

TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Agent:
    """A program with hooks. `events` are those that are used; a `plugin` is a file of its own instead.

    `note` says what is left to do after installing.
    """

    name: str
    label: str
    home: str
    home_variable: str
    file: str
    events: tuple[str, ...] = ()
    timeout_unit: int = 1
    plugin: bool = False
    note: str = ""


_EVENTS = ("PreCompact", "SessionStart")
AGENTS: Mapping[str, Agent] = {
    one.name: one
    for one in (
        Agent("claude", "Claude Code", "~/.claude", "CLAUDE_CONFIG_DIR", "settings.json", _EVENTS),
        Agent(
            "codex", "Codex", "~/.codex", "CODEX_HOME", "hooks.json", _EVENTS,
            note="start codex once and trust the hooks; before that it does not run them",
        ),
        Agent(
            "gemini", "Gemini CLI", "~/.gemini", "", "settings.json", ("PreCompress", "SessionStart"), 1_000
        ),
        Agent("opencode", "opencode", "~/.config/opencode", "", "plugin/palimpsest.js", plugin=True),
    )
}  # fmt: skip
_PLUGIN = """// Made by `palimpsest hooks install opencode`; `palimpsest hooks uninstall opencode` removes it.
export const Palimpsest = async ({{ $ }}) => ({{
  "experimental.session.compacting": async (input, output) => {{
    const given = new Response(JSON.stringify({{ hook_event_name: "compacting", session_id: input.sessionID }}))
    const told = await $`{command} < ${{given}}`.quiet().nothrow().text()
    if (told.trim()) output.context.push(told)
  }},
}})
"""


@dataclass(frozen=True, slots=True)
class Status:
    """Whether an agent has the hooks. `command` is what they run, and `missing` the events without one."""

    agent: str
    path: str
    installed: bool
    command: str = ""
    missing: tuple[str, ...] = ()
    problem: str = ""


def agent_named(name: str) -> Agent:
    """Return the agent with this name. Raises UsageError."""
    if name not in AGENTS:
        raise UsageError(f"no agent {name!r} with hooks", hint=f"known: {', '.join(AGENTS)}")
    return AGENTS[name]


def file_of(agent: Agent) -> Path:
    """Return the agent's file that has the hooks."""
    return expand_home(os.environ.get(agent.home_variable) or agent.home) / agent.file


def install(agent: Agent, command: Sequence[str]) -> Edit:
    """Add the hooks, which run `command`. Raises SettingsError."""
    path = file_of(agent)
    target, backup = edited_files.places(path)
    before = edited_files.read(target)
    if agent.plugin:
        return _install_plugin(path, target, before, command)
    try:
        mark, text = edited_files.decoded(before, path) if before is not None else (b"", "{}\n")
    except SettingsError as error:
        error.hint = f"nothing was changed; correct it, or add this by hand: {_by_hand(agent, command)}"
        raise
    had = any(_ours(text, event) for event in agent.events)
    after = mark + _with_hooks(text, agent, command, path).encode()
    if after == before:
        return Edit("unchanged", str(path), str(backup) if backup.exists() else "")
    if before is not None and not had:
        edited_files.write(backup, before, None, like=target)
    edited_files.write(target, after, before)
    return Edit("changed" if had else "added", str(path), str(backup) if backup.exists() else "")


def _install_plugin(path: Path, target: Path, before: bytes | None, command: Sequence[str]) -> Edit:
    text = _PLUGIN.format(command=_line(command)).encode()
    if before == text:
        return Edit("unchanged", str(path))
    if before is not None and not _is_ours(before.decode(errors="replace")):
        raise SettingsError(f"{path} is another plugin", hint="rename it; nothing was changed")
    edited_files.write(target, text, before)
    return Edit("added" if before is None else "changed", str(path))


def uninstall(agent: Agent) -> Edit:
    """Remove the hooks. Raises SettingsError."""
    path = file_of(agent)
    target, backup = edited_files.places(path)
    now = edited_files.read(target)
    if now is None:
        return Edit("absent", str(path))
    if agent.plugin:
        if not _is_ours(now.decode(errors="replace")):
            return Edit("absent", str(path))
        edited_files.unlink(target, now)
        return Edit("restored", str(path))
    mark, text = edited_files.decoded(now, path)
    commands = [_command_of(hook) for event in agent.events for _, hook in _ours(text, event)]
    if not commands:
        return Edit("absent", str(path))
    original = edited_files.read(backup)
    if _installed_from(original, agent, commands[0], path) == now:
        if original is None:
            edited_files.unlink(target, now)
        else:
            edited_files.write(target, original, now)
        backup.unlink(missing_ok=True)
        return Edit("restored", str(path))
    edited_files.write(target, mark + _without_hooks(text, agent, original).encode(), now)
    return Edit("removed", str(path), str(backup) if original is not None else "")


def status(agent: Agent) -> Status:
    """Return whether an agent has the hooks; a file that cannot be read is a problem, not an error."""
    path = file_of(agent)
    try:
        now = edited_files.read(edited_files.places(path)[0])
        if now is None:
            return Status(agent.name, str(path), installed=False)
        if agent.plugin:
            return Status(agent.name, str(path), installed=_is_ours(now.decode(errors="replace")))
        _, text = edited_files.decoded(now, path)
    except SettingsError as error:
        return Status(agent.name, str(path), installed=False, problem=error.message)
    found = {event: _ours(text, event) for event in agent.events}
    command = next((_command_of(hooks[0][1]) for hooks in found.values() if hooks), "")
    missing = tuple(event for event, hooks in found.items() if not hooks)
    return Status(agent.name, str(path), bool(command), command, missing if command else ())


def _with_hooks(text: str, agent: Agent, command: Sequence[str] | str, path: Path) -> str:
    """The text with one hook of ours for each event. Raises SettingsError."""
    entry = _entry(agent, command)
    try:
        for event in agent.events:
            ours = _ours(text, event)
            if [found for _, found in ours] == [entry]:
                continue
            for index, _ in reversed(ours):
                text = json_edit.remove_element(text, ("hooks", event), index)
            text = json_edit.append(text, ("hooks", event), entry)
    except ValueError as error:
        raise SettingsError(f"{path}: {error}", hint="nothing was changed") from error
    return text


def _entry(agent: Agent, command: Sequence[str] | str) -> dict[str, object]:
    line = command if isinstance(command, str) else _line(command)
    return {"hooks": [{"type": "command", "command": line, "timeout": TIMEOUT_S * agent.timeout_unit}]}


def _by_hand(agent: Agent, command: Sequence[str]) -> str:
    """The member that a file with comments needs."""
    hooks = {event: [_entry(agent, command)] for event in agent.events}
    return f'"hooks": {json.dumps(hooks, ensure_ascii=False)}'


def _without_hooks(text: str, agent: Agent, original: bytes | None) -> str:
    """The text without our hooks, and without the lists and objects that installing made."""
    before = edited_files.marked(original)[1] if original is not None else "{}"
    for event in agent.events:
        place = ("hooks", event)
        for index, _ in reversed(_ours(text, event)):
            text = json_edit.remove_element(text, place, index)
        if json_edit.value_at(text, place) == [] and json_edit.value_at(before, place) is None:
            text = json_edit.remove(text, place)
    if json_edit.value_at(text, ("hooks",)) == {} and json_edit.value_at(before, ("hooks",)) is None:
        text = json_edit.remove(text, ("hooks",))
    return text


def _installed_from(original: bytes | None, agent: Agent, command: str, path: Path) -> bytes | None:
    """What installing makes of a file, None if it would refuse."""
    try:
        mark, text = edited_files.decoded(original, path) if original is not None else (b"", "{}\n")
        return mark + _with_hooks(text, agent, command, path).encode()
    except SettingsError:
        return None


def _ours(text: str, event: str) -> list[tuple[int, object]]:
    """Our entries of an event, with their positions in its list."""
    found = json_edit.value_at(text, ("hooks", event))
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return [(index, one) for index, one in enumerate(listed) if _is_ours(_command_of(one))]


def _is_ours(command: str) -> bool:
    return all(mark in command for mark in MARKS)


def _command_of(entry: object) -> str:
    """The command of an entry's first hook, "" for another form."""
    hooks = cast("dict[str, object]", entry).get("hooks") if isinstance(entry, dict) else None
    first = cast("list[object]", hooks)[0] if isinstance(hooks, list) and hooks else None
    command = cast("dict[str, object]", first).get("command") if isinstance(first, dict) else None
    return command if isinstance(command, str) else ""


def _line(command: Sequence[str]) -> str:
    return shlex.join(command)
