"""Giving the space of what was deleted back: with little memory where the database is large."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.deletion.purge import shrink
from tests.contract.kit import append, ids, numbered

FILLER_BYTES = 80_000_000
SHRINK = """
import sys
from palimpsest.stores.sqlite.deletion.purge import shrink
assert shrink(sys.argv[1], int(sys.argv[2]))
(most,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(int(most) * 1_024)
"""


async def filled(path: Path) -> None:
    """A database with half as many bytes again, which were deleted."""
    store = await SqliteStore.open(path)
    await append(store, numbered(1, 6))
    await store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE filler (body BLOB)")
        connection.executemany("INSERT INTO filler VALUES (randomblob(?))", [(1_000_000,)] * 120)
        connection.execute("DELETE FROM filler WHERE rowid > 80")


def shrunk(path: Path, in_memory_bytes: int) -> int:
    """Shrink in a process of its own; the most memory that it took (`ru_maxrss` begins with that of the parent)."""
    words = [sys.executable, "-c", SHRINK, str(path), str(in_memory_bytes)]
    return int(subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout)


@pytest.mark.parametrize("free", [False, True])
async def test_a_large_database_is_copied_only_for_much_space(tmp_path: Path, free: bool) -> None:
    path = tmp_path / "a.db"
    store = await SqliteStore.open(path)
    await append(store, numbered(1, 6))
    await store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE filler (body BLOB)")
        connection.executemany("INSERT INTO filler VALUES (randomblob(?))", [(10_000,)] * 200)
        connection.execute("DELETE FROM filler WHERE rowid > ?", (100 if free else 195,))
    size = path.stat().st_size
    assert shrink(str(path), 0)
    assert (path.stat().st_size < size) == free
    assert shrink(str(path))
    assert path.stat().st_size < size


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
async def test_a_large_database_shrinks_without_a_copy_in_memory(tmp_path: Path) -> None:
    taken_bytes: list[int] = []
    for limit_bytes in (0, 1_000_000_000):
        path = tmp_path / f"{limit_bytes}.db"
        await filled(path)
        taken_bytes.append(shrunk(path, limit_bytes))
        assert path.stat().st_size < 1.1 * FILLER_BYTES
        store = await SqliteStore.open(path)
        assert len(await ids(store)) == 6
        await store.close()
    assert taken_bytes[1] - taken_bytes[0] > FILLER_BYTES / 2
