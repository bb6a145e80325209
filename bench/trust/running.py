"""Trials by seed, until so many or so much time is over; what was found is added up, over many runs where wanted.

A trial is a pure function of its seed: what it found comes back with that seed, and the same seed finds it again.
Trials are done by processes of their own (`hands`), so that one that hangs or dies is told by its seed and ends nothing
else. With `--tally FILE` a run goes on where the last one ended, and what both came to is added up in the file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from palimpsest.file_writing import write

MAX_FAULTS = 20


@dataclass(slots=True)
class Found:
    """What trials came to: how much of each thing was done, and what was wrong, by seed. `cpu_s` is what they took of
    the processor, with the processes that they started.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    faults: list[str] = field(default_factory=list[str])
    trials: int = 0
    seconds: float = 0.0
    cpu_s: float = 0.0

    def add(self, other: Found) -> None:
        """Take in what other trials came to."""
        self.counts.update(other.counts)
        self.faults = [*self.faults, *other.faults][:MAX_FAULTS]
        self.trials += other.trials
        self.cpu_s += other.cpu_s


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
    if found.faults:
        found.faults = [f"seed {seed}: {fault}" for fault in found.faults]
        found.counts["trials with faults"] = 1
    found.trials = 1
    return found


def run(trial: Trial, first: int, count: int) -> Found:
    """Trials `first`, `first + 1`, ... in this process."""
    found = Found()
    for seed in range(first, first + count):
        found.add(tried(trial, seed))
    return found


@dataclass(slots=True)
class Tally:
    """What trials came to so far, and which seeds are next: those that were begun and left, then all from `next` on."""

    found: Found = field(default_factory=Found)
    next: int = 0
    left: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


def read_tally(path: Path | None, name: str, first: int) -> Tally:
    """The tally of this name in a file, or a new one that begins with the seed `first`."""
    kept = json.loads(path.read_text("utf-8")).get(name) if path is not None and path.exists() else None
    if kept is None:
        return Tally(next=first)
    found = Found(**{**kept["found"], "counts": Counter(kept["found"]["counts"])})
    return Tally(found, kept["next"], [(one, end) for one, end in kept["left"]])


def write_tally(path: Path | None, name: str, tally: Tally) -> None:
    """Put a tally into its file, beside those of other names; a crash leaves the file as it was."""
    if path is None:
        return
    every: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    found = tally.found
    every[name] = {
        "found": {
            "counts": dict(found.counts), "faults": found.faults, "trials": found.trials,
            "seconds": found.seconds, "cpu_s": found.cpu_s,
        },
        "next": tally.next,
        "left": tally.left,
    }  # fmt: skip
    write(path, json.dumps(every, indent=1).encode())


def figures(found: Found, goal: str) -> dict[str, object]:
    """What is printed of what was found; rates are those of `goal`, and of one core."""
    return {
        "trials": found.trials,
        **dict(sorted(found.counts.items())),
        "seconds": round(found.seconds, 1),
        "cpu seconds": round(found.cpu_s, 1),
        f"{goal} a cpu second": round(found.counts[goal] / (found.cpu_s or 1.0), 1),
        "on": f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "faults": found.faults,
    }


def printed(name: str, shown: Mapping[str, object], *, as_json: bool) -> int:
    """Print figures; the exit code: 1 where anything is wrong."""
    if as_json:
        sys.stdout.write(json.dumps({"what": name, **shown}, ensure_ascii=True) + "\n")
    else:
        sys.stdout.write(f"{name}\n" + "".join(f"  {key}: {value}\n" for key, value in shown.items()))
    sys.stdout.flush()
    return 1 if shown.get("faults") else 0


def options(description: str, *, count: int) -> argparse.ArgumentParser:
    """The options that every command has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=count, help=f"how many (default {count})")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=0, help="how many at once (default: all cores)")
    parser.add_argument("--json", action="store_true", help="figures as one line of JSON")
    parser.add_argument(
        "--tally",
        type=Path,
        help="go on where this file ends, add to it, and stop when --count is reached in all",
    )
    return parser
