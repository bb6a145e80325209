"""AG2's events: sent as they came, rebuilt where the engine changed them, valid in every kind of run."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("ag2")

from ag2 import Agent, MemoryStream
from ag2.config import LLMClient
from ag2.events import (
    BaseEvent,
    BinaryInput,
    BinaryType,
    BuiltinToolCallEvent,
    DataInput,
    ModelMessage,
    ModelMessageChunk,
    ModelRequest,
    ModelResponse,
    TextInput,
    ToolCallEvent,
    ToolCallsEvent,
    ToolErrorEvent,
    ToolResult,
    ToolResultEvent,
    ToolResultsEvent,
    UrlInput,
    Usage,
    UsageEvent,
)
from ag2.testing import TestConfig
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.integrations.ag2 import AG2Codec, PalimpsestPlugin, _groups
from palimpsest.integrations.shared.threads import Piece

CODEC = AG2Codec()
WORDS = st.text("abcäß 🐚", min_size=1, max_size=12).filter(str.strip)
TEXT = WORDS.map(TextInput)
IMAGE = st.one_of(
    st.binary(min_size=1, max_size=9).map(
        lambda data: BinaryInput(data, media_type="image/png", kind=BinaryType.IMAGE)
    ),
    st.just("https://harbour.example/pier.png").map(lambda url: UrlInput(url, kind=BinaryType.IMAGE)),
)
INPUTS = st.lists(st.one_of(TEXT, IMAGE), min_size=1, max_size=3)
REQUESTS = INPUTS.map(ModelRequest)
CALLS = st.builds(lambda call: ToolCallEvent("read_log", id=call, arguments='{"page": 3}'), WORDS)
RESULTS = st.one_of(
    st.builds(
        lambda call, parts: ToolResultEvent(parent_id=call, name="read_log", result=ToolResult(parts=parts)),
        WORDS, INPUTS,
    ),
    st.builds(lambda call: ToolErrorEvent.from_call(ToolCallEvent("read_log", id=call), ValueError("torn")), WORDS),
)  # fmt: skip
COLLECTED = st.lists(RESULTS, min_size=1, max_size=3).map(ToolResultsEvent)
RESPONSES = st.builds(
    lambda text, calls: ModelResponse(ModelMessage(text), tool_calls=ToolCallsEvent(calls)),
    WORDS,
    st.lists(CALLS, max_size=2),
)
HISTORIES = st.lists(st.one_of(REQUESTS, RESPONSES, COLLECTED), max_size=5)
UNREAD = st.one_of(
    WORDS.map(ModelMessageChunk), CALLS, st.builds(UsageEvent, st.just(Usage(1, 2, 3))),
    st.builds(lambda call: BuiltinToolCallEvent("search", id=call), WORDS),
)  # fmt: skip


def read(history: list[BaseEvent]) -> list[Piece]:
    return [piece for one in _groups(history) for piece in CODEC.read(one)]


@given(HISTORIES)
def test_what_is_shown_unchanged_is_sent_as_the_very_events(history: list[BaseEvent]) -> None:
    written = [event for group in CODEC.write(read(history)) for event in group]
    assert list(map(id, written)) == list(map(id, history))


@given(HISTORIES)
def test_what_is_written_anew_says_the_same(history: list[BaseEvent]) -> None:
    pieces = read(history)
    written = [event for group in CODEC.write([Piece(one.message) for one in pieces]) for event in group]
    assert [(one.message.role, one.message.parts) for one in read(written)] == [
        (one.message.role, one.message.parts) for one in pieces
    ]


@given(HISTORIES, st.lists(UNREAD, max_size=3))
def test_events_that_no_model_reads_change_nothing(history: list[BaseEvent], unread: list[BaseEvent]) -> None:
    mixed = [event for one in history for event in (*unread, one)]
    assert [one.message for one in read(mixed)] == [one.message for one in read(history)]


@given(st.lists(RESULTS, min_size=1, max_size=3))
def test_results_are_read_once_whether_they_are_collected_or_not(results: list[ToolResultEvent]) -> None:
    collected = [one.message for one in read([*results, ToolResultsEvent(results)])]
    assert [one.message for one in read(list(results))] == collected


@given(
    st.recursive(st.none() | st.integers() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=2))
)
def test_any_data_of_a_request_is_text(data: Any) -> None:
    for given_data in (data, object()):
        assert [one.message.text for one in read([ModelRequest([DataInput(given_data)])])] != [""]


class Seeing(LLMClient):
    """A scripted client that remembers what it was given."""

    def __init__(self, *turns: Any) -> None:
        self.inner, self.seen = TestConfig(*turns, raise_tool_errors=False).create(), []

    async def __call__(self, messages: Any, context: Any, **given_too: Any) -> ModelResponse:
        self.seen.append((list(messages), list(context.prompt)))
        return await self.inner(messages, context, **given_too)


class Config:
    """A configuration whose client stays the same."""

    model = "scripted"

    def __init__(self, *turns: Any) -> None:
        self.client = Seeing(*turns)

    def create(self) -> Seeing:
        return self.client


async def texts(kept: PalimpsestPlugin, stream: MemoryStream, owner: str | None = None) -> list[str]:
    talk = kept.host.thread(str(stream.id), owner, where="").talk
    return [one.message.text for one in await kept.host.run(talk.messages)]


def agent_of(folder: Path, *turns: Any, **given_too: Any) -> tuple[PalimpsestPlugin, Agent, Seeing]:
    kept, config = PalimpsestPlugin(folder / "agent.db", window_tokens=16_000), Config(*turns)
    return kept, Agent("keeper", "Be short.", config=config, plugins=[kept], **given_too), config.client


async def test_the_model_reads_back_through_a_tool_of_the_plugin(tmp_path: Path) -> None:
    call = ToolCallEvent("short_grep", id="c1", arguments='{"pattern": "Sableford"}')
    kept, agent, client = agent_of(tmp_path, call, "Yes.")
    stream = MemoryStream(id=uuid4())
    reply = await agent.ask("The Sableford is late.", stream=stream, variables={"user_id": "ann"})
    assert reply.body == "Yes."
    assert "Sableford" in client.seen[1][0][-1].results[0].result.parts[0].content
    assert (await texts(kept, stream, "ann"))[-1] == "Yes."
    await kept.host.aclose()


async def test_an_agent_as_a_tool_has_a_conversation_of_the_same_owner(tmp_path: Path) -> None:
    kept = PalimpsestPlugin(tmp_path / "agent.db", window_tokens=16_000)
    clerk = Agent("clerk", config=Config("Pier 3."), plugins=[kept])
    call = ToolCallEvent("task_clerk", arguments='{"objective": "Which pier?"}')
    agent = Agent(
        "keeper",
        config=Config(call, "Pier 3 it is."),
        plugins=[kept],
        tools=[clerk.as_tool(description="Ask.")],
    )
    stream = MemoryStream()
    await agent.ask("Where?", stream=stream, variables={"user_id": "ann"})
    found = await kept.host.run(kept.host.engine_for("ann").conversations)
    assert len(found) == 2
    assert (await texts(kept, stream, "ann"))[-1] == "Pier 3 it is."
    await kept.host.aclose()


async def test_the_prompt_of_a_run_stays_as_it_is(tmp_path: Path) -> None:
    kept, agent, client = agent_of(tmp_path, "Pier 3.")
    await agent.ask("Which pier?", stream=MemoryStream())
    assert client.seen[0][1] == ["Be short."]
    await kept.host.aclose()


@pytest.mark.parametrize("shown", [False, True])
async def test_an_error_of_the_model_is_raised_as_it_is(tmp_path: Path, shown: bool) -> None:
    turns = [*([ModelMessageChunk("Pier")] if shown else []), ValueError("the crane is broken")]
    kept, agent, client = agent_of(tmp_path, *turns)
    with pytest.raises(ValueError, match="the crane is broken"):
        await agent.ask("Lift it.", stream=MemoryStream())
    assert len(client.seen) == 1
    await kept.host.aclose()
