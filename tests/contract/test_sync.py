"""Whole histories that are sent again: longer, edited, rewound, cut short, or with a message that has grown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.errors import StaleCommit
from palimpsest.ports import Counted, Store
from palimpsest.record.chain import heads
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    TOKENS,
    append,
    chained,
    counted,
    dialogue,
    found,
    history,
    ids,
    say,
    settled,
    shape,
    sync,
    texts,
    window_of,
)


async def test_a_first_history_is_stored_whole(store: Store) -> None:
    done = await sync(store, dialogue("a", "b"))
    assert (done.added, done.forked, done.replaced) == (2, False, 0)
    assert await texts(store) == ["a", "b"]
    assert chained(await history(store))


async def test_the_same_history_again_changes_nothing(store: Store) -> None:
    first = await sync(store, dialogue("a", "b"))
    again = await sync(store, dialogue("a", "b"))
    assert (again.branch, again.added, again.forked) == (first.branch, 0, False)
    assert await ids(store) == ["m1", "m2"]


async def test_a_grown_history_adds_only_what_is_new(store: Store) -> None:
    first = await sync(store, dialogue("a", "b"))
    done = await sync(store, dialogue("a", "b", "c", "d"))
    assert (done.added, done.forked, done.branch.id) == (2, False, first.branch.id)
    assert await ids(store) == ["m1", "m2", "m3", "m4"]
    assert chained(await history(store))


async def test_a_history_that_was_appended_is_known_when_it_is_sent_whole(store: Store) -> None:
    await append(store, dialogue("a", "b"))
    done = await sync(store, dialogue("a", "b", "c"))
    assert (done.added, done.forked) == (1, False)


async def test_calls_with_new_ids_are_the_same_calls(store: Store) -> None:
    def calling(call_id: str) -> list[Message]:
        call = Message("assistant", (ToolCall(call_id, "run", '{"b": 1, "a": 2}'),), wire="openai")
        return [say("go"), call, Message("tool", (ToolResult(call_id, (Text("done"),)),))]

    await sync(store, calling("call_1"))
    done = await sync(store, calling("call_2"))
    assert (done.added, done.forked) == (0, False)


async def test_an_edited_history_forks_after_the_last_known_message(store: Store) -> None:
    first = await sync(store, dialogue("a", "b", "c", "d"))
    done = await sync(store, dialogue("a", "b", "x"))
    assert (done.added, done.forked) == (1, True)
    assert (done.branch.parent, done.branch.fork_seq) == (first.branch.id, 2)
    assert await texts(store) == ["a", "b", "x"]
    assert await ids(store) == ["m1", "m2", "m5"]
    assert chained(await history(store))
    assert await store.branch(ANN, TALK) == done.branch


async def test_a_history_with_nothing_known_starts_a_branch_of_its_own(store: Store) -> None:
    await sync(store, dialogue("a", "b"))
    done = await sync(store, dialogue("x"))
    assert (done.added, done.forked, done.branch.parent, done.branch.fork_seq) == (1, True, None, 0)
    assert await texts(store) == ["x"]


async def test_a_rewound_history_forks_and_what_follows_goes_there(store: Store) -> None:
    await sync(store, dialogue("a", "b", "c", "d"))
    done = await sync(store, dialogue("a", "b"))
    assert (done.added, done.forked, done.branch.head.seq) == (0, True, 2)
    await append(store, [say("e")])
    assert await texts(store) == ["a", "b", "e"]
    assert (await sync(store, dialogue("a", "b", "c", "d"))).forked is False
    assert await texts(store) == ["a", "b", "c", "d"]


async def test_a_history_without_its_beginning_forks_from_the_start(store: Store) -> None:
    await sync(store, dialogue("a", "b", "c"))
    done = await sync(store, dialogue("a", "b", "c")[1:])
    assert (done.added, done.forked, done.branch.parent) == (2, True, None)


async def test_an_empty_history_clears_the_conversation_without_losing_it(store: Store) -> None:
    await sync(store, dialogue("a", "b"))
    done = await sync(store, [])
    assert (done.added, done.forked, done.branch.head.seq) == (0, True, 0)
    assert await texts(store) == []
    assert shape(await window_of(store)) == []
    assert (await sync(store, dialogue("a", "b"))).added == 0
    assert await ids(store) == ["m1", "m2"]


async def test_an_older_branch_is_continued_when_its_history_comes_back(store: Store) -> None:
    first = await sync(store, dialogue("a", "b", "c"))
    await sync(store, dialogue("a", "x"))
    done = await sync(store, dialogue("a", "b", "c", "d"))
    assert (done.branch.id, done.added, done.forked) == (first.branch.id, 1, False)
    assert await ids(store) == ["m1", "m2", "m3", "m5"]


async def test_a_longer_branch_is_found_again_from_a_rewound_one(store: Store) -> None:
    first = await sync(store, dialogue("a", "b", "c", "d"))
    await sync(store, dialogue("a", "b"))
    done = await sync(store, dialogue("a", "b", "c", "d", "e"))
    assert (done.branch.id, done.added) == (first.branch.id, 1)
    assert await ids(store) == ["m1", "m2", "m3", "m4", "m5"]


async def test_a_fork_in_a_fork_reads_all_three_stretches(store: Store) -> None:
    await sync(store, dialogue("a", "b", "c", "d", "e"))
    second = await sync(store, dialogue("a", "b", "c", "x", "y"))
    third = await sync(store, dialogue("a", "b", "c", "x", "z", "w"))
    assert (third.branch.parent, third.branch.fork_seq) == (second.branch.id, 4)
    assert await texts(store) == ["a", "b", "c", "x", "z", "w"]
    assert chained(await history(store))
    fourth = await sync(store, dialogue("a", "q"))
    assert fourth.branch.fork_seq == 1
    assert await texts(store) == ["a", "q"]
    assert chained(await history(store))


async def test_a_history_is_taken_up_from_a_branch_that_is_not_current(store: Store) -> None:
    first = await sync(store, dialogue("a", "b", "c", "d"))
    await sync(store, dialogue("x"))
    done = await sync(store, dialogue("a", "b", "c", "y"))
    assert (done.branch.parent, done.branch.fork_seq, done.added) == (first.branch.id, 3, 1)
    assert await ids(store) == ["m1", "m2", "m3", "m6"]


async def test_without_rewinding_the_beginning_of_the_current_history_changes_nothing(store: Store) -> None:
    first = await sync(store, dialogue("a", "b", "c"))
    for size in (0, 1, 2):
        done = await sync(store, dialogue("a", "b", "c")[:size], rewind=False)
        assert (done.branch, done.added, done.forked) == (first.branch, 0, False)
    assert await texts(store) == ["a", "b", "c"]


async def test_without_rewinding_a_branch_that_ends_inside_the_current_one_is_not_taken_up(
    store: Store,
) -> None:
    long = await sync(store, dialogue("a", "b", "c"))
    await sync(store, dialogue("a"))
    await sync(store, dialogue("a", "b", "c"))
    done = await sync(store, dialogue("a"), rewind=False)
    assert done.branch.id == long.branch.id


async def test_without_rewinding_an_edited_history_still_forks(store: Store) -> None:
    await sync(store, dialogue("a", "b", "c"))
    done = await sync(store, dialogue("a", "x"), rewind=False)
    assert (done.forked, done.added) == (True, 1)


async def test_a_message_that_has_grown_takes_the_place_of_its_beginning_under_the_same_id(
    store: Store,
) -> None:
    await sync(store, [say("a"), say("half", "assistant", growing=True)])
    assert [one.open for one in await history(store)] == [False, True]
    done = await sync(store, [say("a"), say("half and whole", "assistant"), say("c")])
    assert (done.added, done.forked, done.replaced) == (1, False, 1)
    assert await ids(store) == ["m1", "m2", "m3"]
    assert await texts(store) == ["a", "half and whole", "c"]
    assert [one.open for one in await history(store)] == [False, False, False]
    assert chained(await history(store))
    assert await found(store, "whole") == {"m2"}
    assert shape(await window_of(store)) == [("message", place, place, TOKENS) for place in (1, 2, 3)]


async def test_what_a_message_said_before_it_grew_is_no_longer_found(store: Store) -> None:
    await sync(store, [say("a"), say("vanishing", "assistant", growing=True)])
    await sync(store, [say("a"), say("lasting", "assistant", growing=True)])
    assert await found(store, "vanishing") == set()
    assert await found(store, "lasting") == {"m2"}
    assert (await store.stats(ANN)).messages == 2


async def test_a_run_of_growing_messages_is_replaced_by_a_longer_and_by_a_shorter_one(store: Store) -> None:
    await sync(store, [say("a"), say("b1", "assistant", growing=True), say("c1", "tool", growing=True)])
    tail = [say("b2", "assistant"), say("c2", "tool"), say("d", "tool")]
    done = await sync(store, [say("a"), *(replace(message, provisional=True) for message in tail)])
    assert (done.added, done.replaced) == (1, 2)
    assert await ids(store) == ["m1", "m2", "m3", "m4"]
    done = await sync(store, [say("a"), say("b3", "assistant")])
    assert (done.added, done.replaced, done.forked) == (0, 3, False)
    assert await ids(store) == ["m1", "m2"]
    await append(store, [say("e")])
    assert await ids(store) == ["m1", "m2", "m5"]


async def test_a_growing_message_that_the_source_calls_whole_is_closed_in_place(store: Store) -> None:
    first = await sync(store, [say("a"), say("b", "assistant", growing=True)])
    done = await sync(store, [say("a"), say("b", "assistant")])
    assert (done.added, done.replaced, done.branch.closed_seq) == (0, 0, 2)
    assert done.branch.version > first.branch.version
    assert [one.open for one in await history(store)] == [False, False]
    assert (await sync(store, [say("a"), say("c", "assistant")])).forked


async def test_a_growing_message_stays_so_while_only_more_growing_ones_follow(store: Store) -> None:
    answer, result = say("b", "assistant", growing=True), say("r", "tool", growing=True)
    await sync(store, [say("a"), answer])
    await sync(store, [say("a"), answer, result])
    assert [one.open for one in await history(store)] == [False, True, True]
    done = await sync(store, [say("a"), say("b and more", "assistant"), settled(result)])
    assert (done.forked, done.added, done.replaced) == (False, 0, 2)
    assert await ids(store) == ["m1", "m2", "m3"]


async def test_a_message_that_was_whole_once_stays_so(store: Store) -> None:
    await sync(store, dialogue("a", "b"))
    done = await sync(store, [say("a"), say("b", "assistant", growing=True), say("c", growing=True)])
    assert (done.added, done.branch.closed_seq) == (1, 2)
    assert [one.open for one in await history(store)] == [False, False, True]


async def test_a_history_that_ends_before_the_growing_message_is_a_rewind(store: Store) -> None:
    await sync(store, [say("a"), say("b", "assistant", growing=True)])
    done = await sync(store, [say("a")])
    assert (done.forked, done.branch.head.seq) == (True, 1)
    assert (await sync(store, [say("a"), say("b", "assistant")])).added == 0
    assert await ids(store) == ["m1", "m2"]


@pytest.mark.parametrize(
    "other",
    [say("c", "assistant", origin="line-9"), say("c", "user", origin="line-2")],
    ids=["origin", "role"],
)
async def test_a_growing_message_is_not_replaced_by_what_its_source_did_not_say(
    store: Store, other: Message
) -> None:
    growing = say("b", "assistant", growing=True, origin="line-2")
    await sync(store, [say("a"), growing])
    done = await sync(store, [say("a"), other])
    assert (done.forked, done.replaced) == (True, 0)
    assert await found(store, "b") == {"m2"}


async def test_two_growing_answers_to_one_question_are_two_branches_and_each_grows_in_its_own(
    store: Store,
) -> None:
    def path(text: str, origin: str) -> list[Message]:
        return [say("a"), say(text, "assistant", growing=True, origin=origin)]

    await sync(store, path("left", "l"))
    await sync(store, path("right", "r"))
    assert (await sync(store, path("left", "l"), rewind=False)).added == 0
    assert (await sync(store, path("right", "r"), rewind=False)).added == 0
    done = await sync(store, path("left and more", "l"))
    assert (done.added, done.replaced, done.forked) == (0, 1, False)
    assert await ids(store) == ["m1", "m2"]
    done = await sync(store, path("right and more", "r"))
    assert (done.added, done.replaced, done.forked) == (0, 1, False)
    assert await ids(store) == ["m1", "m3"]
    assert (await store.stats(ANN)).messages == 3


async def test_a_growing_message_is_replaced_only_by_what_follows_the_same_history(store: Store) -> None:
    await sync(store, [say("a"), say("half", "assistant", growing=True)])
    await sync(store, [say("x"), say("y", "assistant")])
    done = await sync(store, [say("x"), say("half and more", "assistant")])
    assert (done.forked, done.replaced) == (True, 0)
    assert (await sync(store, [say("a"), say("half", "assistant")])).added == 0


async def test_a_growing_message_that_others_follow_on_another_branch_is_kept(store: Store) -> None:
    partial = say("b", "assistant", growing=True)
    await sync(store, [say("a"), partial, say("c", growing=True)])
    await sync(store, [say("a"), partial, say("d", "assistant")])
    done = await sync(store, [say("a"), say("b and more", "assistant")])
    assert (done.forked, done.branch.fork_seq) == (True, 1)
    assert await found(store, "b") == {"m2", "m5"}


async def test_an_unknown_message_without_a_token_count_is_refused_and_nothing_is_written(
    store: Store,
) -> None:
    await sync(store, dialogue("a", "b"))
    before = (await store.branch(ANN, TALK), await store.stats(ANN), await store.conversations(ANN))
    for said in (dialogue("a", "b", "c"), dialogue("a", "x"), dialogue("x")):
        entries = [Counted(message, -1) for message in said]
        with pytest.raises(StaleCommit):
            await store.sync(ANN, TALK, entries, now_s=NOW_S + 5)
        with pytest.raises(StaleCommit):
            await store.sync(ANN, "fresh", entries, now_s=NOW_S + 5)
    assert before[0] == await store.branch(ANN, TALK)
    assert before[2] == await store.conversations(ANN)
    assert before[1].messages == (await store.stats(ANN)).messages


async def test_known_messages_need_no_token_count(store: Store) -> None:
    said = dialogue("a", "b", "c")
    await sync(store, said[:2])
    entries = [*(Counted(message, -1) for message in said[:2]), Counted(said[2], 7)]
    assert (await store.sync(ANN, TALK, entries, now_s=NOW_S)).added == 1
    assert [one.tokens for one in await history(store)] == [TOKENS, TOKENS, 7]


async def test_of_branches_that_say_the_same_the_newest_is_taken_up(store: Store) -> None:
    await sync(store, dialogue("a", "b"))
    second = await sync(store, dialogue("a"))
    await append(store, [say("b", "assistant")])
    await sync(store, dialogue("x"))
    assert (await sync(store, dialogue("a", "b"))).branch.id == second.branch.id


async def test_a_conversation_keeps_each_branch_it_ever_had(store: Store) -> None:
    sent = [dialogue("a", "b", "c"), dialogue("a", "x", "c"), dialogue("a", "b", "y"), dialogue("z")]
    for said in sent:
        await sync(store, said)
    for said in sent:
        done = await sync(store, said)
        assert (done.added, done.forked, done.branch.head) == (0, False, heads(said)[-1])
        assert [one.message for one in await history(store)] == said


async def test_a_key_given_before_a_fork_still_gives_its_messages(store: Store) -> None:
    first = await store.append(ANN, TALK, counted([say("a")]), key="k", now_s=NOW_S)
    await sync(store, dialogue("x"))
    again = await store.append(ANN, TALK, counted([say("a")]), key="k", now_s=NOW_S)
    assert (again.stored, again.repeated, again.branch.head.seq) == (first.stored, True, 1)


async def test_heads_that_are_known_spare_computing_them_and_change_nothing(store: Store) -> None:
    said = dialogue("a", "b", "c", "d", "e")
    await sync(store, said[:2])
    known = heads(said[:3])
    assert await store.match(ANN, TALK, said, known) == 2
    done = await store.sync(ANN, TALK, counted(said), known=known, now_s=NOW_S)
    assert (done.added, done.forked) == (3, False)
    assert await texts(store) == ["a", "b", "c", "d", "e"]
    assert chained(await history(store))


async def test_heads_that_were_known_before_a_forgetting_are_not_gone_by(store: Store) -> None:
    said = dialogue("a", "b", "c")
    await sync(store, said)
    await store.forgetting.forget(ANN, TALK, ["m1"], {})
    done = await store.sync(ANN, TALK, counted(dialogue("a", "b", "c", "d")), known=heads(said), now_s=NOW_S)
    assert (done.added, done.forked) == (1, False)
    assert "a" not in await texts(store)
