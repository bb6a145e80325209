"""Long sessions with tools run to their end under each preset, with nothing lost and every request valid."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from palimpsest.settings import PRESETS
from tests.effort import sampled, size

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from sawtooth import MAX_TOKENS, WINDOWS, run  # noqa: E402

TRIGGER_SHARE = {"seahorse": 0.75, "picoclaw": 0.75, "hermes": 0.5}
"""The share of the window at which a page says that compaction starts."""
SLACK_TOKENS = 6_000
"""What a turn adds before compaction is looked at again."""


@pytest.mark.slow
@sampled("window_tokens", WINDOWS, WINDOWS[:1])
@pytest.mark.parametrize("preset", PRESETS)
async def test_a_long_session_with_tools_runs_to_its_end_in_each_preset(
    preset: str, window_tokens: int
) -> None:
    turns = size(48, 300)
    session = await run(preset, window_tokens, turns)
    assert session.breaches == []
    assert session.missing == []
    assert session.answers == turns
    assert max(session.used) <= window_tokens - MAX_TOKENS
    assert all(used <= capacity for used, capacity in zip(session.used, session.capacity, strict=True))
    falls = sum(after < before for before, after in pairwise(session.used))
    assert falls >= 1


@pytest.mark.slow
@sampled("window_tokens", WINDOWS, WINDOWS[:1])
@pytest.mark.parametrize("preset", TRIGGER_SHARE)
async def test_no_request_is_far_above_the_share_at_which_the_page_compacts(
    preset: str, window_tokens: int
) -> None:
    session = await run(preset, window_tokens, size(48, 300))
    highest = max(session.used)
    assert highest <= window_tokens * TRIGGER_SHARE[preset] + SLACK_TOKENS
