"""Hooks and compactions: what is injected and never stored, who is told of a compaction, and what a run tells of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.agent.events import COMPACTED_TEXT, Compact, Done, Notice, Replaced
from palimpsest.agent.hooks import Hooks
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.reports import Report
from palimpsest.errors import UsageError
from palimpsest.record.completion import Completion, CompletionRequest, TextDelta
from palimpsest.record.decision import Decision
from palimpsest.record.message import Message
from tests.agent.kit import JudgingModel, history, kinds, shape, told
from tests.engine.drawing import bulk
from tests.patience import LIMIT_S

CRABTALK: dict[str, Any] = {"preset": "crabtalk", "window_tokens": 8_000, "compact_threshold": 1_500}
LEAVES: dict[str, Any] = {
    "window_tokens": 8_000, "fresh_tail_count": 2, "leaf_min_fanout": 2, "leaf_chunk_tokens": 1_000,
    "leaf_target_tokens": 100, "context_threshold_share": 0.1,
}  # fmt: skip
BRIEFING = "The user reads the log of the harbour; entry 3 is still to be read."


def look(number: int) -> str:
    """Look up an entry."""
    return bulk(3_000, number)


class Noting:
    """Hooks that note when they are called."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.reports: list[Report] = []
        self.after = asyncio.Event()

    def before_compaction(self, talk: Conversation, decision: Decision) -> None:
        """Note it."""
        self.heard.append(f"before {talk.id}")

    async def after_compaction(self, talk: Conversation, report: Report) -> None:
        """Note it."""
        self.heard.append(f"after {talk.id}")
        self.reports.append(report)
        self.after.set()

    @property
    def hooks(self) -> Hooks:
        return Hooks(before_compaction=self.before_compaction, after_compaction=self.after_compaction)


async def test_what_is_recalled_is_injected_into_the_requests_of_that_turn_and_never_stored() -> None:
    asked: list[str] = []

    async def recall(talk: Conversation, message: Message | None) -> list[str]:
        asked.append(message.text if message is not None else "")
        return [f"You remember {len(asked)}.", "  "]

    model = JudgingModel([call_tools(("look", {"number": 1})), "Seen.", "Again."])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, model, tools=[look], hooks=Hooks(on_before_run=recall))
        await agent.answer("a", "First.")
        await agent.answer("a", "Second.")
        assert asked == ["First.", "Second."]
        assert [(request.injected, request.messages[-1].text) for request in model.requests] == [
            (1, "You remember 1."),
            (1, "You remember 1."),
            (1, "You remember 2."),
        ]
        said = [text for _, text in shape(await history(engine.conversation("a")))]
        assert not any("You remember" in text for text in said)
        said = [message.text for message in model.requests[2].messages]
        assert "You remember 1." not in said
    assert model.faults == []


@pytest.mark.parametrize("given, injected", [("One text.", 1), (None, 0), ((), 0), (["a", "b"], 2), ("", 0)])
async def test_recall_may_return_a_text_several_or_nothing(given: object, injected: int) -> None:
    model = ScriptedModel(["Yes."])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        await make_agent(engine, model, hooks=Hooks(on_before_run=lambda talk, message: given)).answer(
            "a", "Hi"
        )
        assert model.requests[0].injected == injected


@pytest.mark.parametrize("given", [7, {"a": 1}, ["a", 7]])
async def test_recall_that_returns_anything_else_is_refused(given: object) -> None:
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(
            engine, ScriptedModel(["x"]), hooks=Hooks(on_before_run=lambda talk, message: given)
        )
        with pytest.raises(UsageError, match="on_before_run returned"):
            await agent.answer("a", "Hi")


async def test_a_hook_that_raises_ends_the_run_and_the_turn_can_be_taken_up() -> None:
    def broken(talk: Conversation, message: Message | None) -> str:
        raise LookupError("no memory today")

    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        model = ScriptedModel(["Here."])
        with pytest.raises(LookupError, match="no memory today"):
            await make_agent(engine, model, hooks=Hooks(on_before_run=broken)).answer("a", "Hi")
        assert await make_agent(engine, model).answer("a", None) == "Here."


async def test_crabtalk_tells_of_a_compaction_and_goes_on_as_if_nothing_had_happened() -> None:
    noting = Noting()
    looks = [call_tools(("look", {"number": number}), first_id=number) for number in (1, 2, 3)]
    model = JudgingModel([*looks, "All three were read."], room_tokens=6_000)
    async with palimpsest.open(":memory:", complete=ScriptedModel([BRIEFING]), **CRABTALK) as engine:
        talk = engine.conversation("log")
        agent = make_agent(engine, model, tools=[look], hooks=noting.hooks, system="<self>Ada</self>")
        events = await told(agent, talk, "Read entries 1 to 3.")
        names = kinds(events)
        at = names.index("Compact")
        assert names[at - 1 : at + 4] == ["ToolEnd", "Compact", "Replaced", "TextDelta", "ToolStart"]
        compacts = [one for one in events if isinstance(one, Compact)]
        assert BRIEFING in compacts[0].summary
        assert compacts[0].report.after_tokens < compacts[0].report.before_tokens
        replaced = next(one.message for one in events if isinstance(one, Replaced))
        assert replaced.role == "user"
        assert BRIEFING in replaced.text
        assert replaced.text.endswith("Read entries 1 to 3.")
        assert TextDelta(COMPACTED_TEXT) in events
        assert events[-1] == Done("All three were read.", "stop", 4)
        assert model.requests[names[:at].count("ToolEnd")].messages == (replaced,)
        assert noting.heard == ["before log", "after log"] * len(compacts)
        assert noting.reports == [one.report for one in compacts]
        assert len(await history(talk)) == 8
    assert model.faults == []


async def test_the_summarizer_of_crabtalk_is_given_the_agents_own_prompt() -> None:
    summarizer = ScriptedModel([BRIEFING])
    async with palimpsest.open(":memory:", complete=summarizer, **CRABTALK) as engine:
        model = ScriptedModel([call_tools(("look", {"number": 1}), ("look", {"number": 2})), "Read."])
        await make_agent(engine, model, tools=[look], system="<self>Ada of pier 3</self>").answer(
            "a", "Read."
        )
        asked = summarizer.requests[0]
        assert "Ada of pier 3" in "\n".join([*asked.system_texts, *(one.text for one in asked.messages)])


async def test_hooks_enclose_compactions_that_the_background_makes_after_the_run() -> None:
    noting = Noting()
    held = asyncio.Event()

    async def summarizer(request: CompletionRequest) -> Completion:
        await held.wait()
        return Completion("The log was read.")

    async with palimpsest.open(":memory:", complete=summarizer, preset="hierarchical", **LEAVES) as engine:
        agent = make_agent(engine, ScriptedModel(["Noted."]), hooks=noting.hooks)
        for number in range(3):
            await agent.answer("log", bulk(2_500, number))
        assert noting.heard == ["before log"]
        held.set()
        await asyncio.wait_for(noting.after.wait(), LIMIT_S)
        await engine.idle()
        assert noting.heard[:2] == ["before log", "after log"]
        assert noting.heard.count("before log") == noting.heard.count("after log")
        heard = len(noting.heard)
        await engine.conversation("log").append({"role": "user", "content": bulk(4_000)})
        await engine.conversation("log").compact()
        assert len(noting.heard) == heard


async def test_a_compaction_of_the_background_is_told_once_in_the_next_run() -> None:
    noting = Noting()
    async with palimpsest.open(
        ":memory:", complete=ScriptedModel(["The log was read."]), preset="hierarchical", **LEAVES
    ) as engine:

        async def noted(request: CompletionRequest) -> Completion:
            await engine.idle()  # what the turn before left to the background ends within this one
            return Completion("Noted.")

        agent = make_agent(engine, noted, hooks=noting.hooks)
        seen: list[str] = []
        for number in range(6):
            events = await told(agent, "log", bulk(2_500, number))
            seen += [one.report.reason for one in events if isinstance(one, Compact)]
            assert TextDelta(COMPACTED_TEXT) not in events
        await engine.idle()
        assert noting.heard[:2] == ["before log", "after log"]
        assert noting.heard == ["before log", "after log"] * (len(noting.heard) // 2)
        assert 1 <= len(seen) <= len(noting.reports)


async def test_compaction_on_demand_is_the_same_and_gives_the_summary_for_a_hand_off() -> None:
    noting = Noting()
    summarizer = ScriptedModel([BRIEFING])
    async with palimpsest.open(
        ":memory:", complete=summarizer, preset="crabtalk", window_tokens=8_000, compact_threshold=None
    ) as engine:
        agent = make_agent(engine, ScriptedModel([bulk(4_000)]), hooks=noting.hooks)
        await agent.answer("log", "Read it to me.")
        report = await agent.compact("log", focus="entry 7")
        assert report is not None
        assert BRIEFING in report.summary
        assert noting.heard == ["before log", "after log"]
        asked = summarizer.requests[0]
        assert "entry 7" in "\n".join([*asked.system_texts, *(one.text for one in asked.messages)])


async def test_a_hook_that_refuses_a_compaction_ends_the_run_with_nothing_compacted() -> None:
    def refuse(talk: Conversation, decision: Decision) -> None:
        raise PermissionError("not now")

    async with palimpsest.open(":memory:", complete=ScriptedModel([BRIEFING]), **CRABTALK) as engine:
        agent = make_agent(engine, ScriptedModel([bulk(9_000)]), hooks=Hooks(before_compaction=refuse))
        with pytest.raises(PermissionError):
            await agent.answer("log", "Read it to me.")
        assert (await engine.stats()).compactions == 0
        assert shape(await history(engine.conversation("log")))[-1] == ("assistant", bulk(9_000))
        assert await told(agent, "log", None) == [Done(bulk(9_000), "stop", 0)]


async def test_work_of_the_background_that_fails_is_told_as_a_notice() -> None:
    def refuse(talk: Conversation, decision: Decision) -> None:
        raise PermissionError("not now")

    async with palimpsest.open(":memory:", preset="hierarchical", **LEAVES) as engine:
        agent = make_agent(
            engine, ScriptedModel(["Noted."], pause_s=0.05), hooks=Hooks(before_compaction=refuse)
        )
        heard: list[str] = []
        for number in range(3):
            heard += [
                one.message
                for one in await told(agent, "log", bulk(2_500, number))
                if isinstance(one, Notice)
            ]
        await engine.idle()
        assert "leaf: PermissionError: not now" in heard
