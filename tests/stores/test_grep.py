"""What only the SQLite store does when it looks for a pattern: what it weighs and looks at, and the words it learns."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given

from palimpsest.engine.retrieval.grep import grep
from palimpsest.errors import PalimpsestError
from palimpsest.limits import MAX_PATTERN_NESTING
from palimpsest.ports import Counted
from palimpsest.record.message import Message, Text
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.query_grammar import parse
from palimpsest.stores.index_terms import HOURS, LAST_HOUR, hour_of, hours_between
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.connection import connect
from palimpsest.stores.sqlite.fulltext.pattern_search import LOOKED_AT, RANKED, search
from palimpsest.stores.sqlite.statements import Db
from tests.contract.kit import ANN, NOW_S, TALK, append, say
from tests.contract.test_grammar import queries, searches
from tests.effort import examples

MANY = 3 * RANKED


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """An empty store in a file."""
    opened = await SqliteStore.open(tmp_path / "talks.db")
    yield opened
    await opened.close()


async def test_of_very_many_matches_all_are_counted_and_the_newest_weighed(store: SqliteStore) -> None:
    best = say("needle needle needle needle")
    await append(store, [best, *(say(f"a needle in number {place}") for place in range(RANKED))])
    await append(store, [best], owner="bob")
    answer = await grep(store, ANN, TALK, "needle")
    assert (answer.total, answer.complete, answer.weighed) == (2_001, True, 2_000)
    assert "m1" not in {hit.id for hit in answer.hits}
    assert answer.notes == ("in the order of the newest 2,000",)
    few = await grep(store, ANN, None, "needle NOT in")
    assert [hit.id for hit in few.hits] == ["m1"]
    everything = await store.search(ANN, TALK, parse("needle"), limit=1_000)
    assert answer.hits == (await grep(store, ANN, TALK, "needle", limit=1_000)).hits[:20]
    assert [hit.rank for hit in everything.hits] == sorted(hit.rank for hit in everything.hits)


async def test_a_piece_of_a_word_is_not_behind_what_only_has_its_stem(store: SqliteStore) -> None:
    await append(store, [say(f"it is clear, the sky is cleared {place}") for place in range(12)])
    await append(store, [say("call clearEntry on the very long way home that goes on and on")])
    assert (await store.search(ANN, TALK, parse("clearE"))).hits[0].id == "m13"
    await append(store, [say("cleare")])
    assert [hit.id for hit in (await store.search(ANN, TALK, parse("clearE"))).hits][-1] == "m13"


async def test_a_role_that_few_have_is_searched_as_any(store: SqliteStore) -> None:
    await append(store, [Message("assistant", (Text("the needle again"),))] * MANY)
    await append(store, [say("needle"), say("an unneedled needle"), say("nothing")])
    await append(store, [Message("assistant", (Text("unneedled"),))] * MANY)
    for pattern, ids in (("needle", {"m6001", "m6002"}), ("unneedled", {"m6002"}), ("NOT needle", {"m6003"})):
        answer = await store.search(ANN, TALK, parse(pattern), where=Where(role="user"))
        assert ({hit.id for hit in answer.hits}, answer.total) == (ids, len(ids))
    for pattern, total in (("needle", 2 * MANY), ("unneedled", MANY), ("again", MANY)):
        answer = await store.search(ANN, TALK, parse(pattern), where=Where(role="assistant"), limit=1)
        assert (answer.total, answer.weighed) == (total, RANKED)


@pytest.mark.parametrize(
    "pattern, found",
    [
        ("(needled b) OR threads", {"m1", "m2", "m3"}),
        ("needled OR threads", {"m1", "m2", "m3", "m4"}),
        ("needled OR c", {"m1", "m4", "m5"}),
        ("(NOT needled) OR needled", {"m1", "m2", "m3", "m4", "m5"}),
        ("p/unneedled.py OR threads", {"m2", "m3", "m4"}),
    ],
)
async def test_what_is_found_inside_of_words_is_among_the_hits(
    store: SqliteStore, pattern: str, found: set[str]
) -> None:
    said = ["unneedled b", "a thread", "unthreaded multithreads", "app/unneedled.python", "c"]
    await append(store, [say(text) for text in said])
    answer = await store.search(ANN, TALK, parse(pattern))
    assert ({hit.id for hit in answer.hits}, answer.total) == (found, len(found))


@pytest.mark.parametrize("others", [1, MANY])
async def test_a_large_place_is_searched_like_a_small_one(store: SqliteStore, others: int) -> None:
    said = [say(f"{'needle ' * (place % 5)}thread unneedled{place} in number {place}") for place in range(60)]
    await append(store, said)
    await append(store, [say("needle and a thread in number 7")] * others, talk="other")
    await append(store, [say("needle and a thread")], owner="bob")
    db = Db(connect(str(store.path), 1.0))
    for pattern in ("needle", '"thread in number"', "needle NOT 5", "needled OR 7", "NOT needle", "%eedl%"):
        for talk in (TALK, None):
            for where in (ANYWHERE, Where(role="user"), Where(role="user", since_s=1.0)):
                asked = (ANN, talk, parse(pattern), where, 100)
                assert search(db, *asked, small=0) == search(db, *asked), (pattern, talk, where)
    db.connection.close()


@examples(40)
@given(searches())
async def test_any_pattern_finds_and_ranks_in_a_large_place_what_it_does_in_a_small_one(
    made: tuple[list[str], list[str]],
) -> None:
    said, patterns = made
    with tempfile.TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "talks.db")
        await append(store, [say(text) for text in said])
        await append(store, [say(text) for text in said[:3]], talk="other")
        await append(store, [say(text) for text in said[1:]], owner="bob")
        db = Db(connect(str(store.path), 1.0))
        for query, talk in itertools.product(queries(patterns), (TALK, None)):
            asked = (ANN, talk, query, ANYWHERE, 100)
            assert search(db, *asked, small=0) == search(db, *asked)
        db.connection.close()
        await store.close()


async def test_what_was_not_looked_at_is_told(store: SqliteStore) -> None:
    count = LOOKED_AT + 20
    await append(store, [say(f"xx{place}abcdefg{place}") for place in range(count)])
    answer = await grep(store, ANN, TALK, "abcdef")
    assert (answer.complete, answer.total, answer.weighed) == (False, LOOKED_AT, 2_000)
    assert answer.notes[0].startswith("at least 2,000")
    whole = await grep(store, ANN, TALK, "xx7abcdefg7")
    assert (whole.complete, [hit.id for hit in whole.hits]) == (True, ["m8"])


async def test_an_append_that_fails_leaves_no_word_unlearnt(store: SqliteStore) -> None:
    broken = Counted(Message("user", (Text("singularword"),), time_s=NOW_S), None)  # type: ignore[arg-type]
    with pytest.raises(PalimpsestError):
        await store.append(ANN, TALK, [broken], now_s=NOW_S)
    await append(store, [say("a singularword")])
    assert (await store.search(ANN, TALK, parse("ngularwo"))).total == 1


async def test_words_that_another_connection_learnt_are_found(store: SqliteStore) -> None:
    other = await SqliteStore.open(store.path)
    await append(other, [say("theirsingularword")])
    await append(store, [say("theirsingularword again")])
    assert (await store.search(ANN, TALK, parse("singularwo"))).total == 2
    await other.close()


@pytest.mark.parametrize(
    "level", ["x (a OR NOT (b ", "NOT (NOT a OR (b ", "(a OR b c (", "(%abc% OR NOT (x "]
)
async def test_the_deepest_pattern_is_within_the_limits_of_the_index(store: SqliteStore, level: str) -> None:
    await append(store, [say("a b c x abcabc"), say("nothing")])
    times = MAX_PATTERN_NESTING // 2
    pattern = f"{level * times}c{'))' * times}"
    where = Where(role="user", since_s=1.0, before_s=2e9)
    for place in (TALK, None):
        assert (await store.search(ANN, place, parse(pattern), where=where)).complete


async def test_a_pattern_of_as_many_parts_as_may_be_is_answered(store: SqliteStore) -> None:
    await append(store, [say(" ".join(f"{one}abc{place}" for place in range(60))) for one in "qwertyuiop"])
    for joint, total in ((" ", 0), (" OR ", 10), (" OR NOT ", 10)):
        pattern = joint.join(f"%{one}abc%" for one in "qwertyuiop" * 4)
        assert (await store.search(ANN, TALK, parse(pattern))).total == total


async def test_encoded_data_is_searched_within_its_limits(store: SqliteStore) -> None:
    await append(store, [say("QUJD" * 50_000), say("x" * 5_000 + "y")])
    assert (await store.search(ANN, TALK, parse("%ujdqu%"))).total == 1
    assert (await store.search(ANN, TALK, parse("xxxxxxy"))).total == 1


@pytest.mark.parametrize(
    "first, end", [(0, 0), (5, 5), (0, 1), (3, 30), (23, 25), (0, 768), (1, 100_000), (475_000, LAST_HOUR)]
)
def test_hours_are_covered_once_and_by_few_words(first: int, end: int) -> None:
    words = hours_between(first, end)
    covered: list[int] = []
    for word in words:
        level, place = word[1:].split("x")
        size = HOURS[int(level)]
        covered += range(int(place) * size, (int(place) + 1) * size)
    assert covered == list(range(first, end))
    assert len(words) <= 2 * (23 + 31 + 31) + 32


def test_a_time_of_any_kind_has_an_hour() -> None:
    times = (0.0, 3_599.9, 3_600.0, -1.0, 1e300, float("inf"), float("-inf"), float("nan"))
    assert [hour_of(one) for one in times] == [0, 0, 1, 0, LAST_HOUR, LAST_HOUR, 0, 0]
