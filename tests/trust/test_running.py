"""Trials are watched, and what they come to adds up, whatever happens to the processes that do them."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from bench.trust.hands import spread
from bench.trust.running import Found, Tally, options, read_tally, write_tally

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")


def _counted(seed: int) -> Found:
    found = Found()
    found.counts.update({"done": 1, f"seed {seed}": 1})
    return found


def _hanging(seed: int) -> Found:
    if seed == 3:
        time.sleep(3_600)
    return _counted(seed)


def _dying(seed: int) -> Found:
    if seed == 3:
        os._exit(9)
    return _counted(seed)


def _tried(tally: Tally) -> set[int]:
    return {int(name.removeprefix("seed ")) for name in tally.found.counts if name.startswith("seed ")}


def test_a_trial_that_hangs_is_told_by_its_seed_and_killed_and_every_other_is_tried_once() -> None:
    tally = Tally()
    spread(_hanging, tally, 100, goal="done", limit_s=0.3, processes=1)
    assert tally.found.faults == ["seed 3: not done after 0.3 s, and killed"]
    assert _tried(tally) == set(range(tally.found.trials)) - {3}
    assert tally.found.counts["done"] == tally.found.trials - 1


def test_a_process_that_dies_is_told_by_the_seed_it_was_at() -> None:
    tally = Tally()
    spread(_dying, tally, 100, goal="done", limit_s=20.0, processes=2)
    assert tally.found.faults == ["seed 3: the process ended of itself (9)"]
    assert 3 not in _tried(tally)
    assert tally.found.counts["done"] == tally.found.trials - 1 == len(_tried(tally))


def test_two_runs_with_a_tally_try_no_seed_twice(tmp_path: Path) -> None:
    path = tmp_path / "tally.json"
    for count in (150, 450):
        tally = read_tally(path, "counting", first=7)
        spread(_counted, tally, count, goal="done", limit_s=20.0, processes=1, keep=lambda: None)
        write_tally(path, "counting", tally)
    write_tally(path, "another", Tally(next=1))
    kept = read_tally(path, "counting", first=0)
    assert kept.found.counts["done"] == kept.found.trials >= 450
    assert _tried(kept) == set(range(7, 7 + kept.found.trials))
    assert read_tally(path, "another", first=0).next == 1


def test_every_command_can_be_cut_into_slices() -> None:
    given = options("anything", count=10).parse_args(["--seconds", "5", "--tally", "file.json", "--json"])
    assert (given.count, given.seconds, given.tally, given.json) == (10, 5.0, Path("file.json"), True)
