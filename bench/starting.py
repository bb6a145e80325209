"""How long a person waits before anything is done: whole commands, the server's first answer, a library's first calls.

    python bench/starting.py [--rounds N] [--only TEXT] [--json]

Each is a process of its own, over a small database, with its bytecode kept. `bare typer` is a program whose one command
prints a line; the ratios are to it, in the same run. All take turns, so that what else the machine does falls on all of
them, and the median of each is given. Processor time (user and system) is beside it: it says the same where several
processes share the machine. `--only` measures those whose name begins so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MESSAGES = 60
BASE = "bare typer"
TYPER = """
import typer

app = typer.Typer()

@app.command()
def bare() -> None:
    print("hello")

app()
"""
LINES = (
    "list", "list --json", "stats", "show talk", "grep retry", "search timeout", "expand m3", "window talk",
    "config show", "list --help", "--help",
)  # fmt: skip
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


def ways(db: str, bare: str) -> dict[str, list[str]]:
    """What is started, by name."""
    python, module = [sys.executable, "-c"], [sys.executable, "-m", "palimpsest"]
    found = {
        "python -c pass": [*python, "pass"],
        BASE: [sys.executable, bare],
        "import palimpsest": [*python, "import palimpsest"],
        "--version": [*module, "--version"],
    }
    for line in LINES:
        found[line] = [*module, *line.split(), *([] if "--help" in line else ["--db", db])]
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


def started(command: list[str], environment: dict[str, str], *, asks: bool) -> tuple[float, float]:
    """Seconds of one process, by the clock and of the processor: to its end, or to its first answer where it `asks`."""
    before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    said = subprocess.PIPE if asks else subprocess.DEVNULL
    with subprocess.Popen(
        command, env=environment, stdin=said, stdout=said, stderr=subprocess.DEVNULL
    ) as process:
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
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if process.returncode:
        raise SystemExit(f"{command[-4:]} ended with {process.returncode}")
    return took_s, spent_s


def measured(rounds: int, only: str) -> dict[str, dict[str, float]]:
    """The medians of each way in milliseconds, and as ratios to the bare program."""
    environment = {name: said for name, said in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        db, bare = str(Path(folder, "small.db")), Path(folder, "bare.py")
        bare.write_text(TYPER, encoding="utf-8")
        asyncio.run(fill(db))
        each = {
            name: way for name, way in ways(db, str(bare)).items() if name == BASE or name.startswith(only)
        }
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in each}
        for _ in range(rounds + 1):
            for name, command in each.items():
                took[name].append(started(command, environment, asks=name.startswith("mcp")))
    middle = {
        name: [statistics.median(one) for one in zip(*runs[1:], strict=True)] for name, runs in took.items()
    }
    base_s, base_cpu_s = middle[BASE]
    return {
        name: {
            "ms": 1e3 * clock,
            "ratio": clock / base_s,
            "cpu_ms": 1e3 * spent,
            "cpu_ratio": spent / base_cpu_s,
        }
        for name, (clock, spent) in middle.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="How long it takes to begin.")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", default="", help="Those whose name begins so.")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measured(max(1, given.rounds), given.only)
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'':26}{'ms':>8}{'ratio':>8}{'of the processor':>18}{'ratio':>8}")
    for name, one in found.items():
        print(f"{name:26}{one['ms']:8.0f}{one['ratio']:8.2f}{one['cpu_ms']:18.0f}{one['cpu_ratio']:8.2f}")


if __name__ == "__main__":
    main()
