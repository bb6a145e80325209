"""Replies of the three wire forms: whole or in pieces they are the same, and what they hold goes back as it came."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import FormatError
from palimpsest.formats import anthropic, gemini, openai
from palimpsest.formats.anthropic import reply as anthropic_reply
from palimpsest.formats.gemini import reply as gemini_reply
from palimpsest.formats.openai import reply as openai_reply
from palimpsest.formats.openai import responses_reply
from palimpsest.record.completion import Completion, Delta, ReasoningDelta, TextDelta
from palimpsest.record.message import Reasoning, Text, ToolCall, Usage
from tests.wire.forms import body, events
from tests.wire.replies import Say, Wire

FORMS: dict[Wire, Any] = {
    "openai": openai_reply,
    "responses": responses_reply,
    "anthropic": anthropic_reply,
    "gemini": gemini_reply,
}
RENDER: dict[Wire, Any] = {
    "openai": openai.render_messages,
    "anthropic": anthropic.render_messages,
    "gemini": gemini.render_messages,
}
SEARCH: tuple[dict[str, object], ...] = (
    {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "tides"}},
    {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"type": "web_search_result"}]},
)

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=40)
arguments = st.dictionaries(st.sampled_from(("path", "n", "ü")), words | st.integers(-9, 9), max_size=2)
calls = st.lists(st.tuples(st.sampled_from(("read", "run")), arguments.map(json.dumps)), max_size=3).map(
    lambda found: tuple(ToolCall(f"call_{at}", name, text) for at, (name, text) in enumerate(found))
)
says = st.builds(
    Say,
    text=st.just("") | words,
    calls=calls,
    thinking=st.just("") | words,
    signature=st.sampled_from(("c2lnbmVk", "ErUB+/==")),
    finish=st.sampled_from((None, "length", "refused")),
)
wires = st.sampled_from(("openai", "responses", "anthropic", "gemini"))


def fed(wire: Wire, say: Say) -> tuple[list[Delta], Completion]:
    """What comes of a reply as a stream."""
    parser = FORMS[wire].StreamParser()
    told = (event.partition("data: ")[2] for event in events(wire, say, "m", (50, 7), with_usage=True))
    found = [delta for data in told if "[DONE]" not in data for delta in parser.feed(json.loads(data))]
    return found, parser.finish()


def whole(wire: Wire, say: Say) -> Completion:
    """What comes of it at once."""
    return FORMS[wire].parse_reply(body(wire, say, "m", (50, 7)))


@given(wires, says)
def test_a_reply_in_pieces_is_the_reply_at_once(wire: Wire, say: Say) -> None:
    deltas, streamed = fed(wire, say)
    assert streamed == whole(wire, say)
    assert (
        "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == streamed.text == say.text
    )
    assert "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta)) == say.thinking


@given(wires, says)
def test_a_reply_says_what_was_said(wire: Wire, say: Say) -> None:
    found = whole(wire, say)
    assert [(call.name, json.loads(call.arguments)) for call in found.calls] == [
        (call.name, json.loads(call.arguments)) for call in say.calls
    ]
    assert found.usage == Usage(50, 7)
    assert found.model == "m"
    assert found.message is not None
    assert found.message.calls == found.calls
    assert [part.text for part in found.message.parts if isinstance(part, Reasoning)] == [
        say.thinking
    ] * bool(say.thinking)


@given(says)
def test_anthropics_blocks_go_back_as_they_came(say: Say) -> None:
    sent = body(
        "anthropic",
        Say(say.text, say.calls, say.thinking, say.signature, "blob==", blocks=SEARCH),
        "m",
        (1, 1),
    )
    message = anthropic_reply.parse_reply(sent).message
    assert message is not None
    assert RENDER["anthropic"]([message])[0].get("content") == sent["content"]


@given(says)
def test_geminis_parts_go_back_as_they_came(say: Say) -> None:
    sent: Any = body("gemini", say, "m", (1, 1))
    message = gemini_reply.parse_reply(sent).message
    assert message is not None
    assert RENDER["gemini"]([message])[0]["parts"] == sent["candidates"][0]["content"]["parts"]


@given(says)
def test_a_chat_message_goes_back_without_what_says_nothing(say: Say) -> None:
    sent: Any = body("openai", say, "m", (1, 1))
    message = openai_reply.parse_reply(sent).message
    assert message is not None
    said = {key: value for key, value in sent["choices"][0]["message"].items() if value or key == "content"}
    assert RENDER["openai"]([message])[0] == said


@pytest.mark.parametrize(
    "wire,say,reason",
    [
        ("openai", Say("a"), "stop"),
        ("openai", Say("a", finish="length"), "length"),
        ("openai", Say("no", finish="refused"), "refused"),
        ("responses", Say("a"), "stop"),
        ("responses", Say("a", finish="length"), "length"),
        ("responses", Say("no", finish="refused"), "refused"),
        ("responses", Say("", finish="refused"), "refused"),
        ("responses", Say("", (ToolCall("c", "read", "{}"),)), "tool_calls"),
        ("anthropic", Say("a"), "stop"),
        ("anthropic", Say("a", finish="length"), "length"),
        ("anthropic", Say("", finish="refused"), "refused"),
        ("gemini", Say("a"), "stop"),
        ("gemini", Say("a", finish="length"), "length"),
        ("gemini", Say("", finish="refused"), "refused"),
        ("openai", Say("", (ToolCall("c", "read", "{}"),)), "tool_calls"),
        ("anthropic", Say("", (ToolCall("c", "read", "{}"),)), "tool_calls"),
        ("gemini", Say("", (ToolCall("c", "read", "{}"),)), "tool_calls"),
    ],
)
def test_the_reason_of_the_end_is_told_in_one_vocabulary(wire: Wire, say: Say, reason: str) -> None:
    assert whole(wire, say).finish_reason == fed(wire, say)[1].finish_reason == reason


def chunks(*deltas: dict[str, Any], finish: str | None = None) -> Completion:
    """What comes of chat chunks with these deltas."""
    parser = openai_reply.StreamParser()
    for delta in deltas:
        parser.feed({"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    parser.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return parser.finish()


def fragment(arguments: str, name: str | None = None, **fields: Any) -> dict[str, Any]:
    """A fragment of a tool call."""
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return {"tool_calls": [{"function": function, **fields}]}


READ_RUN = [ToolCall("a", "read", '{"p":1}'), ToolCall("b", "run", "{}")]


@pytest.mark.parametrize(
    "deltas",
    [
        [  # by index, one after the other
            fragment("", "read", index=0, id="a", type="function"), fragment('{"p"', index=0), fragment(":1}", index=0),
            fragment("{", "run", index=1, id="b", type="function"), fragment("}", index=1),
        ],
        [  # by index, at once
            fragment("", "read", index=0, id="a"), fragment("", "run", index=1, id="b"), fragment("{", index=1),
            fragment('{"p":1', index=0), fragment("}", index=1), fragment("}", index=0),
        ],
        # whole calls without an index, or all with the same one
        [fragment('{"p":1}', "read", id="a"), fragment("{}", "run", id="b")],
        [fragment('{"p":1}', "read", id="a", index=0), fragment("{}", "run", id="b", index=0)],
        [  # a new id with every fragment
            fragment("", "read", index=0, id="a"), fragment('{"p":1}', index=0, id="x"),
            fragment("", "run", index=1, id="b"), fragment("{}", index=1, id="y"),
        ],
        [  # the name with every fragment
            fragment('{"p"', "read", index=0, id="a"), fragment(":1}", "read", index=0, id="a"),
            fragment("{}", "run", index=1, id="b"),
        ],
    ],
    ids=["in turn", "at once", "no index", "one index", "many ids", "many names"],
)  # fmt: skip
def test_tool_calls_are_put_together_however_a_server_cuts_them(deltas: list[dict[str, Any]]) -> None:
    found = chunks(*deltas, finish="stop")
    assert list(found.calls) == READ_RUN
    assert found.finish_reason == "tool_calls"


def test_calls_without_ids_get_some_by_their_place() -> None:
    found = chunks(fragment("{}", "read", index=0), fragment("{}", "run", index=1))
    assert [(call.id, call.name) for call in found.calls] == [("call_1", "read"), ("call_2", "run")]


def test_fields_of_a_call_that_are_not_known_are_kept() -> None:
    signed = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    found = chunks(fragment("{}", "read", index=0, id="a", type="function", **signed))
    assert found.message is not None
    assert openai.render_messages([found.message])[0]["tool_calls"] == [
        {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}, **signed}
    ]


def test_the_pieces_of_a_routers_reasoning_become_its_entries_again() -> None:
    def piece(**fields: Any) -> dict[str, Any]:
        return {"reasoning": fields.get("text"), "reasoning_details": [{"index": 0, **fields}]}

    found = chunks(
        piece(type="reasoning.text", text="let me "),
        piece(type="reasoning.text", text="think"),
        piece(type="reasoning.text", signature="c2ln"),
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": "blob", "index": 1}]},
        {"content": "Done."},
        finish="stop",
    )
    assert found.message is not None
    rendered = openai.render_messages([found.message])[0]
    assert rendered["reasoning_details"] == [
        {"index": 0, "type": "reasoning.text", "text": "let me think", "signature": "c2ln"},
        {"type": "reasoning.encrypted", "data": "blob", "index": 1},
    ]
    assert (rendered["reasoning"], rendered["content"]) == ("let me think", "Done.")


def test_reasoning_that_comes_twice_under_two_names_is_told_once() -> None:
    parser = openai_reply.StreamParser()
    delta = {"reasoning": "hm", "reasoning_content": "hm"}
    assert parser.feed({"choices": [{"delta": delta}]}) == [ReasoningDelta("hm")]
    message = parser.finish().message
    assert message is not None
    assert message.parts == (Reasoning("hm"),)


def test_content_in_parts_and_a_first_api_call_are_read() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    found = chunks(
        {"content": [thinking]}, {"content": [{"type": "text", "text": "a"}]}, {"content": "b"}, finish="stop"
    )
    assert found.text == "ab"
    called = chunks(
        {"function_call": {"name": "read"}}, {"function_call": {"arguments": "{}"}}, finish="function_call"
    )
    assert [(call.name, call.arguments) for call in called.calls] == [("read", "{}")]


def stream(*told: dict[str, Any]) -> Completion:
    """What comes of Anthropic events."""
    parser = anthropic_reply.StreamParser()
    parser.feed(
        {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 5, "output_tokens": 1}}}
    )
    for event in told:
        parser.feed(event)
    return parser.finish()


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of one block."""
    head = [{"type": "content_block_start", "index": index, "content_block": start}]
    return head + [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]


def test_citations_and_deltas_that_are_not_known_stay_in_their_block() -> None:
    cited = {"type": "char_location", "cited_text": "x"}
    text = ({"type": "text_delta", "text": "A"}, {"type": "citations_delta", "citation": cited})
    novel = ({"type": "novel_delta", "items": [1]}, {"type": "novel_delta", "items": [2], "note": "n"})
    usage = {"output_tokens": 9, "cache_read_input_tokens": 3}
    found = stream(
        *block(0, {"type": "text", "text": ""}, *text),
        *block(1, {"type": "novel", "items": []}, *novel),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
    )
    assert found.message is not None
    assert anthropic.render_messages([found.message])[0]["content"] == [
        {"type": "text", "text": "A", "citations": [cited]},
        {"type": "novel", "items": [1, 2], "note": "n"},
    ]
    assert (found.text, found.usage) == ("A", Usage(8, 9, 3))


def test_input_that_the_output_limit_cut_stays_the_text_it_is() -> None:
    call = {"type": "tool_use", "id": "t", "name": "read", "input": {}}
    found = stream(
        *block(0, call, {"type": "input_json_delta", "partial_json": '{"path": "a'}),
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
    )
    assert (found.calls[0].arguments, found.finish_reason) == ('{"path": "a', "length")


def test_a_stream_that_says_nothing_more_ends_as_other() -> None:
    assert stream(*block(0, {"type": "text", "text": "A"})).finish_reason == "other"
    assert chunks({"content": "A"}).finish_reason == "other"


def test_a_clients_own_objects_are_read_like_their_dicts() -> None:
    from anthropic.types import Message as AnthropicMessage
    from openai.types.chat import ChatCompletion

    say = Say("hello", (ToolCall("c", "read", "{}"),), "hm", "c2ln")
    chat = ChatCompletion.model_validate(body("openai", say, "m", (50, 7)))
    claude = AnthropicMessage.model_validate(body("anthropic", say, "m", (50, 7)))
    assert openai_reply.parse_reply(chat) == whole("openai", say)
    assert anthropic_reply.parse_reply(claude) == whole("anthropic", say)


@pytest.mark.parametrize(
    "wrong", [{}, {"choices": []}, {"choices": [{}]}, {"content": "words"}, [], "text", None]
)
def test_what_is_no_reply_is_refused(wrong: object) -> None:
    for form in FORMS.values():
        with pytest.raises(FormatError):
            form.parse_reply(wrong)


def test_server_tools_are_kept_and_are_no_words() -> None:
    found = anthropic_reply.parse_reply(body("anthropic", Say("Found it.", blocks=SEARCH), "m", (1, 1)))
    assert found.text == "Found it."
    assert found.calls == ()
    assert found.message is not None
    assert [type(part) for part in found.message.parts] == [Text, Text, Text]
