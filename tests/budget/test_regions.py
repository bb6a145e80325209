"""The budget formula, its trigger, and the margin."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.model_limits import resolve_limits
from palimpsest.budget.regions import measure, trigger
from palimpsest.record.window import Window
from palimpsest.record.window_items import OmittedItem, SummaryItem
from palimpsest.settings import Settings, make_settings
from tests.plan.states import assistant, window_of
from tests.record.windows import summary


def settled(preset: str = "default", **changes: Any) -> Settings:
    """Settings with both limits, in a window of 128,000 tokens unless another is asked for."""
    return resolve_limits(make_settings(preset, **{"window_tokens": 128_000, **changes}))


def _window(history: int, summaries: int = 0) -> Window:
    made = tuple(SummaryItem(summary(place, place, place, tokens=500)) for place in range(1, summaries + 1))
    return Window((*made, *window_of([assistant()] * (summaries + history), 100).items[summaries:]))


def test_use_is_the_sum_of_the_regions() -> None:
    budget = measure(_window(10), settled(), system_tokens=50, memory_tokens=7, tools_tokens=300)
    assert (budget.regions.history, budget.regions.summaries, budget.regions.fixed) == (1_000, 0, 357)
    assert budget.used_tokens == budget.regions.total == 1_357


def test_summaries_and_dropped_ranges_are_a_region_of_their_own() -> None:
    regions = measure(_window(10, 3), settled()).regions
    assert regions.history == 1_000
    assert 1_500 < regions.summaries < 1_600
    dropped = Window((OmittedItem("o1", 1, 5, "left out", 60),))
    assert 60 < measure(dropped, settled()).regions.summaries < 160


def test_a_report_corrects_the_use_and_never_below_nothing() -> None:
    assert measure(_window(10), settled(), correction_tokens=250).used_tokens == 1_250
    assert measure(_window(10), settled(), correction_tokens=-5_000).used_tokens == 0


@given(
    st.integers(0, 300),
    st.integers(0, 10**7),
    st.integers(0, 10**7),
    st.integers(100, 10**6),
    st.sampled_from(("latin", "cjk", "other")),
)
def test_the_capacity_is_the_window_less_reply_and_margin_for_what_is_not_anchored(
    history: int, system_tokens: int, anchored_tokens: int, window_tokens: int, script: str
) -> None:
    settings = settled(window_tokens=window_tokens)
    budget = measure(
        _window(history),
        settings,
        system_tokens=system_tokens,
        anchored_tokens=anchored_tokens,
        script=script,
    )
    room = settings.window_tokens - settings.max_tokens
    open_tokens = min(max(0, budget.regions.total - anchored_tokens), room)
    assert 0.03 * open_tokens <= budget.margin_tokens <= 0.5 * open_tokens + 1
    assert budget.capacity_tokens == room - budget.margin_tokens > 0


def test_a_history_of_any_size_leaves_a_capacity_to_aim_at() -> None:
    small = Settings(window_tokens=8_000, max_tokens=1_000)
    assert measure(_window(100_000), small).capacity_tokens > 5_000


@pytest.mark.parametrize("base", ["window", "capacity"])
@given(share=st.floats(0.01, 1), history=st.integers(0, 200), window_tokens=st.integers(1_000, 200_000))
def test_the_trigger_is_a_share_of_its_base_and_never_above_nine_tenths_of_the_capacity(
    base: str, share: float, history: int, window_tokens: int
) -> None:
    settings = settled(window_tokens=window_tokens, trigger_base=base, context_threshold_share=share)
    budget = measure(_window(history), settings)
    limit, numbers = trigger(budget, settings)
    wanted = int((window_tokens if base == "window" else budget.capacity_tokens) * share)
    cap = int(budget.capacity_tokens * 0.9)
    assert limit == min(wanted, cap)
    assert dict(numbers) == {
        "used_tokens": budget.used_tokens,
        "trigger_tokens": limit,
        "capacity_tokens": budget.capacity_tokens,
        "capped": int(cap < wanted),
    }


def test_with_a_reply_of_a_quarter_of_the_window_three_quarters_of_it_are_capped() -> None:
    settings = settled("seahorse", window_tokens=0, max_tokens=32_768)
    budget = measure(_window(10), settings)
    limit, numbers = trigger(budget, settings)
    assert dict(numbers)["capped"] == 1
    assert limit < budget.capacity_tokens


@pytest.mark.parametrize("window_tokens, limit", [(400_000, 340_000), (64_000, 32_000)])
def test_a_reserve_puts_the_trigger_below_the_window_and_leaves_half_of_a_small_one(
    window_tokens: int, limit: int
) -> None:
    made = settled(window_tokens=window_tokens, max_tokens=1_000, trigger_reserve_tokens=60_000)
    found, numbers = trigger(measure(Window(), made), made)
    assert (found, dict(numbers)["capped"]) == (limit, 0)


def test_a_small_reserve_is_capped_as_every_trigger_is() -> None:
    made = settled(max_tokens=1_000, trigger_reserve_tokens=1)
    budget = measure(Window(), made)
    found, numbers = trigger(budget, made)
    assert (found, dict(numbers)["capped"]) == (int(budget.capacity_tokens * 0.9), 1)


def test_an_absolute_threshold_comes_before_a_reserve() -> None:
    made = settled(compact_threshold=50_000, trigger_reserve_tokens=20_000)
    assert trigger(measure(Window(), made), made)[0] == 50_000
