"""Turns, safe boundaries and tool groups."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.plan.turns import Unit, find_safe_boundary, parse_turn_boundaries, units
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from tests.engine.laws import groups_of
from tests.plan.states import assistant, result, user
from tests.strategies import histories

# Positions:       0       1               2            3       4       5       6            7
TALK = [user(), assistant("a"), result("a"), assistant(), user(), assistant(), user(), assistant()]


def test_a_turn_begins_at_every_user_message() -> None:
    assert parse_turn_boundaries(TALK) == [0, 4, 6]
    assert parse_turn_boundaries([]) == []
    assert parse_turn_boundaries([assistant(), result("a")]) == []


@pytest.mark.parametrize(
    "target, cut",
    [(-3, 0), (0, 0), (1, 4), (2, 4), (3, 4), (4, 4), (5, 4), (6, 6), (7, 6), (8, 8), (99, 8)],
)
def test_the_safe_boundary_is_the_nearest_turn_and_of_two_the_earlier(target: int, cut: int) -> None:
    assert find_safe_boundary(TALK, target) == cut


def test_a_single_turn_has_no_safe_boundary_inside() -> None:
    assert find_safe_boundary([user(), assistant("a"), result("a")], 2) == 0
    assert find_safe_boundary([assistant(), assistant()], 1) == 0
    assert find_safe_boundary([], 3) == 0
    assert find_safe_boundary([assistant(), user(), assistant()], 2) == 1


@given(histories(), st.integers(-3, 60))
def test_a_safe_boundary_is_an_end_or_begins_a_turn_and_no_other_turn_is_nearer(
    history: list[Message], target: int
) -> None:
    cut = find_safe_boundary(history, target)
    assert cut in {0, len(history)} or history[cut].role == "user"
    inside = [index for index in parse_turn_boundaries(history) if index > 0]
    nearest = min((abs(index - target) for index in inside), default=0)
    assert not 0 < target < len(history) or not inside or abs(cut - target) == nearest


@given(histories(max_size=12))
def test_units_part_any_history_and_never_inside_a_group(history: list[Message]) -> None:
    found = units(history)
    assert [place for unit in found for place in range(unit.start, unit.end)] == list(range(len(history)))
    spans = [(unit.start + 1, unit.end) for unit in found]
    for first, last in groups_of(history):
        assert any(start <= first and last <= end for start, end in spans)


@given(histories(max_size=12))
def test_only_the_last_unit_can_be_open(history: list[Message]) -> None:
    found = units(history)
    assert not any(unit.open for unit in found[:-1])


@given(histories(max_size=8), histories(max_size=4))
def test_the_units_before_an_assistant_message_never_change_again(
    history: list[Message], more: list[Message]
) -> None:
    spoken = [*history, Message("assistant", (Text("next"),))]
    before = [unit for unit in units(spoken) if unit.end < len(spoken)]
    assert units([*spoken, *more])[: len(before)] == before


GROUPS: list[tuple[str, list[Message], list[Unit]]] = [
    ("answered", [assistant("a"), result("a"), user()], [Unit(0, 2), Unit(2, 3)]),
    ("answered in any order", [assistant("a", "b"), result("b"), result("a")], [Unit(0, 3)]),
    ("words between", [assistant("a"), user(), result("a")], [Unit(0, 3)]),
    ("open", [assistant("a", "b"), result("a"), user()], [Unit(0, 3, open=True)]),
    ("given up", [assistant("a"), user(), assistant()], [Unit(0, 1), Unit(1, 2), Unit(2, 3)]),
    (
        "late",
        [assistant("a"), assistant("b"), result("b"), result("a")],
        [Unit(0, 1), Unit(1, 3), Unit(3, 4)],
    ),
    (
        "given up beside an orphan",
        [assistant("a"), result("z"), assistant()],
        [Unit(0, 1), Unit(1, 2), Unit(2, 3)],
    ),
    ("second answer", [assistant("a"), result("a"), result("a")], [Unit(0, 2), Unit(2, 3)]),
    ("one id twice", [assistant("a", "a"), result("a"), result("a")], [Unit(0, 3)]),
    ("one id twice, half answered", [assistant("a", "a"), result("a")], [Unit(0, 2, open=True)]),
    ("orphan", [result("a"), assistant("a"), result("a")], [Unit(0, 1), Unit(1, 3)]),
    (
        "an id used again",
        [assistant("a"), result("a"), assistant("a"), result("a")],
        [Unit(0, 2), Unit(2, 4)],
    ),
    (
        "answered in itself",
        [Message("assistant", (ToolCall("a", "run"), ToolResult("a"))), user()],
        [Unit(0, 1), Unit(1, 2)],
    ),
    (
        "a call of the user's",
        [Message("user", (ToolCall("a", "run"),)), result("a")],
        [Unit(0, 1), Unit(1, 2)],
    ),
]


@pytest.mark.parametrize("history, expected", [row[1:] for row in GROUPS], ids=[row[0] for row in GROUPS])
def test_a_tool_group_reaches_to_the_last_result_that_answers_it(
    history: list[Message], expected: list[Unit]
) -> None:
    assert units(history) == expected
