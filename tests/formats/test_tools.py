"""Tool definitions of any provider: read into one value, written for all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.genai import types

from palimpsest.errors import FormatError
from palimpsest.formats import anthropic, gemini, openai, parse_tool, parse_tools
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


def test_geminis_declarations_are_read_one_by_one_and_written_together() -> None:
    declared = [{"name": "ls", "description": "Lists.", "parametersJsonSchema": SCHEMA}, {"name": "now"}]
    raw: dict[str, object] = {"functionDeclarations": declared, "codeExecution": {}}
    tools = parse_tools(raw)
    assert [tool.name for tool in tools] == ["ls", "now", "codeExecution"]
    assert gemini.render_tools(tools) == [{"functionDeclarations": declared}, {"codeExecution": {}}]
    assert openai.render_tools(tools)[0] == CHAT[0]
    assert anthropic.render_tools(tools)[0] == NATIVE[0]
    assert len(openai.render_tools(tools)) == len(anthropic.render_tools(tools)) == 2


def test_geminis_own_form_of_a_schema_becomes_json_schema() -> None:
    own = {
        "type": "OBJECT",
        "properties": {
            "type": {"type": "STRING", "nullable": True, "enum": ["OBJECT"]},
            "tags": {
                "type": "ARRAY",
                "min_items": "1",
                "items": {"any_of": [{"type": "INTEGER"}, {"type": "NULL"}]},
            },
        },
        "property_ordering": ["type", "tags"],
        "required": ["tags"],
    }
    tool = parse_tool({"name": "find", "parameters": own})
    assert tool.wire == "gemini"
    assert json.loads(tool.schema) == {
        "type": "object",
        "properties": {
            "type": {"type": ["string", "null"], "enum": ["OBJECT"]},
            "tags": {
                "type": "array",
                "minItems": 1,
                "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
        },
        "required": ["tags"],
    }


def test_a_tool_of_the_google_client_is_read_like_its_dict() -> None:
    schema = types.Schema(type=types.Type.OBJECT, properties={"path": types.Schema(type=types.Type.STRING)})
    declared = types.FunctionDeclaration(name="ls", description="Lists.", parameters=schema)
    both: list[Any] = [declared, types.Tool(function_declarations=[declared])]
    for given in both:
        tool = parse_tool(given)
        assert (tool.name, tool.description) == ("ls", "Lists.")
        assert json.loads(tool.schema) == {"type": "object", "properties": {"path": {"type": "string"}}}


def test_other_tools_are_written_for_gemini() -> None:
    declared = {"name": "ls", "description": "Lists.", "parametersJsonSchema": SCHEMA}
    for raw in (CHAT[0], NATIVE[0]):
        assert gemini.render_tools([parse_tool(raw)]) == [{"functionDeclarations": [declared]}]
    assert gemini.render_tools([ToolDef("ls"), ToolDef("ls")]) == [{"functionDeclarations": [{"name": "ls"}]}]
    assert gemini.render_tools([parse_tool(NATIVE[3]), parse_tool(CHAT[4])]) == []
    assert gemini.render_tools([parse_tool({"googleSearch": {}})]) == [{"googleSearch": {}}]


def test_a_definition_of_several_tools_is_not_one() -> None:
    with pytest.raises(FormatError, match="declares 2 functions") as caught:
        parse_tool({"functionDeclarations": [{"name": "a"}, {"name": "b"}]})
    assert "parse_tools" in caught.value.hint


@pytest.mark.parametrize(
    "raw, words",
    [
        ({"functionDeclarations": "ls"}, "functionDeclarations is a str"),
        ({"functionDeclarations": [{}]}, "name of a tool is null"),
        ({"functionDeclarations": [{"name": "a", "parameters": "x"}]}, "the parameters of a is a str"),
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
