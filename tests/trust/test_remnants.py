"""No byte of what was forgotten is left, in short; the long form is `bench/trust/remnants`."""

from __future__ import annotations

import sys

import pytest

from bench.trust.remnants import WAYS, remnant_trial
from bench.trust.running import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")


@pytest.mark.slow
def test_no_byte_is_left_of_a_message_a_range_a_conversation_or_an_owner_even_after_kills() -> None:
    found = run(remnant_trial, 0, 2 * len(WAYS))
    assert found.faults == []
    assert found.counts["remnants"] == 0
    assert found.counts["searches"] == 3 * 2 * len(WAYS)
    assert all(found.counts[way] == 2 for way in WAYS)
    assert found.counts["killed"] > 0
