"""The loop offers the tools that read back by itself; what they answer is kept whole, and is no source of its own."""

from __future__ import annotations

import pytest

import palimpsest
from palimpsest.agent.agent import SMALL_WINDOW_TOKENS, SMALLEST_WINDOW_TOKENS, Agent, make_agent
from palimpsest.agent.tools import make_tool
from palimpsest.budget.assemble import PREFACE, RECALL_PREFACE
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.engine.conversation import Conversation
from palimpsest.record.message import Message, Text, ToolCall, ToolResult, searchable_text
from palimpsest.record.recall_mark import FIRST_RECALL_TOOLS, RECALL_TOOLS, RECALLED, asks_back
from tests.agent.kit import JudgingModel, history
from tests.engine.drawing import bulk, said

BERTH = "The night ferry now leaves from berth NB-204."


async def offered(agent: Agent, model: ScriptedModel, talk: str = "harbour") -> list[str]:
    """The names of the tools in the request of a turn."""
    await agent.answer(talk, "Good morning.")
    return [tool.name for tool in model.requests[-1].tools]


async def long_talk(talk: Conversation) -> None:
    """A conversation that mentioned the berth long ago."""
    await talk.append(said("user", BERTH), *(said("assistant", bulk(2_000, number)) for number in range(20)))


async def test_an_agent_is_offered_the_tools_without_being_told() -> None:
    model = JudgingModel(["Good morning."])
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        assert await offered(make_agent(engine, model), model) == list(RECALL_TOOLS)
    assert model.faults == []


async def test_a_setting_turns_them_off() -> None:
    model = ScriptedModel(["Good morning."])
    async with palimpsest.open(
        ":memory:", window_tokens=32_000, recall_tool_tokens=0, preset="hierarchical"
    ) as engine:
        assert await offered(make_agent(engine, model), model) == []


@pytest.mark.parametrize(
    "window_tokens, names",
    [
        (SMALL_WINDOW_TOKENS, RECALL_TOOLS),
        (SMALL_WINDOW_TOKENS - 1, RECALL_TOOLS[:3]),
        (SMALLEST_WINDOW_TOKENS, RECALL_TOOLS[:3]),
        (SMALLEST_WINDOW_TOKENS - 1, FIRST_RECALL_TOOLS),
    ],
)
async def test_a_small_window_has_those_that_it_has_room_for(
    window_tokens: int, names: tuple[str, ...]
) -> None:
    model = ScriptedModel(["Good morning."])
    async with palimpsest.open(":memory:", window_tokens=window_tokens, preset="hierarchical") as engine:
        assert await offered(make_agent(engine, model), model) == list(names)


async def test_a_tool_of_the_agents_own_wins_over_one_of_its_name() -> None:
    def mine(pattern: str) -> str:
        """Greps the files."""
        return f"my own search for {pattern}"

    model = ScriptedModel([call_tools(("short_grep", {"pattern": "pier"})), "Done."])
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        agent = make_agent(engine, model, tools=[make_tool(mine, name="short_grep")])
        assert (await offered(agent, model)).count("short_grep") == 1
        results = [
            one.results[0].text for one in await history(engine.conversation("harbour")) if one.results
        ]
    assert results == ["my own search for pier"]


async def test_the_tools_read_the_conversation_that_the_turn_is_in() -> None:
    model = ScriptedModel([call_tools(("short_grep", {"query": "berth"})), "Found."])
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        await engine.conversation("elsewhere").append(said("user", "A berth of another conversation."))
        await engine.conversation("harbour").append(said("user", BERTH))
        await make_agent(engine, model).answer("harbour", "Where does it leave from?")
        result = next(one.results[0] for one in await history(engine.conversation("harbour")) if one.results)
    assert "NB-204" in result.text
    assert "another conversation" not in result.text


async def test_the_window_says_how_to_reach_what_left_it_only_where_that_is_possible() -> None:
    async with palimpsest.open(":memory:", window_tokens=12_000, preset="hierarchical") as engine:
        talk = engine.conversation("harbour")
        await long_talk(talk)
        await talk.compact()
        without = await talk.request()
        with_tools = await talk.request(tools=talk.tools())
        place = next(number for number, one in enumerate(without.messages) if one.text.startswith(PREFACE))
        assert with_tools.messages[place].text.startswith(RECALL_PREFACE)
        assert with_tools.messages[place + 1 :] == without.messages[place + 1 :]
        assert (await talk.request()).messages == with_tools.messages


async def test_what_was_read_back_is_stored_and_never_found_again() -> None:
    calls = [call_tools(("short_search", {"question": "Which berth has the night ferry?"})), "From NB-204."]
    model = ScriptedModel(calls * 3)
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        talk = engine.conversation("harbour")
        await long_talk(talk)
        agent = make_agent(engine, model)
        for _ in range(3):
            await agent.answer("harbour", "Where do I board tonight?")
        told = [one.results[0].text for one in await history(talk) if one.results]
        hits = await talk.grep("night AND ferry", limit=100)
        passages = await talk.search("Which berth has the night ferry?")
        again = await talk.search("Where do I board tonight?")
    assert len(told) == 3
    assert all(text.startswith(RECALLED) and BERTH in text for text in told)
    assert [hit.id for hit in hits.hits] == ["m1"]
    assert not any(RECALLED in passage.text for passage in passages.passages)
    lines = {line for passage in again for line in passage.text.splitlines()}
    assert "assistant: From NB-204." in lines
    assert not any(line.endswith((":", ": ")) for line in lines)


async def test_what_was_read_back_is_shown_whole_where_results_are_gated() -> None:
    model = ScriptedModel([call_tools(("short_expand", {"ids": "m2"})), "Read."])
    async with palimpsest.open(
        ":memory:", window_tokens=64_000, gate_tokens=100, preset="hierarchical"
    ) as engine:
        talk = engine.conversation("harbour")
        await long_talk(talk)
        await make_agent(engine, model).answer("harbour", "Read the second one again.")
        shown = next(one for one in model.requests[-1].messages if one.results)
    assert bulk(2_000, 0) in shown.results[0].text


async def test_bad_arguments_are_answered_and_the_turn_goes_on() -> None:
    wrong = (
        ("short_expand", {"message_ids": ["m999999"]}),
        ("short_expand", {}),
        ("short_grep", {"pattern": "("}),
        ("short_describe", {"id": "../../x"}),
    )
    model = JudgingModel([call_tools(*wrong), "I see."])
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        agent = make_agent(engine, model)
        assert await agent.answer("harbour", "Try them.") == "I see."
        told = [one.results[0].text for one in await history(engine.conversation("harbour")) if one.results]
    assert all(text.startswith(f"{RECALLED} nothing, an error]") for text in told)
    assert any("m999999" in text for text in told)
    assert model.faults == []


def test_what_asks_back_is_told_from_other_tools() -> None:
    own = (*RECALL_TOOLS, "mcp__palimpsest__grep", "palimpsest.search", "mcp__memory__short_search")
    assert all(asks_back(name) for name in own)
    assert not any(asks_back(name) for name in ("grep", "search", "Read", "web_search", "short_circuit", ""))


def test_questions_and_answers_of_the_tools_are_not_searchable_and_others_are() -> None:
    asked = Message(
        "assistant", (Text("I look it up."), ToolCall("c1", "short_grep", '{"pattern": "berth"}'))
    )
    told = Message("tool", (ToolResult("c1", (Text(f"{RECALLED} 1 of 1 hits] berth"),)),))
    other = Message("tool", (ToolResult("c1", (Text(f"berth, and then {RECALLED}"),)),))
    assert searchable_text(asked) == "I look it up."
    assert searchable_text(told) == ""
    assert "berth" in searchable_text(other)
