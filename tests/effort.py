"""How hard the tests look: at a sample in an ordinary run, at everything in a long one.

The profile of hypothesis that is loaded tells which it is (see `tests/conftest.py`). A test that looks at less in an
ordinary run is drawn by hypothesis or marked `sampled`: `make test-long` runs both kinds again, with everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, cast

import pytest
from hypothesis import HealthCheck, settings

_ORDINARY = 40
Test = TypeVar("Test", bound=Callable[..., object])
Size = TypeVar("Size")

EVERYTHING = settings().max_examples > 100
"""Whether this is a long run."""
HOURS = settings().max_examples > 1_000
"""Whether it may take hours."""


def examples(count: int, *, lenient: Iterable[HealthCheck] = ()) -> settings:
    """Settings for about `count` examples under a profile of 40, and in proportion under any other."""
    scaled = max(1, count * settings().max_examples // _ORDINARY)
    allowed = [*settings().suppress_health_check, *lenient]
    return settings(max_examples=scaled, suppress_health_check=allowed)


def size(ordinary: Size, whole: Size) -> Size:
    """How much of something a `sampled` test takes: the first in an ordinary run, the second in a long one."""
    return whole if EVERYTHING else ordinary


def sampled(names: str, whole: Iterable[object], ordinary: Iterable[object]) -> Callable[[Test], Test]:
    """A test for each case of `whole` in a long run, for those of `ordinary` in an ordinary one."""
    cases = list(whole if EVERYTHING else ordinary)

    def marked(test: Test) -> Test:
        return cast("Test", pytest.mark.sampled(pytest.mark.parametrize(names, cases)(test)))

    return marked
