"""The scripted model streams what it was told to, and the one behind "scripted" can be talked to."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.complete.registry import make_model
from palimpsest.complete.scripted import Reply, ScriptedModel, call_tools, echo_model
from palimpsest.errors import ModelError
from palimpsest.ports import Model
from palimpsest.record.completion import (
    Completion,
    CompletionRequest,
    Delta,
    ReasoningDelta,
    Retrying,
    TextDelta,
    reply_message,
)
from palimpsest.record.message import Message, Reasoning, Text, ToolCall, ToolDef, ToolResult
from tests.patience import LIMIT_S

REQUEST = CompletionRequest((Message("user", (Text("Hello?"),)),))
TOOLS = (ToolDef("read_file"), ToolDef("list"))


async def pieces(model: Model, request: CompletionRequest = REQUEST) -> list[Delta | Completion]:
    """A stream to its end."""
    return [piece async for piece in model.stream(request)]


def said(text: str, *more: Message) -> CompletionRequest:
    """A request whose user says this, with what follows."""
    return CompletionRequest((Message("user", (Text(text),)), *more), tools=TOOLS)


@given(st.text(max_size=60))
async def test_a_text_comes_in_words_that_join_to_it(text: str) -> None:
    *deltas, last = await pieces(ScriptedModel([text]))
    assert last == Completion(text)
    assert all(isinstance(piece, TextDelta) and piece.text for piece in deltas)
    assert "".join(piece.text for piece in deltas if isinstance(piece, TextDelta)) == text


async def test_thinking_comes_before_the_text_and_calls_with_the_whole() -> None:
    call = ToolCall("call_1", "list", "{}")
    message = Message("assistant", (Reasoning("let me see"), Text("I look."), call))
    whole = Completion("I look.", calls=(call,), message=message, finish_reason="tool_calls")
    told = await pieces(ScriptedModel([whole]))
    kinds = [type(piece) for piece in told]
    assert kinds == [ReasoningDelta, ReasoningDelta, ReasoningDelta, TextDelta, TextDelta, Completion]
    assert told[-1] is whole


async def test_replies_come_in_order_called_or_streamed_the_last_for_ever() -> None:
    model = ScriptedModel(["one", lambda request: Completion(request.purpose), "three"])
    assert (await model(REQUEST)).text == "one"
    assert (await pieces(model))[-1] == Completion("agent")
    assert [(await model(REQUEST)).text for _ in range(2)] == ["three", "three"]
    assert model.requests == [REQUEST] * 4
    await model.close()
    assert model.closed


async def test_a_stream_can_be_told_piece_by_piece_with_waits_and_errors() -> None:
    told: Reply = [
        TextDelta("half"),
        Retrying(1, 0.0, "lost"),
        0.001,
        TextDelta("a whole"),
        TextDelta(" one"),
    ]
    assert await pieces(ScriptedModel([told[:1]])) == [TextDelta("half"), Completion("half")]
    assert (await pieces(ScriptedModel([told])))[-1] == Completion("halfa whole one")
    broken = ScriptedModel([[TextDelta("half"), ModelError("lost", reason="connection")]])
    stream = aiter(broken.stream(REQUEST))
    assert await anext(stream) == TextDelta("half")
    with pytest.raises(ModelError, match="lost"):
        await anext(stream)
    with pytest.raises(ModelError, match="lost"):
        await broken(REQUEST)


async def test_a_wait_is_an_empty_reply() -> None:
    assert await pieces(ScriptedModel([0.001])) == [Completion("")]
    assert await ScriptedModel([0])(REQUEST) == Completion("")


def test_calls_are_made_with_ids_in_order() -> None:
    found = call_tools(("read", {"path": "ä"}), ("list", {}), text="Looking.", first_id=3)
    assert (found.text, found.finish_reason) == ("Looking.", "tool_calls")
    assert found.calls == (ToolCall("call_3", "read", '{"path": "ä"}'), ToolCall("call_4", "list", "{}"))


async def test_the_scripted_provider_repeats_what_it_hears_and_says_what_there_is_to_try() -> None:
    model = make_model("scripted")
    assert (await model(said("Good morning"))).text == "You said: Good morning"
    assert (await pieces(model, said("Good morning")))[-1] == Completion("You said: Good morning")
    assert "read_file, list" in (await model(said("/help"))).text
    assert (await model(said("count to 5"))).text == "1 2 3 4 5"
    assert (await model(said("use unknown {}"))).text == "You said: use unknown {}"


async def test_the_scripted_provider_calls_the_tools_it_is_told_to_and_tells_their_results() -> None:
    model = echo_model()
    asked = await model(said('use read_file {"path": "a.txt"}\nuse list'))
    assert [(call.id, call.name, call.arguments) for call in asked.calls] == [
        ("call_1", "read_file", '{"path": "a.txt"}'),
        ("call_2", "list", "{}"),
    ]
    results = (
        Message("tool", (ToolResult("call_2", (Text("a.txt"),)),)),
        Message("tool", (ToolResult("call_1", (Text("no such file"),), is_error=True),)),
    )
    told = await model(said("use both", reply_message(asked), *results))
    assert told.text == "list answered: a.txt\nread_file failed: no such file"
    again = await model(
        said("x", reply_message(asked), *results, reply_message(told), *said("use list").messages)
    )
    assert [call.id for call in again.calls] == ["call_3"]


async def test_the_scripted_provider_writes_no_summaries() -> None:
    with pytest.raises(ModelError) as caught:
        await echo_model()(CompletionRequest(REQUEST.messages, purpose="summary"))
    assert caught.value.reason == "refused"


@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
async def test_a_reply_of_nothing_but_blanks_is_cut_in_proportion_to_its_length() -> None:
    blanks = " " * 600_000
    assert (await pieces(ScriptedModel([blanks])))[0] == TextDelta(blanks)
    told = await pieces(ScriptedModel([f"{blanks}tide  is high"]))
    assert told[:3] == [TextDelta(f"{blanks}tide  "), TextDelta("is "), TextDelta("high")]


async def test_what_is_injected_into_a_request_is_not_what_was_said() -> None:
    pinned = Message("user", (Text("Pinned, word for word."),))
    told = await echo_model()(dataclasses.replace(said("Which pier?", pinned), injected=1))
    assert told.text == "You said: Which pier?"
