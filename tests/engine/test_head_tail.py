"""The head-and-tail policy at work: interruptions, the cooldown, small sessions, the presets that drop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.record.message import Message
from palimpsest.record.window_items import MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.stores.sqlite import SqliteStore
from tests.effort import size
from tests.engine.drawing import bulk, said
from tests.engine.laws import assert_lawful, assert_request_lawful
from tests.engine.middles import (
    ROOM,
    SUMMARY,
    UPDATED,
    Clock,
    Stopped,
    StoppingStore,
    hermes,
    looks,
    session,
    settled,
)
from tests.house.tree import ROOT
from tests.reference_store import MemoryStore

BULKY = session(26, 1_200)
MIXED = session(10, 1_200, words=22)
KINDS = {"pruned": BULKY, "summarized": MIXED}


async def stored(history: list[Message]) -> MemoryStore:
    store = MemoryStore()
    await hermes(store).conversation("work").append(*history)
    return store


async def uninterrupted(history: list[Message]) -> tuple[list[tuple[object, ...]], int]:
    """What the window is in the end, and how many calls of the store that took."""
    store = StoppingStore(await stored(history))
    talk = hermes(store).conversation("work")
    await talk.end_step()
    return looks((await talk.window()).window), store.calls - 1


@pytest.mark.sampled
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("after", [False, True])
async def test_stopped_at_any_call_of_the_store_the_next_trigger_gives_the_same_window(
    kind: str, after: bool
) -> None:
    wanted, calls = await uninterrupted(KINDS[kind])
    assert {look[0] for look in wanted} & {"StubItem", "SummaryItem"}
    for call in range(1, calls + 1, size(5 - after, 1)):
        store = await stored(KINDS[kind])
        stopped = hermes(StoppingStore(store, call, after=after))
        with pytest.raises(Stopped):
            await stopped.conversation("work").end_step()
        assert await settled(hermes(store).conversation("work")) == wanted


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("kind", KINDS)
async def test_a_process_killed_between_two_steps_leaves_what_the_next_one_finishes(
    kind: str, tmp_path: Path
) -> None:
    wanted, calls = await uninterrupted(KINDS[kind])
    for call in size([calls // 2], [2, calls // 3, 2 * calls // 3, calls - 4]):
        path = tmp_path / f"{call}.db"
        store = await SqliteStore.open(path)
        async with hermes(store) as engine:
            await engine.conversation("work").append(*KINDS[kind])
        command = [sys.executable, "-m", "tests.engine.middles", str(path), str(call)]
        killed = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, timeout=60, check=False)
        assert killed.returncode == -9
        async with hermes(await SqliteStore.open(path)) as engine:
            assert await settled(engine.conversation("work")) == wanted


async def test_pruning_alone_suffices_where_the_bulk_is_in_old_results() -> None:
    model = ScriptedModel([SUMMARY])
    async with palimpsest.open(":memory:", preset="hermes", complete=model, **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(*BULKY)
        report = await talk.end_step()
        assert report is not None
        assert (report.stubs > 5, report.summaries, model.requests) == (True, (), [])
        items = (await talk.window()).window.items
        stub = next(item for item in items if isinstance(item, StubItem))
        assert stub.stored.id in stub.note
        (whole,) = await talk.expand([stub.stored.id])
        assert whole.parts == stub.stored.message.parts == BULKY[stub.first - 1].parts
        await assert_lawful(talk, BULKY)
        assert_request_lawful(await talk.request(), 15_000)


async def test_the_middle_becomes_one_summary_that_is_updated_by_the_next() -> None:
    model = ScriptedModel([SUMMARY, UPDATED])
    async with palimpsest.open(":memory:", preset="hermes", complete=model, **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(*MIXED)
        await talk.end_step()
        more = [said("assistant" if n % 2 else "user", bulk(900, n)) for n in range(30)]
        await talk.append(*more)
        report = await talk.end_step()
        assert report is not None
        items = (await talk.window()).window.items
        made = [item for item in items if isinstance(item, SummaryItem)]
        assert [one.summary.depth for one in made] == [1]
        assert made[0].summary.text.startswith(UPDATED.partition("\n## P")[0])
        assert SUMMARY.splitlines()[1] in model.requests[1].messages[0].text
        assert [type(item) for item in items[:2]] == [MessageItem, MessageItem]
        texts = [message.text for message in (await talk.request()).messages]
        assert sum("[CONTEXT COMPACTION]" in text for text in texts) == 1
        await assert_lawful(talk, [*MIXED, *more])


async def test_after_a_failure_the_summarizer_rests_for_ten_minutes() -> None:
    clock = Clock()
    model = ScriptedModel([RuntimeError("down"), RuntimeError("down"), SUMMARY])
    async with palimpsest.open(":memory:", preset="hermes", complete=model, clock=clock, **ROOM) as engine:
        talk = engine.conversation("a")
        history = session(0, 0, words=34)
        await talk.append(*history)
        assert await talk.end_step() is not None
        failed = len(model.requests)
        more = session(0, 0, words=14)
        await talk.append(*more)
        clock.now_s += 599
        before = (await talk.window()).budget.used_tokens
        assert await talk.end_step() is None
        assert (await talk.window()).budget.used_tokens == before
        assert len(model.requests) == failed
        clock.now_s += 2
        report = await talk.end_step()
        assert report is not None
        assert report.summaries[-1].method == "normal"
        assert len(model.requests) > failed


async def test_the_hard_limit_overrides_the_rest_without_asking_the_model() -> None:
    clock = Clock()
    model = ScriptedModel([RuntimeError("down")])
    async with palimpsest.open(":memory:", preset="hermes", complete=model, clock=clock, **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(*session(0, 0, words=34))
        await talk.end_step()
        failed = len(model.requests)
        assert failed
        await talk.append(*session(0, 0, words=70))
        request = await talk.request()
        assert request.tokens <= request.budget.capacity_tokens
        assert len(model.requests) == failed
        made = [item for item in (await talk.window()).window.items if isinstance(item, SummaryItem)]
        assert made[0].summary.method == "extractive"


@pytest.mark.parametrize("preset", ["hermes", "openclaw", "sliding-window", "drop-middle"])
async def test_a_small_session_never_grows(preset: str) -> None:
    async with palimpsest.open(":memory:", preset=preset, **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(*session(2, 800, words=1))
        before = (await talk.window()).window
        ways: list[Callable[[], Awaitable[Any]]] = [talk.end_step, talk.end_turn, talk.compact]
        for way in ways:
            await way()
        await engine.idle()
        after = (await talk.window()).window
        assert after.tokens <= before.tokens
        assert len(after.items) == len(before.items)


async def test_a_long_turn_keeps_its_request_though_it_is_older_than_the_tail() -> None:
    async with palimpsest.open(":memory:", preset="hermes", head_turns=0, **ROOM) as engine:
        talk = engine.conversation("a")
        history = [said("user", "one"), said("assistant", "the answer"), *session(60, 150)]
        await talk.append(*history)
        for number in range(30):
            await talk.append(said("assistant", bulk(1_200, number)), key=str(number))
            history.append(said("assistant", bulk(1_200, number)))
            await talk.end_step()
        verbatim = [
            item.stored.message.parts
            for item in (await talk.window()).window.items
            if isinstance(item, MessageItem)
        ]
        assert history[2].parts in verbatim
        await assert_lawful(talk, history)


async def test_a_sliding_window_drops_from_the_beginning_and_names_what_it_dropped() -> None:
    model = ScriptedModel([SUMMARY])
    async with palimpsest.open(":memory:", preset="sliding-window", complete=model, **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(*session(0, 0, words=60))
        await talk.end_step()
        items = (await talk.window()).window.items
        assert isinstance(items[0], OmittedItem)
        assert all(isinstance(item, MessageItem) for item in items[1:])
        assert model.requests == []
        assert await talk.expand(["m2"])


async def test_dropping_the_middle_keeps_the_task_that_it_began_with() -> None:
    model = ScriptedModel([SUMMARY])
    async with palimpsest.open(":memory:", preset="drop-middle", complete=model, **ROOM) as engine:
        talk = engine.conversation("a")
        history = session(0, 0, words=60)
        await talk.append(*history)
        await talk.request()
        await talk.end_step()
        items = (await talk.window()).window.items
        kinds = [type(item) for item in items]
        assert kinds[:3] == [MessageItem, MessageItem, OmittedItem]
        assert kinds.count(OmittedItem) == 1
        assert model.requests == []
        await assert_lawful(talk, history)


async def test_openclaw_starts_when_its_reserve_is_touched_and_keeps_the_recent_tokens() -> None:
    settings: dict[str, Any] = {"window_tokens": 100_000, "max_tokens": 4_000}
    async with palimpsest.open(":memory:", preset="openclaw", **settings) as engine:
        talk = engine.conversation("a")
        await talk.append(*session(0, 0, words=60))
        assert await talk.end_step() is None
        await talk.append(*session(0, 0, words=300))
        report = await talk.end_step()
        assert report is not None
        assert dict(report.numbers)["trigger_tokens"] == 80_000
        assert dict(report.numbers)["tail_budget_tokens"] == 20_000
        assert isinstance((await talk.window()).window.items[0], SummaryItem)


async def test_a_line_that_says_what_was_wanted_before_its_part_is_traced_there() -> None:
    store = MemoryStore()
    goal = "Move the notes of the lighthouse keeper into one book."
    talk = hermes(store, [SUMMARY.replace("## Goal\n", f"## Goal\n- {goal}\n")]).conversation("work")
    await talk.append({"role": "user", "content": goal}, {"role": "assistant", "content": "I begin."})
    await talk.append(*session(10, 1_200, words=22))
    report = await talk.compact()
    assert report is not None
    (summary,) = report.summaries
    assert summary.first_id != "m1"
    traced = {one.line: one.messages for one in (await talk.trace(summary.id)).lines}
    assert traced[f"- {goal}"] == ("m1",)
    assert (await talk.trace(summary.id, goal)).lines[0].messages == ()
