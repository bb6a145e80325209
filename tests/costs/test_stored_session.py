"""A long conversation's bill: whoever waits for it is told how far it is, and may leave."""

from __future__ import annotations

import asyncio
import threading

import pytest

import palimpsest
from palimpsest.formats.transcripts import Transcript
from palimpsest.record.message import Message, Text


async def test_reckoning_tells_how_far_it_is_and_ends_where_nobody_waits_for_it() -> None:
    history = tuple(
        one
        for number in range(1_200)
        for one in (Message("user", (Text("go on"),)), Message("assistant", (Text("done"),)))
    )
    told: list[str] = []
    begun, left = threading.Event(), threading.Event()

    def step(what: str, done: int, of: int) -> None:
        told.append(f"{what} {done} of {of}")
        if what == "measuring":
            begun.set()
            left.wait(60)

    async with palimpsest.open(":memory:") as engine:
        await engine.import_transcript(Transcript("a", "claude_code", paths=(history,)))
        reckoning = asyncio.create_task(engine.cost("a", step=step))
        await asyncio.to_thread(begun.wait, 60)
        reckoning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reckoning
        before = [*told]
        left.set()
        await asyncio.get_running_loop().shutdown_default_executor()
    assert told == before == ["reading 0 of 2400", "reading 2000 of 2400", "measuring 0 of 1200"]
