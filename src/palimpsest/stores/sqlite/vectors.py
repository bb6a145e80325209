"""Vectors of messages in SQLite: what is to be embedded, keeping it, and finding the nearest by looking at all.

A branch is embedded from its beginning on, its own messages once; what may still grow waits until it is closed. How far
that has come is kept with the vectors, so that asking what is left costs nothing on a long conversation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from palimpsest.record.message import as_shown
from palimpsest.search.vectors import nearest
from palimpsest.search.where import ANYWHERE, Where
from palimpsest.stores.codec import decode_said, storable
from palimpsest.stores.sqlite.db import Db
from palimpsest.stores.sqlite.log import find_conversation, message_id, owner_number, row_number

MAX_COMPARED = 200_000
"""Of more vectors the newest of a conversation are looked at, and some of an owner's."""

Run = Callable[[Callable[[Db], None]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ToEmbed:
    """Messages of a branch that come next, in order: (id, text). `through` is the position that they reach to."""

    branch_id: int
    through: int
    texts: tuple[tuple[str, str], ...]


class Vectors(Protocol):
    """Where vectors are kept. What belongs to another owner is as if it were not there."""

    async def next(self, owner: str, conversation: str, model: str, limit: int) -> ToEmbed | None:
        """The next messages without a vector of this model, at most `limit`; None where there are none."""
        ...

    async def save(self, owner: str, model: str, done: ToEmbed, made: Sequence[tuple[str, bytes]]) -> None:
        """Keep vectors of these messages (see `search.vectors.pack`), and that all of `done` was looked at."""
        ...

    async def nearest(
        self,
        owner: str,
        conversation: str | None,
        model: str,
        asked: bytes,
        limit: int,
        where: Where = ANYWHERE,
    ) -> list[str]:
        """The ids of the messages whose vectors are nearest, nearest first, of those said `where` to look."""
        ...


class SqliteVectors:
    """`Vectors` in the store's own file; `read` and `write` run work in one transaction of theirs."""

    def __init__(self, read: Run, write: Run) -> None:
        self._read = read
        self._write = write

    async def next(self, owner: str, conversation: str, model: str, limit: int) -> ToEmbed | None:
        """See `Vectors.next`."""
        found: list[ToEmbed] = []

        def work(db: Db) -> None:
            found.extend(_next(db, owner, conversation, model, limit))

        await self._read(work)
        return found[0] if found else None

    async def save(self, owner: str, model: str, done: ToEmbed, made: Sequence[tuple[str, bytes]]) -> None:
        """See `Vectors.save`."""

        def work(db: Db) -> None:
            owner_id = owner_number(db, owner)
            for public_id, body in made:
                db.run("save_vector", row_number(public_id, "m"), storable(model), body, owner_id)
            db.run("save_vector_progress", done.branch_id, storable(model), done.through, owner_id)

        await self._write(work)

    async def nearest(
        self,
        owner: str,
        conversation: str | None,
        model: str,
        asked: bytes,
        limit: int,
        where: Where = ANYWHERE,
    ) -> list[str]:
        """See `Vectors.nearest`."""
        found: list[int] = []

        def work(db: Db) -> None:
            found.extend(nearest(_rows(db, owner, conversation, storable(model), where), asked, limit))

        await self._read(work)
        return [message_id(number) for number in found]


def _next(db: Db, owner: str, conversation: str, model: str, limit: int) -> Iterator[ToEmbed]:
    """At most one: what is next of the first branch that has something left."""
    number = find_conversation(db, owner, conversation)
    branch = db.row("branches_to_embed", number, storable(model)) if number is not None else None
    if branch is None:
        return
    rows = db.run(
        "messages_to_embed", branch["id"], branch["seq"] + 1, branch["closed_seq"], limit
    ).fetchall()
    texts = tuple((message_id(row["id"]), as_shown(decode_said(row["role"], row["body"])[1])) for row in rows)
    yield ToEmbed(branch["id"], rows[-1]["seq"] if rows else branch["closed_seq"], texts)


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
