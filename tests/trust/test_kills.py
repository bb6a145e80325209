"""Processes killed at random lose nothing that was acknowledged; the long form is `bench/trust/kills`."""

from __future__ import annotations

import sys

import pytest

from bench.trust.kills import WAYS, kill_trial
from tests.effort import size

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")

KILLS = size(1, 12)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("way", WAYS)
def test_nothing_acknowledged_is_lost_or_doubled_by_a_kill(way: str) -> None:
    found = kill_trial(way, 1, kills=KILLS)
    assert found.faults == []
    assert found.counts["kills"] >= KILLS
