"""Patterns that models write for other tools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.retrieval.grep import translated
from palimpsest.record.recall_mark import RECALLED
from tests.engine.drawing import said


@pytest.mark.parametrize(
    "pattern, ours",
    [
        ("error|exception", "%error% OR exception"),
        (r"LNK\d+", "LNK%"),
        ("useState*", "useState%"),
        (r"one\n\s*import\tos", "%one% import os"),
        (r"\bretry\b.*LNK2019$", "%retry% LNK2019"),
        (r"import (os|sys)", "import (os OR %sys%)"),
        (r"(?i)foo\.py", "foo.py"),
        ("(?:build|test)ing", "(%build% OR %test%)ing"),
        ("src/*.py", "src/ .py"),
        ("a NOT b|c", "a NOT b OR c"),
        ("timeout and (retry or crash)", "timeout AND (%retry% OR %crash%)"),
        ("/connection refused/i", "connection refused"),
        ("plain words AND %part% off 50%", "plain words AND %part% off 50%"),
    ],
)
def test_alternatives_wildcards_and_classes_are_read_as_our_grammar_has_them(pattern: str, ours: str) -> None:
    assert translated(pattern) == ours


@given(st.text(alphabet="ab|.*\\d[]()^$%{3} \n", max_size=60))
def test_any_expression_is_reworded_and_a_pattern_of_ours_stays(text: str) -> None:
    assert not set("|\\^$") & set(translated(text.replace("\\", "")))
    plain = "".join(one for one in text if one in "ab ()")
    assert translated(plain) == plain


async def test_an_expression_that_finds_nothing_as_it_stands_is_read_by_its_habits_and_that_is_told() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("build")
        await talk.append(said("user", "linking fails: LNK2019"), said("user", "a|b is a choice"))
        tools = talk.tools()
        told = await tools.call("short_grep", {"regex": r"LNK\d+|CS\d{4}"})
        assert told.startswith(f"{RECALLED} 1 of 1 hits")
        assert "[read as: LNK% OR CS%]" in told
        assert "read as" not in await tools.call("short_grep", {"regex": "a|b"})
        assert "[found nowhere: zyzzyva*]" in await tools.call("short_grep", {"regex": "zyzzyva*"})


async def test_where_only_what_to_leave_out_is_asked_for_no_word_is_said_to_occur() -> None:
    async with palimpsest.open(":memory:") as engine:
        told = await engine.conversation("empty").tools().call("short_grep", {"pattern": "NOT foo"})
        assert told.startswith(f"{RECALLED} nothing] Nothing in this conversation holds that. Try")
