"""Rates: what a token costs by the way it reaches the model, and how long and how coarsely its provider caches.

Four prices say it all: of an uncached input token, of one read from the cache, of one written to the cache, of one
written by the model. They are in any one unit of money, or relative to the input price; every rule of `price` uses
them in sums that are compared with one another, so the unit does not matter.

The named tables are ratios, so that results can be compared from year to year. `tests/price` holds each against the
prices that genai-prices lists for the model it is named after.
"""

from __future__ import annotations

from collections.abc import Mapping

from palimpsest.record.spending import Rates

HOUR_S = 3_600.0


FREE = Rates(0.0, 0.0, 0.0, 0.0, ttl_s=HOUR_S)
"""A model on a server of one's own: its requests cost compute, and no money."""

COMPUTE = Rates(1.0, 0.02, 1.0, 4.0, ttl_s=HOUR_S)
"""Relative rates that stand for the computing of such a model: what is cached costs next to nothing."""

TABLES: Mapping[str, Rates] = {
    "anthropic-5m": Rates(1.0, 0.1, 1.25, 5.0, ttl_s=300, minimum_tokens=1_024),
    "anthropic-1h": Rates(1.0, 0.1, 2.0, 5.0, ttl_s=HOUR_S, minimum_tokens=1_024),
    "openai-5.6": Rates(1.0, 0.1, 1.25, 6.0, ttl_s=1_800, minimum_tokens=1_024),
    "openai-5.5": Rates(1.0, 0.1, 1.0, 6.0, ttl_s=24 * HOUR_S, minimum_tokens=1_024, step_tokens=128),
    "deepseek": Rates(1.0, 0.02, 1.0, 4.0, ttl_s=4 * HOUR_S, minimum_tokens=64, step_tokens=64),
    "opus-5.5": Rates(1.0, 0.05, 1.25, 5.0, ttl_s=300, minimum_tokens=512),
}
"""Named tables of ratios: a family's prices as they were on the day of `caching.TABLE_DATE`."""
