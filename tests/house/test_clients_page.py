"""The examples of the page on clients: each runs as it stands there, against a server on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, cast

import palimpsest
from palimpsest.formats.rules import bedrock_breaches
from palimpsest.record.message import ToolCall
from tests.cli.surroundings import variables
from tests.house.run_docs import FENCE
from tests.house.tree import ROOT
from tests.wire.replies import Say
from tests.wire.server import WireServer
from tests.wire.vectors import serving_json

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")


def example(place: str, number: int = 0) -> dict[str, Any]:
    """What an example under a heading defines."""
    section = PAGE.split(f"\n## {place}\n", 1)[1].split("\n## ", 1)[0]
    found: dict[str, Any] = {}
    exec(FENCE.findall(section)[number][2], found)
    return found


async def asked_twice(place: str, number: int = 0) -> None:
    shown = example(place, number)
    client, answer = shown["client"], shown["answer"]
    ending = client.aio.aclose if place == "Gemini" else client.close
    async with palimpsest.open(":memory:", window_tokens=32_000) as engine, AsyncExitStack() as closing:
        closing.push_async_callback(ending)
        talk = engine.conversation("harbour-42")
        assert await answer(talk, "Which pier?") == "Pier 3."
        assert await answer(talk, "Are you sure?") == "Pier 3."
        assert [one.message.role for one in await talk.messages()] == ["user", "assistant"] * 2


async def test_openais_client_is_used_as_shown() -> None:
    with (
        WireServer([Say("Pier 3.")]) as server,
        variables(OPENAI_BASE_URL=server.openai_url, OPENAI_API_KEY="k"),
    ):
        await asked_twice("OpenAI")
        assert not server.breaches


async def test_anthropics_client_is_used_as_shown() -> None:
    with (
        WireServer([Say("Pier 3.")]) as server,
        variables(ANTHROPIC_BASE_URL=server.anthropic_url, ANTHROPIC_API_KEY="k"),
    ):
        await asked_twice("Anthropic")
        assert not server.breaches


async def test_geminis_client_is_used_as_shown() -> None:
    with (
        WireServer([Say("Pier 3.")]) as server,
        variables(GOOGLE_GEMINI_BASE_URL=server.gemini_url, GEMINI_API_KEY="k"),
    ):
        await asked_twice("Gemini")
        assert not server.breaches


async def test_openais_responses_are_used_as_shown() -> None:
    bodies: list[dict[str, Any]] = []

    def respond(body: bytes, key: str) -> tuple[int, object]:
        bodies.append(json.loads(body))
        content = [{"type": "output_text", "text": "Pier 3.", "annotations": []}]
        message = {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
        usage = {
            "input_tokens": 20,
            "output_tokens": 4,
            "total_tokens": 24,
            "input_tokens_details": {"cached_tokens": 0},
        }
        return 200, {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "output": [message],
            "usage": usage,
        }

    with serving_json("/v1/responses", respond) as url, variables(OPENAI_BASE_URL=url, OPENAI_API_KEY="k"):
        await asked_twice("OpenAI", 1)
    assert bodies[1]["instructions"] == "You know the ferries."
    first, said, second = (item["content"] for item in bodies[1]["input"])
    assert (first, said[0]["text"], second) == ("Which pier?", "Pier 3.", "Are you sure?")


class Bedrock:
    """What stands for the AWS client: it holds each request to the API's rules."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def client(self, service: str) -> Bedrock:
        assert service == "bedrock-runtime"
        return self

    def converse(self, **body: Any) -> dict[str, Any]:
        assert bedrock_breaches(body) == ()
        self.asked.append(body)
        message = {"role": "assistant", "content": [{"text": "Pier 3."}]}
        usage = {"inputTokens": 20, "outputTokens": 4, "totalTokens": 24}
        return {"output": {"message": message}, "stopReason": "end_turn", "usage": usage}


@contextmanager
def in_place_of(name: str, held: object) -> Iterator[None]:
    """A module that is not installed, or not called over the network here."""
    before = sys.modules.get(name)
    sys.modules[name] = cast("Any", held)
    try:
        yield
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before


async def test_the_aws_client_is_used_as_shown() -> None:
    made = Bedrock()
    with in_place_of("boto3", made):
        answer = example("Bedrock")["answer"]
    async with palimpsest.open(":memory:", window_tokens=32_000) as engine:
        talk = engine.conversation("harbour-42")
        assert await answer(talk, "Which pier?") == await answer(talk, "Are you sure?") == "Pier 3."
        assert [one.message.role for one in await talk.messages()] == ["user", "assistant"] * 2
    assert made.asked[1]["system"] == [{"text": "You know the ferries."}]
    assert [one["content"] for one in made.asked[1]["messages"]] == [
        [{"text": text}] for text in ("Which pier?", "Pier 3.", "Are you sure?")
    ]


LOOP = "### Tools, streaming, and requests that are too long"


def the_loop() -> dict[str, Any]:
    """What the example of a whole loop defines."""
    found: dict[str, Any] = {}
    exec(FENCE.findall(PAGE.split(LOOP, 1)[1])[0][2], found)
    return found


READ_LOG = {
    "type": "function",
    "function": {"name": "read_log", "parameters": {"type": "object", "properties": {}}},
}


async def test_the_loop_runs_tools_streams_and_goes_on_after_a_failure() -> None:
    calls = (ToolCall("c1", "read_log", "{}"), ToolCall("c2", "short_grep", '{"pattern": "Tern"}'))
    said = [Say("", calls), Say("", (ToolCall("c3", "read_log", '{"page": 2}'),)), Say("Pier 3.")]
    told: list[str] = []

    async def run(name: str, arguments: str) -> str:
        if "2" in arguments:
            raise ValueError("no such page")
        return f"{name}: the Tern lies at pier 3"

    with WireServer(said) as server, variables(OPENAI_BASE_URL=server.openai_url, OPENAI_API_KEY="k"):
        shown = the_loop()
        async with palimpsest.open(":memory:", window_tokens=32_000) as engine:
            talk = engine.conversation("harbour-42")
            assert (
                await shown["answer"](talk, "Where is the Tern?", [READ_LOG], run, told.append) == "Pier 3."
            )
            results = [result.text for one in await talk.messages() for result in one.message.results]
        await shown["client"].close()
        assert not server.breaches
    assert "".join(told) == "Pier 3."
    assert results[0] == "read_log: the Tern lies at pier 3"
    assert results[1].startswith("[recalled: ")
    assert results[2] == "error: no such page"


async def test_the_loop_goes_on_with_a_smaller_request() -> None:
    with (
        WireServer([Say("Pier 3.")], window_tokens=9_000) as server,
        variables(OPENAI_BASE_URL=server.openai_url, OPENAI_API_KEY="k"),
    ):
        shown = the_loop()
        async with palimpsest.open(":memory:", window_tokens=32_000) as engine:
            talk = engine.conversation("harbour-42")
            for turn in range(20):
                await talk.append({"role": "user", "content": f"{turn}: " + "the tide was low. " * 150})
                await talk.append({"role": "assistant", "content": "Noted."})
            assert await shown["answer"](talk, "Which pier?", [], None) == "Pier 3."
            assert (await talk.window()).window.items[-1].last == 42
        await shown["client"].close()
