"""Dicts and replies that no provider would send are read or refused in words, and never make a request that is refused.

Each case is one that a fuzzer came upon (`bench/trust`).
"""

from __future__ import annotations

from typing import Any

import pytest

from bench.trust.drawing import nested
from palimpsest.errors import FormatError, brief
from palimpsest.formats import anthropic, bedrock, gemini, openai, parse_any
from palimpsest.formats.anthropic import reply as anthropic_reply
from palimpsest.formats.bedrock import reply as bedrock_reply
from palimpsest.formats.gemini import reply as gemini_reply
from palimpsest.formats.openai import reply as openai_reply
from palimpsest.formats.rules import anthropic_breaches, bedrock_breaches, gemini_breaches, openai_breaches
from palimpsest.record.message import Message, Text, ToolCall, ToolResult

Dict = dict[str, Any]
USE: Dict = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}]}


def user(*blocks: Dict) -> Dict:
    return {"role": "user", "content": list(blocks)}


def failed(*blocks: Dict, **fields: object) -> Dict:
    return user(
        {"type": "tool_result", "tool_use_id": "t", "content": list(blocks), "is_error": True, **fields}
    )


BROKEN: dict[str, list[Dict]] = {
    "a text without its text": [user({"type": "text"})],
    "a text that is no string": [user({"type": "text", "text": ["a"]}, {"type": "text", "text": "b"})],
    "a refusal of the user's": [user({"type": "refusal", "refusal": "No."})],
    "an image without a source": [user({"type": "image"}, {"type": "text", "text": "a"})],
    "an image of no known source": [user({"type": "image", "source": {"type": "~root"}})],
    "an image whose address is none": [user({"type": "image", "source": {"type": "url", "url": "file-1"}})],
    "a document of an image": [
        user({"type": "document", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}})
    ],
    "an image in no object": [user({"type": "image_url", "image_url": 5})],
    "sound of an unknown form": [user({"type": "input_audio", "input_audio": {"data": "aGk=", "format": "mpeg"}})],
    "a file without content": [user({"type": "file", "file": {"file_data": "C:\\x"}})],
    "thinking without words": [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": 5, "signature": "c"}]}
    ],
    "a cache mark of no kind": [user({"type": "text", "text": "a", "cache_control": {"type": ["x"]}})],
    "a cache mark that is a list": [user({"type": "text", "text": "a", "cache_control": []})],
    "a cache mark on thinking": [
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "a", "signature": "c", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "b"}]},
    ],
    "a result that failed in many words": [USE, failed({"type": "text", "text": "a"}, is_error={"a": 1})],
    "a result within a result": [USE, failed({"type": "tool_result", "text": "a"}, {"type": "text", "text": "b"})],
    "half a character behind a result": [USE, failed({"type": "novel", "words": "\ud800"})],
    "a server's tool with an odd id": [
        {"role": "assistant", "content": [{"type": "server_tool_use", "id": ["a"], "name": "x", "input": {}},
                                          {"type": "novel", "content": [1, 2], "tool_use_id": {"a": 1}}]},
    ],
    "a call of no type": [
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": "c", "type": 0, "function": {"name": "ls", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ],
    "Bedrock's blocks with values of other types": [
        {"role": "user", "content": [{"image": 3}, {"document": {"source": {"bytes": b"a"}, "name": [1]}},
                                     {"text": "a"}, {"cachePoint": 3}, {"novel": b"1"},
                                     {"guardContent": {"text": {"text": 3}}}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "", "name": "", "input": [1]}}, {"toolUse": 3},
                                          {"toolUse": {"type": "x"}}, {"citationsContent": {"content": [3]}},
                                          {"reasoningContent": {"reasoningText": {"text": "a", "signature": 3}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "", "status": 3,
                                                     "content": [{"json": float("inf")}, {"image": {}}]}}]},
    ],
    "a signature that is none": [
        {"role": "model", "parts": [{"text": "a", "thought": True, "thoughtSignature": "model"}, {"text": "b"}]}
    ],
}  # fmt: skip


@pytest.mark.parametrize("dicts", BROKEN.values(), ids=BROKEN)
def test_a_broken_dict_spoils_no_request_that_it_is_a_part_of(dicts: list[Dict]) -> None:
    history = [message for raw in dicts for message in parse_any(raw)]
    assert openai_breaches(openai.render_request((), history)) == ()
    assert anthropic_breaches(anthropic.render_request((), history)) == ()
    assert gemini_breaches(gemini.render_request((), history)) == ()
    assert bedrock_breaches(bedrock.render_request((), history)) == ()


def test_a_number_that_json_cannot_write_again_stays_the_text_it_is() -> None:
    history = (Message("assistant", (ToolCall("c", "ls", '{"n":1e400}'),)),)
    body: Dict = anthropic.render_request((), history)
    assert anthropic_breaches(body) == ()
    assert body["messages"][1]["content"][0]["input"] == {"_raw": '{"n":1e400}'}


def test_a_call_id_made_anew_is_not_that_of_another_call() -> None:
    made: Dict = openai.render_request((), (Message("assistant", (ToolCall("\ud800", "ls"),)),))
    taken = made["messages"][1]["tool_calls"][0]["id"]
    calls = (ToolCall("\ud800", "ls"), ToolCall(taken, "ls"))
    results = tuple(Message("tool", (ToolResult(one.id, (Text("ok"),)),)) for one in calls)
    assert openai_breaches(openai.render_request((), (Message("assistant", calls), *results))) == ()


@pytest.mark.parametrize(
    "role", [nested(100_000), 5, None, "x" * 10**6, {"a": 1}], ids=lambda one: str(type(one))
)
def test_a_role_that_is_none_is_refused_in_few_words(role: object) -> None:
    with pytest.raises(FormatError) as caught:
        parse_any({"role": role, "content": "a"})
    assert len(caught.value.message) < 200


def test_any_value_can_be_named_in_few_words() -> None:
    assert (brief(3), brief("a"), brief(None)) == ("3", "'a'", "None")
    assert len(brief(nested(100_000))) < 200
    assert len(brief([{str(place): place} for place in range(10_000)])) < 600
    assert brief(10**5_000) == "a number too large to be written"


@pytest.mark.parametrize("odd", [[], {}, 5, None], ids=str)
def test_a_reply_that_ends_for_an_odd_reason_is_read(odd: object) -> None:
    openai_body = {"choices": [{"message": {"content": "a"}, "finish_reason": odd}]}
    anthropic_body = {"content": [{"type": "text", "text": "a"}], "stop_reason": odd}
    gemini_body = {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": odd}]}
    assert openai_reply.parse_reply(openai_body).text == "a"
    assert anthropic_reply.parse_reply(anthropic_body).text == "a"
    assert gemini_reply.parse_reply(gemini_body).text == "a"
    message = {"role": "assistant", "content": [{"text": "a"}]}
    assert bedrock_reply.parse_reply({"output": {"message": message}, "stopReason": odd}).text == "a"


@pytest.mark.parametrize("index", [[], {}, "0", 0.0, None], ids=str)
def test_a_fragment_of_a_call_with_an_odd_index_is_taken_for_a_call(index: object) -> None:
    parser = openai_reply.StreamParser()
    call = {"index": index, "id": "c", "function": {"name": "ls", "arguments": "{}"}}
    parser.feed({"choices": [{"delta": {"tool_calls": [call]}}]})
    assert [one.name for one in parser.finish().calls] == ["ls"]
