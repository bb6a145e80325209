"""The benchmarks of the economic policy measure what they say: planning alone, and windows in the same room."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.effort import size
from tests.engine.replaying import drawn

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import planner
from survival_data import Session
from survival_windows import ECONOMIC, OTHERS, windows


async def test_a_planner_looks_at_the_window_and_not_at_the_history() -> None:
    row = await planner.measure(300, 4, compacts=True)
    whole = await planner.measure(300, 4, compacts=False)
    assert row.messages == whole.messages == 300
    assert row.window_items < 150 < whole.window_items
    assert row.ratio == pytest.approx(row.p50_ms / row.floor_ms, rel=0.05, abs=0.02)


@pytest.mark.slow
@pytest.mark.sampled
async def test_every_policy_is_given_the_room_that_the_economic_one_took() -> None:
    session = Session("ferry", "drawn", "one", drawn(3, calls=size(12, 24)))
    found = [(cut, views) async for cut, views in windows(session, size(3_000, 4_000))]
    assert len(found) > 1
    for cut, (first, *others) in found:
        assert first.way == ECONOMIC
        assert [one.way for one in others] == list(OTHERS)
        assert all(0.6 * first.tokens < one.tokens < 1.4 * first.tokens for one in others)
        assert (cut.first, cut.resume) == (0, cut.end)
