"""Listing conversations asks SQLite about all of them at once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import palimpsest
from palimpsest.stores.sqlite.connection import connect
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.statistics import conversations

MOST_STATEMENTS = 4


def statements_of_a_listing(path: Path) -> tuple[int, int]:
    """How many conversations are listed, and how many statements that takes once it is known where branches fork."""
    asked: list[str] = []
    with closing(connect(str(path), 1.0)) as connection:
        db = Db(connection)
        conversations(db, "me")
        connection.set_trace_callback(asked.append)
        return len(conversations(db, "me")), len(asked)


async def test_a_listing_takes_as_many_statements_for_many_conversations_as_for_one(tmp_path: Path) -> None:
    path = tmp_path / "talks.db"
    async with palimpsest.open(path) as engine:
        for number in range(30):
            talk = engine.conversation(f"talk {number}")
            said = [{"role": "user", "content": f"hello {number} {turn}"} for turn in range(6)]
            await talk.append(*said)
            await talk.compact(100)
            await talk.sync([*said[:3], {"role": "user", "content": "no, otherwise"}])
    assert statements_of_a_listing(path) == (30, MOST_STATEMENTS)
