"""The documented estimators by their rules, and what the default counts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.token_counts import (
    count_message,
    count_tools,
    estimate_chars_over_4,
    estimate_message_tokens,
    estimate_tool_defs_tokens,
    is_over_context_budget,
)
from palimpsest.record.message import (
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolDef,
    ToolResult,
)
from tests.strategies import messages

IMAGE = Media("image/png", data="eA==", size_bytes=1)


@pytest.mark.parametrize(
    "parts, tokens",
    [
        ((), 12 * 2 // 5),
        ((Text("x" * 88),), 40),
        ((Reasoning("x" * 88),), 40),
        ((Text("x" * 40), Reasoning("x" * 48)), 40),
        ((ToolCall("i" * 10, "n" * 20, "a" * 50),), (12 + 10 + 8 + 20 + 50) * 2 // 5),
        ((ToolResult("i" * 10, (Text("x" * 78),)),), 40),
        ((IMAGE,), 12 * 2 // 5 + 256),
        ((ToolResult("i" * 10, (Text("x" * 78), IMAGE)),), 40 + 256),
        ((Text("日" * 88),), 40),
    ],
)
def test_picoclaws_estimate_counts_characters_by_two_fifths(parts: tuple[Part, ...], tokens: int) -> None:
    assert estimate_message_tokens(Message("assistant", parts)) == tokens


def test_picoclaws_estimate_of_a_tool_counts_name_description_and_schema() -> None:
    tool = ToolDef("n" * 10, "d" * 20, "s" * 50)
    assert estimate_tool_defs_tokens([tool]) == 40
    assert estimate_tool_defs_tokens([tool, tool]) == 80
    assert estimate_tool_defs_tokens([]) == 0


def test_the_budget_is_exceeded_by_one_token_more_than_the_window() -> None:
    history, tools = [Message("user", (Text("x" * 88),))], [ToolDef("n" * 10, "d" * 20, "s" * 50)]
    assert not is_over_context_budget(180, history, tools, 100)
    assert is_over_context_budget(179, history, tools, 100)
    assert is_over_context_budget(180, history, tools, 101)


def test_crabtalks_estimate_is_a_quarter_of_content_thinking_and_arguments() -> None:
    history = [
        Message("user", (Text("x" * 10), IMAGE)),
        Message("assistant", (Reasoning("x" * 10), ToolCall("id", "name", "a" * 11))),
        Message("tool", (ToolResult("id", (Text("x" * 10),)),)),
    ]
    assert estimate_chars_over_4(history) == 41 // 4
    assert estimate_chars_over_4([]) == 0


@given(messages())
def test_every_estimate_of_every_message_is_a_number_and_more_words_never_cost_less(message: Message) -> None:
    longer = Message(message.role, (*message.parts, Text("and more words of prose")), message.name)
    for estimate in (count_message, estimate_message_tokens, lambda one: estimate_chars_over_4([one])):
        assert 0 <= estimate(message) < estimate(longer)


def test_an_opaque_item_costs_its_words_and_part_of_its_sealed_length_and_a_made_image_as_an_image() -> None:
    def cost(kind: str, **fields: object) -> int:
        return count_message(Message("assistant", (Opaque(kind, json.dumps({"type": kind, **fields})),)))

    bare = count_message(Message("assistant"))
    assert cost("compaction", encrypted_content="x") == bare
    assert bare + 900 < cost("compaction", encrypted_content="x" * 6_000) < bare + 1_100
    assert cost("image_generation_call", result="x" * 600_000) == bare + 1_100
    assert cost("mcp_call", output="the tide is high") > bare + 3


@given(st.lists(messages(), max_size=4))
def test_each_message_is_counted_apart(history: list[Message]) -> None:
    assert sum(count_message(one) for one in history) >= 4 * len(history)


def test_the_default_counts_wire_overhead_calls_results_and_media() -> None:
    bare = count_message(Message("assistant"))
    assert bare > 0
    assert count_message(Message("assistant", (ToolCall("i", "run", "{}"),))) > bare + 5
    assert count_message(Message("tool", (ToolResult("i"),))) > bare
    assert count_message(Message("user", (IMAGE,))) > 1_000
    large = Media("application/pdf", data="eA==", size_bytes=4_000_000)
    assert count_message(Message("user", (large,))) > count_message(Message("user", (IMAGE,)))
    assert count_tools([ToolDef("run", "Runs it.", "{}")]) > count_tools([])
