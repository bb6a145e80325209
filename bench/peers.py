"""What a turn costs beside what other libraries do for the same job, all in one run and beside one floor.

    pip install openai-agents langchain-core langgraph langgraph-checkpoint-sqlite
    python bench/peers.py [--known 1000 10000] [--sent 6000] [--turns 300] [--only NAME...] [--json]

The first line is for the peers alone, in an environment of your own that has Palimpsest too; a peer that is
not installed is left out, and a line says so. `--known` is how many messages a conversation holds before
anything is measured, `--sent` how many a history that is sent again. Messages are made up, the same for
all: those stored before of about 226 characters, the new ones of the built-in sizes of `latency_turns.py`.
Every peer that writes does so to a file, with the durability it comes with (a journal that is synced at
each commit, as the floor's is). Each is called once before the clock runs, so that no import and no first
reading is counted.

The floor is SQLite alone: one row and its entry in a word index, committed. It is measured before every
turn with the same text. Times by the clock are divided by the floor of the same part, so that what else the
machine does falls on both; processor time, which other programs change less, by the floor of the whole run.
`cpu` is the processor's time of the whole process, threads included; "background included" waits for all
the work that a message has caused. A part ends after some seconds: a row whose calls are slow has fewer of
them, and its p99 is then the slowest.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from latency_fill import LONG, OWNER, WINDOW_TOKENS, fill, open_for
from latency_report import Times, percentile_ms, row
from latency_texts import Writer
from latency_turns import SYSTEM, Rows, floor_commits, sizes_of, timed_turns
from peers_others import (
    Setup,
    agents_sdk,
    langchain_trim,
    langgraph_checkpoint,
    langgraph_merge,
    rows_of,
)
from resending import short

import palimpsest

LONG_SHARE = 0.6
"""What `latency_fill.fill` gives the long conversation of all that it stores."""

OURS = "Palimpsest"
PACKAGES = ("openai-agents", "langchain-core", "langgraph", "langgraph-checkpoint-sqlite")
NOT_DONE = {
    OURS: "stores in a file, indexes every word, counts tokens, makes a request that fits the "
    "window, summarizes old messages and finds them again. Its counts of tokens are "
    "estimates.",
    "Agents SDK": "`SQLiteSession` stores and reads back. No search index, no count of tokens, no fitting "
    "window: the whole history is read and parsed in each call, or the newest N items, "
    "whatever their size.",
    "LangChain": "`trim_messages` works on a list in memory. It stores nothing and finds nothing. It looks "
    "at the whole list in every call and drops what does not fit. Here four characters count "
    "as one token.",
    "LangGraph": "`add_messages` merges lists in memory by their ids and does not look for an edited "
    "history. A checkpoint holds the whole state, so each one writes all messages again; a "
    "delta channel (beta) writes what is new, and the whole state every 100th time. No search "
    "index, no fitting window.",
}
"""What each does, and what it does not."""


def ours_turns(setup: Setup) -> Rows:
    """Append and request in a conversation of so many messages, in a database that holds others as well.

    The first compaction after a start reads more than those that follow: it has a row of its own, with one
    call. What is timed after it goes on from the window that it left.
    """
    path, first = setup.folder / "ours.db", Times()

    async def measured() -> dict[str, Times]:
        await fill(path, round(setup.known / LONG_SHARE), Writer(1), lambda _: None)
        async with open_for(path, OWNER) as engine:
            talk = engine.conversation(LONG)
            with first.one():
                await talk.compact()
                await engine.idle()
            await talk.request(system=SYSTEM)
            return await timed_turns(engine, setup.texts(), setup.turns, hammer=False)

    times = asyncio.run(measured())
    return rows_of(OURS, f"{setup.known:,}", {**times, "first compaction, once": first})


def ours_sync(setup: Setup) -> Rows:
    """A history that is sent again, parsed from JSON each time, with two messages more."""
    sync, whole = Times(), Times()

    async def measured() -> None:
        async with palimpsest.open(setup.folder / "sync.db", window_tokens=WINDOW_TOKENS) as engine:
            talk = engine.conversation("resent")
            history = [short(place) for place in range(setup.known)]
            for _ in range(2):
                await talk.sync(history)
                await engine.idle()
            for _ in setup.new():
                added = [short(len(history)), short(len(history) + 1)]
                history = json.loads(json.dumps([*history, *added]))
                with whole.one():
                    with sync.one():
                        await talk.sync(history)
                    await engine.idle()

    asyncio.run(measured())
    times = {"sync of all and 2 more": sync, "the same, background included": whole}
    return rows_of(OURS, f"{setup.known:,}", times)


BY_CLOCK, BY_PROCESSOR = ("p50", "p99"), ("processor_p50", "processor_mean")
"""Figures that are divided by the floor beside a part, and by that of the whole run."""

PARTS: dict[str, tuple[Callable[[Setup], Rows], bool]] = {
    "turns": (ours_turns, False),
    "sync": (ours_sync, True),
    "agents": (agents_sdk, False),
    "trim": (langchain_trim, False),
    "merge": (langgraph_merge, True),
    "checkpoint": (langgraph_checkpoint, False),
}
"""What is measured, by name, and whether it is of a history that is sent again."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a run came to."""

    floor: Times = field(default_factory=Times)
    rows: Rows = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def measure(self, options: argparse.Namespace) -> None:
        """Every part that was asked for, each beside the floor."""
        for name in options.only:
            part, resent = PARTS[name]
            for known in [options.sent] if resent else options.known:
                print(f"{name}, {known:,} messages", file=sys.stderr)
                floor = Times()
                with (
                    tempfile.TemporaryDirectory() as folder,
                    floor_commits(Path(folder, "floor.db")) as commit,
                ):
                    setup = Setup(Path(folder), known, options.turns, sizes_of(()), commit, floor)
                    try:
                        rows = part(setup)
                    except ModuleNotFoundError as error:
                        self.left_out.append(f"{name}: left out, there is no module {error.name!r} here")
                        break
                self.rows.extend(beside(one, floor, BY_CLOCK) for one in rows)
                self.floor.wall.extend(floor.wall)
                self.floor.processor.extend(floor.processor)

    def beside_all(self) -> Rows:
        """The rows with all ratios, the floor of the whole run before them."""
        first = beside({"who": "SQLite", **row("the floor", self.floor, None)}, self.floor, BY_CLOCK)
        return [beside(one, self.floor, BY_PROCESSOR) for one in (first, *self.rows)]


def beside(one: dict[str, object], floor: Times, names: Sequence[str]) -> dict[str, object]:
    """A row with its ratios to a floor, for these figures."""
    floors = {
        "p50": percentile_ms(floor.wall, 0.5),
        "p99": percentile_ms(floor.wall, 0.99),
        "processor_p50": percentile_ms(floor.processor, 0.5),
        "processor_mean": statistics.fmean(floor.processor) * 1_000,
    }
    ratios = {f"{name}_to_floor": round(float(str(one[f"{name}_ms"])) / floors[name], 2) for name in names}
    return {**one, **ratios}


COLUMNS = {
    "calls": "calls",
    "p50_ms": "p50 ms",
    "p99_ms": "p99 ms",
    "processor_p50_ms": "cpu p50",
    "processor_mean_ms": "cpu mean",
    "p50_to_floor": "p50 x flr",
    "p99_to_floor": "p99 x flr",
    "processor_p50_to_floor": "cpu50 x f",
    "processor_mean_to_floor": "cpu x flr",
}


def table(rows: Rows) -> Iterator[str]:
    """The lines of the table."""
    width = max(len(str(one["what"])) for one in rows)
    yield f"{'':11}{'':{width}} " + " ".join(f"{head:>9}" for head in COLUMNS.values())
    for one in rows:
        figures = " ".join(f"{one[column]!s:>9}" for column in COLUMNS)
        yield f"{one['who']!s:11}{one['what']!s:{width}} {figures}"


def versions() -> dict[str, str]:
    """What was measured on: the peers that are here, Python and SQLite."""
    found = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in ("palimpsest", *PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def parsed() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--known", nargs="+", type=int, default=[1_000, 10_000])
    parser.add_argument("--sent", type=int, default=6_000)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if min(*options.known, options.sent, options.turns) < 1:
        parser.error("give numbers from 1 on")
    return options


def main() -> None:
    """Measure and print."""
    options, found = parsed(), Found()
    found.measure(options)
    rows = found.beside_all()
    if options.json:
        record = {"rows": rows, "left_out": found.left_out, "versions": versions(), "not_done": NOT_DONE}
        print(json.dumps(record))
        return
    print("\n".join(table(rows)))
    print()
    for who, said in NOT_DONE.items():
        print(f"{who}: {said}")
    for line in found.left_out:
        print(line)
    print(", ".join(f"{name} {number}" for name, number in versions().items()))


if __name__ == "__main__":
    main()
