"""Each rule of Bedrock's Converse API refuses a request that breaks it, and says where."""

from __future__ import annotations

from typing import Any

import pytest

from palimpsest.formats.rules import bedrock_breaches

Dict = dict[str, Any]


def user(*blocks: object) -> Dict:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: object) -> Dict:
    return {"role": "assistant", "content": list(blocks)}


def call(call_id: object = "a", **fields: object) -> Dict:
    return {"toolUse": {"toolUseId": call_id, "name": "ls", "input": {}, **fields}}


def told(call_id: object = "a", *content: object, **fields: object) -> Dict:
    return {"toolResult": {"toolUseId": call_id, "content": list(content) or [{"text": "ok"}], **fields}}


def image(**fields: object) -> Dict:
    return {"image": {"format": "png", "source": {"bytes": b"1"}, **fields}}


def document(**fields: object) -> Dict:
    return {"document": {"format": "pdf", "name": "a", "source": {"bytes": b"1"}, **fields}}


TEXT: Dict = {"text": "hi"}
POINT: Dict = {"cachePoint": {"type": "default"}}
THOUGHT: Dict = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}
USER, MODEL = user(TEXT), model(TEXT)
HOSTED = call(type="server_tool_use"), told(type="web_search")
SPEC: Dict = {"name": "ls", "description": "Lists.", "inputSchema": {"json": {"type": "object"}}}
TOOLS: Dict = {"tools": [{"toolSpec": SPEC}]}
VALID: list[Dict] = [
    {"messages": [USER]},
    {"messages": [user(TEXT, POINT), model(THOUGHT, TEXT), USER], "system": [TEXT, POINT], "modelId": "m"},
    {"messages": [USER, model(TEXT, call(), call("b")), user(told("b"), told("a", {"json": {}}), TEXT)]},
    {"messages": [user(image(), document(), TEXT, document(name="b (2)"))]},
    {"messages": [user({"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://bucket/a"}}}})]},
    {"messages": [USER, model(*HOSTED, {"citationsContent": {"content": [TEXT], "citations": []}})]},
    {"messages": [user({"guardContent": {"text": TEXT}}, {"novel": {}})]},
]
INVALID: list[tuple[list[Any], str]] = [
    ([], "at least one message"),
    (["hi"], "messages[0] has role None"),
    ([MODEL], "first message is not the user's"),
    ([{"role": "system", "content": [TEXT]}], "role 'system'"),
    ([USER, USER], "messages[1] is of role user, like the one before it"),
    ([user()], "at least one block"),
    ([{**USER, "name": "ann"}], "unknown field 'name'"),
    ([user({**TEXT, "x": 1})], "holds text and x"),
    ([user({})], "holds nothing"),
    ([user({"text": " "})], "a text without words"),
    ([user({"image": 3})], "an image that is no object".replace("an image", "a image")),
    ([user(call())], "a toolUse, which a message of role user cannot hold"),
    ([USER, model(image())], "a image, which a message of role assistant cannot hold"),
    ([user(image(x=1))], "unknown field 'x'"),
    ([user(image(format="tiff"))], "the format 'tiff'"),
    ([user(image(source={"bytes": "MQ=="}))], "no source that can be read"),
    ([user(image(source={"s3Location": {"uri": "https://a"}}))], "no source that can be read"),
    ([user(*[image()] * 21)], "21 blocks of image; at most 20"),
    ([user(document())], "a document and no text"),
    ([user(document(name="a_b"), TEXT)], "the name 'a_b'"),
    ([user(document(name="a  b"), TEXT)], "the name 'a  b'"),
    ([user(document(), document(), TEXT)], "repeats the name 'a'"),
    ([USER, model(call()), USER], "lacks a toolResult for the toolUse 'a'"),
    ([USER, model(call())], "no toolResult in the next message"),
    ([user(told())], "which the message before it did not ask for"),
    ([USER, model(call()), user(TEXT, told())], "other content before a toolResult"),
    ([USER, model(call("a b")), user(told("a b"))], "the toolUseId 'a b'"),
    ([USER, model(call(), call()), user(told(), told())], "repeats the toolUseId 'a'"),
    ([USER, model(call(name="a.b")), user(told())], "the name 'a.b'"),
    ([USER, model(call(input=[])), user(told())], "an input that is no object"),
    ([USER, model(call()), user(told(status="failed"))], "the status 'failed'"),
    ([USER, model(call()), user(told("a", {"json": [1]}))], "json that is no object"),
    ([USER, model(call()), user(told("a", {"audio": {}}))], "holds audio"),
    ([USER, model(call()), user(told("a", image(), status="error"))], "a failed result holds text alone"),
    ([USER, model(call()), user({"toolResult": {"toolUseId": "a", "content": []}})], "at least one block"),
    ([USER, model(HOSTED[0], TEXT)], "without results"),
    ([USER, model(TEXT, THOUGHT)], "ends in thinking"),
    ([USER, model({"reasoningContent": {"reasoningText": {"text": "a"}}}, TEXT)], "without a signature"),
    ([USER, model({"reasoningContent": {"redactedContent": "a"}}, TEXT)], "without a signature"),
    ([USER, model({"text": "a "})], "ends in white space"),
    ([user(POINT, TEXT)], "behind nothing that can be cached"),
    ([USER, model(THOUGHT, POINT, TEXT)], "behind nothing that can be cached"),
    ([user(TEXT, {"cachePoint": {"type": "x"}})], "the cache point"),
    ([user(*[TEXT, POINT] * 5)], "5 cache points; at most 4"),
    ([user({"guardContent": {}})], "neither a text nor an image"),
    ([user({"text": "\ud800"})], "no JSON in UTF-8"),
]


@pytest.mark.parametrize("request_body", VALID, ids=str)
def test_a_request_within_the_rules_passes(request_body: Dict) -> None:
    assert bedrock_breaches({"toolConfig": TOOLS, **request_body}) == ()


@pytest.mark.parametrize(
    "messages, words", INVALID, ids=lambda value: value if isinstance(value, str) else ""
)
def test_messages_that_break_a_rule_are_refused_with_the_place(messages: list[Any], words: str) -> None:
    assert words in " | ".join(bedrock_breaches({"messages": messages, "toolConfig": TOOLS}))


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"toolConfig": {"tools": []}}, "at least one tool"),
        ({"toolConfig": {"tools": [{"toolSpec": SPEC}, {"toolSpec": SPEC}]}}, "repeats the name 'ls'"),
        ({"toolConfig": {"tools": [{"toolSpec": {**SPEC, "name": "a.b"}}]}}, "no valid name"),
        ({"toolConfig": {"tools": [{"toolSpec": {**SPEC, "description": ""}}]}}, "empty description"),
        ({"toolConfig": {"tools": [{"toolSpec": {**SPEC, "x": 1}}]}}, "unknown field 'x'"),
        (
            {"toolConfig": {"tools": [{"toolSpec": {"name": "a", "inputSchema": {}}}]}},
            "no inputSchema of type object",
        ),
        ({"toolConfig": {"tools": [{"name": "a"}]}}, "holds name"),
        ({"system": []}, "at least one block"),
        ({"system": [image()]}, "system[0] holds image"),
        ({"system": [{"text": ""}]}, "a text without words"),
        ({"tools": []}, "unknown field 'tools'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_fields_that_break_a_rule_are_refused(fields: Dict, words: str) -> None:
    assert words in " | ".join(bedrock_breaches({"messages": [USER], **fields}))


def test_calls_need_a_tool_configuration() -> None:
    body = {"messages": [USER, model(call()), user(told())]}
    assert bedrock_breaches(body) == (
        "messages have tool calls or results, and the request has no toolConfig",
    )
