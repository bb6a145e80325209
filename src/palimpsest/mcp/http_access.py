"""The address for HTTP, and the token that clients need.

The token comes from a file, else from the environment, else a new one is printed on standard error. It is never taken
from the command line, which every user of the machine can read.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from palimpsest.config.paths import expand_home
from palimpsest.errors import SettingsError, UsageError, reason_of
from palimpsest.file_writing import PRIVATE, write

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
