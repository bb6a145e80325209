"""Turns that were cut short, and turns given twice: taken up where they stopped, and nothing stored a second time."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.agent.events import Done, ToolEnd
from palimpsest.agent.loop import INTERRUPTED
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.errors import UsageError
from palimpsest.record.completion import Completion
from palimpsest.record.message import Message, ToolCall, ToolResult
from tests.agent.kit import JudgingModel, history, shape, told
from tests.engine.drawing import said
from tests.patience import LIMIT_S


def ring(times: int) -> str:
    """Ring the bell."""
    return f"rang {times} times"


async def forever() -> str:
    """Wait for a ship that never comes."""
    await asyncio.sleep(3600)
    return "never"


async def test_the_same_key_again_stores_nothing_and_gives_the_same_answer() -> None:
    model = JudgingModel([call_tools(("ring", {"times": 2})), "Rung.", "Other."])
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        agent = make_agent(engine, model, tools=[ring])
        assert await agent.answer("a", "Ring twice.", key="t1") == "Rung."
        assert await told(agent, "a", "Ring twice.", key="t1") == [Done("Rung.", "stop", 0)]
        assert await agent.answer("a", "And now?", key="t2") == "Other."
        assert await agent.answer("a", "Ring twice.", key="t1") == "Rung."
        assert len(await history(engine.conversation("a"))) == 6
        assert len(model.requests) == 3


async def test_the_same_message_without_a_key_is_a_turn_of_its_own() -> None:
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        agent = make_agent(engine, ScriptedModel(["One.", "Two."]))
        assert [await agent.answer("a", "Count.") for _ in range(2)] == ["One.", "Two."]


async def test_a_turn_without_a_message_takes_up_what_stands() -> None:
    model = JudgingModel(["Hello yourself."])
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Hello."))
        agent = make_agent(engine, model)
        assert (await told(agent, talk, None))[-1] == Done("Hello yourself.", "stop", 1)
        assert await told(agent, talk, None) == [Done("Hello yourself.", "stop", 0)]
        assert len(model.requests) == 1
    assert model.faults == []


async def test_there_is_nothing_to_take_up_before_the_first_message() -> None:
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        with pytest.raises(UsageError, match="no messages"):
            await told(make_agent(engine, ScriptedModel(["x"])), "a", None)


@pytest.mark.parametrize("again", ["the same key", "no message", "a new message"])
async def test_calls_that_were_interrupted_get_a_result_that_says_so(again: str) -> None:
    model = JudgingModel([call_tools(("ring", {"times": 1}), ("forever", {})), "I gave up waiting."])
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        talk = engine.conversation("a")
        agent = make_agent(engine, model, tools=[ring, forever])
        async with aclosing(agent.run(talk, "Ring and wait.", key="t1")) as events:
            async for event in events:
                if isinstance(event, ToolEnd):
                    break
        assert shape(await history(talk))[-1] == ("tool", "rang 1 times")
        given = {
            "the same key": ("Ring and wait.", "t1"),
            "no message": (None, None),
            "a new message": ("Well?", "t2"),
        }
        assert await agent.answer(talk, given[again][0], key=given[again][1]) == "I gave up waiting."
        stored = await history(talk)
        results = [result for message in stored for result in message.results]
        assert [(one.call_id, one.is_error) for one in results] == [("call_1", False), ("call_2", True)]
        assert results[1].text == INTERRUPTED
        assert [message.text for message in stored if message.role == "user"] == [
            text for text in ("Ring and wait.", given[again][0]) if text
        ][: 2 if again == "a new message" else 1]
    assert model.faults == []


async def test_a_turn_given_again_after_another_one_followed_asks_no_model() -> None:
    model = ScriptedModel([RuntimeError("gone"), "Here is the second."])
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        agent = make_agent(engine, model)
        with pytest.raises(palimpsest.ModelError):
            await agent.answer("a", "First?", key="t1")
        assert await agent.answer("a", "Second?", key="t2") == "Here is the second."
        assert await agent.answer("a", "First?", key="t1") == ""
        assert len(model.requests) == 2


async def test_calls_of_one_id_are_each_answered() -> None:
    twice = Completion("", calls=(ToolCall("c", "ring", '{"times": 1}'), ToolCall("c", "forever")))
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        talk = engine.conversation("a")
        await talk.append(
            said("user", "Ring."),
            Message("assistant", twice.calls),
            Message("tool", (ToolResult("c", (palimpsest.Text("rang"),)),)),
        )
        assert await make_agent(engine, JudgingModel(["Done."])).answer(talk, None) == "Done."
        results = [result for message in await history(talk) for result in message.results]
        assert [(one.call_id, one.is_error) for one in results] == [("c", False), ("c", True)]


async def test_a_run_that_is_left_without_closing_it_ends_its_tools() -> None:
    ended = asyncio.Event()

    async def wait() -> str:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()
        return "never"

    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        calls = call_tools(("wait", {}), ("ring", {"times": 1}))
        agent = make_agent(engine, ScriptedModel([calls, "Left."]), tools=[wait, ring])
        async for event in agent.run("a", "Wait."):
            if isinstance(event, ToolEnd):
                break
        await asyncio.wait_for(ended.wait(), LIMIT_S)
        assert await agent.answer("a", None) == "Left."


async def test_another_process_takes_up_the_turn(tmp_path: Path) -> None:
    first = ScriptedModel([call_tools(("ring", {"times": 3})), RuntimeError("the power went")])
    async with palimpsest.open(tmp_path / "a.db", window_tokens=8_000) as engine:
        with pytest.raises(palimpsest.ModelError):
            await make_agent(engine, first, tools=[ring]).answer("a", "Ring.", key="t1")
    model = JudgingModel(["It rang three times."])
    async with palimpsest.open(tmp_path / "a.db", window_tokens=8_000) as engine:
        agent = make_agent(engine, model, tools=[ring])
        assert await agent.answer("a", "Ring.", key="t1") == "It rang three times."
        assert [role for role, _ in shape(await history(engine.conversation("a")))] == [
            "user", "assistant", "tool", "assistant",
        ]  # fmt: skip
    assert model.faults == []
