"""Replies of OpenAI's Responses beyond what all providers share: every item goes back as it came, and the items of a
stream count wherever they come.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from palimpsest.errors import FormatError
from palimpsest.formats import openai
from palimpsest.formats.openai.responses_reply import StreamParser, parse_reply
from palimpsest.record.completion import Completion, ReasoningDelta, TextDelta
from palimpsest.record.message import Message, Opaque, Text, ToolCall
from tests.strategies import response_outputs

REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "phase": "commentary",
    "content": [{"type": "output_text", "text": "Looking.", "annotations": []}],
}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{}"}
SHELL = {
    "type": "shell_call",
    "id": "sh_1",
    "call_id": "call_2",
    "status": "completed",
    "action": {"commands": ["ls"]},
}
SHOWN = {
    "type": "shell_call_output",
    "id": "so_1",
    "call_id": "call_2",
    "output": [],
    "max_output_length": None,
}
COMPACTION = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}
ASKED = Message("user", (Text("Which pier?"),))


def response(*output: object, **fields: Any) -> dict[str, Any]:
    """A whole response."""
    return {"object": "response", "status": "completed", "model": "m", "output": list(output), **fields}


def fed(*events: dict[str, Any]) -> Completion:
    """What comes of a stream."""
    parser = StreamParser()
    for event in events:
        parser.feed(event)
    return parser.finish()


def done(item: object, place: object = 0) -> dict[str, Any]:
    """The event of a completed item."""
    return {"type": "response.output_item.done", "output_index": place, "item": item}


def sent(completion: Completion) -> list[Any]:
    """The items that go out for a reply."""
    assert completion.message is not None
    return openai.render_responses((), [ASKED, completion.message])["input"][1:]  # type: ignore[index, return-value]


@given(response_outputs())
def test_the_message_of_a_response_is_that_of_its_items(output: list[dict[str, object]]) -> None:
    found = parse_reply(response(*output)).message
    assert found is not None
    assert openai.parse_items([response(*output)]) == [
        Message("assistant", found.parts, wire=found.wire, extra=found.extra)
    ]


def test_work_of_the_provider_and_its_compaction_are_parts_of_the_reply_and_go_back_as_they_came() -> None:
    output = [COMPACTION, REASONING, SHELL, SHOWN, SAID]
    found = parse_reply(response(*output))
    assert found.message is not None
    assert [part.kind for part in found.message.parts if isinstance(part, Opaque)] == [
        "compaction", "shell_call", "shell_call_output",
    ]  # fmt: skip
    assert (found.calls, found.finish_reason, found.text) == ((), "stop", "Looking.")
    assert [item["type"] for item in sent(found)] == [item["type"] for item in output]
    assert sent(found)[:4] == output[:4]


def test_a_call_that_nobody_answered_yet_is_the_callers() -> None:
    found = parse_reply(response(REASONING, CALL, SHELL))
    assert [call.name for call in found.calls] == ["read", "shell"]
    assert found.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    "fields,reason",
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "refused"),
        ({"status": "incomplete", "incomplete_details": {"reason": "steered"}}, "tool_calls"),
        ({"status": "incomplete", "incomplete_details": None}, "tool_calls"),
        ({"status": "completed"}, "tool_calls"),
        ({"status": None}, "tool_calls"),
    ],
)
def test_a_response_that_was_cut_keeps_what_there_is_of_it(fields: dict[str, Any], reason: str) -> None:
    cut = CALL | {"arguments": '{"pa', "status": "incomplete"}
    found = parse_reply(response(REASONING, cut, **fields))
    assert found.finish_reason == reason
    assert found.calls == (ToolCall("call_1", "read", '{"pa', found.calls[0].extra),)


def test_a_response_without_words_and_calls_ends_as_it_says() -> None:
    assert parse_reply(response()).finish_reason == "stop"
    assert parse_reply(response(status=None)).finish_reason == "other"
    assert parse_reply(response(REASONING)).text == ""
    assert fed().finish_reason == "other"


def test_the_completed_items_of_a_stream_count_before_those_of_the_final_event() -> None:
    early = REASONING | {"encrypted_content": "half"}
    ended = {"type": "response.completed", "response": response(early, SAID)}
    assert fed(done(REASONING), ended) == parse_reply(response(REASONING, SAID))
    empty = {"type": "response.completed", "response": response()}
    assert fed(done(SAID, 1), done(REASONING), empty) == parse_reply(response(REASONING, SAID))
    for places in ((None, "1"), (1, None), (0, [])):
        told = [done(item, place) for item, place in zip((REASONING, SAID), places, strict=True)]
        assert fed(*told, empty) == parse_reply(response(REASONING, SAID))


def test_deltas_are_told_as_they_come_and_other_events_are_passed_over() -> None:
    parser = StreamParser()
    told = {
        "response.output_text.delta": [TextDelta("x")],
        "response.refusal.delta": [TextDelta("x")],
        "response.reasoning_summary_text.delta": [ReasoningDelta("x")],
        "response.reasoning_text.delta": [ReasoningDelta("x")],
        "response.function_call_arguments.delta": [],
        "response.created": [],
        "keepalive": [],
    }
    assert {kind: parser.feed({"type": kind, "delta": "x"}) for kind in told} == told
    assert parser.feed({"type": "response.output_text.delta", "delta": ""}) == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"output": None},
        {"output": [3]},
        {"output": [{"type": "message", "role": "assistant"}]},
        {"output": [{"type": "message", "content": "x"}]},
        {"output": [CALL | {"name": None}]},
        {"output": [], "status": "failed"},
        {"output": [], "status": "in_progress"},
    ],
    ids=str,
)
def test_what_is_no_finished_response_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        parse_reply(body)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.output_text.delta"},
        {"type": "response.output_text.delta", "delta": 3},
        {"type": "response.output_item.done", "item": "x"},
        {"type": "response.completed"},
        {"type": "response.completed", "response": []},
        [],
    ],
    ids=str,
)
def test_an_event_of_another_shape_is_refused(event: Any) -> None:
    with pytest.raises(FormatError):
        fed(event)


def test_content_of_an_unknown_type_is_kept_and_is_no_words() -> None:
    said = SAID | {"content": [{"type": "hologram", "beam": 3}, {"type": "output_text", "text": "Pier 3."}]}
    found = parse_reply(response(said))
    assert found.text == "Pier 3."
    assert sent(found)[0]["content"] == said["content"]


def test_an_official_clients_object_is_read_like_its_dict() -> None:
    from openai.types.responses import Response

    body = response(REASONING, SAID, id="resp_1", created_at=1, parallel_tool_calls=True, tool_choice="auto")
    body |= {"tools": [], "usage": None}
    found, expected = parse_reply(Response.model_validate(body)), parse_reply(body)
    assert sent(found) == sent(expected)
    assert (found.text, found.finish_reason, found.model) == ("Looking.", "stop", "m")
