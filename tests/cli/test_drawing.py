"""Bars, columns, ids and clipped lines hold their laws for any input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from palimpsest.cli.drawing import (
    Listing,
    bar,
    budget_lines,
    clean,
    clip,
    columns,
    count,
    flow,
    short_ids,
    shorten_text,
    size,
    spread,
    wrap,
)
from palimpsest.engine.reports import is_short_for
from palimpsest.record.decision import Budget, Regions
from tests.patience import LIMIT_S

IDS = st.text(alphabet="ab/", min_size=1, max_size=24)


@given(st.text())
def test_cleaned_text_holds_no_control_character_but_newline_and_tab(text: str) -> None:
    left = {char for char in clean(text) if ord(char) < 32 or 127 <= ord(char) < 160}
    assert left <= {"\n", "\t"}


def test_an_escape_sequence_is_shown_and_not_obeyed() -> None:
    assert clean("\x1b[31mred\x07") == "␛[31mred␇"
    assert clean("a\u202e b\u2066 שלום") == "a� b� שלום"


@given(st.text(), st.integers(1, 90))
def test_a_clipped_line_is_one_line_within_its_cells(text: str, cells: int) -> None:
    line = clip(text, cells)
    assert "\n" not in line
    assert cell_len(line) <= cells


@given(st.text(alphabet="ab 漢字é", max_size=200), st.integers(2, 60))
def test_wrapping_keeps_every_word_within_the_cells(text: str, cells: int) -> None:
    lines = wrap(text, cells)
    assert all(cell_len(line) <= cells for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_wide_character_breaks_no_word_elsewhere_in_its_line() -> None:
    line = "The ferry 🚢 leaves from berth NB-204 灯台の下 and returns"
    assert wrap(line, 16) == ["The ferry 🚢", "leaves from", "berth NB-204 灯", "台の下 and", "returns"]
    assert wrap("رمز المنارة هو ٧٤٢ 🚢", 12) == ["رمز المنارة", "هو ٧٤٢ 🚢"]


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=8), st.integers(10, 100))
def test_cells_are_shared_out_whole_and_every_part_is_seen(amounts: list[int], cells: int) -> None:
    given_cells = spread(amounts, cells)
    assert sum(given_cells) == (cells if any(amounts) else 0)
    assert all((wide > 0) == (amount > 0) for wide, amount in zip(given_cells, amounts, strict=True))


@given(st.lists(IDS, unique=True, max_size=30))
def test_a_short_id_names_its_own_id_and_no_other(ids: list[str]) -> None:
    short = short_ids(ids)
    for one in ids:
        assert [other for other in ids if is_short_for(short[one], other) and short[other] == short[one]] == [
            one
        ]


def test_short_ids_are_prefixes_of_eight_or_more_characters_in_every_part() -> None:
    ids = ["0199aaaa-1", "0199aaaa-2", "5c0375b4-57a5", "5c0375b4-57a5/agent-seven", "chat-c9e76e", "support"]
    assert short_ids(ids) == {
        "0199aaaa-1": "0199aaaa-1",
        "0199aaaa-2": "0199aaaa-2",
        "5c0375b4-57a5": "5c0375b4",
        "5c0375b4-57a5/agent-seven": "5c0375b4/agent-seven",
        "chat-c9e76e": "chat-c9e76e",
        "support": "support",
    }


def test_columns_are_aligned_by_cells_and_nothing_is_cut_without_a_width() -> None:
    listing = Listing(
        ("name", "n", "title"), (("漢字", "7", "x" * 200), ("abcdef", "12,000", "y")), frozenset({"n"})
    )
    heading, first, second = columns(listing)
    assert heading == "name         n  title"
    assert first == "漢字         7  " + "x" * 200
    assert second == "abcdef  12,000  y"


def test_columns_fit_a_terminal_by_cutting_the_last_one() -> None:
    listing = Listing(("name", "title"), (("abc", "word " * 60),))
    lines = columns(listing, 40)
    assert all(cell_len(line) <= 40 for line in lines)
    assert lines[1].startswith("────")
    assert lines[2].endswith("…")


def test_on_a_narrow_terminal_the_last_column_stands_below_and_on_a_narrower_one_each_cell() -> None:
    listing = Listing(
        ("model", "input", "from"),
        (("claude", "3", "a list of prices"), ("  above", "6", "")),
        frozenset({"input"}),
    )
    assert columns(listing, 20) == [
        "model    input",
        "──────────────",
        "claude       3",
        "  a list of prices",
        "  above      6",
    ]
    assert columns(listing, 13) == [
        "model",
        "─────",
        "claude",
        "  input  3",
        "  from   a l…",
        "above",
        "  input  6",
    ]


@given(st.lists(st.tuples(*[st.text("ab 漢", max_size=30)] * 4), max_size=5), st.integers(20, 200))
def test_columns_never_are_wider_than_the_terminal_and_each_row_is_there(
    rows: list[tuple[str, str, str, str]], width: int
) -> None:
    lines = columns(Listing(("conversation", "tokens", "window", "title"), tuple(rows)), width)
    assert all(cell_len(line) <= width for line in lines)
    assert len(lines) >= len(rows)


@given(
    st.builds(
        Budget,
        regions=st.builds(Regions, *[st.integers(0, 10**6)] * 5),
        window_tokens=st.integers(1, 10**6),
        output_reserve_tokens=st.integers(0, 10**5),
        margin_tokens=st.integers(0, 10**4),
        correction_tokens=st.integers(-(10**4), 10**4),
    ),
    st.integers(40, 120),
)
def test_a_budget_bar_fits_its_line_and_says_what_is_used(budget: Budget, width: int) -> None:
    title, drawn, *legend = budget_lines(budget, width)
    assert title.startswith(f"{budget.used_tokens:,} of {budget.capacity_tokens:,} tokens used")
    assert cell_len(drawn) <= width
    assert ("too many" in title) == (budget.used_tokens > budget.capacity_tokens)
    assert all(cell_len(line) <= width for line in legend)


def test_a_full_bar_differs_from_one_that_runs_over() -> None:
    assert bar(0, 4) == "····"
    assert bar(0.5, 4) == "██··"
    assert bar(1, 4) == "████"
    assert bar(1.01, 4) == "!!!!"


@pytest.mark.parametrize(
    "size_bytes, said",
    [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (123_456, "123 kB"), (5_400_000, "5.4 MB")],
)
def test_sizes_are_said_as_people_say_them(size_bytes: int, said: str) -> None:
    assert size(size_bytes) == said


def test_counts_agree_with_their_noun() -> None:
    assert [count(number, "message") for number in (0, 1, 1_204)] == [
        "0 messages",
        "1 message",
        "1,204 messages",
    ]


def test_a_shortened_text_says_how_much_it_leaves_out() -> None:
    assert shorten_text("one\ntwo\nthree", 2, 100) == "one\ntwo\n… 6 more characters"
    assert shorten_text("one\ntwo", 2, 100) == "one\ntwo"


def test_phrases_flow_into_lines() -> None:
    assert flow(["aaaa", "bbbb", "cccc"], 12) == ["aaaa   bbbb", "cccc"]


def test_things_are_counted_in_their_plural() -> None:
    assert [count(1, "summary"), count(2, "summary"), count(0, "day")] == [
        "1 summary",
        "2 summaries",
        "0 days",
    ]


@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
def test_a_line_of_blanks_is_broken_in_proportion_to_its_length() -> None:
    assert wrap("潮 " + " " * 600_000, 20)
    assert wrap(" " * 600_000 + "潮 高", 20)[-1].split() == ["潮", "高"]
