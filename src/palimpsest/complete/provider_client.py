"""The common part of all clients: one call, complete or as a stream, with retries.

A stream that breaks is retried like any lost connection; a `Retrying` tells the reader to discard its pieces. Every
failure is a `ModelError` without any key in it. It does not chain its cause, because the libraries below put headers
into their messages.

Self-hosted servers are asked for their limits. A server is self-hosted if users run its provider themselves, or if
its address is not reachable from other networks. The server of llama.cpp reports the context size and the number of
parallel requests at `/props`. Servers of vLLM and others report the context size in the list of models. LM Studio
reports it in its own list, Ollama in the list of loaded models. A server that reports nothing is assumed to process
one request at a time.
"""

from __future__ import annotations

import asyncio
import ipaddress
import random
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypedDict, TypeVar, cast
from urllib.parse import quote, urlsplit

from palimpsest.budget.model_limits import OWN_SERVERS
from palimpsest.complete.http import SELF_HOSTED_PATIENCE, BadReply, Fields, Http, HttpFailure, Patience
from palimpsest.errors import FormatError, ModelError
from palimpsest.formats import wire_fields
from palimpsest.formats.failures import classify
from palimpsest.record.completion import Completion, CompletionRequest, Delta, Retrying, TextDelta
from palimpsest.redaction.redactor import redact_error_text

ASK_S = 5.0
"""The timeout of each question about a server's limits."""
Answer = TypeVar("Answer")


class Parser(Protocol):
    """The stream parser of an API."""

    def feed(self, event: object) -> Sequence[Delta]: ...

    def finish(self) -> Completion: ...


class Options(TypedDict, total=False):
    """The keyword arguments of every client (see `HttpModel`)."""

    base_url: str
    key: str
    provider: str
    headers: Mapping[str, str] | None
    max_output_tokens: int
    extra: Mapping[str, object] | None
    patience: Patience | None


class Caller(ABC):
    """A client of one provider over HTTP. `headers` are sent in addition to the usual ones; `extra` are fields added to
    the request's body, and None removes a field. The default `patience` is longer for a self-hosted server.
    """

    default_provider: ClassVar[str]
    default_url: ClassVar[str]

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        key: str = "",
        provider: str = "",
        headers: Mapping[str, str] | None = None,
        max_output_tokens: int = 0,
        extra: Mapping[str, object] | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.model = model
        self.provider = provider or self.default_provider
        self.base_url = (base_url or self.default_url).rstrip("/")
        self.self_hosted = is_self_hosted(self.provider, self.base_url)
        self.max_output_tokens = max_output_tokens
        self._key = key.strip()
        self._headers = dict(headers or {})
        self._extra = dict(extra or {})
        self._patience = patience or (SELF_HOSTED_PATIENCE if self.self_hosted else Patience())
        self._servers: dict[str, Server] = {}
        self._http = Http(self._patience, secure=not self.base_url.startswith("http://"))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.model!r}, provider={self.provider!r}, base_url={self.base_url!r})"
        )

    def auth(self, key: str) -> Mapping[str, str]:
        """The headers with the key, and others that the API requires."""
        return {"authorization": f"Bearer {key}"} if key else {}

    async def answer(
        self,
        url: str,
        content: bytes,
        deadline_s: float,
        parse: Callable[[Fields], Answer],
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The result of `parse` on the JSON object in the response, with retries. Raises ModelError."""
        attempt = 0
        while True:
            attempt += 1
            try:
                sent = {**self._all_headers(), **(headers or {})}
                return parse(await self._http.fetch("POST", url, sent, content, deadline_s))
            except Exception as error:  # noqa: BLE001  (every exception is a failed call)
                _, wait_s = self._retry(error, attempt, deadline_s)
            await asyncio.sleep(wait_s)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    def _all_headers(self) -> dict[str, str]:
        return {"content-type": "application/json", **self.auth(self._key), **self._headers}

    def _failure(self, error: Exception) -> ModelError:
        if isinstance(error, BadReply | FormatError):
            told = redact_error_text(str(error), self._secrets())
            return ModelError(f"{self.provider}: {told}", hint="try again later", reason="server")
        found = classify(error, self.provider, secrets=self._secrets(), now_s=time.time())
        if found.reason == "connection":
            place = urlsplit(self.base_url).netloc.rpartition("@")[2]
            found.hint = f"check the network, and whether there is a server at {place}"
        return found

    def _secrets(self) -> tuple[str, ...]:
        return tuple(text for text in (self._key, *self._headers.values()) if text)

    def _retry(self, error: Exception, attempt: int, deadline_s: float) -> tuple[ModelError, float]:
        """The failure, and how long to wait before the next try. Raises the failure if there is no further try."""
        failure, patience = self._failure(error), self._patience
        if not failure.retryable or attempt > patience.retries:
            raise failure from None
        longest_s = min(patience.longest_wait_s, patience.first_wait_s * 2 ** (attempt - 1))
        wait_s = random.uniform(0, longest_s)  # noqa: S311  (for load spreading, not security)
        asked_s = failure.retry_after_s
        if asked_s is not None:
            if asked_s > patience.longest_wait_s:
                raise failure from None
            wait_s = asked_s + min(wait_s, asked_s * 0.1)
        left_s = deadline_s - asyncio.get_running_loop().time()
        if wait_s >= left_s:
            raise failure from None
        return failure, wait_s


class HttpModel(Caller):
    """A model behind HTTP: a `ports.Model`. Create one with `make_model`, or one of the clients directly.

    `max_output_tokens` is the limit of requests without their own; a temperature, for example, is an `extra` field.
    """

    version: ClassVar[str] = ""
    """The last part of an address, which users may leave out."""
    path: ClassVar[str]
    stream_path: ClassVar[str]
    stream_fields: ClassVar[Mapping[str, object]] = {}
    parse: Callable[[Fields], Completion]
    """Parses a complete reply."""
    parser: Callable[[], Parser]
    """Makes a parser for one stream."""
    whole: ClassVar[tuple[str, str] | None] = None
    """The field and value that identify a complete reply from a server that does not stream."""

    @abstractmethod
    def body(self, request: CompletionRequest) -> Fields:
        """The request's body, without the stream fields and `extra`."""

    @abstractmethod
    def ends(self, event: Fields) -> bool:
        """Whether this event ends the reply."""

    def failure_in(self, event: Fields) -> object:
        """The error that an event reports in a form of this API, None for none."""
        del event

    def model_of(self, request: CompletionRequest) -> str:
        """The provider's name of the model."""
        return self._plain(request.model)

    def _plain(self, model: str) -> str:
        return (model or self.model).removeprefix(f"{self.provider}:")

    async def server(self, model: str = "") -> Server:
        """The limits that a self-hosted server reports for itself and a model. It is asked once, and again only until
        it reports the context size. Never an error.
        """
        name = self._plain(model)
        if not self.self_hosted:
            return Server()
        if name not in self._servers:
            found = await self._asked_server(name)
            if found is None:
                return Server()
            self._servers[name] = found
        return self._servers[name]

    async def _asked_server(self, model: str) -> Server | None:
        root = self.base_url.removesuffix("/v1")
        headers = {**self.auth(self._key), **self._headers}
        for place in PLACES:
            try:
                deadline_s = asyncio.get_running_loop().time() + ASK_S
                body = await self._http.fetch("GET", f"{root}{place}", headers, b"", deadline_s)
            except (HttpFailure, BadReply):
                continue
            except Exception:  # noqa: BLE001  (an unreachable server reports nothing)
                return None
            if found := read_server(body, model):
                return found
        return None

    def limit_of(self, request: CompletionRequest) -> int:
        """The output limit in tokens, 0 for none."""
        return request.max_output_tokens or self.max_output_tokens

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        url, body = self._url(self.path, request), self._body(request)
        return await self.answer(
            url, encoded(body), self._deadline_s(request), self.parse, self.headers_for(body)
        )

    def headers_for(self, body: Fields) -> Mapping[str, str]:
        """Further headers that a request needs for what is in it."""
        del body
        return {}

    async def stream(self, request: CompletionRequest, /) -> AsyncIterator[Delta | Completion]:
        """Pieces as they arrive; the last is the complete reply. Raises ModelError."""
        deadline_s = self._deadline_s(request)
        body = self._body(request, stream=True)
        attempt = 0
        while True:
            attempt += 1
            try:
                async with aclosing(self._pieces(request, body, deadline_s)) as pieces:
                    async for piece in pieces:
                        yield piece
            except Exception as error:  # noqa: BLE001  (every exception is a failed call)
                failure, wait_s = self._retry(error, attempt, deadline_s)
            else:
                return
            yield Retrying(attempt, wait_s, str(failure))
            await asyncio.sleep(wait_s)

    async def _pieces(
        self, request: CompletionRequest, body: Fields, deadline_s: float
    ) -> AsyncGenerator[Delta | Completion]:
        parser = self.parser()
        ended = False
        url = self._url(self.stream_path, request)
        headers, silence_s = {**self._all_headers(), **self.headers_for(body)}, request.silence_s or None
        content = encoded(body)
        async with aclosing(self._http.events(url, headers, content, deadline_s, silence_s)) as events:
            async for event in events:
                if self.whole is not None and event.get(self.whole[0]) == self.whole[1]:
                    completion = self.parse(event)
                    if completion.text:
                        yield TextDelta(completion.text)
                    yield completion
                    return
                if failed := self.failure_in(event):
                    raise HttpFailure(200, {"error": failed}, {})
                for delta in parser.feed(event):
                    yield delta
                ended = ended or self.ends(event)
        if not ended:
            raise ConnectionError("the stream ended before the reply did")
        yield parser.finish()

    def _url(self, path: str, request: CompletionRequest) -> str:
        base = self.base_url.removesuffix(self.version) if self.version else self.base_url
        return base + path.format(model=quote(self.model_of(request), safe="/"))

    def _deadline_s(self, request: CompletionRequest) -> float:
        return asyncio.get_running_loop().time() + (request.timeout_s or self._patience.total_s)

    def _body(self, request: CompletionRequest, *, stream: bool = False) -> Fields:
        body = self.body(request)
        body.update(self.stream_fields if stream else ())
        return merged(body, self._extra)


def encoded(body: Fields) -> bytes:
    """The body as it is sent."""
    return wire_fields.dumps(body).encode("utf-8", "replace")


def merged(body: Mapping[str, object], extra: Mapping[str, object]) -> Fields:
    """The body with the extra fields; objects are merged, and None removes a field."""
    made = dict(body)
    for key, value in extra.items():
        if value is None:
            made.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(made.get(key), Mapping):
            made[key] = merged(wire_fields.nested(made, key), cast("Mapping[str, object]", value))
        else:
            made[key] = value
    return made


PLACES = ("/props", "/v1/models", "/api/v0/models", "/api/ps")
"""The paths to ask, in this order, below the address without its "/v1"."""
_SIZES = ("loaded_context_length", "context_length", "max_model_len", "n_ctx", "n_ctx_train")
_LOCAL_NAMES = (".local", ".lan", ".internal", ".home.arpa", ".localhost")


@dataclass(frozen=True, slots=True)
class Server:
    """The limits of a server. `context_tokens` is 0 if it does not report them."""

    context_tokens: int = 0
    slots: int = 1


def is_self_hosted(provider: str, address: str) -> bool:
    """Whether a provider's server at an address is self-hosted."""
    host = (urlsplit(address).hostname or "").lower()
    if provider in OWN_SERVERS or not host:
        return provider in OWN_SERVERS
    try:
        return not ipaddress.ip_address(host.partition("%")[0]).is_global
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)


def read_server(body: Mapping[str, object], model: str) -> Server | None:
    """The limits in one response, None if it has no context size of the model."""
    tokens = _size(wire_fields.nested(body, "default_generation_settings")) or _size(_row(body, model))
    slots = body.get("total_slots")
    return Server(tokens, slots if isinstance(slots, int) and slots > 0 else 1) if tokens else None


def _row(body: Mapping[str, object], model: str) -> Mapping[str, object]:
    """The entry of this model in a list of models; a single entry is used regardless of its name."""
    for key in ("data", "models"):
        listed = body.get(key)
        rows = wire_fields.objects(cast("list[object]", listed)) if isinstance(listed, list) else []
        for row in rows:
            names = {str(row.get(name, "")).removesuffix(":latest") for name in ("id", "model", "name")}
            if len(rows) == 1 or model.removesuffix(":latest") in names:
                return {**wire_fields.nested(row, "meta"), **row}
    return {}


def _size(fields: Mapping[str, object]) -> int:
    sizes = (fields.get(name) for name in _SIZES)
    return next((size for size in sizes if isinstance(size, int) and size > 0), 0)
