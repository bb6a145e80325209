"""The proxy's application: it passes requests to the provider and the answers back, byte for byte.

- The body of a call is replaced only if its conversation's window has changed.
- Headers are passed on, except those of one connection. For a call whose reply is kept, the provider is asked for an
  uncompressed answer.
- The client's connection decides: if it closes, so does the one to the provider. If the provider breaks off, so does
  the answer to the client.
- It is a plain ASGI application, because a framework's share of a streamed chunk would be the larger part.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from palimpsest.proxy import recalls
from palimpsest.proxy.access import TOKEN_HEADER, Access
from palimpsest.proxy.replies import MAX_REPLY_BYTES, read_reply
from palimpsest.proxy.tracing import traced
from palimpsest.proxy.wires import read_call

if TYPE_CHECKING:
    from palimpsest.proxy.addresses import Upstreams
    from palimpsest.proxy.conversations import Conversations, Sent
    from palimpsest.record.completion import Completion

LOGGER = logging.getLogger("palimpsest.proxy")
MAX_BODY_BYTES = 64_000_000
MAX_ERROR_BYTES = 1_000_000
READ_BUFFER_BYTES = 1 << 16
HEALTH_PATH = "/palimpsest/health"
CLOSE_TIMEOUT_S = 5.0
_HOP_BY_HOP = frozenset(
    ("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
     "trailers", "transfer-encoding", "upgrade", "host", "content-length", "expect", TOKEN_HEADER.decode())
)  # fmt: skip
_NOT_BACK = frozenset(
    ("connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "date")
)
_REFUSED = (400, 413)
_FAILED = (aiohttp.ClientError, TimeoutError, OSError)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


class _Gone(Exception):
    """The client left."""


@dataclass(slots=True)
class _Passing:
    """One request on its way."""

    method: str
    url: URL
    headers: CIMultiDict[str]
    data: bytes
    sent: Sent | None = None

    @property
    def body(self) -> bytes:
        """What is sent: the client's body, or the one that replaces it."""
        return self.data if self.sent is None or self.sent.body is None else self.sent.body


@dataclass(slots=True)
class Proxy:
    """The application: the conversations, the providers, the connections to them, and who has access."""

    conversations: Conversations
    upstreams: Upstreams
    client: aiohttp.ClientSession
    access: Access
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path, refusal = self.access.admit(scope.get("raw_path") or scope["path"].encode(), scope["headers"])
        text = path.decode("ascii", "replace").partition("?")[0]
        if refusal:
            await _say(send, 403, "permission_error", refusal)
        elif text == HEALTH_PATH:
            await _send_json(send, 200, {"status": "ok", **self.conversations.counts.as_dict()})
        elif any(name == b"upgrade" for name, _ in scope["headers"]):
            await _say(send, 426, "invalid_request_error", "websockets are not passed on: use HTTP")
        else:
            await self._serve(scope, text, receive, send)

    async def _serve(self, scope: Scope, path: str, receive: Receive, send: Send) -> None:
        """Pass one request on, and end with the client."""
        try:
            data = await _read_body(receive)
        except _Gone:
            return
        if data is None:
            await _say(send, 413, "request_too_large", f"the body is larger than {MAX_BODY_BYTES:,} bytes")
            return
        work = asyncio.ensure_future(self._pass(scope, path, data, send))
        leaving = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait((work, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not work.done():
                work.cancel()
        with suppress(asyncio.CancelledError):
            await work

    async def _pass(self, scope: Scope, path: str, data: bytes, send: Send) -> None:
        headers = _headers_on(scope["headers"])
        plain = dict(headers.items())
        with traced(plain):
            call = read_call(scope["method"], path, data)
            if call is None:
                self.conversations.counts.passed += 1
            sent = await self.conversations.prepare(call, plain) if call is not None else None
        if sent is not None:
            headers.popall("accept-encoding", None)
            headers["accept-encoding"] = "identity"
            if sent.betas:
                headers["anthropic-beta"] = ",".join(
                    filter(None, (headers.get("anthropic-beta"), *sent.betas))
                )
        url = self.upstreams.url(path, scope["query_string"].decode("ascii", "replace"), plain)
        passing = _Passing(scope["method"], URL(url, encoded=True), headers, data, sent)
        try:
            answer = await self._ask(passing)
        except _FAILED as error:
            name = type(error).__name__
            LOGGER.warning("no answer from the provider: %s", name)
            await _say(send, 502, "api_error", f"no answer from the provider ({name})")
            return
        await self._pass_back(answer, passing, send)

    async def _ask(self, passing: _Passing) -> _Answer:
        """The provider's answer: after a recovery, and after the calls that the proxy answers itself."""
        while True:
            answer = await self._send(passing)
            sent = passing.sent
            if sent is None or sent.looks:
                return answer
            if answer.response.status in _REFUSED:
                if not await self._recovered(answer, sent):
                    return answer
            elif answer.response.status != 200 or not sent.offers or not await self._answered(answer, sent):
                return answer

    async def _send(self, passing: _Passing) -> _Answer:
        response = await self.client.request(
            passing.method,
            passing.url,
            headers=passing.headers,
            data=passing.body or None,
            allow_redirects=False,
            skip_auto_headers=("user-agent", "content-type", "accept", "accept-encoding"),
        )
        return _Answer(response)

    async def _recovered(self, answer: _Answer, sent: Sent) -> bool:
        """Whether another request is made after a refusal."""
        if not await answer.hold(MAX_ERROR_BYTES):
            return False
        try:
            body: object = json.loads(answer.held)
        except ValueError:
            body = answer.held.decode("utf-8", "replace")
        error = {"status_code": answer.response.status, "body": body}
        return await self.conversations.recover(sent, error)

    async def _answered(self, answer: _Answer, sent: Sent) -> bool:
        """Whether a reply only called tools that the proxy answered, so that the model is asked again."""
        if not await answer.hold(MAX_REPLY_BYTES):
            return False
        completion = self._read(sent, answer)
        if completion is None or completion.message is None:
            return False
        own, _ = recalls.split_calls(completion.message)
        if not own:
            return False
        if await self.conversations.answer(sent, completion):
            return True
        answer.held = recalls.without_calls(sent.call.wire, answer.content_type, answer.held)
        answer.stored = True
        return False

    async def _pass_back(self, answer: _Answer, passing: _Passing, send: Send) -> None:
        """Stream an answer back, and keep the reply in it."""
        response, sent = answer.response, passing.sent
        keeps = sent is not None and response.status == 200 and not answer.stored and not sent.call.counts
        held: list[bytes] = []
        size = 0
        try:
            await send(_start(response.status, answer.headers_back()))
            async for piece in answer.pieces():
                if keeps:
                    size += len(piece)
                    keeps = size <= MAX_REPLY_BYTES
                    held.append(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except _FAILED as error:
            LOGGER.warning("the provider's answer broke off: %s", type(error).__name__)
            return  # uvicorn closes the connection, as the provider did
        finally:
            response.close()
        if keeps and sent is not None:
            answer.held = b"".join(held)
            self._keep(sent, answer)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _keep(self, sent: Sent, answer: _Answer) -> None:
        """Store a reply in the background, so that the client does not wait for it."""
        task = asyncio.get_running_loop().create_task(self._finish(sent, answer))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _finish(self, sent: Sent, answer: _Answer) -> None:
        completion = self._read(sent, answer)
        if completion is not None:
            await self.conversations.finish(sent, completion)

    def _read(self, sent: Sent, answer: _Answer) -> Completion | None:
        try:
            return read_reply(sent.call.wire, answer.content_type, answer.held)
        except Exception as error:  # noqa: BLE001  (the reply is passed on)
            LOGGER.warning("a reply could not be read: %s", type(error).__name__)
            return None

    async def close(self) -> None:
        """Wait until replies are stored, and close the connections to the providers."""
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=CLOSE_TIMEOUT_S)
        await self.client.close()


@dataclass(slots=True)
class _Answer:
    """A provider's answer. What was read of it before it is passed back is `held`; `stored` says that its reply is."""

    response: aiohttp.ClientResponse
    held: bytes = b""
    stored: bool = False

    @property
    def content_type(self) -> str:
        """Return the type of the body."""
        return self.response.headers.get("content-type", "")

    async def hold(self, limit_bytes: int) -> bool:
        """Read all of it; False if it is longer, or broke off."""
        pieces: list[bytes] = []
        size = 0
        try:
            async for piece in self.response.content.iter_any():
                pieces.append(piece)
                size += len(piece)
                if size > limit_bytes:
                    break
        except _FAILED:
            size = limit_bytes + 1
        self.held = b"".join(pieces)
        return size <= limit_bytes

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield what is passed back."""
        if self.held:
            yield self.held
        async for piece in self.response.content.iter_any():
            yield piece

    def headers_back(self) -> Headers:
        """Return the headers for the client, as the provider sent them."""
        gone = _NOT_BACK | {"content-length"} if self.stored else _NOT_BACK
        return [
            (name, value)
            for name, value in self.response.raw_headers
            if name.decode("latin-1").lower() not in gone
        ]


def _headers_on(given: Headers) -> CIMultiDict[str]:
    """The headers that are passed on: all but those of the connection."""
    named = {
        one.strip().lower()
        for name, value in given
        if name == b"connection"
        for one in value.decode("latin-1").split(",")
    }
    made: CIMultiDict[str] = CIMultiDict()
    for name, value in given:
        text = name.decode("latin-1")
        if text not in _HOP_BY_HOP and text not in named:
            made.add(text, value.decode("latin-1"))
    return made


async def _read_body(receive: Receive) -> bytes | None:
    """The body of a request; None if it is too large. Raises _Gone."""
    pieces: list[bytes] = []
    size = 0
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise _Gone
        piece = event.get("body", b"")
        size += len(piece)
        if size > MAX_BODY_BYTES:
            return None
        pieces.append(piece)
        if not event.get("more_body"):
            return b"".join(pieces)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _start(status: int, headers: Headers) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": headers}


async def _say(send: Send, status: int, kind: str, text: str) -> None:
    """Answer with an error in the shape that the clients of all providers read."""
    error: Mapping[str, object] = {"type": kind, "message": f"palimpsest proxy: {text}", "code": status}
    await _send_json(send, status, {"type": "error", "error": error})


async def _send_json(send: Send, status: int, value: object) -> None:
    data = json.dumps(value).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    await send(_start(status, headers))
    await send({"type": "http.response.body", "body": data})


def make_client() -> aiohttp.ClientSession:
    """Return the connections to the providers. Replies may take long, so only connecting has a limit."""
    timeout = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=30, sock_read=None)
    connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
    return aiohttp.ClientSession(
        timeout=timeout,
        connector=connector,
        auto_decompress=False,
        trust_env=True,
        cookie_jar=aiohttp.DummyCookieJar(),
        read_bufsize=READ_BUFFER_BYTES,
    )
