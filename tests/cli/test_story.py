"""What the demo tells is true: lines that fit, and a fact that really left the window."""

from __future__ import annotations

from rich.cells import cell_len

from palimpsest.cli.commands.demo import (
    LINE_CELLS,
    Drop,
    Fact,
    around,
    drop_heading,
    drop_line,
    exact_strings,
    pick_fact,
)
from palimpsest.record.log import Stored
from palimpsest.record.message import Message, Role, Text, ToolCall
from palimpsest.record.summary import Summary


def stored(seq: int, role: Role, text: str, tokens: int = 10) -> Stored:
    return Stored(f"m{seq}", seq, Message(role, (Text(text),)), tokens)


def summary(number: int, depth: int = 0, sources: tuple[str, ...] = ()) -> Summary:
    return Summary(f"s{number}", depth, "text", 900, 1, 40, sources, "extractive")


def test_a_line_of_a_fall_fits_the_page_and_names_what_was_made() -> None:
    leaf = drop_line(Drop(53, 20_144, 13_325, 23_999, (summary(1),)))
    deep = drop_line(Drop(1_368, 123_456, 98_765, 119_000, (summary(22, 1, ("s6", "s21")),)))
    assert "20,144 → 13,325   s1" in leaf
    assert deep.endswith("s22 from s6..s21")
    assert cell_len(leaf) <= LINE_CELLS
    assert cell_len(deep) <= LINE_CELLS + 4
    assert leaf.index("20,144") == drop_heading(23_999).index("tokens")


def test_a_fall_without_summaries_is_one_by_shorter_results() -> None:
    assert drop_line(Drop(9, 300, 200, 250, ())).endswith("shorter results")


def test_a_preferred_fact_is_taken_where_a_message_that_left_holds_it() -> None:
    left = [stored(1, "tool", "built 7a615cc in 4 s"), stored(2, "user", "run job-0042 again")]
    assert pick_fact(left, "", ("7a615cc",)) == Fact("7a615cc", "m1")


def test_a_fact_still_in_sight_is_not_taken() -> None:
    left = [stored(1, "user", "see build-4711 and build-4712")]
    assert pick_fact(left, "the summary names build-4711", ("build-4711",)) == Fact("build-4712", "m1")


def test_words_of_people_come_before_output_of_tools() -> None:
    left = [
        stored(1, "tool", "id aaaa-1111"),
        stored(2, "assistant", "id bbbb-2222"),
        stored(3, "user", "id cccc-3333"),
    ]
    assert pick_fact(left, "", ()) == Fact("cccc-3333", "m3")


def test_calls_and_results_are_looked_at_where_words_hold_nothing() -> None:
    call = Message("assistant", (ToolCall("c1", "run", '{"job": "job-0042"}'),))
    assert pick_fact([stored(1, "user", "go on"), Stored("m2", 2, call, 9)], "", ()) == Fact("job-0042", "m2")


def test_there_is_no_fact_where_nothing_exact_was_said() -> None:
    assert pick_fact([stored(1, "user", "make it nicer, please")], "", ()) is None


def test_exact_strings_have_letters_and_digits_and_stand_alone() -> None:
    text = "TT-4471 at 12:30, src/a1/b.py (v2.4.0), ordinary words, 1234567 and x9"
    assert list(exact_strings(text)) == ["TT-4471", "src/a1/b.py", "v2.4.0"]


def test_the_passage_around_a_fact_holds_it_within_its_lines() -> None:
    text = "\n".join(f"line {number}" for number in range(100)) + "\nhere is fact-77\nlast"
    shown = around(text, "fact-77", 5)
    assert any("fact-77" in line for line in shown)
    assert len(shown) == 6
    assert shown[0] == "  │ ..."
