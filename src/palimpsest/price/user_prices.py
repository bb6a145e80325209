"""Prices that the user keeps, which take precedence over the price list.

They are read when a price is first needed. This module imports no price data, so registering a reader is cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palimpsest.price.rates import Price

_reader: list[Callable[[], Mapping[str, Price]]] = []


def set_user_prices(read: Callable[[], Mapping[str, Price]] | None) -> None:
    """Use `read` to get the user's prices, by canonical model name; None for no user prices."""
    _reader[:] = [read] if read is not None else []
    user_prices.cache_clear()


@lru_cache(maxsize=1)
def user_prices() -> Mapping[str, Price]:
    """The user's prices, by canonical model name."""
    return _reader[0]() if _reader else {}
