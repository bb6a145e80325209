"""Processes that append, forget, compact, verify, back up and export at once."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import palimpsest
from bench.trust.kills import drained, forked
from bench.trust.kills_worker import SMALL
from palimpsest.engine.deletion import finish_deletions
from palimpsest.engine.engine import Engine
from tests.stores.remnants import remnants

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")

ROUNDS = 8
LIMIT_S = 120.0
Tell = Callable[[str], None]


async def appending(engine: Engine, folder: Path, tell: Tell) -> None:
    for number in range(ROUNDS * 5):
        stored = await engine.conversation("stays").append(
            {"role": "user", "content": f"kept{number} " + "word " * 30}
        )
        tell(f"kept {stored[0].id} kept{number}")
        if number % 6 == 5:
            await engine.conversation("stays").compact()


async def forgetting(engine: Engine, folder: Path, tell: Tell) -> None:
    talk = engine.conversation("goes")
    for number in range(ROUNDS):
        stored = await talk.append(
            {"role": "user", "content": f"zebrafinch{number}quartz says this " + "more " * 30},
            {"role": "assistant", "content": "yes, certainly " * 20},
        )
        await talk.compact()
        await engine.forget("goes", stored[0].id)


async def looking(engine: Engine, folder: Path, tell: Tell) -> None:
    for number in range(ROUNDS // 2):
        for fault in (await engine.verify(everyone=True)).faults:
            tell(f"fault verify: {fault.kind} {fault.text}")
        await engine.backup(folder / f"copy{number}.db", force=True)
        await engine.export_all(folder / "all.jsonl", force=True)
    tell("looked")


def works(path: Path, deed: Callable[[Engine, Path, Tell], Awaitable[None]]) -> Callable[[Tell], None]:
    async def work(tell: Tell) -> None:
        async with palimpsest.open(path, **SMALL) as engine:
            await deed(engine, path.parent / "copies", tell)
        tell("done")

    return lambda tell: asyncio.run(work(tell))


@pytest.mark.slow
def test_processes_that_write_forget_and_look_at_once_disturb_nothing(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    (tmp_path / "copies").mkdir()
    deeds = (appending, forgetting, forgetting, looking)
    children = [forked(works(path, deed)) for deed in deeds]
    heard = drained(dict.fromkeys((pipe for _, pipe in children), b""), time.monotonic() + LIMIT_S)
    for pid, pipe in children:
        os.close(pipe)
        os.waitpid(pid, 0)
    said = [data.decode().splitlines() for data in heard.values()]
    assert [line for lines in said for line in lines if line.startswith("fault")] == []
    assert [lines[-1] for lines in said] == ["done"] * len(deeds)
    asyncio.run(all_is_well(path, [line.split() for line in said[0] if line.startswith("kept")]))


async def all_is_well(path: Path, kept: list[list[str]]) -> None:
    """What was kept is there in its order, what was forgotten nowhere, and every copy is whole."""
    async with palimpsest.open(path, **SMALL) as engine:
        assert await finish_deletions(engine.store) == ()
        stored = await engine.store.messages("me", "stays", 1, 10_000)
        assert [(one.id, one.message.text.split()[0]) for one in stored] == [
            (name, word) for _, name, word in kept
        ]
        assert (await engine.verify(everyone=True)).faults == ()
    assert remnants(path, [f"zebrafinch{number}quartz" for number in range(ROUNDS)]) == []
    copies = sorted((path.parent / "copies").glob("copy*.db"))
    assert len(copies) == ROUNDS // 2
    for copy in copies:
        async with palimpsest.open(copy) as engine:
            assert (await engine.verify(everyone=True)).faults == ()
    async with palimpsest.open(":memory:") as engine:
        taken = await engine.import_all(path.parent / "copies" / "all.jsonl")
        assert not taken.lost
