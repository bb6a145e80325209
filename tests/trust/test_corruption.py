"""Damaged files, in short, as `bench.trust.corruption`: no wrong answer silently, and what is intact is got out."""

from __future__ import annotations

import pytest

from bench.trust.corruption import KINDS, corruption_trial
from bench.trust.running import run
from tests.effort import size

FILES = size(7, 140)


@pytest.mark.slow
@pytest.mark.sampled
def test_damaged_files_give_errors_or_are_found_damaged_and_give_up_what_is_intact() -> None:
    found = run(corruption_trial, first=0, count=FILES)
    assert found.faults == []
    assert found.counts["intact messages"] > 30 * FILES
    assert sum(found.counts[kind] for kind in set(KINDS)) == FILES
