"""The second connection: it does what it is asked for, for as long as a search may take, and ends with the store."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from palimpsest.errors import StoreError
from palimpsest.search.filters import Where
from palimpsest.search.query_grammar import parse
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.fulltext.pattern_search import RANKED
from palimpsest.stores.sqlite.fulltext.reader_connections import (
    MORE_READERS,
    READERS,
    TEXTS_AT_ONCE,
    ScanHelper,
    TextReaders,
)
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, TALK, append, say

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
TALKS = 40


def harbours(db: Db) -> int:
    return db.number("count_matching_messages", "harbour")


def endless(db: Db) -> int:
    return int(db.connection.execute(ENDLESS).fetchone()[0])


@pytest.fixture
async def path(tmp_path: Path) -> str:
    """A database with texts of a harbour."""
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, [say(f"a harbour with {place} lights") for place in range(TALKS)])
    await store.close()
    return str(tmp_path / "talks.db")


async def test_what_is_asked_for_is_answered_and_what_nobody_waits_for_is_given_up(path: str) -> None:
    helper = ScanHelper(path, 1.0, 20.0)
    assert helper.begin(harbours).result() == TALKS
    helper.begin(endless)
    for _ in range(20):
        helper.begin(harbours)
    assert helper.begin(harbours).result() == TALKS
    helper.begin(endless)
    helper.close()


async def test_the_helper_is_given_no_longer_than_a_search_and_goes_on_after_it(path: str) -> None:
    helper = ScanHelper(path, 60.0, 1.0)
    assert helper.begin(harbours).result() == TALKS
    with pytest.raises(StoreError, match=r"longer than 1 s"):
        helper.begin(endless).result()
    assert helper.begin(harbours).result() == TALKS
    helper.close()


async def test_few_read_what_is_at_hand_and_many_what_is_waited_for(path: str) -> None:
    at_hand, waited_for = READERS, READERS + MORE_READERS
    readers = TextReaders(path, 1.0, 20.0)
    for together in (at_hand, waited_for):
        met = threading.Barrier(together)

        def harbours_of(db: Db, numbers: Sequence[int], met: threading.Barrier = met) -> tuple[int, int, int]:
            met.wait(60)
            return numbers[0], len(numbers), harbours(db)

        numbers = range(together * TEXTS_AT_ONCE)
        found = readers.begin(numbers, harbours_of)()
        assert sorted(found) == [(first, TEXTS_AT_ONCE, TALKS) for first in numbers[::TEXTS_AT_ONCE]]
    assert readers.begin([], harbours_of)() == []
    readers.close()


async def test_a_search_counts_more_matches_than_it_weighs_and_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    store = await SqliteStore.open(tmp_path / "talks.db")
    count = 2 * RANKED
    await append(store, [say("the ferry")] * count)
    answers = [
        await store.search(ANN, TALK, parse("ferry"), where=Where(role=role), limit=1)
        for role in ("user", None, "tool")
    ]
    assert [(one.total, one.weighed) for one in answers] == [(count, 2_000), (count, 2_000), (0, 0)]
    await store.close()
    left = {one.name for one in set(threading.enumerate()) - before}
    assert not [name for name in left if name.startswith("palimpsest-helper")]
