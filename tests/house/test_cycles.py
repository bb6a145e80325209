"""No modules import each other in a circle, imports for type checkers included."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.house.tree import ROOT


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(folder: Path, root: Path) -> dict[str, set[str]]:
    """The modules of a folder that each module of it imports; names begin below `root`."""
    files = {module_name(path, root): path for path in folder.rglob("*.py")}
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        wanted = found.setdefault(name, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                full = [f"{node.module}.{alias.name}" for alias in node.names]
                wanted |= {one if one in files else node.module for one in full} & files.keys()
            elif isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names} & files.keys()
        wanted.discard(name)
    return found


@pytest.mark.parametrize("folder, root", [("src", "src"), ("bench", "bench"), ("bench/trust", ".")])
def test_no_modules_import_each_other(folder: str, root: str) -> None:
    graph = imports(ROOT / folder, ROOT / root)
    assert len(graph) > 10
    TopologicalSorter(graph).prepare()


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from b import one\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("def f():\n    import a\n", encoding="utf-8")
    with pytest.raises(CycleError):
        TopologicalSorter(imports(tmp_path, tmp_path)).prepare()
