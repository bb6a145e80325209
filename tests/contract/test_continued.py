"""Histories of which only what follows a known beginning is given to a store."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from palimpsest.errors import StaleCommit
from palimpsest.ports import Counted, Store, Synced
from palimpsest.record.chain import heads
from palimpsest.record.message import Message
from tests.contract.kit import ANN, NOW_S, TALK, append, chained, counted, dialogue, history, say, sync, texts


async def follow(store: Store, said: Sequence[Message], given: int, *, rewind: bool = True) -> Synced:
    """Take in a history of which the first `given` messages are left out."""
    before, rest = heads(said[:given])[-1], counted(said[given:])
    return await store.sync(ANN, TALK, rest, after=before, rewind=rewind, now_s=NOW_S)


async def test_what_follows_is_added(store: Store) -> None:
    await sync(store, dialogue("a", "b"))
    done = await follow(store, dialogue("a", "b", "c", "d"), 2)
    assert (done.added, done.forked, done.branch.head.seq, done.branch.closed_seq) == (2, False, 4, 4)
    assert await texts(store) == ["a", "b", "c", "d"]
    assert chained(await history(store))


async def test_what_follows_may_be_known_or_nothing(store: Store) -> None:
    first = await sync(store, dialogue("a", "b"))
    await append(store, [say("c")])
    done = await follow(store, dialogue("a", "b", "c", "d"), 2)
    assert (done.added, done.forked, done.branch.id) == (1, False, first.branch.id)
    again = await follow(store, dialogue("a", "b", "c", "d"), 4)
    assert (again.branch, again.added, again.forked) == (done.branch, 0, False)


@pytest.mark.parametrize(
    "said", [("a", "b", "c", "d"), ("a", "b"), ("a", "b", "x"), ("a", "b", "x", "y", "z")]
)
@pytest.mark.parametrize("given", [1, 2])
@pytest.mark.parametrize("rewind", [True, False])
async def test_it_does_what_the_whole_history_would(
    store: Store, said: tuple[str, ...], given: int, rewind: bool
) -> None:
    whole = "whole"
    for talk in (TALK, whole):
        await sync(store, dialogue("a", "b", "c", "d", "e"), talk=talk)
        await sync(store, dialogue("a", "b", "x", "y"), talk=talk)
        await sync(store, dialogue("a", "b"), talk=talk)
    done = await follow(store, dialogue(*said), given, rewind=rewind)
    other = await sync(store, dialogue(*said), talk=whole, rewind=rewind)
    assert (done.added, done.forked, done.replaced) == (other.added, other.forked, other.replaced)
    assert done.branch.head == other.branch.head
    assert [one.chain for one in await history(store)] == [
        one.chain for one in await history(store, talk=whole)
    ]


async def test_a_beginning_that_is_not_stored_is_refused_and_nothing_is_made(store: Store) -> None:
    with pytest.raises(StaleCommit):
        await follow(store, dialogue("a", "b"), 1)
    assert await store.conversations(ANN) == []
    await sync(store, dialogue("a", "b"))
    with pytest.raises(StaleCommit):
        await follow(store, dialogue("x", "b", "c"), 2)
    assert await texts(store) == ["a", "b"]


async def test_where_something_was_forgotten_the_whole_history_is_asked_for(store: Store) -> None:
    await sync(store, dialogue("a", "b", "secret"))
    await sync(store, dialogue("a", "b", "x"))
    await store.forgetting.forget(ANN, TALK, ["m3"], {})
    with pytest.raises(StaleCommit):
        await follow(store, dialogue("a", "b", "secret"), 2)
    assert (await sync(store, dialogue("a", "b", "secret"))).added == 0
    assert "secret" not in await texts(store)


async def test_a_message_without_its_tokens_has_to_be_stored(store: Store) -> None:
    said = dialogue("a", "b", "c")
    await sync(store, said[:2])
    with pytest.raises(StaleCommit):
        await store.sync(ANN, TALK, [Counted(said[2], -1)], after=heads(said[:2])[-1], now_s=NOW_S)
    assert await texts(store) == ["a", "b"]
