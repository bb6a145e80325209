"""A search that takes too long is given up, and whoever asks next is served."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.errors import StoreError
from palimpsest.search.query_grammar import parse
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.connection import connect, with_time_limit
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, TALK, counted, say

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def db() -> Iterator[Db]:
    opened = Db(connect(":memory:", 0.0))
    yield opened
    opened.connection.close()


def test_what_never_ends_is_given_up_and_the_connection_goes_on(db: Db) -> None:
    with pytest.raises(StoreError, match=r"longer than 0.05 s .*narrow it"):
        with_time_limit(0.05, lambda one: one.connection.execute(ENDLESS).fetchone(), db)
    found = db.connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90000) SELECT count(*) FROM n"
    )
    assert found.fetchone()[0] == 90_000


def test_other_failures_are_told_as_what_they_are(db: Db) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        with_time_limit(5.0, lambda one: one.connection.execute("SELECT * FROM absent"), db)


async def test_a_search_has_the_store_s_time_and_no_more(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db", query_timeout_s=0.0)
    await store.append(
        ANN, TALK, counted([say(f"harbour word{n} light{n % 7}") for n in range(600)]), now_s=1.0
    )
    with pytest.raises(StoreError, match="longer than 0 s"):
        await store.search(ANN, None, parse("harbour AND NOT %rd59%"))
    assert len((await store.append(ANN, TALK, counted([say("more")]), now_s=2.0)).stored) == 1
    assert len(await store.messages(ANN, TALK, 1, 9)) == 9
    await store.close()
