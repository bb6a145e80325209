"""A store and the folder that its process works in."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from palimpsest.errors import StoreError
from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import append, numbered


async def test_a_store_stays_with_its_file_when_the_working_folder_changes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with contextlib.chdir(first):
        store = await SqliteStore.open("talks.db")
        await append(store, numbered(1, 6))
    with contextlib.chdir(second):
        health = await store.keeper.check(None)
        await store.close()
    assert (health.messages, list(second.iterdir())) == (6, [])


async def test_a_relative_path_in_a_folder_that_is_gone_is_refused(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with contextlib.chdir(gone):
        gone.rmdir()
        with pytest.raises(StoreError, match="working folder is gone"):
            await SqliteStore.open("talks.db")
