"""Real conversations come back as they were and render to requests that every provider accepts."""

from __future__ import annotations

import json
from typing import Any

from palimpsest.formats import anthropic, bedrock, gemini, openai, parse_any
from palimpsest.formats.rules import anthropic_breaches, bedrock_breaches, gemini_breaches, openai_breaches
from tests.formats.data import data_path, needs_data


@needs_data
def test_tool_calling_chats_come_back_as_they_were_and_are_accepted() -> None:
    chats: list[list[dict[str, Any]]] = [
        one["traj"] for one in json.loads(data_path("tau-bench/*.json").read_text(encoding="utf-8"))
    ]
    assert len(chats) == 200
    for chat in chats:
        history = [message for raw in chat for message in parse_any(raw)]
        assert openai.render_request((), history)["messages"] == chat
        assert openai_breaches(openai.render_request((), history)) == ()
        assert anthropic_breaches(anthropic.render_request((), history)) == ()
        assert gemini_breaches(gemini.render_request((), history)) == ()
        assert bedrock_breaches(bedrock.render_request((), history)) == ()


@needs_data
def test_coding_sessions_come_back_as_they_were_and_are_accepted() -> None:
    lines = data_path("claude-code/large-conversation.jsonl").read_text(encoding="utf-8").splitlines()
    dicts = [one["message"] for line in lines if isinstance((one := json.loads(line)).get("message"), dict)]
    assert len(dicts) > 400
    history = [message for raw in dicts for message in anthropic.parse_message(raw)]
    assert anthropic.render_messages(history) == dicts
    assert anthropic_breaches(anthropic.render_request((), history)) == ()
    assert openai_breaches(openai.render_request((), history)) == ()
    assert gemini_breaches(gemini.render_request((), history)) == ()
    assert bedrock_breaches(bedrock.render_request((), history)) == ()
