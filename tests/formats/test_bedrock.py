"""Messages of Bedrock's Converse API: read, written again, and made into requests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import FormatError
from palimpsest.formats import anthropic, bedrock, openai, parse_any, parse_tool, parse_tools
from palimpsest.formats.bedrock.reply import parse_reply
from palimpsest.formats.rules import bedrock_breaches
from palimpsest.formats.wire_fields import OPENING
from palimpsest.record.chain import heads
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolDef, ToolResult, Usage
from tests.strategies import PNG, bedrock_dicts

Dict = dict[str, Any]
PICTURE = b"\x89PNG invented"
IMAGE: Dict = {"image": {"format": "png", "source": {"bytes": PICTURE}}}
PDF: Dict = {"document": {"format": "pdf", "name": "tides", "source": {"bytes": b"%PDF"}}}
POINT: Dict = {"cachePoint": {"type": "default"}}
THOUGHT: Dict = {"reasoningContent": {"reasoningText": {"text": "Look it up.", "signature": "c2lnbmVk"}}}
CALL: Dict = {"toolUse": {"toolUseId": "tooluse_1", "name": "tide", "input": {"pier": 3}}}
SPEC: Dict = {
    "name": "tide",
    "description": "Tides.",
    "inputSchema": {"json": {"type": "object", "properties": {}}},
}
TOOL = parse_tool({"toolSpec": SPEC})


def told(*content: Dict, **fields: object) -> Dict:
    return {"toolResult": {"toolUseId": "tooluse_1", "content": list(content), **fields}}


def user(*blocks: Dict) -> Dict:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Dict) -> Dict:
    return {"role": "assistant", "content": list(blocks)}


CONVERSATION = [
    user({"text": "When is high tide at pier 3?"}, IMAGE, PDF, POINT),
    assistant(THOUGHT, {"text": "One moment."}, CALL),
    user(told({"json": {"high": "14:05"}}, {"text": "ok"}, IMAGE, status="success"), POINT),
    assistant({"citationsContent": {"content": [{"text": "At 14:05."}], "citations": [{"title": "Tides"}]}}),
    user({"guardContent": {"text": {"text": "And at pier 4?", "qualifiers": ["query"]}}}),
]


def messages_of(dicts: Sequence[Dict]) -> list[Message]:
    return [message for raw in dicts for message in parse_any(raw)]


def request_of(history: Sequence[Message], tools: Sequence[ToolDef] = (TOOL,)) -> list[Dict]:
    """The messages of a valid request."""
    request: Any = bedrock.render_request((), history, tools)
    assert bedrock_breaches(request) == ()
    return request["messages"]


def words_of(messages: Sequence[Dict]) -> list[str]:
    return [block["text"] for message in messages for block in message["content"] if "text" in block]


def test_a_valid_conversation_is_sent_as_it_came() -> None:
    request = bedrock.render_request(("Be brief.",), messages_of(CONVERSATION), (TOOL,))
    assert request == {
        "system": [{"text": "Be brief."}],
        "messages": CONVERSATION,
        "toolConfig": {"tools": [{"toolSpec": SPEC}]},
    }


def test_a_message_is_read_into_parts() -> None:
    first, call, result, cited, guarded = messages_of(CONVERSATION)
    assert [type(part) for part in first.parts] == [Text, Media, Media]
    assert (first.parts[1].media_type, first.parts[2].media_type) == ("image/png", "application/pdf")  # type: ignore[union-attr]
    assert call.parts[0] == Reasoning("Look it up.", "c2lnbmVk")
    assert call.calls == (ToolCall("tooluse_1", "tide", '{"pier":3}'),)
    assert (result.role, result.results[0].text) == ("tool", '{"high":"14:05"}\nok')
    assert (cited.text, guarded.text) == ("At 14:05.", "And at pier 4?")
    assert {message.wire for message in (first, call, result)} == {"bedrock"}


@given(raw=bedrock_dicts())
def test_any_message_comes_back_as_it_was(raw: Dict) -> None:
    assert bedrock.render_messages(bedrock.parse_message(raw)) == [raw]


@given(dicts=st.lists(bedrock_dicts(), min_size=1, max_size=6))
def test_more_messages_only_add_to_the_end_of_a_request(dicts: list[Dict]) -> None:
    def lines(history: Sequence[Message]) -> list[str]:
        request: Any = bedrock.render_request((), history, (TOOL,))
        found = [(one["role"], block) for one in request["messages"] for block in one["content"]]
        return [repr(one) for one in found if "cachePoint" not in one[1]]

    whole = lines(messages_of(dicts))
    for cut in (at for at in range(1, len(dicts)) if dicts[at]["role"] == "assistant"):
        part = lines(messages_of(dicts[:cut]))
        assert part == whole[: len(part)]


@pytest.mark.parametrize(
    "block",
    [
        {"image": {"format": "png", "source": {"bytes": PNG}}},
        {"image": {"format": "tiff", "source": {"bytes": PICTURE}}},
        {
            "image": {
                "format": "png",
                "source": {"s3Location": {"uri": "s3://bucket/a.png", "bucketOwner": "1" * 12}},
            }
        },
        {
            "document": {
                "name": "a",
                "source": {"text": "High tide is at 14:05."},
                "citations": {"enabled": True},
            }
        },
        {"document": {"name": "a", "source": {"content": [{"text": "b"}]}}},
        {"video": {"format": "three_gp", "source": {"bytes": b"1"}}},
        {"audio": {"format": "mp3", "source": {"bytes": b"1"}}},
        {"guardContent": {"image": {"format": "png", "source": {"bytes": PICTURE}}}},
        {"reasoningContent": {"redactedContent": b"opaque"}},
        {"reasoningContent": {"reasoningText": {"text": "a"}}},
        {"toolUse": {"toolUseId": "a", "name": "web", "input": {}, "type": "server_tool_use"}},
        {"novel": {"deep": [{"data": b"1"}], "words": "a"}},
        told({"novel": {"data": b"1"}}, status="error"),
        {"text": "a", "x": 1},
    ],
    ids=str,
)
def test_every_kind_of_block_comes_back_as_it_was(block: Dict) -> None:
    for role in ("user", "assistant"):
        raw = {"role": role, "content": [POINT, block, POINT, {"text": "a"}, POINT, POINT]}
        assert bedrock.render_messages(parse_any(raw)) == [raw]


def test_other_providers_get_the_words_and_the_images() -> None:
    history = messages_of(CONVERSATION)
    content: Any = anthropic.render_request((), history)["messages"]
    assert content[0]["content"][1]["source"]["data"] == PNG
    text = json.dumps([content, openai.render_request((), history)], ensure_ascii=False)
    assert all(words in text for words in ("At 14:05.", "And at pier 4?", "One moment."))
    assert "cachePoint" not in text
    assert "Look it up." not in text


def test_a_cache_point_that_moves_leaves_the_message_the_same() -> None:
    with_points = [user({"text": "a"}, POINT), assistant(CALL), user(told({"text": "b"}), POINT)]
    without = [
        {**one, "content": [block for block in one["content"] if block != POINT]} for one in with_points
    ]
    one, other = (list(heads(messages_of(dicts))) for dicts in (with_points, without))
    assert one == other


def test_bytes_and_base64_text_are_the_same_image() -> None:
    as_text = user({"image": {"format": "png", "source": {"bytes": PNG}}})
    (one,), (other,) = parse_any(user(IMAGE)), parse_any(as_text)
    assert one.parts[0].data == other.parts[0].data == PNG  # type: ignore[union-attr]
    assert request_of([one]) == request_of([other]) == [user(IMAGE)]


def test_an_image_of_another_provider_is_sent_as_bytes_and_an_address_is_named() -> None:
    parts = (Media("image/png", data=PNG), Media("image", uri="https://example.org/a.png"))
    assert request_of([Message("user", parts)]) == [
        user(IMAGE, {"text": "[image, https://example.org/a.png: not shown]"})
    ]


def test_documents_have_plain_distinct_names_and_a_text_beside_them() -> None:
    def document(**fields: object) -> Dict:
        return {"document": {"format": "pdf", "source": {"bytes": b"%PDF"}, **fields}}

    history = messages_of([user(document(name="tides_2026: a"), document(name="b"), document(name="b"))])
    sent = request_of([*history, Message("user", (Media("application/pdf", data="JVBERg=="),))])[0]["content"]
    assert [block["document"]["name"] for block in sent if "document" in block] == [
        "tides 2026 a", "b", "b 2", "document",
    ]  # fmt: skip
    assert [block for block in sent if "text" in block] == [{"text": "[a document]"}] * 2


def test_more_images_than_a_message_may_hold_are_named() -> None:
    history = [Message("user", (Media("image/png", data=PNG),)) for _ in range(22)]
    (sent,) = request_of(history)
    assert [next(iter(block)) for block in sent["content"]] == ["image"] * 20 + ["text"] * 2


def test_media_in_a_failed_result_follows_the_results() -> None:
    history = messages_of(
        [user({"text": "go"}), assistant(CALL), user(told({"text": "broken"}, IMAGE, status="error"))]
    )
    assert request_of(history)[2]["content"] == [
        told({"text": "broken"}, status="error"),
        {"text": "[shown by tool call tooluse_1]"},
        IMAGE,
    ]


def test_results_of_parallel_calls_are_in_one_message_and_an_empty_one_says_so() -> None:
    history = (
        Message("user", (Text("go"),)),
        Message("assistant", (ToolCall("a", "tide"), ToolCall("b", "tide"), ToolCall("c", "tide", "[1]"))),
        Message("tool", (ToolResult("b"),)),
        Message("user", (Text("meanwhile"),)),
        Message("tool", (ToolResult("a", (Text("14:05"),)),)),
    )
    messages = request_of(history)
    results = [block["toolResult"] for block in messages[2]["content"] if "toolResult" in block]
    assert [(one["toolUseId"], one["content"][0]["text"], one.get("status")) for one in results] == [
        ("b", "[an empty result]", None),
        ("a", "14:05", None),
        ("c", "[no result was recorded for this call]", "error"),
    ]
    assert messages[2]["content"][3:] == [{"text": "meanwhile"}]
    assert messages[1]["content"][2]["toolUse"]["input"] == {"_raw": "[1]"}


def test_an_id_used_again_or_with_other_letters_is_renamed_with_its_results() -> None:
    group = (
        Message("assistant", (ToolCall("a.b", "web.search"),)),
        Message("tool", (ToolResult("a.b", (Text("x"),)),)),
    )
    messages = request_of(group * 2)
    calls = [block["toolUse"] for one in messages for block in one["content"] if "toolUse" in block]
    answers = [
        block["toolResult"]["toolUseId"]
        for one in messages
        for block in one["content"]
        if "toolResult" in block
    ]
    assert [one["toolUseId"] for one in calls] == answers
    assert len(set(answers)) == 2
    assert bedrock.render_tools([ToolDef("web.search")])[0]["toolSpec"]["name"] == calls[0]["name"]  # type: ignore[index]


def test_without_tools_calls_and_results_are_texts() -> None:
    request: Any = bedrock.render_request((), messages_of(CONVERSATION[:3]), ())
    assert bedrock_breaches(request) == ()
    assert "toolConfig" not in request
    assert words_of(request["messages"])[2:] == [
        '[tool call tide {"pier":3}]', "[result of tool call tooluse_1]", '{"high":"14:05"}', "ok",
    ]  # fmt: skip


def test_thinking_goes_back_byte_for_byte_where_bedrock_signed_it_and_before_other_content() -> None:
    sealed: Dict = {"reasoningContent": {"redactedContent": b"\x00opaque"}}
    unsigned: Dict = {"reasoningContent": {"reasoningText": {"text": "a"}}}
    history = messages_of(
        [user({"text": "go"}), assistant(THOUGHT, sealed, unsigned, {"text": "Yes. "}, THOUGHT)]
    )
    assert request_of(history)[1]["content"] == [THOUGHT, sealed, {"text": "Yes."}]
    foreign = Message("assistant", (Reasoning("a", "c2lnbmVk"), Text("Yes.")), wire="anthropic")
    assert request_of([foreign])[1]["content"] == [{"text": "Yes."}]
    assert request_of(messages_of([user({"text": "go"}), assistant(THOUGHT)])) == [user({"text": "go"})]


def test_a_tool_that_the_provider_runs_goes_back_with_its_result_and_is_text_without() -> None:
    call: Dict = {
        "toolUse": {"toolUseId": "s1", "name": "web", "input": {"q": "a"}, "type": "server_tool_use"}
    }
    result: Dict = {
        "toolResult": {"toolUseId": "s1", "content": [{"text": "b"}], "type": "web_search_result"}
    }
    whole = [user({"text": "go"}), assistant(call, result, {"text": "c"})]
    assert request_of(messages_of(whole)) == whole
    assert list(map(json.loads, words_of(request_of(messages_of(whole), ())[1:])[:2])) == [call, result]
    for alone in (call, result):
        sent = request_of(messages_of([user({"text": "go"}), assistant(alone, {"text": "c"})]))
        (words, said) = words_of(sent[1:])
        assert (json.loads(words), said) == (alone, "c")


def test_the_newest_four_cache_points_stay_each_behind_a_block() -> None:
    turns = [
        user({"text": str(n)}, POINT, POINT) if n % 2 else assistant({"text": str(n)}, POINT)
        for n in range(1, 8)
    ]
    request: Any = bedrock.render_request(
        (), messages_of([{"role": "system", "content": [POINT, {"text": "s"}, POINT]}, *turns]), (TOOL,)
    )
    assert bedrock_breaches(request) == ()
    assert request["system"] == [{"text": "s"}]
    assert [message["content"].count(POINT) for message in request["messages"]] == [0, 0, 0, 1, 1, 1, 1]


def test_system_blocks_keep_their_cache_points() -> None:
    system: Dict = {"role": "system", "content": [{"text": "Be brief."}, POINT]}
    request: Any = bedrock.render_request((), messages_of([system, user({"text": "hi"})]))
    assert request == {"system": [{"text": "Be brief."}, POINT], "messages": [user({"text": "hi"})]}


def test_a_conversation_that_the_model_begins_gets_an_opening() -> None:
    assert request_of(messages_of([assistant({"text": "Hello."})]))[0] == user({"text": OPENING})


def test_a_whole_reply_is_appended_as_its_message_and_parsed_with_its_usage() -> None:
    reply: Dict = {
        "ResponseMetadata": {"HTTPStatusCode": 200},
        "output": {"message": assistant(THOUGHT, {"text": "One moment."}, CALL)},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 9, "outputTokens": 4, "totalTokens": 13},
        "metrics": {"latencyMs": 4},
    }
    assert parse_any(reply) == parse_any(reply["output"]["message"])
    found = parse_reply(reply)
    assert (found.text, found.finish_reason, found.calls[0].name) == ("One moment.", "tool_calls", "tide")
    assert found.usage == Usage(9, 4)


@pytest.mark.parametrize(
    "raw, words",
    [
        ({"role": "robot", "content": [{"text": "a"}]}, "role is 'robot'"),
        ({"role": "user", "content": [{"text": "a"}, 3]}, "a Bedrock message is a int"),
        ({"role": "user", "content": [{"toolResult": {"content": []}}]}, "the toolUseId of"),
        ({"role": "assistant", "content": [{"toolUse": {"toolUseId": "a"}}]}, "the name of"),
        (
            {"role": "user", "content": [told() | {"toolResult": {"toolUseId": "a", "content": "b"}}]},
            "the content of",
        ),
        ({"output": {"message": 3}}, "the message of a reply is a int"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_refused_with_the_place(raw: Dict, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        parse_any(raw)
    assert caught.value.hint


def test_tools_are_read_from_a_tool_configuration_and_written_again() -> None:
    config: list[Dict] = [
        {"toolSpec": {**SPEC, "strict": True}},
        {"cachePoint": {"type": "default"}},
        {"systemTool": {"name": "nova_grounding"}},
    ]
    tools = [tool for one in config for tool in parse_tools(one)]
    assert bedrock.render_tools(tools) == config
    assert parse_tool(SPEC) == TOOL
    assert [tool["name"] for tool in anthropic.render_tools(tools)] == ["tide"]


def test_tools_of_other_providers_are_written_once_each_with_an_object_schema() -> None:
    made = bedrock.render_tools(
        [ToolDef("tide", " ", '{"type":"string"}'), ToolDef("tide"), ToolDef("x", wire="mcp")]
    )
    assert made == [
        {"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object", "properties": {}}}}}
        for name in ("tide", "x")
    ]
