"""What it costs to tell what an engine does: turns (append, request, append, usage) told to nobody who listens, to the
log at its finest level, and to OpenTelemetry, each as a ratio to the same turns with nothing told at all.

    python bench/observing.py [--turns N] [--rounds N] [--json]

The ways take turns, so that what else the machine does falls on all of them. Without OpenTelemetry's SDK those that
need it are left out.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import io
import json
import logging
import platform
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palimpsest.engine.telemetry.reporting import Telemetry
    from palimpsest.record.events import Seen

WAYS = ("untold", "nobody listens", "log at DEBUG", "API without provider", "SDK, kept in memory")
NEEDS_SDK = frozenset(WAYS[3:])


def prepare(way: str) -> None:
    """Set this process up for one way."""
    from palimpsest.engine.telemetry import reporting

    if way == "untold":
        reporting.Telemetry.emit = _nothing
    if way == "log at DEBUG":
        logging.basicConfig(level=logging.DEBUG, stream=io.StringIO())
    if way == "API without provider":
        import opentelemetry.trace  # noqa: F401
    if way == "SDK, kept in memory":
        from opentelemetry import metrics, trace
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(InMemorySpanExporter()))
        trace.set_tracer_provider(provider)
        metrics.set_meter_provider(MeterProvider([InMemoryMetricReader()]))


def _nothing(self: Telemetry, event: Seen) -> None:
    """Tell nobody."""


async def turns(number: int) -> list[float]:
    """Microseconds of each turn."""
    import palimpsest

    took: list[float] = []
    async with palimpsest.open(":memory:", window_tokens=200_000) as engine:
        talk = engine.conversation("talk")
        for place in range(number):
            started = time.perf_counter()
            await talk.append({"role": "user", "content": f"turn {place}: which pier?"})
            request = await talk.request(model="openai:gpt-5")
            await talk.append({"role": "assistant", "content": "pier 3"})
            await talk.record_usage({"prompt_tokens": request.tokens, "completion_tokens": 3}, request)
            took.append((time.perf_counter() - started) * 1e6)
    return took


def measured(way: str, number: int) -> float:
    """The median turn of one way in a process of its own, in microseconds."""
    command = [sys.executable, __file__, "--way", way, "--turns", str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What it costs to tell what an engine does.")
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        prepare(given.way)
        print(statistics.median(asyncio.run(turns(given.turns))))
        return
    has_sdk = importlib.util.find_spec("opentelemetry.sdk") is not None if _has_api() else False
    ways = [way for way in WAYS if has_sdk or way not in NEEDS_SDK]
    found: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(given.rounds):
        for way in ways:
            found[way].append(measured(way, given.turns))
    floor = min(found["untold"])
    best = {way: min(each) for way, each in found.items()}
    rows = [{"way": way, "turn_us": round(us, 1), "ratio": round(us / floor, 3)} for way, us in best.items()]
    if given.json:
        machine = f"{platform.machine()} {platform.python_version()}"
        print(json.dumps({"turns": given.turns, "rounds": given.rounds, "machine": machine, "rows": rows}))
        return
    for row in rows:
        print(f"{row['way']:<22} {row['turn_us']:>9} us a turn  x {row['ratio']}")


def _has_api() -> bool:
    return importlib.util.find_spec("opentelemetry") is not None


if __name__ == "__main__":
    main()
