"""A whole reply is taken for its message, or refused in words that say what to give."""

from __future__ import annotations

from typing import Any

import pytest

from palimpsest.errors import FormatError
from palimpsest.formats import parse_any

SAID = {"role": "assistant", "content": "lit"}
CHOICE = {"index": 0, "finish_reason": "stop", "message": SAID}
CANDIDATE = {"content": {"role": "model", "parts": [{"text": "lit"}]}, "finishReason": "STOP"}


@pytest.mark.parametrize(
    "reply",
    [
        SAID,
        CHOICE,
        {"object": "chat.completion", "choices": [CHOICE]},
        CANDIDATE,
        {"candidates": [CANDIDATE]},
    ],
)
def test_a_reply_is_its_message(reply: dict[str, Any]) -> None:
    assert [(one.role, one.text) for one in parse_any(reply)] == [("assistant", "lit")]


@pytest.mark.parametrize(
    "given, words, hint",
    [
        ({"choices": [CHOICE, CHOICE]}, "the reply has 2 choices", "reply.choices[0].message"),
        ({"candidates": [CANDIDATE] * 3}, "the reply has 3 candidates", "reply.candidates[0].content"),
        ({"choices": []}, "the reply has 0 choices", "nothing to append"),
        (
            {"choices": [{"index": 0, "delta": {"content": "l"}}]},
            "part of a streamed reply",
            "collect the stream",
        ),
        ("lit", "a message is a string", '"role": "user"'),
        ([SAID], "a message is a list", "append(*messages)"),
        ({"message": 5}, "a message has no role", "give an OpenAI chat message"),
    ],
)
def test_what_is_no_message_is_refused_with_what_to_give(given: object, words: str, hint: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_any(given)
    assert words in caught.value.message
    assert hint in (caught.value.hint or "")
