"""The windows of forked histories: what lies before the fork is inherited, what reaches across it is opened."""

from __future__ import annotations

from dataclasses import replace

from palimpsest.ports import Store
from tests.contract.kit import (
    ANN,
    TALK,
    TOKENS,
    commit,
    compact,
    numbered,
    omitted,
    say,
    shape,
    stubbed,
    summarized,
    sync,
    window_of,
)


async def test_a_fork_inherits_the_items_before_it(store: Store) -> None:
    said = numbered(1, 12)
    await sync(store, said)
    await compact(store, 1, 4)
    await commit(store, stubbed(await window_of(store), 6))
    await commit(store, omitted(await window_of(store), 8, 9))
    before = await window_of(store)
    done = await sync(store, [*said[:10], say("x")])
    assert done.branch.fork_seq == 10
    after = await window_of(store)
    assert shape(after)[:-1] == shape(before)[:-2]
    assert [item.id for item in after.items[:-1]] == [item.id for item in before.items[:-2]]
    assert await store.compactions(ANN, TALK) == []


async def test_a_fork_opens_the_summaries_that_reach_across_it(store: Store) -> None:
    said = numbered(1, 12)
    await sync(store, said)
    first = await compact(store, 1, 4)
    await compact(store, 5, 8)
    await compact(store, 1, 8, tokens=4)
    await sync(store, [*said[:6], say("x")])
    assert shape(await window_of(store)) == [
        ("summary", 1, 4, 10), ("message", 5, 5, TOKENS), ("message", 6, 6, TOKENS), ("message", 7, 7, TOKENS)
    ]  # fmt: skip
    assert (await window_of(store)).items[0].id == first.id
    await sync(store, [*said[:2], say("y")])
    assert shape(await window_of(store)) == [("message", place, place, TOKENS) for place in (1, 2, 3)]


async def test_a_fork_opens_a_summary_over_stubs_and_dropped_ranges_into_messages(store: Store) -> None:
    said = numbered(1, 9)
    await sync(store, said)
    await commit(store, stubbed(await window_of(store), 2))
    await commit(store, omitted(await window_of(store), 3, 4))
    await compact(store, 1, 6, tokens=2)
    await sync(store, [*said[:5], say("x", "assistant")])
    assert shape(await window_of(store)) == [("message", place, place, TOKENS) for place in range(1, 7)]


async def test_a_fork_inside_a_dropped_range_keeps_its_beginning_dropped(store: Store) -> None:
    said = numbered(1, 8)
    await sync(store, said)
    await commit(store, omitted(await window_of(store), 2, 6))
    await sync(store, [*said[:4], say("x")])
    assert shape(await window_of(store)) == [
        ("message", 1, 1, TOKENS),
        ("omitted", 2, 4, 3),
        ("message", 5, 5, TOKENS),
    ]


async def test_what_is_compacted_on_a_fork_leaves_its_parent_alone(store: Store) -> None:
    said = numbered(1, 8)
    await sync(store, said)
    before = await window_of(store)
    await sync(store, [*said[:6], say("x")])
    await compact(store, 1, 6)
    await sync(store, said)
    assert await window_of(store) == before


async def test_reasoning_that_is_new_on_a_fork_may_be_sent(store: Store) -> None:
    said = numbered(1, 12)
    await sync(store, said)
    made = summarized(await window_of(store), 1, 8)
    await commit(store, replace(made, compaction=replace(made.compaction, thinking_from=11)))
    assert (await window_of(store)).thinking_from == 11
    await sync(store, [*said[:9], say("x", "assistant")])
    assert (await window_of(store)).thinking_from == 10
