"""The project speaks only of itself: no paths of the machine it was written on, none that climb out of it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.house.tree import BUILT, ROOT, name_of, prose_files

CLIMBING = re.compile(r"(?:\.\./)+[\w.-]+(?:/[\w.-]+)*")
READABLE = {".py", ".md", ".toml", ".txt", ".sql", ".jsonl", ".json", ""}
PLACES = ("src", "tests", "bench", "docs", ".ci")


def shipped_files() -> list[Path]:
    """Every readable file of the project, wherever it stands."""
    found = [path for place in PLACES for path in (ROOT / place).rglob("*")]
    found.extend(path for path in ROOT.iterdir() if path.name != ".git")
    return sorted(
        p for p in found if p.is_file() and p.suffix in READABLE and not BUILT.intersection(p.parts)
    )


def climbs_out(path: Path) -> list[str]:
    """The relative paths in a document that lead outside the project's folder."""
    text = path.read_text(encoding="utf-8")
    inside = [
        (found, (path.parent / found).resolve().is_relative_to(ROOT)) for found in CLIMBING.findall(text)
    ]
    return [found for found, stays in inside if not stays]


def test_no_file_names_the_folder_it_was_checked_out_in() -> None:
    files = shipped_files()
    assert len(files) > 20
    here = re.compile(re.escape(str(ROOT)) + r"\b")
    assert [name_of(path) for path in files if here.search(path.read_text(encoding="utf-8"))] == []


def test_no_document_or_source_leads_out_of_the_project() -> None:
    files = [
        path
        for path in shipped_files()
        if path.parts[len(ROOT.parts)] in {"src", "docs"} or path in prose_files()
    ]
    assert files
    assert {name_of(path): climbs_out(path) for path in files if climbs_out(path)} == {}
