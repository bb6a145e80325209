"""Laws of choosing pieces: within the budget, each once, what is needed most first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import Message
from palimpsest.summarize.outline.need_estimator import Need, Vocabulary
from palimpsest.summarize.outline.pieces import Grain, Piece, Row, divided, grain_for, rows_of
from palimpsest.summarize.outline.selection import Shown, choose, price, priced
from tests.strategies import histories, texts
from tests.summarize.outline.outlining import entries_of, need_of, ran

GRAIN = Grain()


def chosen(messages: list[Message], budget: int) -> tuple[list[Row], list[Piece]]:
    """(the rows of a conversation, the pieces that were chosen)."""
    rows, need = ran(rows_of(entries_of(messages), GRAIN)), need_of(messages)
    costed = ran(priced((piece for row in rows for piece in row.pieces), need.vocabulary, count_text))
    headers = {row.place: row.header for row in rows}
    taken, others = ran(choose(costed, need, Shown(), budget, count_text, headers))
    assert {id(one.piece) for one in costed} == {*map(id, taken), *map(id, others)}
    return rows, taken


@given(histories(), st.integers(0, 600))
def test_what_is_chosen_fits_with_its_headers(messages: list[Message], budget: int) -> None:
    rows, taken = chosen(messages, budget)
    shown = {piece.place for piece in taken}
    headers = sum(count_text(row.header) + 1 for row in rows if row.place in shown)
    assert sum(count_text(piece.text) + 1 for piece in taken) + headers <= budget
    assert set(taken) <= {piece for row in rows for piece in row.pieces}


@given(histories(), st.integers(0, 600))
def test_no_text_is_chosen_twice(messages: list[Message], budget: int) -> None:
    _, taken = chosen(messages, budget)
    assert len({piece.text for piece in taken}) == len(taken)


def choice(texts_: list[str], gains: dict[str, float], budget: int, shown: Shown | None = None) -> list[str]:
    """The texts that are chosen where words have these gains."""
    vocabulary = Vocabulary()
    for text in texts_:
        vocabulary.of(text)
    need = Need(vocabulary, {vocabulary.numbers[word]: gain for word, gain in gains.items()}, {})
    pieces = [price(Piece(at, "prose", text), vocabulary, count_text) for at, text in enumerate(texts_)]
    headers = {at: f"[m{at}]" for at in range(len(texts_))}
    taken, _ = ran(choose(pieces, need, shown or Shown(), budget, count_text, headers))
    return [piece.text for piece in taken]


def test_of_two_the_one_that_is_needed_more_is_taken() -> None:
    assert choice(["the tide", "the ramp"], {"tide": 0.2, "ramp": 0.8}, 8) == ["the ramp"]


def test_what_is_shown_already_gives_way() -> None:
    shown = Shown()
    shown.words.add(3)
    gains = {"tide": 0.2, "ramp": 0.8}
    assert choice(["the tide", "a ramp"], gains, 8, shown) == ["the tide"]


def test_what_nobody_needs_is_left_out_though_there_is_room() -> None:
    assert choice(["the tide", "the ramp"], {"tide": 0.2}, 500) == ["the tide"]


@given(texts() | st.text("a。! \n潮", max_size=3_000), st.integers(30, 400))
def test_divided_lines_hold_all_words_of_a_text_and_no_more_characters_than_asked(
    text: str, most: int
) -> None:
    parts = list(divided(text, most))
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(0 < len(part) <= most and "\n" not in part for part in parts)


@given(st.integers(0, 100_000), st.integers(0, 100_000))
def test_a_larger_outline_has_no_smaller_pieces(one: int, other: int) -> None:
    less, more = grain_for(min(one, other)), grain_for(max(one, other))
    assert less.prose <= more.prose
    assert less.line <= more.line
