"""Cuts fall between whole characters and below the limit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.text.cut import (
    clean,
    clip,
    clip_words,
    fit_ends,
    fit_prefix,
    safe_end,
    safe_start,
    shorten,
)
from tests.summarize.dialogues import TEXTS, Count, quarter

Fit = Callable[[str, int, Count], str]


@pytest.mark.parametrize(
    "text, index, whole",
    [
        ("ae\u0301b", 2, 1),
        ("a👍🏽b", 2, 1),
        ("👩\u200d👧x", 2, 0),
        ("a\ud83d\ude00", 2, 1),
        ("a\r\nb", 2, 1),
        ("plain", 2, 2),
        ("你好", 1, 1),
        ("x", 9, 1),
        ("x", -1, 0),
    ],
)
def test_a_cut_moves_back_to_where_a_whole_character_ends(text: str, index: int, whole: int) -> None:
    assert safe_end(text, index) == whole


def test_a_cut_at_the_other_side_moves_on_to_where_a_whole_character_begins() -> None:
    assert safe_start("ae\u0301b", 2) == 3


def test_a_text_of_nothing_but_marks_is_cut_all_the_same() -> None:
    assert safe_end("\u0301" * 5_000, 2_000) == 2_000


@given(TEXTS, st.integers(-5, 300))
def test_clipped_texts_keep_to_their_size_and_begin_like_the_whole(text: str, size: int) -> None:
    clipped = clip(text, size)
    assert len(clipped) <= max(size, 1)
    assert text.startswith(clipped.removesuffix("…").rstrip())


@given(TEXTS)
def test_a_cleaned_text_can_be_written_as_utf_8(text: str) -> None:
    assert clean(text).encode("utf-8").decode("utf-8") == clean(text)


def test_halves_of_a_surrogate_pair_are_joined() -> None:
    assert clean("a\ud83d\ude00b\udc00") == "a😀b\ufffd"


def test_a_long_text_is_shortened_to_both_ends_and_says_how_much_is_missing() -> None:
    assert (
        shorten("a" * 100 + "b" * 900 + "c" * 50, 100, 50)
        == f"{'a' * 100}\n[900 characters left out]\n{'c' * 50}"
    )


@pytest.mark.parametrize("fit", [fit_prefix, fit_ends])
@given(text=TEXTS, limit_tokens=st.integers(-2, 60))
def test_a_fitted_text_is_below_its_limit(fit: Fit, text: str, limit_tokens: int) -> None:
    fitted = fit(text, limit_tokens, quarter)
    assert quarter(fitted) < max(1, limit_tokens)


def test_a_fitted_text_uses_most_of_its_limit() -> None:
    assert quarter(fit_prefix("word " * 5_000, 500, quarter)) > 450


def test_a_counter_that_is_not_monotone_cannot_bring_a_text_over_its_limit() -> None:
    def odd(text: str) -> int:
        return len(text) // 4 + (50 if len(text) % 3 else 0)

    assert odd(fit_prefix("abc" * 500, 60, odd)) < 60


WORDS = st.lists(st.from_regex(r"[a-z0-9/.:-]{1,40}", fullmatch=True), min_size=1, max_size=60)


@pytest.mark.parametrize("fit", [fit_prefix, fit_ends])
@given(words=WORDS, limit_tokens=st.integers(24, 200))
def test_a_fitted_text_holds_whole_words_only(fit: Fit, words: list[str], limit_tokens: int) -> None:
    fitted = fit(" ".join(words), limit_tokens, quarter)
    assert set(fitted.replace("…", " ").split()) <= set(words)


@pytest.mark.parametrize("limit_tokens", range(12, 24))
def test_an_id_at_the_end_of_a_request_is_kept_whole_or_left_out(limit_tokens: int) -> None:
    uuid = "0000005f-1a2b-4c3d-8e4f-25875c9bcf35"
    fitted = fit_ends(f"Step 95: port the handler in src/routes, for request {uuid}.", limit_tokens, quarter)
    assert "…" in fitted
    assert uuid in fitted or "1a2b" not in fitted


@pytest.mark.parametrize("limit_tokens", range(8, 36))
def test_what_follows_a_gap_is_a_sentence_from_its_beginning(limit_tokens: int) -> None:
    text = "Move all of them, since it costs too much, without changing berths, piers or hours. Can you help with that?"
    head, _, rest = fit_ends(text, limit_tokens, quarter).partition(" …")
    assert text.startswith(head)
    assert rest in ("", " Can you help with that?")
    assert len(head) + len(rest) > 2 * limit_tokens


@given(words=WORDS, size=st.integers(90, 400))
def test_a_text_that_is_clipped_between_words_keeps_to_its_size(words: list[str], size: int) -> None:
    clipped = clip_words(" ".join(words), size)
    assert len(clipped) <= size
    assert set(clipped.replace("…", " ").split()) <= set(words)


def test_a_word_without_an_end_and_a_script_without_spaces_are_cut_all_the_same() -> None:
    assert clip_words("a" * 500, 100) == "a" * 99 + "…"
    assert clip_words("把港口服务迁移到新的队列", 6) == "把港口服务…"
    assert fit_ends("x" * 900, 30, quarter).count("…") == 1


def test_what_does_not_fit_at_all_becomes_empty() -> None:
    assert fit_prefix("text", 1, lambda text: len(text) + 5) == ""


@pytest.mark.parametrize(
    "begins, goes_on, ends",
    [
        ("Rework ", "the next berth, ", "and whatever happens never touch the tide table"),
        ("请修改", "下一页的标题，", "绝对不要动数据库"),
    ],
)
def test_what_a_long_sentence_ends_with_stays_where_nothing_ends_before(
    begins: str, goes_on: str, ends: str
) -> None:
    assert fit_ends(begins + goes_on * 90 + ends, 120, quarter).endswith(ends)
