"""The rolling policy: when it is due, where it cuts, and what it never touches."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.plan.blocks import MIN_SOURCE_TOKENS, newest_request, shown_request
from palimpsest.plan.policies import POLICIES, fit
from palimpsest.plan.rolling import (
    LEAST_SHARE_OF_CAPACITY,
    MAX_SHARE_OF_CAPACITY,
    MIN_TARGET_TOKENS,
    roll,
    rolling,
)
from palimpsest.record.decision import Decision, State
from palimpsest.record.message import Media, Message, Text
from palimpsest.record.window import Window, check_coverage
from palimpsest.record.window_items import MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.settings import Settings, make_settings
from tests.engine.laws import groups_of
from tests.plan.states import (
    assistant,
    carry_out,
    result,
    state_of,
    turn_of,
    user,
    window_of,
    worn_windows,
)
from tests.record.windows import stored, summary

PRESETS = st.sampled_from(("picoclaw", "crabtalk"))
CHANGES = st.fixed_dictionaries(
    {
        "fresh_tail_count": st.integers(0, 5),
        "window_tokens": st.sampled_from((2_000, 8_000, 200_000)),
        "cuts_at": st.sampled_from(("groups", "turns", "everything")),
        "rolling_target_tokens": st.sampled_from((100, 4_000)),
        "summarize_message_threshold": st.integers(0, 9),
    }
)


def newest_words(window: Window) -> str:
    """What the user said last, as far as it stands verbatim; a summary's quotation counts."""
    for item in reversed(window.items):
        if isinstance(item, MessageItem) and item.stored.message.role == "user":
            return repr(item.stored.message)
        if isinstance(item, SummaryItem) and item.quoted is not None:
            return repr(item.quoted.message)
    return ""


def assert_lawful(state: State, decision: Decision) -> None:
    """Steps take adjacent standing items, whole groups, nothing that may grow, and say whom they quote."""
    items = state.window.items
    ids = [item.id for item in items]
    request = shown_request(newest_request(state.window))
    raw = [item.stored for item in items if isinstance(item, MessageItem | StubItem)]
    groups = [
        (raw[first - 1].seq, raw[last - 1].seq) for first, last in groups_of([one.message for one in raw])
    ]
    taken: list[str] = []
    for step in decision.steps:
        start = ids.index(step.item_ids[0])
        gone = items[start : start + len(step.item_ids)]
        assert tuple(item.id for item in gone) == step.item_ids
        assert (step.first, step.last) == (gone[0].first, gone[-1].last)
        assert step.source_tokens == sum(item.tokens for item in gone)
        assert step.item_ids not in state.refused
        assert not any(isinstance(item, MessageItem) and item.stored.open for item in gone)
        covers = any(shown_request(item) is request for item in gone) and request is not None
        assert step.quotes == (request.seq if request is not None and covers else 0)
        cut = [span for span in groups if span[0] <= step.last and step.first <= span[1]]
        assert cut == [span for span in cut if step.first <= span[0] and span[1] <= step.last]
        taken.extend(step.item_ids)
    assert len(taken) == len(set(taken))


def assert_rolls(state: State, decision: Decision) -> None:
    """All of that, and each step is one summary deeper than the deepest it takes in, of enough to be shortened."""
    assert_lawful(state, decision)
    for step in decision.steps:
        gone = [item for item in state.window.items if item.id in step.item_ids]
        depths = [item.summary.depth for item in gone if isinstance(item, SummaryItem)]
        assert (step.kind, step.depth) == ("roll", 1 + max(depths, default=-1))
        kept = [one.tokens for item in gone if (one := shown_request(item)) and one.seq == step.quotes]
        assert step.source_tokens - sum(kept) >= MIN_SOURCE_TOKENS


@given(worn_windows(), PRESETS, CHANGES)
def test_no_rolling_summary_cuts_a_group_or_takes_what_must_stay(
    window: Window, preset: str, changes: dict[str, Any]
) -> None:
    state = state_of(window, make_settings(preset, **changes))
    for decision in (roll(state), rolling(state)):
        assert_rolls(state, decision)
        assert decision.reason


@given(worn_windows(), PRESETS, CHANGES, st.data())
def test_rolling_goes_on_until_there_is_nothing_new_and_keeps_every_law(
    window: Window, preset: str, changes: dict[str, Any], data: st.DataObject
) -> None:
    settings = make_settings(preset, **changes)
    words, last = newest_words(window), window.last
    for _ in range(100):
        state = state_of(window, settings)
        decision = roll(state)
        assert_rolls(state, decision)
        if not decision.steps:
            break
        for step in decision.steps:
            own = state_of(window, settings)
            kept = next(
                (
                    one.tokens
                    for item in window.items
                    if (one := shown_request(item)) and one.seq == step.quotes
                ),
                0,
            )
            most = step.source_tokens - kept - 1
            smaller = kept + data.draw(st.integers(1, max(1, min(most, 300))))
            window = carry_out(own, step, smaller)
            assert smaller < step.source_tokens
        assert window.tokens < state.window.tokens
        check_coverage(window, last)
        assert newest_words(window) == words
    assert roll(state_of(window, settings)).steps == ()


@given(worn_windows(), CHANGES)
def test_a_refused_step_is_not_planned_again(window: Window, changes: dict[str, Any]) -> None:
    settings = make_settings("crabtalk", **changes)
    planned = roll(state_of(window, settings)).steps
    refused = frozenset(step.item_ids for step in planned)
    again = roll(state_of(window, settings, refused)).steps
    assert refused.isdisjoint(step.item_ids for step in again)


@given(worn_windows(), CHANGES)
def test_a_summary_never_aims_at_more_than_its_share_of_the_source_and_of_the_capacity(
    window: Window, changes: dict[str, Any]
) -> None:
    state = state_of(window, make_settings("crabtalk", **changes))
    for step in roll(state).steps:
        assert 1 <= step.target_tokens <= step.source_tokens // 2
        assert step.target_tokens <= state.settings.rolling_target_tokens
        assert step.target_tokens <= max(
            MIN_TARGET_TOKENS, state.budget.capacity_tokens * MAX_SHARE_OF_CAPACITY
        )


def _pico(window: Window, **changes: Any) -> Decision:
    return rolling(state_of(window, make_settings("picoclaw", **{"window_tokens": 100_000, **changes})))


def _crab(window: Window, **changes: Any) -> Decision:
    return roll(state_of(window, make_settings("crabtalk", **{"window_tokens": 200_000, **changes})))


def test_more_than_twenty_messages_start_a_summary_of_the_older_turns() -> None:
    window = window_of([*turn_of(6), *turn_of(6), *turn_of(5), *turn_of(4)], 100)
    (step,) = _pico(window).steps
    assert (step.first, step.last, step.quotes) == (1, 17, 0)
    assert _pico(window_of([*turn_of(16), *turn_of(4)], 100)).steps == ()


def test_the_cut_snaps_to_the_nearest_user_message_before_or_behind_the_tail() -> None:
    behind = window_of([*turn_of(10), *turn_of(9), *turn_of(3)], 100)
    assert [(step.first, step.last) for step in _pico(behind).steps] == [(1, 19)]
    before = window_of([*turn_of(10), *turn_of(6), *turn_of(6)], 100)
    assert [(step.first, step.last) for step in _pico(before).steps] == [(1, 16)]


def test_tokens_over_the_trigger_start_a_summary_of_few_messages_too() -> None:
    window = window_of([*turn_of(3), *turn_of(4)], [30_000, 30_000, 20_000, 10, 10, 10, 10])
    decision = _pico(window, max_tokens=1_000)
    assert [(step.first, step.last) for step in decision.steps] == [(1, 3)]
    assert decision.reason == "roll: over the trigger"
    assert dict(decision.numbers)["trigger_tokens"] <= 75_000


def test_no_turn_is_cut_however_large_it_is() -> None:
    turn = [
        user("go"),
        *(one for place in range(30) for one in (assistant(f"c{place}"), result(f"c{place}"))),
    ]
    for tokens in (100, 1_200, 3_000):
        assert _pico(window_of(turn, tokens)).steps == ()
        decision = _pico(window_of([*turn_of(4), *turn], tokens))
        assert [(step.first, step.last, step.quotes) for step in decision.steps] == [(1, 4, 0)]


@pytest.mark.parametrize("tokens", [900, 4_000, 30_000])
def test_a_history_larger_than_the_capacity_is_taken_in_parts_of_whole_turns(tokens: int) -> None:
    window = window_of([message for _ in range(40) for message in turn_of(4)], tokens)
    while steps := _pico(window, max_tokens=8_000).steps:
        (step,) = steps
        window = carry_out(state_of(window, window_tokens=100_000), step, 500)
        roles = [item.stored.message.role for item in window.items if isinstance(item, MessageItem)]
        assert roles == ["user", *["assistant"] * 3] * (len(roles) // 4)
    assert len(window.items) == 5


def test_a_request_older_than_the_cut_stays_an_item_between_two_summaries() -> None:
    history = [*turn_of(4), user("now"), *(assistant() for _ in range(30))]
    window = window_of(history, 2_000)
    (whole,) = rolling(state_of(window, make_settings("picoclaw", window_tokens=100_000))).steps
    assert (whole.first, whole.last) == (1, 4)
    state = state_of(window, make_settings("picoclaw", window_tokens=100_000, cuts_at="groups"))
    first, second = rolling(state).steps
    assert ((first.first, first.last), (second.first, second.last)) == ((1, 4), (6, 31))
    after = carry_out(state_of(carry_out(state, first, 500), state.settings), second, 500)
    assert [(item.first, item.last) for item in after.items] == [(1, 4), (5, 5), (6, 31), *(
        (place, place) for place in range(32, 36)
    )]  # fmt: skip


def test_everything_goes_into_one_summary_that_quotes_the_newest_request_with_its_media() -> None:
    asked = Message("user", (Text("look at this "), Media("image/png", data="aGk=", size_bytes=2)))
    window = window_of([*turn_of(5), asked, assistant("a"), result("a")], 1_000)
    state = state_of(window, make_settings("crabtalk", window_tokens=200_000))
    (step,) = roll(state).steps
    assert (step.first, step.last, step.quotes, step.depth) == (1, 8, 6, 0)
    (item,) = carry_out(state, step, 1_500).items
    assert isinstance(item, SummaryItem)
    assert item.quoted is not None
    assert item.quoted.message == asked


def test_the_next_summary_takes_the_last_one_in_and_goes_on_quoting_the_same_request() -> None:
    standing = SummaryItem(summary(1, 1, 8, tokens=700, depth=3), stored(6, 300, user("now")))
    more = window_of([assistant("a"), result("a"), assistant()], 900)
    items = [MessageItem(stored(8 + item.first, 900, item.stored.message)) for item in more.items]  # type: ignore[union-attr]
    (step,) = _crab(Window((standing, *items))).steps
    assert (step.first, step.last, step.quotes, step.depth) == (1, 11, 6, 4)
    asked = MessageItem(stored(12, 50, user("and now this")))
    (step,) = _crab(Window((standing, *items, asked))).steps
    assert (step.first, step.last, step.quotes) == (1, 12, 12)
    assert _crab(Window((standing, asked))).steps == ()


@pytest.mark.parametrize(
    "tail", [[assistant("a")], [assistant("a", "b"), result("a")], [assistant("a"), user("wait")]]
)
def test_an_open_group_stays_whole_even_where_the_user_spoke_in_it(tail: list[Message]) -> None:
    window = window_of([*turn_of(6), *tail], 1_000)
    (step,) = _crab(window).steps
    assert step.last == 6
    assert step.quotes == (0 if tail[-1].role == "user" else 1)


def test_a_request_that_may_still_grow_is_not_quoted() -> None:
    growing = Message("user", (Text("and al"),), provisional=True)
    (step,) = _crab(window_of([*turn_of(6), growing], 1_000)).steps
    assert (step.last, step.quotes) == (6, 0)


def test_a_history_larger_than_the_window_is_worked_off_in_parts_that_a_summarizer_can_read() -> None:
    settings = make_settings("crabtalk", window_tokens=20_000, max_tokens=2_000)
    window = window_of([*turn_of(100), user("now"), assistant()], 1_000)
    parts: list[int] = []
    for _ in range(30):
        state = state_of(window, settings)
        decision = roll(state)
        if not decision.steps:
            break
        (step,) = decision.steps
        assert step.source_tokens <= state.budget.capacity_tokens
        parts.append(step.last)
        window = carry_out(state, step, step.target_tokens + (1_000 if step.quotes else 0))
    assert parts == sorted(parts)
    assert parts[-1] == 102
    assert len(parts) <= 10
    assert [(item.first, item.last) for item in window.items] == [(1, 102)]


def test_one_group_larger_than_the_window_is_taken_alone() -> None:
    window = window_of([user(), assistant("a"), result("a"), assistant()], [100, 100, 500_000, 100])
    (step,) = _crab(window).steps
    assert (step.first, step.last, step.quotes) == (1, 3, 1)


def test_the_summary_of_a_request_larger_than_half_the_window_aims_at_the_room_that_is_left() -> None:
    window = window_of([*turn_of(3), user("long")], [900, 900, 900, 5_000])
    state = state_of(window, make_settings("crabtalk", window_tokens=8_000, max_tokens=2_000))
    (step,) = roll(state).steps
    assert MIN_TARGET_TOKENS <= step.target_tokens <= max(64, state.budget.capacity_tokens - 5_000)


def test_over_the_limit_a_lone_summary_of_the_request_is_shortened_and_nothing_else_of_it() -> None:
    standing = SummaryItem(summary(1, 1, 8, tokens=2_600, depth=1), stored(6, 2_000, user("now")))
    window = Window((standing,))
    state = state_of(window, make_settings("crabtalk", window_tokens=4_000, max_tokens=1_000))
    decision = fit(state, 2_400)
    (step,) = decision.steps
    assert (step.kind, step.quotes, step.depth) == ("roll", 6, 2)
    assert step.target_tokens <= 300
    assert decision.reason == "over: shortening the summary of the request"


def test_dropped_ranges_beside_what_is_rolled_up_go_with_it() -> None:
    dropped = OmittedItem("o1", 1, 9, "left out", 60)
    items = [MessageItem(stored(9 + place, 500, one)) for place, one in enumerate(turn_of(6), 1)]
    (step,) = _crab(Window((dropped, *items))).steps
    assert (step.item_ids[0], step.first, step.last) == ("o1", 1, 15)


def test_an_absolute_threshold_is_capped_at_nine_tenths_of_the_capacity_and_the_record_says_so() -> None:
    window = window_of([*turn_of(8)], 1_000)
    capped = rolling(state_of(window, make_settings("crabtalk", window_tokens=10_000, max_tokens=2_000)))
    numbers = dict(capped.numbers)
    assert numbers["capped"] == 1
    assert numbers["trigger_tokens"] == int(numbers["capacity_tokens"] * 0.9)
    roomy = rolling(state_of(window, make_settings("crabtalk", window_tokens=200_000)))
    assert dict(roomy.numbers)["trigger_tokens"] == 100_000
    assert dict(roomy.numbers)["capped"] == 0
    assert roomy.steps == ()


def test_what_an_over_full_request_makes_says_what_it_was_compared_with() -> None:
    state = state_of(window_of(turn_of(9), 900), make_settings("crabtalk", window_tokens=8_000))
    decision = fit(state, 3_000)
    assert decision.reason == "over: a rolling summary"
    assert dict(decision.numbers) == {"used_tokens": state.budget.used_tokens, "under_tokens": 3_000}
    assert fit(state, 100_000).steps == ()
    assert fit(state, 3_000, drop_only=True).reason == "over: dropping the oldest"


def test_the_policy_of_each_name_knows_its_own_kinds_of_work() -> None:
    assert [kind for kind, _ in POLICIES["rolling"].due] == ["roll"]
    assert POLICIES["rolling"].decide("leaf") is None
    assert POLICIES["hierarchical"].decide("roll") is None
    assert Settings().policy == "hierarchical"


def test_the_one_summary_is_not_cut_down_for_the_bulk_of_the_newest_results() -> None:
    tail = [user("now"), assistant("b"), result("b"), assistant(), user("and?")]
    window = window_of([*turn_of(3), *tail], [900, 900, 900, 100, 100, 4_600, 100, 100])
    state = state_of(
        window, make_settings("picoclaw", window_tokens=8_000, max_tokens=2_000, fresh_tail_count=5)
    )
    (step,) = roll(state).steps
    least = int(state.budget.capacity_tokens * LEAST_SHARE_OF_CAPACITY)
    assert step.target_tokens == least
