"""What an adapter adds to a model call, beside the engine's own work for the same call in the same run.

    python bench/integrations.py [NAME ...] [--messages N,N] [--calls N] [--json]

Each framework runs in its environment (`make test-integrations` makes them). A session of an agent has so many messages
of the framework's own; then it goes on, call by call. Measured is the CPU time of the whole process for what the
adapter does around one call: read what is new, store it, make the request, put the framework's objects together, and
store the reply with its usage. The engine alone does the same with `append`, `request` and `record_usage`.

The window holds everything in one half of the runs, and a tenth of it in the other.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import inspect
import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import palimpsest
from palimpsest.integrations.shared.hosting import Host
from palimpsest.integrations.shared.threads import Piece
from palimpsest.record.message import Message, Text, ToolCall, ToolDef, ToolResult

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".venv-integrations"
LIMIT_MS = 10.0
MODEL = "claude-sonnet-4-5"
WORDS = (
    "the timeout of the cache in src/app/main.py waits for a retry and fails with a line of its own".split()
)
SCHEMA = '{"type": "object", "properties": {"path": {"type": "string"}}}'
TOOLS = [ToolDef(f"tool_{number}", "Read a file of the project.", SCHEMA) for number in range(12)]
SYSTEM = "You look after the code of a harbour. " * 40


def text(words: int) -> str:
    """So many words."""
    return " ".join(random.choices(WORDS, k=words))


def message(place: int) -> Message:
    """A message of an agent's session: it calls a tool, and every second one is what that gave."""
    if place == 0:
        return Message("user", (Text("Find out why it fails."),))
    if place % 2:
        call = ToolCall(f"call_{place}", "tool_1", json.dumps({"path": f"src/app/{place}.py"}))
        return Message("assistant", (Text(text(15)), call))
    return Message("tool", (ToolResult(f"call_{place - 1}", (Text(text(150)),)),))


def codec_of(name: str) -> Any:
    """The codec of an adapter."""
    module = importlib.import_module(f"palimpsest.integrations.{name}")
    found = [
        one
        for _, one in inspect.getmembers(module, inspect.isclass)
        if one.__module__ == module.__name__
        and all(hasattr(one, part) for part in ("fields", "read", "write"))
    ]
    return found[0]()


async def by_adapter(codec: Any, count: int, calls: int, window_tokens: int) -> list[float]:
    """CPU milliseconds of each call, through the adapter."""
    host: Host[Any] = Host(":memory:", codec, window_tokens=window_tokens)
    thread = host.thread("harbour-42", "ann", where="here")
    neutral = [message(place) for place in range(count + 2 * calls + 3)]
    native = codec.write([Piece(one) for one in neutral])
    assert len(native) == len(neutral)
    took: list[float] = []
    for turn in range(calls + 1):
        history = native[: count + 1 + 2 * turn]
        begun = time.process_time()
        call = await host.run(thread.start, history, system=SYSTEM, tools=TOOLS, model=MODEL)
        assert call.request is not None
        usage = {"prompt_tokens": call.request.tokens, "completion_tokens": 40}
        await host.run(thread.finish, call, [native[count + 1 + 2 * turn]], usage)
        took.append((time.process_time() - begun) * 1000)
    await host.aclose()
    return took[1:]


async def by_engine(count: int, calls: int, window_tokens: int) -> list[float]:
    """CPU milliseconds of each call, by the engine alone."""
    took: list[float] = []
    async with palimpsest.open(":memory:", window_tokens=window_tokens) as engine:
        talk = engine.conversation("harbour-42")
        neutral = [message(place) for place in range(count + 2 * calls + 3)]
        await talk.append(*neutral[:count])
        for turn in range(calls + 1):
            begun = time.process_time()
            await talk.append(neutral[count + 2 * turn])
            request = await talk.request(system=SYSTEM, tools=TOOLS, model=MODEL)
            await talk.append(neutral[count + 2 * turn + 1])
            await talk.record_usage({"prompt_tokens": request.tokens, "completion_tokens": 40}, request)
            took.append((time.process_time() - begun) * 1000)
    return took[1:]


def measure(name: str, counts: list[int], calls: int) -> list[dict[str, Any]]:
    """The figures of one framework."""
    found: list[dict[str, Any]] = []
    codec = codec_of(name)
    for count in counts:
        for window, size in (("whole", 4_000_000), ("compacted", max(16_000, count * 24))):
            random.seed(count)
            ours = asyncio.run(by_adapter(codec, count, calls, size))
            random.seed(count)
            floor = asyncio.run(by_engine(count, calls, size))
            added = statistics.median(ours) - statistics.median(floor)
            found.append(
                {
                    "framework": name, "messages": count, "window": window, "median_ms": statistics.median(ours),
                    "p95_ms": sorted(ours)[int(0.95 * len(ours))], "engine_ms": statistics.median(floor),
                    "added_ms": added,
                    "ratio": statistics.median(ours) / statistics.median(floor),
                }
            )  # fmt: skip
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--messages", default="100,400,1600")
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    counts = [int(one) for one in given.messages.split(",")]
    if given.here:
        print(json.dumps(measure(given.names[0], counts, given.calls)))
        return 0
    names = given.names or sorted(
        path.stem
        for path in (ROOT / "src" / "palimpsest" / "integrations").glob("*.py")
        if path.stem not in ("__init__", "claude_agent_sdk")
    )
    rows: list[dict[str, Any]] = []
    for name in names:
        python = HOME / name / "bin" / "python"
        if not python.exists():
            print(f"{name}: no environment; run make test-integrations ONLY={name}", file=sys.stderr)
            continue
        options = ["--here", "--messages", given.messages, "--calls", str(given.calls)]
        done = subprocess.run(
            [python, __file__, name, *options], capture_output=True, text=True, check=True, cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        rows += json.loads(done.stdout.splitlines()[-1])
        if not given.json:
            for row in rows[-2 * len(counts) :]:
                print(
                    "{framework:15} {messages:5} messages, {window:9}: {median_ms:6.2f} ms CPU a call (p95 "
                    "{p95_ms:.2f}), engine alone {engine_ms:.2f}, added {added_ms:.2f}, "
                    "ratio {ratio:.2f}".format(**row),
                    flush=True,
                )
    if given.json:
        print(json.dumps(rows))
    at_400 = [row["added_ms"] for row in rows if row["messages"] == 400]
    return int(bool(at_400) and max(at_400) >= LIMIT_MS)


if __name__ == "__main__":
    raise SystemExit(main())
