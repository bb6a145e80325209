"""OpenAI's Responses form: replies and histories of items are read as messages, and requests written as items."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from openai.types.responses import Response, ResponseInputParam, ToolParam
from pydantic import TypeAdapter

import palimpsest
from palimpsest.errors import FormatError
from palimpsest.formats import anthropic, gemini, openai, parse_any, wire_fields
from palimpsest.formats.rules import anthropic_breaches, gemini_breaches, openai_breaches, responses_breaches
from palimpsest.formats.tool_pairing import MISSING_RESULT
from palimpsest.record import chain
from palimpsest.record.message import Message, Opaque, Part, Reasoning, Text, ToolCall, ToolDef, ToolResult
from tests.formats.test_requests import closed_cuts
from tests.strategies import (
    PNG,
    anthropic_dicts,
    gemini_dicts,
    histories,
    json_values,
    openai_dicts,
    response_items,
)

INPUT: TypeAdapter[Any] = TypeAdapter(ResponseInputParam)
TOOLS: TypeAdapter[Any] = TypeAdapter(list[ToolParam])
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "opaque"}
SEARCH = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "q"},
}
ASKED = {
    "role": "user",
    "content": [
        {"type": "input_text", "text": "Which pier is this?"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "low"},
    ],
}


COMPACTION = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}


def read(items: Iterable[object]) -> list[Message]:
    """Items and dicts of any provider as messages."""
    found = openai.parse_items(items)
    return [message for one in found for message in ((one,) if isinstance(one, Message) else parse_any(one))]


def bare(item: dict[str, object]) -> dict[str, object]:
    """An item without what a request does not need."""
    return {key: value for key, value in item.items() if key not in ("id", "status")}


def typed(items: Any) -> list[Any]:
    """Items as the SDK's types describe them: a reply in parts has an id and a status there, but not in the API."""
    ids = {"id": "msg_1", "status": "completed"}
    said_ = [item.get("role") == "assistant" and isinstance(item["content"], list) for item in items]
    return [{**item, **ids} if is_said else item for item, is_said in zip(items, said_, strict=True)]


def said(text: str) -> dict[str, object]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}


def called(number: int) -> dict[str, object]:
    arguments = f'{{"pier": {number}}}'
    return {
        "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": "berths",
        "arguments": arguments, "status": "completed",
    }  # fmt: skip


def given_back(number: int, output: object) -> dict[str, object]:
    return {"type": "function_call_output", "call_id": f"call_{number}", "output": output}


def response(*output: dict[str, object]) -> Response:
    return Response.model_validate(
        {
            "id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed",
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "output": list(output),
        }
    )  # fmt: skip


OUTPUTS = (given_back(2, "NB-204"), given_back(1, [{"type": "input_text", "text": "NB-101"}]))
REPLY = (REASONING, SEARCH, said("I look."), called(1), called(2))
HISTORY = (ASKED, *REPLY, *OUTPUTS, said("It is pier 2."))


def test_a_session_of_items_comes_back_with_ids_and_nulls() -> None:
    later = [
        {**called(3), "caller": None},
        given_back(3, "NB-301"),
        COMPACTION,
        {"type": "item_reference", "id": "msg_9"},
    ]
    items = [*HISTORY, {"role": "user", "content": "And pier 3?"}, *later]
    assert openai.stored_items(read(copy.deepcopy(items))) == items


async def test_a_conversation_over_responses_is_kept_and_comes_back_as_items() -> None:
    tool = {
        "type": "function",
        "name": "berths",
        "parameters": {"type": "object", "properties": {}},
        "strict": True,
    }
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("pier")
        await talk.append(ASKED)
        await talk.append(response(*REPLY))
        await talk.append(*OUTPUTS)
        body = (await talk.request(system="Be brief.", tools=[tool])).responses()
        INPUT.validate_python(typed(body["input"]))
        TOOLS.validate_python(body["tools"])
        assert body["instructions"] == "Be brief."
        assert body["tools"] == [tool]
        assert body["input"] == [
            ASKED,
            REASONING,
            SEARCH,
            *map(bare, (said("I look."), called(1), called(2))),
            *OUTPUTS,
        ]
        await talk.append(response(said("It is pier 2.")))
        assert (await talk.sync([*HISTORY, {"role": "user", "content": "Thanks."}])).added == 1


async def test_a_reply_of_several_items_is_one_message_and_nothing_of_it_is_lost() -> None:
    (message,) = openai.parse_items([response(*REPLY)])
    assert isinstance(message, Message)
    assert [type(part) for part in message.parts] == [Reasoning, Opaque, Text, ToolCall, ToolCall]
    assert message.text == "I look."
    assert [(call.id, call.name, call.arguments) for call in message.calls] == [
        ("call_1", "berths", '{"pier": 1}'),
        ("call_2", "berths", '{"pier": 2}'),
    ]
    (again,) = openai.parse_items(REPLY)
    assert isinstance(again, Message)
    assert chain.identity(again) == chain.identity(message)
    assert openai.render_responses((), (again,)) == openai.render_responses((), (message,))
    for other in (openai, anthropic, gemini):
        assert "opaque" not in str(other.render_request((), (message,), ()))


def test_what_is_no_item_is_left_as_it_is() -> None:
    others = [
        {"role": "user", "content": "hello"},
        {"role": "user", "parts": [{"text": "hi"}]},
        5,
        None,
        "text",
    ]
    assert openai.parse_items(others) == others


@given(dicts=st.lists(openai_dicts() | anthropic_dicts() | gemini_dicts(), max_size=4))
def test_no_message_of_another_form_is_taken_for_an_item(dicts: list[dict[str, object]]) -> None:
    assert openai.parse_items(dicts) == dicts


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "function_call_output", "call_id": "c"},
        {"type": "function_call_output", "output": "x"},
        {"type": "function_call", "call_id": "c", "arguments": "{}"},
        {"type": "message", "role": "user", "content": [{"type": "input_text"}, 5]},
        {"object": "response", "output": 5},
        {"object": "response", "output": [5]},
        {
            "type": "message",
            "role": "robot",
            "content": [{"type": "input_text", "text": "x"}, {"type": "input_text"}],
        },
    ],
)
async def test_an_item_that_cannot_be_read_is_told_as_such(broken: dict[str, object]) -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(FormatError):
            await engine.conversation("a").append(broken)


@given(history=histories())
def test_any_history_becomes_items_whose_calls_are_answered(history: list[Message]) -> None:
    items: Any = openai.render_responses(("Be brief.",), history, (ToolDef("berths", "", "{}"),))["input"]
    INPUT.validate_python(typed(items))
    asked = [item["call_id"] for item in items if str(item.get("type")).endswith("_call")]
    answered = [item["call_id"] for item in items if str(item.get("type")).endswith("_call_output")]
    assert sorted(asked) == sorted(answered)


@given(dicts=st.lists(openai_dicts() | anthropic_dicts() | gemini_dicts(), min_size=1, max_size=6))
def test_dicts_of_any_provider_become_items(dicts: list[dict[str, object]]) -> None:
    INPUT.validate_python(typed(openai.render_responses((), read(dicts))["input"]))


@given(items=response_items())
def test_items_come_back_as_they_were(items: list[dict[str, object]]) -> None:
    before = copy.deepcopy(items)
    body = openai.render_responses((), read(items))
    assert body == {"input": before}
    assert responses_breaches(body) == ()
    assert items == before


@given(items=response_items())
def test_stored_items_are_those_that_came(items: list[dict[str, object]]) -> None:
    assert openai.stored_items(read(items)) == items


@given(items=response_items())
def test_a_whole_response_is_read_like_its_items(items: list[dict[str, object]]) -> None:
    whole = {"object": "response", "output": items}
    assert (
        openai.render_responses((), read([whole]))["input"]
        == openai.render_responses((), read(items))["input"]
    )


@given(items=response_items())
def test_items_are_accepted_by_every_other_provider(items: list[dict[str, object]]) -> None:
    history = read(items)
    assert openai_breaches(openai.render_request((), history)) == ()
    assert anthropic_breaches(anthropic.render_request((), history)) == ()
    assert gemini_breaches(gemini.render_request((), history)) == ()
    for body in (openai.render_request((), history), anthropic.render_request((), history)):
        assert "b3BhcXVl" not in str(body)


@given(items=response_items(), others=st.lists(histories(max_size=3), min_size=1, max_size=3), data=st.data())
def test_appending_changes_no_earlier_item(
    items: list[dict[str, object]], others: list[list[Message]], data: st.DataObject
) -> None:
    mixed = read(items)
    for other in others:
        place = data.draw(st.sampled_from([0, *closed_cuts(mixed)]))
        mixed[place:place] = other
    whole: Any = openai.render_responses((), mixed)
    assert responses_breaches(whole) == ()
    assert openai.render_responses((), copy.deepcopy(mixed)) == whole
    for cut in closed_cuts(mixed):
        part: Any = openai.render_responses((), mixed[:cut])
        assert part["input"] == whole["input"][: len(part["input"])]


@given(items=response_items(), data=st.data())
def test_a_changed_reply_is_sent_without_its_reasoning(
    items: list[dict[str, object]], data: st.DataObject
) -> None:
    history = read(items)
    replies = [
        place for place, one in enumerate(history) if one.role == "assistant" and (one.text or one.calls)
    ]
    if not replies:
        return
    place = data.draw(st.sampled_from(replies))
    message = history[place]
    index = data.draw(st.sampled_from([i for i, part in enumerate(message.parts) if _can_change(part)]))
    parts = list(message.parts)
    parts[index] = _changed(parts[index])
    history[place] = replace(message, parts=tuple(parts))
    body: Any = openai.render_responses((), history)
    assert responses_breaches(body) == ()
    kept = {part.data for part in message.parts if isinstance(part, Opaque)}
    assert not [item for item in body["input"] if wire_fields.dumps(item) in kept]
    signed = {part.extra for part in message.parts if isinstance(part, Reasoning)}
    assert not [
        item
        for item in body["input"]
        if item.get("type") == "reasoning" and item["id"] in str(signed).split('"')
    ]


def _can_change(part: Part) -> bool:
    return isinstance(part, ToolCall) or (isinstance(part, Text) and bool(part.text))


def _changed(part: Part) -> Part:
    if isinstance(part, ToolCall):
        return replace(part, arguments='{"shortened":"…"}')
    return replace(part, text="…") if isinstance(part, Text) else part


@given(item=st.fixed_dictionaries({"type": st.text(min_size=1, max_size=20)}, optional={
    "id": st.text(max_size=5), "call_id": st.none() | st.text(max_size=5), "status": st.text(max_size=5),
    "output": json_values(), "arguments": json_values(), "action": json_values(), "summary": json_values(),
}))  # fmt: skip
def test_an_item_of_an_unknown_type_is_kept(item: dict[str, object]) -> None:
    kinds = {
        "message",
        "function_call",
        "custom_tool_call",
        "function_call_output",
        "custom_tool_call_output",
    }
    assume(item["type"] not in kinds)
    history = read([{**item, "type": f"{item['type']}_beam"}])
    sent = wire_fields.clean({**item, "type": f"{item['type']}_beam"})
    assert openai.render_responses((), history)["input"] == [sent]


def test_a_result_that_was_shortened_keeps_its_type_where_text_can() -> None:
    call = {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}}
    chunk = {"stdout": "a.txt", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
    history = read([REASONING, call, {"type": "shell_call_output", "call_id": "c", "output": [chunk]}])
    assert history[1].results[0].text == wire_fields.dumps([chunk])
    short = ToolResult("c", (Text("[left out]"),))
    body: Any = openai.render_responses((), [history[0], replace(history[1], parts=(short,))])
    output = {"type": "shell_call_output", "call_id": "c", "output": [{**chunk, "stdout": "[left out]"}]}
    assert body["input"] == [REASONING, call, output]


def test_a_call_whose_result_can_only_be_text_has_the_form_of_a_function() -> None:
    call = {"type": "beam_call", "call_id": "c", "arguments": {"a": 1}}
    history = read([ASKED, REASONING, call, {"type": "beam_call_output", "call_id": "c", "output": {"b": 2}}])
    body: Any = openai.render_responses((), history[:2])
    assert body["input"] == [
        ASKED,
        {"type": "function_call", "call_id": "c", "name": "beam", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "c", "output": f"[error] {MISSING_RESULT}"},
    ]


def test_a_call_id_that_was_used_before_is_renamed_with_its_result() -> None:
    group = (called(1), given_back(1, "ok"))
    body: Any = openai.render_responses((), read([*group, ASKED, REASONING, *group]))
    assert [item.get("call_id") for item in body["input"]] == [
        "call_1",
        "call_1",
        None,
        "call_1_2",
        "call_1_2",
    ]


def test_what_only_a_reply_has_is_left_out() -> None:
    reply = {**said("I look."), "phase": "commentary"}
    made = {**given_back(1, "ok"), "id": "fco_1", "status": "completed", "created_by": "x"}
    body = openai.render_responses((), read([reply, called(1), made]))
    assert body["input"] == [bare(reply), bare(called(1)), given_back(1, "ok")]


def test_leading_system_items_join_the_instructions_and_later_ones_stay() -> None:
    def item(role: str, text: str) -> dict[str, object]:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}

    history = read([item("developer", "Be exact."), item("user", "Hi"), item("developer", "Be kind.")])
    body = openai.render_responses(("Be brief.",), history)
    assert body["instructions"] == "Be brief.\n\nBe exact."
    assert body["input"] == [item("user", "Hi"), item("developer", "Be kind.")]


def test_reasoning_that_only_openai_has_stored_is_left_out_with_what_needs_it() -> None:
    stored = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look."}]}
    body = openai.render_responses((), read([ASKED, stored, SEARCH, said("Pier 2.")]))
    assert body["input"] == [ASKED, bare(said("Pier 2."))]


def test_reasoning_at_the_end_of_a_reply_and_of_a_reply_sent_twice_is_left_out() -> None:
    words = bare(said("Pier 2."))
    body = openai.render_responses((), read([ASKED, words, REASONING, ASKED]))
    assert body["input"] == [ASKED, words, ASKED]
    body = openai.render_responses((), read([ASKED, REASONING, words, ASKED, REASONING, words]))
    assert body["input"] == [ASKED, REASONING, words, ASKED, words]


async def test_a_compaction_is_kept_and_goes_out_unchanged() -> None:
    made = {"id": "resp_1", "object": "response.compaction", "output": [ASKED, COMPACTION], "usage": {}}
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("pier")
        await talk.append(made)
        await talk.append({"role": "user", "content": "And now?"})
        request = await talk.request()
        asked = {"role": "user", "content": "And now?"}
        assert request.responses()["input"] == [ASKED, COMPACTION, asked]
        chat: Any = request.openai()
        assert [message["role"] for message in chat["messages"]] == ["user", "user"]
        for body in (request.openai(), request.anthropic(), request.gemini()):
            assert "gAAA" not in str(body)
        assert (await talk.sync([ASKED, COMPACTION, asked])).added == 0
