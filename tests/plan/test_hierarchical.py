"""The hierarchical policy with the numbers of its page, and with any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.plan.blocks import Block, blocks, newest_request
from palimpsest.plan.fit_to_limit import shrink
from palimpsest.plan.hierarchical import MIN_LEAF_SOURCE_TOKENS, condense, leaf
from palimpsest.record.decision import Decision, State
from palimpsest.record.message import Message
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, SummaryItem
from palimpsest.settings import make_settings
from tests.engine.laws import groups_of
from tests.plan.states import assistant, carry_out, result, state_of, turn_of, user, window_of, windows
from tests.record.windows import summary


def assert_lawful_steps(state: State, decision: Decision) -> None:
    """Steps replace adjacent standing items, whole groups, and never what must stay."""
    items = state.window.items
    ids = [item.id for item in items]
    request = newest_request(state.window)
    history = [item.stored.message for item in items if isinstance(item, MessageItem)]
    groups = groups_of(history) if len(history) == len(items) else []
    taken: list[str] = []
    for step in decision.steps:
        start = ids.index(step.item_ids[0])
        gone = items[start : start + len(step.item_ids)]
        assert tuple(item.id for item in gone) == step.item_ids
        assert (step.first, step.last) == (gone[0].first, gone[-1].last)
        assert step.source_tokens == sum(item.tokens for item in gone)
        assert request is None or request.id not in step.item_ids
        assert not any(isinstance(item, MessageItem) and item.stored.message.provisional for item in gone)
        assert step.item_ids not in state.refused
        taken.extend(step.item_ids)
        cut = [span for span in groups if span[0] <= step.last and step.first <= span[1]]
        whole = [span for span in cut if step.first <= span[0] and span[1] <= step.last]
        assert step.kind == "stub" or cut == whole
    assert len(taken) == len(set(taken))


def ids_of(block: Block) -> set[str]:
    return {item.id for item in block.items}


SIZES = st.fixed_dictionaries(
    {
        "fresh_tail_count": st.integers(0, 4),
        "leaf_min_fanout": st.integers(1, 4),
        "leaf_chunk_tokens": st.sampled_from((300, 2_000, 20_000)),
        "leaf_target_tokens": st.sampled_from((100, 1_200)),
        "condensed_min_fanout": st.integers(2, 4),
        "window_tokens": st.sampled_from((2_000, 40_000)),
        "summarize_message_threshold": st.integers(0, 6),
    }
)


@given(windows(), SIZES)
def test_no_plan_cuts_a_group_or_takes_what_must_stay(window: Window, sizes: dict[str, Any]) -> None:
    state = state_of(window, **sizes)
    for decision in (leaf(state), condense(state), shrink(state, 100), shrink(state, 100, drop_only=True)):
        assert_lawful_steps(state, decision)
        assert decision.reason


@given(windows(), SIZES)
def test_a_leaf_leaves_the_fresh_tail_alone_meets_a_threshold_and_takes_no_group_more_than_a_chunk(
    window: Window, sizes: dict[str, Any]
) -> None:
    state = state_of(window, **sizes)
    made = state.settings
    tail = {item.id for item in window.items[max(0, len(window.items) - made.fresh_tail_count) :]}
    for step in leaf(state).steps:
        assert not tail.intersection(step.item_ids)
        assert len(step.item_ids) >= made.leaf_min_fanout or step.source_tokens >= made.leaf_chunk_tokens
        last = next(
            block for block in blocks(window, made.fresh_tail_count) if step.item_ids[-1] in ids_of(block)
        )
        assert step.source_tokens - last.tokens < made.leaf_chunk_tokens
        assert step.source_tokens >= MIN_LEAF_SOURCE_TOKENS
        assert step.target_tokens <= min(made.leaf_target_tokens, step.source_tokens // 2)


@given(windows(), SIZES, st.data())
def test_planning_and_doing_comes_to_an_end(
    window: Window, sizes: dict[str, Any], data: st.DataObject
) -> None:
    settings = make_settings("hierarchical", **sizes)
    for _ in range(200):
        state = state_of(window, settings)
        decision = leaf(state)
        decision = decision if decision.steps else shrink(state, 60)
        assert_lawful_steps(state, decision)
        if not decision.steps:
            break
        for step in decision.steps:
            tokens = data.draw(st.integers(1, max(1, min(step.source_tokens - 1, 200))))
            window = carry_out(state_of(window, settings), step, min(tokens, step.source_tokens - 1))
    assert not leaf(state_of(window, settings)).steps
    assert not shrink(state_of(window, settings), 60).steps


def _plan(history: Sequence[Message], sizes: Sequence[int] | int) -> Decision:
    return leaf(state_of(window_of(history, sizes)))


def test_eight_messages_outside_the_tail_of_thirty_two_make_a_leaf() -> None:
    (step,) = _plan([*turn_of(8), *turn_of(32)], 100).steps
    assert (step.first, step.last, step.target_tokens) == (1, 8, 400)
    assert _plan([*turn_of(7), *turn_of(32)], 100).steps == ()
    assert "too few" in _plan([*turn_of(7), *turn_of(32)], 100).reason


def test_twenty_thousand_tokens_make_a_leaf_of_any_number_of_messages() -> None:
    (step,) = _plan([*turn_of(2), *turn_of(32)], [12_000, 8_000, *[100] * 32]).steps
    assert (step.first, step.last, step.target_tokens) == (1, 2, 1_200)
    assert _plan([*turn_of(2), *turn_of(32)], [12_000, 7_999, *[100] * 32]).steps == ()
    (single,) = _plan([user(), *turn_of(32)], [25_000, *[100] * 32]).steps
    assert (single.first, single.last) == (1, 1)


def test_a_group_of_few_huge_messages_at_the_head_does_not_stall() -> None:
    head = [user(), assistant("a", "b"), result("a"), result("b")]
    (step,) = _plan([*head, *turn_of(32)], [50, 100, 25_000, 30_000, *[100] * 32]).steps
    assert (step.first, step.last) == (1, 4)


def test_a_backlog_becomes_several_leaves_of_no_message_more_than_a_chunk() -> None:
    window = window_of([*turn_of(30), *turn_of(32)], [3_000] * 24 + [3_500] * 6 + [3_000] * 32)
    spans: list[tuple[int, int]] = []
    while steps := leaf(state_of(window)).steps:
        spans.append((steps[0].first, steps[0].last))
        window = carry_out(state_of(window), steps[0], 1_000)
    assert spans == [(1, 7), (8, 14), (15, 21), (22, 28)]


def test_tokens_in_the_tail_never_count() -> None:
    assert _plan(turn_of(32), 50_000).steps == ()
    assert _plan([*turn_of(4), *turn_of(32)], [100] * 4 + [50_000] * 32).steps == ()


def test_the_newest_request_stays_however_old_it_is() -> None:
    history = [assistant() for _ in range(10)]
    history[4] = user("do it")
    (step,) = _plan([*history, *[assistant() for _ in range(40)]], 3_000).steps
    assert (step.first, step.last) == (6, 12)


def test_a_run_too_small_to_shrink_is_no_leaf() -> None:
    assert _plan([*turn_of(12), *turn_of(32)], 11).steps == ()
    assert _plan([*turn_of(12), *turn_of(32)], 12).steps != ()


def test_sixty_short_messages_are_enough_messages_for_a_leaf() -> None:
    (step,) = _plan([message for _ in range(30) for message in turn_of(2)], 5).steps
    assert (step.first, step.last) == (1, 28)


def test_three_messages_over_the_chunk_together_are_one_leaf() -> None:
    (step,) = _plan([*turn_of(3), *turn_of(32)], [8_700, 8_700, 8_800, *[100] * 32]).steps
    assert (step.first, step.last) == (1, 3)


def test_a_refused_chunk_gives_way_to_the_next() -> None:
    window = window_of([*turn_of(30), *turn_of(33)], 3_000)
    (first,) = leaf(state_of(window)).steps
    (second,) = leaf(state_of(window, refused=frozenset({first.item_ids}))).steps
    assert (second.first, second.last) == (8, 14)


def _summaries(depths: Sequence[int], tokens: int = 1_000) -> Window:
    """A window of one message each, one under every summary, and the user's newest."""
    items = [
        SummaryItem(summary(place, place, place, tokens=tokens, depth=depth))
        for place, depth in enumerate(depths, 1)
    ]
    last = window_of([user()] * (len(depths) + 1), 100).items[-1]
    return Window((*items, last))


def _condensed(depths: Sequence[int], **changes: Any) -> Decision:
    sizes: dict[str, Any] = {"window_tokens": 4_000, "max_tokens": 500, "summarize_message_threshold": 0}
    return condense(state_of(_summaries(depths), **(sizes | changes)))


@pytest.mark.parametrize(
    "depths, span, depth",
    [
        ([0, 0, 0, 0], (1, 4), 1),
        ([0, 0, 0, 0, 0, 0], (1, 6), 1),
        ([1, 1, 1, 1, 0, 0, 0, 0], (5, 8), 1),
        ([1, 1, 1, 1, 0, 0, 0], (1, 4), 2),
        ([0, 0, 0, 1, 0, 0, 0, 0], (5, 8), 1),
        ([2, 2, 2, 2, 1, 1, 1, 1, 1], (5, 9), 2),
    ],
)
def test_the_shallowest_depth_with_four_consecutive_summaries_is_condensed(
    depths: list[int], span: tuple[int, int], depth: int
) -> None:
    (step,) = _condensed(depths).steps
    assert ((step.first, step.last), step.depth, step.kind) == (span, depth, "condense")
    assert step.target_tokens == min(2_000, step.source_tokens // 2)


def test_messages_left_between_summaries_are_condensed_with_them() -> None:
    history = [
        assistant(),
        assistant(),
        user("old request"),
        assistant(),
        assistant(),
        user("an older result"),
        user("now"),
    ]
    raw = window_of(history, 50).items
    made = {place: SummaryItem(summary(place, place, place, tokens=1_000)) for place in (1, 2, 4, 5)}
    window = Window(tuple(made.get(item.first, item) for item in raw))
    sizes: dict[str, Any] = {
        "window_tokens": 4_000,
        "max_tokens": 500,
        "summarize_message_threshold": 0,
        "fresh_tail_count": 1,
    }
    (step,) = condense(state_of(window, **sizes)).steps
    assert (step.first, step.last, step.depth) == (1, 5, 1)
    assert step.item_ids[2] == "m3"
    assert condense(state_of(window, **sizes, leaf_min_fanout=1)).steps == ()


@pytest.mark.parametrize("depths", [[0, 0, 0], [0, 0, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 1, 0, 1], []])
def test_fewer_than_four_consecutive_summaries_of_a_depth_are_left(depths: list[int]) -> None:
    assert _condensed(depths, window_tokens=1_000, max_tokens=200).steps == ()


def test_condensing_waits_for_the_trigger_and_for_the_number_of_messages() -> None:
    under = _condensed([0] * 4, window_tokens=100_000)
    assert (under.steps, under.reason) == ((), "no condensing: the context is under the trigger")
    few = _condensed([0] * 4, summarize_message_threshold=6)
    assert (few.steps, few.reason) == ((), "no condensing: fewer messages than summarize_message_threshold")
    assert _condensed([0] * 4, summarize_message_threshold=5).steps


def test_one_condensing_takes_no_more_than_a_summarizer_can_read() -> None:
    state = state_of(_summaries([0] * 10, tokens=6_000), window_tokens=8_000, summarize_message_threshold=0)
    (step,) = condense(state).steps
    assert (step.first, step.last) == (1, 4)
    (next_step,) = condense(
        State(state.window, state.budget, state.settings, frozenset({step.item_ids}))
    ).steps
    assert (next_step.first, next_step.last) == (5, 8)


def test_a_decision_carries_the_numbers_it_compared() -> None:
    numbers = dict(_condensed([0] * 4).numbers)
    assert numbers["used_tokens"] > numbers["trigger_tokens"]
    assert (numbers["messages"], numbers["summarize_message_threshold"]) == (5, 0)
    numbers = dict(_plan([*turn_of(9), *turn_of(32)], 100).numbers)
    assert numbers == {
        "run_messages": 9,
        "run_tokens": 900,
        "leaf_min_fanout": 8,
        "leaf_chunk_tokens": 20_000,
    }
