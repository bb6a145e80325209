"""The proxy's HTTP server: it passes requests to the provider and the answers back, byte for byte.

- The body of a call is replaced only if its conversation's window has changed.
- Headers are passed on, except those of one connection. The provider is asked for an uncompressed answer, so that the
  reply in it can be read.
- The client's connection decides: if it closes, so does the one to the provider.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from palimpsest.proxy.conversations import Conversations, Sent
from palimpsest.proxy.replies import MAX_REPLY_BYTES, read_reply
from palimpsest.proxy.wires import read_call

LOGGER = logging.getLogger("palimpsest.proxy")
MAX_BODY_BYTES = 64_000_000
HEALTH_PATH = "/palimpsest/health"
_HOP_BY_HOP = frozenset(
    ("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "trailers",
     "transfer-encoding", "upgrade", "host", "content-length", "accept-encoding")
)  # fmt: skip
_NOT_BACK = frozenset(("connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"))
_REFUSED = (400, 413)
MAX_ERROR_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Upstreams:
    """The addresses of the providers."""

    anthropic: str = "https://api.anthropic.com"
    openai: str = "https://api.openai.com"
    gemini: str = "https://generativelanguage.googleapis.com"

    def of(self, path: str, headers: Mapping[str, str]) -> str:
        """Return the address for a request."""
        if "/v1beta" in path or "/v1alpha" in path or "x-goog-api-key" in headers:
            return self.gemini
        if (
            path.endswith(("/messages", "/count_tokens"))
            or "anthropic-version" in headers
            or "x-api-key" in headers
        ):
            return self.anthropic
        return self.openai


@dataclass(slots=True)
class Proxy:
    """The application's state: the conversations, the providers, and the connections to them."""

    conversations: Conversations
    upstreams: Upstreams
    client: aiohttp.ClientSession
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def handle(self, request: HttpRequest) -> Response:
        """Pass one request on."""
        raw = await _body(request)
        if raw is None:
            return JSONResponse(
                {"error": {"message": f"the body is larger than {MAX_BODY_BYTES:,} bytes"}}, 413
            )
        headers = {name.lower(): value for name, value in request.headers.items()}
        call = read_call(request.method, request.url.path, raw)
        sent = await self.conversations.prepare(call, headers) if call is not None else None
        if call is None:
            self.conversations.counts.passed += 1
        url = self.upstreams.of(request.url.path, headers).rstrip("/") + request.url.path
        if request.url.query:
            url = f"{url}?{request.url.query}"
        passed = {name: value for name, value in headers.items() if name not in _HOP_BY_HOP}
        passed["accept-encoding"] = "identity"
        data = raw if sent is None or sent.body is None else json.dumps(sent.body).encode()
        try:
            answer = await self._send(request.method, url, passed, data)
            if sent is not None and answer.status in _REFUSED:
                return await self._refused(request.method, url, passed, sent, answer)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            LOGGER.warning("no answer from the provider: %s", type(error).__name__)
            return JSONResponse(
                {
                    "error": {
                        "type": "api_error",
                        "message": f"palimpsest proxy: no answer from the provider ({type(error).__name__})",
                    }
                },
                502,
            )
        return self._pass_back(answer, sent)

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], data: bytes
    ) -> aiohttp.ClientResponse:
        return await self.client.request(
            method,
            url,
            headers=headers,
            data=data or None,
            allow_redirects=False,
            skip_auto_headers=("user-agent", "content-type", "accept"),
        )

    async def _refused(
        self, method: str, url: str, headers: Mapping[str, str], sent: Sent, answer: aiohttp.ClientResponse
    ) -> Response:
        """Recover once from a refusal, or pass it back."""
        data = await answer.content.read(MAX_ERROR_BYTES)
        answer.release()
        try:
            error: object = {"status_code": answer.status, "body": json.loads(data)}
        except ValueError:
            error = {"status_code": answer.status, "body": data.decode("utf-8", "replace")}
        if not await self.conversations.recover(sent, error):
            return Response(data, answer.status, _headers_back(answer))
        again = await self._send(method, url, headers, json.dumps(sent.body).encode())
        return self._pass_back(again, sent)

    def _pass_back(self, answer: aiohttp.ClientResponse, sent: Sent | None) -> Response:
        """Stream an answer back, and keep the reply in it."""
        return StreamingResponse(self._pieces(answer, sent), answer.status, _headers_back(answer))

    async def _pieces(self, answer: aiohttp.ClientResponse, sent: Sent | None) -> AsyncIterator[bytes]:
        keeps = sent is not None and answer.status == 200
        held: list[bytes] = []
        size = 0
        try:
            async for piece in answer.content.iter_any():
                if keeps:
                    size += len(piece)
                    keeps = size <= MAX_REPLY_BYTES
                    held.append(piece)
                yield piece
        finally:
            answer.release()
        if keeps and sent is not None:
            self._keep(sent, answer.headers.get("content-type", ""), b"".join(held))

    def _keep(self, sent: Sent, content_type: str, data: bytes) -> None:
        """Store a reply in the background, so that the client does not wait for it."""
        task = asyncio.get_running_loop().create_task(self._finish(sent, content_type, data))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _finish(self, sent: Sent, content_type: str, data: bytes) -> None:
        try:
            completion = read_reply(sent.call.wire, content_type, data)
        except Exception as error:  # noqa: BLE001  (the reply has been passed on)
            LOGGER.warning("a reply could not be read: %s", type(error).__name__)
            return
        if completion is not None:
            await self.conversations.finish(sent, completion)

    async def health(self, request: HttpRequest) -> Response:
        """Report that the proxy runs, and what it did."""
        del request
        counts = self.conversations.counts
        return JSONResponse(
            {"status": "ok", **{name: getattr(counts, name) for name in type(counts).__slots__}}
        )


async def _body(request: HttpRequest) -> bytes | None:
    """The body of a request; None if it is too large."""
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_BODY_BYTES:
            return None
        pieces.append(piece)
    return b"".join(pieces)


def _headers_back(answer: aiohttp.ClientResponse) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.lower() not in _NOT_BACK}


def make_app(proxy: Proxy) -> Starlette:
    """Return the application."""
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    return Starlette(
        routes=[
            Route(HEALTH_PATH, proxy.health, methods=["GET"]),
            Route("/{path:path}", proxy.handle, methods=methods),
        ]
    )


def make_client() -> aiohttp.ClientSession:
    """Return the connections to the providers. Replies may take long, so only connecting has a limit."""
    timeout = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=30, sock_read=None)
    connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
    return aiohttp.ClientSession(timeout=timeout, connector=connector, auto_decompress=False, trust_env=True)


__all__: tuple[Any, ...] = ("HEALTH_PATH", "Proxy", "Upstreams", "make_app", "make_client")
