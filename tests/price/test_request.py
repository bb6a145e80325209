"""The cost of a request, given the one before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.price.rates import TABLES
from palimpsest.price.request import LOOK_BACK_PARTS, Use, chain, common, cost, matched_tokens, use
from palimpsest.record.spending import Rates

PLAIN = Rates(1.0, 0.1, 1.25, 5.0, ttl_s=300)
STEPPED = Rates(1.0, 0.1, 1.0, 6.0, ttl_s=300, minimum_tokens=1_024, step_tokens=128)
SYSTEM, FIRST, SECOND, THIRD = ((name.encode(), 1_000) for name in ("system", "first", "second", "third"))

parts = st.lists(st.tuples(st.binary(max_size=3), st.integers(0, 5_000)), max_size=12)


def test_what_two_prompts_begin_with_is_read_and_the_rest_is_written() -> None:
    before, now = chain([SYSTEM, FIRST]), chain([SYSTEM, FIRST, SECOND])
    found = use(before, now, 10, PLAIN, 50)
    assert found == Use(cached=2_000, written=1_000, output=50)
    assert cost(found, PLAIN) == pytest.approx(200 + 1_250 + 250)


def test_a_changed_part_is_paid_for_with_all_that_follows_it() -> None:
    before, now = chain([SYSTEM, FIRST, SECOND]), chain([SYSTEM, THIRD, SECOND])
    assert use(before, now, 10, PLAIN) == Use(cached=1_000, written=2_000)


def test_after_its_lifetime_nothing_of_a_prompt_is_cached() -> None:
    prompt = chain([SYSTEM, FIRST])
    assert use(prompt, prompt, 300, PLAIN).cached == 2_000
    assert use(prompt, prompt, 301, PLAIN) == Use(written=2_000)


def test_a_prompt_below_the_minimum_is_neither_read_nor_written() -> None:
    prompt = chain([SYSTEM])
    assert use(prompt, prompt, 1, STEPPED) == Use(fresh=1_000)


@pytest.mark.parametrize("shared,matched", [(1_023, 0), (1_024, 1_024), (1_151, 1_024), (1_152, 1_152)])
def test_a_match_counts_in_steps_from_the_minimum_on(shared: int, matched: int) -> None:
    assert matched_tokens(shared, STEPPED) == matched


def test_with_marks_only_what_they_enclose_is_cached() -> None:
    before = chain([SYSTEM, FIRST], frozenset({0}))
    now = chain([SYSTEM, FIRST, SECOND], frozenset({0, 1}))
    assert use(before, now, 1, PLAIN, marked=True) == Use(cached=1_000, written=1_000, fresh=1_000)


def test_a_mark_too_far_behind_the_new_one_is_not_found() -> None:
    rendered = [(f"{number}".encode(), 100) for number in range(2 * LOOK_BACK_PARTS)]
    before = chain(rendered[:1], frozenset({0}))
    near = chain(rendered[:LOOK_BACK_PARTS], frozenset({LOOK_BACK_PARTS - 1}))
    far = chain(rendered[: LOOK_BACK_PARTS + 1], frozenset({LOOK_BACK_PARTS}))
    assert use(before, near, 1, PLAIN, marked=True).cached == 100
    assert use(before, far, 1, PLAIN, marked=True).cached == 0


def test_parts_of_equal_bytes_in_another_order_or_split_are_not_the_same() -> None:
    assert chain([FIRST, SECOND])[-1].link != chain([SECOND, FIRST])[-1].link
    assert chain([(b"ab", 1), (b"c", 1)])[-1].link != chain([(b"a", 1), (b"bc", 1)])[-1].link


@given(parts, parts)
def test_common_is_the_longest_common_beginning(
    one: list[tuple[bytes, int]], other: list[tuple[bytes, int]]
) -> None:
    equal = 0
    while equal < min(len(one), len(other)) and one[equal][0] == other[equal][0]:
        equal += 1
    assert common(chain(one), chain(other)) == equal


@given(
    parts,
    parts,
    st.sampled_from(sorted(TABLES)),
    st.floats(0, 1e6),
    st.booleans(),
    st.sets(st.integers(0, 11)),
)
def test_every_token_is_paid_for_once_and_never_more_than_written(
    one: list[tuple[bytes, int]],
    other: list[tuple[bytes, int]],
    table: str,
    gap_s: float,
    marked: bool,
    marks: set[int],
) -> None:
    rates = TABLES[table]
    before, now = chain(one, frozenset(marks)), chain(one[:6] + other, frozenset(marks))
    found = use(before, now, gap_s, rates, marked=marked)
    assert found.prompt == sum(part.tokens for part in now)
    assert min(found.cached, found.written, found.fresh) >= 0
    assert cost(found, rates) <= max(rates.write, rates.input) * found.prompt + 1e-6
