"""Trials by seed, on as many processes as wanted, until so many or so much time is over; what was found is added up.

A trial is a pure function of its seed: what it found comes back with that seed, and the same seed finds it again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

MAX_FAULTS = 20
SLICE_S = 2.0


@dataclass(slots=True)
class Found:
    """What trials came to: how much of each thing was done, and what was wrong, by seed."""

    counts: Counter[str] = field(default_factory=Counter[str])
    faults: list[str] = field(default_factory=list[str])
    trials: int = 0
    seconds: float = 0.0

    def add(self, other: Found) -> None:
        """Take in what other trials came to."""
        self.counts.update(other.counts)
        self.faults = [*self.faults, *other.faults][:MAX_FAULTS]
        self.trials += other.trials


Trial = Callable[[int], Found]


def tried(trial: Trial, seed: int) -> Found:
    """One trial; whatever it raises is a fault."""
    try:
        found = trial(seed)
    except Exception as error:  # noqa: BLE001  (whatever comes out is what is looked for)
        where = " < ".join(
            f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}"
            for frame in traceback.extract_tb(error.__traceback__)[:-5:-1]
        )
        found = Found(faults=[f"{type(error).__name__}: {str(error)[:300]} at {where}"])
    found.faults = [f"seed {seed}: {fault}" for fault in found.faults]
    found.trials = 1
    return found


def run(trial: Trial, first: int, count: int, step: int = 1, seconds: float = 1e9) -> Found:
    """Trials `first`, `first + step`, ... until `count` are done or the seconds are over, in this process."""
    found, until_s = Found(), time.monotonic() + seconds
    for place in range(count):
        if time.monotonic() > until_s:
            break
        found.add(tried(trial, first + place * step))
    return found


def _work(trial: Trial, given: tuple[int, int, int, float]) -> Found:
    first, count, step, seconds = given
    return run(trial, first, count, step, seconds)


def spread(
    trial: Trial, count: int, *, first: int = 0, seconds: float = 1e9, processes: int = 0, goal: str = ""
) -> Found:
    """Trials on all cores (or `processes`), until `count` are done (of `goal` rather than trials, where it is named) or
    the seconds are over.
    """
    workers = processes or os.cpu_count() or 1
    began, total, seed = time.monotonic(), Found(), first
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        while (done := total.counts[goal] if goal else total.trials) < count:
            left_s = seconds - (time.monotonic() - began)
            if left_s <= 0:
                break
            each = 1_000_000 if goal else -(-(count - done) // workers)
            slices = [(seed + worker, each, workers, min(left_s, SLICE_S)) for worker in range(workers)]
            parts = [pool.apply_async(_work, (trial, one)) for one in slices]
            ended = [part.get() for part in parts]
            seed += workers * max(1, *(part.trials for part in ended))
            for part in ended:
                total.add(part)
    total.seconds = time.monotonic() - began
    return total


def figures(found: Found, goal: str) -> dict[str, object]:
    """What is printed of what was found; the rate is that of `goal`."""
    return {
        "trials": found.trials,
        **dict(sorted(found.counts.items())),
        "seconds": round(found.seconds, 1),
        f"{goal} a second": round(found.counts[goal] / (found.seconds or 1.0), 1),
        "on": f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "faults": found.faults,
    }


def printed(name: str, shown: Mapping[str, object], *, as_json: bool) -> int:
    """Print figures; the exit code: 1 where anything is wrong."""
    if as_json:
        sys.stdout.write(json.dumps({"what": name, **shown}, ensure_ascii=True) + "\n")
    else:
        sys.stdout.write(f"{name}\n" + "".join(f"  {key}: {value}\n" for key, value in shown.items()))
    return 1 if shown.get("faults") else 0


def options(description: str, *, count: int) -> argparse.ArgumentParser:
    """The options that every command has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=count, help=f"how many (default {count})")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=0, help="how many at once (default: all cores)")
    parser.add_argument("--json", action="store_true", help="figures as one line of JSON")
    return parser
