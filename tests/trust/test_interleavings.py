"""Whatever runs beside whatever, and wherever it is cancelled or ends: a conversation is the list of what was said. The
long form is `bench/trust/interleavings`.
"""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.trust.interleavings import SQLITE_IN, STEPS, interleaving_trial, lived
from bench.trust.running import Found, run
from tests.effort import examples
from tests.reference_store import MemoryStore


@pytest.mark.slow
def test_hundreds_of_interleaved_steps_lose_double_and_reorder_nothing() -> None:
    found = run(interleaving_trial, 0, 10)
    assert found.faults == []
    assert found.counts["steps"] == 10 * STEPS
    assert found.counts["judgements"] > 15


@pytest.mark.slow
def test_the_same_holds_over_sqlite() -> None:
    found = interleaving_trial(SQLITE_IN - 1)
    assert found.faults == []
    assert found.counts["trials on SQLite"] == 1


@examples(12)
@given(st.randoms(use_true_random=False), st.integers(1, 25))
def test_an_interleaving_that_breaks_a_law_would_be_shown_at_its_smallest(draw: Random, steps: int) -> None:
    found = Found()
    asyncio.run(lived(draw, steps, MemoryStore(), found, deep=True))
    assert found.counts["steps"] == steps
