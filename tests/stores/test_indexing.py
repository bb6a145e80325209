"""Messages of small appends wait to be indexed, are found all the same, and are taken in whatever happens meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.pin import Pin, Quote
from palimpsest.search.query_grammar import parse
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.background_work import WRITES_PER_STEP
from palimpsest.stores.sqlite.connection import connect
from palimpsest.stores.sqlite.fulltext.index import CHARS_AT_ONCE, FEW_ENTRIES, index_waiting, waiting_count
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, NOW_S, TALK, append, say, sync
from tests.effort import examples
from tests.stores.remnants import remnants

WAITING = "SELECT count(*) FROM unindexed"


def waiting(path: str | Path) -> int:
    """How many messages wait in a file."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(WAITING).fetchone()[0])


def change(path: str | Path, statement: str) -> None:
    """Run a statement on a file, behind the store's back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """An empty store in a file."""
    opened = await SqliteStore.open(tmp_path / "talks.db", busy_timeout_s=0.2)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    "pattern", ["singularword", "%ingularw%", "singu%", "%larwords", "ingularword", "ur_wor", "%transacti%"]
)
async def test_what_waits_is_found_by_whoever_asks_first(store: SqliteStore, pattern: str) -> None:
    """Also where some words of a stem wait and others do not, and where the process that wrote it is gone."""
    await append(store, [say("transactions")] * (FEW_ENTRIES + 1))
    assert waiting(store.path) == 0
    await append(store, [say("a singularword"), say("my singularwords, our_word"), say("transacted")])
    assert waiting(store.path) == 3
    other = await SqliteStore.open(store.path)
    assert (found := await other.search(ANN, TALK, parse(pattern))).total > 0
    assert waiting(store.path) == 0
    assert await store.search(ANN, TALK, parse(pattern)) == found
    await other.close()


async def test_a_question_finds_what_waits(store: SqliteStore) -> None:
    await append(store, [say("the heron stood in the reeds")])
    assert (await store.recall(ANN, TALK, [["heron"]])).total == 1


async def test_closing_takes_in_what_waits(store: SqliteStore) -> None:
    await append(store, [say("a heron")])
    assert waiting(store.path) == 1
    await store.close()
    assert waiting(store.path) == 0


async def test_what_waits_is_taken_in_behind_the_writes_though_nobody_searches(store: SqliteStore) -> None:
    for _ in range(2 * WRITES_PER_STEP + 1):
        await append(store, [say("a heron")])
    assert waiting(store.path) <= WRITES_PER_STEP + 1


async def test_what_waits_is_no_fault_and_what_is_lost_is(store: SqliteStore) -> None:
    await append(store, [say("a singularword")])
    assert (await store.keeper.check(None)).sound
    change(store.path, "DELETE FROM unindexed")
    health = await store.keeper.check(None)
    assert {fault.kind for fault in health.faults} == {"index"}


async def test_what_waits_is_forgotten_with_all_its_words(store: SqliteStore) -> None:
    await append(store, [say("quetzalcoatlword flies"), say("it flies")])
    await store.forgetting.forget(ANN, TALK, ["m1"], {})
    await store.forgetting.sweep()
    assert (await store.search(ANN, TALK, parse("flies"))).total == 1
    assert (await store.keeper.check(None)).sound
    await store.close()
    assert remnants(Path(store.path), ["quetzalcoatlword"]) == []


async def test_a_word_that_another_waiting_message_holds_is_kept(store: SqliteStore) -> None:
    await append(store, [say("a singularword")] * (FEW_ENTRIES + 1), talk="old")
    await append(store, [say("singularword again")])
    await store.forgetting.forget_conversation(ANN, "old")
    assert (await store.search(ANN, TALK, parse("%ngularwo%"))).total == 1
    assert (await store.keeper.check(None)).sound


async def test_a_pin_stays_where_only_a_message_that_waits_holds_its_telling_word_too(
    store: SqliteStore,
) -> None:
    await append(store, [say("quetzalcoatlword7 flies"), say("so quetzalcoatlword7 is back")])
    await store.pin(ANN, TALK, Pin("", (Quote("remember quetzalcoatlword7 always"),), "", 9, NOW_S))
    while_waiting = await store.forgetting.reach(ANN, TALK, ["m1"])
    both = await store.forgetting.reach(ANN, TALK, ["m1", "m2"])
    assert waiting(store.path) == 2
    assert (while_waiting.pins, both.pins) == ((), ("p1",))


async def test_a_message_that_grew_while_it_waited_is_found_by_its_last_form_only(store: SqliteStore) -> None:
    await sync(store, [say("first"), say("a heron", "assistant", growing=True, origin="line 2")])
    await sync(store, [say("first"), say("a heron and an egret", "assistant", origin="line 2")])
    assert waiting(store.path) == 2
    assert (await store.search(ANN, TALK, parse("egret"))).total == 1
    assert (await store.search(ANN, TALK, parse("heron"))).total == 1
    assert (await store.keeper.check(None)).sound


async def test_where_nothing_can_be_written_the_rest_is_found(store: SqliteStore) -> None:
    await append(store, [say("an old heron")] * (FEW_ENTRIES + 1))
    await append(store, [say("a new heron")])
    with closing(sqlite3.connect(store.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert (await store.search(ANN, TALK, parse("heron"))).total == FEW_ENTRIES + 1
    assert (await store.search(ANN, TALK, parse("heron"))).total == FEW_ENTRIES + 2


@pytest.mark.parametrize(
    "harm", ["INSERT INTO unindexed VALUES (7), (8), (9)", "UPDATE message SET body = '{' WHERE id = 1"]
)
async def test_what_cannot_be_read_holds_nothing_up(store: SqliteStore, harm: str) -> None:
    """Rows of messages that are gone, and a damaged message."""
    await append(store, [say("one"), say("two"), say("three")])
    with closing(connect(str(store.path), 1.0)) as connection:
        connection.execute(harm)
    assert (await store.search(ANN, TALK, parse("three"))).total == 1
    assert waiting(store.path) == 0


async def test_however_many_wait_each_step_takes_a_share_of_them(store: SqliteStore) -> None:
    await append(store, [say(f"word{place} heron") for place in range(3_000)])
    with closing(connect(str(store.path), 1.0)) as connection:
        db = Db(connection)
        db.run("unindex_all_messages")
        connection.execute("INSERT INTO unindexed SELECT id FROM message")
        steps = 1
        while left := index_waiting(db):
            assert left == waiting_count(db)
            steps += 1
    assert steps < 64
    assert (await store.search(ANN, TALK, parse("heron"))).total == 3_000


async def test_a_long_message_is_a_step_of_its_own(store: SqliteStore) -> None:
    long = "word " * (CHARS_AT_ONCE // 5)
    await append(store, [say("one"), say(long), say(long), say("two")])
    with closing(connect(str(store.path), 1.0)) as connection:
        assert [index_waiting(Db(connection)) for _ in range(4)] == [3, 2, 1, 0]


WORDS = ["heron", "egret", "reeds", "苍鹭"]
STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "append", "bulk", "forget", "search"]), st.sampled_from(WORDS)),
    max_size=15,
)


@examples(60)
@given(steps=STEPS)
async def test_whatever_happens_while_messages_wait_what_is_there_is_found(
    steps: list[tuple[str, str]],
) -> None:
    """`forget` takes the oldest message that holds the word."""
    store = await SqliteStore.open(":memory:")
    kept: dict[str, str] = {}
    found: list[tuple[int, int]] = []

    async def look(word: str) -> None:
        total = (await store.search(ANN, TALK, parse(word))).total
        found.append((total, list(kept.values()).count(word)))

    for what, word in steps:
        if what in {"append", "bulk"}:
            new = [say(f"a {word}")] * (FEW_ENTRIES + 1 if what == "bulk" else 1)
            kept.update((one.id, word) for one in await append(store, new))
        elif what == "forget" and word in kept.values():
            oldest = next(one for one, said in kept.items() if said == word)
            await store.forgetting.forget(ANN, TALK, [oldest], {})
            del kept[oldest]
        elif what == "search":
            await look(word)
    health = await store.keeper.check(None)
    for word in WORDS:
        await look(word)
    assert health.sound
    assert all(total == expected for total, expected in found)
    await store.close()
