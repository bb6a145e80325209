"""The examples of the page on clients and frameworks: each runs as it stands there, against a server on this machine or
with a model of the framework's own; those of frameworks where these are installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import palimpsest
from tests.cli.surroundings import variables
from tests.house.langchain_stand_ins import langchain_stand_ins, shown_to_model
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
    first, said, second = (item["content"] for item in bodies[1]["input"])
    assert (first, said[0]["text"], second) == ("Which pier?", "Pier 3.", "Are you sure?")


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

    shown = example("LangChain and LangGraph")
    talks = shown["Talks"](":memory:", window_tokens=8_000)
    agent = agents.create_agent(
        Model(messages=replies()), tools=[tide], middleware=[await shown["kept_whole"](talks)]
    )
    config = {"configurable": {"thread_id": "tides", "user_id": "ann"}}
    state: dict[str, Any] = {"messages": []}
    async with AsyncExitStack() as closing:
        closing.push_async_callback(talks.close)
        for turn in range(TURNS):
            question = {"role": "user", "content": f"When is high water, {turn}?"}
            state = await agent.ainvoke({"messages": [*state["messages"], question]}, config)
        talk = talks.engines["ann"].conversation("tides")
        assert len(state["messages"]) == len(await talk.messages(limit=1_000)) == TURNS * 4
        assert max(seen) < 32_000 < sum(len(str(one.content)) for one in state["messages"])


async def test_two_threads_in_langchain_do_not_read_each_other(tmp_path: Path) -> None:
    with langchain_stand_ins() as run:
        shown = example("LangChain and LangGraph")
        talks = shown["Talks"](tmp_path / "agent.db", window_tokens=32_000)
        kept = await shown["kept_whole"](talks)
        assert [tool.name for tool in kept.tools][:3] == ["short_search", "short_grep", "short_expand"]

        async def turn(user: str, thread: str, said: str) -> list[dict[str, Any]]:
            """What the model is shown in a thread."""
            run["configurable"] = {"user_id": user, "thread_id": thread}
            return await shown_to_model(kept, said)

        async def looked_up(user: str, thread: str) -> str:
            """What the tools find in a thread, asked in every way."""
            run["configurable"] = {"user_id": user, "thread_id": thread}
            search, grep, expand = (tool.coroutine for tool in kept.tools[:3])
            return "".join(
                [
                    await search(question="which pier", all_conversations=True),
                    await grep(pattern="pier", all_conversations=True),
                    await expand(message_ids=["m1"], all_conversations=True),
                ]
            )

        try:
            await turn("ann", "a", "My boat lies at pier Tern-4711.")
            assert "Tern-4711" not in str(await turn("ben", "b", "Which pier?"))
            assert "Tern-4711" not in str(await turn("ben", "a", "Which pier?"))
            assert "Tern-4711" not in await looked_up("ben", "b") + await looked_up("ben", "a")
            assert "Tern-4711" not in str(await turn("ann", "c", "Which pier?"))
            run["configurable"] = {"user_id": "ann", "thread_id": "c"}
            assert "Tern-4711" not in await kept.tools[0].coroutine(question="which pier")
            assert "Tern-4711" in await looked_up("ann", "a")
            assert "Tern-4711" in str(await turn("ann", "a", "And mine?"))
            for missing in ("user_id", "thread_id"):
                run["configurable"] = {"user_id": "ann", "thread_id": "a"}
                del run["configurable"][missing]
                with pytest.raises(KeyError, match=missing):
                    await shown_to_model(kept, "Which pier?")
        finally:
            await talks.close()


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

    adapter: Any = pytest.importorskip("palimpsest.integrations.pydantic_ai")
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        kept = adapter.PalimpsestCapability(engine)
        agent = package.Agent(models.FunctionModel(reply), tools=[tide], capabilities=[kept])
        history: list[Any] = []
        for turn in range(TURNS):
            run = await agent.run(f"When, {turn}?", message_history=history, conversation_id="tides")
            history = run.all_messages()
        talk = engine.conversation("tides")
        assert len(history) == len(await talk.messages(limit=1_000)) == TURNS * 4
        assert max(seen) < 32_000 < sum(len(str(part)) for one in history for part in one.parts)
