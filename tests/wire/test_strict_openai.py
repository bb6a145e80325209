"""The strict emulation of OpenAI's Responses: what it accepts, and each rule on a request that breaks it."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from tests.wire.replies import Say
from tests.wire.strict.refusal import Fields, Refusal
from tests.wire.strict.replies import responses_output
from tests.wire.strict.responses_rules import (
    Made,
    check_responses,
    compacted_output,
    items_of,
    register_output,
)
from tests.wire.strict.scripts import call_of

PLAIN, BINDING = "gpt-6-astra", "gpt-6.2-astra"
TOOL: Fields = {"type": "function", "name": "read_part", "parameters": {"type": "object"}, "strict": False}
HI: Fields = {"role": "user", "content": "Read all parts."}
CALL: Fields = {"type": "function_call", "call_id": "c1", "name": "read_part", "arguments": "{}"}
OUTPUT: Fields = {"type": "function_call_output", "call_id": "c1", "output": "part 1"}


def body(items: object, model: str | None = PLAIN, **changes: Any) -> Fields:
    """A request."""
    made = {"model": model, "input": items, "tools": [TOOL], "store": False} | changes
    return copy.deepcopy({name: value for name, value in made.items() if value is not None})


def refusal(request: Fields, made: Made | None = None, *, compact: bool = False) -> str:
    """Why a request is refused, "" if it is not."""
    try:
        check_responses(request, made or Made(), compact=compact)
    except Refusal as found:
        return f"{found.message} {found.code}".strip()
    return ""


def read(calls: int, model: str = PLAIN) -> tuple[list[Fields], Made]:
    """The items after so many calls, each behind reasoning, and what the server made."""
    items, made = [copy.deepcopy(HI)], Made()
    for number in range(1, calls + 1):
        checked = check_responses(body(items, model), made)
        output = responses_output(Say("", (call_of(number),), f"Part {number} comes next."), made)
        register_output(output, checked, made)
        answer = {
            "type": "function_call_output",
            "call_id": f"call_part_{number}",
            "output": f"part {number}",
        }
        items += [*output, answer]
    return items, made


LONG = "c" * 65
SHAPES: dict[str, tuple[Fields, str]] = {
    "an unknown field": (body([HI], bogus=1), "Unknown parameter: 'bogus'."),
    "no model": (body([HI], model=None), "Missing required parameter: 'model'."),
    "no input": (body([]), "Missing required parameter: 'input'."),
    "an item without a type": (body([{"text": "x"}]), "Missing required parameter: 'input[0].type'."),
    "a field of an item": (body([{**HI, "bogus": 1}]), "Unknown parameter: 'input[0].bogus'."),
    "an unknown role": (body([{**HI, "role": "tool"}]), "Invalid value: 'tool'."),
    "words of the assistant's from the user": (
        body([{"role": "user", "content": [{"type": "output_text", "text": "x"}]}]), "Invalid value: 'output_text'.",
    ),
    "a call without an output": (body([HI, CALL]), "No tool output found for function call c1."),
    "an output without a call": (body([HI, OUTPUT]), "No tool call found for function call output with call_id c1."),
    "an output before its call": (body([HI, OUTPUT, CALL]), "No tool call found"),
    "two outputs": (body([HI, CALL, OUTPUT, OUTPUT]), "No tool call found"),
    "an id that is too long": (body([HI, {**CALL, "call_id": LONG}, {**OUTPUT, "call_id": LONG}]), "string too long"),
    "an id of another kind": (body([HI, {**CALL, "id": "msg_1"}, OUTPUT]), "Expected an ID that begins with 'fc'."),
    "arguments that are an object": (body([HI, {**CALL, "arguments": {}}, OUTPUT]), "expected a string"),
    "arguments that are no JSON": (body([HI, {**CALL, "arguments": "{"}, OUTPUT]), "expected a JSON string"),
    "no output": (body([HI, CALL, {**OUTPUT, "output": None}]), "Missing required parameter: 'input[2].output'."),
    "a name with a space": (body([HI, {**CALL, "name": "read part"}, OUTPUT]), "does not match pattern"),
    "a tool without a name": (body([HI], tools=[{"type": "function"}]), "Missing required parameter: 'tools[0].name'."),
    "reasoning without a summary": (body([HI, {"type": "reasoning", "id": "rs_1"}]), "'input[1].summary'"),
    "reasoning of another server": (
        body([HI, {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}, CALL, OUTPUT]),
        "could not be verified",
    ),
    "a compaction of another server": (
        body([{"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}, HI]), "invalid_encrypted_content",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SHAPES)
def test_a_request_that_breaks_a_rule_is_refused_in_the_apis_words(case: str) -> None:
    request, words = SHAPES[case]
    assert words in refusal(request)


@pytest.mark.parametrize(
    "items",
    [
        "Read all parts.",
        [HI],
        [HI, CALL, OUTPUT],
        [HI, CALL, {**OUTPUT, "output": [{"type": "input_text", "text": "x"}]}],
        [{**HI, "role": "developer"}, HI, {**HI, "role": "assistant"}, {**HI, "role": "system"}],
        [HI, CALL, {"role": "user", "content": "And?"}, OUTPUT],
    ],
)  # fmt: skip
def test_a_request_that_the_documentation_allows_is_accepted(items: object) -> None:
    assert refusal(body(items)) == ""


def test_reasoning_goes_back_with_what_followed_it() -> None:
    items, made = read(3)
    checked = check_responses(body(items), made)
    assert (checked.sent, checked.dropped) == (3, ())
    without = [item for item in items if item.get("type") != "reasoning"]
    bare = [{name: value for name, value in item.items() if name != "id"} for item in without]
    assert refusal(body(bare), made) == ""


CHANGES: dict[str, tuple[Any, str]] = {
    "another encrypted content": (
        lambda items: items[1].update(encrypted_content="gAAAAother"), "could not be verified",
    ),
    "no encrypted content": (lambda items: items[1].pop("encrypted_content"), "Items are not persisted"),
    "without the call": (lambda items: items.__delitem__(slice(2, 4)), "without its required following item"),
    "at the end": (lambda items: items.append(items.pop(1)), "without its required"),
    "another item behind it": (lambda items: items.insert(2, HI), "without its required following item"),
    "the call without it": (lambda items: items.pop(1), "without its required 'reasoning' item"),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGES)
def test_reasoning_is_accepted_only_unchanged_and_in_its_place(case: str) -> None:
    change, words = CHANGES[case]
    items, made = read(2)
    change(items)
    assert words in refusal(body(items), made)


def test_a_binding_model_leaves_out_reasoning_behind_a_changed_prefix_without_an_error() -> None:
    items, made = read(3, BINDING)
    assert check_responses(body(items, BINDING), made).dropped == ()
    assert check_responses(body(items, BINDING, instructions="Be brief."), made).dropped == ()
    items[3]["output"] = "shortened"
    dropped = check_responses(body(items, BINDING), made).dropped
    assert len(dropped) == 2
    assert check_responses(body(items, PLAIN), made).dropped == ()
    assert len(check_responses(body(items, BINDING, tools=[]), made).dropped) == 3


@pytest.mark.parametrize("model", [PLAIN, BINDING])
def test_a_compacted_window_goes_on_with_the_reasoning_that_was_kept(model: str) -> None:
    items, made = read(4, model)
    request = body(items[:7], model, store=None, tools=None)
    assert refusal(request, made, compact=True) == ""
    window = compacted_output(request, check_responses(request, made, compact=True), made)
    assert [item["type"] for item in window] == ["message", "compaction"]
    checked = check_responses(body([*window, *items[7:]], model), made)
    assert (checked.sent, checked.dropped) == (2, ())
    changed = [*window[:-1], {**window[-1], "encrypted_content": "gAAAAother"}, *items[7:]]
    assert "invalid_encrypted_content" in refusal(body(changed, model), made)


def test_a_compaction_takes_its_own_fields_and_no_open_call() -> None:
    assert "Unknown parameter: 'tools'" in refusal(body([HI]), compact=True)
    request = body([HI, CALL], tools=None, store=None)
    assert "No tool output found" in refusal(request, compact=True)


def test_ids_are_of_the_documented_form() -> None:
    made = Made()
    found = responses_output(Say("Done.", (call_of(1),), "Hm."), made)
    assert [re.match(r"[a-z]+_", str(item["id"]))[0] for item in found] == ["rs_", "msg_", "fc_"]  # type: ignore[index]
    assert all(len(str(item["id"])) <= 64 for item in found)
    assert items_of(body("x")) == [{"role": "user", "content": "x"}]
