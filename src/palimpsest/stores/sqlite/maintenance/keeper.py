"""The `Keeper` port: verification, backup, repair, export and import of a SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Concatenate, TypeVar, cast

from palimpsest.errors import StoreError
from palimpsest.file_writing import file_behind
from palimpsest.record.health_report import Exported, Health, Repaired, Restored
from palimpsest.record.store_values import Progress, unwatched
from palimpsest.stores.lease_holders import make_holder
from palimpsest.stores.sqlite.connection import WRITE, connect, transaction
from palimpsest.stores.sqlite.deletion.deleter import noted
from palimpsest.stores.sqlite.fulltext.index import MOST_MADE, rebuild_by_our_rules
from palimpsest.stores.sqlite.leases import release_lease
from palimpsest.stores.sqlite.maintenance import restore
from palimpsest.stores.sqlite.maintenance.backup import backup, refuse_to_replace
from palimpsest.stores.sqlite.maintenance.check import check, open_to_read, prepared_to_look
from palimpsest.stores.sqlite.maintenance.dump import dump
from palimpsest.stores.sqlite.maintenance.repair import INDEXES, repair
from palimpsest.stores.sqlite.message_log import owner_number
from palimpsest.stores.sqlite.statements import Db

Result = TypeVar("Result")
_MEMORY = ":memory:"
_BUSY_TIMEOUT_S = 30.0


class _Left(Exception):
    """Nobody waits any more. It is not a SQLite error, which the verification would report as damage."""


class SqliteKeeper:
    """`Keeper` of one file; `read` and `write` run work in one transaction of the store's own connections.

    Long operations have a connection and a thread of their own, so that nobody waits for them; a database in memory
    has only one.
    """

    def __init__(
        self,
        path: str,
        read: Callable[[Callable[[Db], object]], Awaitable[object]],
        write: Callable[[Callable[[Db], object]], Awaitable[object]],
    ) -> None:
        self._path = path
        self._on_read = read
        self._on_write = write

    async def check(
        self, owner: str | None, conversation: str | None = None, *, indexes: bool = True, step: Progress | None = None
    ) -> Health:  # fmt: skip
        """See `Keeper.check`."""
        return await self._read(check, owner, conversation, indexes=indexes, step=step)

    async def backup(
        self, target: Path, *, now_s: float, force: bool = False, step: Progress | None = None
    ) -> int:
        """See `Keeper.backup`."""
        target = _whole_path(target)
        refuse_to_replace(target, self._path, force=force)
        await self._note(None, "backup", target, now_s)
        if self._path == _MEMORY:
            work = partial(_backup_open, path=self._path, target=target, force=force, step=step)
            size = cast("int", await self._on_read(work))
        else:
            left = threading.Event()
            try:
                size = await asyncio.to_thread(
                    _backup_path, self._path, target, force, _until(left, step or unwatched)
                )
            finally:
                left.set()
        return size

    async def export(
        self, owner: str, target: Path, *, made_at: str, now_s: float, step: Progress | None = None
    ) -> Exported:
        """See `Keeper.export`."""
        target = _whole_path(target)
        await self._note(owner, "export", target, now_s)
        return await self._read(dump, owner, target, made_at, step)

    async def restore(
        self, owner: str, path: Path, *, again: bool = False, step: Progress | None = None
    ) -> Restored:
        """See `Keeper.restore`."""
        tell, holder = step or unwatched, make_holder()
        found = await self._read(restore.survey, owner, path, again=again)
        await self._on_write(partial(restore.reserve, found=found, holder=holder, now_s=time.time()))
        taken = messages = lost = 0
        try:
            for number, lines in restore.groups(path, found.new):
                if not number:
                    await self._on_write(partial(restore.finish, owner=owner, lines=lines))
                    continue
                work = partial(restore.take_in, owner=owner, lines=lines, number=number, found=found)
                done = await self._on_write(partial(work, holder=holder, now_s=time.time()))
                if done is not None:
                    added, gone = cast("tuple[int, int]", done)
                    taken, messages, lost = taken + 1, messages + added, lost + gone
                tell("messages", messages, found.messages)
        finally:
            with suppress(StoreError):
                await self._on_write(partial(release_lease, name=restore.LEASE, holder=holder))
        there, differing, forgotten = (tuple(found.left.get(one, ())) for one in restore.LEFT)
        return Restored(taken, messages, lost, there, differing, forgotten, moved=found.shift.message > 0)

    async def repair(self, target: Path, *, now_s: float, step: Progress | None = None) -> Repaired:
        """See `Keeper.repair`."""
        before = await self.check(None, step=step)
        if before.sound and before.to_index:
            await self.index_all(step=step)
            return Repaired("", (INDEXES,), before, await self.check(None, step=step))
        if before.sound or not before.repairable:
            return Repaired("", (), before, before)
        await self.backup(target, now_s=now_s, step=step)
        if self._path == _MEMORY:
            parts = cast("tuple[str, ...]", await self._on_write(partial(repair, health=before)))
        else:
            parts = await asyncio.to_thread(_repair_path, self._path, before)
        await self.index_all(step=step)
        return Repaired(str(target), parts, before, await self.check(None, step=step))

    async def index_all(self, *, step: Progress | None = None) -> None:
        """Index what a rebuild lacks, step by step, so that others can write in between."""
        tell, of = step or unwatched, 0
        for _ in range(MOST_MADE):
            left = cast("int", await self._on_write(rebuild_by_our_rules))
            of = max(of, left)
            tell("messages to index", of - left, of)
            if not left:
                return

    async def _note(self, owner: str | None, kind: str, target: Path, now_s: float) -> None:
        """Record a file that will hold everything of an owner, or of everybody for None, before anything is written:
        a process that is killed leaves parts of it. A stream is not recorded.
        """
        file = file_behind(target, stream=True)
        if file is None:
            return

        def work(db: Db) -> None:
            number = owner_number(db, owner) if owner is not None else 0
            db.run("note_copy", number or None, None, kind, str(file), now_s)

        await noted(self._on_write(work), str(file))

    async def _read(
        self, work: Callable[Concatenate[Db, ...], Result], *values: object, **named: object
    ) -> Result:
        """Run `work(db, ...)` in one read transaction of a connection of its own; cancellation interrupts it."""
        if self._path == _MEMORY:
            return cast("Result", await self._on_read(lambda db: work(db, *values, **named)))
        left = threading.Event()
        try:
            return await asyncio.to_thread(
                _read_path, self._path, lambda db: work(db, *values, **named), left
            )
        finally:
            left.set()


def _whole_path(path: Path) -> Path:
    return path.absolute()


def _read_path(path: str, work: Callable[[Db], Result], left: threading.Event) -> Result:
    with closing(open_to_read(path)) as connection:
        connection.row_factory = partial(_row, left)
        return transaction(path, Db(connection), "BEGIN", work)


def _row(left: threading.Event, cursor: sqlite3.Cursor, values: tuple[object, ...]) -> sqlite3.Row:
    if left.is_set():
        raise _Left
    return sqlite3.Row(cursor, values)


def _backup_open(db: Db, path: str, target: Path, *, force: bool, step: Progress | None) -> int:
    db.connection.execute("COMMIT")
    try:
        return backup(db.connection, path, target, force=force, step=step)
    finally:
        db.connection.execute("BEGIN")


def _until(left: threading.Event, step: Progress) -> Progress:
    """Return the same progress, which ends the work once nobody waits for it."""

    def tell(what: str, done: int, of: int) -> None:
        step(what, done, of)
        if left.is_set():
            raise _Left

    return tell


def _backup_path(path: str, target: Path, force: bool, step: Progress) -> int:
    with closing(open_to_read(path)) as connection:
        return backup(connection, path, target, force=force, step=step)


def _repair_path(path: str, health: Health) -> tuple[str, ...]:
    with closing(connect(path, _BUSY_TIMEOUT_S)) as connection:
        prepared_to_look(connection)
        return transaction(path, Db(connection), WRITE, lambda db: repair(db, health))
