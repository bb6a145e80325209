"""`palimpsest mcp`: the MCP server, and telling clients of it.

This is the one place where the command line starts another edge. It does so through that edge's `launch` and `install`,
imported when the command runs.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palimpsest.cli.options import DB_VARIABLE, OWNER, Db, Json, Owner, Shared
from palimpsest.cli.output import make_output
from palimpsest.cli.session import Session, perform
from palimpsest.errors import SettingsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from palimpsest.mcp.launch import Http, Serving

TOKEN_VARIABLE = "PALIMPSEST_MCP_TOKEN"  # noqa: S105  (the variable's name)
MIN_TOKEN_CHARS = 16
_HOST = "127.0.0.1"


def mcp(
    address: Annotated[
        str | None, typer.Argument(metavar="[PORT]", help="With --http: the port, or HOST:PORT of this machine.")
    ] = None,
    follow: Annotated[
        list[str] | None,
        typer.Option(
            "--follow", metavar="DIR",
            help="Take in transcripts written there before answering: a folder, or claude, codex, gemini, "
            "opencode for that client's own. May be repeated.",
        ),
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP on 127.0.0.1, not standard input.")] = False,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="FILE", help=f"The token for HTTP; made if absent. [env: {TOKEN_VARIABLE}]"),
    ] = None,
    install: Annotated[
        str | None, typer.Option("--install", metavar="CLIENT", help="Add the server to claude, or show how for others.")
    ] = None,
    uninstall: Annotated[
        str | None, typer.Option("--uninstall", metavar="CLIENT", help="Take it out again.")
    ] = None,
    no_follow: Annotated[bool, typer.Option("--no-follow", help="With --install: follow nothing.")] = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Serve what is stored to a client that speaks MCP.

    \b
    palimpsest mcp --install claude
    palimpsest mcp --follow ~/.claude/projects
    palimpsest mcp --http 8377 --token-file ~/.palimpsest-token
    """
    shared = Shared("mcp", db, owner, as_json)
