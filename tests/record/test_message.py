"""What of a message is words, and what a word search should find in it."""

from __future__ import annotations

import json

from hypothesis import given

from palimpsest.record.chain import identity
from palimpsest.record.message import (
    Media,
    Message,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    arguments_text,
    searchable_text,
)
from tests.strategies import arguments, json_values, messages

RICH = Message(
    "assistant",
    (
        Text("I look."),
        Reasoning("secret thought"),
        ToolCall(
            "id7",
            "read_file",
            '{"path": "src/a.py", "lines": [10, 20], "deep": {"flag": true, "none": null}}',
        ),
        ToolResult("id7", (Text("def main"), Media("image/png", uri="https://example.org/a.png"))),
        Media("image/png", uri="https://example.org/b.png"),
        Text("Done."),
    ),
)


def test_a_word_search_finds_words_names_arguments_results_and_addresses_but_no_thinking() -> None:
    text = searchable_text(RICH)
    for word in (
        "I look.",
        "Done.",
        "read_file",
        "src/a.py",
        "10",
        "20",
        "flag",
        "True",
        "def main",
        "/a.png",
        "/b.png",
    ):
        assert word in text
    assert "secret" not in text
    assert "id7" not in text


def test_the_words_of_an_opaque_item_are_found_and_neither_its_ids_nor_its_data() -> None:
    item = {
        "type": "mcp_call",
        "id": "mcp_1",
        "name": "tide",
        "output": "high water at 14:05",
        "data": "a" * 300,
    }
    found = Message("assistant", (Opaque("mcp_call", json.dumps(item)),))
    assert searchable_text(found) == "tide high water at 14:05"
    assert identity(found) == identity(Message("assistant"))
    sealed = Opaque("compaction", json.dumps({"type": "compaction", "encrypted_content": "Z0FB" * 40}))
    assert searchable_text(Message("assistant", (sealed,))) == ""
    assert Opaque("compaction", "cut").text == ""


def test_the_parts_of_a_kind_are_found_in_order() -> None:
    assert RICH.text == "I look.\nDone."
    assert [call.name for call in RICH.calls] == ["read_file"]
    assert [result.text for result in RICH.results] == ["def main"]


@given(messages())
def test_looking_at_a_message_never_fails(message: Message) -> None:
    assert isinstance(searchable_text(message), str)
    assert all(part.text in searchable_text(message) for part in message.parts if isinstance(part, Text))


@given(arguments())
def test_arguments_of_any_text_have_words(text: str) -> None:
    assert isinstance(arguments_text(text), str)


@given(json_values())
def test_every_string_in_json_arguments_stands_between_spaces(value: object) -> None:
    found = f" {arguments_text(json.dumps({'the key': value, 'said': 'word one'}))} "
    assert " the key " in found
    assert " word one " in found
