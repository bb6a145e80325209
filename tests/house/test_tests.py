"""Tests about the tests: each asserts, none decides whether to, and none replaces our own code by a mock."""

from __future__ import annotations

import ast
import re

from tests.house.tree import functions, name_of, python_files

MOCKS = re.compile(r"\b(mo[n]keypatch|\w*[M]ock|moc[k]\.patch|unittest\.moc[k]|mocke[r])\b")
CHECKS = re.compile(r"\b(raises|assert_\w+|run_state_machine_as_test)$")
HELPER_DEPTH = 4


def is_assertion(node: ast.AST, helpers: set[str]) -> bool:
    """An assert statement, or a call to something that asserts: `pytest.raises`, or one of our own `helpers`."""
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    return CHECKS.search(called) is not None or called in helpers


def asserting_helpers() -> set[str]:
    """The names of the functions under tests/ that assert, themselves or through another one."""
    bodies = [(node.name, list(ast.walk(node))) for path in python_files("tests") for node in functions(path)]
    helpers: set[str] = set()
    for _ in range(HELPER_DEPTH):
        helpers |= {name for name, nodes in bodies if any(is_assertion(node, helpers) for node in nodes)}
    return helpers


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
    helpers = asserting_helpers()
    assert [
        name for name, test in tests if not any(is_assertion(node, helpers) for node in ast.walk(test))
    ] == []


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
