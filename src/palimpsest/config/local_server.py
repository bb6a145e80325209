"""What servers of this program share: an address of this machine, a token, one server in this process, and its end.

- Every address is a loopback address, unless the caller allows others.
- A token comes from a file, else from the environment, else a new one is printed on standard error. It is never taken
  from the command line, which every user of the machine can read.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palimpsest.config.paths import expand_home
from palimpsest.errors import SettingsError, UsageError, reason_of
from palimpsest.file_writing import PRIVATE, write

if TYPE_CHECKING:
    import uvicorn

MIN_TOKEN_CHARS = 16
STOP_TIMEOUT_S = 5.0
_HOST = "127.0.0.1"
_MADE_BYTES = 32
_OTHERS = 0o077
_BACKLOG = 1_024
_KEEP_ALIVE_S = 75
"""Long enough that the client closes a connection first: a server that closes it might break a request."""

_STOPPED_EXIT = 143
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def bind(host: str, port: int, *, anywhere: bool = False) -> socket.socket:
    """A listening socket on a loopback address, or `anywhere`; port 0 takes a free one. Raises UsageError."""
    address = own_address(host, anywhere=anywhere)
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


def read_address(given: str) -> tuple[str, int]:
    """The host and the port in "8377" or "127.0.0.1:8377". Raises UsageError."""
    host, colon, port = given.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65_535):
        raise UsageError(
            f"the port cannot be {port!r}", hint="give a number from 0 to 65535; 0 takes a free one"
        )
    return str(own_address(host)) if colon else _HOST, int(port)


def own_address(host: str, *, anywhere: bool = False) -> IPv4Address | IPv6Address:
    """A loopback address, or `anywhere` any address of this machine. Raises UsageError for any other host."""
    try:
        address = ip_address(_HOST if host == "localhost" else host.strip("[]"))
    except ValueError:
        address = None
    if address is None or not (anywhere or address.is_loopback):
        raise UsageError(
            f"{host or 'no host'} is not {'an IP' if anywhere else 'a loopback'} address",
            hint="give 127.0.0.1, ::1 or localhost"
            + ("" if anywhere else "; use a proxy for access from other machines"),
        )
    return address


def take_token(file: Path | None, variable: str, say: Callable[[str], None]) -> str:
    """The required token: of a file, which is created if it is missing, or an environment variable. Raises
    SettingsError.
    """
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
    given = os.environ.get(variable)
    if given is not None:
        return _checked(given.strip(), variable)
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


def is_token(given: str | bytes, expected: str) -> bool:
    """Compare a token in constant time."""
    return hmac.compare_digest(given.encode() if isinstance(given, str) else given, expected.encode())


def shown_host(host: str) -> str:
    """A host as it stands in an address."""
    return f"[{host}]" if ":" in host else host


def own_names(host: str, port: int) -> tuple[str, ...]:
    """The values of the `Host` header under which a socket is meant to be reached."""
    return tuple(f"{name}:{port}" for name in dict.fromkeys((shown_host(host), "localhost")))


def make_server(app: Any, closing_timeout_s: int, **options: Any) -> uvicorn.Server:
    """uvicorn's server without its signal handlers, because the caller has its own."""
    import uvicorn

    class Quiet(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Generator[None]:
            yield

    return Quiet(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=closing_timeout_s,
            **options,
        )
    )


@contextmanager
def stopping(stop: Callable[[], None], timeout_s: float = STOP_TIMEOUT_S) -> Generator[None]:
    """Call `stop` on SIGINT and SIGTERM. If the process has not ended some time later, it is ended by force; writes are
    transactions, so nothing is half stored.
    """
    loop = asyncio.get_running_loop()
    timers: list[threading.Timer] = []

    def begin() -> None:
        stop()
        timer = threading.Timer(timeout_s, os._exit, (_STOPPED_EXIT,))
        timer.daemon = True
        timers.append(timer)
        timer.start()

    def handle(number: int, frame: object) -> None:
        loop.call_soon_threadsafe(begin)

    before = {one: signal.signal(one, handle) for one in _SIGNALS}
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        for one, handler in before.items():
            signal.signal(one, handler)
