"""Vectors of messages in SQLite: what is to be embedded, keeping it, and finding the nearest by looking at all.

A branch is embedded from its beginning on, its own messages once; what may still grow waits until it is closed. How far
that has come is kept with the vectors, so that asking what is left costs nothing on a long conversation.

A vector tells of the message before as well (`search.vectors.in_context`), so it is forgotten with either; what was
made while something was forgotten is made again.
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
"""Of more vectors the newest of a conversation are looked at, and some of an owner's."""

Run = Callable[[Callable[[Db], object]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ToEmbed:
    """Messages of a branch that come next, in order: (id, text as it is embedded). `through` is the position that they
    reach to, `erasures` how often anything was forgotten when they were read.
    """

    branch_id: int
    through: int
    erasures: int
    texts: tuple[tuple[str, str], ...]


class SqliteVectors:
    """Where vectors are kept: in the store's own file. `read` and `write` run work in one transaction of theirs. What
    belongs to another owner is as if it were not there.
    """

    def __init__(self, read: Run, write: Run) -> None:
        self._read = read
        self._write = write

    async def next(self, owner: str, conversation: str, model: str, limit: int) -> ToEmbed | None:
        """The next messages without a vector of this model, at most `limit`; None where there are none."""
        found = await self._read(lambda db: _next(db, owner, conversation, model, limit))
        return cast("ToEmbed | None", found)

    async def save(self, owner: str, model: str, done: ToEmbed, made: Sequence[tuple[str, bytes]]) -> None:
        """Keep vectors of these messages (see `search.vectors.pack`), and that all of `done` was looked at; nothing
        where anything was forgotten since they were read.
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
        """The ids of the messages whose vectors are nearest, nearest first, of those said `where` to look."""

        def work(db: Db) -> list[str]:
            rows = _rows(db, owner, conversation, storable(model), where)
            return [message_id(number) for number in nearest(rows, asked, limit)]

        return cast("list[str]", await self._read(work))


def _next(db: Db, owner: str, conversation: str, model: str, limit: int) -> ToEmbed | None:
    """What is next of the first branch that has something left."""
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
    """A message as it is embedded. What a tool gave is no context: it is long, and rarely ends with what matters."""
    spoken = row["before_role"] in ("user", "assistant")
    before = _said(row["before_role"], row["before_body"]) if spoken else None
    return in_context(*_said(row["role"], row["body"]), before)


def _said(role: str, body: str) -> tuple[str, str]:
    """(who speaks, what)."""
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
