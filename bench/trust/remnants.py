"""What was forgotten is in no byte of the database file, the write-ahead log, the shared memory and the key file.

    python -m bench.trust.remnants [--count 1000] [--seconds S] [--tally FILE] [--json]

A trial fills a database with conversations in which every part of every message (words, names, calls, arguments,
results, a long result behind the gate, Chinese) holds a mark of its own; summaries are made of them, by rules or by a
model that repeats its source and what was summarized before, and pins, branches and ledgers. A message, a range, a
conversation or all of an owner is forgotten; half of the times by a process that is killed (SIGKILL) at a random moment
of it, and of the sweep by which the next goes on. Then every file is searched, in every form that SQLite or JSON would
give a text, for each end of each mark: at once, after more was written and the indexes were merged again, and once the
database is closed. After a kill either nothing was forgotten or all of it; what stays is found by its marks, and
`verify` finds nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import palimpsest
from bench.trust.hands import command
from bench.trust.kills import drained, forked, warmed
from bench.trust.kills_worker import SMALL
from bench.trust.running import Found, options
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.deletion import finish_deletions
from palimpsest.engine.engine import Engine
from palimpsest.engine.opening import Opening
from palimpsest.record.completion import CompletionRequest
from tests.stores.remnants import LEAST_CHARS, remnants

WAYS = ("message", "range", "conversation", "owner")
OWNER, OTHER = "anna", "ben"
TALK, BESIDE = "travel", "garden"
LONGEST_S = 0.12
"""A process that forgets is killed within that time after it began, in about half of the cases before its commit."""

GATED_CHARS = 30_000
LETTERS = "bcdfghjklmnpqrstvwxz"
HAN = "鑫淼焱犇骉羴猋鱻麤毳卉掱晶磊蟲轟矗聶"


@dataclass(frozen=True)
class Filled:
    """The marks of each message that was written, by its position: in the conversation of which something is
    forgotten, in another one, and in another owner's.
    """

    marks: list[list[str]]
    beside: list[list[str]]
    others: list[list[str]]


def mark(draw: Random) -> str:
    """Characters that stand nowhere else, one in four times Han."""
    letters = HAN if draw.random() < 0.25 else LETTERS
    return "".join(draw.choice(letters) for _ in range(24))


def turn(draw: Random, place: int) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """A request, a call with its result and an answer, and the marks of each; the first of them is in its text."""
    said, named, called, given_back, answered, written = (mark(draw) for _ in range(6))
    name, call_id = ("".join(draw.choice(LETTERS) for _ in range(24)) for _ in range(2))
    arguments = json.dumps({"path": f"/src/{called}.py", named: place}, ensure_ascii=draw.random() < 0.5)
    fill = "more lines " * (GATED_CHARS // 11 if draw.random() < 0.1 else draw.choice((2, 20, 60)))
    return [
        {"role": "user", "name": name, "content": f"Request {place}: look after {said} please. " + "more " * 30},
        {
            "role": "assistant", "content": f"Looking at {called}.",
            "tool_calls": [
                {"id": call_id, "type": "function", "function": {"name": "read", "arguments": arguments}}
            ],
        },
        {"role": "tool", "tool_call_id": call_id, "content": f"{fill}line {given_back}\n{fill}"},
        {"role": "assistant", "content": f"Done with {answered}, wrote /out/{written}.txt. " + "well " * 30},
    ], [[said, name], [called, named, call_id], [given_back, call_id], [answered, written]]  # fmt: skip


def _repeated(request: CompletionRequest) -> str:
    """A summary that repeats much of what it was made from."""
    return " ".join(request.messages[-1].text.split()[:120]) if request.messages else "Nothing."


def _open(path: Path, owner: str, *, model: bool = False) -> Opening:
    complete = ScriptedModel([_repeated]) if model else None
    return palimpsest.open(path, owner=owner, complete=complete, **SMALL)


async def _fill(path: Path, draw: Random) -> Filled:
    """Write conversations of two owners."""
    written: dict[str, list[list[str]]] = {}
    for owner, name, turns in ((OWNER, TALK, draw.randint(2, 7)), (OWNER, BESIDE, 1), (OTHER, TALK, 2)):
        async with _open(path, owner, model=draw.random() < 0.5) as engine:
            talk = engine.conversation(name)
            history: list[dict[str, Any]] = []
            marks: list[list[str]] = []
            for place in range(turns):
                messages, new = turn(draw, place)
                history += messages
                marks += new
                await talk.sync(history)
                if draw.random() < 0.7:
                    await talk.compact(until_under_tokens=draw.choice((None, 1_500)))
                await talk.end_turn()
            await talk.pin("m1") if owner == OWNER and name == TALK else None
            await talk.pin(text=f"Remember {marks[-1][-1]}.")
            if draw.random() < 0.4:
                edited = [*history, {"role": "user", "content": "An edit."}]
                edited[4 * draw.randrange(turns)] = {"role": "user", "content": "Edited. " + "more " * 30}
                await talk.sync(edited)
                await talk.compact()
            written[owner + name] = marks
    return Filled(written[OWNER + TALK], written[OWNER + BESIDE], written[OTHER + TALK])


def _going(way: str, filled: Filled, draw: Random) -> tuple[list[int], list[str]]:
    """The positions that are forgotten, whole tool groups, and the marks that are to be gone."""
    every = range(len(filled.marks))
    asked = set(every)
    if way in {"message", "range"}:
        first = draw.choice(every)
        asked = set(range(first, min(first + 1 if way == "message" else first + 6, len(every))))
    whole = asked | {one + 1 for one in asked if one % 4 == 1} | {one - 1 for one in asked if one % 4 == 2}
    gone = [one for place in sorted(whole) for one in filled.marks[place]]
    stays = {one for place in every if place not in whole for one in filled.marks[place]}
    gone = [one for one in gone if one not in stays]
    return sorted(asked), gone + ([one for part in filled.beside for one in part] if way == "owner" else [])


async def forget(engine: Engine, way: str, places: list[int]) -> tuple[str, ...]:
    """Forget; what is left to be swept."""
    match way:
        case "owner":
            return (await engine.forget_everything()).left
        case "conversation":
            return (await engine.forget(TALK)).left
        case _:
            return (await engine.forget(TALK, f"m{places[0] + 1}-m{places[-1] + 1}")).left


def _killed(work: Callable[[Callable[[str], None]], None], draw: Random, found: Found) -> None:
    """Do this in another process, and kill it at a random moment after it began."""
    pid, pipe = forked(work)
    drained({pipe: b""}, time.monotonic() + 20, said=True)
    time.sleep(LONGEST_S * draw.random())
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(pipe)
    found.counts["killed"] += os.WIFSIGNALED(status)


def _forgetting(path: Path, way: str, places: list[int]) -> Callable[[Callable[[str], None]], None]:
    async def work(tell: Callable[[str], None]) -> None:
        async with _open(path, OWNER) as engine:
            tell("begun")
            await forget(engine, way, places)

    return lambda tell: asyncio.run(work(tell))


def _resuming(path: Path) -> Callable[[Callable[[str], None]], None]:
    async def work(tell: Callable[[str], None]) -> None:
        tell("begun")
        async with _open(path, OWNER):
            pass

    return lambda tell: asyncio.run(work(tell))


async def _hits(engine: Engine, marks: list[str]) -> list[str]:
    """Which of the marks are found by a search."""
    return [one for one in marks if (await engine.grep(one, limit=1)).total]


def _told(parts: list[list[str]], gone: list[str] | None = None) -> list[str]:
    """The marks by which a search finds the messages (that are gone); but for Han, which it cuts into pairs."""
    first = [part[0] for part in parts if part[0].isascii()]
    return first if gone is None else [one for one in first if one in gone]


async def _after(
    path: Path, way: str, places: list[int], filled: Filled, gone: list[str], found: Found
) -> None:
    """Forget, unless a process that was killed has done so, and look into every byte."""
    async with _open(path, OWNER) as engine:
        whole = _told(filled.marks, gone)
        there = await _hits(engine, whole)
        if there and there != whole:
            found.faults.append(f"{way}: {len(there)} of {len(whole)} messages were left by a kill")
        found.counts["gone after a kill"] += bool(whole) and not there
        left = (
            await finish_deletions(engine.store) if whole and not there else await forget(engine, way, places)
        )
        if left:
            found.faults.append(f"{way}: not swept: {left}")
        _look(path, gone, "at once", found)
        talk = engine.conversation("afterwards")
        for number in range(20):
            await talk.append(
                {"role": "user", "content": f"Something else, number {number}, and more of it."}
            )
        await talk.compact()
        _look(path, gone, "after more was written", found)
        if faults := (await engine.verify(everyone=True)).faults:
            found.faults.append(f"{way}: verify finds {faults[:2]}")
        await _kept(engine, way, filled, gone, found)
    _look(path, gone, "once closed", found)


async def _kept(engine: Engine, way: str, filled: Filled, gone: list[str], found: Found) -> None:
    """What was not forgotten is found: of the conversation, and of another."""
    stays = _told([*filled.marks, *filled.beside])
    stays = [one for one in stays if one not in gone]
    missing = sorted(set(stays) - set(await _hits(engine, stays)))
    if missing:
        found.faults.append(f"{way}: {len(missing)} marks that stay are not found, such as {missing[0]}")
    found.counts["marks that stay"] += len(stays)


def _look(path: Path, gone: list[str], when: str, found: Found) -> None:
    """Search every byte of every file."""
    found.counts["searches"] += 1
    found.counts["bytes searched"] += sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))
    there = remnants(path, gone)
    found.counts["remnants"] += len(there)
    found.faults += [f"{when}: {one}" for one in there[:3]]


async def _others(path: Path, filled: Filled, found: Found) -> None:
    async with _open(path, OTHER) as engine:
        marks = _told(filled.others)
        if len(await _hits(engine, marks)) != len(marks):
            found.faults.append("another owner's messages are not found")


def remnant_trial(seed: int) -> Found:
    """One database, and one forgetting."""
    warmed()
    draw, found, way = Random(seed), Found(), WAYS[seed % len(WAYS)]
    with tempfile.TemporaryDirectory(prefix="palimpsest-remnants-") as folder:
        path = Path(folder) / "talks.db"
        filled = asyncio.run(_fill(path, draw))
        places, gone = _going(way, filled, draw)
        there = " ".join(remnants(path, gone))
        unseen = [one for one in gone if one[:LEAST_CHARS].lower() not in there]
        if unseen:
            found.faults.append(f"{len(unseen)} marks are not found where they should be: {unseen[:2]}")
        if draw.random() < 0.5:
            _killed(_forgetting(path, way, places), draw, found)
            if draw.random() < 0.4:
                _killed(_resuming(path), draw, found)
        asyncio.run(_after(path, way, places, filled, gone, found))
        asyncio.run(_others(path, filled, found))
    found.counts.update({way: 1, "forgettings": 1, "marks gone": len(gone)})
    return found


if __name__ == "__main__":
    given = options("search every byte for what was forgotten", count=1_000).parse_args()
    sys.exit(command("remnants", remnant_trial, given, goal="forgettings", limit_s=120.0))
