"""The price of a model: from genai-prices, which ships with its data, with our own dated table for what it lacks.

    input, cached read, cache write, output, tiers     `kept` prices, else genai-prices, of the time asked about
    tiers that it lacks                                `overrides`
    minimum, steps, time to live                       `caching`

A price that is not listed is derived and said so: a provider without a price for writing charges a write as input, one
without a price for reading gives no discount. A model that nobody lists has stated assumptions; one on a server of
one's own costs no money. Reading genai-prices' data takes a quarter of a second, so it is read when first needed: not
for a model without a name, which no list has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from palimpsest.budget.model_limits import OWN_SERVERS, canonical, spellings
from palimpsest.price.cache_rules import Caching, find_caching
from palimpsest.price.overrides import longer_of
from palimpsest.price.rates import FREE
from palimpsest.price.user_prices import derive, read_kept
from palimpsest.record.spending import Rates

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

ASSUMED = Rates(1e-6, 1e-7, 1.25e-6, 5e-6, ttl_s=300, minimum_tokens=1_024, step_tokens=128)
"""An unlisted model: a dollar a million tokens, a tenth of it from the cache, five times it for output."""

_DAY_S = 86_400

LATEST_S = 4_102_444_800
"""The year 2100: a later time, or one before 1970, is nobody's."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in dollars a token. `tiers` are (prompt tokens above which, rates), lowest first.

    `source` says where the prices are from; `assumed` that they are an assumption and no list's.
    """

    model: str
    rates: Rates
    tiers: tuple[tuple[int, Rates], ...] = ()
    source: str = ""
    assumed: bool = False

    def at(self, prompt_tokens: int) -> Rates:
        """The rates of a prompt of this length: beyond a tier's start they hold for the whole of it."""
        reached = [rates for start, rates in self.tiers if prompt_tokens > start]
        return reached[-1] if reached else self.rates


@dataclass(frozen=True, slots=True)
class Kept:
    """Prices of a model that somebody keeps: fetched from a newer list, or set by hand. `price` is in dollars a token,
    without what is known of the cache; it holds for calls from `since_s` on, and for earlier ones that no list knows.
    """

    price: Price
    since_s: float = 0.0


@lru_cache(maxsize=1)
def _kept_now() -> Mapping[str, Kept]:
    return read_kept()


def find_price(model: str, *, time_s: float | None = None, long_cache: bool = False) -> Price:
    """The price of a model at a time (seconds since 1970; today's where None or not a time), never an error.

    Prices that change with the hour are those of noon in UTC.
    `long_cache` asks for the longer of two cache lifetimes, where the provider sells one.
    """
    if model.strip().lower().partition(":")[0] in OWN_SERVERS:
        return Price(model, FREE, source="a server of one's own: compute only")
    known = time_s is not None and 0 <= time_s < LATEST_S
    day_s = time_s // _DAY_S * _DAY_S + _DAY_S / 2 if known and time_s is not None else None
    return _find(model, day_s, long_cache)


@lru_cache(maxsize=256)
def _find(model: str, time_s: float | None, long_cache: bool) -> Price:
    caching = find_caching(model)
    kept = _kept_now().get(canonical(model))
    if kept is not None and (time_s is None or kept.since_s <= time_s):
        return _cached_like(kept.price, caching, long_cache)
    listed = _listed(model, time_s)
    if listed is None and kept is not None:
        return _cached_like(kept.price, caching, long_cache)
    if listed is None:
        return Price(
            model, _with(ASSUMED, caching, long_cache), source="assumed: $1 a million tokens", assumed=True
        )
    prices, source = listed
    starts = _starts(prices)
    rates = _rates(prices, 0, caching, long_cache)
    tiers = tuple((start, _rates(prices, start + 1, caching, long_cache)) for start in starts)
    longer = longer_of((name for _, name in spellings(model)), time_s) if not tiers else None
    if longer is not None:
        tiers = ((longer.above_tokens, longer.rates(rates)),)
        source = f"{source}, {longer.source}"
    return Price(model, rates, tiers, f"{source}, {caching.source}")


def _cached_like(price: Price, caching: Caching, long_cache: bool) -> Price:
    """Kept prices with what is known of the model's cache. For the longer lifetime a write costs twice the input."""

    def complete(rates: Rates) -> Rates:
        long = long_cache and caching.long_ttl_s > 0
        return _with(replace(rates, write=2 * rates.input) if long else rates, caching, long_cache)

    tiers = tuple((start, complete(rates)) for start, rates in price.tiers)
    source = f"{price.source}, {caching.source}"
    return replace(price, rates=complete(price.rates), tiers=tiers, source=source)


def _listed(model: str, time_s: float | None) -> tuple[ModelPrice, str] | None:
    """What genai-prices lists for the model under one of its spellings."""
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


def _starts(prices: ModelPrice) -> Sequence[int]:
    from genai_prices.types import TieredPrices

    names = ("input_mtok", "cache_read_mtok", "output_mtok")
    values = (getattr(prices, name) for name in names)
    return sorted({tier.start for value in values if isinstance(value, TieredPrices) for tier in value.tiers})


def _price(prices: ModelPrice, name: str, prompt_tokens: int) -> float | None:
    """One price in dollars a token for a prompt of this length."""
    from genai_prices.types import TieredPrices

    value = getattr(prices, name)
    if isinstance(value, TieredPrices):
        reached = [tier.price for tier in value.tiers if prompt_tokens > tier.start]
        value = reached[-1] if reached else value.base
    return float(value) / 1e6 if value is not None else None


def _rates(prices: ModelPrice, prompt_tokens: int, caching: Caching, long_cache: bool) -> Rates:
    fresh = _price(prices, "input_mtok", prompt_tokens) or 0.0
    cached = _price(prices, "cache_read_mtok", prompt_tokens)
    written = _price(prices, "cache_write_mtok", prompt_tokens)
    if long_cache and caching.long_ttl_s:
        written = _price(prices, "cache_write_1h_mtok", prompt_tokens) or 2 * fresh
    base = Rates(
        input=fresh,
        cached=fresh if cached is None else cached,
        write=fresh if written is None else written,
        output=_price(prices, "output_mtok", prompt_tokens) or 0.0,
        ttl_s=0,
    )
    return _with(base, caching, long_cache)


def _with(rates: Rates, caching: Caching, long_cache: bool) -> Rates:
    return replace(
        rates,
        ttl_s=caching.long_ttl_s if long_cache and caching.long_ttl_s else caching.ttl_s,
        minimum_tokens=caching.minimum_tokens,
        step_tokens=caching.step_tokens,
    )


derive(_kept_now.cache_clear)
derive(_find.cache_clear)
