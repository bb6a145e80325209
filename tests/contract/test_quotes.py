"""Summaries that quote a request: the quotation survives, moves on, and is opened where a fork cuts it off."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.engine.reading.expand import describe, expand
from palimpsest.engine.retrieval.grep import grep
from palimpsest.errors import IntegrityError
from palimpsest.ports import Commit, Store
from palimpsest.record.message import Media, Message, Text
from palimpsest.record.window_items import SummaryItem
from palimpsest.search.filters import Where
from tests.contract.kit import (
    ANN,
    TALK,
    TOKENS,
    append,
    commit,
    counted,
    history,
    numbered,
    omitted,
    say,
    shape,
    summarized,
    sync,
    window_of,
)

BEA = "bea"
ASKED = Message("user", (Text("what is on it?"), Media("image/png", data="aGk=", size_bytes=2)))


async def quoting(store: Store, first: int, last: int, quotes: int, *, text: str = "short") -> Commit:
    """The replacement of a stretch by a summary that quotes one of its messages."""
    made = summarized(await window_of(store), first, last, text=text, tokens=TOKENS + 10)
    (quoted,) = await store.messages(ANN, TALK, quotes, quotes)
    assert isinstance(made.item, SummaryItem)
    return replace(made, item=SummaryItem(replace(made.item.summary, quotes=quotes), quoted))


async def test_a_quotation_is_read_back_as_it_was_said(store: Store) -> None:
    await sync(store, [*numbered(1, 4), ASKED, say("a boat", "assistant")])
    _, item = await commit(store, await quoting(store, 1, 6, 5))
    loaded = await window_of(store)
    assert loaded.items == (item,)
    assert isinstance(item, SummaryItem)
    assert item.quoted == (await history(store))[4]
    assert item.quoted is not None
    assert (item.summary.quotes, item.quoted.message) == (5, ASKED)
    assert (await store.read(ANN, ["s1"]))["s1"] == (TALK, item.summary)


async def test_the_next_summary_takes_it_in_and_quotes_the_same_or_a_newer_one(store: Store) -> None:
    await sync(store, numbered(1, 6))
    await commit(store, await quoting(store, 1, 5, 5))
    await append(store, numbered(7, 9))
    await commit(store, await quoting(store, 1, 7, 5, text="second"))
    await commit(store, await quoting(store, 1, 9, 9, text="third"))
    (item,) = (await window_of(store)).items
    assert isinstance(item, SummaryItem)
    assert (item.summary.depth, item.summary.quotes, item.summary.sources) == (2, 9, ("s2", "m8", "m9"))
    assert item.quoted == (await history(store))[8]


async def test_a_fork_through_it_opens_it_into_its_messages(store: Store) -> None:
    said = numbered(1, 8)
    await sync(store, said)
    await commit(store, await quoting(store, 1, 8, 7))
    await sync(store, [*said[:5], say("x", "assistant")])
    assert shape(await window_of(store)) == [("message", place, place, TOKENS) for place in range(1, 7)]
    await sync(store, said)
    assert shape(await window_of(store)) == [("summary", 1, 8, TOKENS + 10)]


async def test_a_fork_through_a_later_one_shows_the_earlier_with_its_own_quotation(store: Store) -> None:
    said = numbered(1, 12)
    await sync(store, said)
    await commit(store, await quoting(store, 1, 6, 3, text="first"))
    await commit(store, await quoting(store, 1, 12, 11, text="second"))
    await sync(store, [*said[:9], say("x")])
    window = await window_of(store)
    assert shape(window) == [
        ("summary", 1, 6, TOKENS + 10), *(("message", place, place, TOKENS) for place in (7, 8, 9, 10))
    ]  # fmt: skip
    first = window.items[0]
    assert isinstance(first, SummaryItem)
    assert first.quoted == (await history(store))[2]
    assert (first.summary.text, first.summary.quotes) == ("first", 3)


async def test_a_fork_inherits_one_that_ends_before_it_and_can_roll_it_up_itself(store: Store) -> None:
    said = numbered(1, 9)
    await sync(store, said)
    await commit(store, await quoting(store, 1, 6, 5))
    await sync(store, [*said[:7], say("other", "assistant"), say("and now")])
    await commit(store, await quoting(store, 1, 9, 9, text="on the fork"))
    assert shape(await window_of(store)) == [("summary", 1, 9, TOKENS + 10)]
    await sync(store, said)
    window = await window_of(store)
    assert shape(window)[0] == ("summary", 1, 6, TOKENS + 10)
    assert isinstance(window.items[0], SummaryItem)
    assert window.items[0].quoted == (await history(store))[4]


async def test_rolled_summaries_are_found_described_and_opened_level_by_level(store: Store) -> None:
    await sync(store, numbered(1, 6))
    await commit(store, await quoting(store, 1, 6, 5, text="the harbour is deep"))
    await append(store, numbered(7, 9))
    await commit(store, await quoting(store, 1, 9, 9, text="the harbour is closed"))
    hits = await grep(store, ANN, TALK, "harbour", Where("summary"))
    assert {(hit.id, hit.depth, hit.covers) for hit in hits.hits} == {("s1", 0, 6), ("s2", 1, 9)}
    one_down = await expand(store, ANN, TALK, ["s2"])
    assert [entry.id for entry in one_down] == ["s1", "m7", "m8", "m9"]
    down = await expand(store, ANN, TALK, ["s2"], to_messages=True)
    assert [entry.id for entry in down] == [f"m{place}" for place in range(1, 10)]
    outline = await describe(store, ANN, TALK, "s2")
    assert (outline.messages, outline.depth, outline.children) == (9, 1, ("s1", "m7", "m8", "m9"))
    assert outline.tokens_by_level[0] == 9 * TOKENS


async def test_what_is_quoted_can_no_longer_grow(store: Store) -> None:
    await store.append(ANN, TALK, counted([*numbered(1, 4), say("half", growing=True)]), now_s=1.0)
    made = await quoting(store, 1, 5, 5)
    with pytest.raises(IntegrityError, match="may still grow"):
        await commit(store, made)
    assert shape(await window_of(store)) == [("message", place, place, TOKENS) for place in range(1, 6)]


async def test_a_dropped_range_under_one_opens_into_messages(store: Store) -> None:
    said = numbered(1, 8)
    await sync(store, said)
    await commit(store, omitted(await window_of(store), 1, 3))
    await commit(store, await quoting(store, 1, 8, 7))
    await sync(store, [*said[:4], say("x", "user")])
    assert shape(await window_of(store)) == [("message", place, place, TOKENS) for place in range(1, 6)]


async def test_nothing_of_it_is_seen_by_another_owner(store: Store) -> None:
    await sync(store, numbered(1, 6))
    await commit(store, await quoting(store, 1, 6, 5, text="the harbour is deep"))
    await sync(store, numbered(1, 6), owner=BEA)
    assert await store.read(BEA, ["s1", "m5"]) == {}
    assert (await grep(store, BEA, None, "harbour")).total == 0
    assert shape(await window_of(store, owner=BEA)) == [
        ("message", place, place, TOKENS) for place in range(1, 7)
    ]
