"""The protocol over standard input and output, for the client that started this process.

- A daemon thread reads the input with plain system calls. Unlike a reader in a thread of the event loop, it never keeps
  the process from ending, and holds no lock.
- Lines have a maximum length. A longer line is dropped and refused.
- A request that cannot be parsed is answered with an error (`invalid_input.py`), because its client would wait forever.
- Half a surrogate pair (from a model that was cut off in an emoji) becomes a question mark, because the SDK drops such
  a line without an answer.
- The server ends with its input, or on a signal. A client that has gone is not an error.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import CancelledError
from typing import Any, cast

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from palimpsest.mcp.invalid_input import refusal_of

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
