"""Words that a pattern finds whatever their case, as the keys of a table."""

from __future__ import annotations

import pytest

from palimpsest.formats.failures.numbers import duration_s
from palimpsest.patterns import as_key
from palimpsest.summarize.deeds import DID, deed_of


@pytest.mark.parametrize("word", ["ſection", "SECTION", "SECTİON", "sectıon", "Section"])
def test_what_a_pattern_takes_for_a_word_is_the_key_of_that_word(word: str) -> None:
    assert as_key(word) == "section"


@pytest.mark.parametrize("word", ["written", "wrıtten", "WRİTTEN", "EDITED", "edıted"])
def test_a_deed_in_letters_that_count_as_others_is_that_deed(word: str) -> None:
    found = DID.search(f"src/quay.py was {word} today")
    assert found is not None
    assert deed_of(found[0]) == deed_of(as_key(word))


def test_a_duration_in_letters_that_count_as_others_is_read() -> None:
    assert duration_s("9 ſeconds") == duration_s("9 seconds") == 9.0
    assert duration_s("20 mıllıseconds") == duration_s("20 milliseconds")
