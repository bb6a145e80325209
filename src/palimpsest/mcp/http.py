"""The protocol over streamable HTTP, for clients on this machine that have the token.

- Only loopback addresses are bound. Access from other machines needs a proxy.
- Every request needs `Authorization: Bearer TOKEN`. It is compared in constant time, before anything else is read.
- A client that disconnects during a request is not an error.
- The SDK checks `Host` and `Origin`, so that no web page reaches the server under another name.
"""

from __future__ import annotations

import contextlib
import hmac
import socket
from collections.abc import Awaitable, Callable, Generator, MutableMapping
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect

from palimpsest.errors import UsageError
from palimpsest.mcp.http_access import own_address

MCP_PATH = "/mcp"
MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_SESSIONS = 100
_CLOSING_TIMEOUT_S = 2
_KEEP_ALIVE_S = 75
"""Long enough that the client closes a connection first: a server that closes it might break a request."""

_BACKLOG = 128

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


class Guarded:
    """An ASGI application behind a token check."""

    def __init__(self, app: _App, token: str) -> None:
        self._app = app
        self._expected = token.encode()

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "lifespan" or self._admits(scope):
            with contextlib.suppress(ClientDisconnect):
                await self._app(scope, receive, send)
        elif scope["type"] == "http":
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b"a valid token is needed\n"})

    def _admits(self, scope: _Scope) -> bool:
        given = [value for name, value in scope.get("headers", ()) if name == b"authorization"]
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token, self._expected)


class _Quiet(uvicorn.Server):
    """uvicorn's server without its signal handlers, because the caller has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class HttpServing:
    """A bound socket and the server behind it."""

    def __init__(self, server: Server[Any], host: str, port: int, token: str) -> None:
        self._socket = bind(host, port)
        address = self._socket.getsockname()
        shown = f"[{address[0]}]" if ":" in address[0] else address[0]
        self.url = f"http://{shown}:{address[1]}{MCP_PATH}"
        names = [f"{name}:{address[1]}" for name in dict.fromkeys((shown, "localhost"))]
        security = TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        )
        app = server.streamable_http_app(
            streamable_http_path=MCP_PATH,
            max_request_body_size=MAX_BODY_BYTES,
            max_sessions=MAX_SESSIONS,
            transport_security=security,
        )
        self._uvicorn = _Quiet(
            uvicorn.Config(
                Guarded(app, token),
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=_CLOSING_TIMEOUT_S,
            )
        )

    def close(self) -> None:
        """Stop serving; open connections get a moment to finish."""
        self._uvicorn.should_exit = True

    async def serve(self) -> None:
        """Serve until `close`."""
        await self._uvicorn.serve(sockets=[self._socket])


def bind(host: str, port: int) -> socket.socket:
    """A listening socket on a loopback address; port 0 takes a free one. Raises UsageError."""
    address = own_address(host)
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((str(address), port))
        made.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot listen on {host} port {port}: {reason}", hint="choose another port"
        ) from error
    return made
