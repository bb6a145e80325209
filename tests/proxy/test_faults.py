"""Faults: of the proxy, whose calls then go on as they came, and of the provider, which the client sees as they are."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.patience import until
from tests.proxy.kit import CLIENTS, WIRES, AnthropicClient, running
from tests.proxy.raw import RawProvider, ask, chunked, whole
from tests.wire.strict.scripts import reading
from tests.wire.strict.server import StrictServer

CALL = json.dumps(
    {"model": "claude-opus-5-5", "tools": [{"name": "a"}], "messages": [{"role": "user", "content": "hi"}]}
).encode()
SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"


async def test_a_locked_database_lets_calls_go_on_and_the_log_says_so(tmp_path: Path, caplog: Any) -> None:
    path = tmp_path / "a.db"
    with StrictServer(reading(6)) as upstream:
        async with running(upstream, db=str(path), busy_timeout_s=0.01) as served:
            client = AnthropicClient(served.url)
            client.say("Read all parts.")
            await client.ask()
            await served.proxy.settle()
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN EXCLUSIVE")
            with caplog.at_level(logging.WARNING):
                await client.ask()
                await client.ask()
                await served.proxy.settle()
            assert served.proxy.counts.faults >= 2
            assert "as it came" in caplog.text
            other.execute("ROLLBACK")
            other.close()
            assert await client.run(6) == "All 6 parts are read."
            await served.proxy.settle()
            assert len(await served.texts("proxy-one")) == 14
        assert upstream.errors == []


async def test_a_closed_store_lets_every_call_go_on(caplog: Any) -> None:
    with StrictServer(reading(2)) as upstream:
        async with running(upstream) as served:
            await served.engine.store.close()
            for wire in WIRES:
                client = CLIENTS[wire](served.url, stream=wire == "chat", headers={"x-session-id": wire})
                assert await client.run(2) == "All 2 parts are read."
            assert served.proxy.counts.faults > 0
        assert upstream.errors == []


@pytest.mark.parametrize(
    "answer",
    [
        whole(b"\xff\x00 no json"), whole(b""), whole(b"[]"), whole(b'{"content": 3}'), whole(b"null"),
        chunked(b"data: {]\n\n", b"data: 7\n\n", b"garbage"), chunked(b'data: {"type":"message_stop"}\n\n'),
        chunked(b'data: {"type":"content_block_delta","index":5}\n\n', b'data: {"type":"message_stop"}\n\n'),
        whole(b"<html>", "503 Service Unavailable", b"content-type: text/html\r\n"),
        whole(b"{}", "413 Too Large"), whole(b'{"error":{"message":"prompt is too long"}}', "400 Bad Request"),
    ],
)  # fmt: skip
async def test_any_answer_of_the_provider_is_passed_back(answer: bytes) -> None:
    async with RawProvider(lambda _: answer) as provider, running(provider) as served:
        got = await ask(served.url, CALL, path="/v1/messages", more="x-session-id: one\r\n")
        assert got.split(b"\r\n")[0].split()[1] == answer.split()[1]
        assert b"chunked" in answer or got.partition(b"\r\n\r\n")[2] == answer.partition(b"\r\n\r\n")[2]
        assert served.proxy.counts.faults == 0


async def test_half_a_stream_breaks_off_for_the_client_too() -> None:
    for answer in (chunked(b"data: 1\n\n", ends=False), whole(b"{}").replace(b"length: 2", b"length: 9")):
        async with RawProvider(lambda _, a=answer: a) as provider, running(provider) as served:
            got = await ask(served.url, CALL, path="/v1/messages")
            assert got.startswith(b"HTTP/1.1 200")
            assert not got.endswith(b"0\r\n\r\n")
            await served.proxy.settle()
            stored = await served.texts((await served.names())[0])
            assert stored == ["user: hi"]


async def test_a_provider_that_is_not_there_is_told_as_an_error() -> None:
    async with RawProvider() as gone:
        pass
    async with running(gone) as served:
        got = await ask(served.url, CALL, path="/v1/messages")
        assert got.startswith(b"HTTP/1.1 502")
        assert b"no answer from the provider" in got


async def test_a_client_that_leaves_ends_the_request_to_the_provider() -> None:
    begun = RawProvider(lambda _: chunked(b"data: 1\n\n", ends=False), holds=asyncio.Event())
    async with begun as provider, running(provider) as served:
        asking = asyncio.ensure_future(ask(served.url, CALL, path="/v1/messages"))
        await until(lambda: provider.seen)
        asking.cancel()
        await until(lambda: provider.left)


async def test_a_huge_body_is_refused() -> None:
    async with RawProvider() as provider, running(provider, max_body_bytes=1_000) as served:
        assert b" 413 " in (await ask(served.url, b"x" * 1_001, path="/v1/messages"))[:20]
        assert provider.seen == []


async def test_an_overflow_is_recovered_once_and_then_passed_on() -> None:
    with StrictServer(reading(12), window_tokens=3_000) as upstream:
        async with running(upstream, window_tokens=60_000) as served:
            client = AnthropicClient(served.url, lines=10)
            assert await client.run(12) == "All 12 parts are read."
            recovered = served.proxy.counts.recovered
            assert 1 <= recovered == len(upstream.errors)
            client.say("word " * 5_000)
            with pytest.raises(Exception, match="prompt is too long"):  # the refusal is passed on
                await client.ask()
            assert len(upstream.errors) <= recovered + 2


async def test_keys_are_neither_stored_nor_logged(tmp_path: Path, caplog: Any) -> None:
    path = tmp_path / "a.db"
    answers = iter(
        [whole(b'{"type":"message","role":"assistant","content":[]}'), whole(b"x", "401 No"), b"HTTP/1.1 bad"]
    )
    with caplog.at_level(logging.DEBUG):
        async with (
            RawProvider(lambda _: next(answers)) as provider,
            running(provider, db=str(path)) as served,
        ):
            more = f"x-api-key: {SECRET}\r\nauthorization: Bearer {SECRET}\r\nx-goog-api-key: {SECRET}\r\n"
            for _ in range(3):
                await ask(served.url, CALL, path=f"/v1/messages?key={SECRET}", more=more)
            await served.proxy.settle()
            assert provider.seen[0].all("x-api-key") == [SECRET]
    assert SECRET not in caplog.text
    for file in list(tmp_path.iterdir()):  # noqa: ASYNC240
        assert SECRET.encode() not in file.read_bytes()
