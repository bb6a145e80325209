"""Processes that do trials by seed, and are watched: one whose trial takes too long is killed with all that it started,
one that dies is replaced; either way the seed is told as a fault, and every other seed is tried.

A hand is given some seeds and does them in their order until they or a slice of time is over; what it has not done is
given out again. It writes down which seed it is at where its watcher can read it, whatever it is doing.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any

from bench.trust.running import Found, Tally, Trial, figures, printed, read_tally, tried, write_tally

SLICE_S = 2.0
SEEDS = 200
"""A hand is given at most so many seeds at once, for at most so long."""

LOOK_S = 0.5
"""How often hands are looked after."""

_FORK = multiprocessing.get_context("fork")


@dataclass(slots=True)
class Hand:
    """A process, how to speak to it, which seeds it was given, and where it writes down (seed, when it was begun)."""

    process: Any
    pipe: Any
    at: Any
    given: tuple[int, int] = (0, 0)
    busy: bool = False


def spread(
    trial: Trial, tally: Tally, count: int, *, goal: str, limit_s: float, seconds: float = 1e9, processes: int = 0,
    keep: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Add trials to a tally on all cores (or `processes`), until there are `count` of `goal` (or a few more, where a
    slice of time gives more) or the seconds are over.

    No trial takes longer than `limit_s`. `keep` is called when the tally has changed.
    """
    until_s = time.monotonic() + seconds
    hands = [_begun(trial) for _ in range(processes or os.cpu_count() or 1)]
    try:
        while True:
            if tally.found.counts[goal] < count and time.monotonic() < until_s:
                for hand in hands:
                    _give(hand, tally, until_s)
            busy = [hand for hand in hands if hand.busy]
            if not busy:
                break
            ready = wait([hand.pipe for hand in busy], LOOK_S)
            for hand in busy:
                if hand.pipe in ready:
                    _take(hand, tally)
                elif not hand.process.is_alive():
                    _lose(hand, tally, f"the process ended of itself ({hand.process.exitcode})")
                elif hand.at[1] and time.monotonic() - hand.at[1] > limit_s:
                    _lose(hand, tally, f"not done after {limit_s:g} s, and killed")
            hands = [hand if hand.process.is_alive() else _begun(trial) for hand in hands]
            keep()
    finally:
        for hand in hands:
            _ended(hand)
        tally.left[:0] = [hand.given for hand in hands if hand.busy]
        keep()


def _begun(trial: Trial) -> Hand:
    """One more process."""
    here, there = _FORK.Pipe()
    at = _FORK.RawArray("d", 2)
    process = _FORK.Process(target=_work, args=(trial, there, here, at))
    process.start()
    there.close()
    return Hand(process, here, at)


def _give(hand: Hand, tally: Tally, until_s: float) -> None:
    """Give seeds to a hand that has none: what others have left first."""
    if hand.busy:
        return
    if not tally.left:
        tally.left.append((tally.next, tally.next + SEEDS))
        tally.next += SEEDS
    hand.given, hand.busy, hand.at[1] = tally.left.pop(0), True, 0.0
    hand.pipe.send((*hand.given, min(until_s, time.monotonic() + SLICE_S)))


def _take(hand: Hand, tally: Tally) -> None:
    """Take in what a hand has done, or that it has died."""
    try:
        found, done = hand.pipe.recv()
    except (EOFError, OSError):
        hand.process.join()
        _lose(hand, tally, f"the process ended of itself ({hand.process.exitcode})")
        return
    hand.busy = False
    tally.found.add(found)
    if done < hand.given[1]:
        tally.left.insert(0, (done, hand.given[1]))


def _lose(hand: Hand, tally: Tally, why: str) -> None:
    """Do without a hand: note the seed that it was at, and leave the others that it was given to the next."""
    _ended(hand)
    first, end = hand.given
    seed = min(max(first, int(hand.at[0])), end - 1)
    wrong = Found(faults=[f"seed {seed}: {why}"], trials=1)
    wrong.counts["trials with faults"] = 1
    tally.found.add(wrong)
    tally.left[:0] = [one for one in ((first, seed), (seed + 1, end)) if one[0] < one[1]]
    hand.busy = False


def _ended(hand: Hand) -> None:
    """Kill a hand, and whatever it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(hand.process.pid, signal.SIGKILL)
    hand.process.kill()
    hand.process.join()
    hand.pipe.close()


def _work(trial: Trial, pipe: Any, other_end: Any, at: Any) -> None:
    """What a hand does, until nobody listens. What was imported is kept out of every collection of garbage, which would
    make each child copy it.
    """
    os.setsid()
    other_end.close()
    gc.collect()
    gc.freeze()
    with contextlib.suppress(EOFError, OSError):
        while True:
            seed, end, until_s = pipe.recv()
            found, before_s = Found(), cpu_s()
            while seed < end:
                at[0], at[1] = seed, time.monotonic()
                found.add(tried(trial, seed))
                seed += 1
                if time.monotonic() > until_s:
                    break
            at[1] = 0.0
            found.cpu_s = cpu_s() - before_s
            pipe.send((found, seed))


def cpu_s() -> float:
    """What this process, and its children that have ended, took of the processor."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def command(name: str, trial: Trial, given: argparse.Namespace, *, goal: str, limit_s: float) -> int:
    """Trials as the options say, until `count` of `goal` are done; their figures are printed, and the exit code given.
    No trial may take longer than `limit_s`.
    """
    tally, began_s = read_tally(given.tally, name, given.first), time.monotonic()
    before_s = tally.found.seconds

    def keep() -> None:
        tally.found.seconds = before_s + time.monotonic() - began_s
        write_tally(given.tally, name, tally)

    spread(
        trial, tally, given.count, goal=goal, seconds=given.seconds, processes=given.processes, limit_s=limit_s,
        keep=keep,
    )  # fmt: skip
    return printed(name, figures(tally.found, goal), as_json=given.json)
