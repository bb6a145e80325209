"""Work in the background pauses while somebody waits for a call, and goes on all the same where calls never end."""

from __future__ import annotations

import asyncio
import sys

import pytest

from palimpsest.engine.background_pauses import (
    foreground_call,
    foreground_calls,
    give_way,
    in_background,
    off_loop,
    pause,
)


async def test_a_pause_lasts_until_the_call_of_another_task_is_over() -> None:
    told: list[str] = []
    begun, end = asyncio.Event(), asyncio.Event()

    async def call() -> None:
        with foreground_call():
            begun.set()
            await end.wait()
            told.append("call")

    async def work() -> None:
        in_background()
        await begun.wait()
        asyncio.get_running_loop().call_soon(end.set)
        await pause()
        told.append("work")

    await asyncio.gather(call(), work())
    assert told == ["call", "work"]


async def test_a_call_does_not_wait_for_itself_nor_for_a_call_inside_of_it() -> None:
    with foreground_call():
        with foreground_call():
            assert len(foreground_calls().running) == 1
            await pause()
        assert len(foreground_calls().running) == 1
    assert not foreground_calls().running


async def test_work_goes_on_where_a_call_never_ends() -> None:
    steps = 0

    def working():
        nonlocal steps
        for _ in range(3):
            steps += 1
            yield

    async def call() -> None:
        with foreground_call():
            await asyncio.Event().wait()

    never = asyncio.create_task(call())
    await asyncio.sleep(0)
    await asyncio.wait_for(give_way(working()), 60)
    never.cancel()
    assert steps == 3


async def test_a_task_that_a_call_starts_is_no_part_of_it() -> None:
    seen: list[bool] = []

    async def work() -> None:
        in_background()
        with foreground_call():
            seen.append(len(foreground_calls().running) == 2)

    with foreground_call():
        await asyncio.create_task(work())
    assert seen == [True]


async def test_threads_take_turns_as_before_once_the_work_beside_the_loop_is_done() -> None:
    before_s = sys.getswitchinterval()
    during_s = await asyncio.gather(off_loop(sys.getswitchinterval), off_loop(sys.getswitchinterval))
    assert max(during_s) <= before_s
    assert sys.getswitchinterval() == before_s
    with pytest.raises(ZeroDivisionError):
        await off_loop(lambda: 1 // 0)
    assert sys.getswitchinterval() == before_s
