"""What the proxy adds to a call, beside a bare pass-through of the same server in the same run.

    python bench/proxy.py [--calls N] [--messages N,N] [--streams N] [--chunks N] [--json]

The proxy is a process of its own. A call's history grows by two messages each time; it is sent once as a call that is
kept, and once to an address that is passed on without being read, so that both differ in nothing else. The window is
sent unchanged in one half of the runs, and compacted in the other. Then many streams run at once, and the CPU time of
the proxy's process is divided by the chunks that went through. At last the two clients for HTTP that could ask the
provider read the same streams.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import aiohttp

WORDS = (
    "the timeout of the cache in src/app/main.py waits for a retry and fails with a line of its own".split()
)
REPLY = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": "It is done."}], "usage": {"input_tokens": 9, "output_tokens": 3},
}  # fmt: skip
TOOL = {"name": "read", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}
CALL, BARE = "/v1/messages", "/v1/passed"
PAUSE_S = 0.15
"""Between two calls: an agent runs a tool meanwhile, and the proxy stores."""


def text(words: int) -> str:
    """So many words."""
    return " ".join(random.choices(WORDS, k=words))


def message(place: int) -> dict[str, Any]:
    """A message of an agent's session: it calls a tool, and every second one is what that gave."""
    call = f"toolu_{place // 2}"
    if place == 0:
        return {"role": "user", "content": "Find out why it fails."}
    if place % 2:
        asked = {
            "type": "tool_use",
            "id": call,
            "name": "read",
            "input": {"path": "src/app/main.py", "at": place},
        }
        return {"role": "assistant", "content": [{"type": "text", "text": text(15)}, asked]}
    found = {"type": "tool_result", "tool_use_id": f"toolu_{(place - 1) // 2}", "content": text(150)}
    return {"role": "user", "content": [found]}


def stream_of(chunks: int) -> list[bytes]:
    """The events of a streamed reply."""
    start = {"type": "message_start", "message": {**REPLY, "content": [], "stop_reason": None}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    delta = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "some words of it "},
    }
    ends = (
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": chunks}},
        {"type": "message_stop"},
    )
    events: list[dict[str, Any]] = [start, block, *[delta] * chunks, *ends]
    return [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events]


class Upstream:
    """A provider that answers at once, or streams with a pause between the chunks."""

    def __init__(self, chunks: int, pause_s: float) -> None:
        self.events, self.pause_s = stream_of(chunks), pause_s
        self.url = ""

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self._converse, "127.0.0.1", 0, backlog=2048, limit=1 << 22)
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                size = next(
                    (int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:")), 0
                )
                body = await reader.readexactly(size)
                if (
                    b'"stream": true' in body[-40:]
                    or b'"stream":true' in body[-40:]
                    or head.startswith(b"get")
                ):
                    await self._stream(writer)
                else:
                    data = json.dumps(REPLY).encode()
                    writer.write(
                        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                        % (len(data), data)
                    )
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        for event in self.events:
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await writer.drain()
            await asyncio.sleep(self.pause_s)
        writer.write(b"0\r\n\r\n")


class Proxy:
    """The proxy as a process."""

    def __init__(self, upstream: str, folder: str, window: int) -> None:
        command = [
            sys.executable,
            "-m",
            "palimpsest",
            "proxy",
            "--port",
            "0",
            "--db",
            f"{folder}/{window}.db",
        ]
        self.process = subprocess.Popen(
            [*command, "--window", str(window), "--anthropic-url", upstream, "--openai-url", upstream],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        self.url = line.split()[-1]

    def cpu_s(self) -> float:
        """The CPU time that the process used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.wait(30)


async def latencies(upstream: Upstream, messages: int, calls: int, window: int) -> dict[str, float]:
    """The milliseconds of kept calls and bare ones at a length of the history, and their ratio."""
    took: dict[str, list[float]] = {CALL: [], BARE: []}
    history = [message(place) for place in range(messages - 2 * calls + 1)]
    with tempfile.TemporaryDirectory() as folder:
        proxy = Proxy(upstream.url, folder, window)
        try:
            async with aiohttp.ClientSession(
                headers={"x-session-id": "bench", "anthropic-version": "1"}
            ) as client:
                for call in range(calls + 3):
                    asked = {
                        "model": "claude-opus-5-5",
                        "max_tokens": 99,
                        "tools": [TOOL],
                        "messages": history,
                    }
                    data = json.dumps(asked).encode()
                    for path in (CALL, BARE) if call % 2 else (BARE, CALL):
                        began_s = time.perf_counter()
                        async with client.post(proxy.url + path, data=data) as answer:
                            await answer.read()
                        if call >= 3:
                            took[path].append(1e3 * (time.perf_counter() - began_s))
                        await asyncio.sleep(PAUSE_S)
                    history += [
                        {"role": "assistant", "content": REPLY["content"]},
                        {"role": "user", "content": text(150)},
                    ]
        finally:
            proxy.close()
    found: dict[str, float] = {}
    for name, at in (("p50", 0.5), ("p99", 0.99)):
        kept, bare = quantile(took[CALL], at), quantile(took[BARE], at)
        found |= {f"{name}_ms": kept, f"{name}_bare_ms": bare, f"{name}_ratio": kept / bare}
    return found


def quantile(values: Sequence[float], at: float) -> float:
    """A quantile of measured values."""
    return sorted(values)[min(len(values) - 1, int(at * len(values)))]


async def cpu_of_streams(upstream: Upstream, streams: int) -> dict[str, float]:
    """The CPU time of a chunk in milliseconds, with so many streams at once: kept ones, and bare ones."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        proxy = Proxy(upstream.url, folder, 200_000)
        try:
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(connector=connector) as client:

                async def one(path: str, number: int) -> int:
                    history = [message(place) for place in range(3)]
                    asked = {"model": "claude-opus-5-5", "tools": [TOOL], "messages": history, "stream": True}
                    headers = {"x-session-id": f"s{number}", "anthropic-version": "1"}
                    count = 0
                    async with client.post(
                        proxy.url + path, data=json.dumps(asked).encode(), headers=headers
                    ) as answer:
                        async for _ in answer.content.iter_any():
                            count += 1
                    return count

                for path in (BARE, CALL):
                    before_s = proxy.cpu_s()
                    counts = await asyncio.gather(*(one(path, number) for number in range(streams)))
                    chunks = max(sum(counts), streams * len(upstream.events) // 2)
                    found["kept" if path == CALL else "bare"] = 1e3 * (proxy.cpu_s() - before_s) / chunks
        finally:
            proxy.close()
    return found


async def clients(upstream: Upstream, streams: int) -> dict[str, float]:
    """The CPU time of a chunk in milliseconds for the two clients that could ask the provider."""
    import httpx2

    chunks = streams * len(upstream.events)

    async def with_aiohttp() -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:

            async def one() -> None:
                async with client.get(upstream.url) as answer:
                    async for _ in answer.content.iter_any():
                        pass

            await asyncio.gather(*(one() for _ in range(streams)))

    async def with_httpx() -> None:
        limits = httpx2.Limits(max_connections=None)
        async with httpx2.AsyncClient(limits=limits, timeout=None) as client:

            async def one() -> None:
                async with client.stream("GET", upstream.url) as answer:
                    async for _ in answer.aiter_raw():
                        pass

            await asyncio.gather(*(one() for _ in range(streams)))

    found: dict[str, float] = {}
    ways: tuple[tuple[str, Callable[[], Any]], ...] = (("aiohttp", with_aiohttp), ("httpx2", with_httpx))
    for name, way in ways:
        took: list[float] = []
        for _ in range(3):
            began_s = time.process_time()
            await way()
            took.append(1e3 * (time.process_time() - began_s) / chunks)
        found[name] = statistics.median(took)
    return found


async def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Everything, in turn."""
    result: dict[str, Any] = {}
    async with Upstream(given.chunks, 0.05) as upstream:
        for messages in map(int, given.messages.split(",")):
            for name, window in (("unchanged", 1_000_000), ("compacted", 100 * messages)):
                found = await latencies(upstream, messages, given.calls, window)
                result[f"{messages} messages, {name}"] = found
                if not given.json:
                    print(
                        f"{messages:5} messages, {name:10}",
                        "  ".join(f"{k} {v:.2f}" for k, v in found.items()),
                        flush=True,
                    )
        result["cpu_ms_a_chunk"] = await cpu_of_streams(upstream, given.streams)
        if not given.json:
            print(f"{given.streams} streams, CPU ms a chunk", result["cpu_ms_a_chunk"])
    async with Upstream(given.chunks, 0.0) as upstream:
        result["clients_ms_a_chunk"] = await clients(upstream, 20)
        if not given.json:
            print("clients, CPU ms a chunk", result["clients_ms_a_chunk"])
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--messages", default="200,400,800")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--chunks", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result = asyncio.run(measure(given))
    if given.json:
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
