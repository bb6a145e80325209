"""What every store keeps beside the windows: pins for a conversation, a ledger for each branch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.errors import NotFound
from palimpsest.ports import Loaded, Store
from palimpsest.record.pin import Pin, Quote
from tests.contract.kit import ANN, NOW_S, TALK, append, commit, numbered, summarized, sync, window_of

PIN = Pin("", (Quote("  key\t\ud800 </x>\n", "m1", "user"), Quote("a text")), "r1", 12, NOW_S)


async def loaded(store: Store) -> Loaded:
    """The conversation as loaded."""
    found = await store.load_window(ANN, TALK)
    assert found is not None
    return found


async def compact(store: Store, first: int, last: int, ledger: str, through: int) -> None:
    """Put a summary in place of some messages, with a ledger beside it."""
    made = summarized(await window_of(store), first, last)
    record = replace(
        made.compaction, ledger=ledger, ledger_through=through, evidence=(("paths", 3, 1), ("commands", 0, 2))
    )
    await commit(store, replace(made, compaction=record))


async def test_a_pin_is_kept_word_for_word_under_an_id_of_its_own_until_it_is_unpinned(store: Store) -> None:
    await append(store, numbered(1, 2))
    first = await store.pin(ANN, TALK, PIN)
    second = await store.pin(ANN, TALK, PIN)
    assert first.id != second.id
    assert await store.pins(ANN, TALK) == (first, second)
    assert replace(first, id="") == PIN
    assert (await loaded(store)).pins == (first, second)
    assert await store.unpin(ANN, TALK, first.id)
    assert not await store.unpin(ANN, TALK, first.id)
    assert await store.pins(ANN, TALK) == (second,)
    assert await store.unpin(ANN, TALK, second.id)
    third = await store.pin(ANN, TALK, PIN)
    assert third.id not in {first.id, second.id}


async def test_pinning_and_unpinning_change_the_version_of_the_branch(store: Store) -> None:
    await append(store, numbered(1, 2))
    versions = [(await loaded(store)).branch.version]
    pin = await store.pin(ANN, TALK, PIN)
    versions.append((await loaded(store)).branch.version)
    await store.unpin(ANN, TALK, pin.id)
    versions.append((await loaded(store)).branch.version)
    assert len(set(versions)) == 3


async def test_nobody_else_sees_or_removes_a_pin_or_a_ledger(store: Store) -> None:
    await append(store, numbered(1, 2))
    await append(store, numbered(1, 2), owner="bob")
    await append(store, numbered(1, 2), talk="other")
    pin = await store.pin(ANN, TALK, PIN)
    branch = (await loaded(store)).branch
    await store.save_ledger(ANN, TALK, branch.id, "{}")
    assert await store.pins("bob", TALK) == ()
    assert await store.pins(ANN, "other") == ()
    assert not await store.unpin("bob", TALK, pin.id)
    assert not await store.unpin(ANN, "other", pin.id)
    assert not await store.unpin(ANN, TALK, "m1")
    assert await store.ledger("bob", TALK, branch.id) == ""
    assert await store.ledger(ANN, "other", branch.id) == ""
    await store.save_ledger("bob", TALK, branch.id, "theirs")
    assert await store.ledger(ANN, TALK, branch.id) == "{}"
    assert await store.pins(ANN, TALK) == (pin,)


async def test_a_pin_of_a_conversation_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(NotFound):
        await store.pin(ANN, "nowhere", PIN)
    with pytest.raises(NotFound):
        await store.save_ledger(ANN, "nowhere", 1, "{}")
    assert await store.pins(ANN, "nowhere") == ()
    assert await store.ledger(ANN, "nowhere", 1) == ""


async def test_a_ledger_is_kept_for_each_branch_the_last_one_given(store: Store) -> None:
    await append(store, numbered(1, 2))
    branch = (await loaded(store)).branch
    assert await store.ledger(ANN, TALK, branch.id) == ""
    await store.save_ledger(ANN, TALK, branch.id, '{"a":1}')
    await store.save_ledger(ANN, TALK, branch.id, '{"a":"é"}')
    assert await store.ledger(ANN, TALK, branch.id) == '{"a":"é"}'
    assert await store.ledger(ANN, TALK, branch.id + 1) == ""


async def test_the_ledger_of_the_newest_compaction_stands_beside_the_window(store: Store) -> None:
    await append(store, numbered(1, 9))
    assert (await loaded(store)).ledger == ""
    await compact(store, 1, 3, "one", 9)
    await compact(store, 4, 6, "two", 9)
    found = await loaded(store)
    assert (found.ledger, found.ledger_through) == ("two", 9)
    records = await store.compactions(ANN, TALK)
    assert [(one.ledger, one.ledger_through) for one in records] == [("one", 9), ("two", 9)]
    assert records[0].evidence == (("paths", 3, 1), ("commands", 0, 2))


async def test_a_fork_starts_with_the_newest_ledger_made_from_nothing_after_it(store: Store) -> None:
    await append(store, numbered(1, 6))
    await compact(store, 1, 2, "early", 6)
    await append(store, numbered(7, 9))
    await compact(store, 3, 4, "late", 9)
    edited = [*numbered(1, 7), *numbered(20, 21)]
    await sync(store, edited)
    assert (await loaded(store)).ledger == "early"
    await sync(store, [*edited[:8], *numbered(30, 31)])
    assert (await loaded(store)).ledger == "early"
    await sync(store, [*numbered(1, 5), *numbered(40, 41)])
    assert (await loaded(store)).ledger == ""
    await sync(store, numbered(1, 9))
    assert (await loaded(store)).ledger == "late"


async def test_pins_survive_a_fork(store: Store) -> None:
    await append(store, numbered(1, 4))
    pin = await store.pin(ANN, TALK, PIN)
    await sync(store, [*numbered(1, 1), *numbered(20, 22)])
    assert (await loaded(store)).pins == (pin,)


async def test_a_memo_is_kept_for_the_conversation_of_its_owner(store: Store) -> None:
    await append(store, numbered(1, 2))
    assert await store.memo(ANN, TALK) == ""
    await store.save_memo(ANN, TALK, "one")
    await store.save_memo(ANN, TALK, "two")
    assert await store.memo(ANN, TALK) == "two"
    assert await store.memo("somebody else", TALK) == ""
    assert await store.memo(ANN, "another") == ""
    with pytest.raises(NotFound):
        await store.save_memo(ANN, "another", "x")
