"""The `Forgetting` port over a SQLite file."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import cast

from palimpsest.errors import StoreError
from palimpsest.record.forgetting import Copy, Erased, Reach, Rewritten, Weight
from palimpsest.record.log import Branch
from palimpsest.stores.sqlite.deletion import purge, row_deletion
from palimpsest.stores.sqlite.fulltext.index import MOST_MADE, rebuild_by_our_rules, rebuild_left
from palimpsest.stores.sqlite.message_log import find_conversation, owner_number
from palimpsest.stores.sqlite.statements import Db

Run = Callable[..., Awaitable[object]]
IN_MEMORY = ":memory:"
_LOGGER = logging.getLogger("palimpsest")


async def noted(writing: Awaitable[object], path: str) -> None:
    """Record a copy that was made. If the database cannot be written, the copy exists anyway and may be all that is
    left; the log then says that deletion will not name it. Raises StoreError if another try may succeed.
    """
    try:
        await writing
    except StoreError as error:
        if error.retryable:
            raise
        _LOGGER.warning("%s was written, but `forget` will not name it: %s", path, error.message)


class SqliteForgetting:
    """Created by the store. `read` and `write` run work in one transaction."""

    def __init__(self, path: str, read: Run, write: Run) -> None:
        self._path = path
        self._read, self._write = read, write

    async def reach(self, owner: str, conversation: str, ids: Sequence[str]) -> Reach:
        """See `Forgetting.reach`."""
        await self._all_found()
        return cast("Reach", await self._read(row_deletion.reach, owner, conversation, tuple(ids)))

    async def forget(
        self, owner: str, conversation: str, ids: Sequence[str], rewritten: Mapping[str, Rewritten]
    ) -> Erased:
        """See `Forgetting.forget`."""
        await self._all_found()
        done = await self._write(row_deletion.forget, owner, conversation, tuple(ids), rewritten)
        return cast("Erased", done)

    async def _all_found(self) -> None:
        """Wait for the end of an index rebuild: what else is deleted depends on who else has the words. Without write
        access nothing can be deleted either.
        """
        with suppress(StoreError):
            for _ in range(MOST_MADE):
                if not cast("int", await self._read(rebuild_left)):
                    return
                await self._write(rebuild_by_our_rules)

    async def forget_conversation(self, owner: str, conversation: str) -> Erased:
        """See `Forgetting.forget_conversation`."""
        return cast("Erased", await self._write(row_deletion.forget_conversation, owner, conversation))

    async def forget_owner(self, owner: str) -> Erased:
        """See `Forgetting.forget_owner`."""
        return cast("Erased", await self._write(row_deletion.forget_owner, owner))

    async def restate(self, owner: str, conversation: str, at: Branch, text: str, through: int) -> bool:
        """See `Forgetting.restate`."""
        return bool(await self._write(row_deletion.restate, owner, conversation, at, text, through))

    async def was_forgotten(self, owner: str, conversation: str) -> bool:
        """See `Forgetting.was_forgotten`."""
        return bool(await self._read(row_deletion.was_forgotten, owner, conversation))

    async def take_back(self, owner: str, conversation: str) -> None:
        """See `Forgetting.take_back`."""
        await self._write(row_deletion.take_back, owner, conversation)

    async def weights(self, owner: str) -> list[Weight]:
        """See `Forgetting.weights`."""

        def work(db: Db) -> list[Weight]:
            return [
                Weight(row["name"], row["size_bytes"], row["updated_s"], row["parent"])
                for row in db.run("weights", owner)
            ]

        return cast("list[Weight]", await self._read(work))

    async def note_copy(self, owner: str, conversation: str, kind: str, path: str, *, now_s: float) -> None:
        """See `Forgetting.note_copy`."""

        def work(db: Db) -> None:
            number = find_conversation(db, owner, conversation) if conversation else None
            db.run("note_copy", owner_number(db, owner) or None, number, kind, path, now_s)

        writing = self._write(work)
        await (noted(writing, path) if kind == "export" else writing)

    async def copies(self, owner: str) -> list[Copy]:
        """Return the files that are known to hold some of the owner's content."""

        def work(db: Db) -> list[Copy]:
            return [
                Copy(row["kind"], row["path"], row["conversation"], row["time_s"], bool(row["stale"]))
                for row in db.run("copies", owner)
            ]

        return cast("list[Copy]", await self._read(work))

    async def drop_copy(self, path: str) -> None:
        """Drop the record of a file that no longer exists."""

        def work(db: Db) -> None:
            db.run("drop_copy", path)

        await self._write(work)

    async def unswept(self) -> bool:
        """See `Forgetting.unswept`."""

        def work(db: Db) -> bool:
            return bool(db.number("unswept"))

        return bool(await self._read(work))

    async def sweep(self) -> tuple[str, ...]:
        """See `Forgetting.sweep`."""
        if self._path == IN_MEMORY:

            def work(db: Db) -> None:
                db.run("swept", db.number("erasures"))

            await self._write(work)
            return ()
        return await asyncio.to_thread(purge.sweep, self._path)

    async def shrink(self) -> bool:
        """See `Forgetting.shrink`."""
        if self._path == IN_MEMORY:
            return True
        return await asyncio.to_thread(purge.shrink, self._path)
