"""In a large place that holds most of a store a word is looked for in all of it, and what is elsewhere is left out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from palimpsest.search.query_grammar import parse
from palimpsest.stores.candidate_choice import LARGE, WIDE_SHARE, is_wide
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.connection import connect
from palimpsest.stores.sqlite.fulltext.question_candidates import widely
from palimpsest.stores.sqlite.message_log import find_conversation, owner_number
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, TALK, append, say

WORDS = [("ferry",), ("berth", "berths"), ("unheard",)]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Two conversations of one owner, one of another's."""
    opened = await SqliteStore.open(tmp_path / "talks.db")
    await append(opened, [say("a ferry"), say("the berths of a ferry"), say("nothing"), say("a berth")])
    await append(opened, [say("ferry and berth"), say("ferry")] * 2, talk="other")
    await append(opened, [say("the berth of a ferry")] * 3, owner="bob")
    await opened.search(ANN, TALK, parse("taken in"))
    yield opened
    await opened.close()


def test_a_place_is_wide_that_is_large_and_a_fourth_of_all() -> None:
    assert not is_wide(LARGE, LARGE)
    assert is_wide(LARGE + 1, WIDE_SHARE * (LARGE + 1))
    assert not is_wide(LARGE + 1, WIDE_SHARE * (LARGE + 1) + 1)


async def test_what_tells_most_is_of_the_place_and_words_are_counted_in_all(store: SqliteStore) -> None:
    db = Db(connect(str(store.path), 1.0))
    owner, talk = owner_number(db, ANN), find_conversation(db, ANN, TALK)
    assert widely(db, owner, talk, WORDS, 100) == ((9, 7, 0), [2, 1, 4])
    assert widely(db, owner, None, WORDS, 100) == ((9, 7, 0), [5, 7, 2, 4, 6, 8, 1])
    assert widely(db, owner, None, WORDS, 3) == ((9, 7, 0), [5, 7, 2])
    db.connection.close()


async def test_where_the_most_telling_are_elsewhere_the_place_is_looked_at_alone(store: SqliteStore) -> None:
    await append(store, [say("the berth of a ferry")] * 40, owner="bob")
    db = Db(connect(str(store.path), 1.0))
    owner = owner_number(db, ANN)
    assert widely(db, owner, None, WORDS, 5) is None
    assert widely(db, owner, None, WORDS, 100) == ((49, 47, 0), [5, 7, 2, 4, 6, 8, 1])
    db.connection.close()


@pytest.mark.slow
async def test_a_large_conversation_answers_from_its_beginning_and_from_nobody_else(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, [say("the lighthouse keeper paints the ferry")])
    await append(store, [say(f"the keeper sees the ferry {place}") for place in range(LARGE + 10)])
    await append(store, [say("the lighthouse keeper paints the ferry")] * 200, talk="other")
    await append(store, [say("the lighthouse keeper paints the ferry")] * 200, owner="bob")
    pool = await store.recall(ANN, TALK, [("lighthouse",), ("keeper",), ("paints",), ("ferry",)])
    assert "m1" in {one.id for one in pool.found}
    assert {one.conversation for one in pool.found} == {TALK}
    assert all(int(one.id[1:]) <= LARGE + 11 for one in pool.found)
    await store.close()
