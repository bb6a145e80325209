"""The protocol over standard input and output, for the client that started this process.

- A daemon thread reads the input with plain system calls. Unlike a reader in a thread of the event loop, it never keeps
  the process from ending, and holds no lock.
- Lines have a maximum length. A longer line is dropped and refused.
- A request that cannot be parsed is answered with an error, because its client would wait forever. Its id
  is searched for in the text; only that of the outermost object counts.
- Half a surrogate pair (from a model that was cut off in an emoji) becomes a question mark, because the SDK drops such
  a line without an answer.
- The server ends with its input, or on a signal. A client that has gone is not an error.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import CancelledError
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

MAX_LINE_BYTES = 4 * 1024 * 1024
_CHUNK_BYTES = 65_536
_WAITING_LINES = 64
_TOO_LONG = "the line is too long"


class Splitter:
    """Splits bytes into lines. A line over the limit is replaced by text that is not JSON."""

    def __init__(self, limit_bytes: int = MAX_LINE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._begun = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> Iterator[str]:
        """The lines that `data` completes, without line ends."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._keep(piece)
            yield self._take()
        self._keep(rest)

    def _keep(self, piece: bytes) -> None:
        if self._dropping or len(self._begun) + len(piece) > self._limit_bytes:
            self._dropping = True
            self._begun.clear()
        else:
            self._begun += piece

    def _take(self) -> str:
        text = _TOO_LONG if self._dropping else whole_characters(self._begun.decode("utf-8", "replace"))
        self._begun.clear()
        self._dropping = False
        return text


def whole_characters(line: str) -> str:
    """A line of JSON without half surrogate pairs; a line that is not JSON is unchanged."""
    if "\\ud" not in line and "\\uD" not in line:
        return line
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")


class Lines:
    """The lines of a descriptor, until its end or `close`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(_WAITING_LINES)

    def start(self) -> None:
        """Start reading."""
        threading.Thread(target=self._read, name="palimpsest-stdin", daemon=True).start()

    def close(self) -> None:
        """End the iteration immediately. Call it in the event loop."""
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(None)

    def _read(self) -> None:
        splitter = Splitter()
        try:
            while data := os.read(self._descriptor, _CHUNK_BYTES):
                for line in splitter.feed(data):
                    self._put(line)
            for line in splitter.feed(b"\n"):
                self._put(line)
        except OSError:
            pass
        finally:
            self._put(None)

    def _put(self, line: str | None) -> None:
        """Add a line, waiting for room; does nothing after the loop has ended."""
        if line == "":
            return
        waiting = self._queue.put(line)
        try:
            asyncio.run_coroutine_threadsafe(waiting, self._loop).result()
        except CancelledError:
            pass
        except RuntimeError:
            waiting.close()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
            yield line


class Messages:
    """The lines that the SDK can parse, in order; others are answered with an error if they have an id."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.refuse: Callable[[SessionMessage], Awaitable[None]] | None = None

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            refused = refusal_of(line)
            if refused is None:
                yield line
            elif self.refuse is not None:
                await self.refuse(SessionMessage(refused))


async def serve_stdio(server: Server[Any], lines: Lines) -> None:
    """Serve one client until it or `lines` is closed."""
    messages = Messages(lines)
    try:
        async with stdio_server(stdin=cast("anyio.AsyncFile[str]", messages)) as (incoming, outgoing):
            messages.refuse = outgoing.send
            lines.start()
            await server.run(incoming, outgoing, server.create_initialization_options())
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass


_TOKEN = re.compile(
    r'(?P<string>"[^"\\]*(?:\\.[^"\\]*)*("?))|(?P<open>[\[{]+)|(?P<close>[\]}]+)|[^"\[\]{}]+', re.DOTALL
)
_VALUE = re.compile(r'\s*:\s*(?:(-?\d{1,18})|("(?:[^"\\]|\\.){0,200}"))\s*[,}]', re.ASCII)
_REASON_CHARS = 160


def refusal_of(line: str) -> types.JSONRPCError | None:
    """The error for a line that is not a message; None if it is one, or has no id."""
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_context=False, include_input=False)[0]
        known = id_of(line)
        if known is None:
            return None
        code, said = types.INVALID_REQUEST, "it is not a request"
        if reason["type"] == "json_invalid":
            code, said = types.PARSE_ERROR, reason["msg"][:_REASON_CHARS]
        return types.JSONRPCError(
            jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=f"cannot be read: {said}")
        )
    return None


def id_of(line: str) -> int | str | None:
    """The id of the request in a line, None if it cannot be found."""
    depth = 0
    for token in _TOKEN.finditer(line):
        match token.lastgroup:
            case "open":
                depth += len(token[0])
            case "close":
                depth -= len(token[0])
            case "string" if not token[2]:
                return None
            case "string" if depth == 1 and token["string"] == '"id"':
                if value := _VALUE.match(line, token.end()):
                    return _read(value[1] or value[2])
            case _:
                pass
    return None


def _read(value: str) -> int | str | None:
    try:
        return cast("int | str", json.loads(value))
    except ValueError:
        return None
