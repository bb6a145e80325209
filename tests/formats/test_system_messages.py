"""System messages among the messages: where each provider shows them, and that a reply changes nothing before it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats import anthropic, bedrock, gemini, openai, parse_any
from palimpsest.formats.anthropic.model_abilities import accepts_system_messages, binds_thinking
from palimpsest.formats.rules import anthropic_breaches
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from tests.formats.test_requests import PROVIDERS, Judge, Render, messages_of, steps
from tests.strategies import exchanges

OLDER = "claude-sonnet-4-5"
MODELS: list[tuple[str, bool, bool | None]] = [
    ("claude-opus-5-5", True, True),
    ("anthropic:claude-sonnet-5-5", True, True),
    ("anthropic/claude-haiku-5.5", True, True),
    ("us.anthropic.claude-haiku-5-5-20260801-v1:0", True, True),
    ("bedrock/eu.anthropic.claude-opus-5-5-v1:0", True, True),
    ("claude-fable-5-1", True, True),
    ("claude-mythos-5-2-latest", True, True),
    ("claude-fable-5-1@20260801", True, True),
    ("claude-opus-5-5[1m]", True, True),
    ("Claude-Opus-5-5:thinking", True, True),
    ("claude-opus-5", True, False),
    ("claude-opus-5-20260101", True, False),
    ("claude-fable-5", True, False),
    ("claude-mythos-5", True, False),
    ("claude-opus-4-8", True, False),
    ("claude-opus-4-7", False, False),
    ("claude-opus-4-20250514", False, False),
    ("claude-sonnet-5", False, False),
    ("openrouter:anthropic/claude-sonnet-4.5", False, False),
    ("us.anthropic.claude-haiku-4-5-20251001-v1:0", False, False),
    ("claude-4-sonnet-20250514", False, False),
    ("claude-3-5-sonnet@20240620", False, False),
    ("anthropic.claude-3-opus-20240229-v1:0", False, False),
    ("claude-2.1", False, False),
    ("claude-instant-1.2", False, False),
    ("claude-sonnet-6", True, None),
    ("claude-haiku-5", True, None),
    ("claude-opus-5-9", True, None),
    ("claude-saga-7", True, None),
    ("claude", True, None),
    ("claude-latest", True, None),
    ("notclaude-3-opus", True, None),
    ("gpt-6", True, None),
    ("", True, None),
]
PLACES = [
    ("us", ["user", "system"]),
    ("usa", ["user", "system", "assistant"]),
    ("ussa", ["user", "system", "assistant"]),
    ("usua", ["user", "system", "assistant"]),
    ("usaus", ["user", "system", "assistant", "user", "system"]),
    ("uasu", ["user", "assistant", "user", "system"]),
    ("uas", ["user", "assistant", "user"]),
    ("uasa", ["user", "assistant", "user", "assistant"]),
    ("ucrsa", ["user", "assistant", "user", "system", "assistant"]),
    ("ucsra", ["user", "assistant", "user", "system", "assistant"]),
    ("ucrsua", ["user", "assistant", "user", "system", "assistant"]),
]


def history_of(letters: str) -> list[Message]:
    """A history in letters: a user's message, a system message, a reply, a call, its result."""
    made = {
        "u": Message("user", (Text("what the user says"),)),
        "s": Message("system", (Text("what the system says"),)),
        "a": Message("assistant", (Text("what the assistant says"),)),
        "c": Message("assistant", (ToolCall("c1", "ls"),)),
        "r": Message("tool", (ToolResult("c1", (Text("a.txt"),)),)),
    }
    return [made[letter] for letter in letters]


@st.composite
def told(draw: st.DrawFn) -> list[Message]:
    """A history with system messages anywhere, within tool groups too."""
    found = [one for step in draw(st.lists(exchanges(), min_size=1, max_size=6)) for one in step]
    for place in draw(st.lists(st.integers(0, len(found)), min_size=1, max_size=4)):
        words = draw(st.sampled_from(("Be brief.", "Now in French.", "", "The disk is full.")))
        wire = draw(st.sampled_from(("", "openai", "anthropic")))
        found.insert(place, Message("system", (Text(words),), wire=wire))
    return found


@pytest.mark.parametrize("model, accepts, binds", MODELS, ids=[name or "none" for name, *_ in MODELS])
def test_the_name_of_a_model_says_what_it_accepts(model: str, accepts: bool, binds: bool | None) -> None:
    assert (accepts_system_messages(model), binds_thinking(model)) == (accepts, binds)


@pytest.mark.parametrize("letters, roles", PLACES, ids=[letters for letters, _ in PLACES])
def test_anthropic_gets_a_system_message_where_it_may_stand(letters: str, roles: list[str]) -> None:
    request: dict[str, Any] = anthropic.render_request((), history_of(letters))
    assert [message["role"] for message in messages_of(request)] == roles
    assert anthropic_breaches(request) == ()


@PROVIDERS
@given(history=told())
def test_a_history_with_system_messages_is_accepted(
    render: Render, judge: Judge, history: list[Message]
) -> None:
    assert judge(render((), history, ())) == ()


@PROVIDERS
@given(history=told())
def test_a_reply_only_adds_to_the_end_of_the_request(
    render: Render, judge: Judge, history: list[Message]
) -> None:
    nothing = steps(render((), (), ()))
    for end, message in enumerate(history):
        before = steps(render((), history[:end], ()))
        if message.role != "assistant" or before == nothing:
            continue
        assert steps(render((), history[: end + 1], ()))[: len(before)] == before


@given(history=told())
def test_an_older_model_gets_system_messages_as_text_of_the_user(history: list[Message]) -> None:
    request: dict[str, Any] = anthropic.render_request((), history, model=OLDER)
    assert {message["role"] for message in messages_of(request)} <= {"user", "assistant"}


def test_a_text_of_the_user_says_that_it_is_a_system_message() -> None:
    shown = {"type": "text", "text": "[system message]\nwhat the system says"}
    said = {"type": "text", "text": "what the user says"}
    (first,) = messages_of(anthropic.render_request((), history_of("usu"), model=OLDER))
    assert first["content"] == [said, shown, said]
    third = messages_of(anthropic.render_request((), history_of("uas")))[2]
    assert third == {"role": "user", "content": [shown]}


def test_a_changed_tool_goes_back_as_it_came_in_a_system_message_and_as_text_elsewhere() -> None:
    block = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "ls"}}
    history = [*history_of("u"), *parse_any({"role": "system", "content": [block]})]
    request: dict[str, Any] = anthropic.render_request((), history)
    assert messages_of(request)[1] == {"role": "system", "content": [block]}
    assert anthropic_breaches(request) == ()
    older: dict[str, Any] = anthropic.render_request((), history, model=OLDER)
    assert messages_of(older)[0]["content"][1]["text"].startswith('[system message]\n{"tool":')
    leading: dict[str, Any] = anthropic.render_request((), history[::-1])
    assert leading["system"][0]["type"] == "text"


def test_merged_system_messages_are_shown_as_long_as_the_longest_of_them() -> None:
    short = {"role": "system", "content": "Disk: 3 GB.", "clear_at": "next_user_message"}
    history = [*history_of("u"), *anthropic.parse_message(short)]
    assert messages_of(anthropic.render_request((), history))[1]["clear_at"] == "next_user_message"
    both = messages_of(anthropic.render_request((), [*history, *history_of("s")]))[1]
    assert (both.get("clear_at"), len(both["content"])) == (None, 2)


def test_openai_gets_system_and_developer_messages_as_they_came_in_their_places() -> None:
    dicts: list[dict[str, object]] = [
        {"role": "user", "content": "hi"},
        {"role": "developer", "content": "Be brief."},
        {"role": "assistant", "content": "ok"},
        {"role": "system", "content": "In French."},
        {"role": "user", "content": "go on"},
    ]
    history = [message for raw in dicts for message in parse_any(raw)]
    assert messages_of(openai.render_request((), history)) == dicts


def test_gemini_gets_a_system_message_as_text_of_the_user_in_its_place() -> None:
    contents: Any = gemini.render_request((), history_of("uasu"))["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user"]
    assert [part["text"] for part in contents[2]["parts"]] == ["what the system says", "what the user says"]


def test_bedrock_gets_a_system_message_as_text_of_the_user_that_says_what_it_is() -> None:
    messages: Any = bedrock.render_request((), history_of("uasu"))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    told = f"{anthropic.SYSTEM_HEADER}\nwhat the system says"
    assert messages[2]["content"] == [{"text": told}, {"text": "what the user says"}]
