"""Which provider a dict came from, and the errors for dicts of neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import FormatError
from palimpsest.formats import anthropic, bedrock, gemini, openai, parse_any
from palimpsest.record.message import Message
from tests.strategies import anthropic_dicts, bedrock_dicts, gemini_dicts, json_values, openai_dicts

TOLD: list[tuple[dict[str, object], str]] = [
    ({"role": "user", "content": "hi"}, "common"),
    (
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}],
        },
        "common",
    ),
    ({"role": "user", "content": [{"type": "novel", "x": 1}]}, "common"),
    ({"role": "system", "content": "hi"}, "common"),
    ({"role": "developer", "content": "hi"}, "openai"),
    ({"role": "system", "content": "hi", "clear_at": "never"}, "anthropic"),
    ({"role": "system", "content": [{"type": "tool_removal", "tool": {"name": "ls"}}]}, "anthropic"),
    ({"role": "tool", "tool_call_id": "c", "content": "hi"}, "openai"),
    ({"role": "assistant", "content": "hi", "tool_calls": None}, "openai"),
    (
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.org"}}]},
        "openai",
    ),
    ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]}, "anthropic"),
    (
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "ls", "input": {}}]},
        "anthropic",
    ),
    ({"role": "assistant", "content": [{"type": "text", "text": "a", "citations": []}]}, "anthropic"),
    (
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "a", "signature": "s"}]},
        "anthropic",
    ),
    (
        {"role": "assistant", "content": [{"type": "code_execution_tool_result", "tool_use_id": "s"}]},
        "anthropic",
    ),
    ({"role": "assistant", "content": [], "stop_reason": "end_turn"}, "anthropic"),
    ({"role": "model", "parts": [{"text": "hi"}]}, "gemini"),
    ({"role": "user", "parts": [{"text": "hi"}]}, "gemini"),
    ({"parts": [{"functionResponse": {"name": "ls", "response": {}}}]}, "gemini"),
    ({"role": "model"}, "gemini"),
    ({"role": "user", "content": [{"text": "hi"}]}, "bedrock"),
    ({"role": "user", "content": [{"cachePoint": {"type": "default"}}]}, "bedrock"),
    ({"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": []}}]}, "bedrock"),
    ({"role": "assistant", "content": [{"novel": {}}, {"text": "hi"}]}, "bedrock"),
    ({"role": "assistant", "content": [{"reasoningContent": {"redactedContent": b"a"}}]}, "bedrock"),
    ({"role": "user", "content": [{"type": "image", "image": {}, "source": {}}]}, "anthropic"),
]


@pytest.mark.parametrize("raw, wire", TOLD, ids=str)
def test_a_dict_is_told_by_what_only_one_provider_writes(raw: dict[str, object], wire: str) -> None:
    assert {message.wire for message in parse_any(raw)} == {wire}


@pytest.mark.parametrize("raw", [raw for raw, wire in TOLD if wire == "common"], ids=str)
def test_a_dict_both_would_write_comes_back_from_both(raw: dict[str, object]) -> None:
    assert openai.render_messages(parse_any(raw)) == anthropic.render_messages(parse_any(raw)) == [raw]


@given(openai_dicts() | anthropic_dicts() | gemini_dicts() | bedrock_dicts())
def test_any_dict_comes_back_from_the_provider_it_was_told_to_be_of(raw: dict[str, object]) -> None:
    found = parse_any(raw)
    forms = {"anthropic": anthropic, "gemini": gemini, "bedrock": bedrock}
    assert forms.get(found[0].wire, openai).render_messages(found) == [raw]


@pytest.mark.parametrize(
    "raw, words",
    [
        ({"role": "model", "content": "hi"}, "role is 'model'"),
        (
            {"role": "assistant", "parts": [{"type": "text", "text": "hi"}]},
            "Gemini message has role 'assistant'",
        ),
        ({"content": "hi"}, "no role"),
        ({"role": 3, "content": "hi"}, "role is 3"),
        ({"role": "robot", "content": "hi"}, "role is 'robot'"),
        ({}, "no role"),
        ([{"role": "user"}], "a message is a list"),
        ("hi", "a message is a str"),
        (None, "a message is null"),
    ],
)
def test_what_is_no_message_is_refused_with_a_way_out(raw: object, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        parse_any(raw)
    assert caught.value.hint


@given(
    st.dictionaries(
        st.sampled_from(("role", "content", "parts", "tool_calls", "name", "function_call")), json_values()
    )
)
def test_a_dict_of_any_values_is_read_or_refused(raw: dict[str, object]) -> None:
    try:
        found: object = parse_any(raw)
    except FormatError as error:
        found = error.message
    assert isinstance(found, tuple | str)


def test_an_sdk_object_is_taken_for_the_dict_it_dumps_to() -> None:
    class Reply:
        def model_dump(self, *, exclude_unset: bool = False, mode: str = "python") -> dict[str, object]:
            return {"role": "assistant", "content": "hi", "refusal": None} if exclude_unset else {}

    (message,) = parse_any(Reply())
    assert isinstance(message, Message)
    assert (message.text, message.wire) == ("hi", "openai")
