"""What it costs to take in a history that is sent again whole, beside an append of the same messages.

    python bench/resending.py [--known N] [--rounds N] [--json]

A client keeps its history as a list of dicts and sends all of it with two messages more, in three ways: the same list,
extended in place; a copy that was just parsed from JSON; and the same list of which one message in the middle was
edited, and edited back. Then it sends only its newest messages, two further each time. Beside them two messages are
appended to the same conversation, in the same process and in turn. Two kinds of histories are measured: short texts,
and an agent's with tool calls and long results. Medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import palimpsest

WORDS = (
    "the timeout of the cache in src/app/main.py waits for a retry and fails with a line of its own".split()
)
NEWEST = 400
"""Messages that a client sends which shortens its history."""

Said = dict[str, Any]
Made = Callable[[int], Said]


def text(words: int) -> str:
    """So many words."""
    return " ".join(random.choices(WORDS, k=words))


def short(place: int) -> Said:
    """A message of a person or of a model."""
    return {"role": "assistant" if place % 2 else "user", "content": text(20)}


def agent(place: int) -> Said:
    """A message of an agent's session: it calls a tool, and every second one is what that gave."""
    call = f"toolu_{place // 2}"
    if place % 2:
        found = {"type": "tool_result", "tool_use_id": call, "content": text(150), "is_error": False}
        return {"role": "user", "content": [found]}
    asked = {
        "type": "tool_use",
        "id": call,
        "name": "read",
        "input": {"path": "src/app/main.py", "offset": place},
    }
    return {"role": "assistant", "content": [{"type": "text", "text": text(15)}, asked]}


async def timed(call: Awaitable[object]) -> float:
    """Milliseconds of one call."""
    began_s = time.perf_counter()
    await call
    return 1e3 * (time.perf_counter() - began_s)


async def measured(made: Made, known: int, rounds: int) -> dict[str, float]:
    """The medians of each way, in milliseconds, and as ratios to the append."""
    took: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        async with palimpsest.open(Path(folder, "r.db"), window_tokens=128_000) as engine:
            talk = engine.conversation("resent")
            history = [made(place) for place in range(known)]
            first_ms = await timed(talk.sync(history))

            def more() -> list[Said]:
                return [made(len(history)), made(len(history) + 1)]

            for _ in range(rounds):
                new = more()
                took.setdefault("append", []).append(await timed(talk.append(*new)))
                history += new
                took.setdefault("append, then sync", []).append(await timed(talk.sync(history)))
                history += more()
                took.setdefault("the same list", []).append(await timed(talk.sync(history)))
                history = json.loads(json.dumps(history))
                history += more()
                took.setdefault("parsed anew", []).append(await timed(talk.sync(history)))
                middle = len(history) // 2
                kept, history[middle] = history[middle], {"role": "user", "content": text(5)}
                took.setdefault("edited", []).append(await timed(talk.sync(history)))
                history[middle] = kept
                took.setdefault("edited back", []).append(await timed(talk.sync(history)))
            for _ in range(rounds):
                history += more()
                sent = json.loads(json.dumps(history[-NEWEST:]))
                took.setdefault(f"newest {NEWEST}", []).append(await timed(talk.sync(sent)))
    middles = {name: statistics.median(one) for name, one in took.items()}
    ratios = {f"{name}, ratio": ms / middles["append"] for name, ms in middles.items() if name != "append"}
    return {"first": first_ms, **middles, **ratios}


def main() -> None:
    parser = argparse.ArgumentParser(description="What a history that is sent again costs.")
    parser.add_argument("--known", type=int, default=6_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    random.seed(5)
    found = {
        made.__name__: asyncio.run(measured(made, max(1, given.known), max(1, given.rounds)))
        for made in (short, agent)
    }
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for kind, one in found.items():
        print(f"{kind}: {given.known:,} known messages")
        for name, value in one.items():
            if not name.endswith("ratio"):
                ratio = one.get(f"{name}, ratio")
                print(f"  {name:20}{value:9.2f} ms" + (f"{ratio:8.2f} x append" if ratio else ""))


if __name__ == "__main__":
    main()
