"""Texts in blocks, and the two ends of long ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.text.blocks import BLOCK_CHARS, LINE_CHARS, blocks, ends, without_wrappers


@pytest.mark.parametrize("look_chars", [260, 301, 402])
def test_the_ends_of_a_long_text_hold_whole_sentences(look_chars: int) -> None:
    said = [f"Dock {number} is looked at by the harbour master every morning." for number in range(40)]
    first, last = ends(" ".join(said), look_chars).split("\n")
    assert len(first) + len(last) <= look_chars
    whole = " ".join(said)
    assert whole.startswith(first)
    assert first.endswith(".")
    assert whole.endswith(last)
    assert last.startswith("Dock ")


def test_the_ends_of_a_text_without_stops_hold_whole_words() -> None:
    words = [f"word{number}" for number in range(400)]
    assert set(ends(" ".join(words), 300).split()) <= set(words)


@given(st.lists(st.text(alphabet="ab \u4e00\u3002.", max_size=900), max_size=20))
def test_blocks_are_bounded_and_hold_the_words_in_order(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = list(blocks(text))
    assert all(len(block) <= BLOCK_CHARS + LINE_CHARS for block in found)
    assert "".join("".join(found).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "text, said",
    [
        ("<system-reminder>Mind the tide.</system-reminder>Count the berths.", "Count the berths."),
        ("<environment_context>\n/pier\n</environment_context>\nCount them.", "Count them."),
        ("<user_query>\nCount them.\n</user_query>", "Count them."),
        ("Caveat: The messages below were generated", ""),
        ("# Context\n## My request for Skerry:\nCount them.", "Count them."),
        ("Count <b>all</b> of them.", "Count <b>all</b> of them."),
    ],
)
def test_what_an_agent_puts_around_a_message_is_left_out(text: str, said: str) -> None:
    assert without_wrappers(text) == said
