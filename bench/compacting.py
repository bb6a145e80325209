"""What a live session costs the processor as its history grows: each message, and the 1st, 2nd, 10th, 100th compaction.

    python bench/compacting.py [--messages 1000 100000] [--rounds 100] [--each 40] [--json]

A conversation of so many messages is imported and compacted; then rounds of new ones are appended, each ended as a
turn, and compacted. What a round costs must depend on what is new in it: the floor of every row is the same row with
the shortest history, in the same run. The first compaction reads the newest 20,000 messages, so its floor is for each
message that it reads. All times are of the processor, in all threads of the process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from latency_fill import BATCH, OWNER, messages_of
from latency_texts import Writer

import palimpsest
from palimpsest.record.summary_source import LOOKED_AT

WINDOW_TOKENS = 16_000
SHOWN = (2, 10, 100)
"""Compactions that have a row of their own."""
AROUND = 2
"""The median of so many on both sides of one is taken for it: one alone may have met a ledger that is kept."""


@dataclass(slots=True)
class Costs:
    """Milliseconds of processor time of one history: of importing and first compacting it, of each message that
    followed, and of each compaction.
    """

    messages: int
    imported_ms: float = 0.0
    first_ms: float = 0.0
    message_ms: list[float] = field(default_factory=list[float])
    compaction_ms: list[float] = field(default_factory=list[float])

    def rows(self) -> dict[str, float]:
        """What is shown, by name."""
        shown = {
            "an imported message": self.imported_ms / self.messages,
            "the 1st compaction, a message read": self.first_ms / min(LOOKED_AT, self.messages),
            "a message appended": statistics.median(self.message_ms),
        }
        for place in SHOWN:
            if place - 2 < len(self.compaction_ms):
                near = self.compaction_ms[max(0, place - 2 - AROUND) : place - 1 + AROUND]
                shown[f"compaction {place}"] = statistics.median(near)
        return shown


async def measured(path: Path, messages: int, rounds: int, each: int) -> Costs:
    """The costs of a conversation with so many messages, and of what follows in so many rounds."""
    costs = Costs(messages)
    endless = messages_of(Writer(1), 1)
    async with palimpsest.open(path, owner=OWNER, window_tokens=WINDOW_TOKENS) as engine:
        talk = engine.conversation("long")
        began_s = time.process_time()
        for start in range(0, messages, BATCH):
            await talk.append(*islice(endless, min(BATCH, messages - start)))
        costs.imported_ms = (time.process_time() - began_s) * 1_000
        began_s = time.process_time()
        await talk.compact()
        await engine.idle()
        costs.first_ms = (time.process_time() - began_s) * 1_000
        for _ in range(rounds):
            new = list(islice(endless, each))
            began_s = time.process_time()
            for message in new:
                await talk.append(message)
            await talk.end_turn()
            costs.message_ms.append((time.process_time() - began_s) * 1_000 / each)
            began_s = time.process_time()
            await engine.idle()
            await talk.compact()
            await engine.idle()
            costs.compaction_ms.append((time.process_time() - began_s) * 1_000)
    return costs


def table(all_costs: Sequence[Costs]) -> list[dict[str, object]]:
    """A row for each cost of each history, beside that of the first, its floor."""
    floor = all_costs[0].rows()
    return [
        {
            "messages": costs.messages,
            "what": name,
            "cpu_ms": round(value, 3),
            "floor_ms": round(floor[name], 3),
            "to_floor": round(value / floor[name], 2),
        }
        for costs in all_costs
        for name, value in costs.rows().items()
    ]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--each", type=int, default=40, help="messages of a round")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = [
            asyncio.run(measured(Path(folder) / f"{messages}.db", messages, given.rounds, given.each))
            for messages in given.messages
        ]
    rows = table(found)
    if given.json:
        print(json.dumps(rows))
        return
    print(f"{'messages':>9}  {'':36} {'cpu ms':>9} {'floor':>9} {'x floor':>8}")
    for one in rows:
        print(
            f"{one['messages']:>9,}  {one['what']:36} {one['cpu_ms']:>9} {one['floor_ms']:>9} {one['to_floor']:>8}"
        )


if __name__ == "__main__":
    main()
