"""The economic rules: each compares two sums, and says which."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.price import compaction_rules
from palimpsest.price.compaction_rules import FORCED, Hidden, Moment, Terms, decide, shape
from palimpsest.price.rates import FREE, TABLES
from palimpsest.record.spending import Meter, Rates

RATES = TABLES["anthropic-5m"]
TERMS = Terms()
RICH = Meter(never_bill=1e9)
MOMENT = Moment(
    prompt=60_000,
    prefix=15_000,
    summaries=1_000,
    ledger=1_000,
    kept=3_000,
    new=1_000,
    warm=True,
    window=200_000,
    output=200,
)

tokens = st.integers(0, 400_000)
moments = st.builds(
    Moment,
    prompt=tokens,
    prefix=st.integers(0, 40_000),
    summaries=st.integers(0, 6_000),
    ledger=st.integers(0, 2_000),
    kept=tokens,
    new=tokens,
    warm=st.booleans(),
    window=st.integers(1_000, 1_000_000),
    freed=tokens,
    survives=tokens,
    output=st.integers(0, 10_000),
    hidden=st.builds(Hidden, st.floats(0, 50), st.floats(0, 1e5), st.floats(0, 1e9)),
)
meters = st.builds(Meter, *[st.floats(0, 1e7)] * 4)
some_rates = st.sampled_from([*TABLES.values(), FREE])


def test_rent_is_paid_for_what_a_compaction_would_remove_until_it_equals_the_cost() -> None:
    meter, calls = RICH, 0
    verdict, meter = decide(MOMENT, meter, RATES, TERMS)
    while verdict.action == "nothing":
        calls += 1
        assert verdict.saved < verdict.cost
        verdict, meter = decide(MOMENT, meter, RATES, TERMS)
    removed = 60_000 - (15_000 + 1_000 + 500 + 1_500 + 3_000)
    cost = (RATES.write - RATES.cached) * (500 + 1_500 + 3_000 - 1_000)
    assert verdict.shape is not None
    assert verdict.shape.removed == removed
    assert (verdict.saved, verdict.cost) == pytest.approx(((calls + 1) * RATES.cached * removed, cost))


def test_once_the_cache_has_expired_a_free_compaction_is_made_at_once() -> None:
    verdict, _ = decide(replace(MOMENT, warm=False), RICH, RATES, TERMS)
    assert (verdict.action, verdict.reason) == ("compact", "the cache has expired")


def test_what_is_likely_to_be_fetched_again_holds_a_cold_compaction_back() -> None:
    needed = replace(MOMENT, warm=False, hidden=Hidden(12, 45_000))
    assert decide(needed, RICH, RATES, TERMS)[0].action == "nothing"


def test_too_little_is_not_compacted_and_runs_up_no_rent() -> None:
    little = replace(MOMENT, prompt=15_000 + 500 + 1_000 + 1_000 + 3_000 + TERMS.compact_least_tokens)
    verdict, meter = decide(little, RICH, RATES, TERMS)
    assert (verdict.action, meter.rent) == ("nothing", 0)


def test_below_the_floor_nothing_is_compacted_or_pruned_and_the_rent_adds_up() -> None:
    due = replace(RICH, rent=1e6, prune_rent=1e6)
    bulky = replace(MOMENT, prompt=50_000, freed=20_000, survives=1_000)
    high = replace(TERMS, floor_tokens=50_000)
    verdict, meter = decide(bulky, due, RATES, high)
    assert (verdict.action, verdict.saved, verdict.cost) == ("nothing", 50_000, 50_000)
    assert meter.rent > due.rent
    assert decide(replace(bulky, warm=False), due, RATES, high)[0].action == "nothing"
    assert decide(replace(bulky, prompt=50_001), due, RATES, high)[0].action == "compact"


def test_the_floor_is_a_share_of_a_small_window_and_gives_way_where_a_prompt_would_not_fit() -> None:
    high = replace(TERMS, floor_tokens=80_000)
    assert [compaction_rules.floor_of(high, window) for window in (40_000, 200_000, 1_000_000)] == [
        10_000,
        50_000,
        80_000,
    ]
    assert compaction_rules.floor_of(TERMS, 200_000) == 0
    whole = replace(high, floor_share=1.0)
    due = replace(RICH, rent=1e6)
    assert decide(replace(MOMENT, window=80_000), due, RATES, whole)[0].action == "nothing"
    assert decide(replace(MOMENT, window=59_000), due, RATES, whole)[0].reason == FORCED


def test_the_bill_never_passes_the_cap_by_a_compaction() -> None:
    due = Meter(rent=1e6, bill=1_000, never_bill=1_000)
    assert decide(MOMENT, due, RATES, TERMS)[0].reason == "the bill is at the cap"
    assert decide(MOMENT, due, RATES, replace(TERMS, cap_share=0))[0].action == "compact"


def test_a_few_large_pieces_keep_more_in_reserve_than_many_small_ones_of_the_same_worth() -> None:
    few, many = compaction_rules.expected([(0.25, 12_000)] * 2), compaction_rules.expected([(0.25, 600)] * 40)
    assert few.tokens == many.tokens
    plain = replace(TERMS, reserve_spread=0.0)
    spread = [
        compaction_rules.reserve(one, 0, RATES, TERMS) - compaction_rules.reserve(one, 0, RATES, plain)
        for one in (few, many)
    ]
    assert spread[0] > 3 * spread[1] > 0


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 50_000)), max_size=6), some_rates)
def test_what_is_kept_in_reserve_is_the_mean_and_the_spread_of_what_fetching_each_piece_costs(
    pieces: list[tuple[float, int]], rates: Rates
) -> None:
    prices = [
        rates.cached * 9_000 + rates.output * compaction_rules.ASK_TOKENS + rates.write * size
        for _, size in pieces
    ]
    chances = [chance for chance, _ in pieces]
    mean = sum(chance * price for chance, price in zip(chances, prices, strict=True))
    spread = sum(chance * price**2 for chance, price in zip(chances, prices, strict=True)) ** 0.5
    terms = replace(TERMS, reserve_share=0.5, reserve_spread=2.0)
    found = compaction_rules.reserve(compaction_rules.expected(pieces), 9_000, rates, terms)
    assert found == pytest.approx(0.5 * mean + 2 * spread)


@pytest.mark.parametrize("share, action", [(1.5, "compact"), (1.1, "nothing")])
def test_close_to_the_cap_nothing_is_compacted_that_a_large_fetch_could_carry_over_it(
    share: float, action: str
) -> None:
    meter = Meter(rent=1e6, bill=100_000, never_bill=100_000 * share)
    risky = replace(MOMENT, hidden=compaction_rules.expected([(0.3, 20_000)]))
    assert decide(risky, meter, RATES, replace(TERMS, cap_share=1.0))[0].action == action


@pytest.mark.parametrize("share, action", [(1.5, "prune"), (1.1, "nothing")])
def test_close_to_the_cap_nothing_is_pruned_either(share: float, action: str) -> None:
    meter = Meter(prune_rent=1e6, bill=100_000, never_bill=100_000 * share)
    risky = replace(MOMENT, freed=20_000, survives=5_000, pruned=compaction_rules.expected([(0.3, 20_000)]))
    assert decide(risky, meter, RATES, replace(TERMS, cap_share=1.0))[0].action == action


def test_a_full_window_is_compacted_whatever_the_cap_says() -> None:
    full = replace(MOMENT, prompt=181_000)
    verdict, _ = decide(full, Meter(bill=1e9, never_bill=1), RATES, TERMS)
    assert (verdict.action, verdict.reason) == ("compact", FORCED)


def test_a_window_that_prefix_and_tail_almost_fill_is_not_compacted_at_every_call() -> None:
    tight = replace(MOMENT, window=22_000, prompt=21_000)
    assert decide(tight, RICH, RATES, TERMS)[0].action == "nothing"
    assert decide(replace(tight, prompt=22_001), RICH, RATES, TERMS)[0].reason == FORCED


def test_older_summaries_stay_as_they_are_until_they_are_too_many() -> None:
    first = shape(replace(MOMENT, summaries=TERMS.fold_at_tokens - TERMS.summary_tokens), TERMS)
    assert (first.unchanged, first.summaries) == (2_500, 3_000)
    folded = shape(replace(MOMENT, summaries=3_000), TERMS)
    assert (folded.unchanged, folded.summaries) == (0, TERMS.folded_tokens)


def test_a_quality_weight_makes_compactions_rarer() -> None:
    meter = Meter(rent=6_000, never_bill=1e9)
    assert decide(MOMENT, meter, RATES, TERMS)[0].action == "compact"
    assert decide(MOMENT, meter, RATES, replace(TERMS, quality_weight=4))[0].action == "nothing"


def test_old_results_are_pruned_once_their_rent_has_paid_for_the_rewritten_suffix() -> None:
    terms = replace(TERMS, compact_least_tokens=10**9)
    moment = replace(MOMENT, freed=20_000, survives=6_000)
    cost = TERMS.prune_weight * (RATES.write - RATES.cached) * (6_000 - 1_000)
    assert decide(moment, Meter(prune_rent=cost - 2_001, never_bill=1e9), RATES, terms)[0].action == "nothing"
    assert decide(moment, Meter(prune_rent=cost - 1_999, never_bill=1e9), RATES, terms)[0].action == "prune"


def test_the_cheapest_summarizer_is_the_warm_fork_of_a_cheap_cache_and_else_a_cheaper_model() -> None:
    terms = replace(TERMS, summarizer="cheapest")
    made = shape(MOMENT, terms)
    almost_free = Rates(1.0, 0.001, 1.0, 1.0, ttl_s=300)
    assert compaction_rules.offers(MOMENT, made, almost_free, terms)[0][0] == "fork"
    assert compaction_rules.offers(replace(MOMENT, warm=False), made, almost_free, terms)[0][0] == "model"
    assert compaction_rules.offers(MOMENT, made, RATES, TERMS) == (("extractive", 0.0),)


def test_after_a_compaction_all_rent_starts_anew_and_after_a_pruning_the_rest_goes_on() -> None:
    meter = Meter(rent=100, prune_rent=30, bill=5, never_bill=6)
    assert compaction_rules.after(meter, "compact") == Meter(bill=5, never_bill=6)
    assert compaction_rules.after(meter, "prune") == Meter(rent=70, bill=5, never_bill=6)
    assert compaction_rules.after(meter, "nothing") == meter


def test_what_was_just_read_or_written_is_expected_again_and_less_so_with_age() -> None:
    assert (
        compaction_rules.again("file", 0)
        > compaction_rules.again("file", 10)
        > compaction_rules.again("result", 0)
        > 0
    )


@given(moments, meters, some_rates)
def test_a_verdict_to_compact_always_shrinks_the_prompt_and_shows_that_it_pays(
    moment: Moment, meter: Meter, rates: Rates
) -> None:
    verdict, after = decide(moment, meter, rates, TERMS)
    made = shape(moment, TERMS)
    assert after.rent >= meter.rent
    assert after.bill == meter.bill
    assert verdict.action != "compact" or made.removed > 0
    assert verdict.action != "compact" or verdict.reason == FORCED or verdict.saved >= verdict.cost
    assert verdict.action != "prune" or verdict.saved >= verdict.cost


@given(moments, meters, st.sampled_from(sorted(TABLES)), st.floats(1e-7, 1e3))
def test_the_unit_of_money_changes_no_verdict(moment: Moment, meter: Meter, table: str, unit: float) -> None:
    rates = TABLES[table]
    scaled = Meter(meter.rent * unit, meter.prune_rent * unit, meter.bill * unit, meter.never_bill * unit)
    one, _ = decide(moment, meter, rates, TERMS)
    other, _ = decide(moment, scaled, rates.scaled(unit), TERMS)
    close = abs(one.saved - one.cost) < 1e-6 * (1 + one.cost) or "cap" in one.reason + other.reason
    assert close or one.action == other.action
