"""What tools answer is estimated, and stays within its tokens all the same."""

from __future__ import annotations

import random

import pytest

import palimpsest
from palimpsest.budget.calibration import margin_tokens
from palimpsest.budget.token_estimator import count_text

ASKED = {
    "short_search": {"question": "which winch is at the quay?", "limit": 100},
    "short_grep": {"pattern": "winch", "limit": 100},
    "short_expand": {"message_ids": ["m1-m60"]},
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("answer_tokens", [700, 1_000, 2_000])
async def test_an_answer_leaves_room_for_what_its_estimate_may_lack(name: str, answer_tokens: int) -> None:
    rng = random.Random(4)
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("quay")
        for _ in range(60):
            codes = " ".join(f"{rng.randrange(10**12):x}" for _ in range(rng.randrange(4, 9)))
            await talk.append({"role": "user", "content": f"The winch at the quay has {codes}."})
        told = await talk.tools(answer_tokens).call(name, ASKED[name])
        assert count_text(told) <= answer_tokens - margin_tokens(answer_tokens, 16)
