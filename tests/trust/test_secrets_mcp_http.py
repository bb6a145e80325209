"""Keys planted where a server over HTTP could tell them: its token, a wrong one, what its parts raise, what is sent to
it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

import palimpsest
from palimpsest.engine.engine import Engine
from palimpsest.mcp.http import HttpServing
from palimpsest.mcp.server import make_server
from tests.mcp.kit import Notes, fill
from tests.trust.test_secrets_mcp import BEARER, FORMED, Failing, heard

GIVEN = "9c8b7a6f5e4d-planted"
SECRETS = (FORMED, BEARER, GIVEN)
QUIET = ("httpx2", "httpcore2", "mcp.client")
"""Loggers of the client, which may know its own keys."""


def planted_in(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


@asynccontextmanager
async def serving(engine: Engine, notes: Notes) -> AsyncIterator[str]:
    """A server over HTTP in this process, which holds the token; its address."""
    server = HttpServing(make_server(engine, None, notes), "127.0.0.1", 0, BEARER)
    running = asyncio.create_task(server.serve())
    yield server.url
    server.close()
    await running


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """All that the server's side logged."""
    told = (one for one in caplog.records if not one.name.startswith(QUIET))
    return "\n".join(f"{one.name}: {one.getMessage()} {one.exc_text or ''}" for one in told)


async def test_what_breaks_inside_tells_a_client_over_http_no_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    engine, notes = await palimpsest.open(":memory:"), Notes()
    await fill(engine)
    engine.store = Failing(engine.store)  # pyright: ignore[reportAttributeAccessIssue]
    headers = {"Authorization": f"Bearer {BEARER}"}
    async with (
        serving(engine, notes) as url,
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        told = [
            await heard(lambda: client.call_tool("search", {"question": "When were the buoys painted?"})),
            await heard(lambda: client.call_tool("grep", {"pattern": f"buoys {GIVEN[:4]}"})),
            await heard(lambda: client.call_tool("none", {"ids": ["m1"]})),
            await heard(client.list_resources),
            await heard(lambda: client.read_resource("palimpsest://conversation/last")),
        ]
    await engine.close()
    assert "RuntimeError" in told[0]
    assert planted_in("\n".join(told)) == []
    assert "palimpsest" in logged(caplog) or notes.lines
    assert planted_in("\n".join(notes.lines) + logged(caplog)) == []


async def test_a_request_that_is_refused_over_http_is_given_back_nothing_of_what_it_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    engine, notes = await palimpsest.open(":memory:"), Notes()
    right = {"Authorization": f"Bearer {BEARER}", "Accept": "application/json, text/event-stream"}
    json = {**right, "Content-Type": "application/json"}
    cases: list[tuple[dict[str, str], str]] = [
        ({"Authorization": f"Bearer {GIVEN}"}, "{}"),
        ({"Authorization": f"Basic {GIVEN}"}, "{}"),
        ({**json, "Origin": "https://page.example"}, f'{{"key": "{GIVEN}"}}'),
        ({**right, "Content-Type": f"text/{GIVEN}"}, "{}"),
        ({**json, "Mcp-Session-Id": "of another"}, f'{{"jsonrpc": "2.0", "id": 1, "method": "{GIVEN}"}}'),
        ({**json, "X-Api-Key": GIVEN}, GIVEN * 300_000),
    ]
    async with serving(engine, notes) as url, httpx2.AsyncClient(timeout=60) as http:
        got = [
            await http.post(f"{url}?token={GIVEN}", content=body, headers=headers) for headers, body in cases
        ]
        got.append(await http.get(f"{url}/{GIVEN}", headers=right))
    await engine.close()
    assert all(one.status_code >= 400 for one in got)
    assert planted_in("\n".join(f"{one.status_code} {one.headers} {one.text}" for one in got)) == []
    assert planted_in("\n".join(notes.lines) + logged(caplog)) == []
