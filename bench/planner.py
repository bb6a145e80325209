"""What the economic planner adds to a call, at any length of the history.

    python bench/planner.py [--messages 1000 10000 50000] [--calls 60] [--json]

A conversation of so many messages is stored and compacted, and then goes on for `--calls` calls; measured is all that
the policy does before a call at which it decides to wait: reading the account, the budget, the rules. The floor is
making JSON of the same request, which every client does before it sends one. In the last rows nothing was ever
compacted, so that the window is the history: what is looked at is the tail, and what was added since the last call.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from palimpsest.engine.compacting.automatic_compaction import compact_before_call
from palimpsest.engine.conversation import runtime_of, state_of

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

import palimpsest  # noqa: E402
from palimpsest.engine.conversation import Conversation  # noqa: E402, state_of

MODEL = "claude-sonnet-4-5"
SAID = "module alpha reads src/app/reader.py and fails at line 4711, because build 9f3c21ab has no index; "
WINDOW_TOKENS = 1_000_000
NEVER = 0.01
"""A cap below which no compaction ever stays."""
NEVER_MESSAGES = (2_000, 8_000)


@dataclass(frozen=True, slots=True)
class Row:
    """Milliseconds of processor time before a call, and of making JSON of its request."""

    messages: int
    window_items: int
    prompt_tokens: int
    p50_ms: float
    p99_ms: float
    floor_ms: float
    ratio: float


def steps(first: int, count: int) -> list[dict[str, object]]:
    """So many messages: calls of a tool and their results."""
    found: list[dict[str, object]] = []
    for number in range(first, first + count // 2):
        function = {"name": "terminal", "arguments": json.dumps({"command": f"make part{number}"})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        found.append({"role": "assistant", "content": f"I make part {number}.", "tool_calls": [call]})
        found.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"[{number}] {SAID * 4}"})
    return found


async def measure(messages: int, calls: int, *, compacts: bool) -> Row:
    """One conversation."""
    now_s = [1_790_000_000.0]
    never: dict[str, Any] = {} if compacts else {"cap_share": NEVER}
    async with palimpsest.open(
        ":memory:", preset="economic", window_tokens=WINDOW_TOKENS, clock=lambda: now_s[0], **never
    ) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": "make all the parts"}, *steps(0, messages))
        if compacts:
            await talk.compact()
        planning: list[float] = []
        dumping: list[float] = []
        items = tokens = 0
        for number in range(calls):
            now_s[0] += 10
            spent_s, waited = await _planned(talk)
            request = await talk.request(system="Be brief.", model=MODEL)
            begin = time.process_time()
            json.dumps(request.anthropic())
            dumping.append(time.process_time() - begin)
            if waited:
                planning.append(spent_s)
                items, tokens = len((await state_of(talk).load())[1].items), request.tokens
            usage = {"input_tokens": request.tokens, "output_tokens": 40}
            await talk.record_usage(usage, request)
            await talk.append(*steps(messages + 2 * number, 2))
    ordered = sorted(planning)
    p50, p99 = statistics.median(ordered), ordered[len(ordered) * 99 // 100]
    floor_s = statistics.median(dumping)
    return Row(
        messages,
        items,
        tokens,
        round(1e3 * p50, 3),
        round(1e3 * p99, 3),
        round(1e3 * floor_s, 3),
        round(p50 / floor_s, 2),
    )


async def _planned(talk: Conversation) -> tuple[float, bool]:
    """(seconds that deciding took, whether it decided to wait)."""
    branch, window = await state_of(talk).load(MODEL)
    assert branch is not None
    begin = time.process_time()
    changed = await compact_before_call(runtime_of(talk), branch, window)
    return time.process_time() - begin, not changed


def show(rows: Sequence[Row]) -> None:
    """Prints a line for each conversation."""
    print(
        f"{'messages':>10}{'in window':>11}{'prompt':>10}{'p50 ms':>9}{'p99 ms':>9}{'JSON ms':>9}{'ratio':>7}"
    )
    for one in rows:
        print(
            f"{one.messages:>10,}{one.window_items:>11,}{one.prompt_tokens:>10,}{one.p50_ms:>9}{one.p99_ms:>9}"
            f"{one.floor_ms:>9}{one.ratio:>7}"
        )


async def _all(options: argparse.Namespace) -> list[Row]:
    rows = [await measure(count, options.calls, compacts=True) for count in options.messages]
    return rows + [await measure(count, options.calls, compacts=False) for count in NEVER_MESSAGES]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", nargs="+", type=int, default=[1_000, 10_000, 50_000])
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = asyncio.run(_all(options))
    if options.json:
        machine = {"python": platform.python_version(), "system": platform.platform(), "cpus": os.cpu_count()}
        print(json.dumps({"rows": [asdict(one) for one in rows], "calls": options.calls, "machine": machine}))
        return
    show(rows)


if __name__ == "__main__":
    main()
