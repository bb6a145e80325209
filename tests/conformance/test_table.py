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


PURE = frozenset(
    "test_recovery_is_capped_at_twenty_iterations test_three_settings_are_read_from_agents_defaults "
    "test_the_defaults_are_those_of_the_page test_the_constants_are_tuned_and_not_read_from_the_file "
    "test_turns_begin_at_user_messages test_a_cut_snaps_to_the_nearest_turn "
    "test_the_proactive_check_uses_the_whole_formula test_tokens_are_two_fifths_of_the_characters "
    "test_characters_are_counted_and_not_bytes test_media_cost_a_flat_number_of_tokens "
    "test_tool_definitions_count_with_name_description_and_schema "
    "test_budget_functions_depend_on_no_runtime test_one_place_assembles_the_request".split()
)
"""What the pages say of pure functions, of constants and of files: these tests call what the product calls."""


def test_every_statement_is_tested_by_running_the_product() -> None:
    pages = [path for path in table.HERE.glob("test_*.py") if path.name != "test_table.py"]
    assert {name for path in pages for name in table.aside(path)} <= PURE
