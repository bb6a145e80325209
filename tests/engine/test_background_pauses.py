"""Long work is done in slices between which others run: often enough, and no more often than it takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator

from palimpsest.engine.background_pauses import SLICE_S, give_way

MANY = 20_000


async def turns_while(steps: Generator[None, None, None]) -> int:
    """How often another task runs while this work is done."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    await asyncio.sleep(0)
    await give_way(steps)
    task.cancel()
    return turns


async def test_others_run_between_long_slices() -> None:
    def slow() -> Generator[None, None, None]:
        for _ in range(10):
            time.sleep(SLICE_S * 1.5)
            yield

    assert await turns_while(slow()) >= 10


async def test_many_short_slices_are_done_together() -> None:
    def quick() -> Generator[None, None, None]:
        for _ in range(MANY):
            yield

    assert await turns_while(quick()) < MANY // 10
