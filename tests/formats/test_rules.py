"""Each rule of each provider refuses a request that breaks it, and says where."""

from __future__ import annotations

from typing import Any

import pytest

from palimpsest.formats.rules import anthropic_breaches, openai_breaches, responses_breaches
from tests.strategies import PNG

Dict = dict[str, Any]
USER: Dict = {"role": "user", "content": "hi"}


def call(
    call_id: object = "c", name: object = "ls", arguments: object = "{}", kind: str = "function"
) -> Dict:
    return {"id": call_id, "type": kind, "function": {"name": name, "arguments": arguments}}


def calling(*calls: Dict) -> Dict:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def answer(call_id: object = "c", content: object = "ok") -> Dict:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def user(*blocks: object) -> Dict:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: object) -> Dict:
    return {"role": "assistant", "content": list(blocks)}


def use(call_id: object = "c", name: object = "ls", **fields: object) -> Dict:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}, **fields}


def result(call_id: object = "c", **fields: object) -> Dict:
    return {"type": "tool_result", "tool_use_id": call_id, **fields}


def text(words: object = "hi", **fields: object) -> Dict:
    return {"type": "text", "text": words, **fields}


def image(**source: object) -> Dict:
    return {"type": "image", "source": source}


def function(name: object = "ls", **fields: object) -> Dict:
    return {"type": "function", "function": {"name": name, **fields}}


MARK: Dict = {"cache_control": {"type": "ephemeral"}}
SHOWN = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}}
VALID_OPENAI: list[Dict] = [
    {
        "messages": [
            {"role": "developer", "content": "Be brief."},
            USER,
            {"role": "assistant", "content": "Yes?"},
        ]
    },
    {"messages": [USER, calling(call("a"), call("b")), answer("b"), answer("a", [text()]), USER]},
    {"messages": [calling(call()), answer(), calling(call()), answer()]},
    {"messages": [user(text(), SHOWN, {"type": "novel"})], "tools": [function(parameters={}), function("b")]},
    {"messages": [{"role": "assistant", "content": None, "refusal": "No."}, {**USER, "name": "ann"}]},
    {"messages": [user({"type": "file", "file": {"file_data": f"data:application/pdf;base64,{PNG}"}})]},
]
INVALID_OPENAI: list[tuple[list[Any], str]] = [
    ([], "at least one message"),
    (["hi"], "messages[0] is not an object"),
    ([{"role": "robot", "content": "hi"}], "role 'robot'"),
    ([{"role": "user", "content": None}], "content that is neither"),
    ([{"role": "user", "content": []}], "content that is neither"),
    ([user("hi")], "content[0] is not an object"),
    ([user(text(3))], "has no text"),
    ([{"role": "system", "content": [SHOWN]}], "only a user message can hold"),
    ([user({"type": "refusal", "refusal": "No."})], "outside an assistant message"),
    (
        [user({"type": "image_url", "image_url": {"url": "data:image/tiff;base64,aGk="}})],
        "neither an address nor an image",
    ),
    (
        [user({"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}})],
        "neither an address nor an image",
    ),
    (
        [user({"type": "image_url", "image_url": {"url": "https://example.org", "detail": "most"}})],
        "detail 'most'",
    ),
    ([user({"type": "image_url", "image_url": "https://example.org"})], "no object under 'image_url'"),
    ([user({"type": "input_audio", "input_audio": {"format": "ogg", "data": PNG}})], "no wav or mp3"),
    ([user({"type": "file", "file": {}})], "neither a file_id nor"),
    ([{**USER, "name": "ann b"}], "a name with characters"),
    ([{"role": "assistant", "content": None}], "neither content nor tool calls"),
    ([{"role": "assistant", "content": "a", "tool_calls": []}], "tool_calls that are not a list"),
    ([calling(call(), call()), answer()], "repeats the id"),
    ([calling(call("")), answer("")], "has no id"),
    ([calling(call(name="a.b")), answer()], "no function with a valid name"),
    ([calling(call(arguments={})), answer()], "arguments that are no string"),
    ([calling(call(arguments="[1]")), answer()], "arguments that are no JSON object"),
    ([calling(call("c" * 41)), answer("c" * 41)], "no id of at most 40"),
    ([{"role": "assistant", "content": ""}], "content of white space"),
    ([{"role": "user", "content": " "}], "content of white space"),
    ([user(text(" "), text())], "has no text"),
    ([calling(call(kind="other")), answer()], "type 'other'"),
    ([calling({"id": "c"}), answer()], "type None"),
    ([calling(call())], "no tool message before the end"),
    ([calling(call()), USER, answer()], "no tool message before messages[1]"),
    ([calling(call()), USER, answer()], "messages[2] answers no call"),
    ([calling(call()), answer(), answer()], "a second time"),
    ([answer()], "answers no call"),
    ([calling(call()), answer(None)], "no tool_call_id"),
    ([calling(call()), answer(content=[SHOWN])], "only a user message can hold"),
    ([{"role": "user", "content": "\ud800"}], "no JSON in UTF-8"),
    ([{"role": "user", "content": "a", "x": float("nan")}], "no JSON in UTF-8"),
]
THOUGHT: Dict = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
SAYING: Dict = {"role": "assistant", "content": "Pier 3."}
ITEM: Dict = {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"}
OUTPUT: Dict = {"type": "function_call_output", "call_id": "c", "output": "ok"}
VALID_RESPONSES: list[list[Any]] = [
    [USER, THOUGHT, ITEM, OUTPUT, {"type": "compaction", "encrypted_content": "gAAA"}, SAYING],
    [{"role": "assistant", "content": [{"type": "output_text", "text": "No."}]}, {"type": "novel"}],
    [{"type": "mcp_approval_request", "id": "a", "name": "x", "server_label": "s", "arguments": "{}"},
     {"type": "mcp_approval_response", "approval_request_id": "a", "approve": True}],
]  # fmt: skip
INVALID_RESPONSES: list[tuple[list[Any], str]] = [
    ([], "at least one item"),
    (["hi"], "input[0] is not an object"),
    ([{"role": "robot", "content": "hi"}], "role 'robot'"),
    ([{"role": "user", "content": []}], "has no content"),
    ([{"role": "user", "content": " "}], "a blank text"),
    ([user({"type": "output_text", "text": "hi"})], "a part of type 'output_text'"),
    ([assistant({"type": "input_text", "text": "hi"})], "a part of type 'input_text'"),
    ([assistant({"type": "refusal", "refusal": ""})], "a blank text"),
    ([THOUGHT], "input[0] is reasoning without the item"),
    ([THOUGHT, USER], "input[0] is reasoning without the item"),
    ([{**THOUGHT, "encrypted_content": None}, SAYING], "only OpenAI's storage has"),
    ([{"type": "reasoning", "id": "rs_1", "content": "x"}, SAYING], "has no summary"),
    ([THOUGHT, SAYING, THOUGHT, SAYING], "the id of an item before it"),
    ([{**SAYING, "id": "msg_1"}], "refers to a stored item"),
    ([ITEM], "the call 'c' has no function_call_output"),
    ([OUTPUT], "answers no open call of its type"),
    ([ITEM, {**OUTPUT, "type": "custom_tool_call_output"}], "answers no open call of its type"),
    ([ITEM, OUTPUT, ITEM, OUTPUT], "no call id of its own"),
    ([{**ITEM, "call_id": "c" * 65}, {**OUTPUT, "call_id": "c" * 65}], "at most 64 characters"),
    ([{**ITEM, "name": "a.b"}, OUTPUT], "no valid name"),
    ([{**ITEM, "arguments": "[1]"}, OUTPUT], "arguments that are no JSON object"),
    ([{"type": "shell_call", "call_id": "c"}], "has no action"),
]
VALID_ANTHROPIC: list[Dict] = [
    {"messages": [USER]},
    {
        "messages": [
            USER,
            assistant({"type": "thinking", "thinking": "", "signature": "s"}, use("a"), use("b")),
            user(
                result("b", content=""),
                result("a", content=[text(), image(type="url", url="https://example.org")]),
                text(),
            ),
        ]
    },
    {
        "system": [text(**MARK)],
        "messages": [USER],
        "tools": [{"name": "ls", "input_schema": {"type": "object"}}],
    },
    {
        "messages": [user(image(type="base64", media_type="image/png", data=PNG))],
        "tools": [{"type": "web_search_1", "name": "w"}],
    },
    {
        "messages": [
            USER,
            assistant(
                {"type": "server_tool_use", "id": "s"}, {"type": "web_search_tool_result", "tool_use_id": "s"}
            ),
        ]
    },
]
SYSTEM: Dict = {"role": "system", "content": "Be brief."}
VALID_ANTHROPIC += [
    {"messages": [USER, SYSTEM]},
    {"messages": [USER, assistant(use()), user(result()), SYSTEM, assistant(text())]},
    {
        "messages": [
            USER,
            {"role": "system", "content": [text(), {"type": "tool_removal"}]},
            assistant(text()),
        ]
    },
]
INVALID_ANTHROPIC: list[tuple[list[Any], str]] = [
    ([SYSTEM, USER], "the first message is not the user's"),
    ([USER, assistant(text()), SYSTEM], "follows no user message"),
    ([USER, SYSTEM, USER], "a user message behind a system message"),
    ([USER, SYSTEM, SYSTEM], "like the one before it"),
    ([USER, {"role": "system", "content": [use()]}], "a message of role system cannot hold"),
    ([user({"type": "tool_addition"})], "a message of role user cannot hold"),
    ([USER, assistant(use()), SYSTEM, user(result())], "lacks a tool_result"),
    ([], "at least one message"),
    ([{"role": "tool", "content": "hi"}], "role 'tool'"),
    ([{"role": "assistant", "content": "hi"}], "the first message is not the user's"),
    ([USER, USER], "like the one before it"),
    ([{"role": "user", "content": " "}], "neither a string with words"),
    ([{"role": "user", "content": []}], "neither a string with words"),
    ([user("hi")], "not an object with a type"),
    ([user(text("\n"))], "a text without words"),
    ([USER, assistant(text("so "))], "ends in white space"),
    ([USER, {"role": "assistant", "content": "so "}], "ends in white space"),
    ([USER, assistant({"type": "redacted_thinking", "data": "x"})], "ends in thinking"),
    ([USER, assistant({"type": "thinking", "thinking": "x"}, text())], "without a signature"),
    ([USER, assistant({"type": "redacted_thinking"}, text())], "has no data"),
    ([user(use())], "a message of role user cannot hold"),
    (
        [USER, assistant(image(type="url", url="https://example.org"))],
        "a message of role assistant cannot hold",
    ),
    ([USER, assistant(use())], "has no tool_result in the next message"),
    ([USER, assistant(use()), USER], "lacks a tool_result"),
    ([USER, assistant(use()), user(text(), result())], "other content before a tool_result"),
    ([USER, assistant(use()), user(result(), result())], "did not ask for"),
    ([user(result())], "did not ask for"),
    ([USER, assistant(use()), user(result()), assistant(use()), user(result())], "repeats the id 'c'"),
    ([USER, assistant(use("a b")), user(result("a b"))], "the id 'a b'"),
    ([USER, assistant(use(name="a.b")), user(result())], "the name 'a.b'"),
    ([USER, assistant(use(input="{}")), user(result())], "input that is no object"),
    ([USER, assistant(use()), user(result(is_error="no"))], "is_error 'no'"),
    ([USER, assistant(use()), user(result(content=[text("")]))], "a text without words"),
    ([USER, assistant(use()), user(result(content=["a"]))], "not an object with a type"),
    (
        [
            USER,
            assistant(use()),
            user(result(content=[image(type="url", url="https://example.org")], is_error=True)),
        ],
        "text alone",
    ),
    (
        [USER, assistant({"type": "web_search_tool_result", "tool_use_id": "s"})],
        "no server_tool_use before it",
    ),
    ([user(image(type="base64", media_type="image/tiff", data=PNG))], "'image/tiff' that is refused"),
    ([user(image(type="base64", media_type="image/png", data="a"))], "or no base64"),
    ([user(image(type="url", url="a.png"))], "no address"),
    ([user(image(type="file"))], "no file_id"),
    ([user(image(type="text", data="a"))], "source of type 'text'"),
    ([user({"type": "document", "source": {"type": "text", "data": "a"}})], "without plain text"),
    ([user(*(text(**MARK) for _ in range(5)))], "5 blocks carry cache_control"),
    ([user(text(cache_control={"type": "forever"}))], "cache_control {'type': 'forever'}"),
    (
        [USER, assistant({"type": "redacted_thinking", "data": "x", **MARK}, text())],
        "cache_control on thinking",
    ),
    ([{"role": "user", "content": "a\udc00"}], "no JSON in UTF-8"),
]
TOOLS: list[tuple[object, str, str]] = [
    ([], "tools is not a list", "tools is not a list"),
    ([{}], "type None", "no valid name"),
    ([function("a.b")], "no valid name", "no valid name"),
    ([function(), function()], "repeats the name", "no valid name"),
    ([function(parameters=[])], "parameters that are no object", "no valid name"),
    ([{"name": "ls"}], "type None", "no input_schema"),
    ([{"name": "ls", "input_schema": {}}], "type None", "no input_schema"),
    ([{"name": "ls", "input_schema": {"type": "object"}}] * 2, "type None", "repeats the name"),
]


@pytest.mark.parametrize("items", VALID_RESPONSES, ids=range(len(VALID_RESPONSES)))
def test_valid_items_pass(items: list[Any]) -> None:
    assert responses_breaches({"input": items}) == ()


@pytest.mark.parametrize("items, words", INVALID_RESPONSES, ids=[words for _, words in INVALID_RESPONSES])
def test_items_that_break_a_rule_are_found(items: list[Any], words: str) -> None:
    assert words in "\n".join(responses_breaches({"input": items}))


@pytest.mark.parametrize("request_", VALID_OPENAI, ids=str)
def test_openai_accepts(request_: Dict) -> None:
    assert openai_breaches(request_) == ()


@pytest.mark.parametrize("messages, words", INVALID_OPENAI, ids=str)
def test_openai_refuses(messages: list[Any], words: str) -> None:
    assert words in " | ".join(openai_breaches({"messages": messages}))


@pytest.mark.parametrize("request_", VALID_ANTHROPIC, ids=str)
def test_anthropic_accepts(request_: Dict) -> None:
    assert anthropic_breaches(request_) == ()


@pytest.mark.parametrize("messages, words", INVALID_ANTHROPIC, ids=str)
def test_anthropic_refuses(messages: list[Any], words: str) -> None:
    assert words in " | ".join(anthropic_breaches({"messages": messages}))


@pytest.mark.parametrize("tools, openai_words, anthropic_words", TOOLS, ids=str)
def test_both_refuse_bad_tools(tools: object, openai_words: str, anthropic_words: str) -> None:
    assert openai_words in " | ".join(openai_breaches({"messages": [USER], "tools": tools}))
    assert anthropic_words in " | ".join(anthropic_breaches({"messages": [USER], "tools": tools}))


@pytest.mark.parametrize("system", ["", [], [text("")], [image()]], ids=str)
def test_anthropic_refuses_a_system_prompt_without_words(system: object) -> None:
    assert len(anthropic_breaches({"messages": [USER], "system": system})) == 1
