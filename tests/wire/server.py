"""A provider on this machine: an HTTP server on the loopback that speaks the wire forms from a script.

    with WireServer([Say("hello"), Fail("rate_limit", retry_after_s=0.01)]) as server:
        client = openai.OpenAI(base_url=server.openai_url, api_key="any")

- The script is a list of replies (the last one stands for ever) or a function of what was asked; `server.asked` holds
  every request in order, and `server.breaches` what was wrong with them. A request that a real provider would refuse is
  answered with its error 400, and uses nothing of the script.
- Usage is counted with an exact tokenizer. With `window_tokens`, a prompt that leaves no room for the output it asks
  for is refused in the provider's own words (Gemini counts the prompt alone), and uses nothing of the script either.
- It runs a loop in a thread of its own, so that synchronous clients, asynchronous ones and other processes can use it.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, cast

from tests.wire.forms import body, events
from tests.wire.judge import breaches, count, prepare, prompt_tokens
from tests.wire.replies import OVERFLOWS, WORDS, Fail, Reply, Say, Wire, as_reply, failure_body

STALL_S = 3_600.0
CLOSING_S = 0.005
"""Connections on their way in are let in before the server closes, so that they are closed with it."""
MAX_BODY_BYTES = 50_000_000
_GEMINI_PATH = re.compile(r"/v1(?:beta|alpha)?/models/([^:/]+):(generateContent|streamGenerateContent)")


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its form, body, headers (lower case), and what it was found to be. `number` counts from 1."""

    wire: Wire
    model: str
    stream: bool
    body: dict[str, object]
    headers: dict[str, str]
    prompt_tokens: int
    output_limit_tokens: int
    number: int

    @property
    def messages(self) -> list[dict[str, object]]:
        """The messages as they came."""
        found = next((self.body[key] for key in ("messages", "contents", "input") if self.body.get(key)), [])
        return cast("list[dict[str, object]]", found)


Script = Sequence[Reply] | Callable[[Asked], Reply]


@dataclass(slots=True)
class Answer:
    """What goes over the wire: a status, headers, and a body at once or in pieces; `ending` says how it ends."""

    status: int
    content_type: str
    pieces: list[str]
    streamed: bool = False
    headers: dict[str, str] = field(default_factory=dict[str, str])
    delay_s: float = 0.0
    piece_s: float = 0.0
    ending: str = ""


class WireServer:
    """The server; a context manager. `key` is the only API key it takes, "" takes any."""

    def __init__(self, script: Script, *, window_tokens: int = 0, key: str = "", strict: bool = True) -> None:
        self.script = script
        self.window_tokens = window_tokens
        self.key = key
        self.strict = strict
        self.asked: list[Asked] = []
        self.breaches: list[str] = []
        self.overflows = 0
        self.connections = 0
        self.url = ""
        self._used = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="wire-server", daemon=True)
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None

    def url_for(self, wire: Wire) -> str:
        """The base URL for clients of a wire form. What judges their requests is loaded now, not while they wait."""
        if self.strict:
            prepare(wire)
        return f"{self.url}/v1" if wire in ("openai", "responses") else self.url

    @property
    def running(self) -> bool:
        """Whether it still serves."""
        return self._thread.is_alive()

    @property
    def openai_url(self) -> str:
        """The base URL for OpenAI clients."""
        return self.url_for("openai")

    @property
    def anthropic_url(self) -> str:
        """The base URL for Anthropic clients."""
        return self.url_for("anthropic")

    @property
    def gemini_url(self) -> str:
        """The base URL for Gemini clients."""
        return self.url_for("gemini")

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(60):
            raise RuntimeError("the server did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(60)

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._listen())

    async def _listen(self) -> None:
        self._stop = asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.connections += 1
            task = asyncio.ensure_future(self._converse(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(begin, "127.0.0.1", 0, limit=1 << 20)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stop.wait()
        await asyncio.sleep(CLOSING_S)
        server.close()
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's requests until it is closed."""
        try:
            while (request := await _read_request(reader)) is not None:
                answer = self.answer(*request)
                if not await _send(writer, answer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            await _hang_up(writer)

    def answer(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Answer:
        """What one request gets."""
        wire = _wire_of(path)
        if wire is None or method != "POST":
            return _failed("openai", Fail("not_found", message=f"no such address: {method} {path}"))
        if self.key and self.key not in (
            headers.get("x-api-key"),
            headers.get("x-goog-api-key"),
            headers.get("authorization", "").removeprefix("Bearer "),
        ):
            return _failed(wire, Fail("auth"))
        try:
            given = json.loads(raw)
        except ValueError:
            return _failed(wire, Fail("bad_request", message="We could not parse the JSON body."))
        asked = _asked(wire, path, headers, given, len(self.asked) + 1)
        self.asked.append(asked)
        return self._judged(asked) or self._scripted(asked)

    def _judged(self, asked: Asked) -> Answer | None:
        """The refusal of a request that a provider would not take."""
        found = breaches(asked.wire, asked.body) if self.strict else []
        if found:
            self.breaches.extend(found)
            return _failed(asked.wire, Fail("bad_request", message="; ".join(found)))
        output = 0 if asked.wire == "gemini" else asked.output_limit_tokens
        if self.window_tokens and asked.prompt_tokens + output > self.window_tokens:
            self.overflows += 1
            return _failed(asked.wire, Fail("overflow", message=self._overflow_words(asked)))
        return None

    def _overflow_words(self, asked: Asked) -> str:
        output = asked.output_limit_tokens
        return OVERFLOWS[asked.wire].format(
            window=self.window_tokens,
            prompt=asked.prompt_tokens,
            output=output,
            all=asked.prompt_tokens + output,
        )

    def _scripted(self, asked: Asked) -> Answer:
        if callable(self.script):
            reply = self.script(asked)
        else:
            reply = self.script[min(self._used, len(self.script) - 1)]
            self._used += 1
        made = as_reply(reply)
        if isinstance(made, Fail):
            if made.kind == "overflow" and not made.message:
                made = Fail("overflow", message=self._overflow_words(asked))
            return _failed(asked.wire, made)
        return _said(asked, made)


async def _hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection, by force where what is left cannot be sent."""
    writer.close()
    try:
        async with asyncio.timeout(1):
            await writer.wait_closed()
    except (OSError, TimeoutError, asyncio.CancelledError):
        writer.transport.abort()
        await asyncio.sleep(0)


def _wire_of(path: str) -> Wire | None:
    bare = path.partition("?")[0]
    if bare.endswith("/chat/completions"):
        return "openai"
    if bare.endswith("/responses"):
        return "responses"
    if bare.endswith("/v1/messages"):
        return "anthropic"
    return "gemini" if _GEMINI_PATH.fullmatch(bare) else None


def _asked(wire: Wire, path: str, headers: dict[str, str], given: dict[str, object], number: int) -> Asked:
    model, stream = str(given.get("model", "")), given.get("stream") is True
    names = ("max_completion_tokens", "max_output_tokens", "max_tokens")
    limit = next((given[name] for name in names if given.get(name)), 0)
    found = _GEMINI_PATH.fullmatch(path.partition("?")[0])
    if wire == "gemini" and found is not None:
        model, stream = found[1], found[2] == "streamGenerateContent"
        config = cast("dict[str, object]", given.get("generationConfig") or {})
        limit = config.get("maxOutputTokens") or 0
    return Asked(wire, model, stream, given, headers, prompt_tokens(given), cast("int", limit), number)


def _failed(wire: Wire, fail: Fail) -> Answer:
    words = WORDS[fail.kind]
    if fail.kind in ("garbage", "html"):
        kind = "application/json" if fail.kind == "garbage" else "text/html"
        return Answer(words.status, kind, [fail.message or words.message], delay_s=fail.delay_s)
    content = json.dumps(failure_body(wire, fail.kind, fail.message, fail.retry_after_s))
    headers: dict[str, str] = {}
    if fail.retry_after_s is not None and wire in ("openai", "responses"):
        headers["retry-after-ms"] = str(round(fail.retry_after_s * 1000))
    elif fail.retry_after_s is not None and wire == "anthropic":
        headers["retry-after"] = f"{fail.retry_after_s:g}"
    return Answer(words.status, "application/json", [content], headers=headers, delay_s=fail.delay_s)


def _said(asked: Asked, say: Say) -> Answer:
    output = sum(count(text) for text in (say.text, say.thinking)) + sum(
        count(call.name) + count(call.arguments) for call in say.calls
    )
    usage = (asked.prompt_tokens, max(1, output))
    if not asked.stream:
        whole = json.dumps(body(asked.wire, say, asked.model, usage))
        pieces = [whole[: len(whole) // 2], whole[len(whole) // 2 :]]
        answer = Answer(200, "application/json", pieces[:1] if say.ending else pieces)
    else:
        options = cast("dict[str, object]", asked.body.get("stream_options") or {})
        told = list(
            events(asked.wire, say, asked.model, usage, with_usage=options.get("include_usage") is True)
        )
        told = told[: say.after] if say.ending else told
        if say.ending == "error":
            told.append(_error_event(asked.wire))
        answer = Answer(200, "text/event-stream", told, streamed=True)
    answer.delay_s, answer.piece_s, answer.ending = say.delay_s, say.piece_s, say.ending
    return answer


def _error_event(wire: Wire) -> str:
    failure = json.dumps(failure_body(wire, "overloaded"))
    return f"event: error\ndata: {failure}\n\n" if wire == "anthropic" else f"data: {failure}\n\n"


async def _read_request(
    reader: asyncio.StreamReader,
) -> tuple[str, str, dict[str, str], bytes] | None:
    """(method, path, headers, body) of the next request, None at the end."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    size = int(headers.get("content-length", "0"))
    if size > MAX_BODY_BYTES:
        return None
    return method, path, headers, await reader.readexactly(size)


async def _send(writer: asyncio.StreamWriter, answer: Answer) -> bool:
    """Send an answer in chunks; False where the connection is of no further use."""
    await asyncio.sleep(answer.delay_s)
    headers = {"content-type": answer.content_type, "transfer-encoding": "chunked", **answer.headers}
    lines = [f"HTTP/1.1 {answer.status} X", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    async for piece in _paced(answer):
        data = piece.encode()
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await writer.drain()
    if answer.ending == "stall":
        await asyncio.sleep(STALL_S)
    if answer.ending in ("stall", "cut"):
        return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


async def _paced(answer: Answer) -> AsyncIterator[str]:
    for piece in answer.pieces:
        yield piece
        await asyncio.sleep(answer.piece_s)
