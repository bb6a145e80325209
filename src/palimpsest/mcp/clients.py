"""The programs that can use the server: where each keeps its transcripts and its list of servers.

Only Claude Code's file is edited (`install.py`). For the others, the lines to add are printed, because their files are
TOML with comments, or JSON that may contain comments.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from palimpsest.config.paths import expand_home
from palimpsest.errors import UsageError

SERVER_NAME = "palimpsest"
Form = Literal["claude", "json", "toml", "opencode", "vscode"]


@dataclass(frozen=True, slots=True)
class Client:
    """A program that speaks MCP. `transcripts` is relative to its home: `$home_variable`, or `home`."""

    name: str
    label: str
    config: str
    form: Form
    home: str = ""
    home_variable: str = ""
    transcripts: str = ""


CLIENTS: Mapping[str, Client] = {
    one.name: one
    for one in (
        Client("claude", "Claude Code", "~/.claude.json", "claude", "~/.claude", "CLAUDE_CONFIG_DIR", "projects"),
        Client("codex", "Codex", "~/.codex/config.toml", "toml", "~/.codex", "CODEX_HOME", "sessions"),
        Client("gemini", "Gemini CLI", "~/.gemini/settings.json", "json", "~/.gemini", "", "tmp"),
        Client("cursor", "Cursor", "~/.cursor/mcp.json", "json"),
        Client(
            "opencode", "opencode", "~/.config/opencode/opencode.json", "opencode",
            "~/.local/share/opencode", "", ".",
        ),
        Client("vscode", "VS Code", ".vscode/mcp.json", "vscode"),
        Client("claude-desktop", "Claude Desktop", "claude_desktop_config.json", "json"),
        Client("other", "another client", "its configuration", "json"),
    )
}  # fmt: skip


def client_named(name: str) -> Client:
    """The client with this name. Raises UsageError."""
    if name not in CLIENTS:
        raise UsageError(f"no client {name!r}", hint=f"known clients: {', '.join(CLIENTS)}")
    return CLIENTS[name]


def home_of(client: Client) -> Path:
    """The folder of a client's data."""
    return expand_home(os.environ.get(client.home_variable) or client.home)


def transcripts_of(client: Client) -> Path | None:
    """The folder of a client's transcripts, None if it has no readable ones."""
    return home_of(client) / client.transcripts if client.transcripts else None


def folder_to_follow(given: str) -> Path:
    """The folder that `--follow` names: a path, or a client's name for its transcripts. Raises UsageError."""
    if not given:
        raise UsageError("the folder to follow is empty", hint="name a folder, or a client such as claude")
    if given not in CLIENTS:
        return expand_home(given).absolute()
    folder = transcripts_of(CLIENTS[given])
    if folder is None:
        raise UsageError(f"{given} keeps no transcripts that can be read", hint="name a folder")
    return folder.absolute()


def claude_config() -> Path:
    """Claude Code's configuration: in its own folder if that is set, else in the home folder."""
    given = os.environ.get("CLAUDE_CONFIG_DIR")
    return expand_home(given) / ".claude.json" if given else expand_home("~/.claude.json")


def server_command(arguments: Sequence[str]) -> list[str]:
    """The command that starts this server from any folder: the script next to this Python, or the module."""
    script = Path(sys.executable).parent / SERVER_NAME
    begin = [str(script)] if script.is_file() else [sys.executable, "-m", "palimpsest"]
    return [*begin, "mcp", *arguments]


def entry_for(command: Sequence[str]) -> dict[str, object]:
    """A server's entry under `mcpServers`, as in most clients."""
    return {"type": "stdio", "command": command[0], "args": list(command[1:]), "env": {}}


def lines_for(client: Client, command: Sequence[str]) -> str:
    """The lines to add to the client's file."""
    if client.form == "toml":
        return (
            f"[mcp_servers.{SERVER_NAME}]\ncommand = {_text(command[0])}\nargs = {_text(list(command[1:]))}"
        )
    if client.form == "opencode":
        entry: dict[str, object] = {"type": "local", "command": list(command), "enabled": True}
        return _text({"mcp": {SERVER_NAME: entry}}, indent=2)
    plain = {"command": command[0], "args": list(command[1:])}
    if client.form == "vscode":
        return _text({"servers": {SERVER_NAME: {"type": "stdio", **plain}}}, indent=2)
    return _text({"mcpServers": {SERVER_NAME: plain}}, indent=2)


def _text(value: object, indent: int | None = None) -> str:
    """JSON, which is also TOML for strings and lists of strings."""
    return json.dumps(value, ensure_ascii=False, indent=indent)
