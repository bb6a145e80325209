"""A write that is cancelled is settled when the cancellation is over: it was made, or it never will be."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import append, history, numbered, say

LONG = "x" * 20_000


async def test_what_a_cancelled_append_wrote_is_there_at_once(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    found: set[int] = set()
    for pauses in (
        *range(60),
        *(60 << doubled for doubled in range(16)),
    ):  # on a busy machine a write takes long
        if pauses > 60 and len(found) == 2:
            break
        before = len(await history(store))
        writing = asyncio.create_task(append(store, [say(LONG), say(LONG, "assistant")]))
        for _ in range(pauses):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.wait([writing])
        at_once = len(await history(store)) - before
        await append(store, numbered(1, 1))
        assert len(await history(store)) - before == at_once + 1
        found.add(at_once)
    assert found == {0, 2}
    await store.close()


async def test_nobody_is_told_of_an_answer_that_is_not_waited_for_any_more(tmp_path: Path) -> None:
    failures: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
    store = await SqliteStore.open(tmp_path / "talks.db")
    for pauses in range(20):
        for work in (append(store, [say(LONG)]), history(store)):
            working = asyncio.create_task(work)
            for _ in range(pauses):
                await asyncio.sleep(0)
            working.cancel()
            await asyncio.wait([working])
    await store.close()
    await asyncio.sleep(0)
    assert failures == []


async def test_a_write_that_waits_for_another_process_can_be_given_up_by_cancelling_twice(
    tmp_path: Path,
) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db", busy_timeout_s=60.0)
    await append(store, [say("a")])
    other = sqlite3.connect(tmp_path / "talks.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writing = asyncio.create_task(append(store, [say("b")]))
    await asyncio.sleep(0.5)  # long enough to have begun, on a machine that is busy
    writing.cancel()
    done, _ = await asyncio.wait([writing], timeout=0.1)
    assert not done
    writing.cancel()
    done, _ = await asyncio.wait([writing], timeout=45.0)
    assert done == {writing}
    assert writing.cancelled()
    other.execute("ROLLBACK")
    other.close()
    await append(store, [say("c")])
    assert [one.message.text for one in await history(store)][-1] == "c"
    await store.close()


async def test_a_backup_that_nobody_waits_for_any_more_leaves_nothing(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def step(what: str, done: int, of: int) -> None:
        begun.set()
        go_on.wait(60)

    place = tmp_path / "copies"
    place.mkdir()
    store = await SqliteStore.open(tmp_path / "talks.db")
    copying = asyncio.create_task(store.keeper.backup(place / "copy.db", now_s=0.0, step=step))
    await asyncio.to_thread(begun.wait, 60)
    assert len(list(place.iterdir())) >= 1
    copying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await copying
    go_on.set()
    for _ in range(1_200):
        if not list(place.iterdir()):
            break
        await asyncio.sleep(0.05)
    assert list(place.iterdir()) == []
    await store.close()
