"""OpenAI's wire for the servers and models that are stricter than OpenAI."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats import openai
from palimpsest.formats.openai.other_servers import for_chat_template, takes_openai_form
from palimpsest.formats.rules import chat_template_breaches, openai_breaches
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from tests.formats.test_requests import said, strings_of
from tests.strategies import histories

MODELS = (
    "qwen3.5-32b",
    "mistralai/Mistral-Small",
    "kimi-k2.5",
    "moonshotai/Kimi-K2-Thinking",
    "gpt-oss-120b",
)
SYSTEM = ("be brief", "remember the tides")


def rendered(history: Any, model: str, system: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    request: Any = openai.render_request(system, history, model=model)
    return request["messages"]


@given(history=histories(), model=st.sampled_from(MODELS), system=st.sampled_from(((), SYSTEM)))
def test_every_history_is_accepted_by_other_servers(
    history: list[Message], model: str, system: tuple[str, ...]
) -> None:
    request = openai.render_request(system, history, model=model)
    assert chat_template_breaches({**request, "model": model}) == ()
    assert openai_breaches(request) == ()


@given(history=histories(), model=st.sampled_from(MODELS))
def test_nothing_that_was_said_is_missing_for_other_servers(history: list[Message], model: str) -> None:
    text = "\n".join(strings_of(openai.render_request((), history, model=model)))
    assert [words for words in said(history) if words not in text] == []


@given(history=histories(), model=st.sampled_from(("", "gpt-5.5", *MODELS)))
def test_the_first_message_is_the_users_for_every_model(history: list[Message], model: str) -> None:
    roles = [one["role"] for one in rendered(history, model, SYSTEM)]
    assert next(role for role in roles if role not in ("system", "developer")) == "user"


@given(history=histories(), model=st.sampled_from(MODELS))
def test_the_form_for_other_servers_is_reached_at_once(history: list[Message], model: str) -> None:
    messages: Any = rendered(history, model, SYSTEM)
    assert for_chat_template(messages, model) == messages


@pytest.mark.parametrize(
    "name, own",
    [
        ("", True),
        ("gpt-5.5", True),
        ("openai/gpt-4o", True),
        ("ft:gpt-4o:acme", True),
        ("openai:gpt-5", True),
        ("openai:qwen3:8b", False),
        ("o3", True),
        ("o4-mini", True),
        ("chatgpt-4o-latest", True),
        ("anthropic/claude-opus-5", True),
        ("gemini-3-pro", True),
        ("gpt-oss-20b", False),
        ("olmo-2", False),
        ("o1x", False),
        ("kimi-k2.5", False),
        ("Qwen/Qwen3.5-35B", False),
    ],
)
def test_a_models_name_says_whose_form_it_gets(name: str, own: bool) -> None:
    assert takes_openai_form(name) is own


def test_system_texts_become_one_message_and_a_later_one_a_users_text() -> None:
    history = (
        Message("user", (Text("a question"),)),
        Message("system", (Text("the harbour closes at nine"),)),
        Message("assistant", (Text("an answer"),)),
    )
    assert rendered(history, "qwen3", SYSTEM) == [
        {"role": "system", "content": "be brief\n\nremember the tides"},
        {"role": "user", "content": "a question\n\n[system message]\nthe harbour closes at nine"},
        {"role": "assistant", "content": "an answer"},
    ]
    assert [one["role"] for one in rendered(history, "gpt-5.5", SYSTEM)] == [
        *("system", "system", "user", "system", "assistant")
    ]


def test_kimi_gets_reasoning_with_every_call() -> None:
    own = {"role": "assistant", "content": "", "reasoning_content": "I look", "tool_calls": []}
    call = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    history = (
        Message("user", (Text("look"),)),
        *openai.parse_message({**own, "tool_calls": [call]}),
        Message("tool", (ToolResult("c"),)),
        Message("assistant", (ToolCall("d", "ls"),)),
        Message("tool", (ToolResult("d", (Text("b.txt"),)),)),
    )
    messages = rendered(history, "kimi-k2.6")
    assert [one.get("reasoning_content") for one in messages] == [None, "I look", None, ".", None]
    assert messages[2]["content"] == "[an empty message]"
    assert "reasoning_content" not in rendered(history, "qwen3")[3]


def test_neighbours_of_two_people_name_them() -> None:
    history = (
        Message("user", (Text("Is it lit?"),), name="ann"),
        Message("user", (Text("And the other?"),), name="ben"),
    )
    assert rendered(history, "gemma-3") == [
        {"role": "user", "content": "[ann] Is it lit?\n\n[ben] And the other?"}
    ]


def test_a_system_message_of_other_parts_says_them() -> None:
    part = {"type": "a_later_part", "payload": 1}
    history = (*openai.parse_message({"role": "system", "content": [part]}), Message("user", (Text("hi"),)))
    assert rendered(history, "qwen3")[0] == {
        "role": "system",
        "content": '{"payload":1,"type":"a_later_part"}',
    }


def test_a_document_in_the_place_of_an_image_is_a_file() -> None:
    url = {"type": "image_url", "image_url": {"url": "data:application/pdf;base64,JVBERi0xLjQ="}}
    history = openai.parse_message({"role": "user", "content": [{"type": "text", "text": "see"}, url]})
    request = openai.render_request((), history)
    assert openai_breaches(request) == ()
