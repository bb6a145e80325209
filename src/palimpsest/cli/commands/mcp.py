"""`palimpsest mcp`: run the MCP server, and register it with clients.

This is the only place where the command line starts another edge. It uses nothing of the SDK itself, and imports the
server when the command runs.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.drawing import clean
from palimpsest.cli.options import OWNER, Shared, command
from palimpsest.cli.output import make_output
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


@command("mcp")
def mcp(
    shared: Shared,
    address: Annotated[
        str | None, argument("PORT", "Serve HTTP there: a port, or HOST:PORT of this machine.")
    ] = None,
    follow: Annotated[
        list[str] | None,
        option(
            "--follow DIR",
            "Import transcripts written there before answering: a folder, or claude, codex, gemini, "
            "opencode for that client's own. May be repeated.",
        ),
    ] = None,
    http: Annotated[bool, option("--http", "Serve HTTP on port 8377 of 127.0.0.1.")] = False,
    token_file: Annotated[
        Path | None,
        option("--token-file FILE", "The token for HTTP; created if missing. [env: PALIMPSEST_MCP_TOKEN]"),
    ] = None,
    install: Annotated[
        str | None, option("--install CLIENT", "Add the server to claude; show how for others.")
    ] = None,
    uninstall: Annotated[str | None, option("--uninstall CLIENT", "Remove it again.")] = None,
    no_follow: Annotated[bool, option("--no-follow", "With --install: follow nothing.")] = False,
) -> None:
    """Serve what is stored to a client that speaks MCP.

    \b
    palimpsest mcp --install claude
    palimpsest mcp --follow ~/.claude/projects
    palimpsest mcp --http 8377 --token-file ~/.palimpsest-token
    """
    if install is not None and uninstall is not None:
        raise UsageError("--install and --uninstall exclude each other", hint="give one of them")
    if install is not None and (http or address is not None or token_file is not None):
        raise UsageError(
            "--install adds a server that its client starts itself, not one over HTTP",
            hint="start that one with `palimpsest mcp --http`, and give its address and token to the client",
        )
    if uninstall is not None:
        _uninstall(shared, uninstall)
    elif install is not None:
        _install(shared, install, [] if no_follow else follow)
    else:
        _serve(shared, follow or [], http=http or address is not None, address=address, token_file=token_file)


def _serve(
    shared: Shared, follow: Sequence[str], *, http: bool, address: str | None, token_file: Path | None
) -> None:
    from palimpsest.mcp.clients import folder_to_follow
    from palimpsest.mcp.launch import Http, require_sdk, serve

    require_sdk()
    output = make_output(shared.command, as_json=False)

    def note(text: str) -> None:
        output.note(clean(text))

    folders = tuple(folder_to_follow(one) for one in follow)
    reached = None
    if http:
        from palimpsest.config.local_server import read_address, take_token
        from palimpsest.mcp.http import DEFAULT_PORT, TOKEN_VARIABLE

        reached = Http(
            *read_address(address or str(DEFAULT_PORT)), take_token(token_file, TOKEN_VARIABLE, note)
        )

    async def body(session: Session) -> None:
        await serve(session.engine, shared.path, folders, reached, note)

    perform(shared, body, creates_db=True, embeds=True)


def _install(shared: Shared, name: str, follow: Sequence[str] | None) -> None:
    """Add the server to Claude Code's file; for another client, print what to add."""
    from palimpsest.mcp.clients import (
        claude_config,
        client_named,
        entry_for,
        folder_to_follow,
        lines_for,
        server_command,
        transcripts_of,
    )
    from palimpsest.mcp.launch import require_sdk

    client = client_named(name)
    require_sdk()
    if follow is None:
        follow = [name] if transcripts_of(client) is not None else []
    folders = [str(folder_to_follow(one)) for one in follow]
    arguments = ["--db", str(shared.path.absolute())]
    arguments += ["--owner", shared.owner] if shared.owner != OWNER else []
    arguments += [word for folder in folders for word in ("--follow", folder)]
    command = server_command(arguments)
    output = make_output(shared.command, as_json=shared.as_json)
    fields: dict[str, object] = {"client": name, "command": command, "follows": folders}
    if client.form != "claude":
        lines = lines_for(client, command)
        fields |= {"action": "shown", "path": client.config, "lines": lines}
        output.result(fields, f"To {client.config} of {client.label} add:\n\n{clean(lines)}\n")
        return
    from palimpsest.mcp.install import install

    done = install(claude_config(), entry_for(command))
    words = {"added": "added to", "changed": "changed in", "unchanged": "is already in"}[done.action]
    output.result(
        fields | {"action": done.action, "path": done.path, "backup": done.backup},
        [
            f"palimpsest {words} {clean(done.path)}",
            f"  runs      {clean(shlex.join(command))}",
            f"  follows   {clean(', '.join(folders)) or 'nothing'}",
            *([f"  backup    {clean(done.backup)}"] if done.backup else []),
            "Restart Claude Code; /mcp shows the server. To remove it: palimpsest mcp --uninstall claude",
        ],
    )


def _uninstall(shared: Shared, name: str) -> None:
    """Remove the server from Claude Code's file; for another client, print what to remove."""
    from palimpsest.mcp.clients import SERVER_NAME, claude_config, client_named

    client = client_named(name)
    output = make_output(shared.command, as_json=shared.as_json)
    if client.form != "claude":
        text = f'Remove "{SERVER_NAME}" from the servers in {client.config} of {client.label}.'
        output.result({"client": name, "action": "shown", "path": client.config, "lines": text}, text)
        return
    from palimpsest.mcp.install import uninstall

    done = uninstall(claude_config())
    text = {
        "restored": f"{done.path} is as it was before",
        "removed": f"palimpsest removed from {done.path}; later edits of the rest stay",
        "absent": f"palimpsest is not in {done.path}: nothing to do",
    }[done.action]
    fields: dict[str, object] = {
        "client": name,
        "action": done.action,
        "path": done.path,
        "backup": done.backup,
    }
    backup = [f"the file before is {clean(done.backup)}"] if done.backup else []
    output.result(fields, [clean(text), *backup])
