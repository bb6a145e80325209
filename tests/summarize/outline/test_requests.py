"""Laws of what an outline shows of the user's messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.token_estimator import count_text
from palimpsest.summarize.outline.outline import (
    LEAST_TOKENS,
    MARK_TOKENS,
    NEWEST_PART,
    SPARE_TOKENS,
    WHOLE_TOKENS,
    allowances,
    shortened,
    user_texts,
)
from tests.strategies import texts
from tests.summarize.outline.outlining import ran

MOST = WHOLE_TOKENS + MARK_TOKENS + SPARE_TOKENS
SIZES = st.lists(st.integers(1, 60) | st.integers(1, 4_000), max_size=40)
BUDGETS = st.integers(0, 6_000)
HEADERS = st.integers(0, 8)
LONG = st.builds(
    " ".join, st.lists(st.sampled_from(("pier", "über", "潮汐表", "a_b", "\n", "3.14")), max_size=900)
)


@given(SIZES, BUDGETS, HEADERS)
def test_allowances_never_exceed_the_budget_or_what_a_message_needs(
    sizes: list[int], budget: int, header: int
) -> None:
    given_ = allowances(sizes, budget, header)
    assert len(given_) == len(sizes)
    assert sum(given_) <= budget
    assert all(0 <= allowed <= size for allowed, size in zip(given_, sizes, strict=True))
    assert all(allowed <= MOST + header for allowed in given_[:-1])


@given(SIZES, BUDGETS, HEADERS)
def test_all_messages_have_what_they_need_where_that_fits(sizes: list[int], budget: int, header: int) -> None:
    wanted = [min(size, MOST) for size in sizes]
    assert allowances(wanted, max(budget, sum(wanted)), header) == wanted


@given(st.integers(1, 20_000), BUDGETS)
def test_one_message_alone_has_up_to_a_third_of_all_however_long_it_is(size: int, budget: int) -> None:
    most = min(size, budget, max(MOST, budget // NEWEST_PART))
    assert allowances([size], budget) == [most if most >= min(size, LEAST_TOKENS) else 0]


@given(SIZES, BUDGETS, HEADERS)
def test_what_is_given_is_enough_to_be_read_or_nothing(sizes: list[int], budget: int, header: int) -> None:
    given_ = allowances(sizes, budget, header)
    assert all(
        allowed == 0 or allowed >= min(size, LEAST_TOKENS + header)
        for allowed, size in zip(given_, sizes, strict=True)
    )


@given(SIZES, BUDGETS, BUDGETS, HEADERS)
def test_a_larger_budget_gives_no_less(sizes: list[int], one: int, other: int, header: int) -> None:
    less, more = sorted((one, other))
    assert sum(allowances(sizes, less, header)) <= sum(allowances(sizes, more, header))
    assert allowances(sizes, less, header)[-1:] <= allowances(sizes, more, header)[-1:]


@given(st.lists(st.integers(LEAST_TOKENS, 4_000), min_size=2, max_size=60), BUDGETS)
def test_the_newest_has_at_least_half_of_what_it_needs_or_of_all(sizes: list[int], budget: int) -> None:
    assert allowances(sizes, budget)[-1] >= min(sizes[-1], MOST, budget // 2) or budget < LEAST_TOKENS


@given(texts() | LONG, st.integers(0, 400))
def test_a_shortened_text_fits_and_names_the_whole(text: str, most: int) -> None:
    shown = shortened(text, most, "m12", count_text)
    assert count_text(shown) <= most
    assert shown in ("", text.strip()) or "stored as m12]" in shown


@given(LONG, st.integers(LEAST_TOKENS, 400))
def test_a_shortened_text_consists_of_the_two_ends_of_the_whole(text: str, most: int) -> None:
    shown = shortened(text, most, "m12", count_text)
    head, _, tail = shown.partition(f"\n[{shown[shown.rfind(chr(10) + '[') + 2 :].partition(']')[0]}]\n")
    assert text.strip().startswith(head.rstrip("…"))
    assert text.strip().endswith(tail)


@pytest.mark.parametrize("header", [0, 5])
@given(st.lists(texts() | LONG, max_size=12), st.integers(0, 2_000))
def test_what_is_shown_of_all_fits_with_the_headers(header: int, said: list[str], budget: int) -> None:
    headers = dict.fromkeys(range(len(said)), header)
    named = [(at, f"m{at}", text) for at, text in enumerate(said)]
    shown = ran(user_texts(named, budget, headers, count_text))
    assert sum(count_text(text) + header for text in shown.values()) <= budget


def test_of_too_many_messages_the_newest_stand_whole_and_the_oldest_go() -> None:
    given_ = allowances([105] * 100, 1_800, 5)
    assert given_[-8:] == [105] * 8
    assert given_[0] == 0
    assert given_ == sorted(given_)
    assert sum(given_) > 1_700
