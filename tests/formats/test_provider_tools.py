"""Blocks of the tools that Anthropic runs, and of later types, come out as they came in."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats import anthropic, bedrock, gemini, openai, parse_any
from palimpsest.formats.rules import (
    anthropic_breaches,
    bedrock_breaches,
    gemini_breaches,
    openai_breaches,
    responses_breaches,
)

Block = dict[str, Any]
LATER = st.sampled_from(("mcp_tool_listing", "fallback", "container_status", "a_later_block"))
CALLS = {
    "web_search": ("server_tool_use", "web_search_tool_result"),
    "web_fetch": ("server_tool_use", "web_fetch_tool_result"),
    "bash_code_execution": ("server_tool_use", "bash_code_execution_tool_result"),
    "tool_search_tool_regex": ("server_tool_use", "tool_search_tool_result"),
    "advisor": ("server_tool_use", "advisor_tool_result"),
    "echo": ("mcp_tool_use", "mcp_tool_result"),
    "a_later_tool": ("server_tool_use", "a_later_tool_result"),
}


@st.composite
def replies(draw: st.DrawFn) -> list[Block]:
    """Replies with calls of server tools, blocks of later types, and texts; some calls have no result."""
    history: list[Block] = []
    for turn in range(draw(st.integers(1, 3))):
        blocks: list[Block] = []
        for number in range(draw(st.integers(1, 4))):
            if draw(st.booleans()):
                blocks.append({"type": draw(LATER), "payload": {"mark": f"later-{turn}-{number}"}})
                continue
            name = draw(st.sampled_from(sorted(CALLS)))
            kind, answer = CALLS[name]
            call = {"type": kind, "id": f"srvtoolu_{turn}_{number}", "name": name, "input": {"q": number}}
            result = {
                "type": answer,
                "tool_use_id": call["id"],
                "content": [{"mark": f"result-{turn}-{number}"}],
            }
            blocks += [call, result] if draw(st.integers(0, 3)) else [call]
        blocks.append({"type": "text", "text": f"said {turn}"})
        history += [{"role": "user", "content": f"question {turn}"}, {"role": "assistant", "content": blocks}]
    return history


@given(dicts=replies())
def test_blocks_come_out_as_they_came(dicts: list[Block]) -> None:
    history = [message for one in dicts for message in parse_any(one)]
    request: Any = anthropic.render_request((), history)
    assert anthropic_breaches(request) == ()
    out = [block for turn in request["messages"] if turn["role"] == "assistant" for block in turn["content"]]
    sent = [block for turn in dicts if turn["role"] == "assistant" for block in turn["content"]]
    answered = {block.get("tool_use_id") for block in sent}
    last = {id(block) for block in dicts[-1]["content"]}
    for block, rendered in zip(sent, out, strict=True):
        unanswered = "id" in block and block["id"] not in answered and id(block) not in last
        assert (rendered if not unanswered else json.loads(rendered["text"])) == block


@given(dicts=replies())
def test_other_providers_get_the_words_of_such_blocks(dicts: list[Block]) -> None:
    history = [message for one in dicts for message in parse_any(one)]
    bodies = (
        (openai.render_request((), history), openai_breaches),
        (openai.render_responses((), history), responses_breaches),
        (gemini.render_request((), history), gemini_breaches),
        (bedrock.render_request((), history), bedrock_breaches),
    )
    for body, breaches in bodies:
        assert breaches(body) == ()
        text = json.dumps(body)
        assert [turn for turn in range(len(dicts) // 2) if f"said {turn}" not in text] == []


def test_a_part_of_an_unknown_type_does_not_reach_openai_in_a_reply() -> None:
    reply = parse_any({"role": "assistant", "content": [{"type": "a_later_block", "payload": 1}]})
    content: Any = openai.render_request((), reply)["messages"]
    assert content[-1] == {"role": "assistant", "content": '{"payload":1,"type":"a_later_block"}'}
