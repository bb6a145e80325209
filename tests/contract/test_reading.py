"""Reading back over every store: pages that are together the whole, counts that need no reading, and nobody else's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.engine.reading.expand import describe, expand
from palimpsest.engine.reading.paging import Cursor
from palimpsest.engine.reports import Entry
from palimpsest.errors import NotFound, UsageError
from palimpsest.ports import Store
from palimpsest.record.log import Stored
from palimpsest.record.summary import Summary
from tests.contract.kit import ANN, TALK, TOKENS, append, compact, numbered, say, sync

BOB = "bob"


async def walked(store: Store, summary: Summary) -> list[Stored]:
    """The messages under a summary, found by opening everything, source by source."""
    found = await store.read(ANN, summary.sources)
    opened: list[Stored] = []
    for source in summary.sources:
        one = found[source][1]
        opened += await walked(store, one) if isinstance(one, Summary) else [one]
    return opened


async def pages(
    store: Store, ids: list[str], budget_tokens: int, *, to_messages: bool = False
) -> list[Entry]:
    """Everything that reading page by page gives, by the cursors alone."""
    page = await expand(store, ANN, TALK, ids, budget_tokens=budget_tokens, to_messages=to_messages)
    found = list(page)
    while page.cursor:
        page = await expand(store, ANN, TALK, [], budget_tokens=budget_tokens, cursor=page.cursor)
        assert len(page) > 0
        found += page
    return found


async def deep(store: Store) -> Summary:
    """A summary of two summaries and the message between them, with an abandoned branch beside it."""
    await sync(store, numbered(1, 12))
    await compact(store, 1, 4)
    await compact(store, 6, 9)
    made = await compact(store, 1, 9, text="all of it")
    await sync(store, [*numbered(1, 5), say("another way")])
    return made


async def test_a_summary_opens_to_its_messages_as_opening_every_source_does(store: Store) -> None:
    made = await deep(store)
    opened = await expand(store, ANN, TALK, [made.id], to_messages=True)
    assert [entry.id for entry in opened] == [one.id for one in await walked(store, made)]
    assert [entry.id for entry in opened] == [f"m{place}" for place in range(1, 10)]
    assert [entry.id for entry in await expand(store, ANN, TALK, [made.id])] == ["s1", "m5", "s2"]


@pytest.mark.parametrize("budget_tokens", [64, 100, 1_000])
@pytest.mark.parametrize("to_messages", [False, True])
async def test_pages_are_together_the_whole(store: Store, budget_tokens: int, to_messages: bool) -> None:
    made = await deep(store)
    ids = ["m12", made.id, "m2-m7", "m1"]
    whole = await expand(store, ANN, TALK, ids, to_messages=to_messages)
    assert whole.cursor == ""
    assert [one.id for one in await pages(store, ids, budget_tokens, to_messages=to_messages)] == [
        one.id for one in whole
    ]


async def test_a_message_larger_than_the_budget_comes_in_pieces(store: Store) -> None:
    text = " ".join(f"word{number}" for number in range(900))
    (stored,) = await append(store, [say(text)])
    found = await pages(store, [stored.id], 200)
    assert len(found) > 5
    assert "".join(entry.text for entry in found) == text
    assert (found[0].before_chars, found[-1].after_chars) == (0, 0)
    assert all(
        one.before_chars + len(one.text) + one.after_chars in range(len(text), len(text) + 2) for one in found
    )


async def test_a_cursor_outlives_appends_and_compactions_and_forks(store: Store) -> None:
    await sync(store, numbered(1, 12))
    made = await compact(store, 1, 8)
    first = await expand(store, ANN, TALK, [made.id], budget_tokens=100)
    rest = await expand(store, ANN, TALK, [made.id], budget_tokens=10_000, cursor=first.cursor)
    await append(store, numbered(13, 20))
    await compact(store, 1, 10, text="wider")
    await sync(store, [*numbered(1, 3), say("edited")])
    again = await expand(store, ANN, TALK, [], budget_tokens=10_000, cursor=first.cursor)
    assert [replace(one, current=True) for one in again] == list(rest)
    assert {one.id for one in (*first, *again) if not one.current} == {f"m{place}" for place in range(4, 9)}
    assert [one.id for one in (*first, *rest)] == [f"m{place}" for place in range(1, 9)]


@pytest.mark.parametrize(
    "spoilt",
    ["", "s1", "s1~r~0~0~0000", "s1~r~0~0", "m1;drop~r~0~0~0000", "x" * 60_000, "s1~r~9~0~ffff", "\0"],
)
async def test_a_bad_cursor_is_told(store: Store, spoilt: str) -> None:
    await sync(store, numbered(1, 4))
    await compact(store, 1, 3)
    with pytest.raises(UsageError, match=r"is no cursor|no id was given"):
        await expand(store, ANN, TALK, [], cursor=spoilt)


async def test_a_cursor_goes_with_its_own_ids_only(store: Store) -> None:
    await sync(store, numbered(1, 12))
    made = await compact(store, 1, 8)
    page = await expand(store, ANN, TALK, [made.id], budget_tokens=100)
    with pytest.raises(UsageError, match=f"goes on with {made.id}"):
        await expand(store, ANN, TALK, ["m12"], cursor=page.cursor)


async def test_what_is_known_is_read_and_the_rest_is_named(store: Store) -> None:
    await sync(store, numbered(1, 12))
    made = await compact(store, 1, 4)
    await append(store, numbered(1, 2), talk="other")
    asked = ["m99", "m5", "m7-m99", made.id, "nonsense", "m13", "m9-m11"]
    found = await expand(store, ANN, TALK, asked)
    assert [one.id for one in found] == ["m5", "m1", "m2", "m3", "m4", "m9", "m10", "m11"]
    assert found.missing == ("m99", "m7-m99", "nonsense", "m13")
    assert found.note.startswith("no message or summary m99, m7-m99, nonsense, m13 (")
    assert "m13 stands in another conversation" in found.note
    everywhere = await expand(store, ANN, None, ["m13", "m5", "m99"])
    assert ([one.id for one in everywhere], everywhere.missing) == (["m13", "m5"], ("m99",))
    assert (await expand(store, ANN, TALK, ["m5"])).note == ""


async def test_pages_go_on_past_what_names_nothing(store: Store) -> None:
    await sync(store, numbered(1, 12))
    page = await expand(store, ANN, TALK, ["m98", "m3-m9", "m99", "m12"], budget_tokens=100)
    found = [one.id for one in page]
    assert page.missing == ("m98", "m99")
    while page.cursor:
        page = await expand(store, ANN, TALK, [], budget_tokens=100, cursor=page.cursor)
        assert page.missing == ()
        found += [one.id for one in page]
    assert found == ["m3", "m4", "m5", "m6", "m7", "m8", "m9", "m12"]


async def test_a_cursor_whose_first_id_is_gone_begins_with_the_next(store: Store) -> None:
    await sync(store, numbered(1, 12))
    gone = Cursor(("m98", "m3-m5"), include_results=True, to_messages=False, place=4, char=7)
    page = await expand(store, ANN, TALK, [], cursor=str(gone))
    assert [(one.id, one.before_chars) for one in page] == [("m3", 0), ("m4", 0), ("m5", 0)]
    assert page.missing == ("m98",)


@pytest.mark.parametrize("given", ["m9-m3", "m3-m99", "m1-s1", "m1-", "m1-m2-m3"])
async def test_a_range_that_is_none_is_told(store: Store, given: str) -> None:
    await sync(store, numbered(1, 12))
    await compact(store, 1, 8)
    with pytest.raises((UsageError, NotFound)):
        await expand(store, ANN, TALK, [given])


async def test_a_range_goes_along_the_history_of_its_ends(store: Store) -> None:
    await sync(store, numbered(1, 6))
    await append(store, numbered(1, 2), talk="between")
    await append(store, numbered(7, 8))
    assert [one.id for one in await expand(store, ANN, TALK, ["5-10"])] == ["m5", "m6", "m9", "m10"]
    with pytest.raises(UsageError, match="no range of one history"):
        await expand(store, ANN, None, ["m5-m8"])


async def test_describe_counts_what_walking_would(store: Store) -> None:
    made = await deep(store)
    outline = await describe(store, ANN, TALK, made.id)
    assert outline.counts_by_level == {0: 9, 1: 2, 2: 1}
    assert outline.tokens_by_level[0] == sum(one.tokens for one in await walked(store, made)) == 9 * TOKENS
    assert (outline.messages, outline.children) == (9, ("s1", "m5", "s2"))


async def test_no_id_range_or_cursor_reads_what_is_anothers(store: Store) -> None:
    await sync(store, numbered(1, 12))
    made = await compact(store, 1, 8)
    page = await expand(store, ANN, TALK, [made.id], budget_tokens=100)
    await append(store, numbered(1, 3), owner=BOB)
    for ids, cursor in ((["m1"], ""), ([made.id], ""), (["m1-m4"], ""), (["m13-m1"], ""), ([], page.cursor)):
        with pytest.raises(NotFound):
            await expand(store, BOB, None, ids, cursor=cursor)
    with pytest.raises(NotFound):
        await describe(store, BOB, None, made.id)
    assert await store.history(BOB, "m1", 1, 99) == []
    assert await store.history(BOB, made.id, 1, 99) == []
    assert await store.beneath(BOB, made.id) is None
    assert [one.id for one in await store.history(BOB, "m14", 1, 99)] == ["m13", "m14", "m15"]


async def test_another_conversation_is_read_only_where_none_is_named(store: Store) -> None:
    await append(store, numbered(1, 2))
    await append(store, numbered(1, 2), talk="other")
    with pytest.raises(NotFound, match="another conversation"):
        await expand(store, ANN, TALK, ["m3"])
    assert [one.conversation for one in await expand(store, ANN, None, ["m1", "m3"])] == [TALK, "other"]


@pytest.mark.parametrize(
    "strange", ["m0", "m01", "m" + "9" * 30, "s9", "", "m٣", "m1\0", "o1", "x1", "'; --"]
)
async def test_a_strange_id_has_no_history(store: Store, strange: str) -> None:
    await sync(store, numbered(1, 4))
    assert await store.history(ANN, strange, 1, 9) == []
    assert await store.beneath(ANN, strange) is None
