"""No byte of what was forgotten is left, in short; the long form is `bench/trust/remnants`."""

from __future__ import annotations

import sys

import pytest

from bench.trust.remnants import WAYS, remnant_trial
from bench.trust.running import run
from tests.effort import size

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")

TIMES = size(1, 10)


@pytest.mark.slow
@pytest.mark.sampled
def test_no_byte_is_left_of_a_message_a_range_a_conversation_or_an_owner_even_after_kills() -> None:
    found = run(remnant_trial, len(WAYS), TIMES * len(WAYS))
    assert found.faults == []
    assert found.counts["remnants"] == 0
    assert found.counts["searches"] == 3 * TIMES * len(WAYS)
    assert all(found.counts[way] == TIMES for way in WAYS)
    assert found.counts["killed"] > 0
