"""The table of what the source pages say and the test that holds us to it: `python -m tests.conformance.table`.

Each file here stands for one page: the first line of its docstring is the page's subject. Each test's docstring is one
statement of that page in our own words, so the table cannot say more than the tests do.
"""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "conformance.md"

HEAD = """# Conformance

Palimpsest implements the systems that four pages describe: PicoClaw's context compression and its context
architecture, the technique of Hermes and OpenClaw, and Crabtalk's compaction. This page lists every statement
with the test that checks it. `python -m tests.conformance.table` makes the tables from the tests.
"""


def statements(path: Path) -> tuple[str, list[tuple[str, str]]]:
    """The subject of a page, and (statement, test name) for each of its tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    subject = (ast.get_docstring(tree) or path.stem).splitlines()[0].rstrip(".")
    found = [
        (" ".join((ast.get_docstring(node) or "").split()), node.name)
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    return subject, found


def render() -> str:
    """The whole table."""
    lines = [HEAD]
    for path in sorted(HERE.glob("test_*.py")):
        if path.name == "test_table.py":
            continue
        subject, found = statements(path)
        lines += [f"## {subject}", "", "| statement | test |", "|---|---|"]
        lines += [f"| {statement} | `{path.stem}.{name}` |" for statement, name in found]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
