"""Prices: what is listed is taken as listed, what is not is said to be an assumption."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from palimpsest.price.rates import FREE, TABLES
from palimpsest.price.table import ASSUMED as ASSUMED_CACHING
from palimpsest.price.table import find_caching, find_price

NOON_S = datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()


def ratios(model: str, *, long_cache: bool = False) -> tuple[float, ...]:
    rates = find_price(model, time_s=NOON_S, long_cache=long_cache).rates.relative
    return tuple(round(value, 4) for value in (rates.cached, rates.write, rates.output))


@pytest.mark.parametrize(
    "table,model,long_cache",
    [
        ("anthropic-5m", "claude-sonnet-4-5", False),
        ("anthropic-1h", "claude-sonnet-4-5", True),
        ("openai-5.6", "openai:gpt-5.6-terra", False),
        ("openai-5.6", "openai-responses:gpt-5.6-terra", False),
        ("openai-5.5", "gpt-5.5", False),
        ("deepseek", "deepseek:deepseek-v4-flash", False),
        ("opus-5.5", "claude-opus-5-5", False),
    ],
)
def test_each_named_table_has_the_ratios_that_are_listed_for_its_model(
    table: str, model: str, long_cache: bool
) -> None:
    named = TABLES[table]
    assert ratios(model, long_cache=long_cache) == (named.cached, named.write, named.output)
    found = find_price(model, time_s=NOON_S, long_cache=long_cache).rates
    assert (found.ttl_s, found.minimum_tokens) == (named.ttl_s, named.minimum_tokens)
    assert found.step_tokens == named.step_tokens


def test_a_listed_price_is_in_dollars_a_token_and_names_its_sources() -> None:
    price = find_price("claude-sonnet-4-5-20250929", time_s=NOON_S)
    assert price.rates.input == pytest.approx(3e-6)
    assert price.rates.output == pytest.approx(15e-6)
    assert "genai-prices" in price.source
    assert "cache table of 2026-11-21" in price.source
    assert not price.assumed


def test_a_long_prompt_is_paid_at_its_tier_as_a_whole() -> None:
    price = find_price("gpt-5.5", time_s=NOON_S)
    start = price.tiers[0][0]
    assert price.at(start).input == price.rates.input
    assert price.at(start + 1).input == pytest.approx(2 * price.rates.input)


@pytest.mark.parametrize(
    "model",
    ["claude-sonnet-4-20250514", "claude-sonnet-4", "anthropic/claude-sonnet-4", "claude-sonnet-4@20250514"],
)
def test_a_tier_that_the_list_lacks_is_added_from_its_day_on_and_says_so(model: str) -> None:
    before = datetime(2025, 8, 1, tzinfo=UTC).timestamp()
    assert find_price(model, time_s=before).tiers == ()
    price = find_price(model, time_s=NOON_S)
    short, long = price.at(200_000).scaled(1e6), price.at(200_001).scaled(1e6)
    assert (short.input, short.cached, short.write, short.output) == pytest.approx((3, 0.3, 3.75, 15))
    assert (long.input, long.cached, long.write, long.output) == pytest.approx((6, 0.6, 7.5, 22.5))
    assert "long prompts since 2025-08-12" in price.source
    assert find_price(model, time_s=NOON_S, long_cache=True).at(200_001).write == pytest.approx(12e-6)


@pytest.mark.parametrize(
    "model", ["claude-sonnet-4-5", "claude-sonnet-4-6", "claude-sonnet-5", "claude-opus-4"]
)
def test_an_override_touches_no_other_model(model: str) -> None:
    assert "long prompts since 2025-08-12" not in find_price(model, time_s=NOON_S).source


def test_a_price_is_that_of_the_day_it_is_asked_for() -> None:
    before = datetime(2026, 7, 1, tzinfo=UTC).timestamp()
    dear, cheap = (find_price("gpt-5.6-terra", time_s=time_s).rates for time_s in (before, NOON_S))
    assert dear.input > cheap.input


def test_a_model_that_nobody_lists_has_a_price_that_says_it_is_assumed() -> None:
    price = find_price("harbour-llm-9000")
    assert price.assumed
    assert price.source.startswith("assumed")
    assert price.rates.input > price.rates.cached > 0


@pytest.mark.parametrize("model", ["ollama:qwen3", "vllm:any/thing", "llamacpp:x"])
def test_a_model_on_a_server_of_ones_own_costs_no_money(model: str) -> None:
    price = find_price(model)
    assert price.rates == FREE
    assert not price.assumed


@pytest.mark.parametrize(
    "model", ["", " ", ":", "/", "claude", "x" * 5_000, "<synthetic>", "模型:一", "a:b:c/d"]
)
def test_no_name_is_an_error(model: str) -> None:
    assert find_price(model).rates.input >= 0


@pytest.mark.parametrize("time_s", [float("nan"), float("inf"), -1e30, 1e30, 0.0])
def test_no_time_is_an_error(time_s: float) -> None:
    assert find_price("claude-sonnet-4-5", time_s=time_s).rates.input > 0


def test_a_provider_without_a_discount_for_cached_tokens_gives_none() -> None:
    rates = find_price("gpt-4o-2024-05-13", time_s=NOON_S).rates
    assert rates.cached == rates.write == rates.input


@pytest.mark.parametrize(
    "model,minimum_tokens",
    [
        ("claude-opus-4-5", 4_096),
        ("anthropic/claude-opus-4.5", 4_096),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 4_096),
        ("claude-opus-5-5", 512),
        ("claude-sonnet-4-20250514", 1_024),
        ("openai:gpt-5.6-sol", 1_024),
        ("openai-responses:gpt-5.6-sol", 1_024),
    ],
)
def test_the_shortest_cached_prompt_is_that_of_the_family(model: str, minimum_tokens: int) -> None:
    found = find_caching(model)
    assert found.minimum_tokens == minimum_tokens
    assert found is not ASSUMED_CACHING


def test_an_unknown_family_is_cached_by_a_stated_assumption() -> None:
    assert find_caching("harbour-llm-9000").source.startswith("assumed")
