"""What a process does that is going to be killed: append, compact, make requests, work in the background, run turns."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.engine.conversation import Conversation
from palimpsest.errors import DoesNotFit, StaleCommit, StoreError
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.message import Message, Text, ToolCall, ToolResult

Tell = Callable[[str], None]
TASK = "Task {number}: fetch its pages and say done."
NUMBER = re.compile(r"Task (\d+): fetch")
LABEL = re.compile(r"<(w\d+\.\d+)>")
BULK = (
    "the reader of module alpha fails at line 4711 of src/app/reader.py because build 9f3c21ab has no index; "
)
SIZES: dict[str, Any] = {"window_tokens": 6_000, "max_tokens": 1_000}
SMALL: dict[str, Any] = {
    "preset": "hierarchical",
    "fresh_tail_count": 4, "leaf_min_fanout": 3, "leaf_chunk_tokens": 1_500, "leaf_target_tokens": 200,
    "condensed_min_fanout": 2, "condensed_target_tokens": 300, "summarize_message_threshold": 5, **SIZES,
}  # fmt: skip
PRESETS: tuple[dict[str, Any], ...] = (
    SMALL, SMALL, {**SMALL, "compact_when": "end_turn"}, {"preset": "crabtalk", "compact_threshold": 1_500, **SIZES},
    {"preset": "economic", **SIZES}, {"preset": "hermes", **SIZES}, {"preset": "drop-middle", **SIZES},
)  # fmt: skip


class Batch(NamedTuple):
    """Messages that are appended at once, by their labels. `seed` makes the same messages again."""

    writer: str
    talk: str
    key: str
    labels: list[str]
    seed: int


@dataclass(slots=True)
class Log:
    """What is known outside of the processes: batches by writer, acknowledged and not."""

    acknowledged: dict[str, list[Batch]] = field(default_factory=dict[str, list[Batch]])
    open: dict[str, Batch] = field(default_factory=dict[str, Batch])
    given_up: list[Batch] = field(default_factory=list[Batch])
    position: int = 0
    faults: list[str] = field(default_factory=list[str])
    refused: int = 0

    def read(self, said: str) -> None:
        """Take in one whole line of a worker."""
        kind, _, rest = said.partition(" ")
        if kind == "position":
            self.position = max(self.position, int(rest))
        elif kind == "fault":
            self.faults.append(rest)
        elif kind == "refused":
            self.refused += 1
        else:
            batch = Batch(*json.loads(rest))
            if kind == "about":
                self.open[batch.writer] = batch
            else:
                self.acknowledged.setdefault(batch.writer, []).append(batch)
                self.open.pop(batch.writer, None)


def messages_of(batch: Batch) -> list[Message]:
    """The messages of a batch: words, or a call and its result; each says its label."""
    draw = Random(batch.seed)
    found: list[Message] = []
    labels = iter(batch.labels)
    for label in labels:
        words = f"<{label}> {BULK * draw.choice((0, 1, 3, 12))}"
        if draw.random() < 0.3 and (answer := next(labels, None)):
            call_id = draw.choice(("c1", "c2", label))
            found.append(
                Message("assistant", (Text(words), ToolCall(call_id, "read_file", '{"path": "a.py"}')))
            )
            result = ToolResult(call_id, (Text(f"<{answer}> {BULK * draw.choice((1, 10, 40))}"),))
            found.append(Message("tool", (result,)))
        else:
            found.append(Message(draw.choice(("user", "assistant")), (Text(words),)))
    return found


async def life(
    path: Path, talks: tuple[str, ...], writer: str, made: int, again: Batch | None, seed: int, tell: Tell, *,
    full: bool, durability: str,
) -> None:  # fmt: skip
    """Append and compact until the process is killed. With `full`, a refused write is told, and tried again."""
    draw = Random(seed)
    model = ScriptedModel(["The reader fails at line 4711; the index is missing.", 0.004, "Build 9f3c21ab."])
    while True:
        try:
            async with palimpsest.open(
                path, complete=model, **{**draw.choice(PRESETS), "durability": durability}
            ) as engine:
                if again is not None:
                    await _append(engine.conversation(again.talk), again, tell)
                    made, again = made + len(again.labels), None
                while True:
                    talk = engine.conversation(draw.choice(talks))
                    if draw.random() < 0.7:
                        labels = [f"{writer}.{made + place}" for place in range(draw.choice((1, 1, 2, 3)))]
                        again = Batch(writer, talk.id, f"key {labels[0]}", labels, draw.randrange(10**9))
                        await _append(talk, again, tell)
                        made, again = made + len(labels), None
                    else:
                        await _deed(talk, draw)
        except StoreError as error:
            if not full:
                raise
            tell(f"refused {error.message}")
            await asyncio.sleep(0.01)


async def _append(talk: Conversation, batch: Batch, tell: Tell) -> None:
    tell(f"about {json.dumps(batch)}")
    await talk.append(*messages_of(batch), key=batch.key)
    tell(f"stored {json.dumps(batch)}")


async def _deed(talk: Conversation, draw: Random) -> None:
    try:
        match draw.randrange(5):
            case 0 | 1:
                await talk.end_turn()
            case 2:
                await talk.end_step()
            case 3:
                await talk.compact()
            case _:
                await talk.request(system="Be brief.")
    except (DoesNotFit, StaleCommit, palimpsest.UsageError):
        await asyncio.sleep(0)


class Fetcher:
    """A model that fetches two pages twice for each task, then says that it is done; it goes by what it is shown."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)
        self._fetched = 0
        self._task = 0

    def __call__(self, request: CompletionRequest) -> Completion:
        said = " ".join(message.text for message in request.messages if message.role == "user")
        task = max(int(number) for number in NUMBER.findall(said))
        if task != self._task:
            self._task, self._fetched = task, 0
        self._fetched += 1
        if self._fetched > 2:
            return Completion(f"Task {task} is done.")
        first_id = self._draw.randrange(10**9)
        return call_tools(("fetch", {"page": 1}), ("keep", {"page": 2}), first_id=first_id)


async def fetch(page: int) -> str:
    """Fetch a page."""
    await asyncio.sleep(0.001)
    return f"page {page} " + BULK * 15


def keep(page: int) -> str:
    """Keep a page, in a thread."""
    return f"kept {page} " + BULK * 5


def agent_options(seed: int) -> dict[str, Any]:
    """How the engine of an agent is opened."""
    model = ScriptedModel(["Pages were fetched.", 0.002, "Pages were fetched and kept."])
    return {"complete": model, **PRESETS[seed % len(PRESETS)]}


async def agent_life(path: Path, seed: int, tell: Tell) -> None:
    """Run turns, from the first that has no answer yet, until the process is killed."""
    async with palimpsest.open(path, **agent_options(seed)) as engine:
        talk = engine.conversation("work")
        agent = make_agent(engine, ScriptedModel([Fetcher(seed)]), system="You fetch.", tools=[fetch, keep])
        number = 0
        while True:
            number += 1
            async for _ in agent.run(talk, TASK.format(number=number), key=f"turn {number}"):
                tell(f"position {(await talk.window()).window.last}")
