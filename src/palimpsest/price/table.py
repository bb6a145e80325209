"""The price of a model, and how its provider caches prompts, from three sources:

    input, cache read, cache write, output, tiers      the user's prices, else genai-prices at the requested time
    prices of long prompts that genai-prices lacks     `_has_unlisted_tier`
    shortest cached prompt, steps, time to live        `find_caching`, from the providers' pages on TABLE_DATE

Prices that are not listed are derived: without a price for cache writes a write costs as much as input, and without a
price for cache reads there is no discount. A model that no list has gets stated assumptions; a self-hosted model costs
no money. Reading the data of genai-prices takes a quarter of a second, so it is read when it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from palimpsest.budget.model_limits import OWN_SERVERS, canonical, spellings
from palimpsest.price.rates import FREE, Price, user_prices
from palimpsest.record.spending import Rates

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice


TABLE_DATE = "2026-11-21"
TABLE_SOURCE = f"cache table of {TABLE_DATE}"
_MINUTE_S = 60.0
_HOUR_S = 3_600.0


@dataclass(frozen=True, slots=True)
class Caching:
    """A provider's cache: the shortest prompt that is cached, the step in which matches count, and how long an unused
    prefix lives. `long_ttl_s` is the longer lifetime on offer, 0 for none. `marked`: the caller's cache marks decide
    what is cached. Where a provider's page gives a range, this is its lower end, because assuming that an expired cache
    is alive costs more than the opposite.
    """

    minimum_tokens: int
    step_tokens: int
    ttl_s: float
    long_ttl_s: float = 0.0
    marked: bool = False
    source: str = TABLE_SOURCE


def _claude(minimum_tokens: int) -> Caching:
    return Caching(minimum_tokens, 1, 5 * _MINUTE_S, _HOUR_S, marked=True)


_FAMILIES: dict[str, Caching] = {
    "claude": _claude(1_024),
    **dict.fromkeys(
        ("claude-3-haiku", "claude-3-5-haiku", "claude-opus-4-7", "claude-sonnet-4-6"), _claude(2_048)
    ),
    **dict.fromkeys(("claude-opus-4-5", "claude-opus-4-6", "claude-haiku-4-5"), _claude(4_096)),
    **dict.fromkeys(("claude-opus-5", "claude-fable", "claude-mythos"), _claude(512)),
    **dict.fromkeys(("gpt-4", "gpt-5", "o1", "o3", "o4", "codex"), Caching(1_024, 128, 5 * _MINUTE_S)),
    "gpt-5-5": Caching(1_024, 128, 24 * _HOUR_S),
    **dict.fromkeys(("gpt-5-6", "gpt-6"), Caching(1_024, 1, 30 * _MINUTE_S)),
    "deepseek": Caching(64, 64, 4 * _HOUR_S),
    "gemini": Caching(1_024, 1, 5 * _MINUTE_S),
    **dict.fromkeys(("gemini-2-5-pro", "gemini-3-pro"), Caching(4_096, 1, 5 * _MINUTE_S)),
    "kimi": Caching(256, 1, 5 * _MINUTE_S),
    **dict.fromkeys(("grok", "glm"), Caching(1, 1, 5 * _MINUTE_S)),
}
"""By the prefix of a model's name; the longest prefix applies."""

_ASSUMED_CACHING = Caching(
    1_024, 128, 5 * _MINUTE_S, source="assumed: 1,024 tokens, steps of 128, five minutes"
)


def find_caching(model: str) -> Caching:
    """How prompts to the model are cached; `_ASSUMED_CACHING` for a family that is not in the table."""
    names = [canonical(name) for _, name in spellings(model)]
    matching = (family for family in _FAMILIES for name in names if name.startswith(family))
    return _FAMILIES.get(max(matching, key=len, default=""), _ASSUMED_CACHING)


ASSUMED = Rates(1e-6, 1e-7, 1.25e-6, 5e-6, ttl_s=300, minimum_tokens=1_024, step_tokens=128)
"""An unlisted model: a dollar per million tokens, a tenth of it from the cache, five times it for output."""

_DAY_S = 86_400

LATEST_S = 4_102_444_800
"""The year 2100. Times after it or before 1970 are taken for unknown."""


_SONNET_4 = re.compile(r"claude-sonnet-4(?:-0.*|-2025.*)?|claude-4-sonnet.*")
_SONNET_4_LONG_TOKENS = 200_000
_SONNET_4_LONG_SINCE = datetime(2025, 8, 12, tzinfo=UTC)


def find_price(model: str, *, time_s: float | None = None, long_cache: bool = False) -> Price:
    """The price of a model at a time (seconds since 1970; None or an impossible time for today). Never an error.

    Prices that change within a day are those of noon in UTC. `long_cache` asks for the longer of two cache lifetimes.
    """
    if model.strip().lower().partition(":")[0] in OWN_SERVERS:
        return Price(model, FREE, source="self-hosted: compute only")
    known = time_s is not None and 0 <= time_s < LATEST_S
    noon_s = time_s // _DAY_S * _DAY_S + _DAY_S / 2 if known and time_s is not None else None
    return _find(model, noon_s, long_cache, user_prices().get(canonical(model)))


@lru_cache(maxsize=256)
def _find(model: str, time_s: float | None, long_cache: bool, own: Price | None) -> Price:
    caching = find_caching(model)
    if own is not None and (time_s is None or own.since_s <= time_s):
        return _user_price(own, caching, long_cache)
    listed = _listed(model, time_s)
    if listed is None and own is not None:
        return _user_price(own, caching, long_cache)
    if listed is None:
        rates = _with_cache(ASSUMED, caching, long_cache)
        return Price(model, rates, source="assumed: $1 a million tokens", assumed=True)
    prices, source = listed
    rates = _rates(prices, 0, caching, long_cache)
    tiers = tuple((start, _rates(prices, start + 1, caching, long_cache)) for start in _tier_starts(prices))
    if not tiers and _has_unlisted_tier(model, time_s):
        tiers = ((_SONNET_4_LONG_TOKENS, replace(rates.scaled(2), output=1.5 * rates.output)),)
        source += f", long prompts since {_SONNET_4_LONG_SINCE:%Y-%m-%d}"
    return Price(model, rates, tiers, f"{source}, {caching.source}")


forget_prices = _find.cache_clear
"""Drop cached prices; needed after genai-prices got other data."""


def _has_unlisted_tier(model: str, time_s: float | None) -> bool:
    """Whether this is Claude Sonnet 4, whose prices of long prompts genai-prices lacks: above 200,000 tokens, input
    costs twice and output 1.5 times as much (Anthropic's pricing page, long context).
    """
    held = time_s is None or time_s >= _SONNET_4_LONG_SINCE.timestamp()
    return held and any(_SONNET_4.fullmatch(canonical(name)) for _, name in spellings(model))


def _user_price(price: Price, caching: Caching, long_cache: bool) -> Price:
    """A user's price with the cache rules of the model. For the longer lifetime, a write costs twice the input."""

    def complete(rates: Rates) -> Rates:
        long = long_cache and caching.long_ttl_s > 0
        return _with_cache(replace(rates, write=2 * rates.input) if long else rates, caching, long_cache)

    tiers = tuple((start, complete(rates)) for start, rates in price.tiers)
    source = f"{price.source}, {caching.source}"
    return replace(price, rates=complete(price.rates), tiers=tiers, source=source)


def _listed(model: str, time_s: float | None) -> tuple[ModelPrice, str] | None:
    """The price that genai-prices lists for the model under one of its spellings, and the list's name."""
    names = tuple(spellings(model))
    if not names:
        return None
    import genai_prices
    from genai_prices.data_snapshot import get_snapshot

    moment = datetime.now(UTC) if time_s is None else datetime.fromtimestamp(time_s, UTC)
    snapshot = get_snapshot()
    for provider, name in names:
        try:
            _, found = snapshot.find_provider_model(name, None, provider or None, None)
        except LookupError:
            continue
        prices = found.get_prices(moment)
        if _price(prices, "input_mtok", 0) is not None:
            return prices, f"genai-prices {genai_prices.__version__}"
    return None


def _tier_starts(prices: ModelPrice) -> Sequence[int]:
    from genai_prices.types import TieredPrices

    values = (getattr(prices, name) for name in ("input_mtok", "cache_read_mtok", "output_mtok"))
    return sorted({tier.start for value in values if isinstance(value, TieredPrices) for tier in value.tiers})


def _price(prices: ModelPrice, name: str, prompt_tokens: int) -> float | None:
    """One price in dollars per token for a prompt of this length."""
    from genai_prices.types import TieredPrices

    value = getattr(prices, name)
    if isinstance(value, TieredPrices):
        reached = [tier.price for tier in value.tiers if prompt_tokens > tier.start]
        value = reached[-1] if reached else value.base
    return float(value) / 1e6 if value is not None else None


def _rates(prices: ModelPrice, prompt_tokens: int, caching: Caching, long_cache: bool) -> Rates:
    uncached = _price(prices, "input_mtok", prompt_tokens) or 0.0
    cached = _price(prices, "cache_read_mtok", prompt_tokens)
    written = _price(prices, "cache_write_mtok", prompt_tokens)
    if long_cache and caching.long_ttl_s:
        written = _price(prices, "cache_write_1h_mtok", prompt_tokens) or 2 * uncached
    base = Rates(
        input=uncached,
        cached=uncached if cached is None else cached,
        write=uncached if written is None else written,
        output=_price(prices, "output_mtok", prompt_tokens) or 0.0,
        ttl_s=0,
    )
    return _with_cache(base, caching, long_cache)


def _with_cache(rates: Rates, caching: Caching, long_cache: bool) -> Rates:
    return replace(
        rates,
        ttl_s=caching.long_ttl_s if long_cache and caching.long_ttl_s else caching.ttl_s,
        minimum_tokens=caching.minimum_tokens,
        step_tokens=caching.step_tokens,
    )
