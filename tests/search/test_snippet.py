"""The passage shown of a hit."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.search.query import Query, parse
from palimpsest.search.snippet import SNIPPET_CHARS, snippet


def test_matches_are_marked_whatever_their_case_and_stands_between() -> None:
    text = "Then Src/App/Main.py failed, and src app main PY again."
    assert (
        snippet(text, parse("src/app/main.py"))
        == "Then [Src/App/Main.py] failed, and [src app main PY] again."
    )


def test_a_passage_lies_around_the_densest_matches() -> None:
    text = "retry " + "x " * 500 + "timeout then retry and timeout " + "y " * 500
    found = snippet(text, parse("timeout retry"))
    assert "[timeout] then [retry] and [timeout]" in found
    assert found.startswith("…")
    assert found.endswith("…")


def test_text_without_a_literal_match_gives_its_beginning() -> None:
    assert snippet("word " * 100, parse("unknown")).startswith("word word")
    assert snippet("short", parse("unknown")) == "short"


def test_scripts_without_spaces_are_marked_too() -> None:
    assert snippet("请检查日志文件", parse("日志")) == "请检查[日志]文件"


def test_line_breaks_become_spaces() -> None:
    assert snippet("one\n\n  two\tthree", parse("two")) == "one [two] three"


@given(st.text("ab -_./\n日志", max_size=400), st.text("ab -_./日志", min_size=1, max_size=20))
def test_a_snippet_is_one_short_line_of_the_texts_own_characters(text: str, pattern: str) -> None:
    try:
        query = parse(pattern)
    except UsageError:
        query = Query(("a",), (("a",),))
    found = snippet(text, query)
    assert "\n" not in found
    plain = found.replace("[", "").replace("]", "").strip("…").split()
    assert "".join(plain) in "".join(text.split())
    longest = max((sum(map(len, phrase)) for phrase in query.phrases), default=0)
    marks = found.count("[") + found.count("]") + found.count("…")
    assert len(found) - marks <= SNIPPET_CHARS + longest + len(text) // 2 + 1


def test_a_hostile_text_takes_no_long_time() -> None:
    begun = time.monotonic()
    snippet("a" + "_" * 150_000 + "b", parse("a_a_a_b"))
    snippet("a_" * 100_000, parse('"a a a a a a c"'))
    assert time.monotonic() - begun < 2
