"""Whose kept prices count in this process. Apart from the table, so that whoever says it loads no prices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palimpsest.price.table import Kept

_reading: list[Callable[[], Mapping[str, Kept]]] = []
_derived: list[Callable[[], None]] = []


def use_kept(read: Callable[[], Mapping[str, Kept]] | None) -> None:
    """Have kept prices read, when one is first needed, by `read`: by `canonical` name. None for none."""
    _reading[:] = [read] if read is not None else []
    for forget in _derived:
        forget()


def read_kept() -> Mapping[str, Kept]:
    """What is kept now."""
    return _reading[0]() if _reading else {}


def derive(forget: Callable[[], None]) -> None:
    """Have `forget` called whenever other prices count: it lets go of what was derived from them."""
    _derived.append(forget)
