"""What a reply quotes, and of which piece."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.costs.session import LEAST_CHARS, MOST_HOLDERS, Quoting, bare, lines
from palimpsest.record.message import Message, Text, ToolCall

LINE = "tide = harbour.table_for(station, day=today)"
OTHER = "raise ValueError('no table for this station')"


def says(text: str) -> Message:
    return Message("assistant", (Text(text),))


def edits(text: str) -> Message:
    return Message("assistant", (ToolCall("1", "Edit", json.dumps({"old_string": text})),))


def holding(*texts: str) -> Quoting:
    quoting = Quoting()
    for piece, text in enumerate(texts):
        quoting.hold(piece, text, tokens=100)
    return quoting


def test_a_whole_line_in_words_or_in_decoded_arguments_is_a_quote() -> None:
    quoting = holding(f"def show():\n    {LINE}\n    return tide\n")
    assert [one[0].piece for one in quoting.quoted(says(f"The line\n\n{LINE}\n\nis wrong."))] == [0]
    assert [one[0].piece for one in quoting.quoted(edits(f"    {LINE}\n    return tide"))] == [0]


def test_a_part_of_a_line_or_a_short_line_is_none() -> None:
    quoting = holding(f"{LINE}  # today's\nreturn tide")
    assert quoting.quoted(says(LINE)) == ()
    assert quoting.quoted(says("return tide")) == ()


def test_numbers_that_a_file_tool_prints_before_lines_are_no_part_of_them() -> None:
    quoting = holding(f"    12→    {LINE}\n13\t{OTHER}")
    assert len(quoting.quoted(edits(f"{LINE}\n{OTHER}"))) == 1
    assert bare("a\tb") == "a\tb"


def test_every_piece_that_holds_a_line_is_named_the_newest_first() -> None:
    quoting = holding(LINE, OTHER, LINE)
    assert [[one.piece for one in found] for found in quoting.quoted(says(LINE))] == [[2, 0]]


def test_pieces_quoted_together_are_named_once() -> None:
    quoting = holding(f"{LINE}\n{OTHER}")
    assert len(quoting.quoted(says(f"{LINE}\n{OTHER}"))) == 1


def test_a_line_says_where_in_its_piece_it_stands() -> None:
    quoting = Quoting()
    quoting.hold(0, f"{'x' * 399}\n{LINE}\n{'y' * (599 - len(LINE) - 1)}", tokens=1_000)
    holder = quoting.quoted(says(LINE))[0][0]
    assert (holder.offset_tokens // 10, holder.rest_tokens // 10) == (40, 60)


def test_only_the_newest_of_many_holders_are_remembered() -> None:
    quoting = holding(*[LINE] * 20)
    assert [one.piece for one in quoting.quoted(says(LINE))[0]] == list(range(19, 19 - MOST_HOLDERS, -1))


@given(st.text(max_size=400))
def test_lines_are_long_and_without_blanks_at_their_ends_and_their_places_rise(text: str) -> None:
    found = list(lines(text))
    assert all(len(line) >= LEAST_CHARS and line.strip() == line for line, _ in found)
    shares = [share for _, share in found]
    assert shares == sorted(shares)
    assert all(0 <= share < 1 for share in shares)
