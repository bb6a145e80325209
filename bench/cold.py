"""The processor time of a first compaction, beside reading the same transcript as JSON.

    python bench/cold.py TRANSCRIPT... [--rounds 3] [--json]

Each transcript is appended to a database of its own, without a model, and compacted by hand at once: nothing was read
in the background before. The floor is `json.loads` of every line of the file (or of the whole file), in the same
process. "first" holds what a process does once, such as importing modules and compiling patterns; "again" is the same
compaction in a new database, where the process remembers words and where no secrets are. Threads count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from survival_data import sessions

import palimpsest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from palimpsest.record.message import Message

BATCH_MESSAGES = 1_000
FLOOR_ROUNDS = 5


def floor_s(path: Path) -> float:
    """Processor time of reading the file's JSON."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines() if path.suffix == ".jsonl" else [text]
    begin_s = time.process_time()
    for _ in range(FLOOR_ROUNDS):
        with suppress(ValueError):
            for line in lines:
                json.loads(line)
    return (time.process_time() - begin_s) / FLOOR_ROUNDS


async def compacted_s(messages: Sequence[Message], path: Path) -> tuple[float, int]:
    """Processor time of one compaction, and the tokens of the window before it."""
    async with palimpsest.open(path, window_tokens=1_000_000) as engine:
        talk = engine.conversation("cold")
        for begin in range(0, len(messages), BATCH_MESSAGES):
            await talk.append(*messages[begin : begin + BATCH_MESSAGES])
        tokens = (await talk.window()).budget.used_tokens
        begin_s = time.process_time()
        await talk.compact()
        return time.process_time() - begin_s, tokens


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("transcripts", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    for path in options.transcripts:
        reading_s = floor_s(path)
        for one in sessions([path]):
            took: list[float] = []
            tokens = 0
            for _ in range(options.rounds):
                with tempfile.TemporaryDirectory() as folder:
                    cpu_s, tokens = asyncio.run(compacted_s(one.messages, Path(folder) / "cold.db"))
                took.append(cpu_s)
            again = min(took[1:], default=took[0])
            rows.append(
                {
                    "session": one.name,
                    "tokens": tokens,
                    "loads_ms": round(1_000 * reading_s, 1),
                    "first_ms": round(1_000 * took[0]),
                    "again_ms": round(1_000 * again),
                    "first_ratio": round(took[0] / reading_s),
                    "again_ratio": round(again / reading_s),
                }
            )
    if options.json:
        print(json.dumps(rows))
        return
    print(
        f"{'session':40}{'tokens':>9}{'loads ms':>10}{'first ms':>10}{'again ms':>10}{'first x':>9}{'again x':>9}"
    )
    for row in rows:
        print(
            f"{row['session']!s:40.40}{row['tokens']:>9,}{row['loads_ms']:>10}{row['first_ms']:>10}"
            f"{row['again_ms']:>10}{row['first_ratio']:>9}{row['again_ratio']:>9}"
        )


if __name__ == "__main__":
    main()
