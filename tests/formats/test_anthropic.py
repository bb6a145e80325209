"""Anthropic message dicts: reading and writing them changes nothing, and what they say ends up in the right part."""

from __future__ import annotations

import pytest
from hypothesis import given

from palimpsest.errors import FormatError
from palimpsest.formats import anthropic
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult
from tests.effort import examples
from tests.strategies import anthropic_dicts

MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
USE = {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "/srv", "名": [1, 2.5, None]}}


def user(*blocks: dict[str, object]) -> dict[str, object]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, object]) -> dict[str, object]:
    return {"role": "assistant", "content": list(blocks)}


def result(**fields: object) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": "toolu_1", **fields}


ROUND_TRIPS: list[dict[str, object]] = [
    {"role": "user", "content": "hello"},
    {"role": "user", "content": "", "x": 1},
    user(),
    user({"type": "text", "text": "hello"}),
    user({"type": "text", "text": "hello", **MARK}),
    assistant(
        {"type": "text", "text": "As said", "citations": [{"type": "char_location", "cited_text": "a"}]}
    ),
    assistant({"type": "text", "text": "As said", "citations": None}),
    assistant(
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "text", "text": "so"}, USE
    ),
    assistant(
        {"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "thinking", "thinking": "ha"}
    ),
    assistant({"type": "redacted_thinking", "data": "b3BhcXVl"}, USE),
    assistant({**USE, **MARK, "caller": {"type": "direct"}}, {"type": "tool_use", "id": "b", "name": "ls"}),
    user(result()),
    user(result(content="")),
    user(result(content="a.txt", is_error=False)),
    user(result(content="gone", is_error=True, **MARK)),
    user(result(content=[])),
    user(result(content=None)),
    user(result(content=[{"type": "text", "text": "a.txt"}])),
    user(
        result(content=[{"type": "text", "text": "a", **MARK}, {"type": "tool_reference", "tool_name": "ls"}])
    ),
    user(result(content="a"), result(content="b", tool_use_id="toolu_2"), {"type": "text", "text": "go on"}),
    user(
        {"type": "text", "text": "first"},
        result(content="a"),
        {"type": "text", "text": ""},
        result(content="b"),
    ),
    user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}, **MARK}),
    user({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}),
    user({"type": "image", "source": {"type": "url", "url": "gs://bucket/a.png"}}),
    user({"type": "image", "source": {"type": "file", "file_id": "file_1"}}),
    user({"type": "image", "source": {"type": "hologram", "x": 1}}, {"type": "image"}),
    user(
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
            "title": "T",
        }
    ),
    user(
        {"type": "document", "source": {"type": "base64", "media_type": "image/png", "data": "aGk=", "x": 1}}
    ),
    user(
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "Terms"},
            "context": "c",
            "citations": {"enabled": True},
        }
    ),
    user({"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "Terms"}]}}),
    user({"type": "search_result", "source": "a", "title": "t", "content": [{"type": "text", "text": "b"}]}),
    assistant(
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": [{"type": "web_search_result", "url": "https://example.org"}],
            **MARK,
        },
        {"type": "text", "text": "Found."},
    ),
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": [],
        "stop_reason": "end_turn",
    },
]


@pytest.mark.parametrize("raw", ROUND_TRIPS, ids=lambda raw: str(raw)[:60])
def test_a_dict_comes_back_as_it_was(raw: dict[str, object]) -> None:
    assert anthropic.render_messages(anthropic.parse_message(raw)) == [raw]


@examples(120)
@given(anthropic_dicts())
def test_any_dict_comes_back_as_it_was(raw: dict[str, object]) -> None:
    assert anthropic.render_messages(anthropic.parse_message(raw)) == [raw]


def test_all_dicts_in_a_row_come_back_as_they_were() -> None:
    messages = [message for raw in ROUND_TRIPS for message in anthropic.parse_message(raw)]
    assert anthropic.render_messages(messages) == ROUND_TRIPS


def test_results_and_words_of_one_dict_become_messages_in_order() -> None:
    found = anthropic.parse_message(ROUND_TRIPS[19])
    assert [(message.role, len(message.parts)) for message in found] == [("tool", 2), ("user", 1)]
    assert [message.role for message in anthropic.parse_message(ROUND_TRIPS[20])] == [
        "user",
        "tool",
        "user",
        "tool",
    ]


def test_blocks_become_parts_with_their_signatures() -> None:
    (message,) = anthropic.parse_message(ROUND_TRIPS[7])
    assert message.parts == (
        Reasoning("hm", "c2ln"),
        Text("so"),
        ToolCall("toolu_1", "ls", '{"path":"/srv","名":[1,2.5,null]}'),
    )


def test_an_error_is_marked_and_media_has_its_size() -> None:
    (failed,) = anthropic.parse_message(ROUND_TRIPS[14])
    assert (failed.results[0].is_error, failed.results[0].text) == (True, "gone")
    (shown,) = anthropic.parse_message(ROUND_TRIPS[22])
    assert shown.parts == (Media("image", uri="https://example.org/a.png"),)
    (whole,) = anthropic.parse_message(
        user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}})
    )
    assert whole.parts == (Media("image/png", data="aGk=", size_bytes=2),)


def test_the_words_of_documents_and_server_tools_are_words_here() -> None:
    assert "Terms" in anthropic.parse_message(ROUND_TRIPS[28])[0].text
    assert "https://example.org" in anthropic.parse_message(ROUND_TRIPS[31])[0].text


def test_nearly_every_dict_needs_no_extra() -> None:
    raw = assistant(
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "text", "text": "so"}, USE
    )
    messages = (*anthropic.parse_message(raw), *anthropic.parse_message(user(result(content="a"))))
    assert [message.extra for message in messages] == ["", ""]
    assert [part.extra for message in messages for part in message.parts] == [""] * 4


def test_thinking_of_another_wire_is_left_out() -> None:
    message = Message("assistant", (Reasoning("hm", "c2ln"), Text("so")), wire="openai")
    assert anthropic.render_messages([message]) == [{"role": "assistant", "content": "so"}]


def test_a_model_object_counts_as_the_dict_it_dumps_to() -> None:
    class Block:
        def model_dump(self, **options: object) -> dict[str, object]:
            return {"type": "text", "text": "so"}

    raw: dict[str, object] = {"role": "assistant", "content": [Block()]}
    assert anthropic.parse_message(raw)[0].parts == (Text("so"),)


@pytest.mark.parametrize(
    "raw, words",
    [
        ({"role": "tool", "content": "hi"}, "role 'tool'"),
        ({"role": "user", "content": 3}, "content that is a int"),
        (user({"text": "hi"}), r"content\[0\] has no type"),
        ({"role": "user", "content": ["hi"]}, r"content\[0\] is a str"),
        (user({"type": "tool_result"}), r"tool_use_id of .*content\[0\] is null"),
        (assistant({"type": "tool_use", "name": "ls"}), r"id of .*content\[0\] is null"),
        (user(result(content=[{"type": "text"}, 4])), r"content\[0\], content\[1\] is a int"),
    ],
)
def test_a_dict_of_another_shape_is_refused_with_the_place(raw: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        anthropic.parse_message(raw)


def test_results_out_of_a_tool_message_are_written_for_the_user() -> None:
    message = Message("tool", (ToolResult("a", (Text("1"),)), ToolResult("b", is_error=True)))
    assert anthropic.render_messages([message]) == [
        user(
            {"type": "tool_result", "tool_use_id": "a", "content": "1"},
            {"type": "tool_result", "tool_use_id": "b", "is_error": True},
        )
    ]
