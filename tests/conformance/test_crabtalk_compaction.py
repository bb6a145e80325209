"""Crabtalk compaction: the model's own summary takes the place of the history, and the conversation goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import palimpsest
from palimpsest import Completion, Hooks, Message, Reasoning, Text, ToolCall, make_agent
from palimpsest.agent.agent import Agent
from palimpsest.agent.events import AgentEvent, Compact, Done, Replaced
from palimpsest.agent.session_log import SessionLog, load_context
from palimpsest.budget.token_counts import estimate_chars_over_4
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.engine.engine import Engine
from palimpsest.engine.opening import Opening
from palimpsest.engine.reports import Report
from palimpsest.record.completion import CompletionRequest, TextDelta
from palimpsest.record.window_items import SummaryItem

LONG = "The plan has many parts, and each of them wants its own care. " * 40
SELF = (
    "<self>I am Ada, dry and exact.</self><profile>The user is called Kim and likes short answers.</profile>"
)
MANY_CHARS = 40_000


def crabtalk(summarizer: Any = None, **settings: Any) -> Opening:
    given = {"window_tokens": 16_000, "max_tokens": 1_000, "compact_threshold": 1_500, **settings}
    return palimpsest.open(":memory:", preset="crabtalk", complete=summarizer, **given)


def talker(engine: Engine, replies: Sequence[Reply], **more: Any) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(replies)
    return make_agent(engine, model, system="You are Ada.", **more), model


def calling(name: str = "read") -> Completion:
    return Completion("", calls=(ToolCall("c1", name, "{}"),), finish_reason="tool_calls")


def read() -> str:
    return LONG * 4


def purposes(model: ScriptedModel) -> list[str]:
    return [request.purpose for request in model.requests]


async def events_of(agent: Agent, message: str | None) -> list[AgentEvent]:
    return [event async for event in agent.run("a", message)]


async def filled(agent: Agent) -> list[AgentEvent]:
    """What happens in a turn that exceeds the threshold."""
    return await events_of(agent, f"{LONG * 4} The word is marzipan.")


def compacts(events: Sequence[AgentEvent]) -> list[Compact]:
    return [event for event in events if isinstance(event, Compact)]


async def first_compaction(user: str, **settings: Any) -> tuple[int, Report]:
    """How many turns of this text it takes until the history is compacted."""
    async with crabtalk(**settings) as engine:
        agent, _ = talker(engine, ["ok"])
        for number in range(1, 200):
            if found := compacts(await events_of(agent, user)):
                return number, found[0].report
    raise AssertionError("never compacted")


async def test_the_default_threshold_is_one_hundred_thousand_tokens() -> None:
    """compact_threshold is 100,000 tokens unless it is set, which leaves headroom below most models' limits."""
    async with palimpsest.open(":memory:", preset="crabtalk", window_tokens=200_000) as engine:
        agent, _ = talker(engine, ["ok"])
        assert not compacts(await events_of(agent, (LONG * 200)[:399_000]))
        assert compacts(await events_of(agent, LONG[:2_000]))


@pytest.mark.parametrize("sign", ["a", "词", "é", "🜁"])
async def test_the_estimate_is_a_quarter_of_the_characters(sign: str) -> None:
    """Token estimation: about 4 characters a token, so that a threshold of 10,000 fires near 40,000 characters, in any
    language.
    """
    text = "".join(sign + " " * (place % 5 == 4) for place in range(1_000))[:1_000]
    turns, report = await first_compaction(text, window_tokens=200_000, compact_threshold=10_000)
    assert turns == MANY_CHARS // 1_000
    assert dict(report.numbers)["ruled_tokens"] > 10_000


async def test_the_estimate_counts_content_reasoning_and_arguments() -> None:
    """The estimate counts message content, reasoning content and tool call arguments, and not the system prompt."""
    text, argument = "a" * 10_000, '{"text": "' + "b" * 9_988 + '"}'
    called = Message("assistant", (Reasoning("c" * 10_000), ToolCall("c1", "note", argument)))
    for size, fires in ((10_050, True), (9_000, False)):
        async with crabtalk(window_tokens=200_000, compact_threshold=10_000) as engine:
            talk = engine.conversation("a")
            await talk.append(
                {"role": "system", "content": "d" * 100_000}, Message("user", (Text(text),)), called
            )
            await talk.append({"role": "tool", "tool_call_id": "c1", "content": "e" * size})
            history = [one.message for one in await talk.messages()]
            report = await talk.end_step()
            assert (report is not None) is fires is (estimate_chars_over_4(history) > 10_000)


async def test_compaction_is_checked_after_each_step() -> None:
    """After each step (a reply and its tool results), not only after a turn, a history over the threshold is
    compacted.
    """
    async with crabtalk(ScriptedModel(["It was read."])) as engine:
        agent, model = talker(engine, [calling(), "done"], tools=[read])
        events = await events_of(agent, "read it")
        kinds = [type(event).__name__ for event in events]
        assert kinds.index("ToolEnd") < kinds.index("Compact") < kinds.index("Done")
        assert len(model.requests) == 2


async def test_below_the_threshold_nothing_is_compacted() -> None:
    """A history below the threshold stays as it is."""
    async with crabtalk() as engine:
        agent, _ = talker(engine, ["hello"])
        assert not compacts(await events_of(agent, "hi"))


async def test_the_model_in_the_conversation_writes_the_summary() -> None:
    """The same model that has the conversation writes the summary, unless another one is given."""

    async def model(request: CompletionRequest) -> Completion:
        asked.append(request.purpose)
        return Completion("Kim asked for the plan." if request.purpose == "summary" else "ok")

    asked: list[str] = []
    async with crabtalk() as engine:
        agent = make_agent(engine, model, system="You are Ada.")
        (event,) = compacts(await filled(agent))
        assert event.summary == "Kim asked for the plan."
        assert event.report.summaries[0].method == "normal"
        assert asked == ["agent", "summary"]
    other = ScriptedModel(["Another model's summary."])
    async with crabtalk(other) as engine:
        asked.clear()
        (event,) = compacts(await filled(make_agent(engine, model)))
        assert (event.summary, asked) == ("Another model's summary.", ["agent"])


async def test_the_whole_history_is_sent_to_the_model_under_a_compaction_prompt() -> None:
    """The agent sends the full history to the LLM with a system prompt that says what to preserve and what to omit."""
    summarizer = ScriptedModel(["Kim wants the plan; Ada has read it."])
    async with crabtalk(summarizer, window_tokens=128_000, compact_threshold=20_000) as engine:
        agent, _ = talker(
            engine, [calling(), "answer 0", *(f"answer {turn}" for turn in range(1, 90))], tools=[read]
        )
        turns = 0
        while not compacts(await events_of(agent, f"Step {turns}. {LONG[:1_000]}")):
            turns += 1
        (asked,) = summarizer.requests
        (material,) = asked.messages
        assert turns > 20
        for turn in range(turns + 1):
            assert f"Step {turn}. {LONG[:1_000].strip()}" in material.text
            assert f"answer {turn}" in material.text
        assert read().strip() in material.text
        prompt = asked.system.lower()
        assert asked.system.index("Preserve:") < asked.system.index("Omit:")
        for preserved in (
            "who the assistant is",
            "who the user is",
            "reason",
            "active tasks",
            "constraints",
            "tools",
        ):
            assert preserved in prompt
        for omitted in ("greetings", "replaced", "worked into"):
            assert omitted in prompt


async def test_the_prompt_holds_the_agents_own_system_prompt() -> None:
    """The compaction prompt includes the agent's system prompt, so that <self>, <identity> and <profile> survive."""
    summarizer = ScriptedModel(["summary"])
    async with crabtalk(summarizer) as engine:
        agent = make_agent(engine, ScriptedModel(["ok"]), system=f"You are Ada. {SELF}")
        await filled(agent)
        assert SELF in summarizer.requests[0].system
        assert "<profile>" in summarizer.requests[0].system


async def test_the_prompt_asks_for_dense_self_contained_prose() -> None:
    """The output is dense prose and no list, and must be complete in itself, because it becomes the new context."""
    summarizer = ScriptedModel(["summary"])
    async with crabtalk(summarizer) as engine:
        agent, _ = talker(engine, ["ok"])
        await filled(agent)
        assert "dense prose, not bullet points" in summarizer.requests[0].system
        assert "complete in itself" in summarizer.requests[0].system


async def test_the_summary_is_told_the_history_replaced_and_the_person_sees_it() -> None:
    """The summary is yielded as an event, the history is replaced by a single user message that holds it, and a
    text delta `[context compacted]` follows.
    """
    async with crabtalk(ScriptedModel(["Kim asked for the plan."])) as engine:
        agent, _ = talker(engine, ["ok"])
        events = await filled(agent)
        place = next(index for index, event in enumerate(events) if isinstance(event, Compact))
        told, replaced, seen = events[place : place + 3]
        assert isinstance(told, Compact)
        assert told.summary == "Kim asked for the plan."
        assert isinstance(replaced, Replaced)
        assert replaced.message.role == "user"
        assert "Kim asked for the plan." in replaced.message.text
        assert seen == TextDelta("[context compacted]")
        assert (await engine.conversation("a").request()).messages == (replaced.message,)


async def test_an_answered_request_is_left_to_the_summary() -> None:
    """After a compaction the history is the summary alone: a request that is answered does not stand behind it."""
    async with crabtalk(ScriptedModel(["A summary."])) as engine:
        agent, _ = talker(engine, ["the answer"])
        await filled(agent)
        (message,) = (await engine.conversation("a").request()).messages
        assert message.role == "user"
        assert "A summary." in message.text
        assert "marzipan" not in message.text
        assert len(message.parts) == 1


async def test_a_request_that_is_still_open_is_inside_the_one_message() -> None:
    """A request that is still open, in the middle of a turn, is inside that message, word for word."""
    request = "Now do this:\n  <summary> & </summary> <b>&amp;</b>  "
    async with crabtalk(ScriptedModel(["A summary."])) as engine:
        agent, model = talker(engine, [calling(), "done"], tools=[read])
        await events_of(agent, request)
        (message,) = model.requests[1].messages
        assert "A summary." in message.text
        assert message.parts[-1] == Text(request)


async def test_the_loop_continues_with_the_summary_as_its_history() -> None:
    """The loop continues: the next step sees the summary as its entire history."""
    async with crabtalk(ScriptedModel(["All of it was read."])) as engine:
        agent, model = talker(engine, [calling(), "done"], tools=[read])
        events = await events_of(agent, "read it")
        (seen,) = model.requests[1].messages
        assert "All of it was read." in seen.text
        assert isinstance(events[-1], Done)
        assert events[-1].text == "done"


async def test_a_marker_is_appended_on_disk_and_nothing_before_it_is_lost(tmp_path: Path) -> None:
    """On disk a {"compact": ...} line is appended; loading reads from the last one on, which is one user message; what
    is before it stays.
    """
    async with crabtalk(ScriptedModel(["The summary of it all."]), compact_threshold=3_000) as engine:
        agent, _ = talker(engine, ["first", "second", "third"])
        talk, log = engine.conversation("a"), SessionLog(tmp_path)
        await events_of(agent, f"{LONG * 4} The word is marzipan.")
        path = (await log.follow(talk)).path
        before = path.read_bytes()
        assert compacts(await events_of(agent, LONG))
        assert (await log.follow(talk)).markers == 1
        assert path.read_bytes().startswith(before)
        assert b'{"compact":"The summary of it all."' in path.read_bytes().removeprefix(before)
        _, (loaded,) = load_context(path)
        assert (loaded.role, loaded.text) == ("user", "The summary of it all.")
        await events_of(agent, "and now?")
        await log.follow(talk)
        _, messages = load_context(path)
        assert [one.text for one in messages] == ["The summary of it all.", "and now?", "third"]


async def test_a_marker_holds_a_request_that_is_still_open(tmp_path: Path) -> None:
    """In the middle of a turn the marker, and what is loaded from it, holds the open request with the summary."""
    async with crabtalk(ScriptedModel(["The summary of it all."])) as engine:
        agent, _ = talker(engine, [calling(), "done"], tools=[read])
        await events_of(agent, "Read the plan, please.")
        path = (await SessionLog(tmp_path).follow(engine.conversation("a"))).path
        _, (first, answer) = load_context(path)
        assert first.text.startswith("The summary of it all.")
        assert first.text.endswith("Read the plan, please.")
        assert (answer.role, answer.text) == ("assistant", "done")


async def test_the_full_history_survives_in_the_store() -> None:
    """The full history survives the replacement in memory."""
    async with crabtalk() as engine:
        agent, _ = talker(engine, ["first", "second"])
        await filled(agent)
        await events_of(agent, "go on")
        stored = await engine.conversation("a").messages()
        assert [one.message.role for one in stored] == ["user", "assistant"] * 2
        assert "marzipan" in stored[0].message.text


async def test_recall_runs_fresh_each_turn() -> None:
    """Memory recall runs fresh every turn through on_before_run; compaction does not touch it, nor is it stored."""
    turns: list[int] = []

    def recall(talk: object, message: object) -> str:
        turns.append(len(turns))
        return f"recalled {len(turns)}"

    async with crabtalk(ScriptedModel(["A summary."])) as engine:
        agent, model = talker(engine, ["one", "two"], hooks=Hooks(on_before_run=recall))
        await events_of(agent, LONG * 4)
        await events_of(agent, "and now?")
        assert [request.messages[-1].text for request in model.requests] == ["recalled 1", "recalled 2"]
        stored = await engine.conversation("a").messages()
        assert not [one for one in stored if "recalled" in one.message.text]
        assert any(
            isinstance(item, SummaryItem) for item in (await engine.conversation("a").window()).window.items
        )


async def test_compacting_on_demand_is_the_same_method_and_returns_the_summary() -> None:
    """A client may ask for compaction, for a hand-off: the same method as the automatic one, and it gets the
    summary.
    """
    async with crabtalk(ScriptedModel(["Hand-off: the plan is ready."]), compact_threshold=None) as engine:
        agent, _ = talker(engine, ["ok"])
        await filled(agent)
        report = await agent.compact("a", focus="the plan")
        assert isinstance(report, Report)
        assert report.summary == "Hand-off: the plan is ready."


async def test_none_disables_automatic_compaction_for_an_agent() -> None:
    """compact_threshold is configured per agent, and None disables the automatic compaction."""
    async with crabtalk(compact_threshold=None) as engine:
        agent, _ = talker(engine, ["ok"])
        assert not compacts(await events_of(agent, LONG * 8))


async def test_without_compaction_the_session_would_be_lost_and_with_it_is_not() -> None:
    """A conversation that runs long enough exceeds the limit; here the request always fits, and the user keeps the
    session.
    """
    async with crabtalk(window_tokens=4_000, compact_threshold=100_000) as engine:
        agent, model = talker(engine, ["ok " * 50])
        for _ in range(12):
            await events_of(agent, LONG)
        assert purposes(model).count("agent") == 12
        assert len(await engine.conversation("a").messages()) == 24


async def test_the_prompt_can_be_replaced(tmp_path: Path) -> None:
    """An unresolved question, answered: the compaction prompt is customizable per agent."""
    (tmp_path / "roll_normal.txt").write_text("Own words, $target_tokens tokens.$focus", encoding="utf-8")
    summarizer = ScriptedModel(["summary"])
    async with crabtalk(summarizer, prompts_folder=str(tmp_path)) as engine:
        agent, _ = talker(engine, ["ok"])
        await filled(agent)
        assert summarizer.requests[0].system.startswith("Own words, ")


async def test_the_threshold_adapts_to_the_models_limit() -> None:
    """An unresolved question, answered: compaction also starts above 90 % of what the model's window has room for.

    Differs: on the page a threshold above the model's limit means that the request fails. The page's way: a model's
    window that is larger than the threshold, as with the default of 100,000.
    """
    async with crabtalk(window_tokens=6_000, compact_threshold=100_000) as engine:
        agent, _ = talker(engine, ["ok"])
        seen = [await events_of(agent, LONG[:600]) for _ in range(40)]
        found = [event for events in seen for event in compacts(events)]
        assert found
        numbers = dict(found[0].report.numbers)
        assert numbers["capped"] == 1
        assert numbers["trigger_tokens"] == 100_000
        assert numbers["used_tokens"] > numbers["capacity_tokens"] * 0.9


async def test_it_needs_no_infrastructure() -> None:
    """Compaction needs no vector store and no embedding model; without any model it is extractive."""
    async with crabtalk() as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": LONG * 4}, {"role": "assistant", "content": "ok"})
        report = await talk.end_step()
        assert report is not None
        assert report.summaries[0].method == "extractive"
