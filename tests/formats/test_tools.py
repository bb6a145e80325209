"""Tool definitions of either provider: read into one value, written for both."""

from __future__ import annotations

import pytest

from palimpsest.errors import FormatError
from palimpsest.formats import anthropic, openai, parse_tool
from palimpsest.record.message import ToolDef

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "経路"}},
    "required": ["path"],
}
CHAT: list[dict[str, object]] = [
    {"type": "function", "function": {"name": "ls", "description": "Lists.", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "ls"}},
    {
        "type": "function",
        "function": {"name": "ls", "description": "", "parameters": {}, "strict": True},
        "x": [1],
    },
    {"type": "function", "function": {"name": "ls", "description": None, "parameters": None}},
    {"type": "custom", "custom": {"name": "sql", "format": {"type": "text"}}},
]
NATIVE: list[dict[str, object]] = [
    {"name": "ls", "description": "Lists.", "input_schema": SCHEMA},
    {"type": "custom", "name": "ls", "input_schema": {}, "cache_control": {"type": "ephemeral"}},
    {"name": "ls", "description": "", "input_schema": {"type": "object"}, "~": 1},
    {"type": "web_search_20250305", "name": "web_search", "max_uses": 5},
]


@pytest.mark.parametrize("raw", CHAT, ids=str)
def test_a_chat_tool_comes_back_as_it_was(raw: dict[str, object]) -> None:
    assert openai.render_tools([parse_tool(raw)]) == [raw]


@pytest.mark.parametrize("raw", NATIVE, ids=str)
def test_an_anthropic_tool_comes_back_as_it_was(raw: dict[str, object]) -> None:
    assert anthropic.render_tools([parse_tool(raw)]) == [raw]


def test_a_tool_is_read_into_name_description_and_schema() -> None:
    tool = parse_tool(NATIVE[0])
    assert (tool.name, tool.description) == ("ls", "Lists.")
    assert '"経路"' in tool.schema


def test_a_tool_is_written_for_the_other_provider() -> None:
    assert openai.render_tools([parse_tool(NATIVE[0])]) == [CHAT[0]]
    assert anthropic.render_tools([parse_tool(CHAT[0])]) == [NATIVE[0]]
    assert anthropic.render_tools([ToolDef("ls")]) == [
        {"name": "ls", "input_schema": {"type": "object", "properties": {}}}
    ]


def test_the_flat_and_the_mcp_form_are_written_in_chat_form() -> None:
    flat = {"type": "function", "name": "ls", "description": "Lists.", "parameters": SCHEMA, "strict": True}
    function = {"name": "ls", "description": "Lists.", "parameters": SCHEMA}
    assert openai.render_tools([parse_tool(flat)]) == [
        {"type": "function", "function": {**function, "strict": True}}
    ]
    served = {"name": "ls", "description": "Lists.", "inputSchema": SCHEMA, "annotations": {}}
    assert openai.render_tools([parse_tool(served)]) == [{"type": "function", "function": function}]


def test_a_providers_own_tool_is_left_out_for_the_other() -> None:
    assert openai.render_tools([parse_tool(NATIVE[3])]) == []
    assert anthropic.render_tools([parse_tool(CHAT[4])]) == []
    assert anthropic.render_tools([parse_tool({"type": "web_search"})]) == []
    assert "tools" not in anthropic.render_request((), (), [parse_tool(CHAT[4])])


@pytest.mark.parametrize(
    "raw, words",
    [
        ({}, "no name and no schema"),
        ({"type": "function"}, "name of a tool is null"),
        ({"type": "function", "function": {"name": ""}}, "empty name"),
        ({"name": 3, "input_schema": {}}, "name of a tool is a int"),
        ("ls", "a tool definition is a str"),
    ],
)
def test_what_is_no_tool_is_refused(raw: object, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_tool(raw)  # pyright: ignore[reportArgumentType]
