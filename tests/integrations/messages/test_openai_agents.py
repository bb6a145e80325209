"""Items of the OpenAI Agents SDK: sent as they came, in a session as they came; agents as tools, hooks, handovers."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agents.testing")

from agents import Agent, RunConfig, RunHooks, Runner, SQLiteSession, set_tracing_disabled
from agents.run_config import CallModelData, ModelInputData
from agents.testing.model import ScriptedModel, assistant_message, function_call
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.integrations.openai_agents import ItemsCodec, PalimpsestMemory, _flat, _grouped
from palimpsest.integrations.shared.threads import Piece
from tests.strategies import response_items

CODEC = ItemsCodec()


@pytest.fixture(name="memory")
def open_memory() -> Any:
    set_tracing_disabled(True)
    made = PalimpsestMemory(":memory:", window_tokens=16_000)
    yield made
    made.close()


@given(response_items())
def test_items_that_are_shown_unchanged_are_sent_as_the_very_objects(items: list[Any]) -> None:
    groups = _grouped(items)
    written = CODEC.write([piece for group in groups for piece in CODEC.read(group)])
    assert [id(one) for one in _flat(written)] == [id(one) for one in items]


@given(response_items(), st.integers(0, 20))
def test_a_session_gives_back_what_it_was_given_whole_or_its_end(items: list[Any], limit: int) -> None:
    import asyncio

    async def played() -> None:
        memory = PalimpsestMemory(":memory:")
        session = memory.session("harbour-42", owner="ann")
        for item in items:
            await session.add_items([item])
        again = memory.session("harbour-42", owner="ann")
        assert await again.get_items() == items
        assert await again.get_items(limit) == items[max(0, len(items) - limit) :]
        assert await again.pop_item() == (items[-1] if items else None)
        assert await again.get_items() == items[:-1]
        await again.clear_session()
        assert await again.get_items() == []
        assert await memory.session("harbour-42", owner="bob").get_items() == []
        await memory.host.aclose()

    asyncio.run(played())


async def test_an_agent_that_runs_as_a_tool_has_a_conversation_of_its_own(memory: PalimpsestMemory) -> None:
    inner = Agent("inner", model=ScriptedModel([[assistant_message("The pier is empty.")]]))
    calls = [
        [function_call("ask_inner", {"input": "What is at the pier?"}, call_id="c1")],
        [function_call("short_grep", {"pattern": "empty"}, call_id="c2")],
        [assistant_message("It is empty.")],
    ]
    tools = [inner.as_tool("ask_inner", "Ask."), *memory.tools]
    outer = Agent("outer", model=ScriptedModel(calls), tools=tools)
    done = await Runner.run(outer, "Look at the pier.", **memory.run("harbour-42", owner="ann"))
    assert done.final_output == "It is empty."
    stored = {one.id: one.messages for one in memory.host.engine.for_owner("ann").conversations()}
    assert stored == {"harbour-42": 6, "harbour-42/inner": 1}
    recalled = [one for one in await memory.session("harbour-42", owner="ann").get_items() if "output" in one]
    assert str(recalled[1]["output"]).startswith("[recalled: ")


async def test_own_hooks_filters_and_sessions_stay_in_effect(memory: PalimpsestMemory) -> None:
    heard: list[str] = []

    class Hooks(RunHooks[Any]):
        async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            heard.append(agent.name)

    async def shout(data: CallModelData[Any]) -> ModelInputData:
        loud = [{**one, "content": str(one["content"]).upper()} for one in data.model_data.input]
        return ModelInputData(input=loud, instructions=data.model_data.instructions)

    model = ScriptedModel([[assistant_message("Pier 3.")]])
    own = SQLiteSession("harbour-42", ":memory:")
    config = RunConfig(call_model_input_filter=shout)
    run = memory.run("harbour-42", owner="ann", run_config=config, hooks=Hooks(), session=own)
    await Runner.run(Agent("keeper", model=model), "which pier?", **run)
    assert heard == ["keeper"]
    assert model.calls[0].input[0]["content"] == "WHICH PIER?"
    assert len(await own.get_items()) == 2
    own.close()


async def test_a_run_that_failed_is_followed_by_one_that_goes_on(memory: PalimpsestMemory) -> None:
    broken = Agent("keeper", model=ScriptedModel([RuntimeError("the line is down")]))
    with pytest.raises(RuntimeError, match="the line is down"):
        await Runner.run(broken, "Which pier?", **memory.run("harbour-42", owner="ann"))
    model = ScriptedModel([[assistant_message("Pier 3.")]])
    await Runner.run(Agent("keeper", model=model), "Are you there?", **memory.run("harbour-42", owner="ann"))
    assert [one["content"] for one in model.calls[0].input] == ["Which pier?", "Are you there?"]


async def test_a_recall_tool_without_a_run_of_the_adapter_says_so(memory: PalimpsestMemory) -> None:
    calls = [[function_call("short_grep", {"pattern": "pier"}, call_id="c1")], [assistant_message("Done.")]]
    model = ScriptedModel(calls)
    await Runner.run(Agent("keeper", model=model, tools=list(memory.tools)), "Which pier?")
    assert "PalimpsestMemory.run" in str(model.calls[1].input[-1])


def test_items_that_are_written_anew_are_complete() -> None:
    items: list[Any] = [
        {"role": "user", "content": "Look."},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "a long text"},
    ]
    pieces = [piece for group in _grouped(items) for piece in CODEC.read(group)]
    stub = Piece(pieces[2].message)
    written = _flat(CODEC.write([pieces[0], pieces[1], stub]))
    assert [one.get("type") for one in written] == [None, "function_call", "function_call_output"]
    assert written[0] is items[0]


async def test_after_a_refusal_the_next_run_is_smaller(memory: PalimpsestMemory) -> None:
    given: list[Any] = [
        {"role": ("user", "assistant")[at % 2], "content": f"{at}: " + "low tide. " * 60} for at in range(41)
    ]
    refusal = RuntimeError("This model's maximum context length is 4096 tokens")
    model = ScriptedModel([refusal, [assistant_message("Done.")]])
    agent = Agent("keeper", model=model)
    with pytest.raises(RuntimeError, match="maximum context"):
        await Runner.run(agent, given, **memory.run("harbour-42", owner="ann") | {"session": None})
    await memory.recover(refusal, "harbour-42", owner="ann")
    await Runner.run(agent, given, **memory.run("harbour-42", owner="ann") | {"session": None})
    assert len(model.calls[1].input) < 30 < len(model.calls[0].input)
    with pytest.raises(ValueError, match="of another kind"):
        await memory.recover(ValueError("of another kind"), "harbour-42", owner="ann")


LEADING = [
    [{"role": "developer", "content": "Answer in knots."}],
    [{"role": "system", "content": "Be calm."}, {"role": "developer", "content": "Answer in knots."}],
    [
        {
            "type": "message",
            "role": "developer",
            "content": [{"type": "input_text", "text": "Answer in knots."}],
        }
    ],
]


@pytest.mark.parametrize("lead", LEADING, ids=["one", "two", "a list"])
async def test_leading_items_of_the_system_are_kept_and_stay_in_each_request(
    lead: list[Any], memory: PalimpsestMemory
) -> None:
    model = ScriptedModel([[assistant_message(f"Answer {number}.")] for number in range(40)])
    agent = Agent("keeper", instructions="Be short.", model=model)
    await memory.session("harbour-42", owner="ann").add_items(lead)
    assert await memory.session("harbour-42", owner="ann").get_items() == lead
    for number in range(40):
        words = f"Question {number}? " + "low tide. " * 300
        await Runner.run(agent, words, **memory.run("harbour-42", owner="ann"))
    items = await memory.session("harbour-42", owner="ann").get_items()
    talk = memory.host.engine.conversation_for("harbour-42", owner="ann")
    assert items[: len(lead)] == lead
    assert len(items) == len(lead) + 80
    assert talk.compactions()
    sent = [list(call.input) for call in model.calls]
    assert all(one[: len(lead)] == lead and lead[0] not in one[len(lead) :] for one in sent)
