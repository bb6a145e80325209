"""Sentences of documents and docstrings are short."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.sentences import docstrings, sentences, word_count
from tests.house.tree import ROOT, name_of, prose_files

MOST_WORDS = 40
MEAN_WORDS = 25


def test_a_sentence_ends_at_its_mark_and_code_counts_as_one_word() -> None:
    text = "# Title\n\nIt runs `a b c` first. Then it\nstops, says v2.1 here.\n\n- One item\n- Another\n\n| a | b |\n"
    assert list(sentences(text)) == [
        "It runs Code first.",
        "Then it stops, says v2.1 here.",
        "One item",
        "Another",
    ]
    assert [word_count(one) for one in sentences(text)] == [4, 7, 2, 1]


@pytest.mark.parametrize("document", prose_files(), ids=name_of)
def test_no_sentence_of_a_document_is_long(document: Path) -> None:
    found = list(sentences(document.read_text(encoding="utf-8")))
    assert [one for one in found if word_count(one) > MOST_WORDS] == []
    assert sum(map(word_count, found)) <= MEAN_WORDS * len(found)


def test_no_sentence_of_a_docstring_is_long() -> None:
    found = [
        (f"{name_of(path)}:{line}", one)
        for path in sorted((ROOT / "src").rglob("*.py"))
        for line, text in docstrings(path)
        for one in sentences(text)
    ]
    assert len(found) > 1_000
    assert [(where, one) for where, one in found if word_count(one) > MOST_WORDS] == []
    assert sum(word_count(one) for _, one in found) <= MEAN_WORDS * len(found)
