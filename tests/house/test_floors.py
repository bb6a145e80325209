"""Imports go down only, and importing the package loads nothing that its caller may not need."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import palimpsest
from tests.house.tree import ROOT

HEAVY = ("asyncio", "sqlite3", "msgspec", "typer", "rich", "numpy", "rs_bpe", "importlib.metadata")


SUMMARIZING = tuple(
    f"palimpsest.{room}"
    for room in (
        "summarize.model", "summarize.checks", "summarize.material_and_reply", "ledger.update",
        "ledger.render", "engine.compacting.summary_drafts", "costs", "mcp", "agent",
    )
)  # fmt: skip
"""Rooms that only a compaction needs, and those of other edges."""

NOT_FOR_A_LOOK = (
    "asyncio", "typer", "pydantic", "httpx2", "prompt_toolkit", "yaml", "numpy", "json5", "genai_prices", "tomllib",
)  # fmt: skip
"""Packages that no command needs which shows what lies in a few rows."""
ENGINE = (
    "palimpsest.engine.engine", "palimpsest.engine.compacting.compactor", "palimpsest.stores.sqlite.store",
    "palimpsest.stores.sqlite.fulltext.pattern_search", "palimpsest.price.table",
)  # fmt: skip

FITS = """
import asyncio
import palimpsest

async def talked():
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        talk = engine.conversation("support")
        await talk.append({"role": "user", "content": "Hello"})
        await talk.request(system="Be brief.")
        await talk.append({"role": "assistant", "content": "Hello to you"})
        await talk.end_turn()

asyncio.run(talked())
"""


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


def ran_by(line: str) -> set[str]:
    """The names of all modules that a fresh interpreter holds after one command of the command line."""
    return loaded_by(f"from palimpsest.cli.app import run\nassert run({line.split()!r}) == 0")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few messages, the first of which have left the window."""
    path = tmp_path_factory.mktemp("loading") / "small.db"

    async def fill() -> None:
        async with palimpsest.open(path, window_tokens=4_000) as engine:
            talk = engine.conversation("nightly")
            for place in range(12):
                await talk.append(
                    {"role": "user", "content": f"Why is step {place} of the nightly build slow?"}
                )
                await talk.append({"role": "assistant", "content": f"Step {place} waits for the cache. " * 9})
            await talk.compact()

    asyncio.run(fill())
    return path


def test_the_command_line_imports_one_command_and_no_engine_for_its_help() -> None:
    after = loaded_by(
        "import sys\nsys.argv = ['palimpsest', 'grep', '--help']\nfrom palimpsest.cli import main\nmain()"
    )
    assert "palimpsest.cli.commands.grep" in after
    assert (
        sorted(
            after.intersection(
                {"palimpsest.cli.commands.window", "palimpsest.cli.chat", "palimpsest.engine.engine"}
            )
        )
        == []
    )


@pytest.mark.parametrize(
    "line",
    [
        "list",
        "stats",
        "show nightly",
        "grep nightly",
        "grep nightly nightly",
        "search nightly",
        "expand m3",
        "describe m3",
    ],
)
def test_a_command_that_reads_imports_nothing_that_summarizes(database: Path, line: str) -> None:
    after = ran_by(f"{line} --db {database}")
    assert "palimpsest.stores.sqlite.statements" in after
    assert sorted(name for name in after if name.startswith(SUMMARIZING)) == []


@pytest.mark.parametrize("line", ["list", "list --json", "stats", "show nightly"])
def test_a_command_that_looks_at_a_few_rows_imports_no_engine_and_nothing_that_reads_lines(
    database: Path, line: str
) -> None:
    after = ran_by(f"{line} --db {database}")
    assert "palimpsest.stores.sqlite.statistics" in after
    assert sorted(name for name in after if name.split(".")[0] in NOT_FOR_A_LOOK or name in ENGINE) == []


def test_a_conversation_that_fits_imports_nothing_that_summarizes_and_no_prices_where_no_model_is_named() -> (
    None
):
    after = loaded_by(FITS)
    assert "palimpsest.engine.conversation" in after
    assert sorted(name for name in after if name.startswith((*SUMMARIZING, "genai_prices", "httpx2"))) == []


def test_the_engine_loads_no_cost_report() -> None:
    after = loaded_by("import palimpsest.engine.engine")
    assert "palimpsest.engine.engine" in after
    assert sorted(name for name in after if name.startswith("palimpsest.costs")) == []


def test_asking_for_the_version_loads_no_heavy_module() -> None:
    before = loaded_by("pass")
    after = loaded_by(
        "import sys\nsys.argv = ['palimpsest', '--version']\nfrom palimpsest.cli import main\nmain()"
    )
    assert "palimpsest.cli" in after
    assert sorted(after.difference(before).intersection(HEAVY)) == []
