"""How the time that some work takes grows with its size, whatever else the machine does."""

from __future__ import annotations

import time
from collections.abc import Callable

SLACK, START_S = 4, 0.02


def is_in_proportion(work: Callable[[int], object], few: int, many: int) -> bool:
    """Whether `many` of something takes about so many times what a few of it take, where a square takes far more."""
    few_s = _took(work, few)
    return _took(work, many) < SLACK * many / few * (few_s + START_S)


def _took(work: Callable[[int], object], size: int) -> float:
    begun_s = time.process_time()
    work(size)
    return time.process_time() - begun_s
