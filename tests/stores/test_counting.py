"""Counting on a connection of its own: right, bounded in time, and over when the store is closed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from palimpsest.errors import StoreError
from palimpsest.search.query import parse
from palimpsest.search.where import Where
from palimpsest.stores import sqlite_search
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite_counting import Counting
from tests.contract.kit import ANN, TALK, append, say

STATEMENT = "count_matching_messages"
TALKS = 40


@pytest.fixture
async def path(tmp_path: Path) -> str:
    """A database with texts of a harbour."""
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, [say(f"a harbour with {place} lights") for place in range(TALKS)])
    await store.close()
    return str(tmp_path / "talks.db")


async def test_what_matches_is_counted_and_what_nobody_waits_for_is_given_up(path: str) -> None:
    counting = Counting(path, 1.0, 5.0)
    assert counting.begin(STATEMENT, "harbour").result() == TALKS
    for _ in range(20):
        counting.begin(STATEMENT, "harbour")
    assert counting.begin(STATEMENT, '"with 7"').result() == 1
    counting.close()


async def test_counting_takes_no_longer_than_a_search_may(path: str) -> None:
    counting = Counting(path, 1.0, 0.0)
    store = await SqliteStore.open(path)
    await append(store, [say("a harbour")] * 1_000)
    await store.close()
    with pytest.raises(StoreError, match="longer than 0 s"):
        counting.begin(STATEMENT, "harbour").result()
    counting.close()


async def test_a_search_counts_more_matches_than_it_goes_on_to_and_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    store = await SqliteStore.open(tmp_path / "talks.db")
    count = sqlite_search.FEW + 10
    await append(store, [say("the ferry")] * count)
    answers = [
        await store.search(ANN, TALK, parse("ferry"), where=Where(role=role), limit=1)
        for role in ("user", None, "tool")
    ]
    assert [(one.total, one.weighed) for one in answers] == [(count, 2_000), (count, 2_000), (0, 0)]
    await store.close()
    left = {one.name for one in set(threading.enumerate()) - before}
    assert not [name for name in left if name.startswith("palimpsest-counter")]
