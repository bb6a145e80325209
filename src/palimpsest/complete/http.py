"""One request to a provider, answered completely or as server-sent events, with limits for time and size.

- The HTTP library is imported at the first call. A client belongs to one event loop; in another loop a new one is made.
- Errors are raised unchanged: timeouts, lost connections, and `HttpFailure` for error responses. `formats.failures`
  interprets them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from palimpsest.formats import wire_fields

if TYPE_CHECKING:
    import httpx2

MAX_REPLY_BYTES = 64_000_000
MAX_ERROR_BYTES = 1_000_000
MAX_EVENT_BYTES = 16_000_000
END_MARK = "[DONE]"

Fields = dict[str, object]


@dataclass(frozen=True, slots=True)
class Patience:
    """Timeouts in seconds, and retries.

    `total_s` limits a call with all its tries (a request's own `timeout_s` takes precedence), `connect_s` connecting,
    and `silence_s` the wait for the first byte of a stream and for each piece. A temporary failure is retried at most
    `retries` times. The wait is random up to `first_wait_s`, doubled each time up to `longest_wait_s`, or the time that
    the provider asks for; if that exceeds `longest_wait_s`, the call fails immediately.
    """

    total_s: float = 600.0
    connect_s: float = 10.0
    silence_s: float = 120.0
    retries: int = 4
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0


SELF_HOSTED_PATIENCE = Patience(total_s=3_600.0, silence_s=600.0)
"""For self-hosted servers: on a CPU, reading a long prompt may take minutes."""


class HttpFailure(Exception):
    """An error response with its details."""

    def __init__(self, status_code: int, body: object, headers: Mapping[str, str]) -> None:
        super().__init__("")
        self.status_code = status_code
        self.body = body
        self.headers = headers


class BadReply(Exception):
    """An unusable response: not JSON, or too large."""


class Http:
    """Requests to one provider. Without `secure` the address is plain HTTP, and no certificates are loaded."""

    def __init__(self, patience: Patience, *, secure: bool) -> None:
        self._patience = patience
        self._secure = secure
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def fetch(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes, deadline_s: float
    ) -> Fields:
        """The JSON object in the response. `deadline_s` is a time of the loop's clock."""
        async with asyncio.timeout_at(deadline_s):
            response = await self._send(method, url, headers, content)
            try:
                return _checked(_object(await _read(response, MAX_REPLY_BYTES)), response)
            finally:
                await response.aclose()

    async def events(
        self,
        url: str,
        headers: Mapping[str, str],
        content: bytes,
        deadline_s: float,
        silence_s: float | None = None,
    ) -> AsyncGenerator[Fields]:
        """The JSON objects of a stream's events. A server that does not stream gives one. `silence_s` limits the wait
        for each, None for the default.
        """
        silence_s = self._patience.silence_s if silence_s is None else silence_s
        async with asyncio.timeout(_left_s(silence_s, deadline_s)):
            response = await self._send("POST", url, headers, content)
        try:
            if "json" in response.headers.get("content-type", ""):
                async with asyncio.timeout_at(deadline_s):
                    found = _object(await _read(response, MAX_REPLY_BYTES))
                yield _checked(found, response)
                return
            async with aclosing(_events(response)) as pieces:
                while True:
                    async with asyncio.timeout(_left_s(silence_s, deadline_s)):
                        piece = await anext(pieces, None)
                    if piece is None:
                        return
                    yield piece
        finally:
            await response.aclose()

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes
    ) -> httpx2.Response:
        client = self._open()
        request = client.build_request(method, url, headers=dict(headers), content=content)
        response = await client.send(request, stream=True)
        if response.status_code == 200:
            return response
        try:
            body = await _read(response, MAX_ERROR_BYTES, cut=True)
        finally:
            await response.aclose()
        raise HttpFailure(response.status_code, body.decode("utf-8", "replace"), dict(response.headers))

    def _open(self) -> httpx2.AsyncClient:
        import httpx2

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            waits = httpx2.Timeout(None, connect=self._patience.connect_s)
            self._client, self._loop = httpx2.AsyncClient(timeout=waits, verify=self._secure), loop
        return self._client

    async def close(self) -> None:
        """Close the connections if they belong to this loop."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()


def _left_s(silence_s: float, deadline_s: float) -> float:
    """The wait for the next piece."""
    return min(silence_s, deadline_s - asyncio.get_running_loop().time())


async def _read(response: httpx2.Response, limit_bytes: int, *, cut: bool = False) -> bytes:
    """The body up to a size. Of a larger body the rest is dropped (`cut`), or BadReply is raised."""
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > limit_bytes:
            if cut:
                break
            raise BadReply(f"the reply is larger than {limit_bytes:,} bytes")
    return b"".join(pieces)[:limit_bytes]


async def _events(response: httpx2.Response) -> AsyncGenerator[Fields]:
    """Events as they arrive."""
    import httpx2

    async for event in httpx2.EventSource(response, MAX_EVENT_BYTES):
        if event.data.strip() and event.data.strip() != END_MARK:
            yield _checked(_object(event.data), response)


def _object(text: str | bytes) -> Fields:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        shown = text[:200].decode("utf-8", "replace") if isinstance(text, bytes) else text[:200]
        raise BadReply(f"the reply is not JSON: {shown!r}") from error
    if isinstance(found, list) and len(cast("list[object]", found)) == 1:
        found = cast("list[object]", found)[0]
    if not isinstance(found, dict):
        raise BadReply("the reply is not a JSON object")
    return cast("Fields", found)


def _checked(found: Fields, response: httpx2.Response) -> Fields:
    """The object, unless it is an error: some servers report errors with status 200, or in the middle of a stream."""
    failed = found.get("error")
    if not failed:
        choices = found.get("choices")
        first = cast("list[object]", choices)[0] if isinstance(choices, list) and choices else None
        failed = wire_fields.nested({"first": first}, "first").get("error")
    if failed:
        raise HttpFailure(200, {"error": failed}, dict(response.headers))
    return found
