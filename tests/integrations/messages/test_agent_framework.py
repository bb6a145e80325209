"""Agent Framework's messages: sent with their own contents, rebuilt where the engine changed them."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agent_framework")

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    InMemoryHistoryProvider,
    Message,
    ResponseStream,
    tool,
)
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.integrations.agent_framework import AgentFrameworkCodec, PalimpsestProvider
from palimpsest.integrations.shared.threads import Piece

CODEC = AgentFrameworkCodec("gpt-5")
WORDS = st.text("abcäß 🐚", min_size=1, max_size=12).filter(str.strip)
ARGUMENTS = st.dictionaries(WORDS, st.one_of(st.integers(0, 9), WORDS), max_size=2)
TEXT = WORDS.map(Content.from_text)
IMAGE = st.binary(min_size=1, max_size=9).map(lambda data: Content.from_data(data, "image/png"))
CALL = st.builds(
    lambda call, arguments: Content.from_function_call(call, "read_log", arguments=arguments),
    WORDS,
    st.one_of(ARGUMENTS, ARGUMENTS.map(json.dumps)),
)
RESULT = st.builds(
    lambda call, items, failed: Content.from_function_result(call, result=items, exception=failed),
    WORDS,
    st.lists(st.one_of(TEXT, IMAGE), min_size=1, max_size=2),
    st.sampled_from([None, "error"]),
)
OTHER = st.builds(Content.from_hosted_file, WORDS)
USERS = st.lists(st.one_of(TEXT, IMAGE), min_size=1, max_size=3).map(lambda found: Message("user", found))
TOOLS = st.lists(RESULT, min_size=1, max_size=3).map(lambda found: Message("tool", found))
REPLIES = st.lists(st.one_of(TEXT, CALL, OTHER), min_size=1, max_size=3).map(
    lambda found: Message("assistant", found)
)
HISTORIES = st.lists(st.one_of(USERS, REPLIES, TOOLS), max_size=5)
ANYTHING = st.none() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3), max_size=2)
KINDS = st.sampled_from(
    ["text", "text_reasoning", "function_call", "function_result", "data", "uri", "error"]
)
BROKEN = st.builds(
    lambda kind, values: Content(kind, **values),
    KINDS,
    st.fixed_dictionaries(dict.fromkeys(("text", "call_id", "name", "arguments", "result", "uri"), ANYTHING)),
)


def read(history: list[Message]) -> list[Piece]:
    return [piece for one in history for piece in CODEC.read(one)]


@given(HISTORIES)
def test_what_is_shown_unchanged_has_the_very_contents(history: list[Message]) -> None:
    written = CODEC.write(read(history))
    assert [list(map(id, one.contents)) for one in written] == [
        list(map(id, one.contents)) for one in history
    ]
    assert all("_attribution" not in one.additional_properties for one in history)


@given(HISTORIES)
def test_what_is_written_anew_says_the_same(history: list[Message]) -> None:
    pieces = read(history)
    written = CODEC.write([Piece(one.message) for one in pieces])
    assert [one.message for one in read(written)] == [one.message for one in pieces]


@given(st.one_of(USERS, REPLIES, TOOLS))
def test_a_copy_of_a_message_is_not_read_again(message: Message) -> None:
    old, new = CODEC.fields(message), CODEC.fields(copy.copy(message))
    assert list(map(id, old)) == list(map(id, new))


@given(st.sampled_from(["user", "assistant", "tool", "system", "other"]), st.lists(BROKEN, max_size=3))
def test_nothing_in_a_message_raises(role: str, contents: list[Content]) -> None:
    pieces = read([Message(role, contents)])
    assert CODEC.write([Piece(one.message) for one in pieces]) is not None


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A client that says what it is given: texts, errors, or calls as pairs of a name and arguments."""

    model = "scripted"

    def __init__(self, *replies: Any) -> None:
        super().__init__()
        self.replies, self.seen = list(replies), []

    def _reply(self, messages: Sequence[Message], options: Mapping[str, Any]) -> Message:
        self.seen.append((list(messages), dict(options)))
        said = self.replies.pop(0)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, str):
            return Message("assistant", [said])
        return Message(
            "assistant", [Content.from_function_call(f"c{len(self.seen)}", said[0], arguments=said[1])]
        )

    def _inner_get_response(
        self, *, messages: Sequence[Message], options: Mapping[str, Any], stream: bool = False, **_: Any
    ) -> Awaitable[ChatResponse] | ResponseStream[ChatResponseUpdate, ChatResponse]:
        async def whole() -> ChatResponse:
            return ChatResponse(messages=[self._reply(messages, options)])

        async def pieces() -> AsyncIterator[ChatResponseUpdate]:
            yield ChatResponseUpdate(contents=self._reply(messages, options).contents, role="assistant")

        return self._build_response_stream(pieces()) if stream else whole()


def session_of(name: str, owner: str | None = None) -> AgentSession:
    session = AgentSession(session_id=name)
    session.state["user_id"] = owner
    return session


async def texts(kept: PalimpsestProvider, thread: str, owner: str | None = None) -> list[str]:
    talk = kept.host.thread(thread, owner, where="").talk
    return [one.message.text for one in await kept.host.run(talk.messages)]


@pytest.mark.parametrize("stream", [False, True])
async def test_the_model_reads_back_through_a_tool_of_the_provider(tmp_path: Path, stream: bool) -> None:
    client = Scripted(("short_grep", {"pattern": "Sableford"}), "Yes.")
    kept = PalimpsestProvider(tmp_path / "agent.db", window_tokens=16_000)
    agent = Agent(client, "Be short.", context_providers=[kept])
    if stream:
        done = await agent.run(
            "The Sableford is late.", session=session_of("t", "ann"), stream=True
        ).get_final_response()
    else:
        done = await agent.run("The Sableford is late.", session=session_of("t", "ann"))
    assert done.text.endswith("Yes.")
    assert "Sableford" in str(client.seen[1][0][-1].contents[0].result)
    assert (await texts(kept, "t", "ann"))[-1] == "Yes."
    await kept.host.aclose()


async def test_an_agent_with_a_name_has_a_conversation_of_its_own(tmp_path: Path) -> None:
    kept = PalimpsestProvider(tmp_path / "agent.db", window_tokens=16_000)
    session = session_of("t")
    for name in (None, "keeper"):
        agent = Agent(Scripted("Pier 3."), name=name, context_providers=[kept])
        await agent.run("Which pier?", session=session)
    assert await texts(kept, "t") == ["Which pier?", "Pier 3."]
    assert (await texts(kept, "t/keeper"))[-2:] == ["Which pier?", "Pier 3."]
    await kept.host.aclose()


async def test_an_agent_whose_history_is_elsewhere_is_refused_with_what_to_do(tmp_path: Path) -> None:
    kept = PalimpsestProvider(tmp_path / "agent.db", window_tokens=16_000)
    stored = Agent(Scripted("Yes."), default_options={"store": True}, context_providers=[kept])
    inside = Agent(
        Scripted("Yes."), context_providers=[InMemoryHistoryProvider(), kept],
        require_per_service_call_history_persistence=True,
    )  # fmt: skip
    for agent, hint in ((stored, "store"), (inside, "require_per_service_call_history_persistence")):
        with pytest.raises(UsageError, match=hint):
            await agent.run("Hello.", session=session_of("t"))
    await kept.host.aclose()


async def test_a_call_that_waits_for_an_approval_goes_on_in_the_next_run(tmp_path: Path) -> None:
    @tool(approval_mode="always_require")
    def sink(pier: int) -> str:
        """Sink a pier."""
        return f"pier {pier} is gone"

    client = Scripted(("sink", {"pier": 3}), "Done.", "Yes.")
    kept = PalimpsestProvider(tmp_path / "agent.db", window_tokens=16_000)
    agent, session = Agent(client, tools=[sink], context_providers=[kept]), session_of("t")
    asked = (await agent.run("Sink it.", session=session)).user_input_requests
    await agent.run(
        Message("user", [one.to_function_approval_response(True) for one in asked]), session=session
    )
    await agent.run("Sure?", session=session)
    assert [one.contents[0].result for one in client.seen[-1][0] if one.role == "tool"] == ["pier 3 is gone"]
    await kept.host.aclose()


@pytest.mark.parametrize("stream", [False, True])
async def test_an_error_of_the_model_is_raised_as_it_is(tmp_path: Path, stream: bool) -> None:
    kept = PalimpsestProvider(tmp_path / "agent.db", window_tokens=16_000)
    agent = Agent(Scripted(ValueError("the crane is broken")), context_providers=[kept])
    running = agent.run("Lift it.", session=session_of("t"), stream=stream)
    with pytest.raises(ValueError, match="the crane is broken"):
        await (running.get_final_response() if isinstance(running, ResponseStream) else running)
    await kept.host.aclose()
