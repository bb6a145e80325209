"""Gemini contents: reading and writing them changes nothing, and what they say ends up in the right part."""

from __future__ import annotations

from typing import Any

import pytest
from google.genai import types
from hypothesis import given

from palimpsest.errors import FormatError
from palimpsest.formats import gemini, openai, parse_any
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult
from tests.effort import examples
from tests.strategies import PNG, gemini_dicts

SIGNED = {"thoughtSignature": "Zm9v_-8="}
LS = {"name": "ls", "args": {"path": "/srv", "名": [1, 2.5, None]}}


def user(*parts: object) -> dict[str, object]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: object) -> dict[str, object]:
    return {"role": "model", "parts": list(parts)}


def answered(response: object = None, **fields: object) -> dict[str, object]:
    return {"functionResponse": {"name": "ls", "response": response or {"output": "a.txt"}, **fields}}


ROUND_TRIPS: list[dict[str, object]] = [
    user({"text": "hello"}),
    user({"text": "hello", "x": 1}),
    {"parts": [{"text": "hello"}]},
    {"role": None, "parts": [{"text": "hello"}], "x": 2},
    {"role": "model"},
    {"role": "user", "parts": None},
    user(),
    user({}),
    model({"text": "", **SIGNED}),
    model({"thoughtSignature": "c2ln"}),
    model({"text": "hm", "thought": True, **SIGNED}, {"text": "so", "thought": False}),
    model({"text": "hm", "thought": True}, {"functionCall": LS, **SIGNED}, {"functionCall": LS}),
    model({"functionCall": {**LS, "id": "f-1", "willContinue": False}}),
    model({"functionCall": {"name": "ls"}}, {"functionCall": {"name": "ls", "args": None, "id": ""}}),
    model({"function_call": {"name": "ls", "args": {"functionCall": 1}}, "thought_signature": "c2ln"}),
    model({"functionCall": LS, "thought_signature": "c2ln"}, {"inline_data": {"mimeType": "image/png", "data": PNG}}),
    model({"executableCode": {"language": "PYTHON", "code": "1 + 1"}, **SIGNED}),
    model({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2\n"}}, {"text": "Two."}),
    user(answered(), {"text": "go on"}, answered({"output": ""}), answered({})),
    {"role": "function", "parts": [answered({"result": "a.txt"}, id="f-1"), answered({"error": "gone"})]},
    user(answered({"error": {"code": 5}}), answered({"files": ["a.txt"]}), answered({"output": '{"a":1}'})),
    user({"functionResponse": {"name": "ls"}}, {"functionResponse": {"name": "ls", "response": None}}),
    user(answered(parts=[{"inlineData": {"mimeType": "image/png", "data": PNG, "displayName": "a.png"}}])),
    user(answered(parts=[{"text": "no media"}]), answered(scheduling="SILENT")),
    user({"inlineData": {"mimeType": "image/png", "data": "_-8="}, "mediaResolution": {"level": "LOW"}}),
    user({"fileData": {"fileUri": "gs://bucket/a", "mimeType": "video/mp4"}, "videoMetadata": {"fps": 1}}),
    user({"fileData": {"fileUri": "gs://bucket/a.pdf"}}, {"fileData": {"mimeType": "image/png"}}),
    user({"inline_data": {"mime_type": "image/png", "data": PNG}}, {"file_data": {"file_uri": "gs://a"}}),
    user({"file_data": {"file_uri": "gs://a", "mime_type": None}}),
    {"role": "system", "parts": [{"text": "Be brief."}]},
]  # fmt: skip


@pytest.mark.parametrize("raw", ROUND_TRIPS, ids=lambda raw: str(raw)[:60])
def test_a_content_comes_back_as_it_was(raw: dict[str, object]) -> None:
    assert gemini.render_messages(gemini.parse_message(raw)) == [raw]


@examples(100)
@given(gemini_dicts())
def test_any_content_comes_back_as_it_was(raw: dict[str, object]) -> None:
    assert gemini.render_messages(gemini.parse_message(raw)) == [raw]


def test_all_contents_in_a_row_come_back_as_they_were() -> None:
    messages = [message for raw in ROUND_TRIPS for message in gemini.parse_message(raw)]
    assert gemini.render_messages(messages) == ROUND_TRIPS


def test_parts_become_parts_with_their_signatures() -> None:
    (message,) = parse_any(
        model({"text": "hm", "thought": True, **SIGNED}, {"text": "so"}, {"functionCall": LS})
    )
    assert message.parts == (
        Reasoning("hm", "Zm9v_-8="),
        Text("so"),
        ToolCall("ls", "ls", '{"path":"/srv","名":[1,2.5,null]}', '{"~":{"id":"absent"}}'),
    )
    assert (message.role, message.wire) == ("assistant", "gemini")


def test_calls_and_responses_without_ids_meet_by_name_and_order() -> None:
    (asked,) = parse_any(model(*({"functionCall": {"name": name}} for name in ("ls", "cat", "ls"))))
    (told,) = parse_any(user(answered(), {"functionResponse": {"name": "cat", "response": {}}}, answered()))
    assert (
        [call.id for call in asked.calls]
        == [result.call_id for result in told.results]
        == ["ls", "cat", "ls_2"]
    )


def test_the_words_of_a_response_are_the_results_text() -> None:
    (told,) = parse_any(
        user(answered(), answered({"result": "b"}), answered({"error": "gone"}), answered({"n": 1}))
    )
    assert [result.text for result in told.results] == ["a.txt", "b", "gone", '{"n":1}']
    assert [result.is_error for result in told.results] == [False, False, True, False]


def test_responses_and_words_of_one_content_become_messages_in_order() -> None:
    found = gemini.parse_message(user({"text": "first"}, answered(), answered(), {"text": "then"}))
    assert [(message.role, len(message.parts)) for message in found] == [
        ("user", 1),
        ("tool", 2),
        ("user", 1),
    ]


def test_inline_data_is_kept_in_the_alphabet_that_others_want() -> None:
    (message,) = parse_any(user({"inline_data": {"mime_type": "image/png", "data": "_-8="}}))
    assert message.parts[0] == Media("image/png", data="/+8=", size_bytes=2, extra='{"~":{"data":"urlsafe"}}')
    shown: Any = openai.render_request((), [message])
    assert shown["messages"][0]["content"][0]["image_url"]["url"] == "data:image/png;base64,/+8="


def test_a_content_in_snake_case_says_so_once() -> None:
    (message,) = parse_any(model({"function_call": LS, "thought_signature": "c2ln"}, {"function_call": LS}))
    assert message.extra == '{"~":{"snake":true}}'
    assert message.calls[0].extra == '{"thoughtSignature":"c2ln","~":{"id":"absent"}}'


def test_what_the_google_client_holds_is_read_like_its_dict() -> None:
    content = types.Content(
        role="model",
        parts=[
            types.Part(text="hm", thought=True, thought_signature=b"\xfb\xff\x00"),
            types.Part(function_call=types.FunctionCall(name="ls", args={"path": "/"})),
            types.Part.from_bytes(data=b"\xfb\xff", mime_type="image/png"),
        ],
    )
    (message,) = parse_any(content)
    assert message.parts[0] == Reasoning("hm", "-_8A")
    assert message.calls[0].arguments == '{"path":"/"}'
    rendered = gemini.render_messages([message])
    assert rendered == [content.model_dump(mode="json", exclude_unset=True)]
    assert types.Content.model_validate(rendered[0]) == content


def test_bytes_in_a_dict_become_base64() -> None:
    (message,) = parse_any(user({"inline_data": {"mime_type": "image/png", "data": b"\x89PNG invented"}}))
    assert message.parts == (Media("image/png", data=PNG, size_bytes=13),)


def test_nearly_every_content_needs_no_extra() -> None:
    (asked,) = parse_any(
        model({"text": "hm", "thought": True, **SIGNED}, {"text": "so"}, {"functionCall": {"id": "f", **LS}})
    )
    assert [asked.extra, *(part.extra for part in asked.parts)] == [""] * 4


def test_thoughts_and_extras_of_another_wire_are_left_out() -> None:
    message = Message(
        "assistant", (Reasoning("hm", "c2ln"), Text("so", '{"x":1}')), wire="openai", extra='{"y":1}'
    )
    assert gemini.render_messages([message]) == [model({"text": "so"})]


def test_a_result_names_the_function_that_its_call_named() -> None:
    history = (
        Message("assistant", (ToolCall("call_1", "ls"),), wire="openai"),
        Message("tool", (ToolResult("call_1", (Text("gone"),), is_error=True),), wire="openai"),
    )
    assert gemini.render_messages(history)[1] == user(answered({"error": "gone"}, id="call_1"))


def test_a_result_that_was_shortened_is_written_as_output() -> None:
    (told,) = parse_any(user(answered({"files": ["a.txt"]}, id="f")))
    short = Message("tool", (ToolResult("f", (Text("[left out]"),)),), wire="gemini")
    (result,) = told.results
    kept = Message("tool", (ToolResult("f", (Text("[left out]"),), extra=result.extra),), wire="gemini")
    asked = Message("assistant", (ToolCall("f", "ls"),), wire="gemini")
    for message in (short, kept):
        assert gemini.render_messages((asked, message))[1] == user(answered({"output": "[left out]"}, id="f"))


@pytest.mark.parametrize(
    "raw, words",
    [
        ({"role": "assistant", "parts": []}, "role 'assistant'"),
        ({"role": 3, "parts": []}, "role 3"),
        ({"role": "user", "parts": "hi"}, "the parts of a Gemini message is a str"),
        ({"role": "user", "parts": ["hi"]}, r"parts\[0\] is a str"),
        (user({"text": 3}), r"the text of parts\[0\] is a int"),
        (user({"functionResponse": {"response": {}}}), r"the response in parts\[0\] is null"),
        (model({"functionCall": {"name": ""}}), r"the call in parts\[0\] is empty"),
        (model({"functionCall": {"name": "ls", "args": [1]}}), r"the args of parts\[0\] is a list"),
        (model({"functionCall": "ls"}), r"functionCall of parts\[0\] is a str"),
        (user({"functionResponse": {"name": "ls", "response": "x"}}), r"the response of parts\[0\] is a str"),
    ],
)
def test_a_content_of_another_shape_is_refused_with_the_place(raw: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_any(raw)
