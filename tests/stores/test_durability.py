"""What is waited for before a write is acknowledged, and what a cut of the power may take."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.errors import SettingsError
from palimpsest.settings import Durability
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.connection import connect, open_connections
from tests.contract.kit import ANN, append, ids, numbered
from tests.effort import examples

FULL, NORMAL = 2, 1
WRITES = 12


def waits(connection: sqlite3.Connection) -> int:
    """How a connection waits for the disk, in SQLite's numbers."""
    return int(connection.execute("PRAGMA synchronous").fetchone()[0])


@pytest.mark.parametrize("durability, level", [("full", FULL), ("relaxed", NORMAL)])
def test_only_the_connection_that_writes_is_relaxed_and_only_where_asked(
    tmp_path: Path, durability: Durability, level: int
) -> None:
    writer, *others = open_connections(str(tmp_path / "talks.db"), 1.0, durability)
    try:
        assert waits(writer.db.connection) == level
        assert [waits(worker.db.connection) for worker in others] == [FULL, FULL]
        copier = connect(str(tmp_path / "talks.db"), 1.0)
        assert waits(copier) == FULL
        copier.close()
    finally:
        for worker in (writer, *others):
            worker.db.connection.close()
            worker.thread.shutdown()


async def test_an_engine_takes_it_as_a_setting(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "talks.db", durability="relaxed") as engine:
        await engine.conversation("a").append({"role": "user", "content": "kept"})
    async with palimpsest.open(tmp_path / "talks.db") as engine:
        assert (await engine.conversation("a").grep("kept")).total == 1
        assert (await engine.verify()).sound
    with pytest.raises(SettingsError, match="durability"):
        palimpsest.open(tmp_path / "talks.db", durability="none")


async def written(folder: Path) -> Path:
    """A database as it lies on the disk while a relaxed store has it open: nothing copied from the log yet."""
    path, there = folder / "talks.db", folder / "cut"
    there.mkdir()
    store = await SqliteStore.open(path, durability="relaxed")
    for number in range(WRITES):
        await append(store, numbered(number + 1, number + 1))
    for name in ("talks.db", "talks.db-wal"):
        shutil.copy(folder / name, there / name)
    await store.close()
    return there / "talks.db"


def cut(log: Path, share: float, torn: str, seed: int) -> None:
    """Leave a share of the log, and behind it nothing, zeros or noise."""
    whole = log.read_bytes()
    at = int(share * len(whole))
    rest = {"ends": b"", "zeros": bytes(len(whole) - at), "noise": Random(seed).randbytes(len(whole) - at)}
    log.write_bytes(whole[:at] + rest[torn])


@examples(12)
@given(share=st.floats(0, 1), torn=st.sampled_from(("ends", "zeros", "noise")), seed=st.integers(0, 2**32))
async def test_a_cut_of_the_power_takes_the_last_writes_at_most_and_leaves_the_file_sound(
    tmp_path_factory: pytest.TempPathFactory, share: float, torn: str, seed: int
) -> None:
    path = await written(tmp_path_factory.mktemp("power"))
    cut(Path(f"{path}-wal"), share, torn, seed)
    store = await SqliteStore.open(path)
    try:
        kept = await ids(store) if await store.conversations(ANN) else []
        assert kept == [f"m{number + 1}" for number in range(len(kept))]
        assert len(kept) <= WRITES
        assert (await store.keeper.check(None)).sound
        await append(store, numbered(100, 100))
    finally:
        await store.close()


async def test_with_the_whole_log_nothing_is_lost(tmp_path: Path) -> None:
    store = await SqliteStore.open(await written(tmp_path))
    assert len(await ids(store)) == WRITES
    await store.close()
