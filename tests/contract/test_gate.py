"""A gated message stands under its own id in every store: whole when read, by its excerpt in the window."""

from __future__ import annotations

from dataclasses import replace

from palimpsest.ports import Counted, Store
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.window_items import GATE_ID, MessageItem, StubItem
from tests.contract.kit import ANN, NOW_S, TALK, branch_of, counted, say

CALL = Message("assistant", (ToolCall("c1", "run", "{}"),))
ANSWER = Message("tool", (ToolResult("c1", (Text("all of it " * 400),)),))
GATED = Counted(ANSWER, 1_000, f"a part; stored as {GATE_ID}\x1e", 20)
ENTRIES = [*counted([say("go"), CALL], 10), GATED, *counted([say("done", "assistant")], 10)]


async def test_a_window_shows_the_excerpt_and_every_read_gives_the_whole(store: Store) -> None:
    stored = (await store.append(ANN, TALK, ENTRIES, now_s=NOW_S)).stored
    loaded = await store.load_window(ANN, TALK)
    assert loaded is not None
    item = loaded.window.items[2]
    assert isinstance(item, StubItem)
    assert (item.id, item.tokens, item.gated) == (stored[2].id, 20, True)
    assert item.note == f"a part; stored as {stored[2].id}\x1e"
    assert loaded.window.tokens == 50
    ((_, read),) = (await store.read(ANN, [stored[2].id])).values()
    assert read == stored[2]
    assert (read.message, read.tokens, read.shown_tokens) == (ANSWER, 1_000, 20)  # type: ignore[union-attr]
    (row,) = await store.conversations(ANN)
    assert (row.tokens, row.window_tokens) == (1_030, 50)


async def test_a_fork_shows_what_it_inherits_as_it_was_shown(store: Store) -> None:
    await store.append(ANN, TALK, ENTRIES, now_s=NOW_S)
    other = [*(entry.message for entry in ENTRIES[:3]), say("another end", "assistant")]
    entries = [*(Counted(message, -1) for message in other[:3]), Counted(other[3], 10)]
    done = await store.sync(ANN, TALK, entries, now_s=NOW_S)
    loaded = await store.load_window(ANN, TALK)
    assert done.forked
    assert loaded is not None
    kinds = [type(item) for item in loaded.window.items]
    assert kinds == [MessageItem, MessageItem, StubItem, MessageItem]
    assert loaded.window.tokens == 50


async def test_the_grown_form_of_a_message_is_gated_anew(store: Store) -> None:
    partial = replace(ANSWER, provisional=True, origin="line 3")
    grown = replace(ANSWER, parts=(ToolResult("c1", (Text("short"),)),), origin="line 3")
    start = ENTRIES[:2]
    await store.sync(ANN, TALK, [*start, replace(GATED, message=partial)], now_s=NOW_S)
    await store.sync(ANN, TALK, [*start, Counted(grown, 5)], now_s=NOW_S)
    loaded = await store.load_window(ANN, TALK)
    assert loaded is not None
    assert isinstance(loaded.window.items[2], MessageItem)
    assert loaded.window.tokens == 25


async def test_a_branch_says_what_all_its_messages_would_cost(store: Store) -> None:
    await store.append(ANN, TALK, ENTRIES, now_s=NOW_S)
    branch = await branch_of(store)
    assert branch.tokens == 1_030
    other = [*(Counted(entry.message, -1) for entry in ENTRIES[:2]), *counted([say("else")], 7)]
    forked = await store.sync(ANN, TALK, other, now_s=NOW_S)
    assert (forked.forked, forked.branch.tokens) == (True, 27)
    growing = say("grows", "assistant", growing=True, origin="line 9")
    grown = say("grows a lot", "assistant", origin="line 9")
    known = [Counted(entry.message, -1) for entry in other]
    assert (await store.sync(ANN, TALK, [*known, Counted(growing, 3)], now_s=NOW_S)).branch.tokens == 30
    assert (await store.sync(ANN, TALK, [*known, Counted(grown, 5)], now_s=NOW_S)).branch.tokens == 32
