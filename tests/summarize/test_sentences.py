"""Sentences of texts whose lines were broken by an editor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Message, Text
from palimpsest.summarize.ledger.entries import Ledger, entries
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.sentences import LINE_CHARS, ends, sentences, unwrapped

BROKEN = (
    "I want the timetable moved to the new\n  harbour server, in small steps. We should\n"
    "  start with the night ferries. Never touch\n  the tide tables, they are all\n  measured by hand."
)


def test_a_rule_that_an_editor_broke_into_lines_is_kept_whole() -> None:
    ledger = update(Ledger(), Message("user", (Text(BROKEN),)), 1)
    assert [entry.text for entry in entries(ledger, "rule")] == [
        "I want the timetable moved to the new harbour server, in small steps.",
        "We should start with the night ferries.",
        "Never touch the tide tables, they are all measured by hand.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "use the long pier\nnever the short one\nand say so.",
        "always ring the bell before you cast off\nnever leave a gate open behind the last car",
        "The first ferry leaves at six in the morning\n\nand the last one at ten. That is all.",
        "- ring the bell before the boat leaves the pier.\n- close the gate behind the last car on the deck.",
        "# What the harbour master wants to have by Monday\nthe tide tables. And the bells.",
    ],
)
def test_lines_of_lists_and_headings_stay_apart(text: str) -> None:
    assert unwrapped(text) == text


@given(
    st.lists(
        st.sampled_from(("pier", "- x", "# y", "gate. Bell", "", "  tide", "a" * 300, "Never", "潮汐")),
        max_size=60,
    )
)
def test_no_word_is_lost_or_moved(lines: list[str]) -> None:
    text = "\n".join(lines)
    whole = unwrapped(text)
    assert whole.split() == text.split()
    assert max(map(len, whole.split("\n"))) < LINE_CHARS


@pytest.mark.parametrize("look_chars", [260, 301, 402])
def test_the_ends_of_a_long_text_hold_whole_sentences(look_chars: int) -> None:
    said = [
        f"Dock {number} is looked at by the harbour master on every second morning." for number in range(40)
    ]
    shown = ends(" ".join(said), look_chars)
    assert len(shown) <= look_chars
    assert [one for one in sentences(shown) if one not in said] == []


def test_the_ends_of_a_text_without_stops_hold_whole_words() -> None:
    words = [f"word{number}" for number in range(400)]
    assert set(ends(" ".join(words), 300).split()) <= set(words)


def test_an_abbreviation_ends_no_sentence() -> None:
    text = "The call was rejected (eg. the file stays as it is). Try again."
    assert list(sentences(text)) == ["The call was rejected (eg. the file stays as it is).", "Try again."]


def test_what_became_of_something_is_told_with_it() -> None:
    text = "1. **A second ferry.** Rejected: it costs too much.\n2. **A later one.** Rejected for its crew. It sleeps."
    assert list(sentences(text)) == [
        "A second ferry. Rejected: it costs too much.",
        "A later one. Rejected for its crew.",
        "It sleeps.",
    ]
    assert list(sentences("It was late. Rejected applications wait.")) == [
        "It was late.",
        "Rejected applications wait.",
    ]


@pytest.mark.parametrize(
    "text, count",
    [
        ("Die Frist ist der 14. März 2031. Danach ist Schluss.", 2),
        ("Bezahlt am 3. Januar, z. B. bar.", 1),
        ("Az. 12 O 348/23 liegt vor.", 1),
        ("Den 3. maj går färjan. Sedan inte.", 2),
        ("There were 14. Then came one more.", 2),
        ("also nie vor 8 uhr statt 9. und was macht der kran?", 2),
        ("höchstens 20. kannst du das prüfen?", 2),
        ("make it 5. and what about the pier?", 2),
        ("am 3. und am 9. mai ist zu.", 1),
        ("Am 5. bitte absagen.", 1),
        ("am 3. was los ist", 1),
        ("statt 9. Mai lieber 10. Mai", 1),
    ],
)
def test_an_ordinal_number_and_a_shortened_word_end_no_sentence(text: str, count: int) -> None:
    assert len(list(sentences(text))) == count


@pytest.mark.parametrize(
    "text, count",
    [
        ("要不要把缓存调大?同事建议改成一千。", 2),
        ("好的!继续吧。", 2),
        ("これでいい?次へ進んで!", 2),
        ("地址是 shop/list?页数 不变。", 1),
        ("版本 3.2 已发布。", 1),
    ],
)
def test_marks_of_other_scripts_end_a_sentence_of_a_script_without_spaces(text: str, count: int) -> None:
    assert len(list(sentences(text))) == count
