"""Agno's messages: sent as they came, rebuilt where the engine changed them, valid in every kind of run."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agno")

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.media import File, Image
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse
from agno.team import Team
from agno.tools import tool
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.integrations.agno import AgnoCodec, PalimpsestModels
from palimpsest.integrations.shared.threads import Piece

CODEC = AgnoCodec("gpt-5")
WORDS = st.text("abcäß 🐚", min_size=1, max_size=12).filter(str.strip)
IMAGES = st.lists(
    st.one_of(
        st.binary(min_size=1, max_size=9).map(lambda data: Image(content=data, mime_type="image/png")),
        st.just("https://harbour.example/pier.png").map(lambda url: Image(url=url)),
    ),
    max_size=2,
)
USERS = st.builds(lambda text, images: Message(role="user", content=text, images=images), WORDS, IMAGES)
CALLS = st.lists(
    WORDS.map(
        lambda call: {
            "id": call,
            "type": "function",
            "function": {"name": "read_log", "arguments": '{"page":3}'},
        }
    ),
    max_size=2,
)
REPLIES = st.builds(
    lambda text, calls: Message(role="assistant", content=text, tool_calls=calls), WORDS, CALLS
)
RESULTS = st.builds(
    lambda call, text, failed: Message(role="tool", content=text, tool_call_id=call, tool_call_error=failed),
    WORDS, WORDS, st.booleans(),
)  # fmt: skip
HISTORIES = st.lists(st.one_of(USERS, REPLIES, RESULTS), max_size=5)
ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "id", "function", "content_blocks", "signature", "reasoning_output"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
DATA = st.sampled_from(["content_blocks", "signature", "reasoning_output"])
BROKEN = st.builds(
    lambda role, **values: Message.model_construct(role=role, **values),
    st.sampled_from(["user", "assistant", "tool", "system", "other"]),
    content=ANYTHING, tool_call_id=ANYTHING, reasoning_content=st.none() | WORDS,
    tool_calls=st.none() | st.lists(st.dictionaries(st.sampled_from(["id", "function"]), ANYTHING), max_size=2),
    provider_data=st.none() | st.dictionaries(DATA, ANYTHING),
)  # fmt: skip


def read(history: list[Message]) -> list[Piece]:
    return [piece for one in history for piece in CODEC.read(one)]


@given(HISTORIES)
def test_what_is_shown_unchanged_is_sent_as_the_very_object(history: list[Message]) -> None:
    assert list(map(id, CODEC.write(read(history)))) == list(map(id, history))


@given(HISTORIES)
def test_what_is_written_anew_says_the_same(history: list[Message]) -> None:
    pieces = read(history)
    written = CODEC.write([Piece(one.message) for one in pieces])
    assert [one.message for one in read(written)] == [one.message for one in pieces]


@given(st.one_of(USERS, REPLIES, RESULTS))
def test_a_copy_of_a_message_is_not_read_again(message: Message) -> None:
    old, new = CODEC.fields(message), CODEC.fields(message.model_copy(update={"from_history": True}))
    assert list(map(id, old)) == list(map(id, new))


@given(BROKEN)
def test_nothing_in_a_message_raises(message: Message) -> None:
    pieces = read([message])
    assert CODEC.write([Piece(one.message) for one in pieces]) is not None


def test_a_call_of_responses_that_is_written_anew_needs_no_reasoning_of_its_old_id() -> None:
    call = {
        "id": "fc_1",
        "call_id": "call_1",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
    }
    result = Message(role="tool", content="at dawn", tool_call_id="fc_1")
    pieces = read([Message(role="assistant", tool_calls=[call]), result])
    written = CODEC.write([Piece(pieces[0].message), pieces[1]])
    made = written[0].tool_calls or []
    assert made[0]["id"] != "fc_1"
    assert made[0]["call_id"] == written[1].tool_call_id


class Scripted(Model):
    """A model that says what it is given: texts, errors, or calls as pairs of a name and the JSON of its arguments."""

    def __init__(self, *replies: Any) -> None:
        super().__init__(id="scripted", name="Scripted", provider="Scripted")
        self.replies, self.seen = list(replies), []

    def invoke(self, messages: list[Message], *args: Any, **named: Any) -> ModelResponse:
        self.seen.append(list(messages))
        said = self.replies.pop(0)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, str):
            return ModelResponse(role="assistant", content=said)
        function = {"name": said[0], "arguments": said[1]}
        call = {"id": f"c{len(self.seen)}", "type": "function", "function": function}
        return ModelResponse(role="assistant", tool_calls=[call])

    async def ainvoke(self, messages: list[Message], *args: Any, **named: Any) -> ModelResponse:
        return Scripted.invoke(self, messages, *args, **named)

    def invoke_stream(self, messages: list[Message], *args: Any, **named: Any) -> Iterator[ModelResponse]:
        yield Scripted.invoke(self, messages, *args, **named)

    async def ainvoke_stream(
        self, messages: list[Message], *args: Any, **named: Any
    ) -> AsyncIterator[ModelResponse]:
        yield Scripted.invoke(self, messages, *args, **named)

    def _parse_provider_response(self, response: Any, **_: Any) -> ModelResponse:
        return response

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response


def agent_of(folder: Path, *replies: Any, **given_too: Any) -> tuple[PalimpsestModels, Agent, Scripted]:
    kept, model = PalimpsestModels(folder / "agent.db", window_tokens=16_000), Scripted(*replies)
    tools = [*given_too.pop("tools", ()), *kept.tools]
    agent = Agent(
        model=kept.model(model), tools=tools, db=InMemoryDb(), add_history_to_context=True, telemetry=False,
        num_history_runs=1_000_000, **given_too,
    )  # fmt: skip
    return kept, agent, model


def texts(kept: PalimpsestModels, thread: str, owner: str | None = None) -> list[str]:
    engine = kept.host.engine
    talk = engine.conversation_for(thread, owner=owner or engine.owner)
    return [one.message.text for one in talk.messages()]


@pytest.mark.parametrize("stream", [False, True])
def test_the_model_reads_back_through_a_tool_in_a_synchronous_run(tmp_path: Path, stream: bool) -> None:
    kept, agent, model = agent_of(tmp_path, ("short_grep", '{"pattern": "Sableford"}'), "Yes.")
    done = agent.run("The Sableford is late.", session_id="t", user_id="ann", stream=stream)
    said = [*done][-1] if stream else done
    assert said.content == "Yes."
    assert "Sableford" in str(model.seen[1][-1].content)
    assert texts(kept, "t", "ann")[-1] == "Yes."
    kept.host.close()


def test_members_of_a_team_have_conversations_of_their_own(tmp_path: Path) -> None:
    kept = PalimpsestModels(tmp_path / "agent.db", window_tokens=16_000)
    member = Agent(name="clerk", model=kept.model(Scripted("Pier 3.")), telemetry=False)
    asked = ("delegate_task_to_member", '{"member_id": "clerk", "task": "Which pier?"}')
    team = Team(members=[member], model=kept.model(Scripted(asked, "Pier 3 it is.")), telemetry=False)
    team.run("Where is it?", session_id="t", user_id="ann")
    assert texts(kept, "t", "ann")[0] == "Where is it?"
    assert texts(kept, "t", "ann")[-1] == "Pier 3 it is."
    assert texts(kept, "t/clerk", "ann")[-1] == "Pier 3."
    kept.host.close()


def test_a_call_that_waits_for_a_confirmation_goes_on_in_the_same_run(tmp_path: Path) -> None:
    @tool(requires_confirmation=True)
    def sink(pier: int) -> str:
        """Sink a pier."""
        return f"pier {pier} is gone"

    kept, agent, model = agent_of(tmp_path, ("sink", '{"pier": 3}'), "Done.", "Yes.", tools=[sink])
    run = agent.run("Sink it.", session_id="t")
    for one in run.active_requirements:
        one.confirm()
    agent.continue_run(run_id=run.run_id, requirements=run.requirements, session_id="t")
    agent.run("Sure?", session_id="t")
    assert [one.content for one in model.seen[-1] if one.role == "tool"] == ["pier 3 is gone"]
    assert texts(kept, "t")[-2:] == ["Sure?", "Yes."]
    kept.host.close()


def test_a_copy_of_a_model_has_the_same_engine_and_a_call_of_no_run_is_sent_as_it_is(tmp_path: Path) -> None:
    kept, agent, model = agent_of(tmp_path, "Short.")
    shown = copy.deepcopy(agent.model)
    assert isinstance(shown, type(kept.model(model)))
    assert isinstance(kept.model(shown), type(shown))
    assert vars(shown)["palimpsest"] is kept
    assert shown.response([Message(role="user", content="Sum it up.")]).content == "Short."
    kept.host.close()


async def test_an_error_of_the_model_ends_the_run_as_it_is(tmp_path: Path) -> None:
    kept, agent, _ = agent_of(tmp_path, ValueError("the crane is broken"))
    run = await agent.arun("Lift it.", session_id="t")
    assert "the crane is broken" in str(run.content)
    await kept.host.aclose()


def test_an_attached_file_is_told_where_the_engine_writes_anew() -> None:
    message = Message(role="user", content="Read it.", files=[File(url="https://harbour.example/log.pdf")])
    written = CODEC.write([Piece(one.message) for one in CODEC.read(message)])
    assert "log.pdf" in str(written[0].content)
