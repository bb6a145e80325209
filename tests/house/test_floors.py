"""Imports go down only, and importing the package loads nothing that its caller may not need."""

from __future__ import annotations

import subprocess
import sys

from tests.house.tree import ROOT

HEAVY = ("asyncio", "sqlite3", "msgspec", "typer", "rich", "numpy", "rs_bpe", "importlib.metadata")


def loaded_by(statement: str) -> set[str]:
    """The names of all modules that a fresh interpreter holds after one statement."""
    script = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_every_import_goes_to_a_lower_floor() -> None:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "floors KEPT" in done.stdout


def test_importing_the_package_loads_no_heavy_module() -> None:
    before = loaded_by("pass")
    after = loaded_by("import palimpsest")
    assert "palimpsest" in after
    assert sorted(after.difference(before).intersection(HEAVY)) == []


def test_the_command_line_loads_the_engine_only_for_a_command_that_opens_a_store() -> None:
    after = loaded_by("import palimpsest.cli.app")
    assert "palimpsest.cli.windows" in after
    assert (
        sorted(after.intersection({"palimpsest.engine.conversation", "palimpsest.stores.sqlite.store"})) == []
    )


def test_asking_for_the_version_loads_no_heavy_module() -> None:
    before = loaded_by("pass")
    after = loaded_by(
        "import sys\nsys.argv = ['palimpsest', '--version']\nfrom palimpsest.cli import main\nmain()"
    )
    assert "palimpsest.cli" in after
    assert sorted(after.difference(before).intersection(HEAVY)) == []
