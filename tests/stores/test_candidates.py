"""Which texts a question looks at: rare words lead, common ones are estimated, and everything is bounded."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.stores.candidate_choice import (
    COMMON_HITS,
    LARGE,
    MANY,
    NEAR,
    best_candidates,
    candidates_of_scope,
    neighbour_ranges,
    ranked_count,
    texts_per_word,
)

TOTAL = 1_000_000
numbers = st.lists(st.integers(1, TOTAL), max_size=40, unique=True).map(lambda one: sorted(one, reverse=True))


def newest_of_every(step: int) -> list[int]:
    """The newest texts of a large store that hold a word which each so-manieth holds."""
    return list(range(TOTAL, 0, -step))[:COMMON_HITS]


def test_words_that_few_texts_hold_are_counted_exactly() -> None:
    assert texts_per_word([[9, 4], [], [7]], 10) == (2, 0, 1)


def test_how_common_a_word_is_shows_in_how_close_its_newest_texts_lie() -> None:
    counts = texts_per_word([newest_of_every(3), newest_of_every(40), [5]], TOTAL)
    assert abs(counts[0] - TOTAL / 3) < TOTAL / 300
    assert abs(counts[1] - TOTAL / 40) < TOTAL / 4_000
    assert counts[2] == 1


@given(st.lists(numbers, max_size=6), st.integers(1, TOTAL))
def test_an_estimate_is_never_less_than_was_seen_nor_more_than_there_is(
    postings: list[list[int]], total: int
) -> None:
    long = [*postings, newest_of_every(2)]
    for count, posting in zip(texts_per_word(long, total), long, strict=True):
        assert len(posting) <= count <= max(total, len(posting))


def test_a_text_with_the_rarer_word_is_preferred_and_of_equal_ones_the_newer() -> None:
    common, rare = newest_of_every(3), [17, 5]
    counts = texts_per_word([common, rare], TOTAL)
    assert best_candidates([common, rare], counts, TOTAL, 3) == [17, 5, TOTAL]


@given(st.lists(numbers, max_size=6), st.integers(1, 50))
def test_no_more_texts_are_chosen_than_asked_for_and_each_once(postings: list[list[int]], limit: int) -> None:
    chosen = best_candidates(postings, texts_per_word(postings, TOTAL), TOTAL, limit)
    assert len(chosen) == min(limit, len({one for posting in postings for one in posting}))
    assert len(set(chosen)) == len(chosen)


@given(st.lists(numbers, max_size=6), st.integers(1, 12))
def test_what_is_left_out_for_its_common_words_could_not_be_chosen(
    postings: list[list[int]], limit: int
) -> None:
    counts = texts_per_word(postings, TOTAL)
    whole: dict[int, float] = {}
    for posting, count in sorted(zip(postings, counts, strict=True), key=lambda one: one[1]):
        for number in posting:
            whole[number] = whole.get(number, 0.0) + math.log(1 + (TOTAL + 0.5) / (count + 0.5))
    best = sorted(whole, key=lambda one: (whole[one], one), reverse=True)[:limit]
    assert best_candidates(postings, counts, TOTAL, limit) == best


def test_in_a_large_place_a_text_is_preferred_that_has_more_of_the_question_beside_it() -> None:
    alone, beside = 90, 40
    postings = [[alone, beside], [beside - 1]]
    assert candidates_of_scope(postings, (800, 900), LARGE + 1, 1) == [beside]
    assert candidates_of_scope(postings, (800, 900), LARGE, 1) == [alone]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 60)), max_size=20))
def test_stretches_hold_every_place_with_its_neighbours_once(places: list[tuple[int, int]]) -> None:
    found = [
        (branch, seq) for branch, first, last in neighbour_ranges(places) for seq in range(first, last + 1)
    ]
    wanted = {
        (branch, seq + step) for branch, seq in places for step in range(-NEAR, NEAR + 1) if seq + step > 0
    }
    assert sorted(wanted) == found


def test_in_a_large_store_fewer_are_weighed() -> None:
    assert [ranked_count(LARGE, 150, MANY), ranked_count(LARGE, 150, MANY + 1)] == [150, 100]
    assert [ranked_count(LARGE + 1, 150, MANY), ranked_count(LARGE + 1, 1, MANY + 1)] == [50, 1]
