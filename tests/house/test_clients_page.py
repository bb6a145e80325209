"""The examples of the page on clients and frameworks: each runs as it stands there, against a server on this machine or
with a model of the framework's own; those of frameworks where these are installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

import palimpsest
from tests.cli.surroundings import variables
from tests.house.run_docs import FENCE
from tests.house.tree import ROOT
from tests.wire.replies import Say
from tests.wire.server import WireServer
from tests.wire.vectors import serving_json

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
TURNS = 30


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
    assert [item["content"] for item in bodies[1]["input"]] == ["Which pier?", "Pier 3.", "Are you sure?"]


def tide(place: str) -> str:
    """The next high water at a place."""
    return f"high water at {place} at 14:20, " * 100


async def test_langchains_agent_sees_a_window_and_keeps_its_state() -> None:
    agents: Any = pytest.importorskip("langchain.agents")
    messages: Any = pytest.importorskip("langchain_core.messages")
    fakes: Any = pytest.importorskip("langchain_core.language_models.fake_chat_models")
    seen: list[int] = []

    class Model(fakes.GenericFakeChatModel):
        def bind_tools(self, tools: Any, **more: Any) -> Any:
            return self

        async def _agenerate(self, given: Any, *rest: Any, **more: Any) -> Any:
            seen.append(sum(len(str(one.content)) for one in given))
            return await super()._agenerate(given, *rest, **more)

    def replies() -> Iterator[Any]:
        for turn in range(TURNS):
            name, argument = ("short_search", "question") if turn % 3 == 2 else ("tide", "place")
            yield messages.AIMessage(
                "", tool_calls=[{"id": f"c{turn}", "name": name, "args": {argument: "Skerry"}}]
            )
            yield messages.AIMessage(f"At 14:20, for the {turn}. time.")

    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        talk = engine.conversation("tides")
        watched = example("LangChain and LangGraph")["KeptWhole"](talk)
        agent = agents.create_agent(Model(messages=replies()), tools=[tide], middleware=[watched])
        state: dict[str, Any] = {"messages": []}
        for turn in range(TURNS):
            question = {"role": "user", "content": f"When is high water, {turn}?"}
            state = await agent.ainvoke({"messages": [*state["messages"], question]})
        assert len(state["messages"]) == len(await talk.messages(limit=1_000)) == TURNS * 4
        assert max(seen) < 32_000 < sum(len(str(one.content)) for one in state["messages"])


async def test_pydantic_ais_agent_sees_a_window_and_keeps_its_history() -> None:
    package: Any = pytest.importorskip("pydantic_ai")
    said: Any = pytest.importorskip("pydantic_ai.messages")
    models: Any = pytest.importorskip("pydantic_ai.models.function")
    seen: list[int] = []

    def reply(given: Any, info: Any) -> Any:
        seen.append(sum(len(str(part)) for one in given for part in one.parts))
        if len(seen) % 2:
            return said.ModelResponse([said.ToolCallPart("tide", {"place": "Skerry"}, f"c{len(seen)}")])
        return said.ModelResponse([said.TextPart(f"At 14:20, for the {len(seen)}. time.")])

    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        talk = engine.conversation("tides")
        model = example("Pydantic AI")["KeptWhole"](models.FunctionModel(reply), talk)
        agent = package.Agent(model, tools=[tide])
        history: list[Any] = []
        for turn in range(TURNS):
            history = (await agent.run(f"When, {turn}?", message_history=history)).all_messages()
        assert len(history) == len(await talk.messages(limit=1_000)) == TURNS * 4
        assert max(seen) < 32_000 < sum(len(str(part)) for one in history for part in one.parts)
