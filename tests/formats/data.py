"""Where the real transcripts lie that some tests read. They are no part of the project.

The folder is named by the environment variable PALIMPSEST_DATA, otherwise it is looked for beside the project.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest

from palimpsest.formats.transcripts import FORMATS, Source, detect

ROOT = Path(__file__).resolve().parents[2]


def data_dir() -> Path | None:
    """The folder of real transcripts, or None where there is none."""
    folder = Path(os.environ.get("PALIMPSEST_DATA", ROOT.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


needs_data = pytest.mark.skipif(
    data_dir() is None, reason="real transcripts are not here: name their folder in PALIMPSEST_DATA"
)


def data_path(pattern: str) -> Path:
    """The one file of that folder a pattern names; a test that asks for one that is not there is skipped."""
    folder = data_dir()
    found = sorted(folder.glob(pattern)) if folder else []
    if not found:
        pytest.skip(f"no {pattern} among the real transcripts")
    assert len(found) == 1, pattern
    return found[0]


def source_at(path: Path) -> Source:
    """A file with the other files its format asks for."""
    source = Source(str(path), path.read_bytes())
    name = detect(source)
    if name is None:
        return source
    related: dict[str, bytes] = {}
    for _ in range(3):
        for pattern in FORMATS[name].related(Source(source.path, source.data, related)):
            for found in glob.glob(pattern, root_dir=path.parent):  # noqa: PTH207 - a pattern may climb
                related[os.path.normpath(path.parent / found)] = (path.parent / found).read_bytes()
    return Source(source.path, source.data, related)
