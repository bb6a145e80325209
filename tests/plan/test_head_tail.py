"""Head, tail and middle, what is pruned and what is summarized: laws over any window."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.regions import trigger
from palimpsest.budget.stubs import RESULT_END
from palimpsest.plan.blocks import blocks, newest_request
from palimpsest.plan.head_tail import (
    compact_middle,
    drop,
    drop_middle,
    ends,
    head_tail,
    middle,
    newest_answer,
    prune_and_compact,
    tail_budget,
    target_tokens,
)
from palimpsest.plan.policies import MAX_PASSES, POLICIES
from palimpsest.plan.pruning import LINE_TOKENS, prune, unfinished
from palimpsest.record.decision import State
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolResult
from palimpsest.record.window import Window, check_coverage
from palimpsest.record.window_items import MessageItem
from palimpsest.settings import make_settings
from tests.plan.states import assistant, carry_out, state_of, turn_of, user, window_of, worn_windows

ROOMS = (4_000, 30_000, 400_000)


def state_in(window: Window, preset: str = "hermes", room: int = 30_000, **changes: object) -> State:
    return state_of(window, make_settings(preset, window_tokens=room, max_tokens=room // 8, **changes))


def group(name: str, text: str = "x" * 900, arguments: str = "{}") -> list[Message]:
    call = ToolCall(name, "read_file", arguments)
    return [Message("assistant", (call,)), Message("tool", (ToolResult(name, (Text(text),)),))]


def test_the_head_is_the_first_exchange_with_the_tool_group_it_opens() -> None:
    history = [
        user(),
        assistant("a", "b"),
        *group("a")[1:],
        *group("b")[1:],
        user(),
        assistant(),
        *turn_of(20),
    ]
    assert ends(state_in(window_of(history, 200), room=100_000))[0] == 4
    assert ends(state_in(window_of(history, 200), room=100_000, head_turns=2))[0] == 6
    assert ends(state_in(window_of(history, 200), room=100_000, head_turns=0))[0] == 0


def test_a_head_that_would_fill_the_window_ends_early() -> None:
    history = [user(), assistant(), *turn_of(20)]
    sizes = [100, 9_000, *[100] * 20]
    assert ends(state_in(window_of(history, sizes)))[0] == 1


def test_the_group_that_reaches_the_tails_budget_is_whole_up_to_half_beyond_it() -> None:
    history = [user(), *(one for n in range(6) for one in group(f"c{n}")), user()]
    small = state_in(window_of(history, 1_000), room=100_000, tail_tokens=4_500)
    assert tail_budget(small) == 4_500
    assert len(history) - ends(small)[1] == 5
    large = state_in(window_of(history, 3_000), room=100_000, tail_tokens=4_500)
    assert len(history) - ends(large)[1] == 3


def test_the_tail_of_a_small_window_is_half_of_the_trigger() -> None:
    state = state_in(window_of(turn_of(9)), room=8_000)
    assert tail_budget(state) == trigger(state.budget, state.settings)[0] // 2


@given(worn_windows(), st.sampled_from(("hermes", "openclaw", "sliding-window")), st.sampled_from(ROOMS))
def test_the_middle_holds_whole_blocks_between_the_ends_and_nothing_that_must_stay(
    window: Window, preset: str, room: int
) -> None:
    state = state_in(window, preset, room)
    first, last = ends(state)
    assert 0 <= first <= last <= len(window.items)
    inner = {item.id for item in window.items[first:last]}
    known = [{item.id for item in block.items} for block in blocks(window, 0)]
    answer = newest_answer(window)
    taken = [block for run in middle(state, but=answer) for block in run]
    assert all({item.id for item in block.items} in known for block in taken)
    assert all(block.movable for block in taken)
    ids = {item.id for block in taken for item in block.items}
    assert ids <= inner
    assert not ids & {item.id for item in (newest_request(window), answer) if item is not None}


@given(worn_windows(), st.sampled_from(tuple(POLICIES)), st.sampled_from(ROOMS))
def test_every_decision_is_carried_out_to_an_end_that_covers_everything_and_is_smaller(
    window: Window, policy: str, room: int
) -> None:
    state = state_in(window, "hermes", room, policy=policy)
    decide = POLICIES[state.settings.policy].asked
    before = window.tokens
    for _ in range(MAX_PASSES):
        steps = decide(state, None).steps
        if not steps:
            break
        for step in steps:
            made = max(1, min(step.target_tokens, step.source_tokens - 1))
            window = carry_out(state, step, made)
            check_coverage(window, state.window.last)
            state = state_in(window, "hermes", room, policy=policy)
    assert decide(state, None).steps == ()
    assert window.tokens <= before


@given(worn_windows(), st.sampled_from(ROOMS))
def test_a_decision_repeats_itself_and_its_summary_is_a_single_step(window: Window, room: int) -> None:
    state = state_in(window, "hermes", room)
    decision = head_tail(state)
    assert decision == head_tail(state)
    kinds = {step.kind for step in decision.steps}
    assert kinds in ({"stub"}, {"roll"}, set())
    assert len(decision.steps) <= 1 or kinds == {"stub"}


@given(worn_windows(), st.sampled_from(ROOMS), st.integers(0, 12))
def test_pruning_that_stops_anywhere_is_known_as_unfinished_and_ends_in_the_same_stubs(
    window: Window, room: int, done: int
) -> None:
    state = state_in(window, "hermes", room)
    steps = prune(state, *ends(state), "whole", page=True).steps
    part = state
    for step in steps[:done]:
        part = replace(part, window=carry_out(part, step, step.target_tokens))
    rest = prune(part, *ends(state), "rest", page=True).steps
    assert [(step.item_ids, step.note) for step in rest] == [
        (step.item_ids, step.note) for step in steps[done:]
    ]
    started = {step.item_ids[0] for step in steps[:done]} if done < len(steps) else set[str]()
    assert not started or unfinished(part, *ends(state))


def old(*messages: Message) -> State:
    """These messages between a first exchange and a long tail."""
    history = [user(), assistant(), *messages, *turn_of(30)]
    sizes = [50, 50, *[400] * len(messages), *[900] * 30]
    return state_in(window_of(history, sizes), room=100_000)


def notes(state: State) -> dict[int, str]:
    return {step.first: step.note for step in prune(state, *ends(state), "now", page=True).steps}


def test_identical_results_keep_the_newest() -> None:
    found = notes(old(*group("a"), *group("b"), *group("c", "y" * 900)))
    assert sorted(found) == [4, 6, 8]
    assert found[4].startswith("[the same result came again: see m6; this one is stored as m4]")
    assert found[6].startswith("[result left out: ")


def test_repeated_reads_of_a_file_keep_the_newest() -> None:
    path = json.dumps({"path": "src/app.py"})
    found = notes(old(*group("a", "x" * 900, path), *group("b", "y" * 900, path)))
    assert found[4].startswith("[this file was read again: see m6; this one is stored as m4]")
    assert "read_file `src/app.py`" in found[6]


@pytest.mark.parametrize(
    "answer",
    [
        ToolResult("b", (Text("File unchanged since last read."),)),
        ToolResult("b", (Text("No such file."),)),
        ToolResult("b", (Text("Permission denied. " * 40),), is_error=True),
    ],
)
def test_a_read_that_gave_nothing_takes_no_older_ones_place(answer: ToolResult) -> None:
    path = json.dumps({"path": "src/app.py"})
    again = [Message("assistant", (ToolCall("b", "read_file", path),)), Message("tool", (answer,))]
    found = notes(old(*group("a", "x" * 900, path), *again))
    assert found[4].startswith("[result left out: read_file `src/app.py` -> ok")


def test_of_several_results_in_one_message_each_is_judged_by_itself() -> None:
    def pair(text: str) -> list[Message]:
        calls = (ToolCall("r", "read_file", json.dumps({"path": "src/app.py"})), ToolCall("d", "date", "{}"))
        results = (ToolResult("r", (Text(text * 900),)), ToolResult("d", (Text("Monday"),)))
        return [Message("assistant", calls), Message("user", results)]

    found = notes(old(*pair("x"), *pair("y")))
    assert found[4] == f"[this file was read again: see m6; this one is stored as m4]{RESULT_END * 2}"
    assert found[6].startswith("[result left out: read_file `src/app.py` -> ok")
    assert found[6].endswith(f"; stored as m6]{RESULT_END * 2}")


def test_what_stays_of_several_results_counts_for_what_pruning_leaves() -> None:
    calls = (ToolCall("r", "read_file", json.dumps({"path": "src/app.py"})), ToolCall("d", "date", "{}"))
    results = (ToolResult("r", (Text("x" * 300),)), ToolResult("d", (Text("y" * 100),)))
    state = old(Message("assistant", calls), Message("user", results))
    (step,) = prune(state, *ends(state), "now", page=True).steps
    assert (step.source_tokens, step.target_tokens) == (400, LINE_TOKENS + 100)


def test_long_arguments_and_old_images_are_pruned_and_short_results_left_alone() -> None:
    writing = json.dumps({"path": "a.py", "content": "x" * 3_000})
    image = Message("user", (Media("image/png", "", "aGk=", 9_000),))
    found = notes(old(*group("a", "ok", writing), *group("b", "ok"), image))
    assert sorted(found) == [3, 7]


def test_what_is_in_head_or_tail_is_never_pruned() -> None:
    history = [user(), *group("a"), *turn_of(30), *group("z"), user()]
    state = state_in(window_of(history, 700), room=100_000)
    assert notes(state) == {}


@pytest.mark.parametrize(
    "source, capacity, target",
    [(2_500, 100_000, 2_000), (30_000, 100_000, 6_000), (300_000, 900_000, 12_000), (9_000, 4_000, 1_000)],
)
def test_the_target_of_a_summary(source: int, capacity: int, target: int) -> None:
    assert target_tokens(source, capacity) == target


def test_a_middle_no_larger_than_the_target_is_left_alone() -> None:
    window = window_of([user(), assistant(), *turn_of(4), *turn_of(4)], [50, 50, *[450] * 4, *[3_000] * 4])
    state = state_in(window, room=100_000, tail_tokens=10_000)
    assert ends(state) == (2, 6)
    assert compact_middle(state, "now").steps == ()


def test_while_the_summarizer_rests_bulk_is_pruned_and_nothing_is_summarized() -> None:
    talk = state_in(window_of(turn_of(60), 500))
    assert head_tail(talk).steps[0].kind == "roll"
    resting = replace(talk, now_s=700.0, failed_s=101.0)
    assert head_tail(resting).steps == ()
    assert "rests" in head_tail(resting).reason
    put_back = replace(talk, now_s=700.0, failed_s=700.0 + 365 * 86_400)
    assert head_tail(put_back).steps != ()
    assert head_tail(replace(talk, now_s=701.0, failed_s=101.0)).steps
    history = [user(), *(one for n in range(40) for one in group(f"c{n}"))]
    bulky = replace(state_in(window_of(history, 400)), now_s=700.0, failed_s=101.0)
    assert {step.kind for step in head_tail(bulky).steps} == {"stub"}


def test_under_the_trigger_nothing_is_due() -> None:
    state = state_in(window_of(turn_of(20)), room=100_000)
    assert head_tail(state).steps == drop(state).steps == ()


def test_a_request_and_an_answer_in_the_middle_part_the_summary() -> None:
    history = [*turn_of(2), *turn_of(9), user(), *(one for n in range(12) for one in group(f"c{n}", "short"))]
    window = window_of(history, 1_200)
    state = state_in(window, room=60_000)
    runs = [
        [item.first for block in run for item in block.items]
        for run in middle(state, but=newest_answer(window))
    ]
    assert runs[0] == list(range(3, 11))
    assert runs[1][0] == 13
    assert prune_and_compact(state).steps[0].last == 10


def test_pruning_says_which_summary_is_expected_to_follow_and_that_is_what_follows() -> None:
    history = [user(), assistant(), *(one for n in range(40) for one in group(f"c{n}")), user()]
    state = state_in(window_of(history, 400))
    pruned = prune_and_compact(state)
    assert {step.kind for step in pruned.steps} == {"stub"}
    assert "summary of the middle" in pruned.reason
    window = state.window
    for step in pruned.steps:
        window = carry_out(replace(state, window=window), step, step.target_tokens)
    follows = prune_and_compact(replace(state, window=window)).steps
    sizes = [(one.kind, one.first, one.last, one.source_tokens, one.target_tokens) for one in pruned.then]
    assert sizes == [(one.kind, one.first, one.last, one.source_tokens, one.target_tokens) for one in follows]
    assert sizes


def test_pruning_after_which_the_middle_is_not_worth_a_summary_announces_none() -> None:
    history = [user(), assistant(), *(one for n in range(4) for one in group(f"c{n}")), *turn_of(6), user()]
    sizes = [100, 100, *[80, 900] * 4, *[100] * 6, 100]
    pruned = prune_and_compact(state_in(window_of(history, sizes), tail_tokens=500))
    assert pruned.steps
    assert pruned.then == ()
    assert pruned.reason == "prune: old bulk"


def test_dropping_takes_the_oldest_with_earlier_notes_and_leaves_the_request() -> None:
    window = window_of([user("the only request"), *(assistant() for _ in range(80))], 400)
    state = state_in(window, "sliding-window")
    step = drop(state).steps[0]
    assert (step.kind, step.first) == ("omit", 2)
    after = state_in(carry_out(state, step, 80), "sliding-window")
    assert drop(after).steps == drop_middle(after).steps == ()
    assert isinstance(after.window.items[0], MessageItem)
