"""Who writes a summary: nobody, a model for that, or the conversation's own model, which reads its cached prompt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

import palimpsest
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.engine.compacting.summarizer_choice import forker, summary_share
from palimpsest.engine.conversation import state_of
from palimpsest.engine.engine import Engine
from palimpsest.price.compaction_rules import CHEAP_SHARE
from palimpsest.price.table import find_price
from palimpsest.record.completion import Completion
from palimpsest.record.log import Compaction
from palimpsest.record.message import Usage
from palimpsest.record.summary import SummaryCall
from palimpsest.settings import make_settings
from palimpsest.stores.codec import decode_calls, encode_calls
from tests.engine.drawing import bulk
from tests.engine.replaying import MODEL, START_S, Clock

SAID = "## Progress\n- The parts were made one by one with make, as the user asked; part 3 is in src/app/reader.py."
READ = 30_000


class Named(ScriptedModel):
    """A scripted model that tells which one it is, as those behind HTTP do."""

    def __init__(self, model: str, replies: Sequence[Reply] = (SAID,)) -> None:
        super().__init__(replies)
        self.model = model
        self.provider = "anthropic"

    async def close(self) -> None:
        """Nothing to release."""


async def _work(engine: Engine, clock: Clock, steps: int = 16) -> None:
    """Calls of a tool with large results, until the window holds some 15,000 tokens more than its tail."""
    talk = engine.conversation("a")
    await talk.append({"role": "user", "content": "make all the parts"})
    for number in range(steps):
        clock.now_s += 20
        request = await talk.request(system="Be brief.", model=MODEL)
        await talk.record_usage(Usage(request.tokens, 200, max(0, request.tokens - 1_500)), request)
        function = {"name": "terminal", "arguments": json.dumps({"command": f"make part{number}"})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        await talk.append({"role": "assistant", "content": "I make one.", "tool_calls": [call]})
        await talk.append({"role": "tool", "tool_call_id": f"c{number}", "content": bulk(4_000, number)})


async def _compacted(own: ScriptedModel, cheap: ScriptedModel | None = None, **more: Any) -> Compaction:
    """The first record of a summary of such work."""
    clock = Clock()
    given: dict[str, Any] = {"preset": "economic", "window_tokens": 200_000, "max_tokens": 8_000, **more}
    async with palimpsest.open(
        ":memory:", clock=clock, complete=cheap or own, fallback=own if cheap else None, **given
    ) as engine:
        await _work(engine, clock)
        talk = engine.conversation("a")
        await talk.compact()
        records = await engine.store.compactions("me", "a")
        return next(one for one in records if one.item_kind == "summary")


async def test_a_fork_goes_on_from_the_request_that_was_sent_and_is_paid_for_as_read_from_the_cache() -> None:
    usage = Usage(READ, 120, READ - 900)
    own = Named(MODEL, [Completion(SAID, usage=usage, model=MODEL)])
    clock = Clock()
    async with palimpsest.open(
        ":memory:", clock=clock, complete=own, preset="economic", summarizer="fork", window_tokens=200_000
    ) as engine:
        await _work(engine, clock)
        talk = engine.conversation("a")
        request = await talk.request(system="Be brief.", model=MODEL)
        await talk.compact()
        asked = own.requests[0]
        assert asked.purpose == "fork"
        assert (asked.system, asked.model, asked.tools) == ("Be brief.", MODEL, request.tools)
        assert asked.messages[:-1] == request.messages
        assert asked.injected == 1
        assert "make all the parts" not in asked.messages[-1].text
        assert "make part0" in asked.messages[-1].text
        (summary,) = [one for one in await engine.store.spent("me", "a") if one.kind == "summary"]
        assert (summary.input_tokens, summary.cached_tokens) == (READ, READ - 900)
        rates = find_price(MODEL, time_s=clock.now_s).rates
        assert summary.cost == pytest.approx(
            rates.cached * (READ - 900) + rates.input * 900 + rates.output * 120
        )


async def test_a_fork_that_answers_with_no_summary_is_followed_by_the_model_for_summaries() -> None:
    own, cheap = Named(MODEL, [Completion("", finish_reason="tool_calls")]), Named("claude-haiku-4-5")
    record = await _compacted(own, cheap, summarizer="fork")
    assert [call.refused for call in record.calls] == ["empty", ""]
    assert (len(own.requests), len(cheap.requests)) == (1, 1)
    assert cheap.requests[0].purpose == "summary"


async def test_a_forks_reply_is_held_against_its_source_as_any_other() -> None:
    own = Named(MODEL, [f"{SAID} The file src/never/seen_before.py was deleted."])
    record = await _compacted(own, summarizer="fork")
    assert [request.purpose for request in own.requests[:1]] == ["fork"]
    assert "not in the source: src/never/seen_before.py" in record.calls[0].repairs


async def test_the_cheapest_of_a_dear_and_a_cheap_model_is_asked_and_both_prices_are_on_record() -> None:
    own, cheap = Named(MODEL), Named("claude-haiku-4-5")
    record = await _compacted(own, cheap)
    numbers = dict(record.numbers)
    dearer = Named("claude-opus-4-1")
    other = await _compacted(own, dearer)
    assert {"fork_units", "model_units"} <= set(numbers) & set(dict(other.numbers))
    chosen = "fork" if numbers["fork_units"] <= numbers["model_units"] else "summary"
    asked = (own if chosen == "fork" else cheap).requests
    assert {request.purpose for request in asked} >= {chosen}
    assert dearer.requests == []


async def test_another_models_fee_is_in_units_of_the_conversations_own() -> None:
    clock = Clock()
    cheap = Named("claude-haiku-4-5", [Completion(SAID, Usage(READ, 400))])
    async with palimpsest.open(
        ":memory:", clock=clock, complete=cheap, preset="economic", summarizer="model", window_tokens=200_000
    ) as engine:
        await _work(engine, clock)
        talk = engine.conversation("a")
        before = state_of(talk).costs.account
        await talk.compact()
        after = state_of(talk).costs.account
        fees = [one for one in await engine.store.spent("me", "a") if one.kind == "summary"]
    own, its = (find_price(model, time_s=clock.now_s).rates for model in (MODEL, "claude-haiku-4-5"))
    dollars = its.input * READ + its.output * 400
    assert [one.cost for one in fees] == pytest.approx([dollars])
    assert after.cost - before.cost == pytest.approx(dollars)
    assert after.meter.bill - before.meter.bill == pytest.approx(dollars / own.input)


async def test_no_call_waits_for_a_model_because_the_cache_has_expired() -> None:
    own, clock = Named(MODEL), Clock()
    async with palimpsest.open(
        ":memory:", clock=clock, complete=own, preset="economic", window_tokens=200_000
    ) as engine:
        await _work(engine, clock)
        asked = len(own.requests)
        clock.now_s += 4_000
        await engine.conversation("a").request(system="Be brief.", model=MODEL)
        assert len(own.requests) == asked


async def test_extractive_asks_no_model_though_there_is_one() -> None:
    own = Named(MODEL)
    record = await _compacted(own, summarizer="extractive")
    assert own.requests == []
    assert record.calls == ()


@pytest.mark.parametrize("repairs", [(), ("a name was put right",)])
@pytest.mark.parametrize("cached_tokens", [0, 7_000])
def test_what_a_summarizer_read_from_the_cache_is_kept_on_record(
    repairs: tuple[str, ...], cached_tokens: int
) -> None:
    calls = (
        SummaryCall("normal", 8_000, 90, "", MODEL, repairs, cached_tokens),
        SummaryCall("aggressive", 5, 1),
    )
    assert decode_calls(encode_calls(calls)) == calls


def test_only_a_client_of_the_same_model_is_taken_for_a_fork_unless_told_to() -> None:
    own, cheap, plain = Named(MODEL), Named("claude-haiku-4-5"), ScriptedModel([SAID])
    cheapest, told = make_settings("economic"), make_settings("economic", summarizer="fork")
    assert forker(cheapest, MODEL, own, None) is own
    assert forker(cheapest, f"anthropic:{MODEL}", own, None) is own
    assert forker(cheapest, MODEL, cheap, None) is None
    assert forker(cheapest, MODEL, cheap, own) is own
    assert forker(cheapest, "", own, None) is None
    assert forker(told, MODEL, plain, None) is plain


def test_a_summarizers_price_is_told_by_its_name_and_assumed_without_one() -> None:
    settings = make_settings("economic")
    haiku = (
        find_price("claude-haiku-4-5", time_s=START_S).rates.input
        / find_price(MODEL, time_s=START_S).rates.input
    )
    assert summary_share(settings, MODEL, Named("claude-haiku-4-5"), START_S) == pytest.approx(haiku)
    assert summary_share(settings, MODEL, Named(MODEL), START_S) == 1.0
    assert summary_share(settings, MODEL, ScriptedModel([SAID]), START_S) == CHEAP_SHARE
    local = make_settings("economic", summary_model="ollama:qwen3")
    assert summary_share(local, MODEL, None, START_S) == 0.0
