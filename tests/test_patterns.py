"""Words that a pattern finds whatever their case, as the keys of a table."""

from __future__ import annotations

import pytest

from palimpsest.formats.failures.error_details import duration_s
from palimpsest.lazy_regex import as_key


@pytest.mark.parametrize("word", ["ſection", "SECTION", "SECTİON", "sectıon", "Section"])
def test_what_a_pattern_takes_for_a_word_is_the_key_of_that_word(word: str) -> None:
    assert as_key(word) == "section"


def test_a_duration_in_letters_that_count_as_others_is_read() -> None:
    assert duration_s("9 ſeconds") == duration_s("9 seconds") == 9.0
    assert duration_s("20 mıllıseconds") == duration_s("20 milliseconds")
