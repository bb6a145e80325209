"""What a Gemini request is made of, beyond the laws that hold for every provider."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats import gemini, parse_any, parse_tool
from palimpsest.formats.gemini.request import FOREIGN_SIGNATURE
from palimpsest.formats.rules import gemini_breaches
from palimpsest.formats.wire_fields import clean_text
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolDef, ToolResult
from tests.effort import examples
from tests.strategies import PNG, gemini_dicts, histories

IMAGE = Media("image/png", data=PNG)


def contents_of(history: Sequence[Message]) -> list[dict[str, Any]]:
    """The contents of the request that a history makes."""
    request: Any = gemini.render_request((), history)
    return request["contents"]


def parts_of(history: Sequence[Message]) -> list[dict[str, Any]]:
    """Every part of that request, in order."""
    return [part for content in contents_of(history) for part in content["parts"]]


def leaves(value: object) -> Iterator[str]:
    """Every string in a JSON value, and every object as canonical JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, dict):
        yield json.dumps(value, sort_keys=True)
        for inner in value.values():
            yield from leaves(inner)


def said(history: Sequence[Message]) -> Iterator[tuple[list[str], str]]:
    """The words of each part, and what stands for all of them together where they are a JSON object."""
    for message in history:
        for part in message.parts:
            content = part.content if isinstance(part, ToolResult) else (part,)
            words = [clean_text(one.text).strip() for one in content if isinstance(one, Text)]
            try:
                whole = json.dumps(json.loads("\n".join(words)), sort_keys=True)
            except ValueError:
                whole = "no JSON at all"
            yield words, whole


@examples(60)
@given(history=histories())
def test_the_google_client_takes_what_any_history_renders_to(history: list[Message]) -> None:
    tools = (
        ToolDef("ls", "Lists.", '{"type":"object","properties":{"p":{"type":"string"}}}'),
        ToolDef("名前"),
    )
    request: Any = gemini.render_request(("Be brief.",), history, tools)
    found = [types.Content.model_validate(content) for content in request["contents"]]
    assert len(found) == len(request["contents"])
    config = types.GenerateContentConfig(
        system_instruction=types.Content.model_validate(request["systemInstruction"]),
        tools=[types.Tool.model_validate(tool) for tool in request["tools"]],
    )
    assert config.tools == [types.Tool.model_validate(request["tools"][0])]


@examples(60)
@given(dicts=st.lists(gemini_dicts(), min_size=1, max_size=5))
def test_the_google_client_takes_what_geminis_own_contents_render_to(dicts: list[dict[str, object]]) -> None:
    history = [message for raw in dicts for message in gemini.parse_message(raw)]
    request: Any = gemini.render_request((), history)
    assert gemini_breaches(request) == ()
    assert all(types.Content.model_validate(content).parts for content in request["contents"])


@given(history=histories())
def test_every_text_of_a_history_occurs_in_the_request(history: list[Message]) -> None:
    whole = "\n".join(leaves(gemini.render_request((), history)))
    missing = [
        words
        for words, object_ in said(history)
        if object_ not in whole and not all(one in whole for one in words)
    ]
    assert missing == []


def test_responses_follow_their_calls_in_the_order_of_the_calls() -> None:
    history = (
        Message("user", (Text("go"),)),
        Message("assistant", (ToolCall("a", "ls"), ToolCall("b", "cat"), ToolCall("c", "ls"))),
        Message("tool", (ToolResult("c", (Text("3"),)),)),
        Message("user", (Text("meanwhile"),)),
        Message("tool", (ToolResult("a", (Text('{"n": 1}'),)),)),
    )
    contents = contents_of(history)
    responses = [part["functionResponse"] for part in contents[2]["parts"][:3]]
    assert [(one["id"], one["name"]) for one in responses] == [("a", "ls"), ("b", "cat"), ("c", "ls")]
    assert [one["response"] for one in responses] == [
        {"n": 1},
        {"error": "[no result was recorded for this call]"},
        {"output": "3"},
    ]
    assert contents[2]["parts"][3:] == [{"text": "meanwhile"}]


def test_only_the_first_call_of_another_models_content_carries_the_documented_signature() -> None:
    calls = (ToolCall("a", "ls"), ToolCall("b", "ls"))
    signed = [
        part.get("thoughtSignature")
        for wire in ("openai", "gemini")
        for part in parts_of([Message("user", (Text("go"),)), Message("assistant", calls, wire=wire)])
        if "functionCall" in part
    ]
    assert signed == [FOREIGN_SIGNATURE, None, None, None]


def test_signatures_go_back_byte_for_byte_wherever_they_stand() -> None:
    parts = [
        {"text": "hm", "thought": True, "thoughtSignature": "YQ=="},
        {"text": "so", "thoughtSignature": "Yg"},
        {"functionCall": {"name": "ls", "args": {}}, "thoughtSignature": "_-8="},
        {"inlineData": {"mimeType": "image/png", "data": PNG}, "thoughtSignature": "ZA=="},
        {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "ZQ=="},
        {"text": "", "thoughtSignature": "Zg=="},
    ]
    history = [
        *parse_any({"role": "user", "parts": [{"text": "go"}]}),
        *parse_any({"role": "model", "parts": parts}),
    ]
    assert contents_of(history)[1]["parts"] == parts


def test_a_signature_in_snake_case_is_sent_in_the_wires_spelling() -> None:
    call = {"function_call": {"name": "ls", "args": {"a_b": 1}}, "thought_signature": "c2ln"}
    history = parse_any({"role": "model", "parts": [call, {"text": "a", "thought_signature": "c2ln"}]})
    sent = contents_of(history)[1]["parts"]
    assert sent == [
        {"functionCall": {"name": "ls", "args": {"a_b": 1}}, "thoughtSignature": "c2ln"},
        {"text": "a", "thoughtSignature": "c2ln"},
    ]


def test_an_unknown_field_is_not_sent() -> None:
    raw = {"role": "user", "parts": [{"text": "hi", "x": 1}], "y": 2}
    assert contents_of(parse_any(raw)) == [{"role": "user", "parts": [{"text": "hi"}]}]


def test_an_image_in_a_foreign_result_follows_the_responses_and_geminis_own_stays_inside() -> None:
    foreign = (
        Message("assistant", (ToolCall("a", "shot"), ToolCall("b", "shot"))),
        Message("tool", (ToolResult("a", (Text("the screen"), IMAGE)),)),
        Message("tool", (ToolResult("b", (Text("done"),)),)),
    )
    parts = contents_of(foreign)[2]["parts"]
    assert [next(iter(part)) for part in parts] == [
        "functionResponse",
        "functionResponse",
        "text",
        "inlineData",
    ]
    assert "shown behind" in parts[0]["functionResponse"]["response"]["output"]
    inside = [{"inlineData": {"mimeType": "image/png", "data": PNG, "displayName": "a.png"}}]
    response = {"functionResponse": {"name": "shot", "response": {"output": "see"}, "parts": inside}}
    own = [
        *parse_any({"role": "model", "parts": [{"functionCall": {"name": "shot"}}]}),
        *parse_any({"role": "user", "parts": [response]}),
    ]
    assert contents_of(own)[2]["parts"] == [response]


def test_a_file_of_gemini_is_sent_and_another_address_is_named() -> None:
    raw = {"fileData": {"fileUri": "https://example.org/files/a", "mimeType": "video/mp4"}}
    assert parts_of(parse_any({"role": "user", "parts": [raw]})) == [raw]
    foreign = Message("user", (Media("image", uri="https://example.org/a.png"),), wire="openai")
    assert parts_of([foreign]) == [{"text": "[image, https://example.org/a.png: not shown]"}]


def test_a_content_of_nothing_but_thoughts_is_left_out() -> None:
    thought = Message("assistant", (Reasoning("hm"), Text(" ")), wire="gemini")
    around = Message("user", (Text("go"),)), thought, Message("user", (Text("on"),))
    assert contents_of(around) == [{"role": "user", "parts": [{"text": "go"}, {"text": "on"}]}]


def test_names_and_ids_are_made_safe_for_the_tool_the_call_and_the_response_alike() -> None:
    history = (
        Message("assistant", (ToolCall("\ud800", "7 days"), ToolCall("a b", "files.read"))),
        Message("tool", (ToolResult("\ud800", (Text("x"),)),)),
    )
    request: Any = gemini.render_request(
        (), history, (ToolDef("7 days"), ToolDef("files.read"), ToolDef("7 days"))
    )
    assert gemini_breaches(request) == ()
    declared = [one["name"] for one in request["tools"][0]["functionDeclarations"]]
    called = [part["functionCall"] for part in request["contents"][1]["parts"]]
    told = [part["functionResponse"] for part in request["contents"][2]["parts"]]
    assert declared == [one["name"] for one in called] == [one["name"] for one in told]
    assert [one["id"] for one in called] == [one["id"] for one in told]
    assert called[1] == {"name": "files.read", "args": {}, "id": "a b"}


def test_arguments_that_are_no_object_are_wrapped() -> None:
    history = (Message("assistant", (ToolCall("c", "ls", '{"a":'),)),)
    assert contents_of(history)[1]["parts"][0]["functionCall"]["args"] == {"_raw": '{"a":'}


def test_a_parsed_request_renders_to_the_same_request() -> None:
    contents = [
        {"role": "user", "parts": [{"text": "What is in /srv?"}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "ls", "args": {}}, "thoughtSignature": "c2ln"}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"result": "a.txt"}}}]},
        {"role": "model", "parts": [{"text": "a.txt", "thoughtSignature": "c2ln"}]},
    ]
    declared = [
        {"name": "ls", "parametersJsonSchema": {"type": "object", "properties": {"p": {"type": "string"}}}}
    ]
    history = [message for raw in contents for message in parse_any(raw)]
    assert gemini.render_request(("Be brief.",), history, [parse_tool(declared[0])]) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": contents,
        "tools": [{"functionDeclarations": declared}],
    }
