"""The protocol over streamable HTTP, for clients on this machine that have the token.

- Only loopback addresses are bound. Access from other machines needs a proxy.
- Every request needs `Authorization: Bearer TOKEN`. It is compared in constant time, before anything else is read.
- The token comes from a file, else from the environment, else a new one is printed on standard error. It is never taken
  from the command line, which every user of the machine can read.
- A client that disconnects during a request is not an error.
- The SDK checks `Host` and `Origin`, so that no web page reaches the server under another name.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Generator, MutableMapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect

from palimpsest.config.paths import expand_home
from palimpsest.errors import SettingsError, UsageError, reason_of
from palimpsest.file_writing import PRIVATE, write

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


TOKEN_VARIABLE = "PALIMPSEST_MCP_TOKEN"  # noqa: S105  (the variable's name)
MIN_TOKEN_CHARS = 16
DEFAULT_PORT = 8377
_HOST = "127.0.0.1"
_MADE_BYTES = 32
_OTHERS = 0o077


def read_address(given: str | None) -> tuple[str, int]:
    """The host and the port in "8377" or "127.0.0.1:8377". Raises UsageError."""
    host, colon, port = (given or str(DEFAULT_PORT)).rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65_535):
        raise UsageError(
            f"the port cannot be {port!r}", hint="give a number from 0 to 65535; 0 takes a free one"
        )
    return str(own_address(host)) if colon else _HOST, int(port)


def own_address(host: str) -> IPv4Address | IPv6Address:
    """A loopback address. Raises UsageError for any other host."""
    try:
        address = ip_address(_HOST if host == "localhost" else host.strip("[]"))
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise UsageError(
            f"{host or 'no host'} is not a loopback address",
            hint="give 127.0.0.1, ::1 or localhost; use a proxy for access from other machines",
        )
    return address


def take_token(file: Path | None, say: Callable[[str], None]) -> str:
    """The required token. A missing file is created with a new one. Raises SettingsError."""
    if file is not None:
        path = expand_home(file)
        token = _read_token(path)
        if token is None:
            token = secrets.token_urlsafe(_MADE_BYTES)
            _write_token(path, token)
            say(f"a new token is in {path}")
        elif os.name == "posix" and path.stat().st_mode & _OTHERS:
            say(f"{path} is readable by other users of this machine: use `chmod 600`")
        return _checked(token, str(path))
    given = os.environ.get(TOKEN_VARIABLE)
    if given is not None:
        return _checked(given.strip(), TOKEN_VARIABLE)
    token = secrets.token_urlsafe(_MADE_BYTES)
    say(f"token for this run: {token}")
    return token


def _checked(token: str, source: str) -> str:
    if len(token) < MIN_TOKEN_CHARS or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError(
            f"the token in {source} cannot be used",
            hint=f"at least {MIN_TOKEN_CHARS} printable ASCII characters without spaces",
        )
    return token


def _read_token(path: Path) -> str | None:
    """The content of a token file, None if there is no file."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read the token in {path}: {error}", hint="name another file") from error


def _write_token(path: Path, token: str) -> None:
    """Write a new file that only its owner can read."""
    try:
        write(path, f"{token}\n".encode(), mode=PRIVATE, replace=False)
    except OSError as error:
        raise SettingsError(
            f"cannot write the token to {path}: {reason_of(error)}", hint="name another file"
        ) from error
