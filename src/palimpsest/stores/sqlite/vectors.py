"""Vectors of messages: what to embed next, storing it, and brute-force nearest neighbours.

Each branch embeds its own messages once, from its beginning; provisional messages wait. The progress is stored with
the vectors, so asking for the rest costs nothing on a long conversation. A vector also covers the message before
(`search.vectors.in_context`), so it is deleted with either one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from sqlite3 import Row
from typing import cast

from palimpsest.record.message import as_shown
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.vectors import in_context, nearest
from palimpsest.stores.codec import decode_said, storable
from palimpsest.stores.sqlite.message_log import find_conversation, message_id, owner_number, row_number
from palimpsest.stores.sqlite.statements import Db

MAX_COMPARED = 200_000
"""The most vectors that are compared: the newest of a conversation, and some of an owner's."""

Run = Callable[[Callable[[Db], object]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ToEmbed:
    """The next messages of a branch, in order: (id, text to embed). `through` is the last position, `erasures` the
    deletion count when they were read.
    """

    branch_id: int
    through: int
    erasures: int
    texts: tuple[tuple[str, str], ...]


class SqliteVectors:
    """Vectors in the store's file. `read` and `write` run work in one transaction."""

    def __init__(self, read: Run, write: Run) -> None:
        self._read = read
        self._write = write

    async def next(self, owner: str, conversation: str, model: str, limit: int) -> ToEmbed | None:
        """Return the next messages without a vector of this model, at most `limit`; None if there are none."""
        found = await self._read(lambda db: _next(db, owner, conversation, model, limit))
        return cast("ToEmbed | None", found)

    async def save(self, owner: str, model: str, done: ToEmbed, made: Sequence[tuple[str, bytes]]) -> None:
        """Store vectors (see `search.vectors.pack`) and the progress of `done`; nothing if something was deleted
        since they were read.
        """

        def work(db: Db) -> None:
            if db.number("erasures") != done.erasures:
                return
            owner_id = owner_number(db, owner)
            for public_id, body in made:
                db.run("save_vector", row_number(public_id, "m"), storable(model), body, owner_id)
            db.run("save_vector_progress", done.branch_id, storable(model), done.through, owner_id)

        await self._write(work)

    async def nearest(
        self, owner: str, conversation: str | None, model: str, asked: bytes, limit: int, where: Where = ANYWHERE,
    ) -> list[str]:  # fmt: skip
        """Return the ids of the messages with the nearest vectors, nearest first, filtered by `where`."""

        def work(db: Db) -> list[str]:
            rows = _rows(db, owner, conversation, storable(model), where)
            return [message_id(number) for number in nearest(rows, asked, limit)]

        return cast("list[str]", await self._read(work))


def _next(db: Db, owner: str, conversation: str, model: str, limit: int) -> ToEmbed | None:
    """Return the next messages of the first branch that has any left."""
    number = find_conversation(db, owner, conversation)
    branch = db.row("branches_to_embed", number, storable(model)) if number is not None else None
    if branch is None:
        return None
    rows = db.run(
        "messages_to_embed", branch["id"], branch["seq"] + 1, branch["closed_seq"], limit, storable(model)
    ).fetchall()
    through = rows[-1]["seq"] if len(rows) == limit else branch["closed_seq"]
    texts = tuple((message_id(row["id"]), _embedded(row)) for row in rows)
    return ToEmbed(branch["id"], through, db.number("erasures"), texts)


def _embedded(row: Row) -> str:
    """Return the text of a message to embed. Tool results are no context: they are long, and rarely end with what
    matters.
    """
    spoken = row["before_role"] in ("user", "assistant")
    before = _said(row["before_role"], row["before_body"]) if spoken else None
    return in_context(*_said(row["role"], row["body"]), before)


def _said(role: str, body: str) -> tuple[str, str]:
    """Return (speaker, text)."""
    name, text = decode_said(role, body)
    return name or role, as_shown(text)


def _rows(
    db: Db, owner: str, conversation: str | None, model: str, where: Where
) -> Iterator[tuple[int, bytes]]:
    owner_id = owner_number(db, owner)
    said = (where.role or "", where.since_s, where.before_s)
    if conversation is None:
        rows = db.run("owner_vectors", owner_id, model, MAX_COMPARED, *said)
        yield from ((row[0], row[1]) for row in rows)
        return
    number = find_conversation(db, owner, conversation)
    if number is not None:
        rows = db.run("conversation_vectors", owner_id, model, number, MAX_COMPARED, *said)
        yield from ((row[0], row[1]) for row in rows)
