"""What a pattern asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.search.query import MAX_PATTERN_CHARS, MAX_WORDS, Query, parse, segment, tokens


@pytest.mark.parametrize(
    "pattern, phrases",
    [
        ("timeout", (("timeout",),)),
        ("timeout retry", (("timeout",), ("retry",))),
        ("retry  retry", (("retry",),)),
        ('"one two" three', (("one", "two"), ("three",))),
        ('"one two', (("one", "two"),)),
        ('say "" twice', (("say",), ("twice",))),
        ("src/app/main.py", (("src", "app", "main", "py"),)),
        ("snake_case", (("snake", "case"),)),
        ("AND OR NOT NEAR(a)", (("AND",), ("OR",), ("NOT",), ("NEAR", "a"))),
        ("body:x* ^y", (("body", "x"), ("y",))),
        ("--- +1", (("1",),)),
        ("检查日志", (("检", "查", "日", "志"),)),
        ("テスト3回", (("テ", "ス", "ト", "3", "回"),)),
        ("naïve café", (("naïve",), ("café",))),
    ],
)
def test_a_pattern_is_the_phrases_of_its_words(pattern: str, phrases: tuple[tuple[str, ...], ...]) -> None:
    assert parse(pattern).phrases == phrases


@pytest.mark.parametrize("pattern", ["", "   ", "***", '""', "- _ /", "\0", "\ud800"])
def test_a_pattern_without_a_word_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="no word"):
        parse(pattern)


def test_a_pattern_of_unreasonable_size_is_refused() -> None:
    with pytest.raises(UsageError, match="characters"):
        parse("a" * (MAX_PATTERN_CHARS + 1))
    with pytest.raises(UsageError, match="words"):
        parse(" ".join(f"w{number}" for number in range(MAX_WORDS + 1)))
    assert len(parse(" ".join(f"w{number}" for number in range(MAX_WORDS))).words) == MAX_WORDS


def _parsed(pattern: str) -> Query | None:
    try:
        return parse(pattern)
    except UsageError:
        return None


@given(st.text(max_size=60))
def test_any_text_is_a_pattern_or_is_refused(pattern: str) -> None:
    query = _parsed(pattern)
    assert query is None or query.phrases
    assert query is None or len(query.words) == len(query.phrases) == len(set(query.phrases))
    assert query is None or all(query.phrases)
    assert (query is None) == (not tokens(pattern))


@given(st.text(max_size=200))
def test_segmenting_changes_no_word_and_gives_text_that_can_be_stored(text: str) -> None:
    found = segment(text)
    assert found.encode("utf-8").decode("utf-8") == found
    assert "\0" not in found
    assert "".join(tokens(found)) == "".join(tokens(text))
    assert segment(found).split() == found.split()
