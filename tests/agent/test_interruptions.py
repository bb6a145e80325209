"""A turn interrupted anywhere: cancelled at its pauses, or by a store that fails at each of its calls, and taken up.

What must hold after each: the store is consistent, nothing is stored twice, the next request is valid for every
provider and fits, and nothing is left running.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.agent.agent import Agent, make_agent
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.engine.engine import Engine
from palimpsest.errors import StoreError
from palimpsest.plan.turns import units
from palimpsest.record.message import Message
from palimpsest.settings import make_settings
from palimpsest.stores.sqlite import SqliteStore
from tests.agent.kit import JudgingModel, history, shape
from tests.effort import sampled, size
from tests.engine.drawing import bulk, said
from tests.engine.laws import assert_covered
from tests.patience import LIMIT_S
from tests.reference_store import MemoryStore

TASK = "Fetch pages 1 to 3 and read page 2."
PRESETS: dict[str, dict[str, Any]] = {
    "crabtalk": {"compact_threshold": 700},
    "default": {
        "fresh_tail_count": 2, "leaf_min_fanout": 2, "leaf_chunk_tokens": 400, "leaf_target_tokens": 60,
        "context_threshold_share": 0.1,
    },
    "seahorse": {"fresh_tail_count": 2, "leaf_min_fanout": 2, "leaf_target_tokens": 60},
    "picoclaw": {"context_threshold_share": 0.2},
}  # fmt: skip
WINDOW_TOKENS = 1_900
MAX_TOKENS = 400
MOST_PAUSES = 5_000
STEP_PAUSES = size(29, 1)
"""An ordinary run takes every 29th pause, with each preset others."""
STEP_CALLS = size(11, 1)
"""And every eleventh call of the store."""
BEFORE = [said("user" if n % 2 == 0 else "assistant", bulk(600, n)) for n in range(8)]


class Between:
    """A store with `before` called ahead of each of its methods, and `after` behind it; each pauses twice."""

    def __init__(self, store: MemoryStore | SqliteStore) -> None:
        self.store = store
        self.calls = 0
        self.before: Callable[[int], None] = lambda number: None
        self.after: Callable[[int], None] = lambda number: None

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.store, name)

        async def call(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            number = self.calls
            await asyncio.sleep(0)
            self.before(number)
            done = await method(*arguments, **named)
            self.after(number)
            await asyncio.sleep(0)
            return done

        return call


async def fetch(page: int) -> str:
    """Fetch a page."""
    for _ in range(3):
        await asyncio.sleep(0)
    return bulk(480, page)


def read(page: int) -> str:
    """Read a page in a thread."""
    return bulk(480, page)


def engine_over(store: Any, preset: str) -> Engine:
    """An engine in which the turn is compacted, with a summarizer that takes its time."""
    summarizer = ScriptedModel(["Pages of the log were read; build 9f3c21ab has no index."], pause_s=0)
    made = make_settings(preset, window_tokens=WINDOW_TOKENS, max_tokens=MAX_TOKENS, **PRESETS[preset])
    return Engine(store, settings=made, complete=summarizer)


def agent_over(engine: Engine, *, in_threads: bool) -> tuple[Agent, JudgingModel]:
    """The agent of the turn, and its model."""
    second = "read" if in_threads else "fetch"
    model = JudgingModel(
        [
            call_tools(("fetch", {"page": 1}), (second, {"page": 2}), text="I begin."),
            call_tools(("fetch", {"page": 3}), first_id=3),
            "All done.",
        ],
        room_tokens=WINDOW_TOKENS - MAX_TOKENS,
        newest=TASK,
    )
    return make_agent(engine, model, system="You read.", tools=[fetch, read]), model


def sound(messages: list[Message]) -> bool:
    """Whether every call has exactly one result, in its own group, and the task and the answer stand once."""
    calls = Counter(call.id for message in messages for call in message.calls)
    results = Counter(result.call_id for message in messages for result in message.results)
    said_once = Counter(message.text for message in messages)
    return (
        calls == results
        and all(count == 1 for count in calls.values())
        and not any(unit.open for unit in units(messages))
        and said_once[TASK] == 1
        and said_once["All done."] == 1
        and messages[: len(BEFORE)] == BEFORE
    )


async def taken_up(engine: Engine, agent: Agent, model: JudgingModel) -> None:
    """Give the turn again, and judge what then stands."""
    async with asyncio.timeout(LIMIT_S):
        assert await agent.answer("log", TASK, key="turn-1") == "All done."
        await engine.idle()
    talk = engine.conversation("log")
    stored = await history(talk)
    assert model.faults == []
    assert sound([_plain(one) for one in stored]), shape(stored)[8:]
    assert_covered((await talk.window()).window, len(stored))


def _plain(message: Message) -> Message:
    return Message(message.role, message.parts)


def nothing_is_left() -> bool:
    """Whether this task is the only one, and no call runs in a thread."""
    threads = [one.name for one in threading.enumerate() if one.name == "palimpsest-complete"]
    return asyncio.all_tasks() == {asyncio.current_task()} and not threads


async def cancelled_after(pauses: int, store: Any, preset: str, *, in_threads: bool) -> bool:
    """Cancel the turn after so many pauses, and take it up; whether it was still going on."""
    engine = engine_over(store, preset)
    agent, model = agent_over(engine, in_threads=in_threads)
    await engine.conversation("log").append(*BEFORE)
    turn = asyncio.create_task(agent.answer("log", TASK, key="turn-1"))
    for _ in range(pauses):
        await asyncio.sleep(0)
    interrupted = turn.cancel()
    await asyncio.wait([turn])
    assert turn.cancelled() == interrupted
    await taken_up(engine, agent, model)
    await engine.close()
    return interrupted


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the event loop has to complain of: failures of tasks that nobody saw, and the like."""
    heard: list[str] = []
    note = logging.Handler()
    note.emit = lambda record: heard.append(record.getMessage())
    logger = logging.getLogger("asyncio")
    logger.addHandler(note)
    yield heard
    logger.removeHandler(note)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("preset", PRESETS)
async def test_a_turn_can_be_cancelled_at_every_pause(preset: str, complaints: list[str]) -> None:
    pauses = list(PRESETS).index(preset) % STEP_PAUSES
    while await cancelled_after(pauses, Between(MemoryStore()), preset, in_threads=False):
        assert nothing_is_left(), pauses
        pauses += STEP_PAUSES
        assert pauses < MOST_PAUSES
    assert pauses > 50
    gc.collect()
    assert complaints == []


@pytest.mark.slow
@sampled("preset", ["crabtalk", "default"], ["default"])
async def test_a_turn_over_a_file_and_with_threads_can_be_cancelled_anywhere(
    preset: str, tmp_path: Path
) -> None:
    pauses = interrupted = 0
    going_on = True
    while going_on:
        store = await SqliteStore.open(tmp_path / f"{pauses}.db")
        going_on = await cancelled_after(pauses, store, preset, in_threads=True)
        assert nothing_is_left()
        interrupted += going_on
        pauses += size(23, 5) + pauses // 8
    assert interrupted > size(5, 20)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("preset", PRESETS)
async def test_a_turn_goes_on_after_the_store_failed_at_any_of_its_calls(preset: str, when: str) -> None:
    failed_at, failing = list(PRESETS).index(preset) % STEP_CALLS, True
    while failing:
        failed_at += STEP_CALLS
        store = Between(MemoryStore())
        engine = engine_over(store, preset)
        agent, model = agent_over(engine, in_threads=False)
        await engine.conversation("log").append(*BEFORE)
        first = store.calls
        raised: list[int] = []

        def fail(number: int, at: int = first + failed_at, raised: list[int] = raised) -> None:
            if number == at:
                raised.append(number)
                raise StoreError("the disk is full")

        setattr(store, when, fail)
        turn = asyncio.create_task(agent.answer("log", TASK, key="turn-1"))
        await asyncio.wait([turn])
        assert turn.exception() is None or isinstance(turn.exception(), StoreError)
        await engine.idle()
        failing = bool(raised)
        store.before = store.after = lambda number: None
        await taken_up(engine, agent, model)
        await engine.close()
        assert nothing_is_left()
    assert failed_at > 20
