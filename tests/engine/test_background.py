"""What happens to background work: it is resumed, it never holds close(), it reports, it is not done twice."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.reports import Event
from palimpsest.record.completion import Completion, CompletionRequest
from tests.engine.drawing import bulk, said
from tests.engine.laws import assert_lawful
from tests.patience import LIMIT_S, until

SMALL: dict[str, Any] = {"fresh_tail_count": 2, "leaf_min_fanout": 2, "leaf_chunk_tokens": 1_000}
LONG = [said("user", "Read it all."), *(said("assistant", bulk(1_200, number)) for number in range(8))]


async def _closed(path: Path, model: Any, asked: Callable[[], object], timeout_s: float = 0.1) -> None:
    """An engine closed while its model is at work."""
    engine = await palimpsest.open(path, complete=model, preset="hierarchical", **SMALL)
    talk = engine.conversation("a")
    await talk.append(*LONG)
    await talk.end_turn()
    await until(asked)
    await engine.close(timeout_s)


async def _closed_beside_a_hanging_model(path: Path) -> None:
    """Work that is noted and not done: it returns, though the model would take an hour."""
    model = ScriptedModel([3600.0])
    await _closed(path, model, lambda: model.requests, 0.01)


async def test_close_does_not_wait_for_a_hanging_model(tmp_path: Path) -> None:
    model = ScriptedModel([3600.0])
    await _closed(tmp_path / "a.db", model, lambda: model.requests)
    assert len(model.requests) == 1


async def test_close_does_not_wait_for_a_callable_that_blocks_its_thread(tmp_path: Path) -> None:
    begun, release = threading.Event(), threading.Event()
    ended: list[str] = []

    def blocks(prompt: str, options: dict[str, object]) -> str:
        begun.set()
        release.wait(LIMIT_S)
        ended.append(prompt)
        return ""

    await _closed(tmp_path / "a.db", blocks, begun.is_set)
    assert ended == []
    release.set()


async def test_close_does_not_wait_for_a_model_that_swallows_cancellation(tmp_path: Path) -> None:
    begun, release = asyncio.Event(), asyncio.Event()
    ended: list[str] = []

    async def stubborn(request: CompletionRequest) -> Completion:
        begun.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        ended.append("late")
        return Completion("late")

    await _closed(tmp_path / "a.db", stubborn, begun.is_set)
    assert ended == []
    release.set()
    await until(lambda: ended)


async def test_abandoned_work_is_resumed_when_the_database_is_next_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await _closed_beside_a_hanging_model(path)
    async with palimpsest.open(
        path, complete=ScriptedModel([Completion("Read.")]), preset="hierarchical", **SMALL
    ) as engine:
        await engine.idle()
        stats = await engine.stats()
        assert stats.summaries_by_depth[0] >= 1
        assert await engine.store.pending("me") == []
        await assert_lawful(engine.conversation("a"), LONG)


async def test_work_is_left_alone_when_resuming_is_declined(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await _closed_beside_a_hanging_model(path)
    async with palimpsest.open(path, resume=False, preset="hierarchical", **SMALL) as engine:
        await engine.idle()
        assert (await engine.stats()).compactions == 0
        assert await engine.store.pending("me") == [("a", "leaf")]


async def test_background_work_reports_through_events() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **SMALL) as engine:
        events = engine.events()
        talk = engine.conversation("a")
        await talk.append(*LONG)
        assert await talk.end_turn() is None
        await engine.idle()
        event = await asyncio.wait_for(anext(events), LIMIT_S)
        assert event.kind == "compacted"
        assert event.report is not None
        assert event.report.after_tokens < event.report.before_tokens
        assert event.report.summaries


async def test_events_end_when_the_engine_is_closed() -> None:
    engine = await palimpsest.open(":memory:", preset="hierarchical", **SMALL)
    early, late = engine.events(), engine.events()
    await engine.conversation("a").append(*LONG)
    await engine.conversation("a").end_turn()
    await engine.close()
    assert [one.kind async for one in early] == ["compacted"]
    assert [one.kind async for one in late] == ["compacted"]
    assert [one async for one in engine.events()] == []


async def test_a_subscriber_that_does_not_read_loses_the_oldest_events_only() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        events = engine.events()
        for number in range(1_200):
            engine._background.publish(Event("failed", "a", None, str(number)))
        found = [(await anext(events)).message for _ in range(1_000)]
        assert found == [str(number) for number in range(200, 1_200)]


async def test_a_failure_in_the_background_is_an_event_and_the_work_stays_noted() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **SMALL) as engine:
        events = engine.events()
        await engine.conversation("a").append(*LONG)

        async def fails() -> None:
            raise ZeroDivisionError("no model")

        engine._background.start("a", "leaf", fails)
        await engine.idle()
        event = await anext(events)
        assert (event.kind, event.message) == ("failed", "leaf: ZeroDivisionError: no model")
        assert await engine.store.pending("me") == [("a", "leaf")]


async def test_the_same_work_never_runs_twice_at_once_and_a_second_wish_is_granted_after() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **SMALL) as engine:
        await engine.conversation("a").append(*LONG)
        running, most, runs = 0, 0, 0

        async def counted() -> None:
            nonlocal running, most, runs
            running, runs = running + 1, runs + 1
            most = max(most, running)
            await asyncio.sleep(0.01)
            running -= 1

        assert engine._background.start("a", "leaf", counted)
        assert not engine._background.start("a", "leaf", counted)
        assert not engine._background.start("a", "leaf", counted)
        await engine.idle()
        assert (most, runs) == (1, 2)


async def test_a_lease_held_elsewhere_keeps_work_from_being_done_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with palimpsest.open(path, preset="hierarchical", **SMALL) as engine:
        await engine.store.lease("leaf\x1fme\x1fa", "somebody else", ttl_s=60, now_s=time.time())
        await engine.conversation("a").append(*LONG)
        await engine.conversation("a").end_turn()
        await asyncio.sleep(0.2)
        assert (await engine.stats()).compactions == 0
        assert await engine.store.pending("me") == [("a", "leaf")]
        await engine.close(0)


async def test_close_does_not_wait_for_work_whose_lease_a_process_that_crashed_still_holds(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.db"
    await _closed_beside_a_hanging_model(path)
    async with palimpsest.open(path, resume=False, preset="hierarchical", **SMALL) as engine:
        await engine.store.lease("leaf\x1fme\x1fa", "a process that crashed", ttl_s=60, now_s=time.time())
    engine = await palimpsest.open(path, preset="hierarchical", **SMALL)
    await asyncio.sleep(0.05)
    async with asyncio.timeout(45):  # the lease ends after 60 s
        await engine.close()
    assert [one async for one in engine.events()] == []


async def test_closing_twice_is_closing_once() -> None:
    engine = await palimpsest.open(":memory:", preset="hierarchical")
    await engine.close()
    await engine.close()
    assert [one async for one in engine.events()] == []
