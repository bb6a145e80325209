"""The server as a process, over both transports, met by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.kit import text_of, write

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "palimpsest", "mcp"]
TOKEN = "a-token-of-some-length"
STARTED_WITHIN_S = 60


def environment(home: Path) -> dict[str, str]:
    """A small environment of its own; nothing of the caller's settings."""
    return {"HOME": str(home), "PATH": os.defpath, "PYTHONUTF8": "1", "PYTHONWARNINGS": "error"}


def stdio(home: Path, *words: str) -> StdioServerParameters:
    """How a client starts the server."""
    return StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "--db", str(home / "p.db"), *words], env=environment(home)
    )


@asynccontextmanager
async def serving(home: Path, *words: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """The server over HTTP on a free port, and its address; it has to end well when it is asked to."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--http", "0", "--db", str(home / "p.db"), *words,
        env={**environment(home), "PALIMPSEST_MCP_TOKEN": TOKEN},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        line = (await asyncio.wait_for(process.stderr.readline(), STARTED_WITHIN_S)).decode()
        assert line.startswith("serving http://127.0.0.1:")
        yield process, line.removeprefix("serving ").strip()
        process.send_signal(signal.SIGTERM)
        out, said = await asyncio.wait_for(process.communicate(), STARTED_WITHIN_S)
        assert (process.returncode, out) == (0, b"")
        assert b"Traceback" not in said
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def with_token(token: str, **more: str) -> httpx2.AsyncClient:
    """A client that sends a token."""
    return httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}", **more}, timeout=60)


async def followed(client: Client) -> str:
    """What the server says of its state once it has read what it follows."""
    for _ in range(600):
        said = text_of(await client.call_tool("status", {}))
        if "1 conversation" in said and "Not looked through yet" not in said:
            break
        await asyncio.sleep(0.1)
    return said


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_that_starts_the_server_is_answered(tmp_path: Path, mode: str) -> None:
    write(tmp_path / "projects", "s-1", "Where is the buoy?", "At Kobbness, 码头三号.")
    parameters = stdio(tmp_path, "--follow", str(tmp_path / "projects"))
    async with Client(parameters, mode=mode) as client:
        assert len((await client.list_tools()).tools) == 5
        assert "Kobbness" in text_of(await client.call_tool("search", {"question": "where is the buoy?"}))
        write(tmp_path / "projects", "s-1", "Where is the buoy?", "At Kobbness, 码头三号.", "And now?")
        assert "3 messages" in text_of(await client.call_tool("status", {}))
        assert len((await client.list_resources()).resources) == 1


async def test_over_http_two_clients_at_once_are_answered(tmp_path: Path) -> None:
    write(tmp_path / "projects", "s-1", "Where is the buoy?", "At Kobbness.")
    async with (
        serving(tmp_path, "--follow", str(tmp_path / "projects")) as (_, url),
        with_token(TOKEN) as http,
        Client(streamable_http_client(url, http_client=http)) as one,
        Client(streamable_http_client(url, http_client=http), mode="legacy") as two,
    ):
        assert "1 conversation" in await followed(one)
        answers = await asyncio.gather(
            *(client.call_tool("grep", {"pattern": "buoy"}) for client in (one, two) * 5)
        )
        call = asyncio.ensure_future(two.call_tool("search", {"question": "buoy " * 20_000}))
        await asyncio.sleep(0.02)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert "1 conversation" in text_of(await two.call_tool("status", {}))
    assert [answer for answer in map(text_of, answers) if "m1" not in answer] == []


async def test_over_http_nobody_comes_in_without_the_token_or_under_another_name(tmp_path: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    cases = [
        ({}, 401),
        ({"Authorization": "Bearer wrong-wrong-wrong"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "rebound.example"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "https://page.example"}, 403),
    ]
    async with serving(tmp_path) as (_, url), httpx2.AsyncClient(timeout=60) as http:
        got = [(await http.post(url, json=body, headers=headers)).status_code for headers, _ in cases]
        elsewhere = await http.get(url.replace("/mcp", "/"), headers={"Authorization": "Bearer no"})
        huge = await http.post(url, content=b"x" * 5_000_000, headers={"Authorization": f"Bearer {TOKEN}"})
    assert got == [status for _, status in cases]
    assert elsewhere.status_code == 401
    assert huge.status_code == 413


async def test_over_http_a_client_may_go_away_in_the_middle_or_rest_for_a_while(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, url):
        port = int(url.removeprefix("http://127.0.0.1:").removesuffix("/mcp"))
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        _, gone = await asyncio.open_connection("127.0.0.1", port)
        kinds = "MCP-Protocol-Version: 2099-01-01\r\nAccept: application/json, text/event-stream\r\n"
        sizes = "Content-Type: application/json\r\nContent-Length: 900\r\n"
        gone.write(f"{head}{kinds}{sizes}\r\nhalf".encode())
        await gone.drain()
        await asyncio.sleep(0.2)
        gone.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answers: list[bytes] = []
        for rest_s in (5.5, 0):
            writer.write(f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            answers.append(await asyncio.wait_for(reader.readuntil(b"0\r\n\r\n"), STARTED_WITHIN_S))
            await asyncio.sleep(rest_s)
        writer.close()
    assert [answer.split(b" ")[1] for answer in answers] == [b"401", b"401"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_well_with_nothing_on_standard_output(tmp_path: Path, number: int) -> None:
    process = subprocess.Popen(
        [*COMMAND, "--db", str(tmp_path / "p.db")], env=environment(tmp_path),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    process.stdin.write(b"no json\n" + b"x" * 5_000_000 + b"\n" + json.dumps(hello).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    while answer.get("id") != 1:
        answer = json.loads(process.stdout.readline())
    assert answer["result"]["serverInfo"]["name"] == "palimpsest"
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, b"")


def test_a_standard_input_that_is_closed_is_at_its_end(tmp_path: Path) -> None:
    words = " ".join([*COMMAND, "--db", str(tmp_path / "p.db")])
    done = subprocess.run(
        ["/bin/sh", "-c", f"{words} <&-"],
        env=environment(tmp_path),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_end_of_the_input_ends_the_server(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--db", str(tmp_path / "new" / "p.db")], env=environment(tmp_path), input=b"",
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
