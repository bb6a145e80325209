"""Questions are answered better than by plain word search, on data that are read only where they lie."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.test_recall import BENCH, ROOT  # isort: skip
from recall_ways import WAYS  # isort: skip
from tests.effort import HOURS

DATA = Path(os.environ.get("PALIMPSEST_DATA", ROOT.parent / "shared" / "data"))
SOURCES = ("bfcl-memory", "memorybank")


@pytest.mark.skipif(not (DATA / "bfcl-memory").is_dir(), reason="no BFCL memory data: set PALIMPSEST_DATA")
def test_search_is_better_than_plain_word_search_on_every_kind_of_talk() -> None:
    folders = [str(DATA / name) for name in (SOURCES if HOURS else SOURCES[:1])]
    command = [sys.executable, str(BENCH / "recall.py"), *folders, "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=3_600)
    rows = [row for row in json.loads(done.stdout)["rows"] if row["kind"] == "all"]
    found = {(row["source"], row["way"]): row["recall"] for row in rows}
    sources = {source for source, _ in found}
    assert sources >= {"bfcl", "made", "made named"}
    for source in sources:
        plain = max(found[source, way] for way in WAYS)
        assert found[source, "search"] > plain, source
