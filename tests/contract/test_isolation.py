"""Two owners in one store: neither reads, finds, changes or counts what is the other's, whatever the names."""

from __future__ import annotations

import pytest

from palimpsest.budget.calibration import Calibration
from palimpsest.errors import NotFound, StaleCommit
from palimpsest.ports import ReportedUsage, Store
from palimpsest.record.message import Usage
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    append,
    branch_of,
    commit,
    compact,
    counted,
    dialogue,
    found,
    hits,
    ids,
    numbered,
    say,
    summarized,
    sync,
    texts,
    window_of,
)

BOB = "bob"


async def test_conversations_of_one_name_are_apart(store: Store) -> None:
    await append(store, dialogue("hers"))
    await append(store, dialogue("his", "his too"), owner=BOB)
    assert await texts(store) == ["hers"]
    assert await texts(store, owner=BOB) == ["his", "his too"]
    assert await ids(store, owner=BOB) == ["m2", "m3"]
    assert [row.messages for row in await store.conversations(ANN)] == [1]
    assert [row.messages for row in await store.conversations(BOB)] == [2]


async def test_an_unknown_owner_has_nothing(store: Store) -> None:
    await append(store, numbered(1, 4))
    assert await store.branch("nobody", TALK) is None
    assert await store.load_window("nobody", TALK) is None
    assert await store.messages("nobody", TALK, 1, 9) == []
    assert await store.compactions("nobody", TALK) == []
    assert await store.conversations("nobody") == []
    assert await store.pending("nobody") == []
    assert await store.match("nobody", TALK, numbered(1, 4)) == 0
    assert await store.resolve("nobody", numbered(1, 4)) is None
    assert await found(store, "message", owner="nobody") == set()
    assert await found(store, "message", owner="nobody", talk=None) == set()
    stats = await store.stats("nobody")
    assert (stats.messages, stats.tokens, stats.conversations, stats.compactions) == (0, 0, 0, 0)
    assert stats.summaries_by_depth == ()


async def test_ids_of_another_owner_are_unknown_ones(store: Store) -> None:
    await append(store, numbered(1, 4))
    summary = await compact(store, 1, 3)
    await append(store, dialogue("his"), owner=BOB)
    assert await store.read(BOB, ["m1", summary.id]) == {}
    assert set(await store.read(BOB, ["m1", "m5"])) == {"m5"}
    assert await store.read(ANN, ["m5"]) == {}


async def test_a_search_never_leaves_its_owner(store: Store) -> None:
    await append(store, dialogue("alpha secret"))
    await append(store, dialogue("alpha open"), owner=BOB)
    await append(store, dialogue("alpha more"), owner=BOB, talk="second")
    assert await found(store, "alpha") == {"m1"}
    assert await found(store, "alpha", talk=None) == {"m1"}
    assert await found(store, "alpha", owner=BOB) == {"m2"}
    assert await found(store, "alpha", owner=BOB, talk=None) == {"m2", "m3"}
    assert await found(store, "secret", owner=BOB, talk=None) == set()
    assert await found(store, "ecre", owner=BOB) == set()


async def test_summaries_of_another_owner_are_not_found(store: Store) -> None:
    await append(store, numbered(1, 4))
    await append(store, numbered(1, 4), owner=BOB)
    await compact(store, 1, 3, text="crimson")
    assert await found(store, "crimson", owner=BOB, talk=None) == set()
    assert [hit.kind for hit in await hits(store, "crimson", talk=None)] == ["summary"]


@pytest.mark.parametrize("word", ["o1", "c1", "o2", "scope", "o1 AND c1", "c2 o2"])
async def test_no_word_widens_a_search(store: Store, word: str) -> None:
    await append(store, dialogue("nothing of the kind"))
    await append(store, dialogue("nothing either"), owner=BOB)
    assert await found(store, word) == set()
    assert await found(store, word, owner=BOB, talk=None) == set()


async def test_histories_and_keys_of_another_owner_are_unknown(store: Store) -> None:
    first = await store.append(ANN, TALK, counted(dialogue("a")), key="k", now_s=NOW_S)
    assert await store.match(BOB, TALK, dialogue("a")) == 0
    assert await store.resolve(BOB, dialogue("a")) is None
    second = await store.append(BOB, TALK, counted(dialogue("a")), key="k", now_s=NOW_S)
    assert not second.repeated
    assert second.stored[0].id != first.stored[0].id
    assert second.branch.id != first.branch.id


async def test_another_owners_history_does_not_fork(store: Store) -> None:
    await sync(store, dialogue("a", "b", "c"))
    done = await sync(store, dialogue("a", "b"), owner=BOB)
    assert (done.added, done.forked) == (2, False)
    assert await texts(store) == ["a", "b", "c"]


async def test_another_owners_branch_cannot_be_compacted(store: Store) -> None:
    await append(store, numbered(1, 4))
    await append(store, numbered(1, 4), owner=BOB)
    branch = await branch_of(store)
    plan = summarized(await window_of(store), 1, 2)
    with pytest.raises(StaleCommit):
        await store.commit(BOB, TALK, branch.id, plan)
    with pytest.raises(NotFound):
        await store.commit("nobody", TALK, branch.id, plan)
    with pytest.raises(StaleCommit):
        await commit(store, plan, owner=BOB)
    assert len((await window_of(store)).items) == 4


async def test_another_owners_usage_is_neither_read_nor_written(store: Store) -> None:
    await append(store, dialogue("a"))
    await append(store, dialogue("a"), owner=BOB)
    branch = await branch_of(store)
    hers = ReportedUsage(Usage(10, 1), 12, "mark")
    await store.record_usage(ANN, TALK, branch.id, hers, Calibration())
    await store.record_usage(BOB, TALK, branch.id, ReportedUsage(Usage(99, 9), 99, "other"), Calibration())
    assert await store.calibration(ANN, "") == Calibration()
    assert await store.calibration(BOB, "") is None
    assert await store.last_usage(BOB, TALK, branch.id) is None
    assert await store.last_usage(ANN, TALK, branch.id) == hers


async def test_noted_work_is_an_owners_own(store: Store) -> None:
    await append(store, dialogue("a"))
    await append(store, dialogue("a"), owner=BOB)
    assert await store.enqueue(ANN, TALK, "leaf", now_s=NOW_S)
    assert await store.enqueue(BOB, TALK, "leaf", now_s=NOW_S)
    await store.finish(BOB, TALK, "leaf")
    assert await store.pending(ANN) == [(TALK, "leaf")]
    assert await store.pending(BOB) == []


async def test_what_is_said_about_a_conversation_is_its_owners(store: Store) -> None:
    await append(store, dialogue("a"))
    await append(store, dialogue("a"), owner=BOB)
    await store.describe_conversation(ANN, TALK, title="hers", system="be kind", now_s=NOW_S)
    (row,) = await store.conversations(BOB)
    assert (row.title, row.system) == ("a", "")


async def test_counts_are_an_owners_own(store: Store) -> None:
    await append(store, numbered(1, 4))
    await compact(store, 1, 3)
    await append(store, [say("a")], owner=BOB)
    hers, his = await store.stats(ANN), await store.stats(BOB)
    assert (hers.messages, hers.summaries_by_depth, hers.compactions) == (4, ((0, 1),), 1)
    assert (his.messages, his.summaries_by_depth, his.compactions) == (1, (), 0)
