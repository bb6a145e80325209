"""Keys planted where a server for models could tell them: in what its parts raise, in its environment, in its token."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp_types import TextContent

import palimpsest
from palimpsest.mcp.server import make_server
from palimpsest.ports import Store
from tests.mcp.kit import Notes, fill

FORMED = "sk-live-0123456789abcdefplanted"
BEARER = "4a3b2c1d9e8f7a6b-planted"
SAID = f"401 from a client: key {FORMED}; authorization: Bearer {BEARER}"
LIMIT_S = 60


def planted_in(text: str) -> list[str]:
    return [secret for secret in (FORMED, BEARER) if secret in text]


class Failing:
    """A store that can do nothing any more but say why, with a key in it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        found = getattr(self._store, name)
        if not asyncio.iscoroutinefunction(found) or name == "close":
            return found

        async def fail(*given: object, **named: object) -> object:
            raise RuntimeError(SAID)

        return fail


async def heard(ask: Callable[[], Awaitable[object]]) -> str:
    """What a client is told, as an answer or as an error."""
    try:
        return repr(await ask())
    except Exception as error:  # noqa: BLE001  (whatever a client is told is what is looked at)
        return f"{error!r} {error} {vars(error)}"


async def test_whatever_breaks_inside_tells_a_client_no_key(log: io.StringIO) -> None:
    engine = await palimpsest.open(":memory:")
    await fill(engine)
    notes = Notes()
    engine.store = Failing(engine.store)  # pyright: ignore[reportAttributeAccessIssue]
    told: list[str] = []
    async with Client(make_server(engine, None, notes)) as client:
        asked: list[tuple[str, dict[str, object]]] = [
            ("search", {"question": "When were the buoys painted?"}),
            ("grep", {"pattern": "buoys"}),
            ("expand", {"ids": ["m1"]}),
        ]
        for name, arguments in asked:
            told.append(await heard(lambda name=name, arguments=arguments: client.call_tool(name, arguments)))
        told.append(await heard(client.list_resources))
        for uri in (
            "palimpsest://conversation/last",
            "palimpsest://conversation/harbour",
            "palimpsest://summary/s1",
        ):
            told += [await heard(lambda uri=uri: client.read_resource(uri))]
    await engine.close()
    assert "RuntimeError" in "\n".join(told[:3])
    assert planted_in("\n".join(told)) == []
    assert planted_in("\n".join(notes.lines) + log.getvalue()) == []


async def test_an_embedder_that_fails_tells_no_key(log: io.StringIO) -> None:
    def embed(text: str) -> list[float]:
        raise RuntimeError(SAID)

    notes = Notes()
    async with palimpsest.open(":memory:", embed=embed) as engine:
        await fill(engine)
        async with Client(make_server(engine, None, notes)) as client:
            answer = await client.call_tool("search", {"question": "When were the buoys painted?"})
        (content,) = answer.content
        assert isinstance(content, TextContent)
        assert planted_in(content.text + "\n".join(notes.lines) + log.getvalue()) == []


@pytest.mark.slow
def test_a_server_s_environment_stays_its_own(tmp_path: Path) -> None:
    lines: list[object] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "grep", "arguments": {"pattern": 7}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "none", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": "palimpsest://conversation/../x"}},
        {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": 5}},
        "no object",
    ]  # fmt: skip
    given = "".join(json.dumps(line) + "\n" for line in lines) + "{half\n"
    environment = {
        "HOME": str(tmp_path), "PATH": os.defpath, "PYTHONUTF8": "1", "PALIMPSEST_DEBUG": "1",
        "OPENAI_API_KEY": FORMED, "PALIMPSEST_MCP_TOKEN": BEARER, "ANTHROPIC_API_KEY": BEARER,
    }  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "palimpsest", "mcp", "--db", str(tmp_path / "p.db")], env=environment, cwd=tmp_path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(given)
        process.stdin.flush()
        answers: list[str] = []
        while {json.loads(line).get("id") for line in answers} < {1, 2, 3, 4, 5}:
            answers.append(process.stdout.readline())
        out, err = process.communicate(timeout=LIMIT_S)
    written = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    assert planted_in("".join(answers) + out + err + written.decode("latin-1")) == []
