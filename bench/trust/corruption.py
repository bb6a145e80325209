"""Damaged database files: never a wrong answer silently, and every intact message is got out.

    python -m bench.trust.corruption [--count 1000] [--seconds S] [--tally FILE] [--json]

A trial damages a copy of one database: some random bits, a run of random bytes, a page of zeros, a truncated file,
two pages that change places, a page that takes another's. Then

- everything is read: each message, window, pin, record and search either is what was stored, or there is an error of
  this package's own, or `verify` says that the file is damaged;
- a message that is read by its id is what was said, or there is an error: it is never anything else;
- what is intact is got out: every message that stands whole in a page that is as it was, whether that page was moved or
  not, is in what `export --all` writes, or in what `doctor --salvage` makes where the file or its tree cannot be read.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import palimpsest
from bench.trust.hands import command
from bench.trust.running import Found, options
from palimpsest.engine.engine import Engine
from palimpsest.errors import PalimpsestError
from palimpsest.record.log import Stored
from palimpsest.search.query_grammar import parse
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.maintenance.salvage import salvage

OWNER, TALKS = "me", ("harbour", "orchard")
MESSAGES = 60
WORDS = ("lantern", "rope", "tide", "ledger", "apple", "frost", "ladder", "basket", "harvest", "mooring")
PAGE = 4_096
KINDS = ("bits", "bits", "run", "zeros", "truncated", "swapped", "doubled")
MAX_MESSAGES = 1_000


@dataclass(frozen=True)
class Whole:
    """The database before it was damaged, and everything that can be seen of it."""

    data: bytes
    messages: dict[str, str]
    places: dict[str, int]
    seen: dict[str, str]


async def _write(engine: Engine) -> None:
    draw = Random(7)
    for name in TALKS:
        talk = engine.conversation(name)
        for place in range(MESSAGES):
            said = " ".join(draw.choice(WORDS) for _ in range(draw.randrange(5, 60)))
            role = "assistant" if place % 2 else "user"
            await talk.append({"role": role, "content": f"{name} {place} {said}"})
        await talk.compact(until_under_tokens=1_200)
        await talk.pin(text="keep the mooring rope")
    history = [
        {
            "role": "assistant" if place % 2 else "user",
            "content": f"orchard again {place} {draw.choice(WORDS)}",
        }
        for place in range(8)
    ]
    await engine.conversation(TALKS[1]).sync(history)


async def _seen(store: SqliteStore) -> dict[str, str]:
    """Everything that can be seen, each by itself: what it is, or "error" where the package says so."""
    found: dict[str, str] = {}

    async def look(name: str, asked: object) -> None:
        try:
            found[name] = repr(await asked)  # pyright: ignore[reportGeneralTypeIssues]
        except PalimpsestError:
            found[name] = "error"

    for talk in TALKS:
        await look(f"messages {talk}", store.messages(OWNER, talk, 1, MAX_MESSAGES))
        await look(f"window {talk}", store.load_window(OWNER, talk))
        await look(f"compactions {talk}", store.compactions(OWNER, talk))
        await look(f"pins {talk}", store.pins(OWNER, talk))
        await look(f"memo {talk}", store.memo(OWNER, talk))
    await look("list", store.conversations(OWNER))
    for word in WORDS:
        await look(f"search {word}", store.search(OWNER, None, parse(word), limit=200))
    return found


async def _read(store: SqliteStore, ids: list[str]) -> dict[str, str]:
    """What each message says, as far as it can be read by its id."""
    found: dict[str, str] = {}
    for one in ids:
        try:
            given = (await store.read(OWNER, [one])).get(one)
        except PalimpsestError:
            continue
        if given is not None and isinstance(given[1], Stored):
            found[one] = repr(given[1].message)
    return found


@cache
def whole() -> Whole:
    """The database that trials damage, made once."""

    async def make(folder: Path) -> Whole:
        path = folder / "whole.db"
        async with palimpsest.open(
            path, window_tokens=4_000, max_tokens=500, clock=lambda: 1_800_000_000.0
        ) as engine:
            await _write(engine)
        data = path.read_bytes()
        store = await SqliteStore.open(path)
        messages = await _read(store, [f"m{number}" for number in range(1, MAX_MESSAGES)])
        seen = await _seen(store)
        places: dict[str, int] = {}
        for talk in TALKS:
            for one in await store.messages(OWNER, talk, 1, MAX_MESSAGES):
                at = data.find(f'["t","{one.message.text}"]'.encode())
                if at >= 0:
                    places[one.id] = at // PAGE
        await store.close()
        return Whole(data, messages, places, seen)

    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
        return asyncio.run(make(Path(folder)))


def damaged(data: bytes, draw: Random, kind: str) -> bytes:
    """The file, damaged."""
    content, pages = bytearray(data), len(data) // PAGE
    one, other = (draw.randrange(pages) * PAGE for _ in range(2))
    if kind == "bits":
        for _ in range(draw.choice((1, 1, 2, 8, 40))):
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    elif kind == "run":
        start, length = draw.randrange(len(content)), draw.choice((4, 64, 700, 9_000))
        content[start : start + length] = draw.randbytes(len(content[start : start + length]))
    elif kind == "zeros":
        content[one : one + PAGE] = bytes(PAGE)
    elif kind == "truncated":
        del content[draw.randrange(len(content)) :]
    elif kind == "swapped":
        content[one : one + PAGE], content[other : other + PAGE] = (
            data[other : other + PAGE],
            data[one : one + PAGE],
        )
    else:
        content[one : one + PAGE] = data[other : other + PAGE]
    return bytes(content)


async def _got_out(path: Path, folder: Path, found: Found) -> dict[str, str]:
    """What every message says that can be exported, from the file itself or from what is salvaged of it."""

    async def exported(database: Path, name: str) -> dict[str, str]:
        store = await SqliteStore.open(database)
        try:
            said: dict[str, str] = {}
            for number, owner in enumerate((OWNER, "recovered-1")):
                target = folder / f"{name}-{number}"
                await store.keeper.export(owner, target, made_at="now", now_s=0.0)
                for line in target.read_bytes().splitlines():
                    fields = json.loads(line)
                    if fields["type"] == "message":
                        said[f"m{fields['id']}"] = json.dumps(fields["body"])
            return said
        finally:
            await store.close()

    got: dict[str, str] = {}
    try:
        got = await exported(path, "exported")
        found.counts["exported"] += 1
    except PalimpsestError:
        found.counts["not exportable"] += 1
    try:
        salvage(path, folder / "salvaged.db")
        got = {**await exported(folder / "salvaged.db", "salvaged"), **got}
    except PalimpsestError as error:
        found.faults.append(f"cannot be salvaged: {error}")
    return got


async def _trial(seed: int, folder: Path, found: Found) -> None:
    right, draw = whole(), Random(seed)
    kind = draw.choice(KINDS)
    content = damaged(right.data, draw, kind)
    path = folder / "damaged.db"
    path.write_bytes(content)
    found.counts[kind] += 1
    found.counts["files"] += 1
    said, seen, sound = dict[str, str](), dict[str, str](), False
    try:
        store = await SqliteStore.open(path, busy_timeout_s=0.5)
    except PalimpsestError:
        found.counts["refused when opened"] += 1
    else:
        try:
            said, seen = await _read(store, list(right.messages)), await _seen(store)
            try:
                sound = (await store.keeper.check(None)).sound
            except PalimpsestError:
                sound = False
        finally:
            await store.close()
        found.counts["found sound" if sound else "found damaged"] += 1
    wrong = [one for one, text in said.items() if text != right.messages[one]]
    found.faults += [f"{kind}: {one} is read as something else" for one in wrong[:3]]
    silent = [name for name, value in seen.items() if value not in {"error", right.seen[name]}]
    if sound and silent:
        found.faults.append(f"{kind}: {silent[:3]} differ, and the file is called sound")
    found.counts["told only by verify"] += bool(silent)
    path.write_bytes(content)
    got = await _got_out(path, folder, found)
    pages = Counter(content[start : start + PAGE] for start in range(0, len(content), PAGE))
    intact = [
        one for one, page in right.places.items() if right.data[page * PAGE : (page + 1) * PAGE] in pages
    ]
    lost = [one for one in intact if one not in got]
    found.counts["intact messages"] += len(intact)
    found.counts["messages damaged"] += len(right.places) - len(intact)
    if lost:
        found.faults.append(f"{kind}: {len(lost)} intact messages were not got out, such as {lost[0]}")


def corruption_trial(seed: int) -> Found:
    """One damaged file."""
    found = Found()
    whole()
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
        asyncio.run(_trial(seed, Path(folder), found))
    return found


def main() -> int:
    """The command."""
    given = options(__doc__ or "", count=1_000).parse_args()
    whole()
    return command("corruption", corruption_trial, given, goal="files", limit_s=120.0)


if __name__ == "__main__":
    sys.exit(main())
