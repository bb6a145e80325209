"""Tests about the tests: each asserts, none decides whether to, and none replaces our own code by a mock."""

from __future__ import annotations

import ast
import re

from tests.house.tree import TESTS, functions, name_of, python_files

MOCKS = re.compile(r"\b(mo[n]keypatch|\w*[M]ock|moc[k]\.patch|unittest\.moc[k]|mocke[r])\b")
CHECKS = re.compile(r"\b(raises|assert_\w+|run_state_machine_as_test)$")
HELPER_DEPTH = 4


def calls(function: ast.AST) -> set[str]:
    """What a function calls, with a dot before what is another's; "assert" for an assert statement."""
    nodes = list(ast.walk(function))
    made = [node.func for node in nodes if isinstance(node, ast.Call)]
    called = {one.id for one in made if isinstance(one, ast.Name)}
    called |= {f".{one.attr}" for one in made if isinstance(one, ast.Attribute)}
    return called | {"assert" for node in nodes if isinstance(node, ast.Assert)}


def asserts(called: set[str], helpers: set[str]) -> bool:
    """Whether that is an assertion: a statement, or a call to something that asserts, as `pytest.raises` or one of our
    own `helpers`.
    """
    return "assert" in called or not helpers.isdisjoint(called) or any(map(CHECKS.search, called))


def asserting(bodies: list[tuple[str, set[str]]]) -> set[str]:
    """The names of the functions that assert, themselves or through another one."""
    helpers: set[str] = set()
    for _ in range(HELPER_DEPTH):
        helpers |= {name for name, called in bodies if asserts(called, helpers)}
    return helpers


def conditional_asserts(function: ast.AST) -> list[int]:
    """Lines of asserts that stand under an `if`, so that the test passes when its condition fails."""
    inside = [node for node in ast.walk(function) if isinstance(node, ast.If)]
    return [inner.lineno for node in inside for inner in ast.walk(node) if isinstance(inner, ast.Assert)]


def test_every_test_asserts_something() -> None:
    bodies = [
        (f"{name_of(path)}:{node.lineno}", node.name, calls(node))
        for path in python_files(*TESTS)
        for node in functions(path)
    ]
    tests = [(place, name, called) for place, name, called in bodies if name.startswith("test_")]
    assert tests
    helpers = asserting([(name, called) for _, name, called in bodies])
    assert [f"{place} {name}" for place, name, called in tests if not asserts(called, helpers)] == []


def test_no_test_decides_whether_to_assert() -> None:
    found = [
        f"{name_of(path)}:{line}"
        for path in python_files(*TESTS)
        for node in functions(path)
        if node.name.startswith("test_")
        for line in conditional_asserts(node)
    ]
    assert found == []


def test_nothing_of_ours_is_mocked() -> None:
    found = [
        f"{name_of(path)}:{number}"
        for path in python_files(*TESTS)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if MOCKS.search(line)
    ]
    assert found == []
