"""Who may use the proxy: programs of this machine, and others with the token.

- On a loopback address without a token, a request must name the address as it is served, and may come from no web page
  of another origin. So no web page reaches the proxy under a name of its own.
- With a token, every request needs it: in the header `x-palimpsest-token`, or in the address, as
  `http://HOST:PORT/palimpsest/TOKEN`. The provider never gets it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from palimpsest.config.local_server import is_token

TOKEN_HEADER = b"x-palimpsest-token"
OWN_PATH = b"/palimpsest/"

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Access:
    """The names under which the proxy is served, and the token, "" for none."""

    names: frozenset[bytes]
    token: str = ""

    def admit(self, path: bytes, headers: Headers) -> tuple[bytes, str]:
        """Return the path to pass on, and why a request is refused, "" if it is not."""
        host, origin, given = b"", b"", b""
        for name, value in headers:
            if name == b"host":
                host = value
            elif name == b"origin":
                origin = value
            elif name == TOKEN_HEADER:
                given = value
        if self.token:
            if path.startswith(OWN_PATH):
                first, slash, rest = path[len(OWN_PATH) :].partition(b"/")
                if is_token(first, self.token):
                    return slash + rest or b"/", ""
            return path, "" if is_token(given, self.token) else "a valid token is needed"
        if host.lower() not in self.names:
            return path, "the host name is not that of this proxy"
        if origin and origin.lower().partition(b"://")[2] not in self.names:
            return path, "web pages of other origins have no access"
        return path, ""
