"""Times as rows of a table and as a record, each beside its floor of the same run."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of each call: by the clock, and of processor time, which other programs on the machine change less."""

    wall: list[float] = field(default_factory=list[float])
    processor: list[float] = field(default_factory=list[float])

    @contextmanager
    def one(self) -> Iterator[None]:
        """Time what is done inside."""
        begin, began = time.perf_counter(), time.process_time()
        yield
        self.processor.append(time.process_time() - began)
        self.wall.append(time.perf_counter() - begin)


async def timed(given: Sequence[Given], do: Callable[[Given], Awaitable[object]], rounds: int) -> Times:
    """Every call with every argument, round by round. What was left behind before, by filling and by other rows, is
    collected first: a row pays for its own garbage.
    """
    gc.collect()
    times = Times()
    for _ in range(rounds):
        for one in given:
            with times.one():
                await do(one)
    return times


def percentile_ms(times: Sequence[float], share: float) -> float:
    """The value below which this share of the times lies, in milliseconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1_000


def row(name: str, times: Times, floor: Times | None) -> dict[str, object]:
    """One row of the table. A ratio is to the same percentile of the floor."""
    wall = times.wall
    made: dict[str, object] = {
        "what": name,
        "calls": len(wall),
        "p50_ms": round(percentile_ms(wall, 0.5), 3),
        "p95_ms": round(percentile_ms(wall, 0.95), 3),
        "p99_ms": round(percentile_ms(wall, 0.99), 3),
        "max_ms": round(max(wall) * 1_000, 3),
        "mean_ms": round(statistics.fmean(wall) * 1_000, 3),
        "processor_p50_ms": round(percentile_ms(times.processor, 0.5), 3),
        "processor_p95_ms": round(percentile_ms(times.processor, 0.95), 3),
        "processor_mean_ms": round(statistics.fmean(times.processor) * 1_000, 3),
        "p99_to_own_p50": round(percentile_ms(wall, 0.99) / percentile_ms(wall, 0.5), 1),
    }
    if floor is not None and floor.wall:
        made["floor_p50_ms"] = round(percentile_ms(floor.wall, 0.5), 3)
        made["floor_p95_ms"] = round(percentile_ms(floor.wall, 0.95), 3)
        made["p50_to_floor"] = round(percentile_ms(wall, 0.5) / percentile_ms(floor.wall, 0.5), 2)
        if floor.processor and statistics.fmean(floor.processor) > 0:
            share = statistics.fmean(times.processor) / statistics.fmean(floor.processor)
            made["processor_to_floor"] = round(share, 1)
        made["p95_to_floor"] = round(percentile_ms(wall, 0.95) / percentile_ms(floor.wall, 0.95), 2)
    return made


COLUMNS = (
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "max_ms",
    "processor_mean_ms",
    "p50_to_floor",
    "processor_to_floor",
    "p99_to_own_p50",
)
_HEADS = ("p50 ms", "p95 ms", "p99 ms", "max ms", "cpu mean", "x floor", "cpu x flr", "p99/p50")


def table(rows: Sequence[dict[str, object]]) -> Iterator[str]:
    """The lines of the table."""
    width = max((len(str(one["what"])) for one in rows), default=0)
    yield f"{'':{width}} " + " ".join(f"{head:>9}" for head in _HEADS)
    for one in rows:
        yield f"{one['what']:{width}} " + " ".join(f"{one.get(column, ''):>9}" for column in COLUMNS)
