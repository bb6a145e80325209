"""Pruning: heads and tails of old results, or the page's line."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.stubs import stubbed
from palimpsest.budget.token_counts import count_message
from palimpsest.plan.pruning import prune
from palimpsest.record.decision import State
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolResult
from palimpsest.record.window_items import MessageItem, StubItem
from tests.plan.states import assistant, carry_out, state_of, user, window_of

ROWS = "\n".join(f"row {number} of the table" for number in range(400))


def _state(*old: Message, tool: str = "") -> State:
    history = [user("go"), *old, assistant()]
    window = window_of(history, [count_message(message) for message in history])
    return replace(state_of(window), reading_tool=tool)


def _read(name: str, text: str) -> list[Message]:
    call = ToolCall(name, "read_file", json.dumps({"path": f"src/{name}.py"}))
    return [Message("assistant", (call,)), Message("tool", (ToolResult(name, (Text(text),)),))]


def _notes(state: State, *, page: bool = False) -> dict[int, str]:
    return {step.first: step.note for step in prune(state, 0, 99, "now", page=page).steps}


def test_an_old_result_becomes_its_head_and_tail_and_on_the_page_a_line() -> None:
    note = _notes(_state(*_read("a", ROWS)))[3]
    assert note.startswith("row 0 of the table\nrow 1 of the table\n")
    assert note.endswith("\nrow 399 of the table")
    assert "of 400 lines left out" in note
    assert "stored as m3]" in note
    line = _notes(_state(*_read("a", ROWS)), page=True)[3]
    assert line.startswith("[result left out: read_file `src/a.py` -> ok, 400 lines")
    assert "\n" not in line


def test_the_reading_tool_is_named_where_it_is_on_offer() -> None:
    for page in (False, True):
        assert (
            "read it with short_expand"
            in _notes(_state(*_read("a", ROWS), tool="short_expand"), page=page)[3]
        )
        assert "reads it" not in _notes(_state(*_read("a", ROWS)), page=page)[3]


def test_a_result_that_came_again_gives_way_to_the_newest() -> None:
    found = _notes(_state(*_read("a", ROWS), *_read("b", ROWS)))
    assert found[3] == "[the same result came again: see m5; this one is stored as m3]"
    assert found[5].startswith("row 0")


def test_a_result_whose_ends_would_be_no_smaller_is_left_alone() -> None:
    assert _notes(_state(*_read("a", "\n".join(ROWS.split("\n")[:30])))) == {}


def test_what_a_step_aims_at_is_what_its_item_takes() -> None:
    state = _state(*_read("a", ROWS), *_read("b", ROWS.upper()))
    for step in prune(state, 0, 99, "now").steps:
        (item,) = (one for one in state.window.items if one.id == step.item_ids[0])
        assert isinstance(item, MessageItem)
        assert step.target_tokens == count_stub(item.stored.message, step.note)


def test_what_was_pruned_is_not_pruned_again() -> None:
    state = _state(*_read("a", ROWS), *_read("b", ROWS.upper()))
    for step in prune(state, 0, 99, "now").steps:
        state = replace(state, window=carry_out(state, step, step.target_tokens))
    assert [type(item) for item in state.window.items].count(StubItem) == 2
    assert prune(state, 0, 99, "now").steps == ()


@pytest.mark.parametrize("page", [False, True])
def test_arguments_and_images_are_shortened_in_the_stored_note(*, page: bool) -> None:
    writing = json.dumps({"path": "a.py", "content": ROWS})
    shot = Message("user", (Text("see"), Media("image/png", "", "aGk=", 48_000)))
    state = _state(
        Message("assistant", (ToolCall("c", "write_file", writing),)), *_read("c", "ok")[1:], shot, user()
    )
    found = _notes(state, page=page)
    assert sorted(found) == [2, 4]
    items = {item.first: item for item in state.window.items if isinstance(item, MessageItem)}
    (call,) = stubbed(items[2].stored.message, found[2]).calls
    value = json.loads(call.arguments)
    assert value["path"] == "a.py"
    assert value["content"].startswith("row 0")
    assert value["content"].endswith("row 399 of the table")
    assert "m2" in value["content"]
    assert value["content"] in json.loads(found[2].split("\x1d")[0]).values()
    see, image = stubbed(shot, found[4]).parts
    assert see == Text("see")
    assert isinstance(image, Text)
    assert "image/png, 48,000 bytes" in image.text
    assert "m4" in image.text
