"""How long a turn waits: append one message and assemble the next request, at any length of the conversation.

    python bench/latency.py [TRANSCRIPT...] [--messages 1000 100000] [--turns 1500] [--json]

Message sizes are drawn from the transcripts given (texts of Claude Code sessions of at most 4,000 characters), or
from a built-in list of sizes without any. The conversation is filled and compacted first, then measured message by
message with background compaction running between turns, as it does in use, where a model's answer takes longer
than any of this; `--hammer` leaves it no such time. The floor is SQLite alone in the same run: one row of the same
size and its word index entry, committed with the same durability.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import platform
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import palimpsest

MAX_CHARS = 4_000
FILL_BATCH = 500
WORDS = (
    "the build of harbour service returns status path error line file test module value cache route".split()
)
BUILT_IN_SIZES = (12, 40, 80, 120, 200, 260, 340, 500, 700, 900, 1_400, 2_200, 3_600)


def sizes_of(paths: Sequence[Path]) -> list[int]:
    """Lengths of the texts in transcripts, at most MAX_CHARS each."""
    found: list[int] = []
    for path in paths:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            message = entry.get("message") if isinstance(entry, dict) else None
            content = message.get("content") if isinstance(message, dict) else None
            blocks = content if isinstance(content, list) else [content]
            for block in blocks:
                text = block if isinstance(block, str) else json.dumps(block)
                if isinstance(text, str) and 0 < len(text) <= MAX_CHARS:
                    found.append(len(text))
    return found or list(BUILT_IN_SIZES)


def make_texts(sizes: Sequence[int], count: int, seed: int) -> list[str]:
    """Texts of drawn sizes, no two alike, so that no cache of counts helps."""
    chance = random.Random(seed)
    texts: list[str] = []
    for number in range(count):
        size = chance.choice(sizes)
        words = [
            chance.choice(WORDS) if chance.random() < 0.8 else f"x{chance.randrange(10**6)}"
            for _ in range(size // 5 + 1)
        ]
        texts.append(f"{number} {' '.join(words)}"[: max(size, 8)])
    return texts


def as_messages(texts: Sequence[str], first: int) -> list[dict[str, str]]:
    """User and assistant in turn."""
    return [
        {"role": "user" if place % 2 == 0 else "assistant", "content": text}
        for place, text in enumerate(texts, first)
    ]


async def measure(
    folder: Path, sizes: Sequence[int], messages: int, turns: int, *, hammer: bool
) -> dict[str, list[float]]:
    """Seconds of each append + request, and of each part, in a conversation of so many messages."""
    times: dict[str, list[float]] = {
        "append": [],
        "request": [],
        "append + request": [],
        "as OpenAI dicts": [],
    }
    async with palimpsest.open(folder / f"{messages}.db", window_tokens=128_000) as engine:
        talk = engine.conversation("bench")
        texts = make_texts(sizes, messages, seed=1)
        for start in range(0, messages, FILL_BATCH):
            await talk.append(*as_messages(texts[start : start + FILL_BATCH], start))
        await talk.compact()
        for place, message in enumerate(as_messages(make_texts(sizes, turns, seed=2), messages)):
            begin = time.perf_counter()
            await talk.append(message)
            middle = time.perf_counter()
            request = await talk.request(system="You are a careful engineer.")
            end = time.perf_counter()
            request.openai()
            times["as OpenAI dicts"].append(time.perf_counter() - end)
            times["append"].append(middle - begin)
            times["request"].append(end - middle)
            times["append + request"].append(end - begin)
            if place % 2:
                await talk.end_turn()
                if not hammer:
                    await engine.idle()
        await engine.idle()
    return times


def measure_floor(folder: Path, sizes: Sequence[int], turns: int) -> list[float]:
    """Seconds of one durable commit of a row and its index entry, in SQLite alone."""
    connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT)")
    connection.execute(
        "CREATE VIRTUAL TABLE message_index USING fts5 (body, content = '', tokenize = 'porter')"
    )
    times: list[float] = []
    for text in make_texts(sizes, turns, seed=3):
        begin = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        row = connection.execute("INSERT INTO message (body) VALUES (?)", (text,)).lastrowid
        connection.execute("INSERT INTO message_index (rowid, body) VALUES (?, ?)", (row, text))
        connection.execute("COMMIT")
        times.append(time.perf_counter() - begin)
    connection.close()
    return times


def percentile_ms(times: Sequence[float], share: float) -> float:
    """The value below which this share of the times lies, in milliseconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1_000


def report(name: str, times: Sequence[float], floor: Sequence[float]) -> dict[str, object]:
    """One row of the table."""
    p50, p99 = percentile_ms(times, 0.5), percentile_ms(times, 0.99)
    return {
        "what": name,
        "p50_ms": round(p50, 3),
        "p99_ms": round(p99, 3),
        "max_ms": round(max(times) * 1_000, 3),
        "mean_ms": round(statistics.fmean(times) * 1_000, 3),
        "p50_to_floor": round(p50 / percentile_ms(floor, 0.5), 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("transcripts", nargs="*", type=Path)
    parser.add_argument("--messages", nargs="+", type=int, default=[1_000, 100_000])
    parser.add_argument("--turns", type=int, default=1_500)
    parser.add_argument(
        "--hammer", action="store_true", help="leave no time between turns for the background"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = sizes_of(options.transcripts)
    with tempfile.TemporaryDirectory() as folder:
        floor = measure_floor(Path(folder), sizes, options.turns)
        rows = [report("floor: SQLite alone", floor, floor)]
        for messages in options.messages:
            times = asyncio.run(measure(Path(folder), sizes, messages, options.turns, hammer=options.hammer))
            rows += [report(f"{messages:,} messages: {name}", times[name], floor) for name in times]
    data = hashlib.sha256(b"".join(path.read_bytes() for path in options.transcripts)).hexdigest()[:16]
    if options.json:
        machine = {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "machine": platform.machine(),
        }
        print(json.dumps({"rows": rows, "turns": options.turns, "data": data, "machine": machine}))
        return
    print(
        f"sizes from {len(options.transcripts)} transcripts ({data}), {options.turns} messages measured each"
    )
    print(f"{'':40} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8} {'x floor':>8}")
    for row in rows:
        print(
            f"{row['what']:40} {row['p50_ms']:8} {row['p99_ms']:8} {row['max_ms']:8} {row['p50_to_floor']:8}"
        )


if __name__ == "__main__":
    main()
