"""The strict servers over HTTP: conversations, side requests, what a refusal uses, and the forms of their answers."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tests.wire.strict.anthropic_rules import BINDING_CONTROLS, COMPACT
from tests.wire.strict.probe import BINDING_MODEL, TOOL, result, user
from tests.wire.strict.refusal import Fields
from tests.wire.strict.scripts import in_turns, part_text, reading
from tests.wire.strict.server import StrictServer

HI = [user("Read all parts.")]


def ask(
    server: StrictServer, messages: list[Fields], betas: str = "", talk: str = "", **more: Any
) -> httpx2.Response:
    """One request for a reply, in Anthropic's form."""
    body = {"model": BINDING_MODEL, "max_tokens": 100, "tools": [TOOL], "messages": messages} | more
    headers = {"x-api-key": "any", "anthropic-beta": betas, "x-conversation": talk}
    return httpx2.post(f"{server.url}/v1/messages?beta=true", json=body, headers=headers)


def grown(server: StrictServer, steps: int) -> list[Fields]:
    """A history after so many calls."""
    messages = [*HI]
    for number in range(1, steps + 1):
        content = ask(server, messages).json()["content"]
        messages += [{"role": "assistant", "content": content}, result(f"call_part_{number}")]
    return messages


def test_conversations_have_their_own_place_in_the_script_and_their_own_law() -> None:
    with StrictServer(reading(5)) as server:
        for talk in ("one", "two", "one"):
            ask(server, HI, talk=talk)
        ask(server, [user("Something else.")], talk="two")
        assert [one.conversation for one in server.main()] == ["one", "two", "one", "two"]
        assert server.law_breaks("one") == []
        assert server.law_breaks("two") == ["item 0 of 1"]


@pytest.mark.parametrize(
    "headers,body,name",
    [
        ({"x-claude-code-session-id": "s1"}, {}, "s1"),
        ({}, {"metadata": {"user_id": "u1"}}, "u1"),
        ({"x-conversation": "c1"}, {"metadata": {"user_id": "u1"}}, "c1"),
    ],
)
def test_a_conversation_is_named_by_a_header_or_by_the_clients_key(
    headers: dict[str, str], body: Fields, name: str
) -> None:
    with StrictServer(reading(1)) as server:
        given = {"model": BINDING_MODEL, "max_tokens": 100, "messages": HI} | body
        assert httpx2.post(f"{server.url}/v1/messages", json=given, headers=headers).is_success
        assert server.seen[0].conversation == name


def test_a_refused_request_and_a_side_request_use_nothing_of_the_script() -> None:
    with StrictServer(reading(2)) as server:
        assert ask(server, HI, bogus=1).status_code == 400
        assert ask(server, HI, tools=[]).json()["stop_reason"] == "end_turn"
        assert ask(server, HI).json()["content"][1]["id"] == "call_part_1"
        assert (len(server.errors), len(server.main())) == (1, 2)


def test_an_error_has_the_apis_form_and_an_unknown_address_is_none() -> None:
    with StrictServer(reading(1)) as server:
        error = ask(server, HI, bogus=1).json()
        assert error["error"] == {
            "type": "invalid_request_error",
            "message": "bogus: Extra inputs are not permitted",
        }
        assert httpx2.get(f"{server.url}/v1/elsewhere").status_code == 404
        assert httpx2.post(f"{server.url}/v1/responses", json={}).json()["error"]["code"] == (
            "missing_required_parameter"
        )
        gemini = httpx2.post(f"{server.url}/v1beta/models/gemini-3.8-flash:generateContent", json={}).json()
        assert gemini["error"]["status"] == "INVALID_ARGUMENT"


def test_dropped_thinking_is_listed_only_with_the_beta() -> None:
    drops = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    with StrictServer(reading(5)) as server:
        messages = grown(server, 2)
        reply = ask(server, messages, BINDING_CONTROLS, thinking=drops, system="Other.").json()
        assert [one["path"] for one in reply["input_transformations"]] == [
            "messages.1.content.0",
            "messages.3.content.0",
        ]
        assert (server.seen[-1].thinking_sent, server.seen[-1].thinking_shown) == (2, 0)
        assert "input_transformations" not in ask(server, messages).json()


def test_a_compaction_comes_whole_in_a_stream_and_has_its_usage() -> None:
    with StrictServer(reading(5)) as server:
        messages = grown(server, 2)
        asked: Any = {"compaction": {"type": "summarize"}, "stream": True}
        lines = ask(server, messages, COMPACT, **asked).text.splitlines()
        events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
        kinds = [event["type"] for event in events]
        assert "content_block_delta" not in kinds
        block = events[kinds.index("content_block_start")]["content_block"]
        assert (block["type"], block["content"]) == ("compaction", server.summary)
        usage = events[0]["message"]["usage"]
        assert usage["input_tokens"] == 0
        assert usage["iterations"][0]["input_tokens"] > 0
        assert ask(server, [{"role": "assistant", "content": [block]}, user("Go on.")], COMPACT).is_success


def test_thinking_can_be_hidden_or_switched_off() -> None:
    with StrictServer(reading(5)) as server:
        hidden = ask(server, HI, thinking={"type": "adaptive", "display": "omitted"}).json()["content"]
        assert (hidden[0]["type"], hidden[0]["thinking"]) == ("thinking", "")
        assert hidden[0]["signature"]
        off = ask(server, HI, thinking={"type": "disabled"}).json()["content"]
        assert [block["type"] for block in off] == ["tool_use"]


def test_a_prompt_that_was_sent_before_is_read_from_the_cache() -> None:
    with StrictServer(reading(5)) as server:
        messages = grown(server, 2)
        usage = ask(server, messages).json()["usage"]
        assert usage["cache_read_input_tokens"] == server.seen[-2].tokens
        assert usage["input_tokens"] == server.seen[-1].tokens - server.seen[-2].tokens
        assert ask(server, messages[:1]).json()["usage"]["cache_read_input_tokens"] == 0


def test_the_scripts_read_every_part_and_answer() -> None:
    two = reading(3, each=2)
    assert [len(two(number, {}).calls) for number in (1, 2, 3)] == [2, 1, 0]
    turns = in_turns(2, 2)
    said = [turns(number, {}) for number in range(1, 8)]
    assert [len(one.calls) for one in said] == [1, 1, 0, 1, 1, 0, 0]
    assert said[2].text == "Turn 1 is done."
    assert len({part_text(number) for number in range(1, 200)}) == 199
