"""Appending: what is stored comes back, in order, once for each key."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.budget.token_counts import added_tokens
from palimpsest.errors import StaleCommit
from palimpsest.ports import Store
from palimpsest.record.chain import ROOT, Head, heads
from palimpsest.record.message import Addition, Message, Text, ToolCall, ToolResult, Usage
from palimpsest.search.query_grammar import parse
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    append,
    branch_of,
    chained,
    counted,
    dialogue,
    history,
    ids,
    numbered,
    say,
    texts,
)


async def test_a_conversation_is_unknown_before_its_first_message(store: Store) -> None:
    assert await store.branch(ANN, TALK) is None
    assert await store.load_window(ANN, TALK) is None
    assert await store.messages(ANN, TALK, 1, 10) == []
    assert await store.compactions(ANN, TALK) == []
    assert await store.conversations(ANN) == []


async def test_what_is_appended_comes_back_with_ids_positions_and_hashes(store: Store) -> None:
    said = dialogue("hello", "hi", "how are you?")
    done = await store.append(ANN, TALK, counted(said), now_s=NOW_S)
    assert not done.repeated
    assert [one.id for one in done.stored] == ["m1", "m2", "m3"]
    assert [one.message for one in done.stored] == said
    assert [one.tokens for one in done.stored] == [100, 100, 100]
    assert chained(done.stored)
    assert await history(store) == list(done.stored)
    assert await store.branch(ANN, TALK) == done.branch
    assert (done.branch.head, done.branch.closed_seq) == (heads(said)[-1], 3)
    assert (done.branch.parent, done.branch.fork_seq, done.branch.conversation) == (None, 0, TALK)


async def test_appends_continue_one_chain_and_every_one_is_a_new_version(store: Store) -> None:
    said = numbered(1, 6)
    seen = [
        await store.append(ANN, TALK, counted(said[place : place + 2]), now_s=NOW_S) for place in (0, 2, 4)
    ]
    versions = [done.branch.version for done in seen]
    assert versions == [versions[0], versions[0] + 1, versions[0] + 2]
    assert len({done.branch.id for done in seen}) == 1
    assert [one.message for one in await history(store)] == said
    assert chained(await history(store))


async def test_results_are_hashed_by_the_call_they_answer_across_appends(store: Store) -> None:
    call = Message("assistant", (ToolCall("call_1", "read_file", '{"path": "a"}'),))
    result = Message("tool", (ToolResult("call_1", (Text("content"),)),))
    await append(store, [say("go"), call])
    await append(store, [result])
    assert chained(await history(store))
    branch = await branch_of(store)
    assert branch.head == heads([say("go"), call, result])[-1]


async def test_the_same_key_stores_once_and_gives_the_first_result_again(store: Store) -> None:
    first = await store.append(ANN, TALK, counted([say("once")]), key="k", now_s=NOW_S)
    await append(store, [say("between", "assistant")])
    again = await store.append(ANN, TALK, counted([say("another text")]), key="k", now_s=NOW_S)
    assert again.repeated
    assert again.stored == first.stored
    assert again.branch == await store.branch(ANN, TALK)
    assert await texts(store) == ["once", "between"]


async def test_another_key_and_another_conversation_store_again(store: Store) -> None:
    for talk, key in ((TALK, "k"), (TALK, "l"), ("other", "k")):
        done = await store.append(ANN, talk, counted([say("same")]), key=key, now_s=NOW_S)
        assert not done.repeated
    assert await ids(store) == ["m1", "m2"]
    assert await ids(store, talk="other") == ["m3"]


async def test_a_key_of_several_messages_gives_all_of_them_again(store: Store) -> None:
    said = counted(dialogue("a", "b", "c"))
    first = await store.append(ANN, TALK, said, key="k", now_s=NOW_S)
    again = await store.append(ANN, TALK, said, key="k", now_s=NOW_S)
    assert (again.stored, again.repeated) == (first.stored, True)


async def test_appending_nothing_changes_no_branch(store: Store) -> None:
    before = await store.append(ANN, TALK, counted([say("a")]), now_s=NOW_S)
    done = await store.append(ANN, TALK, [], now_s=NOW_S)
    assert (done.branch, done.stored, done.repeated) == (before.branch, (), False)


async def test_an_empty_conversation_has_an_empty_branch(store: Store) -> None:
    done = await store.append(ANN, TALK, [], now_s=NOW_S)
    assert done.branch.head == Head(ROOT, 0)
    assert await store.branch(ANN, TALK) == done.branch
    assert await history(store) == []


async def test_messages_are_read_by_position_and_by_id(store: Store) -> None:
    stored = await append(store, numbered(1, 5))
    assert await store.messages(ANN, TALK, 2, 4) == stored[1:4]
    assert await store.messages(ANN, TALK, -3, 2) == stored[:2]
    assert await store.messages(ANN, TALK, 5, 99) == stored[4:]
    assert await store.messages(ANN, TALK, 4, 3) == []
    assert await store.read(ANN, ["m4", "m2"]) == {"m4": (TALK, stored[3]), "m2": (TALK, stored[1])}


@pytest.mark.parametrize(
    "unknown", ["m99", "s1", "x1", "m", "m0", "m01", "1", "", "mm1", "m1 ", "m-1", "m１", f"m{10**40}"]
)
async def test_an_id_of_nothing_is_left_out(store: Store, unknown: str) -> None:
    await append(store, [say("a")])
    assert await store.read(ANN, [unknown]) == {}


async def test_a_message_that_may_still_grow_is_settled_when_something_follows(store: Store) -> None:
    done = await store.append(
        ANN, TALK, counted([say("a"), say("b", "assistant", growing=True)]), now_s=NOW_S
    )
    assert [one.open for one in done.stored] == [False, True]
    assert done.branch.closed_seq == 1
    assert await history(store) == list(done.stored)
    done = await store.append(ANN, TALK, counted([say("c", growing=True), say("d")]), now_s=NOW_S)
    assert [one.open for one in done.stored] == [False, False]
    assert done.branch.closed_seq == 4
    assert [one.open for one in await history(store)] == [False] * 4


async def test_everything_of_a_message_is_kept(store: Store) -> None:
    message = Message(
        "assistant",
        (Text("words", '{"cache_control": {"type": "ephemeral"}}'), ToolCall("c", "run", "", '{"x": 1}')),
        name="helper",
        time_s=1_700_000_000.25,
        model="some-model",
        usage=Usage(10, 20, 3, 4),
        wire="openai",
        extra='{"z": null}',
        origin="line-7",
    )
    await append(store, [message])
    assert [one.message for one in await history(store)] == [message]


async def test_texts_are_added_to_the_newest_message_and_the_chain_stays(store: Store) -> None:
    done = await store.append(ANN, TALK, counted(dialogue("hello", "hi", "which berth?")), now_s=NOW_S)
    newest = done.stored[-1]
    note = Addition("injection", "the harbour office closes at five")
    branch, stored = await store.add_to_newest(ANN, TALK, done.branch, newest.id, [note])
    assert stored.message == replace(newest.message, added=(note,))
    assert (stored.id, stored.chain, stored.tokens) == (
        newest.id,
        newest.chain,
        newest.tokens + added_tokens([note]),
    )
    assert (branch.version, branch.tokens) == (
        done.branch.version + 1,
        done.branch.tokens + added_tokens([note]),
    )
    assert (await history(store))[-1] == stored
    loaded = await store.load_window(ANN, TALK)
    assert loaded is not None
    assert loaded.window.items[-1].tokens == stored.tokens
    found = await store.search(ANN, TALK, parse("harbour"))
    assert [one.id for one in found.hits] == [newest.id]
    again, twice = await store.add_to_newest(ANN, TALK, branch, newest.id, [Addition("recalled", "quay")])
    assert [one.kind for one in twice.message.added] == ["injection", "recalled"]
    assert not (await store.search(ANN, TALK, parse("quay"))).hits
    resent = await store.sync(
        ANN, TALK, counted(dialogue("hello", "hi", "which berth?", "four")), now_s=NOW_S
    )
    assert (resent.added, resent.forked) == (1, False)
    assert again.version < resent.branch.version


async def test_texts_are_added_only_to_the_newest_message_of_an_unchanged_branch(store: Store) -> None:
    done = await store.append(ANN, TALK, counted(dialogue("hello", "hi")), now_s=NOW_S)
    note = [Addition("injection", "note")]
    with pytest.raises(StaleCommit):
        await store.add_to_newest(ANN, TALK, done.branch, done.stored[0].id, note)
    later = await store.append(ANN, TALK, counted(dialogue("more")), now_s=NOW_S)
    with pytest.raises(StaleCommit):
        await store.add_to_newest(ANN, TALK, done.branch, later.stored[0].id, note)
    growing = replace(say("typ"), provisional=True, origin="o1")
    open_end = await store.append(ANN, TALK, counted([growing]), now_s=NOW_S)
    with pytest.raises(StaleCommit):
        await store.add_to_newest(ANN, TALK, open_end.branch, open_end.stored[0].id, note)


async def test_forgetting_a_message_forgets_what_was_added_to_it(store: Store) -> None:
    done = await store.append(ANN, TALK, counted(dialogue("hello", "hi", "more")), now_s=NOW_S)
    note = [Addition("injection", "harbour office")]
    await store.add_to_newest(ANN, TALK, done.branch, done.stored[-1].id, note)
    await store.forgetting.forget(ANN, TALK, [done.stored[-1].id], {})
    assert not (await history(store))[-1].message.added
    assert not (await store.search(ANN, TALK, parse("harbour"))).hits


async def test_forgetting_a_message_removes_what_was_recalled_or_injected_of_it_elsewhere(
    store: Store,
) -> None:
    said = dialogue("the berth code is QX-4711", "noted", "the berth is which?")
    done = await store.append(ANN, TALK, counted(said), now_s=NOW_S)
    texts = [
        Addition("recalled", "m1 said something"),
        Addition("injection", "remember QX-4711"),
        Addition("injection", "the office closes at five"),
    ]
    await store.add_to_newest(ANN, TALK, done.branch, done.stored[-1].id, texts)
    await store.forgetting.forget(ANN, TALK, [done.stored[0].id], {})
    kept = (await history(store))[-1]
    assert kept.message.added == (texts[-1],)
    assert kept.tokens == 100 + added_tokens([texts[-1]])
    branch = await branch_of(store)
    assert branch.tokens == sum(one.tokens for one in await history(store))
    assert not (await store.search(ANN, TALK, parse("4711"))).hits
    assert (await store.search(ANN, TALK, parse("office"))).hits
