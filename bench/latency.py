"""How long a turn waits, and how long finding takes, in databases of so many messages.

    python bench/latency.py [TRANSCRIPT...] [--messages 1000 100000] [--turns 1500] [--db FILE] [--json]

A database is filled with made-up messages of about 226 characters (`latency_fill.py`): one long conversation, several
short ones, another owner's. Turns are measured with message sizes drawn from the transcripts given (Claude Code
sessions), or from a built-in list. Filling 1,000,000 takes two to five minutes, with what is measured six to ten;
`--db` keeps the file, and uses it again where it is there. Some systems drop pages of a file that nobody touched for
half a minute, and to read them takes longer than all else: with `--in-memory` the file is read through before it is
measured. Times are by the clock, so other work on the machine counts; the floor is measured in the same run. `cpu` is
the processor's time of the whole process, threads included, for each call; "background included" waits, inside the
clock, for all the work that a message has caused. `p99/p50` compares a row with itself.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import platform
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from latency_fill import OWNER, fill, filled, open_for
from latency_report import Times, row, table
from latency_search import measure_finding, measure_reading
from latency_texts import Writer
from latency_turns import measure_floor, measure_merging, measure_turns, sizes_of

PARTS = ("turns", "merging", "finding", "reading")
READ_BYTES = 1 << 20


def tell(text: str) -> None:
    """Show progress to whoever waits."""
    if sys.stderr.isatty():
        print(f"\r{text:70}", end="", file=sys.stderr, flush=True)


def prepare(path: Path, messages: int) -> float:
    """A filled database at `path`; the seconds that filling took, 0 where it was filled before."""
    if filled(path, messages):
        return 0.0
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.with_suffix(".bare").unlink(missing_ok=True)
    begin = time.perf_counter()

    def shown(done: int) -> None:
        rate = done / (time.perf_counter() - begin)
        tell(f"filled {done:,} of {messages:,}, {rate:,.0f} a second")

    return asyncio.run(fill(path, messages, Writer(1), shown))


def read_through(path: Path) -> None:
    """Have the system hold the file in memory."""
    with path.open("rb") as file:
        while file.read(READ_BYTES):
            pass


async def measure(path: Path, options: argparse.Namespace, floor: Times) -> list[dict[str, object]]:
    """The rows of all parts that were asked for."""
    sizes = sizes_of(options.transcripts)
    rows: list[dict[str, object]] = []
    if options.in_memory:
        read_through(path)
    if "finding" in options.only:
        async with open_for(path, OWNER) as engine:
            rows += await measure_finding(engine, path, tell)
    if "reading" in options.only:
        rows += await measure_reading(path, tell)
    if "turns" in options.only:
        tell("turns")
        rows += await measure_turns(path, sizes, options.turns, floor, hammer=options.hammer)
    if "merging" in options.only:
        tell("merging")
        rows += await measure_merging(path, options.turns, floor)
    return rows


def parsed() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("transcripts", nargs="*", type=Path)
    parser.add_argument("--messages", nargs="+", type=int, default=[1_000, 100_000])
    parser.add_argument("--turns", type=int, default=1_500)
    parser.add_argument("--db", type=Path, help="keep the filled database in this file, or use it again")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument(
        "--hammer", action="store_true", help="leave no time between turns for the background"
    )
    parser.add_argument(
        "--in-memory", action="store_true", help="read the file through before it is measured"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.db and len(options.messages) > 1:
        parser.error("--db holds one database: give one number of --messages")
    return options


def record(rows: list[dict[str, object]], options: argparse.Namespace) -> dict[str, object]:
    """Everything that was measured, and on what."""
    data = hashlib.sha256(b"".join(path.read_bytes() for path in options.transcripts)).hexdigest()[:16]
    machine = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "machine": platform.machine(),
    }
    return {"rows": rows, "turns": options.turns, "data": data, "machine": machine}


def main() -> None:
    """Measure and print."""
    options = parsed()
    with tempfile.TemporaryDirectory() as folder:
        floor = measure_floor(Path(folder), sizes_of(options.transcripts), options.turns)
        rows = [row("floor: SQLite alone", floor, floor)]
        for messages in options.messages:
            path = options.db or Path(folder) / f"{messages}.db"
            seconds = prepare(path, messages)
            tell("")
            print(f"{messages:,} messages, filled in {seconds:.0f} s", file=sys.stderr)
            found = asyncio.run(measure(path, options, floor))
            rows += [{**one, "what": f"{messages:,}: {one['what']}"} for one in found]
    tell("")
    if options.json:
        print(json.dumps(record(rows, options)))
        return
    print(f"message sizes from {len(options.transcripts)} transcripts, {options.turns} turns measured each")
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
