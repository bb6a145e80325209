"""The protocol over streamable HTTP, for clients on this machine that have the token.

- Only loopback addresses are bound. Access from other machines needs a proxy.
- Every request needs `Authorization: Bearer TOKEN`. It is compared in constant time, before anything else is read.
- A client that disconnects during a request is not an error.
- The SDK checks `Host` and `Origin`, so that no web page reaches the server under another name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect

from palimpsest.config.local_server import bind, is_token, make_server, own_names, shown_host

MCP_PATH = "/mcp"
MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_SESSIONS = 100
TOKEN_VARIABLE = "PALIMPSEST_MCP_TOKEN"  # noqa: S105  (the variable's name)
DEFAULT_PORT = 8377
_CLOSING_TIMEOUT_S = 2

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


class Guarded:
    """An ASGI application behind a token check."""

    def __init__(self, app: _App, token: str) -> None:
        self._app = app
        self._expected = token

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
        return scheme.lower() == b"bearer" and is_token(token, self._expected)


class HttpServing:
    """A bound socket and the server behind it."""

    def __init__(self, server: Server[Any], host: str, port: int, token: str) -> None:
        self._socket = bind(host, port)
        address = self._socket.getsockname()
        self.url = f"http://{shown_host(address[0])}:{address[1]}{MCP_PATH}"
        names = list(own_names(address[0], address[1]))
        security = TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        )
        app = server.streamable_http_app(
            streamable_http_path=MCP_PATH,
            max_request_body_size=MAX_BODY_BYTES,
            max_sessions=MAX_SESSIONS,
            transport_security=security,
        )
        self._uvicorn = make_server(Guarded(app, token), _CLOSING_TIMEOUT_S)

    def close(self) -> None:
        """Stop serving; open connections get a moment to finish."""
        self._uvicorn.should_exit = True

    async def serve(self) -> None:
        """Serve until `close`."""
        await self._uvicorn.serve(sockets=[self._socket])
