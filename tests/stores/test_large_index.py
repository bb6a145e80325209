"""An index that is gone through in parts, and texts that are weighed without it, answer as the whole index does."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.ports import FoundAll
from palimpsest.record.message import Media, Message, Text
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.query_grammar import parse
from palimpsest.search.word_folding import index_stem
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.connection import connect
from palimpsest.stores.sqlite.fulltext.bm25 import MOST_COUNTED, counted_for, ranks_of, read
from palimpsest.stores.sqlite.fulltext.newest_matches import FEW, MESSAGES, NEWEST_SHARE, Finder
from palimpsest.stores.sqlite.fulltext.pattern_search import search
from palimpsest.stores.sqlite.fulltext.reader_connections import (
    READERS,
    TEXTS_AT_ONCE,
    ScanHelper,
    TextReaders,
)
from palimpsest.stores.sqlite.fulltext.vocabulary import Vocabulary
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, TALK, append, say
from tests.contract.test_grammar import queries, searches
from tests.effort import examples


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """An empty store in a file."""
    opened = await SqliteStore.open(tmp_path / "talks.db")
    yield opened
    await opened.close()


@contextmanager
def opened(store: SqliteStore) -> Iterator[tuple[Db, ScanHelper]]:
    db, helper = Db(connect(str(store.path), 1.0)), ScanHelper(str(store.path), 1.0, 20.0)
    try:
        yield db, helper
    finally:
        helper.close()
        db.connection.close()


def found(answer: FoundAll) -> tuple[int, bool, set[str]]:
    return answer.total, answer.complete, {hit.id for hit in answer.hits}


@examples(20)
@given(searches())
async def test_any_pattern_finds_in_parts_what_it_finds_at_once(made: tuple[list[str], list[str]]) -> None:
    said, patterns = made
    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "talks.db")
        await append(store, [say(text) for text in said * 20])
        await append(store, [say(text) for text in said[:3]], talk="other")
        await append(store, [say(text) for text in said[1:]], owner="bob")
        await store.search(ANN, None, parse("taken in"))
        with opened(store) as (db, helper):
            for query, talk, small in itertools.product(queries(patterns), (TALK, None), (0, 100)):
                asked = (ANN, talk, query, ANYWHERE, 200, small)
                assert found(search(db, *asked, helper=helper, large=0)) == found(search(db, *asked))
        await store.close()


@pytest.mark.parametrize("most", [1, 2, 8, 100, 1_000])
@pytest.mark.parametrize("every", [1, 2, 7, 60, 10_000])
async def test_the_newest_and_their_number_do_not_depend_on_how_an_index_is_divided(
    store: SqliteStore, every: int, most: int
) -> None:
    last = NEWEST_SHARE * (FEW + 4) * 4
    await append(store, [say("needle" if place % every == 0 else "hay") for place in range(last)])
    every_one = sorted((1 + place for place in range(0, last, every)), reverse=True)
    with opened(store) as (db, helper):
        for one, large, halved in itertools.product((helper, None), (0, last, last + 1), (False, True)):
            newest, besides = Finder(db, one, MESSAGES, large).newest_of("needle", most, halved=halved)
            assert newest == every_one[:most]
            assert besides() == len(every_one) - len(newest)


async def test_all_that_match_may_stand_in_any_part(store: SqliteStore) -> None:
    for first in (True, False):
        await append(store, [say("hay" if first else "a needle"), say("needle hay")] * 300)
        await append(store, [say("hay")] * 400)
    with opened(store) as (db, helper):
        for most, halved in itertools.product((10, 400, 800, 2_000), (False, True)):
            newest, besides = Finder(db, helper, MESSAGES, 0).newest_of("needle", most, halved=halved)
            assert len(newest) == min(most, 900)
            assert newest == sorted(newest, reverse=True)
            assert len(newest) + besides() == 900


async def test_of_what_mostly_stands_in_the_oldest_part_the_newest_are_found_and_all_are_counted(
    store: SqliteStore,
) -> None:
    said = ["needle"] * 300 + ["hay"] * 565 + ["needle"] * 10 + ["hay"] * 107 + ["needle"] * 18
    await append(store, [say(text) for text in said])
    with opened(store) as (db, helper):
        newest, besides = Finder(db, helper, MESSAGES, 0).newest_of("needle", FEW + 4)
        assert newest == [*range(1_000, 982, -1), 875, 874]
        assert len(newest) + besides() == 328


async def test_a_phrase_of_frequent_words_is_weighed_by_its_texts_in_the_index_s_order(
    store: SqliteStore,
) -> None:
    await append(store, [say("the red lamp"), say("a lamps red")] * 1_500)
    told = [
        "red lamp",
        "a Red, lamp; and more of it that goes on and on and on and on",
        "red lamps, red lamp",
        "redlamp lamp red",
        "the red\tlamp that they have at home where nobody ever looks at it, at all, at any time of the day",
    ]
    await append(store, [say(text) for text in told], talk="other")
    query = parse('"red lamp"')
    await store.search(ANN, None, query)
    with opened(store) as (db, helper):
        kept = [3_005, 3_003, 3_002, 3_001]
        own = ranks_of(Vocabulary(db), ["red lamp"], kept)()
        assert own is not None
        assert set(own) == set(kept)
        whole, parts = (
            search(db, ANN, "other", query, ANYWHERE, 10, helper=helper, large=large) for large in (9_999, 0)
        )
    assert (
        [hit.id for hit in whole.hits]
        == [hit.id for hit in parts.hits]
        == ["m3003", "m3001", "m3002", "m3005"]
    )
    assert [hit.rank for hit in parts.hits] == sorted(own.values())
    assert all(rank < 0 for rank in own.values())


async def test_texts_that_several_connections_read_are_weighed_as_by_one(store: SqliteStore) -> None:
    said = ["red lamp", "the red lamp that they have at home", "red lamps, red lamp", "a lamp"]
    count = (READERS + 2) * TEXTS_AT_ONCE
    await append(store, [say(said[place % 4]) for place in range(count)])
    await store.search(ANN, TALK, parse("taken in"))
    numbers = list(range(count, 0, -1))
    readers = TextReaders(str(store.path), 1.0, 20.0)
    with opened(store) as (db, _):
        known, asked = Vocabulary(db), ["red lamp"]
        for some in (numbers, numbers[: TEXTS_AT_ONCE + 1], numbers[:1], []):
            alone, shared = (read(known, asked, some, 10**6, one)() for one in (None, readers))
            assert alone is not None
            assert len(alone) == sum((number - 1) % 4 < 3 for number in some)
            assert shared == alone
        assert read(known, asked, numbers, 2 * count, readers)() is None
    readers.close()


async def test_texts_that_are_longer_than_most_are_given_up_once_they_are_met(store: SqliteStore) -> None:
    await append(store, [say("the red lamp " + "and so on " * 20_000), *[say("red lamp")] * 5_000])
    await store.search(ANN, TALK, parse("taken in"))
    with opened(store) as (db, _):
        known, asked = Vocabulary(db), ["red lamp"]
        assert read(known, asked, [3, 2, 1], 10_000)() is None
        few = read(known, asked, [3, 2, 1], 100_000)()
    assert few is not None
    assert max(few, key=few.__getitem__) == 1


async def test_what_stands_beside_half_of_a_surrogate_pair_or_a_picture_is_weighed(
    store: SqliteStore,
) -> None:
    picture = Message("user", (Text("red lamp"), Media("image/png", uri="red lamp.png")))
    said = [say("a red lamp"), say("red lamp \ud83d"), picture, say("red, lamp red lamp")]
    await append(store, said)
    query = parse('"red lamp"')
    await store.search(ANN, TALK, query)
    with opened(store) as (db, _):
        known, asked = Vocabulary(db), ["red lamp"]
        whole = read(known, asked, [4, 3, 2, 1], 10**6)()
        few = read(known, asked, [4, 3, 1], 10**6)()
    assert whole is not None
    assert set(whole) == {1, 2, 3, 4}
    assert few is not None
    assert sorted(few, key=few.__getitem__) == [
        one for one in sorted(whole, key=whole.__getitem__) if one != 2
    ]


@pytest.mark.parametrize(
    "pattern, counted",
    [
        ('"red lamp"', ("red lamp",)),
        ('"red lamp" NOT blue NOT "sea green"', ("red lamp",)),
        ('"red" OR "lamp" "red"', ("red", "lamp")),
        ('"red lamp" "sea green"', ()),
        ('"red lamp" OR "sun"', ()),
        ('NOT "red lamp"', ()),
        ("red NOT blue", ("red",)),
        ("lantern", ()),
        ("src/main.py", ()),
        ('"%ed lamp"', ()),
        (" ".join(f'"a{place}"' for place in range(MOST_COUNTED + 1)), ()),
    ],
)
def test_a_few_whole_words_or_one_phrase_can_be_weighed_by_texts(
    pattern: str, counted: tuple[str, ...]
) -> None:
    assert counted_for(parse(pattern).root) == counted


WORD = st.sampled_from(["red", "lamp", "lamps", "sun", "灯", "a", "é", "x1"])
TEXT = st.lists(
    WORD
    | st.sampled_from([",", ".", "RED", "Lamp", "\n", "\ud800", "lighting", "灯塔", "long" * 150, "ö" * 150]),
    max_size=12,
)
PHRASE = st.lists(WORD, min_size=2, max_size=3).map(" ".join)


@examples(40)
@given(
    st.lists(TEXT.map(" ".join), min_size=1, max_size=9),
    st.lists(
        PHRASE.map(lambda one: [one]) | st.lists(WORD, min_size=1, max_size=3, unique_by=index_stem),
        min_size=1,
        max_size=6,
    ),
)
async def test_texts_are_weighed_as_the_index_weighs_them(said: list[str], asked: list[list[str]]) -> None:
    store = await SqliteStore.open(":memory:")
    await append(store, [say(text) for text in [*said, *["else"] * 20]])
    await store.search(ANN, TALK, parse("taken in"))
    db = store._searcher.db
    kept = list(range(len(said), 0, -1))
    for phrases in asked:
        matching = " OR ".join(f'"{one}"' for one in phrases)
        held = [len(db.run("newest_ranked_messages", f'"{one}"', 100).fetchall()) for one in phrases]
        ranks = read(Vocabulary(db), phrases, kept, 10**6, held=held)()
        index = {int(row[0]): float(row[1]) for row in db.run("newest_ranked_messages", matching, 100)}
        assert ranks == pytest.approx(index)
    await store.close()


async def test_frequent_words_are_weighed_by_their_texts_in_the_index_s_order(store: SqliteStore) -> None:
    said = [
        "the red lamp",
        "a lamp",
        "red red red",
        "green and green and green and so on",
        "lamps of red lamps",
    ]
    await append(store, [say(text) for text in said] * 300)
    await append(store, [say("a red lamp"), say("lamp lamp red"), say("red tree")], talk="other")
    for pattern in ("red lamp", "red OR lamp", "lamp NOT tree", "red NOT green", "lamp"):
        query = parse(pattern)
        await store.search(ANN, None, query)
        with opened(store) as (db, helper):
            whole, parts = (
                search(db, ANN, None, query, ANYWHERE, 2_000, helper=helper, large=large)
                for large in (9_999, 0)
            )
        assert whole.total == parts.total > 400
        assert [hit.id for hit in whole.hits] == [hit.id for hit in parts.hits]


async def test_a_role_and_a_time_are_kept_to_in_parts(store: SqliteStore) -> None:
    await append(store, [replace(say("red lamp"), time_s=1_000.0 * place) for place in range(200)])
    where = Where(role="user", since_s=50_000.0, before_s=150_500.0)
    with opened(store) as (db, helper):
        answers = [
            search(db, ANN, TALK, parse('"red lamp"'), where, 300, helper=helper, large=large)
            for large in (0, 999)
        ]
    assert found(answers[0]) == found(answers[1])
    assert answers[0].total == 101


async def test_a_damaged_message_keeps_no_other_from_being_found(store: SqliteStore) -> None:
    await append(store, [say("red green"), say("lamp")] * 600)
    await append(store, [say("red lamp"), say("the red lamp"), say("a red lamp")])
    query = parse('"red lamp"')
    await store.search(ANN, TALK, query)
    with opened(store) as (db, helper):
        db.connection.execute("UPDATE message SET body = '{' WHERE id = 1202")
        own = ranks_of(Vocabulary(db), ["red lamp"], [1_203, 1_202, 1_201])()
        answer = search(db, ANN, TALK, query, ANYWHERE, 2, helper=helper, large=0)
    assert own is not None
    assert set(own) == {1_201, 1_203}
    assert (answer.total, [hit.text for hit in answer.hits]) == (3, ["red lamp", "a red lamp"])
