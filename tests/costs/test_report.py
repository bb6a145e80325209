"""Bills: every call once at the prices of its day, ways compared on the same calls, what nobody counted told apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest import samples
from palimpsest.costs.bill import Bill, shrunk
from palimpsest.costs.replay import ECONOMIC, NEVER, never_bill
from palimpsest.costs.report import AS_IT_WAS, SHOWN_POLICIES, WINDOW_TOKENS, lives_long, make_bill, spent_of
from palimpsest.costs.session import read_session
from palimpsest.formats.transcripts import Source, read
from palimpsest.price.request import cost, reported_use
from palimpsest.price.table import find_price
from palimpsest.record.message import Message, Text, Usage

MODEL = "claude-sonnet-4-5"
START_S = 1_790_000_000.0


def asked(text: str) -> Message:
    return Message("user", (Text(text),), time_s=START_S)


def reply(number: int, usage: Usage | None, *, gap_s: float = 20, model: str = MODEL) -> Message:
    return Message(
        "assistant",
        (Text(f"part {number} is done"),),
        time_s=START_S + gap_s * (number + 1),
        model=model,
        usage=usage,
    )


def growing(count: int, *, model: str = MODEL, gap_s: float = 20) -> tuple[Message, ...]:
    """A history of so many calls. Prompts grow by 4,000 tokens and are read from the cache as far as they can be."""
    found: list[Message] = []
    for number in range(count):
        prompt, before = 10_000 + 4_000 * number, 6_000 + 4_000 * number if number else 0
        usage = Usage(prompt, 100, before, prompt - before)
        found.extend(
            (asked(f"go on with part {number} " * 600), reply(number, usage, gap_s=gap_s, model=model))
        )
    return tuple(found)


def must(bill: Bill | None) -> Bill:
    assert bill is not None
    return bill


def test_the_total_is_every_reported_call_at_the_prices_of_its_model() -> None:
    history = growing(12)
    bill = must(make_bill("a", (history,)))
    uses = [reported_use(message.usage) for message in history if message.usage]
    rates = find_price(MODEL, time_s=START_S).rates
    assert bill.total == pytest.approx(sum(cost(use, rates) for use in uses))
    assert bill.cached_share == pytest.approx(
        sum(use.cached for use in uses) / sum(use.prompt for use in uses)
    )
    assert (len(bill.calls), bill.unreported, bill.assumed) == (12, 0, ())


def test_a_call_on_two_branches_is_paid_for_once_and_one_that_was_left_behind_as_well() -> None:
    history = growing(6)
    edited = (*history[:8], asked("another way"), reply(40, Usage(30_000, 10, 26_000, 4_000)))
    bill = must(make_bill("a", (history, edited)))
    never = bill.outcome(NEVER.name)
    assert never is not None
    assert (len(bill.calls), len(never.prompts)) == (7, 5)


def test_the_ways_are_replayed_on_the_same_calls_and_never_compacting_is_what_the_replay_says() -> None:
    history = growing(40)
    bill = must(make_bill("a", (history,)))
    session = read_session(history)
    assert session is not None
    assert [one.name for one in bill.outcomes] == [AS_IT_WAS, *(policy.name for policy in SHOWN_POLICIES)]
    never, ours = bill.outcome(NEVER.name), bill.outcome(ECONOMIC.name)
    assert never is not None
    assert ours is not None
    assert never.cost == pytest.approx(never_bill(session, bill.price.rates))
    assert never.units == pytest.approx(never.cost / bill.price.rates.input)
    assert ours.cost < never.cost
    assert ours.compacted
    for one in bill.outcomes:
        assert one.unit_sums[-1] * one.unit_dollars == pytest.approx(one.cost)
        assert len(one.unit_sums) == len(one.prompts)


def test_how_it_was_equals_never_compacting_where_nothing_was_compacted() -> None:
    bill = must(make_bill("a", (growing(20),)))
    was, never = bill.outcome(AS_IT_WAS), bill.outcome(NEVER.name)
    assert was is not None
    assert never is not None
    assert was.cost == pytest.approx(never.cost, rel=0.01)


def test_a_prompt_that_became_much_smaller_is_a_compaction_with_its_price() -> None:
    history = growing(10)
    after = reply(10, Usage(14_000, 100, 5_000, 9_000))
    bill = must(make_bill("a", ((*history, asked("and now"), after),)))
    (shrink,) = bill.compactions
    rates = find_price(MODEL, time_s=START_S).rates
    assert (shrink.index, shrink.before_tokens, shrink.after_tokens, shrink.written_tokens) == (
        10,
        46_000,
        14_000,
        9_000,
    )
    assert shrink.rewriting == pytest.approx(9_000 * (rates.write - rates.cached))


@given(st.lists(st.integers(0, 200_000), max_size=30))
def test_places_that_shrank_are_places(prompts: list[int]) -> None:
    for place in shrunk(prompts):
        assert prompts[place] <= prompts[place - 1]
    assert shrunk(sorted(one + 1 for one in prompts)) == ()


def test_where_nobody_counted_calls_are_told_from_their_sizes_and_said_to_be() -> None:
    history = tuple(replace(message, usage=None) for message in growing(5))
    bill = must(make_bill("a", (history,)))
    assert (len(bill.calls), bill.unreported) == (5, 5)
    assert bill.outcome(AS_IT_WAS) is None
    never = bill.outcome(NEVER.name)
    assert never is not None
    assert bill.total == pytest.approx(never.cost)


def test_a_model_that_costs_no_money_has_a_bill_in_units() -> None:
    bill = must(make_bill("a", (growing(30, model="ollama:qwen3"),)))
    assert bill.total == 0
    assert bill.units > 0
    never, ours = bill.outcome(NEVER.name), bill.outcome(ECONOMIC.name)
    assert never is not None
    assert ours is not None
    assert (never.cost, ours.cost) == (0, 0)
    assert 0 < ours.units < never.units


def test_an_unlisted_model_is_named_with_the_assumption() -> None:
    bill = must(make_bill("a", (growing(3, model="nobody-knows-9"),)))
    assert bill.assumed == ("nobody-knows-9",)
    assert bill.price.source.startswith("assumed")
    assert bill.window_tokens == WINDOW_TOKENS


def test_a_history_without_a_call_has_no_bill() -> None:
    assert make_bill("a", ((asked("hello"),),)) is None
    assert make_bill("a", ()) is None


def test_a_history_that_continues_one_not_in_it_is_replayed_without_what_is_missing() -> None:
    def later(message: Message) -> Message:
        usage = message.usage
        moved = usage and replace(usage, input_tokens=usage.input_tokens + 90_000)
        return replace(message, usage=moved)

    bill = must(make_bill("a", (tuple(map(later, growing(6))),)))
    assert bill.missing_tokens > 40_000
    assert bill.outcome(AS_IT_WAS) is None


@pytest.mark.parametrize("gap_s, long", [(20, False), (900, True)])
def test_a_cache_that_is_read_after_a_quarter_of_an_hour_is_taken_for_the_longer_one(
    gap_s: float, long: bool
) -> None:
    history = growing(6, gap_s=gap_s)
    assert lives_long(spent_of((history,))) is long
    bill = must(make_bill("a", (history,)))
    assert bill.price.rates.ttl_s == (3_600 if long else 300)


def test_the_shipped_session_replayed_differs_from_its_report_by_the_prefix_that_others_kept_cached() -> None:
    (transcript, *_) = read(Source(samples.NAME, samples.path().read_bytes())).transcripts
    bill = must(make_bill(transcript.id, transcript.paths))
    was, rates = bill.outcome(AS_IT_WAS), bill.price.rates
    assert was is not None
    prompts = was.cost - was.use.output * rates.output
    reported = bill.total - sum(one.output_tokens for one in bill.calls) * rates.output
    prefix_tokens, cold_calls = 14_830, 5
    kept = cold_calls * prefix_tokens * (rates.write - rates.cached)
    assert prompts - kept == pytest.approx(reported, rel=0.001)


@pytest.mark.parametrize("reported", [True, False])
def test_a_call_that_was_paid_for_and_is_told_by_its_message_counts_once(reported: bool) -> None:
    history = growing(6)
    told = spent_of((history,))
    paid = [replace(one, time_s=one.time_s + 3_600, reported=reported) for one in told[4:]]
    bill = must(make_bill("a", (history,), spent=paid))
    assert [one.input_tokens for one in bill.calls] == [one.input_tokens for one in told]


def test_a_summary_that_was_paid_for_takes_no_call_out_of_the_bill_that_came_after_it() -> None:
    history = growing(6)
    told = spent_of((history,))
    summary = replace(told[2], kind="summary", time_s=told[2].time_s + 1, cost=0.01)
    bill = must(make_bill("a", (history,), spent=(summary,)))
    assert bill.calls == (*told[:3], summary, *told[3:])


def test_calls_that_were_paid_for_by_estimate_long_after_an_import_stand_for_none_of_its_calls() -> None:
    history = growing(6)
    told = spent_of((history,))
    paid = [replace(one, time_s=one.time_s + 86_400, reported=False) for one in told[:3]]
    bill = must(make_bill("a", (history,), spent=paid))
    assert bill.calls == (*told, *paid)


def test_another_models_prices_are_for_the_replays_and_not_for_the_calls_that_were_made() -> None:
    history = growing(6)
    was, bill = must(make_bill("a", (history,))), must(make_bill("a", (history,), model="claude-opus-4-5"))
    assert (bill.model, bill.total, bill.price.model) == (MODEL, was.total, "claude-opus-4-5")
    silent = tuple(replace(message, usage=None) for message in history)
    assert must(make_bill("a", (silent,), model="claude-opus-4-5")).model == MODEL
