"""Runs the server over standard input and output, or over HTTP. The command line calls this module.

The SDK is imported in `serve`, so that its absence can be reported clearly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from palimpsest.config.local_server import stopping
from palimpsest.errors import SettingsError

if TYPE_CHECKING:
    from palimpsest.engine.engine import Engine

NO_DESCRIPTOR = -1
"""Replaces a closed standard input, because descriptor 0 may be one of our files by now."""


@dataclass(frozen=True, slots=True)
class Http:
    """The address and token for HTTP."""

    host: str
    port: int
    token: str


def require_sdk() -> None:
    """Raises SettingsError if the SDK is not installed."""
    if find_spec("mcp") is None:
        raise SettingsError(
            "the MCP server needs the package mcp, which is not installed",
            hint="pip install 'palimpsest[mcp]'",
        )


async def serve(
    engine: Engine, db: Path, folders: tuple[Path, ...], http: Http | None, say: Callable[[str], None]
) -> None:
    """Serve until the client leaves (standard input and output) or a signal arrives. `say` writes to standard error."""
    require_sdk()
    from palimpsest.mcp.followed_files import state_path
    from palimpsest.mcp.server import make_server
    from palimpsest.mcp.transcript_follower import Follower

    follower = None
    if folders:
        follower = Follower(engine, folders, state=state_path(db, engine.owner), say=say)
    server = make_server(engine, follower, say)
    try:
        if follower is not None:
            follower.start()
        if http is None:
            from palimpsest.mcp.stdio import Lines, serve_stdio

            if sys.stdin is not None and sys.stdin.isatty():
                say("clients start this themselves (palimpsest mcp --install claude); Ctrl-C ends it")
            lines = Lines(0 if sys.stdin is not None else NO_DESCRIPTOR)
            with stopping(lines.close):
                await serve_stdio(server, lines)
        else:
            from palimpsest.mcp.http import HttpServing

            listening = HttpServing(server, http.host, http.port, http.token)
            say(f"serving {listening.url}")
            with stopping(listening.close):
                await listening.serve()
    finally:
        if follower is not None:
            await follower.close()
