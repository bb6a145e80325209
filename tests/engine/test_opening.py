"""Opening an engine where it cannot work."""

from __future__ import annotations

from pathlib import Path

import pytest

import palimpsest
from palimpsest.engine.opening import Opening


def test_in_a_loop_that_is_not_asyncios_an_engine_says_what_to_use(tmp_path: Path) -> None:
    for begin in (Opening.__await__, lambda one: one.__aenter__().__await__()):
        with pytest.raises(palimpsest.UsageError, match="running loop of asyncio") as caught:
            next(begin(palimpsest.open(tmp_path / "talks.db")))  # as any other loop would
        assert "palimpsest.sync" in caught.value.hint
