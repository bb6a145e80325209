"""Names that the documents import are public where they are imported from: a strict type checker takes them so, too."""

from __future__ import annotations

import ast
import re
import textwrap
from importlib.util import find_spec
from pathlib import Path

from tests.house.run_docs import FENCE
from tests.house.tree import ROOT, name_of, prose_files

IMPORTS = re.compile(r"^from palimpsest[\w.]* import (?:\([^)]*\)|[^\n(]+)", re.MULTILINE)


def imported(document: str) -> set[tuple[str, str]]:
    """(module, name) of what the Python blocks of a document import from the package."""
    code = "\n".join(
        textwrap.dedent(text) for language, _, text in FENCE.findall(document) if language == "python"
    )
    return {
        (node.module or "", alias.name)
        for found in IMPORTS.findall(code)
        for node in ast.parse(found).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def public_names(module: str) -> set[str]:
    """What a module defines, or says that it gives on."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    names: set[str] = set()
    for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names if alias.asname == alias.name}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
            if isinstance(node.value, ast.List | ast.Tuple) and "__all__" in names:
                names |= {str(one.value) for one in node.value.elts if isinstance(one, ast.Constant)}
    return names


def is_module(package: str, name: str) -> bool:
    """Whether this is a module in a package."""
    return any(
        name in {path.stem, path.name} for path in (ROOT / "src" / package.replace(".", "/")).glob("*")
    )


def test_what_documents_import_is_public_where_they_import_it() -> None:
    wanted = {
        (module, name, name_of(path))
        for path in prose_files()
        for module, name in imported(path.read_text(encoding="utf-8"))
    }
    assert len(wanted) > 20
    hidden = [
        f"{where}: {name} of {module}"
        for module, name, where in sorted(wanted)
        if name not in public_names(module) and not is_module(module, name)
    ]
    assert hidden == []


def test_the_synchronous_calls_are_known_to_type_checkers() -> None:
    face = (ROOT / "src" / "palimpsest" / "__init__.py").read_text(encoding="utf-8")
    assert "from palimpsest import sync as sync" in face


def listed(heading: str) -> set[str]:
    """The names in the first column of a table in the page on the library."""
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8").split("\n## Public names\n", 1)[1]
    rows = page.split(f"\n| {heading} | ", 1)[1].split("\n\n", 1)[0].strip().split("\n")[2:]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_the_page_on_the_library_lists_what_the_package_exports() -> None:
    import palimpsest

    assert listed("name") == {*palimpsest.__all__, "sync"}


def test_the_page_on_the_library_lists_the_public_methods() -> None:
    from palimpsest import Conversation, Engine

    for kind in (Conversation, Engine):
        assert listed(f"`{kind.__name__}`") == {name for name in dir(kind) if not name.startswith("_")}
