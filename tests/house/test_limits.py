"""Sizes of functions. The limit is met by cutting at a seam, not by squeezing lines."""

from __future__ import annotations

from tests.house.tree import CODE, functions, name_of, python_files

FUNCTION_LINES = 70


def test_no_function_is_longer_than_seventy_lines() -> None:
    lengths = {
        f"{name_of(path)}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in python_files(*CODE)
        for node in functions(path)
    }
    assert len(lengths) > 10
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES} == {}
