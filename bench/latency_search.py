"""How long finding and reading back take in a filled database.

The floor is a bare FTS5 query, ranked, over the same texts in the same run: for a pattern the expression that comes
nearest, for a question any of its words. Where FTS5 has no such expression there is none.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from latency_fill import LONG, OWNER, SHORT, open_for
from latency_queries import COMMON, kinds, questions
from latency_report import Times, row, timed

import palimpsest

ROUNDS = 3
LIMIT = 20
BARE_QUESTIONS = 5
"""The floor of a question takes seconds at 1,000,000 messages, so only some are asked."""

_BARE = "SELECT rowid, bm25(bare) AS score FROM bare WHERE bare MATCH ? ORDER BY score LIMIT ?"
_WORD = re.compile(r"\w{3,}")

Rows = list[dict[str, object]]
Tell = Callable[[str], None]


async def measure_finding(engine: palimpsest.Engine, path: Path, tell: Tell) -> Rows:
    """Every kind of pattern, and questions: in the long conversation, in a short one, over all of the owner's. The
    floor comes last: making and asking its index takes a minute, in which the system may drop what it holds of the
    database.
    """
    long, short = engine.conversation(LONG), engine.conversation(SHORT)
    made, asked = kinds(path), questions(path)
    taken: list[tuple[str, str, Times]] = []
    for place, grep in (("long", long.grep), ("short", short.grep), ("all", engine.grep)):
        tell(f"grep in {place}")
        for kind in made:
            patterns = [one for one, _ in kind.patterns]
            taken.append((f"grep in {place}", kind.name, await timed(patterns, _limited(grep), ROUNDS)))
    for place, search in (("long", long.search), ("short", short.search), ("all", engine.search)):
        tell(f"search in {place}")
        taken.append((f"search in {place}", "", await timed(asked, search, ROUNDS)))
    tell("the bare index")
    bare = _bare_index(path)
    floors = {kind.name: _bare_times(bare, [plain for _, plain in kind.patterns if plain]) for kind in made}
    floors[""] = _bare_times(bare, [" OR ".join(_WORD.findall(one)) for one in asked[:BARE_QUESTIONS]])
    bare.close()
    return [row(f"{what}: {kind}" if kind else what, times, floors[kind]) for what, kind, times in taken]


async def measure_reading(path: Path, tell: Tell) -> Rows:
    """What reads a whole database, conversation or summary; opening it as well."""
    tell("opening and reading")

    async def opened(_: int) -> None:
        async with open_for(path, OWNER):
            pass

    async def first_request(name: str) -> None:
        async with open_for(path, OWNER) as engine:
            await engine.conversation(name).request(system="You are a careful engineer.")

    rows = [
        row("open and close", await timed(range(ROUNDS), opened, ROUNDS), None),
        row("open, first request in long", await timed([LONG], first_request, ROUNDS), None),
        row("open, first request in short", await timed([SHORT], first_request, ROUNDS), None),
    ]
    async with open_for(path, OWNER) as engine:
        summaries = [hit.id for hit in await engine.grep(COMMON[0], scope="summary", limit=LIMIT)]
        messages = [hit.id for hit in await engine.grep(COMMON[0], scope="message", limit=LIMIT)]
        calls: list[tuple[str, list[str], Callable[[str], Awaitable[object]]]] = [
            ("conversations", [""], lambda _: engine.conversations()),
            ("stats", [""], lambda _: engine.stats()),
            ("describe a summary", summaries, engine.describe),
            ("describe a message", messages, engine.describe),
            ("expand a message", messages, lambda one: engine.expand([one])),
        ]
        for name, given, do in calls:
            if given:
                rows.append(row(name, await timed(given, do, ROUNDS), None))
    return rows


def _limited(grep: Callable[..., Awaitable[object]]) -> Callable[[str], Awaitable[object]]:
    return lambda pattern: grep(pattern, limit=LIMIT)


def _bare_index(path: Path) -> sqlite3.Connection:
    """A plain FTS5 index of the owner's texts in a file beside the database, made where it is not there yet."""
    source = sqlite3.connect(path)
    connection = sqlite3.connect(path.with_suffix(".bare"), isolation_level=None)
    connection.execute("CREATE TABLE IF NOT EXISTS made (messages INTEGER)")
    if connection.execute("SELECT count(*) FROM made").fetchone()[0] == 0:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        connection.execute("CREATE VIRTUAL TABLE bare USING fts5 (body, content = '', tokenize = 'porter')")
        connection.executemany("INSERT INTO bare (rowid, body) VALUES (?, ?)", _texts(source))
        connection.execute("INSERT INTO made SELECT count(*) FROM bare_docsize")
        connection.execute("COMMIT")
        os.sync()  # what is written without waiting for the disk is not to be written while something is measured
    source.close()
    return connection


def _texts(source: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    rows = source.execute(
        "SELECT message.id, message.body FROM message JOIN owner ON owner.id = message.owner_id"
        " WHERE owner.name = ? ORDER BY message.id",
        (OWNER,),
    )
    return ((number, json.loads(body)["p"][0][1]) for number, body in rows)


def _bare_times(bare: sqlite3.Connection, expressions: list[str]) -> Times:
    times = Times()
    for expression in expressions:
        with times.one():
            bare.execute(_BARE, (expression, LIMIT)).fetchall()
    return times
