"""Making a window fit: which rung, in which order, and what is never given up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.token_counts import count_message
from palimpsest.plan.fit_to_limit import RUNGS, shrink, smallest_window
from palimpsest.record.decision import State
from palimpsest.record.message import Message, Text, ToolResult
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, OmittedItem, SummaryItem
from palimpsest.settings import Settings
from tests.plan.states import assistant, carry_out, result, state_of, turn_of, user, window_of, windows
from tests.record.windows import summary

NUMBERS = Settings(
    window_tokens=20_000, max_tokens=1_000, fresh_tail_count=4, leaf_min_fanout=3, leaf_chunk_tokens=2_000
)


def answered(name: str, lines: int) -> Message:
    """A result of so many lines of four tokens or so."""
    return Message("tool", (ToolResult(name, (Text("\n".join(f"row {one}" for one in range(lines))),)),))


def _state(window: Window, refused: frozenset[tuple[str, ...]] = frozenset()) -> State:
    return state_of(window, NUMBERS, refused)


def test_the_rungs_stand_in_the_settled_order() -> None:
    assert [reason for reason, _ in RUNGS] == [
        "over: leaves outside the fresh tail",
        "over: condensing",
        "over: leaves inside the fresh tail",
        "over: merging summaries",
        "over: shortening tool results",
        "over: shortening what a cancelled call left",
        "over: giving up calls after which the user has spoken",
        "over: shortening the summary of the request",
        "over: dropping the oldest",
        "over: giving up calls after which the user has spoken",
    ]


def test_what_fits_is_left_alone() -> None:
    window = window_of(turn_of(20), 100)
    assert shrink(_state(window), window.tokens).steps == ()
    assert shrink(_state(window), window.tokens).reason == "the context fits"
    assert shrink(_state(window), window.tokens - 1).steps != ()


def test_each_rung_is_left_only_when_it_offers_nothing() -> None:
    history = [
        user(),
        *[assistant() for _ in range(9)],
        user("now"),
        assistant("a"),
        result("a"),
        assistant("b"),
        result("b"),
    ]
    window = window_of(history, 400)
    reasons: list[str] = []
    for _ in range(40):
        decision = shrink(_state(window), 50)
        if not decision.steps:
            break
        reasons.append(decision.reason)
        for step in decision.steps:
            window = carry_out(_state(window), step, min(step.source_tokens - 1, max(60, step.target_tokens)))
    order = [reason for reason, _ in RUNGS]
    assert [order.index(reason) for reason in dict.fromkeys(reasons)] == sorted(
        order.index(reason) for reason in set(reasons)
    )
    assert reasons[0] == order[0]
    assert reasons[-1] == "over: dropping the oldest"
    kept = [item for item in window.items if not isinstance(item, OmittedItem | SummaryItem)]
    assert [item.first for item in kept] == [11, 14, 15]


def test_no_more_is_done_than_the_excess_asks_for() -> None:
    window = window_of([*turn_of(40), *turn_of(4)], 500)
    (step,) = shrink(_state(window), window.tokens - 500).steps
    assert (step.first, step.last) == (1, 4)
    assert len(shrink(_state(window), window.tokens - 3_500).steps) == 4


def test_a_refused_leaf_gives_way_to_the_next_leaf_and_not_to_a_harder_rung() -> None:
    window = window_of([*turn_of(40), *turn_of(4)], 500)
    first = shrink(_state(window), window.tokens - 500)
    second = shrink(_state(window, frozenset({first.steps[0].item_ids})), window.tokens - 500)
    assert second.reason == first.reason
    assert (second.steps[0].first, second.steps[0].last) == (5, 8)


def test_all_condensing_that_the_excess_asks_for_is_planned_at_once() -> None:
    items = [SummaryItem(summary(place, place, place, tokens=6_000)) for place in range(1, 17)]
    window = Window((*items, *window_of([user()] * 17, 100).items[-1:]))
    decision = shrink(_state(window), 1_000)
    assert decision.reason == "over: condensing"
    assert [(step.first, step.last) for step in decision.steps] == [(1, 4), (5, 8), (9, 12), (13, 16)]


def test_two_adjacent_summaries_of_any_depth_are_merged_when_nothing_else_is_left() -> None:
    items = [SummaryItem(summary(place, place, place, tokens=600, depth=place)) for place in (1, 2)]
    window = Window((*items, *window_of([user()] * 3, 100).items[-1:]))
    (step,) = shrink(_state(window), 500).steps
    assert (step.kind, step.first, step.last, step.depth) == ("condense", 1, 2, 3)


def test_results_that_no_model_has_seen_are_shortened_before_they_are_summarized() -> None:
    large, small = answered("a", 9_000), answered("b", 4_000)
    history = [user(), assistant("a", "b"), large, small]
    window = window_of(history, [100, 50, count_message(large), count_message(small)])
    decision = shrink(_state(window), 40_000)
    assert decision.reason == "over: shortening tool results"
    assert [(step.kind, step.first) for step in decision.steps] == [("stub", 3)]
    both = shrink(_state(window), 500)
    assert [(step.kind, step.first) for step in both.steps] == [("stub", 3), ("stub", 4)]


def test_what_a_settled_group_holds_is_nothing_that_a_cancelled_call_left() -> None:
    long = Text("word " * 40_000)
    history = [user("go"), assistant("s"), result("s"), assistant("a", "b"), user("now"), result("a")]
    history[1] = replace(history[1], parts=(long, *history[1].parts[1:]))
    history[3] = replace(history[3], parts=(long, *history[3].parts[1:]))
    window = window_of(history, [50, 5_000, 60, 5_000, 50, 50])
    refused: set[tuple[str, ...]] = set()
    planned: list[tuple[str, ...]] = []
    for _ in range(60):
        decision = shrink(_state(window, frozenset(refused)), 1)
        if not decision.steps:
            break
        refused.update(step.item_ids for step in decision.steps)
        if decision.reason == "over: shortening what a cancelled call left":
            planned += [step.item_ids for step in decision.steps]
    assert planned == [("m4",)]


@pytest.mark.parametrize(
    "own_tokens, excess, target",
    [(1_000, 200, 500), (1_000, 700, 300), (1_000, 5_000, 1), (240, 10, 120), (239, 10, None)],
)
def test_the_summary_that_quotes_the_request_is_shortened_to_half_or_less(
    own_tokens: int, excess: int, target: int | None
) -> None:
    quoted = window_of([user("do it")], 60).items[0]
    assert isinstance(quoted, MessageItem)
    own = replace(summary(1, 1, 2, tokens=own_tokens + quoted.tokens, depth=1), quotes=1)
    state = _state(Window((SummaryItem(own, quoted.stored),)))
    planned = [
        (step.kind, step.target_tokens, step.depth, step.quotes)
        for step in shrink(state, state.budget.used_tokens - excess).steps
    ]
    assert planned == ([("roll", target, 2, 1)] if target is not None else [])


def test_dropping_takes_the_oldest_first_and_joins_what_was_dropped_before() -> None:
    old = OmittedItem("o1", 1, 3, "left out", 80)
    window = Window((old, *window_of([assistant() for _ in range(9)] + [user()], 200).items[3:]))
    (step,) = shrink(_state(window), 900, drop_only=True).steps
    assert step.kind == "omit"
    assert step.item_ids[:2] == ("o1", "m4")
    alone = Window((old, *window_of([user()] * 4, 100).items[3:]))
    assert shrink(_state(alone), 10).steps == ()


@pytest.mark.parametrize("goal", [1, 100])
def test_an_open_group_and_the_newest_request_are_never_given_up(goal: int) -> None:
    window = window_of([user("go"), assistant("a", "b"), result("a")], [3_000, 3_000, 50])
    assert shrink(_state(window), goal).steps == ()
    assert shrink(_state(window), goal).reason == "nothing is left that could be made smaller"


def test_a_call_is_given_up_with_what_was_said_behind_it_before_anything_old_is_dropped() -> None:
    history = [user("old"), assistant("old"), user("go"), assistant("a"), *[user("more")] * 30, user("now")]
    window = window_of(history, [100, 100, 100, 100, *[600] * 30, 100])
    refused = frozenset({("m1", "m2", "m3")})
    decision = shrink(_state(window, refused), 2_000)
    assert decision.reason == "over: giving up calls after which the user has spoken"
    assert {step.kind for step in decision.steps} == {"leaf"}
    assert decision.steps[-1].last == 34


def test_a_call_that_was_half_answered_is_given_up_with_its_answers() -> None:
    window = window_of([user("go"), assistant("a", "b"), result("a"), user("now")], [50, 300, 100, 50])
    decision = shrink(_state(window), 60, drop_only=True)
    assert [(step.kind, step.first, step.last) for step in decision.steps] == [("omit", 1, 3)]


def test_a_call_whose_answers_follow_what_the_user_said_last_stays() -> None:
    window = window_of([user("go"), assistant("a", "b"), user("now"), result("a")], [50, 300, 3_000, 100])
    assert {step.kind for step in shrink(_state(window), 60).steps} <= {"stub"}
    assert smallest_window(window).last == 4


@given(windows())
def test_what_is_said_to_be_the_least_is_what_is_left_in_the_end(window: Window) -> None:
    smallest = smallest_window(window)
    refused: set[tuple[str, ...]] = set()
    untouched = {item.id for item in window.items}
    for _ in range(300):
        steps = shrink(_state(window, frozenset(refused)), 1).steps
        if not steps:
            break
        refused.update(step.item_ids for step in steps)
        untouched.difference_update(one for step in steps for one in step.item_ids)
    assert {item.id for item in smallest.items if isinstance(item, MessageItem)} <= untouched


@given(windows(), st.integers(1, 5_000))
def test_what_is_refused_is_never_planned_again_and_squeezing_ends(window: Window, goal: int) -> None:
    refused: set[tuple[str, ...]] = set()
    for _ in range(300):
        steps = shrink(_state(window, frozenset(refused)), goal).steps
        if not steps:
            break
        assert refused.isdisjoint(step.item_ids for step in steps)
        refused.update(step.item_ids for step in steps)
    assert shrink(_state(window, frozenset(refused)), goal).steps == ()
