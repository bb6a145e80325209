"""Planted keys, and every way in which something can fail: none stands in what is told, logged, stored or printed."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

import palimpsest
from palimpsest.complete.anthropic import AnthropicModel
from palimpsest.complete.gemini import GeminiModel
from palimpsest.complete.http import Patience
from palimpsest.complete.openai import OpenAIModel
from palimpsest.complete.provider_client import HttpModel
from palimpsest.complete.responses import ResponsesModel
from palimpsest.errors import ModelError
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import Message, Text

KEY = "plain-0f9e8d7c6b5a-planted"
HEADER = "tenant-4a3b2c1d-planted"
FORMED = "sk-live-0123456789abcdefplanted"
QUICK = Patience(total_s=60, connect_s=60, silence_s=60, retries=0)
REQUEST = CompletionRequest((Message("user", (Text("Hello?"),)),), max_output_tokens=10)
CLIENTS: tuple[type[HttpModel], ...] = (OpenAIModel, ResponsesModel, AnthropicModel, GeminiModel)


class Echo(BaseHTTPRequestHandler):
    """A server that gives back all it was sent, as a header's error, a page or half a stream: the path says which."""

    def do_POST(self) -> None:
        headers = sorted(self.headers.items(), key=lambda header: "planted" not in header[1])
        said = "\n".join(f"{name}: {value}" for name, value in headers)
        status, _, form = self.path.strip("/").split("/")[0].partition("-")
        bodies = {
            "json": json.dumps({"error": {"message": f"wrong: {said}", "type": "x", "code": said[:300]}}),
            "text": said,
            "html": f"<html><body>{said}</body></html>",
            "list": json.dumps([said]),
            "reply": json.dumps({"choices": said, "content": said, "candidates": said, "output": said}),
            "stream": f"data: {said.replace(chr(10), ' ')}\n\n",
        }
        kind = "text/event-stream" if form == "stream" else "application/json"
        self.send_response(int(status))
        self.send_header("content-type", kind)
        self.send_header("retry-after", "0")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(bodies[form].encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Echo)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def planted_in(text: str) -> list[str]:
    return [secret for secret in (KEY, HEADER, FORMED) if secret in text]


async def failed(model: HttpModel, *, stream: bool) -> ModelError:
    async def ask() -> object:
        return [piece async for piece in model.stream(REQUEST)] if stream else await model(REQUEST)

    with pytest.raises(ModelError) as caught:
        await ask()
    await model.close()
    return caught.value


FORMS = (
    "401-json",
    "401-text",
    "400-html",
    "429-json",
    "500-text",
    "200-text",
    "200-list",
    "200-reply",
    "200-stream",
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", CLIENTS, ids=lambda kind: kind.__name__)
async def test_a_server_that_echoes_what_it_was_sent_learns_nothing_out(
    url: str, log: io.StringIO, kind: type[HttpModel], form: str
) -> None:
    told: list[str] = []
    for stream in (False, True):
        headers = {"x-tenant": HEADER}
        model = kind("m", base_url=f"{url}/{form}", key=KEY, headers=headers, patience=QUICK)
        error = await failed(model, stream=stream)
        told += [str(error), repr(error), repr(model), "".join(traceback.format_exception(error))]
        told.append(repr(error.__context__) if not error.__suppress_context__ else "")
    assert planted_in("\n".join(told)) == []
    assert planted_in(log.getvalue()) == []


def raising(said: str) -> Callable[[CompletionRequest], str]:
    def complete(request: CompletionRequest) -> str:
        raise RuntimeError(f"the client gave up: authorization: Bearer {said}") from ValueError(said)

    return complete


async def test_a_summarizer_s_error_leaves_no_key_in_the_database_the_events_or_the_log(
    tmp_path: Path, log: io.StringIO
) -> None:
    path = tmp_path / "talks.db"
    seen: list[object] = []
    async with palimpsest.open(
        path, preset="hierarchical", window_tokens=4_000, max_tokens=500, complete=raising(FORMED),
        fresh_tail_count=2, observer=seen.append,
    ) as engine:  # fmt: skip
        talk = engine.conversation("talk")
        for part in range(14):
            await talk.append({"role": "user", "content": f"part {part} " + "word " * 200})
        await talk.end_turn()
        await engine.idle()
        report = await talk.compact()
        compactions = await engine.store.compactions("me", "talk")
        told = f"{report!r} {compactions!r} {seen!r} {await engine.stats()!r}"
        assert any(one.calls for one in compactions)
    written = b"".join(one.read_bytes() for one in tmp_path.iterdir())  # noqa: ASYNC240  (a few small files)
    assert planted_in(told + log.getvalue()) == []
    assert planted_in(written.decode("latin-1")) == []


def test_a_command_that_fails_prints_no_key(tmp_path: Path, url: str) -> None:
    transcript = tmp_path / "talk.jsonl"
    lines = [
        {"type": "user", "uuid": f"u{part}", "sessionId": "s-1", "parentUuid": None,
         "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": f"part {part} " + "word " * 300}}
        for part in range(30)
    ]  # fmt: skip
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.defpath,
        "PYTHONUTF8": "1",
        "PALIMPSEST_DB": str(tmp_path / "talks.db"),
        "PALIMPSEST_DEBUG": "1",
        "OPENAI_API_KEY": FORMED,
        "OPENAI_BASE_URL": f"{url}/401-json",
    }
    said: list[str] = []
    for words in (
        ["import", str(transcript)],
        ["chat", "last", "--model", "openai:m", "--window", "8000"],
        ["chat", "last", "--model", "openai:m", "--summary-model", "openai:n", "--window", "4000"],
        ["config", "show", "--json"],
        ["show", "last", "--json"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "palimpsest", *words], env=environment, cwd=tmp_path, capture_output=True,
            input="hello\n/compact\n", text=True, check=False, timeout=60,
        )  # fmt: skip
        said.append(f"{words[0]} {done.returncode} {done.stdout} {done.stderr}")
    assert said[0].startswith("import 0")
    assert [one for one in said[1:3] if "HTTP 401" in one or "check the API key" in one] == said[1:3]
    assert planted_in("\n".join(said)) == []


async def test_background_work_that_fails_tells_no_key(tmp_path: Path) -> None:
    async with palimpsest.open(
        tmp_path / "talks.db", preset="hierarchical", window_tokens=4_000, complete=raising(FORMED)
    ) as engine:
        events: list[str] = []

        async def listen() -> None:
            async for event in engine.events():
                events.append(repr(event))  # noqa: PERF401

        listening = asyncio.create_task(listen())
        talk = engine.conversation("talk")
        for part in range(60):
            await talk.append({"role": "user", "content": f"part {part} " + "word " * 90})
        await talk.end_turn()
        await engine.idle()
    await listening
    assert events
    assert planted_in("\n".join(events)) == []
