"""A value that is made again only when what it was made of is not the very same any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import is_
from typing import Generic, TypeVar

Made = TypeVar("Made")


@dataclass(slots=True, eq=False)
class Kept(Generic[Made]):
    """The last value that was made, and of what. Values are never changed, so the same ones make the same."""

    _last: tuple[tuple[object, ...], Made] | None = None

    def get(self, of: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """What is made of these, by `make` where it was made of others; they are as many each time."""
        last = self._last
        if last is None or not all(map(is_, last[0], of)):
            last = self._last = (of, make())
        return last[1]
