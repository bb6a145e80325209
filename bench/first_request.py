"""How long the first request on an imported history takes, beside the second one.

    python bench/first_request.py [TRANSCRIPT...] [--window 1000000] [--short 20000] [--json]

Each transcript is imported into a database of its own, by the default settings and without a model. Without
transcripts there is one made-up history of `--short` short messages. The floor is the second request of the same
process: nothing was appended in between, so what the first one takes longer is work that the caller waits for.
Times are by the clock, `cpu` is the processor's time of the process while the first request was under way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from survival_data import sessions

import palimpsest
from palimpsest.record.message import Message, Text
from palimpsest.record.window_items import SummaryItem

if TYPE_CHECKING:
    from collections.abc import Sequence

BATCH_MESSAGES = 1_000


def short(count: int) -> list[Message]:
    """So many short messages, one after the other by the user and the assistant."""
    return [
        Message(
            "assistant" if number % 2 else "user",
            (Text(f"Line {number}: berth {number % 97} of the quay is free at {number % 24} h."),),
        )
        for number in range(count)
    ]


async def measure(messages: Sequence[Message], path: Path, window_tokens: int) -> dict[str, object]:
    """The first and the second request on a history, in seconds."""
    async with palimpsest.open(path, window_tokens=window_tokens) as engine:
        talk = engine.conversation("imported")
        for begin in range(0, len(messages), BATCH_MESSAGES):
            await talk.append(*messages[begin : begin + BATCH_MESSAGES])
        begin_s, begin_cpu_s = time.perf_counter(), time.process_time()
        first = await talk.request()
        first_s, cpu_s = time.perf_counter() - begin_s, time.process_time() - begin_cpu_s
        begin_s = time.perf_counter()
        await talk.request()
        second_s = time.perf_counter() - begin_s
        items = (await talk.window()).window.items
        return {
            "messages": len(messages),
            "tokens": first.budget.used_tokens,
            "compacted": any(isinstance(item, SummaryItem) for item in items),
            "first_s": round(first_s, 4),
            "cpu_s": round(cpu_s, 4),
            "second_s": round(second_s, 4),
            "ratio": round(first_s / second_s, 1),
        }


def parsed() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("transcripts", nargs="*", type=Path)
    parser.add_argument("--window", type=int, default=1_000_000, help="tokens of the window")
    parser.add_argument("--short", type=int, default=20_000, help="messages of the made-up history")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = parsed()
    histories = [(one.name, one.messages) for one in sessions(options.transcripts)]
    rows: list[dict[str, object]] = []
    for name, messages in histories or [("short messages", tuple(short(options.short)))]:
        print(f"{name}: {len(messages):,} messages", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            row = asyncio.run(measure(messages, Path(folder) / "bench.db", options.window))
        rows.append({"history": name, **row})
    if options.json:
        print(json.dumps(rows))
        return
    heads = f"{'history':40}{'messages':>10}{'in request':>12}{'first s':>9}{'cpu s':>8}"
    print(f"{heads}{'second s':>10}{'ratio':>8}  compacted")
    for row in rows:
        print(
            f"{row['history']!s:40.40}{row['messages']:>10,}{row['tokens']:>12,}{row['first_s']:>9}"
            f"{row['cpu_s']:>8}{row['second_s']:>10}{row['ratio']:>8}  {row['compacted']}"
        )


if __name__ == "__main__":
    main()
