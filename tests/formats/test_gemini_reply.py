"""Gemini's replies, whole and in chunks: one meaning, and nothing of what was sent is lost."""

from __future__ import annotations

from typing import Any

import pytest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import FormatError
from palimpsest.formats import gemini
from palimpsest.formats.gemini.reply import StreamParser, parse_reply
from palimpsest.record.completion import Completion, Delta, ReasoningDelta, TextDelta
from palimpsest.record.message import Message, Reasoning, Text, Usage

COUNTS = {
    "promptTokenCount": 40,
    "candidatesTokenCount": 5,
    "thoughtsTokenCount": 7,
    "cachedContentTokenCount": 32,
}
CALL = {"functionCall": {"name": "ls", "args": {"path": "/srv"}}, "thoughtSignature": "_-8="}


def reply(*parts: object, finish: str | None = "STOP", **fields: object) -> dict[str, Any]:
    candidate: dict[str, object] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "gemini-9", **fields}


def streamed(*chunks: dict[str, Any]) -> tuple[list[Delta], Completion]:
    parser = StreamParser()
    deltas = [delta for chunk in chunks for delta in parser.feed(chunk)]
    return deltas, parser.finish()


def parts_in(completion: Completion) -> list[object]:
    """The parts of a completion's message, written again."""
    rendered: Any = gemini.render_messages([completion.message or Message("assistant")])
    return rendered[0]["parts"]


def test_a_reply_holds_what_was_said_called_and_counted() -> None:
    parts = [{"text": "hm", "thought": True}, {"text": "Let me "}, {"text": "look."}, CALL]
    found = parse_reply(reply(*parts, usageMetadata=COUNTS, responseId="r"))
    assert (found.text, found.finish_reason, found.model) == ("Let me look.", "tool_calls", "gemini-9")
    assert found.usage == Usage(40, 12, 32)
    assert [call.arguments for call in found.calls] == ['{"path":"/srv"}']
    assert parts_in(found) == parts
    assert found.message is not None
    assert (found.message.role, found.message.wire, found.message.model) == (
        "assistant",
        "gemini",
        "gemini-9",
    )
    assert found.message.usage == found.usage


@pytest.mark.parametrize(
    "finish, reason",
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "refused"),
        ("RECITATION", "refused"),
        ("PROHIBITED_CONTENT", "refused"),
        ("MALFORMED_FUNCTION_CALL", "other"),
        (None, "other"),
    ],
)
def test_a_finish_reason_is_told(finish: str | None, reason: str) -> None:
    assert parse_reply(reply({"text": "so"}, finish=finish)).finish_reason == reason
    assert streamed(reply({"text": "so"}, finish=finish))[1].finish_reason == reason


def test_every_finish_reason_of_the_client_is_known_or_other() -> None:
    reasons = {
        parse_reply(reply({"text": "a"}, finish=one.value)).finish_reason for one in types.FinishReason
    }
    assert reasons == {"stop", "length", "refused", "other"}


def test_a_blocked_prompt_is_refused() -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}}
    for found in (parse_reply(blocked), streamed(blocked)[1]):
        assert (found.text, found.finish_reason, found.usage) == ("", "refused", Usage(9))
        assert found.message == Message("assistant", usage=Usage(9), wire="gemini")


def test_a_candidate_without_content_is_read() -> None:
    found = parse_reply({"candidates": [{"finishReason": "SAFETY"}]})
    assert (found.text, found.finish_reason) == ("", "refused")


def test_chunks_become_the_parts_of_a_whole_reply() -> None:
    deltas, found = streamed(
        reply({"text": "First ", "thought": True}, finish=None, usageMetadata={"promptTokenCount": 40}),
        reply({"text": "hm", "thought": True}, {"text": "Let "}, finish=None),
        reply({"text": "me look."}, finish=None),
        reply(
            {"text": "", "thoughtSignature": "c2ln"},
            CALL,
            {"functionCall": {"name": "ls"}},
            usageMetadata=COUNTS,
        ),
    )
    assert deltas == [
        ReasoningDelta("First "),
        ReasoningDelta("hm"),
        TextDelta("Let "),
        TextDelta("me look."),
    ]
    assert parts_in(found) == [
        {"text": "First hm", "thought": True},
        {"text": "Let me look.", "thoughtSignature": "c2ln"},
        CALL,
        {"functionCall": {"name": "ls"}},
    ]
    assert (found.text, found.finish_reason, found.usage) == ("Let me look.", "tool_calls", Usage(40, 12, 32))


def test_a_signature_closes_its_part() -> None:
    _, found = streamed(
        reply({"text": "a", "thoughtSignature": "YQ=="}, finish=None),
        reply({"text": "b"}, finish=None),
        reply(CALL, finish=None),
        reply({"text": "", "thoughtSignature": "Yg=="}),
    )
    assert parts_in(found) == [
        {"text": "a", "thoughtSignature": "YQ=="},
        {"text": "b"},
        CALL,
        {"text": "", "thoughtSignature": "Yg=="},
    ]


def test_code_that_ran_is_kept_between_the_words_and_is_no_words() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1 + 1"}}
    ran = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}}
    _, found = streamed(reply({"text": "So: "}, code, finish=None), reply(ran, {"text": "two."}))
    assert found.text == "So: two."
    assert parts_in(found) == [{"text": "So: "}, code, ran, {"text": "two."}]


@given(st.lists(st.text(max_size=5), max_size=6), st.lists(st.text(max_size=5), max_size=6))
def test_however_words_are_cut_the_reply_is_the_same(thoughts: list[str], words: list[str]) -> None:
    pieces: list[object] = [{"text": text, "thought": True} for text in thoughts]
    pieces += [{"text": text} for text in words]
    deltas, found = streamed(*(reply(piece, finish=None) for piece in pieces), reply(CALL))
    assert found.text == "".join(words)
    assert "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta)) == "".join(thoughts)
    assert found.message is not None
    reasoned = [part.text for part in found.message.parts if isinstance(part, Reasoning)]
    assert reasoned == (["".join(thoughts)] if thoughts else [])
    assert [part.text for part in found.message.parts if isinstance(part, Text)] == (
        ["".join(words)] if words else []
    )


def test_what_the_google_client_returns_is_read_like_its_body() -> None:
    body = reply({"text": "hm", "thought": True}, {"text": "so"}, CALL, usageMetadata=COUNTS)
    response: Any = types.GenerateContentResponse.model_validate(body)
    whole, chunks = parse_reply(response), streamed(response)[1]
    expected = parse_reply(body)
    for found in (whole, chunks):
        assert (found.text, found.usage, found.finish_reason) == (expected.text, expected.usage, "tool_calls")
        assert found.model == "gemini-9"
        assert found.message is not None
        sent: Any = gemini.render_request((), [Message("user", (Text("go"),)), found.message])
        assert sent["contents"][1]["parts"][2] == CALL


@pytest.mark.parametrize("body", [{}, {"candidates": []}, {"candidates": "x"}, {"promptFeedback": {}}])
def test_a_body_without_a_reply_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(FormatError, match="no candidates"):
        parse_reply(body)


@pytest.mark.parametrize(
    "body, words",
    [
        ("hi", "a Gemini response is a str"),
        ({"candidates": ["hi"]}, "a candidate is a str"),
        ({"candidates": [{"content": "hi"}]}, "the content of a candidate is a str"),
        ({"candidates": [{"content": {"parts": "hi"}}]}, "the parts of a candidate is a str"),
    ],
)
def test_a_body_of_another_shape_is_refused(body: object, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_reply(body)
