"""Tests about the tests: each asserts, none decides whether to, and none replaces our own code by a mock."""

from __future__ import annotations

import ast
import re

from tests.house.tree import functions, name_of, python_files

MOCKS = re.compile(r"\b(mo[n]keypatch|\w*[M]ock|moc[k]\.patch|unittest\.moc[k]|mocke[r])\b")
CHECKS = re.compile(r"\b(raises|assert_\w+|check_\w+|run_state_machine_as_test)$")


def is_assertion(node: ast.AST) -> bool:
    """An assert statement, or a call to something that asserts: `pytest.raises`, or a helper named for it."""
    if isinstance(node, ast.Assert):
        return True
    return isinstance(node, ast.Call) and CHECKS.search(ast.unparse(node.func)) is not None


def conditional_asserts(function: ast.AST) -> list[int]:
    """Lines of asserts that stand under an `if`, so that the test passes when its condition fails."""
    inside = [node for node in ast.walk(function) if isinstance(node, ast.If)]
    return [inner.lineno for node in inside for inner in ast.walk(node) if isinstance(inner, ast.Assert)]


def test_every_test_asserts_something() -> None:
    tests = [
        (f"{name_of(path)}:{node.lineno} {node.name}", node)
        for path in python_files("tests")
        for node in functions(path)
        if node.name.startswith("test_")
    ]
    assert tests
    assert [name for name, node in tests if not any(map(is_assertion, ast.walk(node)))] == []


def test_no_test_decides_whether_to_assert() -> None:
    found = [
        f"{name_of(path)}:{line}"
        for path in python_files("tests")
        for node in functions(path)
        if node.name.startswith("test_")
        for line in conditional_asserts(node)
    ]
    assert found == []


def test_nothing_of_ours_is_mocked() -> None:
    found = [
        f"{name_of(path)}:{number}"
        for path in python_files("tests")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if MOCKS.search(line)
    ]
    assert found == []
