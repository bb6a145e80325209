"""Opening an engine where it cannot work."""

from __future__ import annotations

from pathlib import Path

import pytest

import palimpsest


def test_in_a_loop_that_is_not_asyncios_an_engine_says_what_to_use(tmp_path: Path) -> None:
    path = f"{tmp_path}/talks.db"
    for beginning in (palimpsest.open(path).__aenter__().__await__(), palimpsest.open(path).__await__()):
        with pytest.raises(palimpsest.UsageError, match="running loop of asyncio") as caught:
            next(beginning)  # as any other loop would
        assert "palimpsest.sync" in caught.value.hint
