"""The table in the documents says what the tests here say."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import palimpsest
from tests.conformance import table

SOURCE = Path(palimpsest.__file__).parent


def test_the_table_in_the_documents_is_the_one_made_from_the_tests() -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.render(), "run python -m tests.conformance.table"


def test_every_test_states_what_it_holds_to() -> None:
    pages = [path for path in table.HERE.glob("test_*.py") if path.name != "test_table.py"]
    silent = [name for path in pages for text, name in table.statements(path)[1] if not text]
    assert pages
    assert silent == []


def parsed(folder: Path) -> Iterator[ast.Module]:
    for path in sorted(folder.rglob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def test_the_product_calls_every_function_that_these_pages_test() -> None:
    made = {
        node.name for tree in parsed(SOURCE) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    }
    tested = {
        name.name
        for tree in parsed(table.HERE)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("palimpsest.")
        for name in node.names
    }
    used = {
        node.id if isinstance(node, ast.Name) else node.attr
        for tree in parsed(SOURCE)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    documented = {"is_over_context_budget", "parse_turn_boundaries", "find_safe_boundary"}
    assert documented | {"estimate_message_tokens", "estimate_chars_over_4"} <= tested & made
    shown = {
        name
        for path in table.PAGE.parent.rglob("*.md")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("from palimpsest")
        for name in line.partition(" import ")[2].split(", ")
    }
    assert (tested & made) - used - set(palimpsest.__all__) - shown == set()
