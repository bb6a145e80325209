"""Each rule of Gemini's refuses a request that breaks it, and says where."""

from __future__ import annotations

from typing import Any

import pytest

from palimpsest.formats.rules import gemini_breaches
from tests.strategies import PNG

Dict = dict[str, Any]


def user(*parts: object) -> Dict:
    return {"role": "user", "parts": list(parts)}


def model(*parts: object) -> Dict:
    return {"role": "model", "parts": list(parts)}


def text(words: object = "hi", **fields: object) -> Dict:
    return {"text": words, **fields}


def call(name: object = "ls", **fields: object) -> Dict:
    return {"functionCall": {"name": name, **fields}}


def told(name: object = "ls", **fields: object) -> Dict:
    return {"functionResponse": {"name": name, "response": {"output": "ok"}, **fields}}


def image(**fields: object) -> Dict:
    return {"inlineData": {"mimeType": "image/png", "data": PNG, **fields}}


USER = user(text())
VALID: list[Dict] = [
    {"contents": [USER]},
    {"contents": [USER, model(text("hm", thought=True), text("so"))], "systemInstruction": user(text())},
    {
        "contents": [
            USER,
            model(call("a", id="1"), call("b", args={})),
            user(told("a", id="1"), told("b"), text()),
        ]
    },
    {"contents": [USER, model(text("", thoughtSignature="c2ln"), {"executableCode": {"code": "1"}})]},
    {"contents": [user(image(), {"fileData": {"fileUri": "gs://bucket/a"}, "videoMetadata": {"fps": 1}})]},
    {
        "contents": [
            USER,
            model({**call(), "thought_signature": "_-8"}),
            user(told(parts=[image(displayName="a")])),
        ]
    },
    {
        "contents": [user({"inline_data": {"mime_type": "text/csv", "data": "_-8="}})],
        "system_instruction": user(text()),
    },
    {
        "contents": [USER],
        "tools": [{"functionDeclarations": [{"name": "a.b:c-d"}]}, {"googleSearch": {}}],
        "generationConfig": {"maxOutputTokens": 9},
    },
    {
        "contents": [USER],
        "tools": [{"functionDeclarations": [{"name": "a", "parameters": {"type": "OBJECT"}}]}],
    },
]
INVALID: list[tuple[list[Any], str]] = [
    ([], "at least one content"),
    (["hi"], "contents[0] has role None"),
    ([model(text())], "first content is not the user's"),
    ([{"role": "assistant", "parts": [text()]}], "role 'assistant'"),
    ([USER, USER], "contents[1] is of role user, like the one before it"),
    ([user()], "at least one part"),
    ([{**USER, "name": "ann"}], "unknown field 'name'"),
    ([user(text(x=1))], "unknown field 'x'"),
    ([user({})], "parts[0] holds nothing"),
    ([user({**text(), **image()})], "holds text and inlineData"),
    ([user(text(" "))], "a text without words"),
    ([user(text(3))], "a text without words"),
    ([user(text(thought=True)), model(text())], "only the model's words"),
    ([USER, model(text(thought=True))], "nothing but thoughts"),
    ([user(text(thoughtSignature="!"))], "no base64"),
    ([user(call()), model(text())], "a functionCall, which a content of role user cannot hold"),
    ([USER, model(call())], "no function response in the next content"),
    ([USER, model(call(), call()), user(told())], "1 function responses for 2 function calls"),
    ([user(told())], "1 function responses for 0 function calls"),
    ([USER, model(call()), user(text(), told())], "other parts before a function response"),
    ([USER, model(call(), call("cat")), user(told("cat"), told())], "answers 'cat' where 'ls' was called"),
    ([USER, model(call(id="1")), user(told(id="2"))], "answers the id '2' where '1' was called"),
    ([USER, model(call(id="1")), user(told())], "answers the id None"),
    ([USER, model(call("a b")), user(told("a b"))], "has the name 'a b'"),
    ([USER, model(call(id="")), user(told(id=""))], "has the id ''"),
    ([USER, model(call(args=[])), user(told())], "args that is no object"),
    ([USER, model(call()), user(told(response="ok"))], "response that is no object"),
    ([USER, model(call(x=1)), user(told())], "unknown field 'x'"),
    ([USER, model(call()), user(told(parts=[text()]))], "it must hold media"),
    ([user(image(mimeType="image/tiff"))], "mimeType 'image/tiff'"),
    ([user(image(mimeType=None))], "mimeType None"),
    ([user(image(data="a"))], "data that is no base64"),
    ([user(image(url="x"))], "unknown field 'url'"),
    ([user({"fileData": {"fileUri": "files/a"}})], "no address of a file"),
    ([USER, model({"executableCode": {}})], "an empty executableCode"),
    ([user(text("\ud800"))], "no JSON in UTF-8"),
]


@pytest.mark.parametrize("request_body", VALID, ids=str)
def test_a_request_within_the_rules_passes(request_body: Dict) -> None:
    assert gemini_breaches(request_body) == ()


@pytest.mark.parametrize(
    "contents, words", INVALID, ids=lambda value: value if isinstance(value, str) else ""
)
def test_contents_that_break_a_rule_are_refused_with_the_place(contents: list[Any], words: str) -> None:
    assert words in " | ".join(gemini_breaches({"contents": contents}))


@pytest.mark.parametrize(
    "tools, words",
    [
        ("ls", "tools is not a list"),
        ([{}], "tools[0] is empty"),
        ([{"functionDeclarations": []}], "declares no function"),
        ([{"name": "ls"}], "unknown field 'name'"),
        ([{"functionDeclarations": [{"name": "1"}]}], "no valid name"),
        ([{"functionDeclarations": [{"name": "a"}, {"name": "a"}]}], "repeats the name 'a'"),
        ([{"functionDeclarations": [{"name": "a", "description": 1}]}], "description that is no string"),
        ([{"functionDeclarations": [{"name": "a", "inputSchema": {}}]}], "unknown field 'inputSchema'"),
        ([{"functionDeclarations": [{"name": "a", "parametersJsonSchema": {}}]}], "no schema of type object"),
        (
            [
                {
                    "functionDeclarations": [
                        {"name": "a", "parameters": {"type": "object"}, "parametersJsonSchema": {}}
                    ]
                }
            ],
            "its parameters twice",
        ),
        ([{"functionDeclarations": [{"name": f"a{n}"} for n in range(513)]}], "513 functions; at most 512"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_tools_that_break_a_rule_are_refused(tools: object, words: str) -> None:
    assert words in " | ".join(gemini_breaches({"contents": [USER], "tools": tools}))


@pytest.mark.parametrize(
    "instruction", [{}, {"parts": []}, user(text("")), user(image()), {"text": "hi"}], ids=str
)
def test_a_system_instruction_without_words_is_refused(instruction: object) -> None:
    assert gemini_breaches({"contents": [USER], "systemInstruction": instruction}) != ()


def test_a_field_that_the_api_does_not_know_is_refused() -> None:
    assert gemini_breaches({"contents": [USER], "messages": []}) == (
        "the request has an unknown field 'messages'",
    )
