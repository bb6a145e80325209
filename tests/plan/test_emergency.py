"""The last resort: half of the turns, cut before a user message, and never a torn group or a lost request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.token_counts import count_message
from palimpsest.plan.blocks import OMITTED_TOKENS, newest_request
from palimpsest.plan.emergency import HALF, MIN_MESSAGES, OLDER, SHORTER, SINGLE, SUMMARIES, drop_oldest_turns
from palimpsest.plan.turns import units
from palimpsest.record.decision import Decision
from palimpsest.record.message import Message, Text, ToolResult
from palimpsest.record.window import Window, check_coverage
from palimpsest.record.window_items import MessageItem, OmittedItem, SummaryItem
from palimpsest.settings import make_settings
from tests.engine.laws import groups_of
from tests.plan.states import (
    assistant,
    carry_out,
    result,
    state_of,
    turn_of,
    user,
    window_of,
    windows,
    worn_windows,
)
from tests.plan.test_rolling import assert_lawful, newest_words
from tests.record.windows import stored, summary


def _plan(window: Window) -> Decision:
    return drop_oldest_turns(state_of(window, window_tokens=100_000))


def _spans(window: Window) -> list[tuple[int, int]]:
    return [(step.first, step.last) for step in _plan(window).steps]


@given(worn_windows())
def test_nothing_dropped_cuts_a_group_or_takes_what_must_stay(window: Window) -> None:
    state = state_of(window, window_tokens=100_000)
    decision = drop_oldest_turns(state)
    request = newest_request(window)
    for step in decision.steps:
        assert step.kind == ("stub" if decision.reason == SHORTER else "omit")
        assert request is None or request.id not in step.item_ids
        assert step.source_tokens > step.target_tokens
    assert_lawful(state, decision)


@given(worn_windows())
def test_dropping_comes_to_an_end_and_each_time_the_window_is_smaller(window: Window) -> None:
    words, last = newest_words(window), window.last
    for _ in range(100):
        before = window
        decision = _plan(window)
        for step in decision.steps:
            tokens = step.target_tokens if step.kind == "stub" else OMITTED_TOKENS
            window = carry_out(state_of(window, window_tokens=100_000), step, tokens)
        check_coverage(window, last)
        assert newest_words(window) == words
        if not decision.steps:
            break
        assert window.tokens < before.tokens
    assert _plan(window).steps == ()


@given(windows())
def test_the_cut_lies_before_a_user_message_that_stays(window: Window) -> None:
    decision = _plan(window)
    messages = [item.stored.message for item in window.items if isinstance(item, MessageItem)]
    users = [place for place, message in enumerate(messages, 1) if message.role == "user"]
    inside = {seq for first, last in groups_of(messages) for seq in range(first, last + 1)}
    inside |= {seq for one in units(messages) if one.open for seq in range(one.start + 1, one.end + 1)}
    ends = [step.last for step in decision.steps if decision.reason == HALF]
    later = [min((seq for seq in users if seq > end), default=0) for end in ends]
    between = [range(end + 1, start) for end, start in zip(ends, later, strict=True)]
    assert all(later)
    loose = [seq for stretch in between for seq in stretch if seq not in inside]
    said = [messages[seq - 1] for seq in loose if messages[seq - 1].role != "system"]
    assert [message for message in said if not message.provisional] == []


def test_the_older_half_of_the_turns_goes() -> None:
    window = window_of([*turn_of(3), *turn_of(4), *turn_of(5), *turn_of(2)], 200)
    assert _spans(window) == [(1, 7)]
    assert _plan(window).reason == HALF
    odd = window_of([*turn_of(3), *turn_of(4), *turn_of(5)], 200)
    assert _spans(odd) == [(1, 3)]


def test_a_single_turn_keeps_only_its_request() -> None:
    history = [
        user("go"),
        *(one for place in range(9) for one in (assistant(f"c{place}"), result(f"c{place}"))),
    ]
    picoclaw = drop_oldest_turns(
        state_of(window_of(history, 300), make_settings("picoclaw", window_tokens=9_000))
    )
    assert [(step.first, step.last) for step in picoclaw.steps] == [(2, 19)]
    assert picoclaw.reason == SINGLE


def test_a_single_turn_keeps_its_tool_group_in_progress_and_shortens_it_before_it_goes() -> None:
    rows = Message("tool", (ToolResult("b", (Text("a row of the table\n" * 900),)),))
    tokens = count_message(rows)
    window = window_of(
        [user("go"), assistant("a"), result("a"), assistant("b"), rows], [300, 300, 300, 300, tokens]
    )
    first = _plan(window)
    assert (first.reason, _spans(window)) == (OLDER, [(2, 3)])
    window = carry_out(state_of(window), first.steps[0], OMITTED_TOKENS)
    for most in (tokens // 4, tokens // 16):
        decision = _plan(window)
        assert decision.reason == SHORTER
        (step,) = decision.steps
        assert (step.kind, step.first) == ("stub", 5)
        assert step.target_tokens <= most + 300
        window = carry_out(state_of(window), step, step.target_tokens)
    while (decision := _plan(window)).reason == SHORTER:
        window = carry_out(state_of(window), decision.steps[0], decision.steps[0].target_tokens)
    assert decision.reason == SINGLE


def test_what_stands_before_the_request_of_a_single_turn_goes_as_well() -> None:
    history = [assistant(), assistant(), user("go"), assistant("a"), result("a")]
    assert _spans(window_of(history, 300)) == [(1, 2)]
    assert _spans(window_of(history[2:], 300)) == [(2, 3)]


def test_a_group_that_the_user_spoke_in_goes_as_a_whole_with_the_later_half() -> None:
    history = [user(), assistant("a"), user("by the way"), result("a"), assistant(), user("now"), assistant()]
    window = window_of(history, 300)
    assert _spans(window) == [(1, 1)]
    after = carry_out(state_of(window), _plan(window).steps[0], OMITTED_TOKENS)
    assert _spans(after) == [(1, 5)]


def test_an_open_group_stays() -> None:
    history = [user(), assistant(), user("go"), assistant("a", "b"), result("a")]
    window = window_of(history, 300)
    assert _spans(window) == [(1, 2)]
    single = window_of([user("go"), assistant("a"), result("a"), assistant("b", "c"), result("b")], 300)
    assert _spans(single) == [(2, 3)]


def test_an_older_half_that_would_not_pay_for_its_note_takes_the_next_turn_along() -> None:
    window = window_of([*turn_of(2), *turn_of(2), *turn_of(2)], [10, 10, 9_000, 9_000, 50, 50])
    assert _spans(window) == [(1, 4)]


def test_a_request_alone_is_left_and_a_huge_reply_to_it_goes() -> None:
    assert MIN_MESSAGES == 2
    assert _plan(window_of([user()], 9_000)).steps == ()
    assert "nothing is left" in _plan(window_of([user()], 9_000)).reason
    assert _spans(window_of([user(), assistant()], 9_000)) == [(2, 2)]
    assert _spans(window_of([user(), assistant(), assistant()], 9_000)) == [(2, 3)]


def _after(items: list[SummaryItem | OmittedItem], history: list[Message], tokens: int = 500) -> Window:
    start = items[-1].last
    later = (MessageItem(stored(start + place, tokens, one)) for place, one in enumerate(history, 1))
    return Window((*items, *later))


def test_summaries_stay_while_messages_can_go() -> None:
    made = [SummaryItem(summary(1, 1, 9, tokens=800)), SummaryItem(summary(2, 10, 20, tokens=800))]
    window = _after([*made], [*turn_of(2), *turn_of(2)])
    assert _spans(window) == [(21, 22)]


def test_where_nothing_but_summaries_is_left_the_older_half_of_them_goes() -> None:
    made = [SummaryItem(summary(place, place, place, tokens=800)) for place in range(1, 6)]
    window = _after([*made], [user("now")])
    assert _spans(window) == [(1, 3)]
    assert _plan(window).reason == SUMMARIES


def test_a_summary_that_quotes_the_request_counts_as_the_turn_it_stands_for() -> None:
    quoting = SummaryItem(summary(1, 1, 9, tokens=800), stored(8, 100, user("now")))
    assert _spans(_after([quoting], [assistant("a"), result("a")])) == [(10, 11)]
    assert _spans(_after([quoting], [assistant(), user("and"), assistant()])) == [(10, 10)]
    assert _spans(_after([quoting], [assistant()])) == [(10, 10)]


def test_an_earlier_dropped_range_beside_it_is_joined() -> None:
    dropped = OmittedItem("o1", 1, 9, "left out", 60)
    window = _after([dropped], [*turn_of(2), *turn_of(2)])
    (step,) = _plan(window).steps
    assert (step.item_ids, step.first, step.last) == (("o1", "m10", "m11"), 1, 11)


@pytest.mark.parametrize("tries", [1, 2])
def test_a_refused_drop_is_not_planned_again(tries: int) -> None:
    window = window_of([*turn_of(2), *turn_of(2), *turn_of(2)], 500)
    refused: frozenset[tuple[str, ...]] = frozenset()
    for _ in range(tries):
        planned = drop_oldest_turns(state_of(window, refused=refused)).steps
        refused |= {step.item_ids for step in planned}
    again = drop_oldest_turns(state_of(window, refused=refused)).steps
    assert again != ()
    assert refused.isdisjoint(step.item_ids for step in again)


@given(st.integers(2, 40), st.integers(2, 6))
def test_of_equal_turns_half_are_left(turns: int, size: int) -> None:
    window = window_of([one for _ in range(turns) for one in turn_of(size)], 300)
    assert _spans(window) == [(1, turns // 2 * size)]
