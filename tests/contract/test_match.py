"""What a store knows of a history that is sent to it, and where."""

from __future__ import annotations

from palimpsest.ports import Counted, Store
from tests.contract.kit import ANN, NOW_S, TALK, append, dialogue, numbered, say, sync


async def test_matching_counts_what_any_branch_knows(store: Store) -> None:
    assert await store.match(ANN, TALK, dialogue("a")) == 0
    await sync(store, dialogue("a", "b", "c"))
    await sync(store, dialogue("a", "x"))
    for said, known in (
        (dialogue("a", "x"), 2),
        (dialogue("a", "x", "y"), 2),
        (dialogue("a", "b", "c", "d"), 3),
        (dialogue("a", "b"), 2),
        (dialogue("b"), 0),
        ([], 0),
    ):
        assert await store.match(ANN, TALK, said) == known


async def test_matching_says_exactly_what_syncing_takes_as_known(store: Store) -> None:
    said = numbered(1, 9)
    for history_sent in (said[:4], said[:2], said, [*said[:3], say("x", "assistant")], said[:3]):
        known = await store.match(ANN, TALK, history_sent)
        entries = [Counted(message, -1 if place < known else 1) for place, message in enumerate(history_sent)]
        done = await store.sync(ANN, TALK, entries, now_s=NOW_S)
        assert done.added == len(history_sent) - known


async def test_histories_of_another_conversation_are_unknown(store: Store) -> None:
    await sync(store, dialogue("a", "b", "c"))
    await sync(store, dialogue("x"), talk="other")
    assert await store.match(ANN, "other", dialogue("a", "b")) == 0
    done = await sync(store, dialogue("a", "b"), talk="other")
    assert (done.added, done.branch.parent) == (2, None)


async def test_of_branches_that_say_the_same_a_history_is_resolved_to_the_current_one(store: Store) -> None:
    first = await sync(store, dialogue("a", "b", "c"))
    second = await sync(store, dialogue("a"))
    await append(store, [say("b", "assistant")])
    assert await store.resolve(ANN, dialogue("a", "b")) == (TALK, second.branch.id, 2)
    await sync(store, dialogue("a", "b", "c"))
    assert await store.resolve(ANN, dialogue("a", "b")) == (TALK, first.branch.id, 2)


async def test_a_history_is_resolved_to_the_conversation_that_knows_most_of_it(store: Store) -> None:
    assert await store.resolve(ANN, dialogue("a")) is None
    short = await sync(store, dialogue("a"), talk="short")
    long = await sync(store, dialogue("a", "b", "c"), talk="long")
    assert await store.resolve(ANN, dialogue("a", "b", "c", "d")) == ("long", long.branch.id, 3)
    assert await store.resolve(ANN, dialogue("a", "b")) == ("long", long.branch.id, 2)
    assert await store.resolve(ANN, dialogue("x")) is None
    assert await store.resolve(ANN, []) is None
    assert short.branch.id != long.branch.id


async def test_a_history_is_resolved_to_the_branch_that_holds_its_end(store: Store) -> None:
    first = await sync(store, dialogue("a", "b", "c"))
    second = await sync(store, dialogue("a", "x"))
    assert await store.resolve(ANN, dialogue("a", "b", "c")) == (TALK, first.branch.id, 3)
    assert await store.resolve(ANN, dialogue("a", "x", "y")) == (TALK, second.branch.id, 2)
