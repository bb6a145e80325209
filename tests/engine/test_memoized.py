"""A value is made again when what it was made of is not the very same, and only then."""

from __future__ import annotations

import pytest

from palimpsest.engine.conversation_state import Memoized


def test_the_same_sources_make_nothing_anew_and_equal_ones_do() -> None:
    kept: Memoized[list[int]] = Memoized()
    window, pins = [1, 2], [3]
    first = kept.get((window, pins), lambda: [*window, *pins])
    assert kept.get((window, pins), list) is first
    assert kept.get((window, [3]), lambda: [*window, 3]) == first
    assert kept.get((window, pins), lambda: [*window, *pins]) is not first


def test_a_value_that_could_not_be_made_is_not_kept() -> None:
    kept: Memoized[int] = Memoized()
    zero = 0
    with pytest.raises(ZeroDivisionError):
        kept.get((zero,), lambda: 1 // zero)
    assert kept.get((zero,), lambda: 7) == 7
