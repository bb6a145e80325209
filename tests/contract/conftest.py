"""The stores that keep one contract. A new one is added here, and passes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from palimpsest.ports import Store
from palimpsest.stores.sqlite import SqliteStore
from tests.reference_store import MemoryStore


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store of each kind in turn."""
    opened: Store = (
        MemoryStore() if request.param == "memory" else await SqliteStore.open(tmp_path / "talks.db")
    )
    yield opened
    await opened.close()
