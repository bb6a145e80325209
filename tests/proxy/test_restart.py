"""The proxy is ended, by force or not, and started again: conversations go on, and nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import palimpsest
from tests.effort import size
from tests.patience import until
from tests.proxy.kit import CLIENTS, WIRES, AnthropicClient, Client, running
from tests.proxy.raw import RawProvider, ask, chunked
from tests.wire.strict.scripts import reading
from tests.wire.strict.server import StrictServer

CALLS = 12
STREAMS = size(120, 1_000)


async def continued(client: Client, calls: int) -> None:
    for _ in range(calls):
        await client.ask()


@pytest.mark.parametrize("session", [True, False], ids=["named", "unnamed"])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_conversation_goes_on_after_a_restart(wire: str, session: bool, tmp_path: Path) -> None:
    db = str(tmp_path / "a.db")
    with StrictServer(reading(CALLS), window_tokens=12_000) as upstream:
        client = CLIENTS[wire]("", lines=30, headers={"x-session-id": "one"} if session else {})
        client.say("Read all parts.")
        for _ in range(4):
            async with running(upstream, db=db) as served:
                client.url = served.url
                await continued(client, 3)
                assert served.proxy.counts.faults == 0
        async with running(upstream, db=db) as served:
            client.url = served.url
            assert await client.run(1) == f"All {CALLS} parts are read."
            await served.proxy.settle()
            names = await served.names()
            stored = await served.texts(names[0])
            assert len(names) == 1
            assert await served.abandoned(names[0]) == 0
        assert upstream.errors == []
    assert sum(one.startswith("tool") for one in stored) == CALLS
    assert sum(one.startswith("assistant") for one in stored) == CALLS + 1


async def test_threads_of_a_session_are_found_again(tmp_path: Path) -> None:
    db = str(tmp_path / "a.db")
    with StrictServer(reading(6)) as upstream:
        clients = [AnthropicClient("") for _ in range(3)]
        for number, client in enumerate(clients):
            client.headers = {**client.headers, "x-conversation": str(number)}
            client.say(f"Task {number}.")
        for _ in range(3):
            async with running(upstream, db=db) as served:
                for client in clients:
                    client.url = served.url
                    await continued(client, 2)
                await served.proxy.settle()
                names = await served.names()
                assert names == ["proxy-one", "proxy-one/2", "proxy-one/3"]
                found = [await served.texts(name) for name in names]
        assert [len(one) for one in found] == [12] * 3
        assert [one[0] for one in found] == [f"user: Task {number}." for number in range(3)]


async def test_hidden_calls_are_found_again(tmp_path: Path) -> None:
    from tests.proxy.test_recalls import asking

    db = str(tmp_path / "a.db")
    with StrictServer(asking) as upstream:
        client = AnthropicClient("")
        client.say("Read all parts. The lamp is a Kestrel-88.")
        called = 1
        while called:
            async with running(upstream, db=db, inject_tools=True, window_tokens=100_000) as served:
                client.url = served.url
                for _ in range(5):
                    _, called = await client.ask() if called else ("", 0)
                await served.proxy.settle()
                names, faults = await served.names(), served.proxy.counts.faults
                stored = await served.texts(names[0])
                abandoned = await served.abandoned(names[0])
            assert (names, faults, abandoned) == (["proxy-one"], 0, 0)
        assert upstream.errors == []
    assert sum("[recalled:" in one for one in stored) == 3


class Process:
    """The command as a process."""

    def __init__(self, db: Path, upstream: str) -> None:
        self.db, self.upstream = db, upstream
        self.process: Any = None
        self.url = ""

    async def start(self) -> str:
        command = ["-m", "palimpsest", "proxy", "--port", "0", "--db", str(self.db), "--window", "12000"]
        command += ["--set", "max_tokens=1000", "--anthropic-url", self.upstream]
        home = str(self.db.parent)
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            stderr=asyncio.subprocess.PIPE,
            cwd=home,
            env={**os.environ, "HOME": home},
        )
        line = (await self.process.stderr.readline()).decode()
        assert line.startswith("serving http://127.0.0.1:"), line
        self.url = line.split()[-1]
        return self.url

    async def end(self, number: int) -> int:
        self.process.send_signal(number)
        await self.process.stderr.read()
        return await self.process.wait()


@pytest.mark.sampled
async def test_a_proxy_that_is_killed_loses_and_doubles_nothing(tmp_path: Path) -> None:
    calls = size(12, 60)
    db = tmp_path / "a.db"
    with StrictServer(reading(calls), window_tokens=12_000) as upstream:
        client = AnthropicClient("", lines=30)
        client.say("Read all parts.")
        served = Process(db, upstream.anthropic_url)
        asked = 0
        while asked <= calls:
            client.url = await served.start()
            for _ in range(5):
                await client.ask()
                asked += 1
                if asked > calls:
                    break
            await served.end(signal.SIGKILL)
        assert upstream.errors == []
        assert await served.start()
        assert await served.end(signal.SIGTERM) == 0
    async with palimpsest.open(db) as engine:
        assert [one.id for one in await engine.conversations()] == ["proxy-one"]
        stored = [one.message for one in await engine.conversation("proxy-one").messages(1, 1_000)]
        assert sum(len(one.results) for one in stored) == calls
        assert (await engine.verify()).found == 0


async def test_an_open_stream_goes_on_while_the_proxy_stops() -> None:
    holds = asyncio.Event()
    provider = RawProvider(lambda _: chunked(b"data: 1\n\n", ends=False), holds=holds)
    async with provider, running(provider) as served:
        asking = asyncio.ensure_future(ask(served.url, b"{}", path="/v1/x"))
        await until(lambda: provider.seen)
        served.proxy.stop()
        await until(lambda: not served.proxy.accepts)
        assert not asking.done()
        holds.set()
        assert (await asking).startswith(b"HTTP/1.1 200")


@pytest.mark.sampled
async def test_many_streams_run_at_once() -> None:
    holds = asyncio.Event()
    provider = RawProvider(lambda _: chunked(b"data: 1\n\n", ends=False), holds=holds)
    async with provider, running(provider) as served:
        asking = [asyncio.ensure_future(ask(served.url, b"{}", path="/v1/x")) for _ in range(STREAMS)]
        await until(lambda: len(provider.seen) == STREAMS)
        assert b'"status": "ok"' in await ask(served.url, b"", path="/palimpsest/health", method="GET")
        holds.set()
        assert all(one.startswith(b"HTTP/1.1 200") for one in await asyncio.gather(*asking))
