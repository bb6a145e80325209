"""The table of what the source pages say and the test that holds us to it: `python -m tests.conformance.table`.

Each file here stands for one page: the first line of its docstring is the page's subject. Each test's docstring is one
statement of that page in our own words, so the table cannot say more than the tests do. Where the project differs, the
docstring goes on with "Differs:", which says why and how to get the page's way.

Tests run the product: an engine opened by a preset or a configuration file, an agent, or the command line
(`runs_product`).
"""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "conformance.md"

HEAD = """# Conformance

Palimpsest implements the systems that four pages describe: PicoClaw's context compression and its context
architecture, the technique of Hermes and OpenClaw, and Crabtalk's compaction. This page lists every statement
with the test that checks it. `python -m tests.conformance.table` makes the tables from the tests. The tests run the
product: an engine opened with a preset or with a configuration file, an agent, or the command line. A statement that
holds differently says why, and how to get the page's way.

![The size of the requests of 300 turns with tools, for each preset and two windows](images/sawtooth.svg)

`python bench/sawtooth.py docs/images/sawtooth.svg` draws the plot. Each of these sessions runs to its end; every
request is valid and fits, and every message can be read back.
"""
DIFFERS = "Differs:"
PRODUCT = frozenset(("open", "open_workspace", "make_agent", "invoke", "run"))
"""The functions that run the product; a helper that calls one of them counts too."""


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


def called(node: ast.AST) -> set[str]:
    """The names of all functions that are called or passed on in a piece of code."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def aside(path: Path) -> list[str]:
    """The tests of a page that do not run the product, directly or through helpers of the file or beside it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    helpers = ast.parse((HERE / "harbour.py").read_text(encoding="utf-8"))
    functions = {
        node.name: called(node)
        for node in (*helpers.body, *tree.body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    product = set(PRODUCT)
    for _ in functions:
        product |= {name for name, names in functions.items() if names & product}
    return [name for name in functions if name.startswith("test_") and name not in product]


def render() -> str:
    """The whole table."""
    lines = [HEAD]
    for path in sorted(HERE.glob("test_*.py")):
        if path.name == "test_table.py":
            continue
        subject, found = statements(path)
        lines += [f"## {subject}", "", "| statement | as on the page? | test |", "|---|---|---|"]
        for statement, name in found:
            said, _, differs = statement.partition(DIFFERS)
            held = f"differs: {differs.strip()}" if differs else "yes"
            lines.append(f"| {said.strip()} | {held} | `{path.stem}.{name}` |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
