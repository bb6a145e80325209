"""Lines come out of bytes however they are cut, and a line has a bound."""

from __future__ import annotations

import asyncio
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.mcp.stdio import Lines, Splitter, whole_characters


@given(st.lists(st.text(max_size=12).filter(lambda text: "\n" not in text), max_size=8), st.integers(1, 7))
def test_lines_come_out_whole_however_the_bytes_are_cut(lines: list[str], step: int) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    splitter = Splitter()
    found = [line for at in range(0, len(data), step) for line in splitter.feed(data[at : at + step])]
    assert found == lines


@given(st.lists(st.integers(0, 60), max_size=8), st.integers(1, 9))
def test_a_line_beyond_the_bound_is_refused_and_the_next_is_read(sizes: list[int], step: int) -> None:
    data = b"".join(b"x" * size + b"\n" for size in sizes)
    splitter = Splitter(limit_bytes=30)
    found = [line for at in range(0, len(data), step) for line in splitter.feed(data[at : at + step])]
    assert [line == "x" * size for line, size in zip(found, sizes, strict=True)] == [
        size <= 30 for size in sizes
    ]


@pytest.mark.parametrize(
    "line, expected",
    [
        (r'{"id": 7, "pattern": "cut \ud83d"}', '{"id": 7, "pattern": "cut ?"}'),
        (r'{"id": 7, "pattern": "\uDE42 whole \uD83D\uDE42"}', '{"id": 7, "pattern": "? whole 🙂"}'),
        (r'{"path": "C:\\udder"}', r'{"path": "C:\\udder"}'),
        (r"no JSON \ud83d", r"no JSON \ud83d"),
        ("[" * 50_000 + r'"\ud83d"', "[" * 50_000 + r'"\ud83d"'),
    ],
)
def test_half_a_character_is_made_a_whole_one(line: str, expected: str) -> None:
    assert whole_characters(line) == expected


async def test_the_end_of_the_input_is_the_end_and_a_last_line_needs_no_end() -> None:
    reading, writing = os.pipe()
    lines = Lines(reading)
    lines.start()
    os.write(writing, "одна\n\nдве".encode())
    os.close(writing)
    assert [line async for line in lines] == ["одна", "две"]
    os.close(reading)


async def test_closing_ends_the_reading_while_nothing_comes() -> None:
    reading, writing = os.pipe()
    lines = Lines(reading)
    lines.start()
    asyncio.get_running_loop().call_later(0.01, lines.close)
    assert [line async for line in lines] == []
    os.close(writing)
