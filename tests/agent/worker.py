"""A process that runs turns of an agent until it has done enough or is killed, and prints what is stored as it goes.

Usage: python -m tests.agent.worker DATABASE PRESET TURNS

Each line it prints is the position of the newest message that is stored. Turn N is given under the key "turn N", so
the process started next takes up the turn in which this one was killed.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
from typing import Any

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.record.completion import Completion, CompletionRequest
from tests.engine.observed import bulk

TASK = "Task {number}: fetch its pages and say done."
SETTINGS: dict[str, dict[str, Any]] = {
    "crabtalk": {"compact_threshold": 1_500},
    "default": {"fresh_tail_count": 4, "leaf_min_fanout": 2, "leaf_chunk_tokens": 1_000},
}
WINDOW_TOKENS = 6_000
MAX_TOKENS = 1_000
NUMBER = re.compile(r"Task (\d+): fetch")


def options(preset: str) -> dict[str, Any]:
    """What the engine of a preset is opened with."""
    sizes = {"window_tokens": WINDOW_TOKENS, "max_tokens": MAX_TOKENS}
    return {"preset": preset, "complete": ScriptedModel(["Pages were fetched."]), **sizes, **SETTINGS[preset]}


class Fetcher:
    """A model that fetches two pages twice for each task, then says that it is done; it goes by what it is shown."""

    def __init__(self) -> None:
        self.fetched = 0
        self.task = 0

    def __call__(self, request: CompletionRequest) -> Completion:
        said = " ".join(message.text for message in request.messages if message.role == "user")
        task = max(int(number) for number in NUMBER.findall(said))
        if task != self.task:
            self.task, self.fetched = task, 0
        self.fetched += 1
        if self.fetched > 2:
            return Completion(f"Task {task} is done.")
        first_id = random.randrange(10**9)
        return call_tools(("fetch", {"page": 1}), ("keep", {"page": 2}), first_id=first_id)


async def fetch(page: int) -> str:
    """Fetch a page."""
    await asyncio.sleep(0.001)
    return bulk(1_500, page)


def keep(page: int) -> str:
    """Keep a page, in a thread."""
    return bulk(500, page)


async def work(path: str, preset: str, turns: int) -> None:
    """Run the turns, from the first that has no answer yet."""
    async with palimpsest.open(path, **options(preset)) as engine:
        talk = engine.conversation("work")
        agent = make_agent(engine, ScriptedModel([Fetcher()]), system="You fetch.", tools=[fetch, keep])
        for number in range(1, turns + 1):
            async for _ in agent.run(talk, TASK.format(number=number), key=f"turn {number}"):
                print((await talk.window()).window.last, flush=True)


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], sys.argv[2], int(sys.argv[3])))
