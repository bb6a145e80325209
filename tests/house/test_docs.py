"""The documents are true: their code runs, their console shows what the commands print, and nothing is left out."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house import run_docs
from tests.house.tree import ROOT, name_of, prose_files

RUNNER = ROOT / "tests" / "house" / "run_docs.py"


def words() -> str:
    """All documents as one text."""
    return "\n".join(path.read_text(encoding="utf-8") for path in prose_files())


@pytest.mark.parametrize("document", prose_files(), ids=name_of)
def test_every_block_of_a_document_runs(document: Path, tmp_path: Path) -> None:
    bin_folder = str(Path(sys.executable).parent)
    environment = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "PALIMPSEST_DB": str(tmp_path / "palimpsest.db"),
        "PATH": os.pathsep.join([bin_folder, os.defpath]),
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PYTHONWARNINGS": "error",
        "PYTHONUTF8": "1",
    }
    command = [sys.executable, str(RUNNER), str(document)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=550
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("blocks ran\n")


def anchors(document: Path) -> set[str]:
    """What a link may name in a document: its headings, as forges write them."""
    found = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in found}


@pytest.mark.parametrize("document", prose_files(), ids=name_of)
def test_every_link_of_a_document_leads_somewhere(document: Path) -> None:
    links = re.findall(r"\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)", document.read_text(encoding="utf-8"))
    lost = [
        (path, anchor)
        for path, anchor in links
        if not (target := (document.parent / path if path else document)).exists()
        or (anchor and anchor not in anchors(target))
    ]
    assert lost == []


def test_every_command_is_named_in_the_documents() -> None:
    from palimpsest.cli.app import command_names

    names = command_names()
    assert "import" in names
    text = words()
    assert [name for name in names if f"palimpsest {name}" not in text] == []


def test_every_setting_is_named_in_the_documents() -> None:
    from palimpsest import settings

    names = [field.name for field in dataclasses.fields(settings.Settings)]
    assert names
    text = words()
    assert [name for name in names if f"`{name}`" not in text] == []


def test_a_console_block_is_compared_up_to_its_ellipses() -> None:
    accepted = run_docs.pattern_for("before 1… tokens\n…\nafter\n")
    assert accepted.fullmatch("before 123 tokens  \nx\ny\nafter\n")
    assert accepted.fullmatch("before 1 tokens\nafter\n")
    assert not accepted.fullmatch("before 2 tokens\nafter\n")
    assert not accepted.fullmatch("before 1 tokens\nafter all\n")


def test_blocks_are_found_with_their_lines_and_shown_ones_are_left_alone() -> None:
    shown, run = (
        "```console no-run\n$ palimpsest list\n```\n",
        "```console\n$ ls\n$ palimpsest list\nnone\n```\n",
    )
    document = f"# T\n\n```python\nx = 1\n```\n\n{shown}\n{run}"
    first, second = run_docs.blocks(document)
    assert (first.language, first.line, first.text) == ("python", 4, "x = 1\n")
    assert list(run_docs.commands(second)) == [(13, "palimpsest list", "none\n")]
