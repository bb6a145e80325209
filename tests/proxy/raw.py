"""A provider that answers with given bytes, and records the bytes it was sent; and requests as bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

JSON = b"content-type: application/json\r\n"


@dataclass
class Request:
    """A request as it came."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes

    def all(self, name: str) -> list[str]:
        """The values of a header."""
        return [value for key, value in self.headers if key == name]


def whole(body: bytes, status: str = "200 OK", headers: bytes = JSON) -> bytes:
    """A response of known length."""
    return b"HTTP/1.1 %s\r\n%scontent-length: %d\r\n\r\n%s" % (status.encode(), headers, len(body), body)


def chunked(*pieces: bytes, ends: bool = True) -> bytes:
    """A streamed response."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    body = b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in pieces)
    return head + body + (b"0\r\n\r\n" if ends else b"")


@dataclass
class RawProvider:
    """The provider; a context manager. `answer` gives the bytes for a request; then the connection is closed."""

    answer: Callable[[Request], bytes] = lambda _: whole(b"{}")
    holds: asyncio.Event | None = None
    seen: list[Request] = field(default_factory=list[Request])
    left: int = 0
    url: str = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._converse, "127.0.0.1", 0, backlog=2_048)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.holds is not None:
            self.holds.set()
        self._server.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await read_request(reader)
            self.seen.append(request)
            writer.write(self.answer(request))
            await writer.drain()
            if self.holds is not None:
                gone = asyncio.ensure_future(reader.read())
                holds = asyncio.ensure_future(self.holds.wait())
                await asyncio.wait((gone, holds), return_when=asyncio.FIRST_COMPLETED)
                self.left += gone.done()
                gone.cancel()
                holds.cancel()
        except (asyncio.IncompleteReadError, ConnectionError):
            self.left += 1
        finally:
            writer.close()


async def read_request(reader: asyncio.StreamReader) -> Request:
    """Read one request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = [line.partition(": ") for line in head[1:] if line]
    headers = [(name.lower(), value) for name, _, value in pairs]
    size = next((int(value) for name, value in headers if name == "content-length"), None)
    if size is not None:
        return Request(head[0], headers, await reader.readexactly(size))
    body = b""
    if ("transfer-encoding", "chunked") in headers:
        while length := int(await reader.readline(), 16):
            body += await reader.readexactly(length)
            await reader.readline()
        await reader.readline()
    return Request(head[0], headers, body)


async def ask(
    url: str, data: bytes, *, path: str = "", method: str = "POST", host: str = "", more: str = ""
) -> bytes:
    """Send a request as bytes, and return everything that comes back until the connection is closed."""
    address, _, own_path = url.removeprefix("http://").partition("/")
    name, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(name.strip("[]"), int(port))
    head = f"{method} {path or '/' + own_path} HTTP/1.1\r\nhost: {host or address}\r\nconnection: close\r\n{more}"
    writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode("latin-1") + data)
    try:
        return await reader.read()
    finally:
        writer.close()
