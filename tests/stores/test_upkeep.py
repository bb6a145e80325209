"""Upkeep behind the writes: the pieces of the word index are merged, the log stays short, and nobody waits or fails."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from palimpsest.search.query_grammar import parse
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.background_work import (
    MERGED_PAGES,
    ROWS_PER_CHECKPOINT,
    WRITES_PER_CHECKPOINT,
    WRITES_PER_STEP,
    merge_step,
)
from palimpsest.stores.sqlite.connection import connect
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, TALK, append, dialogue, numbered

PIECES = "SELECT count(DISTINCT segid) FROM message_index_idx"
"""How many pieces the word index consists of."""


def pieces(path: Path) -> int:
    """The pieces of the word index of a file."""
    connection = sqlite3.connect(path)
    (found,) = connection.execute(PIECES).fetchone()
    connection.close()
    return found


async def test_pieces_of_the_index_are_merged_behind_the_writes(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    for place in range(10 * WRITES_PER_STEP):
        await append(store, dialogue(f"message {place}"))
    during = pieces(tmp_path / "talks.db")
    await store.close()
    assert during < 3 * WRITES_PER_STEP
    assert pieces(tmp_path / "talks.db") < 8


async def test_a_bulk_of_writes_does_not_outrun_the_merging(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    words = " ".join(f"word{place}" for place in range(40))
    for place in range(3 * WRITES_PER_STEP):
        await append(store, dialogue(*(f"{words} {place} {line}" for line in range(50))))
    during = pieces(tmp_path / "talks.db")
    await store.close()
    assert during < 2 * WRITES_PER_STEP
    connection = connect(str(tmp_path / "talks.db"), 1.0)
    assert not merge_step(Db(connection), MERGED_PAGES)
    connection.close()


async def test_a_log_begins_again_though_one_write_follows_the_other_at_once(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    sizes: list[int] = []
    for place in range(6 * WRITES_PER_CHECKPOINT):
        await append(store, dialogue(f"message {place}"))
        sizes.append((tmp_path / "talks.db-wal").stat().st_size)
    await store.close()
    assert sizes[-1] < 2 * sizes[2 * WRITES_PER_CHECKPOINT]


async def test_many_programs_that_write_once_leave_few_pieces(tmp_path: Path) -> None:
    for place in range(20):
        store = await SqliteStore.open(tmp_path / "talks.db")
        await append(store, dialogue(f"message {place}"))
        await store.close()
    assert pieces(tmp_path / "talks.db") < 8


async def test_what_is_merged_is_found_as_before(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    for place in range(0, 5 * WRITES_PER_STEP, 2):
        await append(store, numbered(place + 1, place + 2))
    await store.close()
    store = await SqliteStore.open(tmp_path / "talks.db")
    found = await store.search(ANN, TALK, parse("number37"))
    assert (found.total, found.hits[0].id) == (1, "m37")
    assert (await store.search(ANN, TALK, parse("message"), limit=1)).total == 5 * WRITES_PER_STEP
    await store.close()


async def test_a_step_of_merging_that_is_locked_out_is_left_to_a_later_one(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, numbered(1, 2))
    other = connect(str(tmp_path / "talks.db"), 0.0)
    holder = sqlite3.connect(tmp_path / "talks.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert not merge_step(Db(other), MERGED_PAGES)
    holder.execute("ROLLBACK")
    holder.close()
    other.close()
    await append(store, numbered(3, 4))
    await store.close()


async def test_the_log_is_copied_before_it_grows_long(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    store = await SqliteStore.open(path)
    size = ROWS_PER_CHECKPOINT // 4
    before = path.stat().st_size
    for place in range(100):
        await append(store, numbered(place * size + 1, (place + 1) * size))
        if path.stat().st_size > before:
            break
    copied = path.stat().st_size
    await store.close()
    assert copied > before


async def test_a_database_in_memory_is_kept_in_order_too() -> None:
    store = await SqliteStore.open(":memory:")
    for place in range(3 * WRITES_PER_STEP):
        await append(store, numbered(place + 1, place + 1))
    assert (await store.search(ANN, TALK, parse("number7"))).total == 1
    await store.close()


async def test_closing_twice_and_closing_what_never_wrote_do_nothing(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await store.close()
    await store.close()
    assert pieces(tmp_path / "talks.db") == 0
