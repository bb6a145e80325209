"""Rates and prices as values.

`Rates` are the prices of one token: uncached input, cache read, cache write and output. Their unit does not matter,
because every rule of `price` only compares sums of them. The named tables are ratios to the input price, so that
results can be compared over the years. `tests/price` compares each with the listed prices of its model.

The user's prices take precedence over the price list. They are read when a price is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from palimpsest.record.spending import Rates

HOUR_S = 3_600.0

FREE = Rates(0.0, 0.0, 0.0, 0.0, ttl_s=HOUR_S)
"""A self-hosted model: its requests cost no money."""

COMPUTE = Rates(1.0, 0.02, 1.0, 4.0, ttl_s=HOUR_S)
"""Relative compute cost of a self-hosted model. Cached tokens cost next to nothing."""

TABLES: Mapping[str, Rates] = {
    "anthropic-5m": Rates(1.0, 0.1, 1.25, 5.0, ttl_s=300, minimum_tokens=1_024),
    "anthropic-1h": Rates(1.0, 0.1, 2.0, 5.0, ttl_s=HOUR_S, minimum_tokens=1_024),
    "openai-5.6": Rates(1.0, 0.1, 1.25, 6.0, ttl_s=1_800, minimum_tokens=1_024),
    "openai-5.5": Rates(1.0, 0.1, 1.0, 6.0, ttl_s=24 * HOUR_S, minimum_tokens=1_024, step_tokens=128),
    "deepseek": Rates(1.0, 0.02, 1.0, 4.0, ttl_s=4 * HOUR_S, minimum_tokens=64, step_tokens=64),
    "opus-5.5": Rates(1.0, 0.05, 1.25, 5.0, ttl_s=300, minimum_tokens=512),
}
"""Price ratios of model families on the day of `table.TABLE_DATE`."""


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model in dollars per token. `tiers` are (prompt tokens above which, rates), lowest first.

    `source` names the origin of the price, and `assumed` is true if no list has the model. `since_s` is the start of
    a user's price; it also applies to earlier calls that no list covers.
    """

    model: str
    rates: Rates
    tiers: tuple[tuple[int, Rates], ...] = ()
    source: str = ""
    assumed: bool = False
    since_s: float = 0.0

    def at(self, prompt_tokens: int) -> Rates:
        """The rates for a prompt of this length. Above the start of a tier, its rates apply to the whole prompt."""
        reached = [rates for start, rates in self.tiers if prompt_tokens > start]
        return reached[-1] if reached else self.rates


_reader: list[Callable[[], Mapping[str, Price]]] = []


def set_user_prices(read: Callable[[], Mapping[str, Price]] | None) -> None:
    """Use `read` to get the user's prices, by canonical model name; None for no user prices."""
    _reader[:] = [read] if read is not None else []
    user_prices.cache_clear()


@lru_cache(maxsize=1)
def user_prices() -> Mapping[str, Price]:
    """The user's prices, by canonical model name."""
    return _reader[0]() if _reader else {}
