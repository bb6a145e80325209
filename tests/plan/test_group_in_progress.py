"""The tool group in progress: what it is, how much room it gets, and that no plan takes it away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.token_counts import count_message
from palimpsest.plan.blocks import blocks, group_in_progress
from palimpsest.plan.fit_to_limit import shorten_group_first, smallest_window
from palimpsest.plan.policies import fit
from palimpsest.record.decision import State
from palimpsest.record.message import Message, Text, ToolResult
from palimpsest.record.window import Window
from palimpsest.record.window_items import StubItem, SummaryItem
from palimpsest.settings import PRESETS
from tests.plan.states import assistant, carry_out, result, state_of, user, window_of, worn_windows
from tests.record.windows import summary


def rows(name: str, lines: int) -> Message:
    return Message("tool", (ToolResult(name, (Text("\n".join(f"row {one}" for one in range(lines))),)),))


def sized(*history: Message) -> Window:
    return window_of(history, [count_message(message) for message in history])


def state_in(window: Window, preset: str = "hierarchical", tool: str = "") -> State:
    settings = replace(PRESETS[preset], window_tokens=12_000, max_tokens=1_000)
    return replace(state_of(window, settings), reading_tool=tool)


def ids(window: Window) -> list[str]:
    return [item.id for item in group_in_progress(window)]


def test_a_group_is_in_progress_until_the_assistant_speaks_again() -> None:
    history = [user(), assistant("a"), result("a"), assistant("b", "c"), result("b"), result("c")]
    assert ids(window_of(history)) == ["m4", "m5", "m6"]
    assert ids(window_of(history[:-1])) == ["m4", "m5"]
    assert ids(window_of([*history, assistant()])) == []
    assert ids(window_of([*history, user("and?")])) == ["m4", "m5", "m6"]
    assert ids(window_of([*history[:-1], user("stop")])) == []
    assert ids(window_of([user("go")])) == []


def test_results_behind_a_record_of_their_call_are_in_progress_and_what_a_record_follows_is_not() -> None:
    record = SummaryItem(summary(1, 1, 3))
    late = replace(window_of([result("a")] * 4).items[3])
    assert ids(Window((record, late))) == ["m4"]
    assert ids(Window((*window_of([assistant("a"), result("a")]).items, SummaryItem(summary(1, 3, 4))))) == []


@given(worn_windows(), st.sampled_from(sorted(PRESETS)), st.integers(1, 20_000))
def test_no_plan_replaces_the_group_but_by_its_heads_and_tails(
    window: Window, preset: str, under_tokens: int
) -> None:
    for _ in range(6):
        state = state_in(window, preset)
        newest = [block for block in blocks(window, 0, given_up=True) if block.current]
        group = {item.id for block in newest for item in block.items}
        steps = fit(state, under_tokens).steps
        taking = [step for step in steps if group.intersection(step.item_ids)]
        assert all(step.kind == "stub" or step.group_tokens > 0 for step in taking)
        for step in steps:
            window = carry_out(
                replace(state, window=window), step, max(1, min(step.target_tokens, step.source_tokens - 1))
            )


def test_a_group_that_would_fit_alone_is_not_shortened_before_the_rest_is_compacted() -> None:
    window = sized(user(), *[assistant()] * 9, user("go"), assistant("a"), rows("a", 2_000))
    under_tokens = group_in_progress(window)[-1].tokens + 1_500
    assert shorten_group_first(state_in(window), under_tokens).steps == ()
    assert shorten_group_first(state_in(window), under_tokens - 1_490).steps != ()


@pytest.mark.parametrize("tool", ["", "short_expand"])
def test_a_group_gets_half_of_what_the_rest_leaves_and_names_the_tool_on_offer(tool: str) -> None:
    window = sized(user(), assistant("a", "b"), rows("a", 9_000), rows("b", 20))
    (step,) = shorten_group_first(state_in(window, tool=tool), 8_000).steps
    assert step.first == 3
    others = sum(item.tokens for item in window.items if item.first != 3)
    assert 0.4 * (8_000 - others) <= step.target_tokens <= 0.55 * (8_000 - others)
    assert step.target_tokens == count_stub(window.items[2].stored.message, step.note)  # type: ignore[union-attr]
    assert ("and include_results=true" in step.note) == bool(tool)


def test_beside_a_full_window_a_group_gets_a_quarter_of_what_compaction_will_leave() -> None:
    window = sized(user(), *[rows("x", 300)] * 9, user("go"), assistant("a"), rows("a", 9_000))
    (step,) = shorten_group_first(state_in(window), 9_000).steps
    assert 1_200 <= step.target_tokens <= 2_400


def test_what_was_shortened_is_shortened_again_from_its_whole_where_there_is_less_room() -> None:
    window = sized(user(), assistant("a"), rows("a", 9_000))
    (step,) = shorten_group_first(state_in(window), 8_000).steps
    smaller = carry_out(state_in(window), step, step.target_tokens)
    (again,) = shorten_group_first(state_in(smaller), 2_000).steps
    assert again.target_tokens < 1_200
    assert again.note.endswith("row 8999")
    assert again.note.startswith("row 0\n")
    assert (
        shorten_group_first(state_in(carry_out(state_in(smaller), again, again.target_tokens)), 2_000).steps
        == ()
    )


def test_the_least_of_a_group_still_shows_both_ends_of_each_result() -> None:
    window = sized(user(), assistant("a", "b"), rows("a", 900), rows("b", 3_000))
    found = {item.stored.id: item for item in smallest_window(window).items if isinstance(item, StubItem)}
    assert sorted(found) == ["m3", "m4"]
    for name, last in (("m3", "row 899"), ("m4", "row 2999")):
        item = found[name]
        assert isinstance(item, StubItem)
        assert item.note.startswith("row 0\n")
        assert item.note.endswith(last)
        assert f"stored as {name}" in item.note
        assert item.tokens < 80


def test_what_the_user_says_between_a_call_and_its_result_is_not_shortened_with_them() -> None:
    window = sized(user(), assistant("a"), user("wait for the tide " * 900), rows("a", 3_000))
    assert "m3" not in ids(window)
    steps = shorten_group_first(state_in(window), 6_000).steps
    assert [step.item_ids for step in steps] == [("m4",)]
