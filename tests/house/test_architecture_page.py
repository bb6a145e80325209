"""The page on the architecture names files that exist."""

from __future__ import annotations

import re

from tests.house.tree import ROOT

PACKAGE = ROOT / "src" / "palimpsest"
NAMED = re.compile(r"`((?:\w+/)*\w+(?:\.py|/))`")


def test_every_file_and_folder_that_the_pages_name_exists() -> None:
    for page in ("docs/architecture.md", "CONTRIBUTING.md"):
        named = set(NAMED.findall((ROOT / page).read_text(encoding="utf-8")))
        assert len(named) > 5
        missing = {one for one in named if not (PACKAGE / one).exists() and not (ROOT / one).exists()}
        assert missing == set(), page
