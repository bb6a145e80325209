"""Settings are chosen on the sessions of other agents, and looked at on one's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import cost_settings
import cost_synthetic

from palimpsest.costs.replay import ECONOMIC

FIRST, SECOND = ((value, 2.0, 3.0, 4.0, 5.0) for value in (1.0, 9.0))


def test_what_is_best_elsewhere_is_looked_at_where_it_was_not_chosen() -> None:
    shares = {FIRST: (0.2, 0.4, 0.9), SECOND: (0.6, 0.8, 0.5)}
    own, other = cost_settings.held_out(("a", "a", "b"), shares, (0.5, 0.7, 0.6))
    assert (own.agent, own.sessions, other.agent, other.sessions) == ("a", 2, "b", 1)
    assert own.settings["tail_tokens"] == 9.0
    assert other.settings["tail_tokens"] == 1.0
    assert (own.chosen, own.own_best, own.as_they_are) == pytest.approx((0.7, 0.3, 0.6))
    assert (other.chosen, other.own_best, other.as_they_are) == pytest.approx((0.9, 0.5, 0.6))


def test_one_agent_alone_leaves_nothing_to_choose_on() -> None:
    assert cost_settings.held_out(("a", "a"), {FIRST: (0.2, 0.4)}, (0.5, 0.7)) == []


def test_every_name_of_the_grid_is_a_setting_of_the_rules_and_a_share_is_of_never_compacting() -> None:
    drawn = next(cost_synthetic.sessions(cost_synthetic.SHAPES[0], "steady", 1))
    choice = tuple(float(values[0]) for values in cost_settings.GRID.values())
    assert cost_settings._way(choice).terms.tail_tokens == cost_settings.GRID["tail_tokens"][0]
    assert 0 < cost_settings.share(drawn, ECONOMIC, 200_000) < 1.1
