"""How long turns of one conversation take while another one of the same engine compacts.

    python bench/neighbours.py [TRANSCRIPT...] [--compactions 5] [--json]

One conversation holds a long history and is compacted by hand again and again, each time from the start in a new
conversation; beside it another one appends a message and asks for its request, over and over. The floor is the same
turn of the same conversation while nothing compacts. Without transcripts the long history is made up. `step` is the
longest time for which the event loop was held, taken by the clock, while a compaction was under way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

from first_request import short
from survival_data import sessions

import palimpsest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from palimpsest.engine.conversation import Conversation
    from palimpsest.record.message import Message

QUIET_TURNS = 300
BATCH_MESSAGES = 1_000
TICK_S = 0.001
SHORT_MESSAGES = 4_000


async def turn(talk: Conversation, number: int) -> float:
    """Append a message and make the next request; the seconds that both took."""
    begin_s = time.perf_counter()
    await talk.append({"role": "user", "content": f"Turn {number}: is berth {number % 97} of the quay free?"})
    await talk.request()
    took_s = time.perf_counter() - begin_s
    await talk.append({"role": "assistant", "content": f"Berth {number % 97} is free."})
    return took_s


async def watch(held_s: list[float]) -> None:
    """Note by how much later than asked the event loop wakes this task."""
    while True:
        begin_s = time.perf_counter()
        await asyncio.sleep(TICK_S)
        held_s.append(time.perf_counter() - begin_s - TICK_S)


async def measure(messages: Sequence[Message], path: Path, compactions: int) -> dict[str, object]:
    """Turns when quiet and turns beside compactions, in milliseconds."""
    quiet: list[float] = []
    beside: list[float] = []
    held_s: list[float] = []
    async with palimpsest.open(path) as engine:
        small = engine.conversation("small")
        quiet += [await turn(small, number) for number in range(QUIET_TURNS)]
        for round_number in range(compactions):
            large = engine.conversation(f"large-{round_number}")
            for begin in range(0, len(messages), BATCH_MESSAGES):
                await large.append(*messages[begin : begin + BATCH_MESSAGES])
            watching = asyncio.create_task(watch(held_s))
            compacting = asyncio.create_task(large.compact())
            while not compacting.done():
                beside.append(await turn(small, len(quiet) + len(beside)))
            await compacting
            watching.cancel()
    return {
        "quiet_p50_ms": at(quiet, 50),
        "quiet_p99_ms": at(quiet, 99),
        "turns_beside": len(beside),
        "beside_p50_ms": at(beside, 50),
        "beside_p99_ms": at(beside, 99),
        "ratio_p50": round(at(beside, 50) / at(quiet, 50), 1),
        "ratio_p99": round(at(beside, 99) / at(quiet, 99), 1),
        "longest_step_ms": round(1_000 * max(held_s, default=0.0), 1),
    }


def at(times_s: Sequence[float], percent: int) -> float:
    """A percentile of some times, in milliseconds."""
    if len(times_s) < 2:
        return round(1_000 * times_s[0], 2)
    return round(1_000 * quantiles(times_s, n=100, method="inclusive")[percent - 1], 2)


def parsed() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("transcripts", nargs="*", type=Path)
    parser.add_argument("--compactions", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = parsed()
    histories = [(one.name, one.messages) for one in sessions(options.transcripts)]
    rows: list[dict[str, object]] = []
    for name, messages in histories or [("short messages", tuple(short(SHORT_MESSAGES)))]:
        with tempfile.TemporaryDirectory() as folder:
            row = asyncio.run(measure(messages, Path(folder) / "bench.db", options.compactions))
        rows.append({"history": name, "messages": len(messages), **row})
    if options.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print("\n".join(f"{key:18}{value}" for key, value in row.items()), end="\n\n")


if __name__ == "__main__":
    main()
