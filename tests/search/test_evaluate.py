"""What a pattern means for one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.search.query_grammar import parse
from palimpsest.search.query_matching import Body, matches


@pytest.mark.parametrize(
    "pattern, text, expected",
    [
        ("run", "he was running", True),
        ("run", "runtime", False),
        ("running", "a run", True),
        ("timeout", "TimeoutError", True),
        ("NOT timeout", "TimeoutError", True),
        ("NOT %timeout%", "TimeoutError", False),
        ('"b c"', "a B, C d", True),
        ('"b c"', "a b x c", False),
        ("a.b/c", "A-B_C", True),
        ("ab OR cd ef", "cd", False),
        ("ab OR cd ef", "ef cd", True),
        ("begin%", "beginning", True),
        ("begin%", "rebegin", False),
        ("%end", "rear_end", True),
        ("%end", "ending", False),
        ("日志", "请检查日志", True),
        ("查日", "检 查-日", True),
    ],
)
def test_a_text_is_or_is_not_what_was_asked_for(pattern: str, text: str, expected: bool) -> None:
    assert matches(parse(pattern).root, Body.of(text)) is expected


@given(
    st.text("ab cé_日.", max_size=30), st.sampled_from(["a", "ab", "abc OR b", "a b", '"a b"', "%abc%", "日"])
)
def test_ruling_out_is_the_opposite_of_asking_for_what_is_found_in_whole_words(
    text: str, pattern: str
) -> None:
    body = Body.of(text)
    assert matches(parse(pattern).root, body) is not matches(parse(f"NOT ({pattern})").root, body)
