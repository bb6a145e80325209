"""Processes that append and compact, killed at random: nothing acknowledged is lost, and nothing is doubled.

    python -m bench.trust.kills [--count 1000] [--ways one,four] [--seconds S] [--tally FILE] [--json]

A trial is the life of one database file over some kills. A worker process appends messages that carry a label of their
own, compacts, makes requests and works in the background; before and after each append it tells an outside log (a pipe)
what it is about to store, and what was acknowledged. It is killed (SIGKILL) at a random moment. Another process then
examines the file: `check` finds nothing, every acknowledged label is there once and in the order of its writer, nothing
is there that was not sent, the windows keep the laws, and every provider would take the request. The next worker
sends what was not acknowledged again under the same key, or gives it up.

- one: one process, two conversations.       - four: four processes on one file, two of them in the same conversation.
- agent: turns of an agent with tools.       - full: as one, and no file may grow any more from a random moment on.
- relaxed: as one, with writes that do not wait for the disk (`durability`).
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from random import Random

import palimpsest
from bench.trust.hands import command
from bench.trust.kills_after import examined, lawful
from bench.trust.kills_worker import BULK, SMALL, Batch, Log, agent_life, life
from bench.trust.running import Found, options
from palimpsest.complete.scripted import ScriptedModel

WAYS = ("one", "four", "agent", "full", "relaxed")
KILLS = 12
WORKING = 0.85
"""How often a process is killed at work, not while it opens the file (or even before)."""

BEGIN_S = 20.0
LONGEST_S = {"one": 0.5, "four": 0.7, "agent": 1.0, "full": 0.5, "relaxed": 0.5}
"""A process lives at most that long once it is at work, and half of them less than a quarter of it."""


def forked(work: Callable[[Callable[[str], None]], None]) -> tuple[int, int]:
    """A child process that does `work`, telling lines; its number and the end of the pipe to read them from."""
    here, there = os.pipe()
    pid = os.fork()
    if pid:
        os.close(there)
        return pid, here
    code = 1
    gc.freeze()
    try:
        os.close(here)
        work(lambda line: _write(there, line))
        code = 0
    except BaseException as error:  # noqa: BLE001  (the parent is told, whatever it is)
        _write(there, f"fault {type(error).__name__}: {str(error)[:400]}")
    finally:
        os._exit(code)


def _write(pipe: int, line: str) -> None:
    data = line.encode("utf-8", "backslashreplace").replace(b"\n", b" ") + b"\n"
    while data:
        data = data[os.write(pipe, data) :]


def drained(pipes: dict[int, bytes], until_s: float, *, said: bool = False) -> dict[int, bytes]:
    """Read what the pipes give until then or until all are closed, so that no writer waits for a reader; with `said`
    only until each has said something.
    """
    alive = set(pipes)
    while alive and (left_s := until_s - time.monotonic()) > 0:
        for pipe in select.select(list(alive), [], [], left_s)[0]:
            given = os.read(pipe, 65_536)
            pipes[pipe] += given
            if said or not given:
                alive.discard(pipe)
    return pipes


def killed_workers(
    works: list[Callable[[Callable[[str], None]], None]], log: Log, draw: Random, longest_s: float
) -> None:
    """Run the workers at once, kill each at a moment of its own, and read what they said as far as it is whole."""
    children = [forked(work) for work in works]
    heard = dict.fromkeys((pipe for _, pipe in children), b"")
    if draw.random() < WORKING:
        drained(heard, time.monotonic() + BEGIN_S, said=True)
    began_s = time.monotonic()
    moments = sorted((began_s + longest_s * draw.random() ** 2 + 0.02, child) for child in children)
    for moment_s, (pid, _) in moments:
        drained(heard, moment_s)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    drained(heard, time.monotonic() + 30)
    for pipe, said in heard.items():
        os.close(pipe)
        for line in said[: said.rfind(b"\n") + 1].decode().splitlines():
            log.read(line)


def judged(path: Path, log: Log, *, agent: bool, last: bool) -> list[str]:
    """What is wrong with the file, found by a process of its own."""
    pid, pipe = forked(lambda tell: asyncio.run(examined(path, log, tell, agent=agent, last=last)))
    said = drained({pipe: b""}, time.monotonic() + 120)[pipe]
    os.close(pipe)
    os.waitpid(pid, 0)
    lines = said.decode().splitlines()
    faults = [line.removeprefix("fault ") for line in lines if line.startswith("fault ")]
    return faults if lines and lines[-1] == "done" else [*faults, "the examination did not end"]


def _works(way: str, path: Path, log: Log, draw: Random) -> list[Callable[[Callable[[str], None]], None]]:
    """The workers of one round."""
    if way == "agent":
        seed = draw.randrange(10**9)
        return [lambda tell: asyncio.run(agent_life(path, seed, tell))]
    talks = {"four": (("a",), ("b",), ("shared",), ("shared",))}.get(way, (("a", "b"),))
    works: list[Callable[[Callable[[str], None]], None]] = []
    for place, own in enumerate(talks):
        writer = f"w{place}"
        open_batch = log.open.get(writer)
        if open_batch is not None and draw.random() < 0.5:
            log.given_up.append(log.open.pop(writer))
            open_batch = None
        made = sum(len(one.labels) for one in log.acknowledged.get(writer, ()))
        made += sum(len(one.labels) for one in log.given_up if one.writer == writer)
        full = way == "full" and path.exists() and draw.random() < 0.9
        room = draw.choice((0, 4_096, 40_000, 200_000)) if full else None
        works.append(_worker(way, path, own, writer, made, open_batch, draw.randrange(10**9), room))
    return works


def _worker(
    way: str, path: Path, talks: tuple[str, ...], writer: str, made: int, again: Batch | None, seed: int,
    room_bytes: int | None,
) -> Callable[[Callable[[str], None]], None]:  # fmt: skip
    def work(tell: Callable[[str], None]) -> None:
        if room_bytes is not None:
            largest = max((one.stat().st_size for one in path.parent.iterdir()), default=0)
            limit = largest + room_bytes
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        durability = "relaxed" if way == "relaxed" else "full"
        full = room_bytes is not None
        asyncio.run(life(path, talks, writer, made, again, seed, tell, full=full, durability=durability))

    return work


@cache
def warmed() -> None:
    """Import what is imported where it is first used, so that not every process does so again after it was forked."""

    async def once(folder: str) -> None:
        model = ScriptedModel(["Nothing."])
        async with palimpsest.open(Path(folder) / "a.db", complete=model, **SMALL) as engine:
            talk = engine.conversation("a")
            await talk.append({"role": "user", "content": BULK})
            await lawful(talk, lambda _: None)

    with tempfile.TemporaryDirectory(prefix="palimpsest-kills-") as folder:
        asyncio.run(once(folder))


def kill_trial(way: str, seed: int, kills: int = KILLS) -> Found:
    """One database's life."""
    warmed()
    draw, found, log = Random(f"{way} {seed}"), Found(), Log()
    with tempfile.TemporaryDirectory(prefix="palimpsest-kills-") as folder:
        path = Path(folder) / "talks.db"
        for number in range(kills):
            works = _works(way, path, log, draw)
            killed_workers(works, log, draw, LONGEST_S[way])
            found.counts["kills"] += len(works)
            found.faults += judged(path, log, agent=way == "agent", last=number == kills - 1)
            if found.faults:
                break
        found.faults += log.faults
    found.counts["acknowledged messages"] += (
        sum(len(batch.labels) for batches in log.acknowledged.values() for batch in batches) + log.position
    )
    found.counts["appends refused"] += log.refused
    return found


def main() -> int:
    parser = options("kill processes at random and look for what was lost", count=1_000)
    parser.add_argument("--ways", default=",".join(WAYS), help="which ways, with commas between")
    given = parser.parse_args()
    worst = 0
    for way in given.ways.split(","):
        ended = command(f"kills, {way}", partial(kill_trial, way), given, goal="kills", limit_s=300.0)
        worst = max(worst, ended)
    return worst


if __name__ == "__main__":
    sys.exit(main())
