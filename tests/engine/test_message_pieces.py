"""A message larger than what may be read of it comes in pieces that are together the message."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.reading.paging import HEAD_TOKENS, between, cost_of, first_piece, size_of
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult

texts = st.text(max_size=60) | st.sampled_from(("码头 三号 泊位", "a\r\nb", "👩‍👩‍👧 e\u0301", "word " * 40))
contents = st.lists(
    texts.map(Text) | st.just(Media("image/png", uri="https://example.org/a.png")), max_size=3
)
parts = st.lists(
    st.one_of(
        texts.map(Text),
        texts.map(Reasoning),
        texts.map(lambda text: ToolCall("c1", "read", text)),
        contents.map(lambda inner: ToolResult("c1", tuple(inner))),
        st.just(Media("image/png", data="AAAA")),
    ),
    max_size=5,
).map(tuple)


def characters(found: tuple[Part, ...]) -> str:
    """All the words in parts, in order; media as what they are."""
    said: list[str] = []
    for part in found:
        match part:
            case Text(text=text) | Reasoning(text=text) | ToolCall(arguments=text):
                said.append(text)
            case ToolResult(content=content):
                said.append(characters(content))
            case Media(media_type=kind):
                said.append(f"<{kind}>")
    return "".join(said)


@given(parts, st.integers(1, 200))
def test_pieces_in_a_row_are_the_whole(given_parts: tuple[Part, ...], budget_tokens: int) -> None:
    size, start, said = size_of(given_parts), 0, ""
    while start < size:
        piece = first_piece(given_parts, start, budget_tokens)
        assert start < piece.end <= size
        assert piece.tokens <= max(budget_tokens, HEAD_TOKENS + 8) or piece.end == start + 1
        said += characters(piece.parts)
        start = piece.end
    assert said == characters(given_parts)


@given(st.lists(st.integers(10**5, 10**9).map(str), min_size=1, max_size=60), st.integers(40, 100))
def test_no_number_is_cut_in_two_where_there_is_a_space(numbers: list[str], budget_tokens: int) -> None:
    """Half of one would be read as another one."""
    whole = (Text(" ".join(numbers)),)
    start, read = 0, list[str]()
    while start < size_of(whole):
        piece = first_piece(whole, start, budget_tokens)
        read += characters(piece.parts).split()
        start = piece.end
    assert read == numbers


@given(parts)
def test_a_budget_that_holds_the_whole_gives_the_whole(given_parts: tuple[Part, ...]) -> None:
    piece = first_piece(given_parts, 0, cost_of(given_parts) + 10)
    assert piece.parts == given_parts
    assert piece.end == size_of(given_parts)


@given(parts, st.integers(0, 300), st.integers(0, 300))
def test_a_stretch_and_what_is_around_it_are_the_whole(
    given_parts: tuple[Part, ...], first: int, second: int
) -> None:
    start, end = sorted((min(first, size_of(given_parts)), min(second, size_of(given_parts))))
    stretches = ((0, start), (start, end), (end, size_of(given_parts)))
    assert "".join(characters(between(given_parts, *one)) for one in stretches) == characters(given_parts)


def test_a_cut_does_not_part_what_is_drawn_as_one() -> None:
    family = "👩‍👩‍👧"
    piece = first_piece((Text(family * 60),), 0, HEAD_TOKENS + 40)
    assert characters(piece.parts) == family * (piece.end // len(family))


def test_a_piece_of_a_call_keeps_its_name_and_of_a_result_what_it_answers() -> None:
    call, result = ToolCall("c9", "write", "x" * 900), ToolResult("c9", (Text("y" * 900),), is_error=True)
    assert between((call,), 100, 200) == (replace(call, arguments="x" * 100),)
    assert between((result,), 100, 200) == (replace(result, content=(Text("y" * 100),)),)
