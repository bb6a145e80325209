"""The table in the documents says what the tests here say."""

from __future__ import annotations

from tests.conformance import table


def test_the_table_in_the_documents_is_the_one_made_from_the_tests() -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.render(), "run python -m tests.conformance.table"


def test_every_test_states_what_it_holds_to() -> None:
    pages = [path for path in table.HERE.glob("test_*.py") if path.name != "test_table.py"]
    silent = [name for path in pages for text, name in table.statements(path)[1] if not text]
    assert pages
    assert silent == []
