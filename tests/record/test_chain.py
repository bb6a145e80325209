"""Identity: what it sees, what it ignores, and the chain over a history."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.chain import ROOT, Head, advance, canonical_arguments, heads, identity
from palimpsest.record.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolResult, Usage
from tests.strategies import histories, json_values, messages

ASKED = Message("assistant", (ToolCall("a", "read", '{"x": 1, "y": [2]}'), ToolCall("b", "read", "{}")))


@given(messages(), st.floats(0, 4e9), st.text(max_size=5))
def test_identity_ignores_what_differs_when_a_history_is_sent_again(
    message: Message, time_s: float, word: str
) -> None:
    resent = replace(
        message,
        time_s=time_s,
        model=word,
        usage=Usage(1, 2, 3, 4),
        wire=word,
        extra='{"x": 1}',
        origin=word,
        provisional=True,
        name=word,
        parts=(
            Reasoning(word, "signed"),
            *(replace(part, extra='{"cache_control": 1}') for part in message.parts),
        ),
    )
    assert identity(resent, ("call_1",)) == identity(message, ("call_1",))


@given(histories())
def test_the_ids_of_calls_do_not_matter_as_long_as_results_answer_the_same_calls(
    history: list[Message],
) -> None:
    names: dict[str, str] = {}

    def renamed(part: Part) -> Part:
        if isinstance(part, ToolCall):
            return replace(part, id=names.setdefault(part.id, f"other_{len(names)}"))
        if isinstance(part, ToolResult):
            return replace(part, call_id=names.setdefault(part.call_id, f"other_{len(names)}"))
        return part

    other = [replace(message, parts=tuple(renamed(part) for part in message.parts)) for message in history]
    assert [head.chain for head in heads(other)] == [head.chain for head in heads(history)]


@pytest.mark.parametrize(
    "changed",
    [
        replace(ASKED, role="user"),
        replace(ASKED, parts=ASKED.parts[::-1]),
        replace(ASKED, parts=ASKED.parts[:1]),
        replace(ASKED, parts=(*ASKED.parts, Text("x"))),
        replace(ASKED, parts=(replace(ASKED.calls[0], name="write"), ASKED.calls[1])),
        replace(ASKED, parts=(replace(ASKED.calls[0], arguments='{"x": 2, "y": [2]}'), ASKED.calls[1])),
        replace(ASKED, parts=(*ASKED.parts, Media("image/png", data="eA=="))),
    ],
)
def test_identity_sees_role_words_order_calls_arguments_and_media(changed: Message) -> None:
    assert identity(changed) != identity(ASKED)


def test_identity_sees_which_call_a_result_answers_whether_it_failed_and_what_it_holds() -> None:
    results = [
        ToolResult("a", (Text("x"),)),
        ToolResult("b", (Text("x"),)),
        ToolResult("nobody's", (Text("x"),)),
        ToolResult("a", (Text("x"),), is_error=True),
        ToolResult("a", (Text("y"),)),
        ToolResult("a", (Text("x"), Media("image/png", uri="https://example.org/a.png"))),
    ]
    assert len({identity(Message("tool", (result,)), ("a", "b")) for result in results}) == len(results)


def test_words_may_stand_in_one_part_or_beside_an_empty_one() -> None:
    assert identity(Message("user", (Text("a"), Text("")))) == identity(Message("user", (Text("a"),)))
    assert identity(Message("user", (Text("a"), Text("b")))) != identity(Message("user", (Text("ab"),)))


@given(st.dictionaries(st.text(max_size=4), json_values(), max_size=4))
def test_arguments_are_compared_as_values_not_as_text(value: dict[str, object]) -> None:
    loose = json.dumps(value, indent=3, ensure_ascii=True)
    turned = json.dumps(dict(reversed(value.items())), separators=(",", ":"), ensure_ascii=False)
    assert canonical_arguments(loose) == canonical_arguments(turned)


@pytest.mark.parametrize("text", ["", "not json", '{"a":', "[" * 100_000, "9" * 5_000])
def test_arguments_that_are_no_json_are_compared_as_text(text: str) -> None:
    assert canonical_arguments(text) == text


@given(histories())
def test_a_head_stands_for_the_whole_history_before_it(history: list[Message]) -> None:
    found = heads(history)
    assert [head.seq for head in found] == list(range(1, len(history) + 1))
    head = Head()
    for message, expected in zip(history, found, strict=True):
        head = advance(head, message)
        assert head == expected
    half = len(history) // 2
    assert heads(history[half:], found[half - 1] if half else None) == found[half:]


@given(histories(), st.data())
def test_an_edit_changes_every_hash_from_there_on_and_none_before(
    history: list[Message], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(history) - 1))
    edited = [*history]
    edited[place] = replace(edited[place], parts=(*edited[place].parts, Text("edited")))
    before, after = heads(history), heads(edited)
    assert [one.chain for one in before[:place]] == [one.chain for one in after[:place]]
    assert all(old.chain != new.chain for old, new in zip(before[place:], after[place:], strict=True))


def test_the_chain_begins_at_the_root() -> None:
    assert Head() == Head(ROOT, 0, ())
    assert len(heads([ASKED])[0].chain) == 32
    assert heads([ASKED])[0].calls == ("a", "b")
