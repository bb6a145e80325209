"""Random sessions of a client, every request held against Anthropic's strict rules and the prefix law.

    python -m bench.trust.append_only [--histories 100000] [--seconds S] [--tally FILE] [--json]

A trial is one session of up to 20 steps (`tests/wire/strict/random_sessions`): calls, tool results, injections, changed
memory, system prompts and tools, pins, switches of the model, late and repeated replies, resent and edited histories,
compactions of ours and of the provider's, forgetting, and an engine that is closed and opened again. The provider's
checks run by value, without HTTP. One trial in 20 uses SQLite, the others the reference store.
"""

from __future__ import annotations

import asyncio
import sys
from random import Random
from typing import cast

from bench.trust.hands import command
from bench.trust.running import Found, options
from palimpsest.ports import Store
from tests.reference_store import MemoryStore
from tests.wire.strict.random_sessions import draw_plan, session

SQLITE_IN = 20
LIMIT_S = 60.0


def append_only_trial(seed: int) -> Found:
    """One session of a seed."""
    plan = draw_plan(Random(seed))
    store = cast("Store", MemoryStore()) if seed % SQLITE_IN else None
    made = asyncio.run(session(plan, store=store))
    found = Found(faults=[fault[:500] for fault in made.faults])
    found.counts.update({"histories": 1, "refused": 0, "law breaks": 0, **made.counts})
    return found


def main() -> int:
    """Run as many as the options say."""
    parser = options(__doc__ or "", count=100_000)
    parser.add_argument("--histories", type=int, help="the same as --count")
    given = parser.parse_args()
    given.count = given.histories or given.count
    given.processes = given.processes or 2
    return command("requests that only grow", append_only_trial, given, goal="histories", limit_s=LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
