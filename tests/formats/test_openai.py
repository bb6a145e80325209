"""OpenAI chat dicts: reading and writing them changes nothing, and what they say ends up in the right part."""

from __future__ import annotations

import pytest
from hypothesis import given

from palimpsest.errors import FormatError
from palimpsest.formats import openai
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult, Usage
from tests.effort import examples
from tests.strategies import openai_dicts

CALL = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": '{"path": "/srv"}'}}
ROUND_TRIPS: list[dict[str, object]] = [
    {"role": "user", "content": "hello"},
    {"role": "user", "content": [{"type": "text", "text": "hello"}]},
    {"role": "user", "content": []},
    {"role": "user", "content": ""},
    {"role": "user", "content": "hi", "name": "ann", "x_id": 7},
    {"role": "developer", "content": "Be brief."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "assistant", "tool_calls": [CALL, {**CALL, "id": "call_2", "index": 1}]},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [CALL],
        "refusal": None,
        "annotations": [],
    },
    {"role": "assistant", "content": "Done.", "tool_calls": None, "function_call": None, "audio": None},
    {"role": "assistant", "content": None, "refusal": "I cannot help with that."},
    {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    {
        "role": "assistant",
        "content": None,
        "audio": {"id": "audio_1", "transcript": "Good day.", "expires_at": 1},
    },
    {"role": "assistant", "content": "42", "reasoning_content": "6 x 7"},
    {"role": "assistant", "content": "42", "reasoning": "6 x 7", "reasoning_details": [{"text": "6 x 7"}]},
    {"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{}"}},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}],
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"function": {"name": "ls", "arguments": {"path": "/srv"}}}],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "a.txt"},
    {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": [{"type": "text", "text": "a.txt"}],
        "name": "ls",
        "x": {"y": [1]},
    },
    {"role": "tool", "tool_call_id": "call_1", "content": ""},
    {"role": "function", "name": "ls", "content": "a.txt"},
    {
        "role": "user",
        "content": [
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}}
        ],
    },
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": "https://example.org/a.png"}]},
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "aGk=", "format": "mp3"}}]},
    {"role": "user", "content": [{"type": "file", "file": {"file_id": "file-1"}}]},
    {
        "role": "user",
        "content": [
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}}
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "image_url"},
            {"type": "file", "file": 3},
            {"type": "input_audio", "input_audio": {}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "hologram", "data": {"b": 1, "a": 2}, "cache_control": {"type": "ephemeral"}}],
    },
]


@pytest.mark.parametrize("raw", ROUND_TRIPS, ids=lambda raw: str(raw)[:60])
def test_a_dict_comes_back_as_it_was(raw: dict[str, object]) -> None:
    assert openai.render_messages(openai.parse_message(raw)) == [raw]


@examples(120)
@given(openai_dicts())
def test_any_dict_comes_back_as_it_was(raw: dict[str, object]) -> None:
    assert openai.render_messages(openai.parse_message(raw)) == [raw]


def test_nearly_every_dict_needs_no_extra() -> None:
    plain = [
        ROUND_TRIPS[0],
        ROUND_TRIPS[6],
        {"role": "tool", "tool_call_id": "call_1", "content": "a.txt", "name": "ls"},
        {"role": "system", "content": "Be brief."},
    ]
    (*messages,) = [openai.parse_message(raw)[0] for raw in plain]
    assert [message.extra for message in messages] == [""] * 4
    assert [part.extra for message in messages for part in message.parts] == [""] * 4


def test_words_and_calls_become_parts_in_order() -> None:
    raw = {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL], "reasoning_content": "hm"}
    assert openai.parse_message(raw)[0].parts == (
        Reasoning("hm"),
        Text("Let me look."),
        ToolCall("call_1", "ls", '{"path": "/srv"}'),
    )


def test_a_refusal_and_a_transcript_are_words_of_the_message() -> None:
    assert openai.parse_message(ROUND_TRIPS[11])[0].text == "I cannot help with that."
    assert openai.parse_message(ROUND_TRIPS[13])[0].text == "Good day."


def test_media_is_read_with_its_type_and_size() -> None:
    (message,) = openai.parse_message(ROUND_TRIPS[24])
    assert message.parts[0] == Media(
        "image/png", data="aGk=", size_bytes=2, extra='{"~":{"type":"image_url"}}'
    )


def test_a_result_belongs_to_its_call_and_keeps_the_tool_name() -> None:
    (message,) = openai.parse_message(ROUND_TRIPS[20])
    assert (message.role, message.name) == ("tool", "ls")
    assert [(result.call_id, result.text) for result in message.results] == [("call_1", "a.txt")]


def test_a_tool_message_with_several_results_is_written_as_several_dicts() -> None:
    message = Message("tool", (ToolResult("a", (Text("1"),)), ToolResult("b", (Text("2"),), is_error=True)))
    assert openai.render_messages([message]) == [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "[error] 2"},
    ]


def test_time_model_and_usage_are_read_and_still_come_back() -> None:
    raw = {
        "role": "assistant", "content": "hi", "timestamp": "2026-01-02T03:04:05Z", "model": "m-1",
        "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    }  # fmt: skip
    (message,) = openai.parse_message(raw)
    assert (message.time_s, message.model, message.usage) == (1767323045.0, "m-1", Usage(5, 2))
    assert openai.render_messages([message]) == [raw]


@pytest.mark.parametrize(
    "stamp, time_s",
    [(1767323045, 1767323045.0), (1767323045123, 1767323045.123), (True, None), ("soon", None), (-1, None)],
)
def test_a_timestamp_is_understood_where_it_is_one(stamp: object, time_s: float | None) -> None:
    assert openai.parse_message({"role": "user", "content": "hi", "timestamp": stamp})[0].time_s == time_s


def test_a_shortened_part_renders_as_the_shortened_one() -> None:
    (message,) = openai.parse_message(ROUND_TRIPS[-1])
    shorter = Message(
        "user", (Text("[left out]", message.parts[0].extra),), wire=message.wire, extra=message.extra
    )
    (raw,) = openai.render_messages([shorter])
    assert raw["content"] == [{"type": "text", "text": "[left out]", "cache_control": {"type": "ephemeral"}}]


def test_another_wires_extra_is_left_out() -> None:
    message = Message("user", (Text("hi", '{"citations":[]}'),), wire="anthropic", extra='{"x":1}')
    assert openai.render_messages([message]) == [{"role": "user", "content": "hi"}]


def test_an_extra_that_is_no_json_is_ignored() -> None:
    assert openai.render_messages([Message("user", (Text("hi"),), wire="openai", extra="[")]) == [
        {"role": "user", "content": "hi"}
    ]


@pytest.mark.parametrize(
    "raw, words",
    [
        ({"role": "user", "content": 3}, "content that is a int"),
        ({"role": "user", "content": ["hi"]}, r"content\[0\] is a str"),
        ({"role": "user", "content": [{"text": "hi"}]}, "has no type"),
        ({"role": "robot", "content": "hi"}, "role 'robot'"),
        ({"content": "hi"}, "role None"),
        ({"role": ["user"], "content": "hi"}, "role"),
        ({"role": "tool", "content": "hi"}, "tool_call_id of a tool message is null"),
        ({"role": "function", "content": "hi"}, "name of a function message"),
        ({"role": "assistant", "tool_calls": {"id": 1}}, "tool_calls is a dict"),
        ({"role": "assistant", "tool_calls": ["ls"]}, r"tool_calls\[0\] is a str"),
        ({"role": "assistant", "tool_calls": [{"function": {}}]}, r"name of tool_calls\[0\]"),
        ({"role": "assistant", "tool_calls": [{"id": 3, "function": {"name": "ls"}}]}, r"id of tool_calls\[0\]"),
        ({"role": "user", "content": "hi", "x": {1, 2}}, "no JSON form"),
    ],
)  # fmt: skip
def test_a_dict_of_another_shape_is_refused_with_the_place(raw: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        openai.parse_message(raw)
