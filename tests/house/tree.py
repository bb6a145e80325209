"""The project's own files, as the house's tests look at them."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ("tests", "tests_long")
CODE = ("src", *TESTS, "bench")
PROSE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs")
BUILT = {"__pycache__", ".venv", ".venv-integrations", "dist"}


def python_files(*folders: str) -> list[Path]:
    """Every Python file under the named folders of the project, sorted."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if not BUILT.intersection(path.parts))


def prose_files() -> list[Path]:
    """Every Markdown file that the project's reader meets."""
    found: list[Path] = []
    for name in PROSE:
        path = ROOT / name
        found.extend(sorted(path.rglob("*.md")) if path.is_dir() else [path] * path.exists())
    return found


def name_of(path: Path) -> str:
    """The path as a person in the project's folder would type it."""
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file, inner ones included. Expressions hold none."""
    waiting: deque[ast.AST] = deque([ast.parse(path.read_text(encoding="utf-8"))])
    while waiting:
        node = waiting.popleft()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        waiting.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
