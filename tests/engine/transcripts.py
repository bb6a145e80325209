"""Real transcripts, where they are at hand: named by the environment variable PALIMPSEST_DATA."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import Source, Transcript, read

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("PALIMPSEST_DATA") or ROOT.parent / "shared" / "data")
FOLDERS = ("claude-code", "codex", "gemini-cli", "pi", "other-agents")

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="no transcripts: set PALIMPSEST_DATA to their folder"
)


def paths() -> list[Path]:
    """Every file that might be a transcript."""
    return sorted(
        path
        for folder in FOLDERS
        for path in (DATA / folder).rglob("*.json*")
        if path.is_file() and path.suffix in {".json", ".jsonl"}
    )


def transcripts(path: Path) -> Iterator[Transcript]:
    """The conversations of a file; none of one in another form."""
    try:
        yield from read(Source(str(path), path.read_bytes())).transcripts
    except FormatError:
        return
