"""How long a person waits before anything is done: whole commands, the server's first answer, a library's first calls.

    python bench/starting.py [--rounds N] [--json]

Each is a process of its own, over a small database, and a ratio to a bare `python -c pass` of the same run; `typer` is
a command with the same options that does nothing, below which no command here can come. All take turns, so that what
else the machine does falls on all of them, and the least of each is given. Processor time is beside it: it says the
same where several processes share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MESSAGES = 60
BARE = "python -c pass"
TYPER = """
import asyncio, sqlite3, sys
from pathlib import Path
from typing import Annotated
import typer

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

@app.command()
def bare(
    owner: Annotated[str, typer.Option()] = "me",
    db: Annotated[Path | None, typer.Option()] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None: ...

app(["--db", "x.db"], standalone_mode=False)
"""
SDK = "from mcp.server import Server"
OPENED = """
import asyncio, palimpsest

async def opened():
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        CALLS

asyncio.run(opened())
"""
APPENDED = 'talk = engine.conversation("a"); await talk.append({"role": "user", "content": "Hello"})'
REQUESTED = f"{APPENDED}; await talk.request()"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "b", "version": "1"},
    },
}


def ways(db: str) -> dict[str, list[str]]:
    """What is started, by name."""
    python, module = [sys.executable, "-c"], [sys.executable, "-m", "palimpsest"]
    found = {
        BARE: [*python, "pass"],
        "import palimpsest": [*python, "import palimpsest"],
        "--version": [*module, "--version"],
        "typer": [*python, TYPER],
    }
    for line in ("list", "stats", "show talk", "grep retry", "search timeout", "expand m3", "window talk"):
        found[line] = [*module, *line.split(), "--db", db]
    calls = {"open": "pass", "open, append": APPENDED, "open, append, request": REQUESTED}
    found |= {name: [*python, OPENED.replace("CALLS", call)] for name, call in calls.items()}
    return found | {"the SDK of MCP": [*python, SDK], "mcp, first answer": [*module, "mcp", "--db", db]}


async def fill(db: str) -> None:
    """A small database, the first messages of which have left the window."""
    import palimpsest

    async with palimpsest.open(db, window_tokens=8_000) as engine:
        talk = engine.conversation("talk")
        for place in range(MESSAGES):
            await talk.append(
                {"role": "user", "content": f"Look at timeout {place} in src/app/main.py and retry."},
                {"role": "assistant", "content": f"Line {place} waits for the cache, so I retry it. " * 20},
            )
        await talk.compact()


def started(command: list[str], *, asks: bool) -> tuple[float, float]:
    """Seconds of one process, by the clock and of the processor: to its end, or to its first answer where it `asks`."""
    before, began_s = os.times(), time.perf_counter()
    said = subprocess.PIPE if asks else subprocess.DEVNULL
    with subprocess.Popen(command, stdin=said, stdout=said, stderr=subprocess.DEVNULL) as process:
        if asks and process.stdin is not None and process.stdout is not None:
            process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
            process.stdin.flush()
            process.stdout.readline()
            took_s = time.perf_counter() - began_s
            process.stdin.close()
            process.wait()
        else:
            process.wait()
            took_s = time.perf_counter() - began_s
    after = os.times()
    spent_s = after.children_user + after.children_system - before.children_user - before.children_system
    if process.returncode:
        raise SystemExit(f"{command[-4:]} ended with {process.returncode}")
    return took_s, spent_s


def measured(rounds: int) -> dict[str, dict[str, float]]:
    """The least of each way in milliseconds, and as a ratio to the bare interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder, "small.db"))
        asyncio.run(fill(db))
        each = ways(db)
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in each}
        for _ in range(rounds + 1):
            for name, command in each.items():
                took[name].append(started(command, asks=name.startswith("mcp")))
    least = {name: [min(one) for one in zip(*runs[1:], strict=True)] for name, runs in took.items()}
    floor = least[BARE][0]
    return {
        name: {"ms": 1e3 * clock, "cpu_ms": 1e3 * spent, "ratio": clock / floor}
        for name, (clock, spent) in least.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="How long it takes to begin.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measured(max(1, given.rounds))
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'':26}{'ms':>8}{'of the processor':>18}{'ratio':>8}")
    for name, one in found.items():
        print(f"{name:26}{one['ms']:8.0f}{one['cpu_ms']:18.0f}{one['ratio']:8.1f}")


if __name__ == "__main__":
    main()
