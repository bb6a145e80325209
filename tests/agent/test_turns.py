"""A turn of the agent: what it tells, in which order, what it stores, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.agent.events import BudgetWarning, Done, Recovered, ToolEnd, ToolStart, UsageReported
from palimpsest.complete.scripted import Reply, ScriptedModel, call_tools
from palimpsest.errors import DoesNotFit, ModelError, UsageError
from palimpsest.record.completion import (
    Completion,
    CompletionRequest,
    Delta,
    FinishReason,
    ReasoningDelta,
    Retrying,
    TextDelta,
)
from palimpsest.record.message import Message, Reasoning, Text, Usage
from tests.agent.kit import JudgingModel, history, kinds, shape, told, words
from tests.engine.drawing import bulk, said
from tests.patience import LIMIT_S

OVERFLOW = ModelError("prompt is too long", reason="context_overflow", status=400)


def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    return str(a + b)


async def test_a_turn_with_a_tool_tells_everything_in_order_and_stores_it() -> None:
    asked = call_tools(("add", {"a": 1}), text="Let me see.")
    model = JudgingModel([asked, Completion("It is 3.", usage=Usage(200, 4))])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, model, tools=[add])
        events = await told(agent, "sums", "What is 1 + 2?")
        assert kinds(events) == ["TextDelta", "ToolStart", "ToolEnd", "TextDelta", "UsageReported", "Done"]
        assert words(events) == "Let me see.It is 3."
        assert ToolStart("call_1", "add", '{"a": 1}') in events
        assert [(one.text, one.is_error) for one in events if isinstance(one, ToolEnd)] == [("3", False)]
        assert [one.usage.input_tokens for one in events if isinstance(one, UsageReported)] == [200]
        assert events[-1] == Done("It is 3.", "stop", 2)
        stored = await history(engine.conversation("sums"))
        assert shape(stored) == [
            ("user", "What is 1 + 2?"),
            ("assistant", "Let me see."),
            ("tool", "3"),
            ("assistant", "It is 3."),
        ]
        assert [call.name for call in stored[1].calls] == ["add"]
    assert model.faults == []


async def test_the_answer_alone_can_be_had() -> None:
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, ScriptedModel([call_tools(("add", {"a": 40})), "42."]), tools=[add])
        assert await agent.answer("sums", "What is 40 + 2?") == "42."


async def test_thinking_is_told_before_the_text_and_stored_with_it() -> None:
    thought = Message("assistant", (Reasoning("One and one.", "sig"), Text("Two.")), wire="anthropic")
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, ScriptedModel([Completion("Two.", message=thought)]))
        events = await told(agent, "sums", "1 + 1?")
        assert kinds(events) == ["ReasoningDelta", "TextDelta", "Done"]
        assert "".join(one.text for one in events if isinstance(one, ReasoningDelta)) == "One and one."
        assert (await history(engine.conversation("sums")))[1].parts == thought.parts


async def test_a_model_that_cannot_stream_gives_its_text_as_one_delta() -> None:
    async def model(request: CompletionRequest) -> Completion:
        return Completion("All of it at once.")

    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, model)
        assert await told(agent, "a", "Hello") == [
            TextDelta("All of it at once."),
            Done("All of it at once.", "stop", 1),
        ]


async def test_a_plain_callback_can_be_the_model() -> None:
    def model(prompt: str, options: dict[str, object]) -> str:
        return f"heard {prompt.splitlines()[-1]}"

    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        assert await make_agent(engine, model, system="Repeat.").answer("a", "hello") == "heard hello"


@pytest.mark.parametrize("finish", ["refused", "length", "other"])
async def test_the_outcome_says_why_the_model_stopped(finish: FinishReason) -> None:
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, ScriptedModel([Completion("I can", finish_reason=finish)]))
        events = await told(agent, "a", "Go on")
        assert events[-1] == Done("I can", finish, 1)
        assert shape(await history(engine.conversation("a")))[-1] == ("assistant", "I can")


async def test_an_empty_reply_ends_the_turn_and_stores_nothing() -> None:
    model = JudgingModel(["", "Here I am."])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, model)
        assert await told(agent, "a", "Anyone?") == [Done("", "stop", 1)]
        assert await agent.answer("a", "Hello?") == "Here I am."
        assert [role for role, _ in shape(await history(engine.conversation("a")))] == [
            "user",
            "user",
            "assistant",
        ]
    assert model.faults == []


async def test_the_number_of_steps_is_bounded_and_the_turn_can_be_taken_up() -> None:
    model = JudgingModel([call_tools(("add", {"a": 1}))] * 3 + ["Enough."])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, model, tools=[add], max_steps=3)
        events = await told(agent, "a", "Add for ever.")
        assert events[-1] == Done("", "max_steps", 3)
        assert shape(await history(engine.conversation("a")))[-1] == ("tool", "3")
        assert (await told(agent, "a", None))[-1] == Done("Enough.", "stop", 1)
    assert model.faults == []


async def test_retries_of_the_model_are_told() -> None:
    retrying = Retrying(1, 0.5, "overloaded")
    model = ScriptedModel([[TextDelta("Hal"), retrying, TextDelta("Whole."), Completion("Whole.")]])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        events = await told(make_agent(engine, model), "a", "Hello")
        assert events == [TextDelta("Hal"), retrying, TextDelta("Whole."), Done("Whole.", "stop", 1)]


async def test_a_refused_request_is_made_again_with_the_oldest_turns_dropped() -> None:
    model = JudgingModel([OVERFLOW, "Now it fits."])
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(*(said("user" if n % 2 == 0 else "assistant", bulk(600, n)) for n in range(20)))
        events = await told(make_agent(engine, model), talk, "The newest.")
        assert kinds(events) == ["Recovered", "Compact", "Replaced", "TextDelta", "Done"]
        first, second = model.requests
        assert len(second.messages) < len(first.messages)
        assert second.messages[-1].text == "The newest."
        assert len(await history(talk)) == 22
    assert model.faults == []


async def test_a_request_that_is_refused_time_and_again_ends_the_run_with_the_error() -> None:
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(*(said("user" if n % 2 == 0 else "assistant", bulk(600, n)) for n in range(40)))
        model = ScriptedModel([OVERFLOW])
        with pytest.raises(ModelError) as caught:
            await told(make_agent(engine, model), talk, "The newest.")
        assert caught.value.reason == "context_overflow"
        assert len(model.requests) == 3


async def test_recoveries_are_counted_in_a_row_and_not_over_the_conversation() -> None:
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(*(said("user" if n % 2 == 0 else "assistant", bulk(900, n)) for n in range(60)))
        agent = make_agent(
            engine, ScriptedModel([OVERFLOW, "One.", OVERFLOW, "Two.", OVERFLOW, OVERFLOW, "Three."])
        )
        assert [await agent.answer(talk, "Go on.") for _ in range(3)] == ["One.", "Two.", "Three."]


async def test_a_stream_that_is_left_is_closed() -> None:
    closed: list[str] = []
    begun = asyncio.Event()

    class Telling(ScriptedModel):
        async def stream(self, request: CompletionRequest, /) -> AsyncIterator[Delta | Completion]:
            try:
                for number in range(1_000_000):
                    await asyncio.sleep(0)
                    begun.set()
                    yield TextDelta(f"{number} ")
            finally:
                closed.append("closed")

    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, Telling([""]))
        async with aclosing(agent.run("a", "Count.")) as events:
            assert await anext(events) == TextDelta("0 ")
        assert closed == ["closed"]
        begun.clear()
        counting = asyncio.create_task(agent.answer("a", "Count."))
        await begun.wait()
        counting.cancel()
        await asyncio.wait([counting])
        assert closed == ["closed"] * 2
        assert shape(await history(engine.conversation("a"))) == [("user", "Count.")] * 2


async def test_two_turns_of_one_conversation_at_once_lose_nothing() -> None:
    model = JudgingModel(
        [call_tools(("add", {"a": 1})), call_tools(("add", {"a": 2}), first_id=2), "Done."], 6_000
    )
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=2_000, preset="hierarchical"
    ) as engine:
        agent = make_agent(engine, model, tools=[add])
        assert await asyncio.gather(agent.answer("a", "One."), agent.answer("a", "Two.")) == ["Done."] * 2
        talk = engine.conversation("a")
        await agent.answer(talk, "Three.")
        stored = await history(talk)
        assert [message.text for message in stored if message.role == "user"] == ["One.", "Two.", "Three."]
        assert {call.id for message in stored for call in message.calls} == {"call_1", "call_2"}
    assert model.faults == []


async def test_a_model_given_by_name_is_made_once_and_closed_with_the_engine() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, complete="scripted", preset="hierarchical"
    ) as engine:
        agent = make_agent(engine, "scripted")
        assert agent.setup.complete is engine.model("scripted")
        assert await agent.answer("a", "Hello") == "You said: Hello"
        model = agent.setup.complete
    assert isinstance(model, ScriptedModel)
    assert model.closed


@pytest.mark.parametrize(
    "raised, reason",
    [
        (ModelError("no key", reason="auth"), "auth"),
        (TimeoutError(), "timeout"),
        (ConnectionResetError("gone"), "connection"),
    ],
)
async def test_a_model_that_fails_ends_the_run_and_leaves_the_turn_to_be_taken_up(
    raised: Exception, reason: str
) -> None:
    replies: list[Reply] = [[TextDelta("I"), raised], "I am back."]
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, ScriptedModel(replies))
        with pytest.raises(ModelError) as caught:
            await told(agent, "a", "Hello")
        assert caught.value.reason == reason
        assert shape(await history(engine.conversation("a"))) == [("user", "Hello")]
        assert (await told(agent, "a", None))[-1] == Done("I am back.", "stop", 1)


@pytest.mark.parametrize("streams", [True, False])
async def test_a_model_that_falls_silent_is_given_up_in_time(streams: bool) -> None:
    silent = ScriptedModel([[TextDelta("Wait"), 3600.0]])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = (
            make_agent(engine, silent, call_timeout_s=0.05)
            if streams
            else make_agent(engine, silent.__call__, call_timeout_s=0.05)
        )
        async with asyncio.timeout(LIMIT_S):
            with pytest.raises(ModelError) as caught:
                await told(agent, "a", "Hello")
        assert caught.value.reason == "timeout"


async def test_a_stream_that_ends_without_a_reply_is_an_error() -> None:
    class Broken(ScriptedModel):
        async def stream(self, request: CompletionRequest, /) -> AsyncIterator[Delta | Completion]:
            yield TextDelta("I was about to")

    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        with pytest.raises(ModelError, match="ended without a reply"):
            await told(make_agent(engine, Broken([""])), "a", "Hello")


async def test_the_budget_is_warned_of_at_each_share_once_until_the_use_falls() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=2_000, compact_threshold=None, preset="hierarchical"
    ) as engine:
        agent = make_agent(engine, ScriptedModel(["Noted."]))
        warned: list[list[float]] = []
        for number in range(36):
            events = await told(agent, "a", bulk(900, number))
            warned.append([one.share for one in events if isinstance(one, BudgetWarning)])
        assert [share for shares in warned for share in shares][:3] == [0.5, 0.75, 0.9]
        assert max(len(shares) for shares in warned) == 1
        assert sum(len(shares) for shares in warned) < 10


async def test_two_conversations_run_at_the_same_time_without_touching_each_other() -> None:
    def model(request: CompletionRequest) -> Completion:
        return Completion(f"to {request.messages[0].text}")

    scripted = JudgingModel([model], pause_s=0.001)
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        agent = make_agent(engine, scripted)
        names = [f"talk{number}" for number in range(8)]
        answers = await asyncio.gather(*(agent.answer(name, name) for name in names))
        assert answers == [f"to {name}" for name in names]
        for name in names:
            assert shape(await history(engine.conversation(name))) == [
                ("user", name),
                ("assistant", f"to {name}"),
            ]
    assert scripted.faults == []


async def test_a_prompt_of_the_agents_own_is_used_and_the_conversations_otherwise() -> None:
    model = ScriptedModel(["Yes."])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "system", "content": "You are a lighthouse."})
        await make_agent(engine, model).answer(talk, "Are you?")
        await make_agent(engine, model, system="You are a ferry.").answer(talk, "Are you?")
        assert [request.system for request in model.requests] == ["You are a lighthouse.", "You are a ferry."]


async def test_a_prompt_that_can_never_fit_names_what_is_too_large() -> None:
    model = ScriptedModel(["Never."])
    async with palimpsest.open(":memory:", window_tokens=2_000, preset="hierarchical") as engine:
        agent = make_agent(engine, model, system=bulk(30_000))
        with pytest.raises(DoesNotFit) as caught:
            await agent.answer("a", "Hello")
        assert caught.value.parts[0][0] == "system prompt"
        assert model.requests == []


@pytest.mark.parametrize(
    "message",
    [{"role": "assistant", "content": "I begin."}, {"role": "system", "content": "Be."}, Message("tool")],
)
async def test_a_turn_begins_with_a_message_of_the_user(message: object) -> None:
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        with pytest.raises(UsageError, match="begins with a user message"):
            await told(make_agent(engine, ScriptedModel(["No."])), "a", message)
        assert await history(engine.conversation("a")) == []


async def test_a_turn_can_begin_with_a_picture() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    model = JudgingModel(["A dot."])
    async with palimpsest.open(":memory:", window_tokens=8_000, preset="hierarchical") as engine:
        message = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}
        assert await make_agent(engine, model).answer("a", message) == "A dot."
        assert len(model.requests[0].messages[0].parts) == 2
    assert model.faults == []


async def test_what_recovering_tells_is_what_the_provider_said() -> None:
    async with palimpsest.open(":memory:", window_tokens=32_000, preset="hierarchical") as engine:
        talk = engine.conversation("a")
        await talk.append(*(said("user" if n % 2 == 0 else "assistant", bulk(600, n)) for n in range(20)))
        events = await told(make_agent(engine, ScriptedModel([OVERFLOW, "Yes."])), talk, "The newest.")
        assert [one.message for one in events if isinstance(one, Recovered)] == ["prompt is too long"]
