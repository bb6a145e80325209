"""What is known of frequent words as bits counts what the word index counts, whatever was changed meanwhile."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, strategies

from palimpsest.record.message import Message, Text
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.query_grammar import Query, parse
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.background_work import WRITES_PER_STEP, BackgroundWork
from palimpsest.stores.sqlite.connection import WRITE, connect, open_connections, transaction
from palimpsest.stores.sqlite.fulltext.bitmap_build import (
    PATIENCE_S,
    SETTLED_SHARE,
    build_range,
    due_range,
    start_range,
    store_range,
)
from palimpsest.stores.sqlite.fulltext.bitmap_search import MOST_TERMS, bitmap_matches, keeps
from palimpsest.stores.sqlite.fulltext.frequent_words import (
    RANGE_ROWS,
    bits_of,
    packed,
    packed_lists,
    unpacked,
    unpacked_lists,
)
from palimpsest.stores.sqlite.fulltext.index import start_rebuild
from palimpsest.stores.sqlite.fulltext.match_expressions import bounds
from palimpsest.stores.sqlite.fulltext.pattern_search import message_scope, place_in, search
from palimpsest.stores.sqlite.fulltext.vocabulary import Vocabulary
from palimpsest.stores.sqlite.message_log import find_conversation, owner_number
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, NOW_S, TALK, append, say, sync
from tests.contract.test_grammar import queries, searches
from tests.effort import examples

SIZE = 64
"""A stretch of these tests."""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """An empty store in a file."""
    opened = await SqliteStore.open(tmp_path / "talks.db")
    yield opened
    await opened.close()


@contextmanager
def opened(store: SqliteStore) -> Iterator[Db]:
    connection = connect(str(store.path), 1.0)
    yield Db(connection)
    connection.close()


def gathered(db: Db, size: int = SIZE) -> int:
    """Gather all that is due; how many stretches."""
    for count in range(1_000):
        one = transaction("", db, WRITE, lambda held: start_range(held, NOW_S, size, 0))
        if one is None:
            return count
        for _ in build_range(db, one):
            pass
        assert transaction("", db, WRITE, lambda held, done=one: store_range(held, done))
    raise AssertionError("gathering has no end")


def counts(
    db: Db, query: Query, talk: str | None, where: Where = ANYWHERE, size: int = SIZE
) -> tuple[int | None, int] | None:
    """How many messages fit by bits, and by the index; None where what fits is no matter of the index alone."""
    owner = owner_number(db, ANN)
    place, narrow = place_in(db, owner, find_conversation(db, ANN, talk) if talk else None)
    scope, known = message_scope(narrow, where), Vocabulary(db)
    asked = bounds(known, query.root, place)
    if not asked.exact or scope.words is None:
        return None
    matching = scope.around(asked).least
    by_index = db.numbers("newest_messages_between", matching, 1, db.number("newest_message"), 10_000)
    by_bits = bitmap_matches(known, query.root, scope.words, matching, size)
    if by_bits is None:
        return None, len(by_index)
    assert by_bits.newest(7) == by_bits.newest(10_000)[:7]
    assert (by_bits.newest(10_000) == by_index) == (by_bits.total() == len(by_index))
    return by_bits.total(), len(by_index)


async def filled(store: SqliteStore, said: Sequence[str]) -> None:
    """Many messages of two conversations and two owners, indexed."""
    some = [Message(("user", "assistant")[place % 2], (Text(text),)) for place, text in enumerate(said)]
    await append(store, some[:1] * 17, owner="bob")
    for _ in range(120 // len(said) + 1):
        await append(store, some * 2)
        await append(store, some[1:], talk="other")
        await append(store, some[:2], owner="bob")
    await store.search(ANN, None, parse("taken in"))


@examples(8)
@given(searches())
async def test_any_pattern_is_counted_by_bits_as_by_the_index(made: tuple[list[str], list[str]]) -> None:
    said, patterns = made
    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "talks.db")
        await filled(store, said)
        with opened(store) as db:
            assert gathered(db)
            everywhere = itertools.product(queries(patterns), (TALK, None), (ANYWHERE, Where(role="user")))
            for query, talk, where in everywhere:
                by_bits, by_index = counts(db, query, talk, where) or (0, 0)
                assert by_bits in {by_index, None}
        await store.close()


FREQUENT = [
    "lantern", "lanterns", "%anter%", "lantern AND compass", "lantern OR compass", "lantern NOT compass", "NOT lantern",
    "lantern OR (rare NOT compass)", 'lantern OR "rare words"', "lantern NOT nobody", '"a lantern"', '"the dark"',
    '"THE DARK" NOT compass', '"a lanterns" AND compass', '"the dark" OR "my lanterns"',
]  # fmt: skip


async def lit(store: SqliteStore) -> None:
    """Every second message has a lantern; two words are rare."""
    said = [f"{'a lantern' if place % 2 else 'the dark'} {place}" for place in range(400)]
    said = [f"{text} compass" if place // 2 % 2 and place < 300 else text for place, text in enumerate(said)]
    said[300], said[30] = "rare words", "rare words and the compass"
    said[1] = "my lanterns"
    await append(store, [say(text) for text in said])
    await store.search(ANN, None, parse("taken in"))


@pytest.mark.parametrize("pattern", FREQUENT)
async def test_what_has_a_frequent_word_is_counted_by_bits(store: SqliteStore, pattern: str) -> None:
    await lit(store)
    with opened(store) as db:
        assert gathered(db) == (400 - SIZE // SETTLED_SHARE) // SIZE
        by_bits, by_index = counts(db, parse(pattern), TALK) or (None, 0)
        assert by_bits == by_index > 0


@pytest.mark.parametrize(
    "pattern",
    [
        "rare",
        '"rare words"',
        '"the dark 30"',
        '"a lantern a"',
        " OR ".join(f"lantern{one}" for one in range(MOST_TERMS + 1)),
    ],
)
async def test_what_the_index_counts_as_fast_is_left_to_it(store: SqliteStore, pattern: str) -> None:
    await lit(store)
    with opened(store) as db:
        gathered(db)
        by_bits, _ = counts(db, parse(pattern), TALK) or (None, 0)
        assert by_bits is None


async def test_frequent_words_that_never_follow_one_another(store: SqliteStore) -> None:
    await lit(store)
    with opened(store) as db:
        gathered(db)
        assert counts(db, parse('"lantern a"'), TALK) == (0, 0)


async def test_a_little_of_much_is_left_to_the_index(store: SqliteStore) -> None:
    await lit(store)
    with opened(store) as db:
        gathered(db)
        db.run("drop_stretches", 0, 2)
        assert (counts(db, parse("lantern"), TALK) or (0, 0))[0] is None


WHOLE = RANGE_ROWS + RANGE_ROWS // SETTLED_SHARE
"""So many messages complete the first stretch."""


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store's file with a stretch, and a message that grows in it."""
    path = tmp_path_factory.mktemp("long") / "talks.db"

    async def make() -> None:
        store = await SqliteStore.open(path)
        await long_lit(store)
        await store.close()

    asyncio.run(make())
    return path


@pytest.fixture
async def long_store(long_file: Path, tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """That store, of which each test has a copy."""
    opened = await SqliteStore.open(Path(shutil.copy(long_file, tmp_path / "long.db")))
    yield opened
    await opened.close()


async def long_lit(store: SqliteStore) -> None:
    await sync(store, [say("a lantern"), say("half a lantern", "assistant", growing=True)])
    said = [say(f"{'the lantern' if place % 4 else 'dark'} {place}") for place in range(WHOLE)]
    await append(store, said, talk="b")
    await store.search(ANN, None, parse("taken in"))


def agrees(db: Db, *, known: bool) -> None:
    """That the count is right, by bits if they are `known`."""
    for talk in (TALK, "b", None):
        by_bits, by_index = counts(db, parse("lantern"), talk, size=RANGE_ROWS) or (None, 0)
        assert by_bits == (by_index if known else None)


async def test_what_changes_in_a_stretch_drops_what_is_known_of_it(long_store: SqliteStore) -> None:
    changes: list[Callable[[], Awaitable[object]]] = [
        lambda: long_store.forgetting.forget(ANN, "b", ["m100"], {}),
        lambda: sync(long_store, [say("a lantern"), say("half a dozen of them", "assistant")]),
        lambda: long_store.forgetting.forget_conversation(ANN, TALK),
    ]
    with opened(long_store) as db:
        for change in changes:
            assert gathered(db, RANGE_ROWS) == 1
            agrees(db, known=True)
            await change()
            agrees(db, known=False)
            await long_store.search(ANN, None, parse("taken in"))
        assert gathered(db, RANGE_ROWS) == 1
        agrees(db, known=True)
        transaction("", db, WRITE, start_rebuild)
        agrees(db, known=False)
        assert due_range(db, NOW_S, large=0) is None


@pytest.mark.parametrize(
    "pattern",
    [
        '"the lantern"',
        '"the lanterns" NOT 7',
        '"lantern the"',
        '"the lantern 7"',
        "lantern OR dark",
        "dark NOT 8",
        "lantern OR 7 NOT dark",
        "%anter%",
        "%100%",
    ],
)
async def test_what_frequent_words_are_in_is_found_as_by_the_index(
    long_store: SqliteStore, pattern: str
) -> None:
    with opened(long_store) as db:
        gathered(db, RANGE_ROWS)
        assert keeps(db, "the lantern")
        for talk in ("b", None):
            asked = db, ANN, talk, parse(pattern), ANYWHERE, 50, 0
            by_lists, by_index = search(*asked, large=0), search(*asked)
            assert (by_lists.total, by_lists.complete) == (by_index.total, by_index.complete)
            assert [hit.id for hit in by_lists.hits] == [hit.id for hit in by_index.hits]


async def test_messages_behind_a_stretch_change_nothing_that_is_known(long_store: SqliteStore) -> None:
    with opened(long_store) as db:
        gathered(db, RANGE_ROWS)
        await append(long_store, [say("one more lantern")] * 20, talk="b")
        agrees(db, known=True)


async def test_what_changes_while_it_is_gathered_is_not_kept(long_store: SqliteStore) -> None:
    with opened(long_store) as db:
        first = transaction("", db, WRITE, lambda held: start_range(held, NOW_S, large=0))
        assert first is not None
        list(build_range(db, first))
        assert due_range(db, NOW_S, large=0) is None
        await long_store.forgetting.forget(ANN, "b", ["m100"], {})
        assert not transaction("", db, WRITE, lambda held: store_range(held, first))
        second = transaction("", db, WRITE, lambda held: start_range(held, NOW_S, large=0))
        assert second is not None
        assert not transaction("", db, WRITE, lambda held: store_range(held, first))
        list(build_range(db, second))
        assert transaction("", db, WRITE, lambda held: store_range(held, second))
        agrees(db, known=True)


async def test_who_takes_too_long_is_not_waited_for(long_store: SqliteStore) -> None:
    with opened(long_store) as db:
        first = transaction("", db, WRITE, lambda held: start_range(held, NOW_S, large=0))
        assert first is not None
        assert due_range(db, NOW_S + PATIENCE_S / 2, large=0) is None
        later_s = NOW_S + PATIENCE_S * 2
        second = transaction("", db, WRITE, lambda held: start_range(held, later_s, large=0))
        assert second is not None
        list(build_range(db, second))
        assert not transaction("", db, WRITE, lambda held: store_range(held, first))
        assert transaction("", db, WRITE, lambda held: store_range(held, second))


async def test_a_stretch_with_messages_that_wait_is_not_due(store: SqliteStore) -> None:
    await append(store, [say("a lantern")])
    with opened(store) as db:
        await append(store, [say("a lantern")] * WHOLE, talk="b")
        assert due_range(db, NOW_S, large=0) is None
        await store.search(ANN, None, parse("taken in"))
        assert due_range(db, NOW_S, large=0) == 0
        assert due_range(db, NOW_S, large=2 * WHOLE) is None


async def test_stretches_are_gathered_behind_the_writes(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    store = await SqliteStore.open(path)
    await long_lit(store)
    await store.close()
    workers = open_connections(str(path), 1.0)
    upkeep = BackgroundWork(str(path), workers[0], 1.0, large=1)
    for _ in range(WRITES_PER_STEP):
        upkeep.wrote()
    for _ in range(1_200):
        if workers[1].db.numbers("stretches_done"):
            break
        await asyncio.sleep(0.05)
    workers[0].thread.submit(upkeep.finish).result()
    agrees(workers[1].db, known=True)
    for worker in workers:
        worker.thread.shutdown()
        worker.db.connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE frequent SET bits = zeroblob(1024) WHERE word = 'lantern'",
        "UPDATE behind SET lists = x'81A76C616E7465726EC403FFFF00' WHERE word = 'lantern'",
    ],
)
async def test_bits_that_are_wrong_are_found_and_made_anew(long_store: SqliteStore, damage: str) -> None:
    with opened(long_store) as db:
        gathered(db, RANGE_ROWS)
        assert (await long_store.keeper.check(None)).sound
        assert db.connection.execute(damage).rowcount == 1
        counts(db, parse('"lantern dark"'), "b", size=RANGE_ROWS)
        (fault,) = (await long_store.keeper.check(None)).faults
        assert (fault.kind, "'lantern'" in fault.text, fault.repairable) == ("index", True, True)


@given(strategies.sets(strategies.integers(0, 8_191)))
def test_what_is_packed_is_unpacked(places: set[int]) -> None:
    numbers = sorted(4 * RANGE_ROWS + place for place in places)
    data = packed(numbers, 4 * RANGE_ROWS, RANGE_ROWS)
    assert len(data) == min(2 * len(numbers), RANGE_ROWS // 8)
    assert unpacked(data, RANGE_ROWS) == bits_of(numbers, 4 * RANGE_ROWS, RANGE_ROWS)


@pytest.mark.parametrize(
    "damaged", [b"", b"\0" * 10, b"\x81\xa7v" + packed_lists({"pier": b"ab"}), b"\x81\xa2\xff\xff\xc4\0"]
)
def test_of_lists_that_are_damaged_nothing_is_known(damaged: bytes) -> None:
    assert unpacked_lists(packed_lists({"pier": b"ab"})) == {"pier": b"ab"}
    assert unpacked_lists(damaged) == {}


def test_a_bit_stands_for_each_number() -> None:
    assert bits_of([8, 9, 23], 8, 16) == bytes([0b11, 0b10000000])
    assert bits_of([], 8, 12) == bytes(2)
