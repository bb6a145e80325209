"""How long finding takes in a filled database, beside a bare ranked FTS5 query over the same texts in the same run."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from latency_fill import LONG, OWNER, SHORT
from latency_queries import Kind, kinds, questions

import palimpsest

ROUNDS = 3
LIMIT = 20
_BARE = "SELECT rowid, bm25(bare) AS score FROM bare WHERE bare MATCH ? ORDER BY score LIMIT ?"


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of each call, and of the bare query for the same patterns (none where it cannot express them)."""

    name: str
    seconds: list[float]
    bare: list[float]


def bare_index(path: Path) -> sqlite3.Connection:
    """A plain FTS5 index of the owner's texts in a file beside the database, made where it is not there yet."""
    beside = path.with_suffix(".bare")
    source = sqlite3.connect(path)
    texts = _texts(source)
    connection = sqlite3.connect(beside, isolation_level=None)
    connection.execute("CREATE TABLE IF NOT EXISTS made (messages INTEGER)")
    if connection.execute("SELECT count(*) FROM made").fetchone()[0] == 0:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        connection.execute("CREATE VIRTUAL TABLE bare USING fts5 (body, content = '', tokenize = 'porter')")
        connection.executemany("INSERT INTO bare (rowid, body) VALUES (?, ?)", texts)
        connection.execute("INSERT INTO made SELECT count(*) FROM bare_docsize")
        connection.execute("COMMIT")
    source.close()
    return connection


def _texts(source: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    rows = source.execute(
        "SELECT message.id, message.body FROM message JOIN owner ON owner.id = message.owner_id"
        " WHERE owner.name = ? ORDER BY message.id",
        (OWNER,),
    )
    return ((number, json.loads(body)["p"][0][1]) for number, body in rows)


async def measure_finding(engine: palimpsest.Engine, path: Path, tell: Callable[[str], None]) -> list[Timed]:
    """Every kind of pattern, and questions: in the long conversation, in a short one, over all of the owner's."""
    long, short = engine.conversation(LONG), engine.conversation(SHORT)
    bare = bare_index(path)
    made = kinds(path)
    tell("grep")
    floors = {kind.name: _bare_times(bare, kind) for kind in made}
    bare.close()
    found: list[Timed] = []
    for place, grep in (("long", long.grep), ("short", short.grep), ("all", engine.grep)):
        tell(f"grep in {place}")
        for kind in made:
            seconds = await _times(
                [one for one, _ in kind.patterns], lambda one, do=grep: do(one, limit=LIMIT)
            )
            found.append(Timed(f"grep in {place}: {kind.name}", seconds, floors[kind.name]))
    asked = questions(path)
    for place, search in (("long", long.search), ("short", short.search), ("all", engine.search)):
        tell(f"search in {place}")
        found.append(Timed(f"search in {place}", await _times(asked, search), []))
    return found


def _bare_times(bare: sqlite3.Connection, kind: Kind) -> list[float]:
    times: list[float] = []
    for _, expression in kind.patterns:
        if expression:
            begin = time.perf_counter()
            bare.execute(_BARE, (expression, LIMIT)).fetchall()
            times.append(time.perf_counter() - begin)
    return times


async def _times(given: Sequence[str], do: Callable[[str], Awaitable[object]]) -> list[float]:
    times: list[float] = []
    for _ in range(ROUNDS):
        for one in given:
            begin = time.perf_counter()
            await do(one)
            times.append(time.perf_counter() - begin)
    return times
