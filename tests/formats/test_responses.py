"""OpenAI's Responses form: replies and histories of items are read as messages, and requests written as items."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import Response, ResponseInputParam, ToolParam
from pydantic import TypeAdapter

import palimpsest
from palimpsest.errors import FormatError
from palimpsest.formats import openai, parse_any
from palimpsest.record.message import Message, ToolCall, ToolDef
from tests.strategies import PNG, anthropic_dicts, gemini_dicts, histories, openai_dicts

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
        INPUT.validate_python(body["input"])
        TOOLS.validate_python(body["tools"])
        assert body["instructions"] == "Be brief."
        assert body["tools"] == [tool]
        assert body["input"] == [
            ASKED,
            {"role": "assistant", "content": "I look."},
            *(
                {key: call[key] for key in ("type", "call_id", "name", "arguments")}
                for call in (called(1), called(2))
            ),
            given_back(2, "NB-204"),
            given_back(1, "NB-101"),
        ]
        await talk.append(response(said("It is pier 2.")))
        assert (await talk.sync([*HISTORY, {"role": "user", "content": "Thanks."}])).added == 1


async def test_a_reply_of_several_items_is_one_message_and_nothing_of_it_is_lost() -> None:
    (message,) = openai.in_chat_form([response(*REPLY)])
    assert isinstance(message, Message)
    assert message.text == "I look."
    assert message.calls == (
        ToolCall("call_1", "berths", '{"pier": 1}'),
        ToolCall("call_2", "berths", '{"pier": 2}'),
    )
    assert "opaque" in message.extra
    assert "ws_1" in message.extra
    (again,) = openai.in_chat_form(REPLY)
    assert isinstance(again, Message)
    assert again.parts == message.parts
    assert "opaque" not in str(openai.render_request((), (message,), ()))


def test_what_is_no_item_is_left_as_it_is() -> None:
    others = [
        {"role": "user", "content": "hello"},
        {"role": "user", "parts": [{"text": "hi"}]},
        5,
        None,
        "text",
    ]
    assert openai.in_chat_form(others) == others


@given(dicts=st.lists(openai_dicts() | anthropic_dicts() | gemini_dicts(), max_size=4))
def test_no_message_of_another_form_is_taken_for_an_item(dicts: list[dict[str, object]]) -> None:
    assert openai.in_chat_form(dicts) == dicts


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
    chat = openai.render_request(("Be brief.",), history, (ToolDef("berths", "", "{}"),))
    items: Any = openai.render_responses(chat)["input"]
    INPUT.validate_python(items)
    asked = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    assert sorted(asked) == sorted(answered)


@given(dicts=st.lists(openai_dicts() | anthropic_dicts() | gemini_dicts(), min_size=1, max_size=6))
def test_dicts_of_any_provider_become_items(dicts: list[dict[str, object]]) -> None:
    history = [message for one in dicts for message in parse_any(one)]
    INPUT.validate_python(openai.render_responses(openai.render_request((), history, ()))["input"])
