"""A process that is killed in the middle of a turn, again and again: the next one takes the turn up."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.agent.loop import INTERRUPTED
from palimpsest.plan.turns import units
from tests.agent.kit import JudgingModel, history
from tests.agent.worker import MAX_TOKENS, TASK, WINDOW_TOKENS, Fetcher, fetch, keep, options
from tests.effort import sampled, size
from tests.engine.laws import assert_covered
from tests.house.tree import ROOT

KILLS = size(2, 12)
TURNS = 400


def started(path: Path, preset: str) -> subprocess.Popen[str]:
    """A process at work."""
    command = [sys.executable, "-m", "tests.agent.worker", str(path), preset, str(TURNS)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def killed(worker: subprocess.Popen[str], lines: int) -> int:
    """The last position that a process said was stored, until it was killed some time after so many lines."""
    assert worker.stdout is not None
    seen = [worker.stdout.readline() for _ in range(lines)]
    worker.kill()
    rest = worker.stdout.read()  # `communicate` would pass over what `readline` has read ahead
    _, errors = worker.communicate(timeout=60)
    assert errors == ""
    whole = "".join(seen) + rest
    return int(whole[: whole.rfind("\n")].split()[-1])


@pytest.mark.slow
@sampled("preset", ["default", "crabtalk"], ["default"])
async def test_turns_survive_a_process_that_is_killed_again_and_again(preset: str, tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    draw = random.Random(f"kills {preset}")
    promised = 0
    for _ in range(KILLS):
        worker = await asyncio.to_thread(started, path, preset)
        promised = await asyncio.to_thread(killed, worker, draw.randrange(3, 60))
    model = JudgingModel([Fetcher()], WINDOW_TOKENS - MAX_TOKENS)
    async with palimpsest.open(path, **options(preset)) as engine:
        talk = engine.conversation("work")
        agent = make_agent(engine, model, system="You fetch.", tools=[fetch, keep])
        before = await history(talk)
        assert len(before) >= promised > 0
        done = sum(message.role == "user" for message in before)
        assert (
            await agent.answer(talk, TASK.format(number=done), key=f"turn {done}") == f"Task {done} is done."
        )
        stored = await history(talk)
        assert_covered((await talk.window()).window, len(stored))
    assert stored[: len(before)] == before
    assert model.faults == []
    assert [message.text for message in stored if message.role == "user"] == [
        TASK.format(number=number) for number in range(1, done + 1)
    ]
    answers = Counter(message.text for message in stored if message.role == "assistant" and not message.calls)
    assert answers == Counter(f"Task {number} is done." for number in range(1, done + 1))
    calls = Counter(call.id for message in stored for call in message.calls)
    results = Counter(result.call_id for message in stored for result in message.results)
    assert calls == results
    assert max(calls.values()) == 1
    assert not any(unit.open for unit in units(stored))
    interrupted = sum(result.text == INTERRUPTED for message in stored for result in message.results)
    assert interrupted <= 2 * (KILLS + 1)
