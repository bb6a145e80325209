"""Sources larger than the summarizer's window: parts in order, smaller for large messages, and what is left to say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.summary import Draft
from palimpsest.record.summary_source import MessageEntry, Source, SummaryEntry
from palimpsest.summarize.model.map_reduce import (
    LEAST_SHOWN_CHARS,
    MAX_PARTS,
    chunk_ratio,
    fits,
    merging,
    narrowed,
    noted,
    parts_of,
    shown_tokens,
    without_oversized,
)
from palimpsest.summarize.source import render_source
from tests.summarize.dialogues import assistant, call, quarter, result, summary, user


def sized(*sizes: int, kind: str = "leaf") -> Source:
    """A source of messages of about so many tokens."""
    entries = tuple(
        MessageEntry(f"m{place}", user(f"{place} " + "word " * size), size)
        for place, size in enumerate(sizes, 1)
    )
    return Source(kind, entries, tokens=sum(sizes))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "average,ratio", [(10, 0.4), (80, 0.4), (84, 0.1984), (100, 0.16), (500, 0.15), (5_000, 0.15)]
)
def test_the_larger_the_messages_the_smaller_the_parts(average: int, ratio: float) -> None:
    assert chunk_ratio(average, 1_000) == pytest.approx(ratio)


def test_a_source_that_fits_is_left_whole() -> None:
    assert fits(sized(100, 100), 10_000, 500, quarter)
    assert not fits(sized(*[1_000] * 12), 10_000, 500, quarter)
    assert parts_of(sized(100, 100), 10_000) == (sized(100, 100),)


@given(st.lists(st.integers(1, 900), min_size=1, max_size=60), st.integers(500, 20_000))
def test_parts_are_the_source_in_order_and_each_fits(sizes: list[int], window_tokens: int) -> None:
    source = sized(*sizes)
    parts = parts_of(source, window_tokens)
    assert 1 <= len(parts) <= MAX_PARTS
    largest = min(max(map(shown_tokens, source.entries)), int(window_tokens * 0.4) + 2 * 24)
    share = max(window_tokens * 0.4, sum(map(shown_tokens, source.entries)) / MAX_PARTS)
    assert all(sum(map(shown_tokens, part.entries)) <= share + largest for part in parts)


def test_the_last_part_is_no_larger_than_the_others() -> None:
    source = sized(*[40, 400, 60] * 70)
    sizes = [sum(map(shown_tokens, part.entries)) for part in parts_of(source, 2_000)]
    assert len(sizes) <= MAX_PARTS
    assert sizes[-1] <= max(sizes[:-1])


def test_results_stay_with_their_calls() -> None:
    messages = [
        message
        for place in range(30)
        for message in (
            assistant("", call(f"c{place}", "Bash", command="ls")),
            result(f"c{place}", "ok " * 300),
        )
    ]
    entries = tuple(MessageEntry(f"m{place}", message, 300) for place, message in enumerate(messages, 1))
    parts = parts_of(Source("leaf", entries), 4_000)
    assert len(parts) > 2
    firsts = [part.entries[0] for part in parts]
    assert [isinstance(entry, MessageEntry) and entry.message.role for entry in firsts] == [
        "assistant"
    ] * len(parts)


def test_only_the_part_with_the_earlier_summary_updates_it() -> None:
    source = sized(*[400] * 20, kind="roll")
    kinds = [part.kind for part in parts_of(source, 3_000)]
    assert kinds == ["roll"] + ["leaf"] * (len(kinds) - 1)
    merged = merging(source, [Draft("one", "normal"), Draft("two", "normal")], quarter)
    assert merged.kind == "roll"
    assert [entry.summary.text for entry in merged.entries if isinstance(entry, SummaryEntry)] == [
        "one",
        "two",
    ]
    assert render_source(merged).index("one") < render_source(merged).index("two")


def test_a_message_of_more_than_half_the_window_is_named_instead_of_shown() -> None:
    source = sized(50, 900, 50)
    smaller = without_oversized(source, 1_000)
    assert "message m2 of 900 tokens: too large" in render_source(smaller)
    assert smaller.entries[0] == source.entries[0]
    assert without_oversized(smaller, 1_000) is smaller


def words_of(entry: object) -> list[str]:
    assert isinstance(entry, MessageEntry)
    return entry.message.text.split()


@given(st.lists(st.integers(1, 3_000), min_size=1, max_size=8), st.integers(2_000, 9_000))
def test_a_message_that_is_larger_than_a_part_is_shown_whole_in_several(
    sizes: list[int], window_tokens: int
) -> None:
    source = sized(*sizes)
    parts = parts_of(source, window_tokens)
    shown = [word for part in parts for entry in part.entries for word in words_of(entry)]
    assert shown == [word for entry in source.entries for word in words_of(entry)]


def test_a_part_of_a_message_says_which_part_it_is_and_ends_with_a_line() -> None:
    lines = "\n".join(f"line {number} of the tide table" for number in range(900))
    source = Source("leaf", (MessageEntry("m7", user(lines), 6_000),), tokens=6_000)
    parts = parts_of(source, 4_000)
    shown = [entry for part in parts for entry in part.entries if isinstance(entry, MessageEntry)]
    names = [entry.id for entry in shown]
    assert names == [f"m7 part {place} of {len(parts)}" for place in range(1, len(parts) + 1)]
    assert all(entry.message.text.startswith("line ") for entry in shown)


def test_where_parts_do_not_suffice_the_ends_of_the_largest_messages_are_shown() -> None:
    source = sized(50, 400_000, 50)
    small = narrowed(source, 4_000)
    large = small.entries[1]
    assert isinstance(large, MessageEntry)
    assert large.most_chars >= LEAST_SHOWN_CHARS
    assert (small.entries[0], small.entries[2]) == (source.entries[0], source.entries[2])
    assert 1 < len(parts_of(small, 4_000)) <= MAX_PARTS
    assert "2 word word" in render_source(small)
    assert narrowed(sized(50, 2_000, 50), 4_000) == sized(50, 2_000, 50)


def test_the_note_says_how_much_there_was_and_what_rules_know() -> None:
    source = Source("leaf", (*sized(5, 5).entries, SummaryEntry(summary("s1", "before"))))
    note = noted(source, "## Files\n- src: reader.py", 400, quarter)
    assert note.text.startswith("Context contained 10 messages, summary unavailable\n## Files")
    assert quarter(noted(source, "x" * 9_000, 30, quarter).text) < 30
