"""Windows and commits: a replacement is made whole, only while what it replaces stands, and only to save tokens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.errors import IntegrityError, NotFound, StaleCommit
from palimpsest.ports import Commit, Store
from palimpsest.record.log import Compaction
from palimpsest.record.provider_block import ProviderBlock
from palimpsest.record.summary import SummaryCall
from palimpsest.record.window import fold
from palimpsest.record.window_items import BlockItem, Item, MessageItem, SummaryItem
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    TOKENS,
    append,
    between,
    change,
    commit,
    compact,
    counted,
    dialogue,
    found,
    history,
    numbered,
    omitted,
    say,
    shape,
    stubbed,
    summarized,
    sync,
    window_of,
)


def verbatim(first: int, last: int) -> list[tuple[str, int, int, int]]:
    """The shape of a stretch of messages."""
    return [("message", place, place, TOKENS) for place in range(first, last + 1)]


async def test_a_new_conversation_is_its_own_window(store: Store) -> None:
    await append(store, numbered(1, 4))
    assert shape(await window_of(store)) == verbatim(1, 4)


async def test_a_summary_takes_the_place_of_what_it_covers(store: Store) -> None:
    await append(store, numbered(1, 8))
    summary = await compact(store, 3, 6, text="the middle")
    assert (summary.id, summary.sources) == ("s1", ("m3", "m4", "m5", "m6"))
    window = await window_of(store)
    assert shape(window) == [*verbatim(1, 2), ("summary", 3, 6, 10), *verbatim(7, 8)]
    assert window.items[2] == SummaryItem(summary)
    assert await store.read(ANN, ["s1"]) == {"s1": (TALK, summary)}


async def test_a_commit_is_one_more_version_and_returns_the_branch_as_stored(store: Store) -> None:
    await append(store, numbered(1, 4))
    before = await store.branch(ANN, TALK)
    assert before is not None
    made = summarized(await window_of(store), 1, 2)
    branch, _ = await commit(store, replace(made, compaction=replace(made.compaction, thinking_from=3)))
    assert branch == await store.branch(ANN, TALK)
    assert (branch.version, branch.thinking_from, branch.head) == (before.version + 1, 3, before.head)
    branch, _ = await commit(store, summarized(await window_of(store), 3, 4))
    assert branch.thinking_from == 3


async def test_stubs_dropped_ranges_and_summaries_have_ids_of_their_own_forms(store: Store) -> None:
    await append(store, numbered(1, 9))
    made = [
        (await commit(store, stubbed(await window_of(store), 1)))[1],
        (await commit(store, omitted(await window_of(store), 2, 3)))[1],
        (await commit(store, stubbed(await window_of(store), 4)))[1],
        (await commit(store, summarized(await window_of(store), 5, 6)))[1],
    ]
    assert [item.id for item in made] == ["x1", "o2", "x3", "s1"]
    window = await window_of(store)
    assert [item.id for item in window.items] == ["x1", "o2", "x3", "s1", "m7", "m8", "m9"]
    assert list(window.items[:4]) == made


async def test_summaries_are_summarized_again(store: Store) -> None:
    await append(store, numbered(1, 8))
    await compact(store, 1, 4)
    await compact(store, 5, 8)
    deep = await compact(store, 1, 8, tokens=15)
    assert (deep.id, deep.depth, deep.sources) == ("s3", 1, ("s1", "s2"))
    assert shape(await window_of(store)) == [("summary", 1, 8, 15)]
    assert set(await store.read(ANN, ["s1", "s2", "s3", "m1"])) == {"s1", "s2", "s3", "m1"}


async def test_messages_that_arrive_while_a_plan_is_carried_out_never_refuse_it(store: Store) -> None:
    await append(store, numbered(1, 6))
    made = summarized(await window_of(store), 1, 4)
    await append(store, numbered(7, 9))
    await commit(store, made)
    assert shape(await window_of(store)) == [("summary", 1, 4, 10), *verbatim(5, 9)]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_two_plans_for_different_places_both_succeed(store: Store, order: tuple[int, int]) -> None:
    await append(store, numbered(1, 9))
    window = await window_of(store)
    plans = [summarized(window, 1, 3), summarized(window, 6, 8)]
    for place in order:
        await commit(store, plans[place])
    summaries = [("summary", 1, 3, 10), ("summary", 6, 8, 10)]
    assert shape(await window_of(store)) == [summaries[0], *verbatim(4, 5), summaries[1], *verbatim(9, 9)]


async def test_a_condense_that_takes_twenty_turns_commits_while_leaves_commit_every_turn(
    store: Store,
) -> None:
    await append(store, numbered(1, 16))
    for first in (1, 5, 9, 13):
        await compact(store, first, first + 3)
    slow = summarized(await window_of(store), 1, 16, text="deep", tokens=20)
    for turn in range(20):
        first = 17 + 4 * turn
        await append(store, numbered(first, first + 3))
        await compact(store, first, first + 3)
    await commit(store, slow)
    assert shape(await window_of(store)) == [
        ("summary", 1, 16, 20),
        *(("summary", first, first + 3, 10) for first in range(17, 97, 4)),
    ]


async def refused(store: Store, made: Commit, error: type[Exception]) -> None:
    """The commit is refused with this error, and nothing of it is stored."""
    before = (await window_of(store), await store.branch(ANN, TALK), await store.compactions(ANN, TALK))
    stats = await store.stats(ANN)
    with pytest.raises(error):
        await commit(store, made)
    assert (
        await window_of(store),
        await store.branch(ANN, TALK),
        await store.compactions(ANN, TALK),
    ) == before
    assert replace(await store.stats(ANN), size_bytes=0) == replace(stats, size_bytes=0)
    assert await found(store, "unique_words_of_a_refused_text") == set()


def refusable(made: Commit) -> Commit:
    """The commit with a text that can be searched for."""
    assert isinstance(made.item, SummaryItem)
    return replace(made, item=SummaryItem(replace(made.item.summary, text="unique_words_of_a_refused_text")))


async def test_a_plan_is_stale_once_anything_it_replaces_is_gone(store: Store) -> None:
    await append(store, numbered(1, 8))
    plan = refusable(summarized(await window_of(store), 2, 5))
    await compact(store, 5, 7)
    await refused(store, plan, StaleCommit)


async def test_a_plan_is_stale_once_it_was_carried_out(store: Store) -> None:
    await append(store, numbered(1, 8))
    plan = refusable(summarized(await window_of(store), 2, 5))
    await commit(store, summarized(await window_of(store), 2, 5))
    await refused(store, plan, StaleCommit)


async def test_items_that_are_not_adjacent_or_not_in_order_are_refused(store: Store) -> None:
    await append(store, numbered(1, 8))
    items = (await window_of(store)).items
    plan = refusable(summarized(await window_of(store), 2, 4))
    for replaced in ((items[1], items[3]), (items[3], items[2], items[1]), (items[1], items[1]), ()):
        record = replace(plan.compaction, replaced=tuple(item.id for item in replaced))
        await refused(store, replace(plan, compaction=record), StaleCommit)


async def test_items_of_another_branch_are_refused(store: Store) -> None:
    await sync(store, numbered(1, 6))
    plan = refusable(summarized(await window_of(store), 4, 6))
    await sync(store, [*numbered(1, 4), say("x")])
    await refused(store, plan, StaleCommit)


async def test_a_branch_that_does_not_exist_is_refused(store: Store) -> None:
    await append(store, numbered(1, 4))
    await append(store, numbered(1, 4), talk="other")
    other = await store.branch(ANN, "other")
    assert other is not None
    plan = summarized(await window_of(store), 1, 2)
    for number in (other.id, 99):
        with pytest.raises(StaleCommit):
            await store.commit(ANN, TALK, number, plan)
    with pytest.raises(NotFound):
        await store.commit(ANN, "unknown", other.id, plan)
    assert shape(await window_of(store, talk="other")) == verbatim(1, 4)


async def test_a_plan_for_a_branch_that_is_no_longer_current_is_carried_out_there(store: Store) -> None:
    first = await sync(store, numbered(1, 6))
    plan = summarized(await window_of(store), 1, 3)
    await sync(store, [say("x")])
    branch, _ = await store.commit(ANN, TALK, first.branch.id, plan)
    assert branch.id == first.branch.id
    assert shape(await window_of(store)) == verbatim(1, 1)
    await sync(store, numbered(1, 6))
    assert shape(await window_of(store)) == [("summary", 1, 3, 10), *verbatim(4, 6)]


@pytest.mark.parametrize("tokens", [200, 201])
async def test_what_is_not_strictly_smaller_is_refused(store: Store, tokens: int) -> None:
    await append(store, numbered(1, 4))
    await refused(store, refusable(summarized(await window_of(store), 1, 2, tokens=tokens)), IntegrityError)


@pytest.mark.parametrize("first, last", [(1, 3), (2, 2), (1, 1), (3, 4)])
async def test_an_item_that_covers_another_range_is_refused(store: Store, first: int, last: int) -> None:
    await append(store, numbered(1, 5))
    window = await window_of(store)
    made = refusable(summarized(window, 1, 2))
    assert isinstance(made.item, SummaryItem)
    elsewhere = SummaryItem(replace(made.item.summary, first=first, last=last))
    await refused(store, replace(made, item=elsewhere), IntegrityError)


async def test_a_message_cannot_stand_in_for_another(store: Store) -> None:
    stored = await append(store, numbered(1, 2))
    items = between(await window_of(store), 1, 1)
    await refused(store, change(items, MessageItem(replace(stored[0], tokens=1))), IntegrityError)


async def test_what_may_still_grow_is_not_compacted(store: Store) -> None:
    await store.append(ANN, TALK, counted([*numbered(1, 2), say("half", growing=True)]), now_s=NOW_S)
    await refused(store, refusable(summarized(await window_of(store), 2, 3)), IntegrityError)
    await refused(store, stubbed(await window_of(store), 3), IntegrityError)
    await append(store, [say("more", "assistant")])
    await compact(store, 2, 3)
    assert shape(await window_of(store)) == [*verbatim(1, 1), ("summary", 2, 3, 10), *verbatim(4, 4)]


async def test_every_compaction_is_recorded_as_it_was_made(store: Store) -> None:
    await append(store, numbered(1, 8))
    made = summarized(await window_of(store), 1, 4)
    call = SummaryCall("aggressive", 1000, 90, "not smaller than its source", "some-model")
    record = replace(
        made.compaction, calls=(call,), evidence_kept=3, evidence_left=2, numbers=(("b", 2), ("a", 0.25))
    )
    await commit(store, replace(made, compaction=record))
    await commit(store, stubbed(await window_of(store), 6))
    first, second = await store.compactions(ANN, TALK)
    assert first == replace(record, item_id="s1", item_kind="summary")
    assert (second.item_id, second.item_kind, second.replaced) == ("x1", "stub", ("m6",))


async def test_the_window_is_the_fold_of_the_log(store: Store) -> None:
    await append(store, numbered(1, 12))
    made: dict[str, Item] = {}
    for plan in (
        summarized(await window_of(store), 1, 4),
        omitted(await window_of(store), 5, 6),
        stubbed(await window_of(store), 8),
    ):
        _, item = await commit(store, plan)
        made[item.id] = item
    _, deep = await commit(store, summarized(await window_of(store), 1, 6, tokens=12))
    made[deep.id] = deep
    await append(store, numbered(13, 14))
    records: list[Compaction] = await store.compactions(ANN, TALK)
    assert fold(await history(store), records, made) == await window_of(store)


async def test_texts_with_halves_of_characters_are_stored_whole_elsewhere(store: Store) -> None:
    await append(store, dialogue("cut \ud83d here", "and \udc00"))
    made = summarized(await window_of(store), 1, 2, text="a \ud800 half, a \ud83d\ude42 pair and a NUL \0")
    _, item = await commit(store, made)
    assert isinstance(item, SummaryItem)
    assert item.summary.text == "a \ufffd half, a 🙂 pair and a NUL \0"
    assert (await window_of(store)).items == (item,)
    assert [one.message.text for one in await history(store)] == ["cut \ud83d here", "and \udc00"]


BLOCK = ProviderBlock(
    "anthropic", ('{"type":"compaction"}',), "claude-opus-5-5", "start", "behind", "[m1] words"
)


async def commit_block(store: Store, first: int, last: int) -> BlockItem:
    """Put a provider's compaction in place of what lies between two positions."""
    made = summarized(await window_of(store), first, last)
    assert isinstance(made.item, SummaryItem)
    _, item = await commit(store, replace(made, item=BlockItem(made.item.summary, None, BLOCK)))
    assert isinstance(item, BlockItem)
    return item


async def test_a_providers_compaction_is_given_back_as_it_was_made(store: Store) -> None:
    await append(store, numbered(1, 8))
    item = await commit_block(store, 1, 5)
    assert item.block == BLOCK
    assert (await window_of(store)).items[0] == item
    await append(store, numbered(9, 9))
    assert (await window_of(store)).items[0] == item
    assert [one.item_kind for one in await store.compactions(ANN, TALK)] == ["block"]


@pytest.mark.parametrize(
    "known,kinds", [(6, ["block", "message", "message"]), (3, ["message"] * 4), (5, ["block", "message"])]
)
async def test_a_fork_keeps_a_providers_compaction_that_ends_before_it(
    store: Store, known: int, kinds: list[str]
) -> None:
    await append(store, numbered(1, 8))
    await commit_block(store, 1, 5)
    await sync(store, [*numbered(1, known), say("otherwise")])
    assert [kind for kind, *_ in shape(await window_of(store))] == kinds


async def test_forgetting_under_a_providers_compaction_leaves_a_plain_summary(store: Store) -> None:
    await append(store, numbered(1, 8))
    await commit_block(store, 1, 5)
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    window = await window_of(store)
    assert [kind for kind, *_ in shape(window)][:1] == ["summary"]
