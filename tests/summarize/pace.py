"""How the work that something takes grows with its size, counted in calls of functions: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from types import FrameType

SLACK = 1.5


def is_in_proportion(work: Callable[[int], object], few: int, many: int) -> bool:
    """Whether `many` of something takes about so many times what a few of it take, where a square takes far more."""
    return calls_of(lambda: work(many)) < SLACK * many / few * calls_of(lambda: work(few))


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called, those of the interpreter included."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def largest_step(steps: Generator[None, None, object]) -> int:
    """The calls of the step that makes most."""
    most = 0
    going_on = True

    def step() -> None:
        nonlocal going_on
        going_on = next(steps, steps) is None

    while going_on:
        most = max(most, calls_of(step))
    return most
