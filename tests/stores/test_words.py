"""The list of all words: those of single appends wait in it until they are taken in, and are found all the same."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from palimpsest.search.query import parse
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite_db import Db
from palimpsest.stores.sqlite_lane import connect
from palimpsest.stores.sqlite_log import FEW_ENTRIES
from palimpsest.stores.sqlite_words import MOST_NOTED, note, noted, take_in
from tests.contract.kit import ANN, TALK, append, say
from tests.stores.remnants import remnants

NOTED = "SELECT count(*) FROM noted_words"


def waiting(path: str) -> int:
    """How many rows of words wait in a file."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(NOTED).fetchone()[0])


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """An empty store in a file."""
    opened = await SqliteStore.open(tmp_path / "talks.db")
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    "pattern", ["%ingularw%", "singu%", "%larwords", "ingularword", "ur_wor", "%transacti%"]
)
async def test_words_are_found_while_they_wait_and_after_they_were_taken_in(
    store: SqliteStore, pattern: str
) -> None:
    """Also where some words of a stem wait and others do not."""
    await append(store, [say("transactions")] * (FEW_ENTRIES + 1))
    await append(store, [say("a singularword"), say("my singularwords, our_word"), say("transacted")])
    assert waiting(str(store.path)) > 0
    other = await SqliteStore.open(store.path)
    during = await other.search(ANN, TALK, parse(pattern))
    await store.close()
    assert waiting(str(store.path)) == 0
    assert during.total > 0
    assert await other.search(ANN, TALK, parse(pattern)) == during
    await other.close()


async def test_words_that_wait_are_no_fault_and_lost_ones_are(store: SqliteStore) -> None:
    await append(store, [say("a singularword")])
    assert (await store.keeper.check(None)).sound
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM noted_words")
    health = await store.keeper.check(None)
    assert [fault.kind for fault in health.faults] == ["index"]


async def test_words_that_wait_are_forgotten_with_their_message(store: SqliteStore) -> None:
    await append(store, [say("quetzalcoatlword flies"), say("it flies")])
    await store.forgetting.forget(ANN, TALK, ["m1"], {})
    await store.forgetting.sweep()
    await store.close()
    assert remnants(Path(store.path), ["quetzalcoatlword"]) == []


def test_however_many_words_wait_each_step_takes_a_share_of_them() -> None:
    db = Db(connect(":memory:", 1.0))
    for place in range(20):
        note(db, " ".join(f"w{place}x{number}" for number in range(MOST_NOTED)))
    note(db, " ".join(f"direct{number}" for number in range(MOST_NOTED + 1)))
    assert len(noted(db)) == 20 * MOST_NOTED
    steps = 1
    while left := take_in(db):
        assert left == len(noted(db))
        steps += 1
    assert steps < 60
    assert db.number("highest_word") == 21 * MOST_NOTED + 1
    db.connection.close()
