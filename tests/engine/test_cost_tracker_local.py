"""A model on a server of one's own: its calls are reckoned with the cache that such servers have and do not report."""

from __future__ import annotations

import palimpsest
from palimpsest.engine.conversation import state_of
from tests.engine.drawing import bulk

MODEL = "ollama:qwen3"


async def test_a_server_that_tells_nothing_of_its_cache_is_reckoned_as_never_compacting_is() -> None:
    async with palimpsest.open(
        ":memory:", preset="economic", window_tokens=64_000, max_tokens=2_000
    ) as engine:
        talk = engine.conversation("a")
        for number in range(40):
            await talk.append({"role": "user", "content": f"log pier {number}: {bulk(3_000, number)}"})
            request = await talk.request(model=MODEL)
            usage = {"prompt_tokens": request.tokens, "completion_tokens": 20}
            await talk.record_usage(usage, request)
            await talk.append({"role": "assistant", "content": f"pier {number} is logged"})
        bill = await engine.cost("a")
        assert bill is not None
        assert bill.cached_share > 0.8
        net = state_of(talk).costs.net_units
        assert net is not None
        assert net <= 0.05 * bill.units
        told = {"prompt_tokens": request.tokens, "prompt_tokens_details": {"cached_tokens": 7}}
        await talk.append({"role": "user", "content": "go on"})
        await talk.record_usage({**told, "completion_tokens": 20}, await talk.request(model=MODEL))
        after = await engine.cost("a")
        assert after is not None
        assert after.calls[-1].cached_tokens == 7
