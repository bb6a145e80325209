"""Looking after what is stored: examining it, copying it, putting it right, taking all of it out and in again.

Part of the engine. Each call reads one moment of the database on a connection of its own, and others go on
meanwhile; none of them asks a model. `step` is told what is being done and how far that has come, from any thread.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, cast

from palimpsest.errors import NotFound, UsageError
from palimpsest.file_writing import would_replace
from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.engine.state_cache import Desks
    from palimpsest.ports import Clock, Keeper, Store
    from palimpsest.record.health_report import Exported, Health, Repaired, Restored
    from palimpsest.record.store_values import Progress

BEFORE_REPAIR = "before-repair"
"""Stands in the name of the backup that a repair makes."""


class Keeping:
    """The part of an engine that looks after the file."""

    store: Store
    owner: str
    _clock: Clock
    _desks: Desks

    async def verify(
        self,
        conversation: str | None = None,
        *,
        everyone: bool = False,
        indexes: bool = True,
        step: Progress | None = None,
    ) -> Health:
        """Examine one conversation, or the whole file: pages, hash chains, windows, summaries, indexes. Nothing is
        written.

        Of what belongs to other owners faults are only counted, except for `everyone`. Without `indexes` the search
        indexes are left out, which take most of the time. Raises NotFound for a conversation that this owner does
        not have.
        """
        owner = None if everyone and conversation is None else self.owner
        health = await keeper_of(self.store).check(owner, conversation, indexes=indexes, step=step)
        if conversation is not None and not health.conversations:
            raise NotFound(
                f"no conversation {conversation!r}", hint="`palimpsest list` shows those there are"
            )
        return health

    async def repair(self, backup: str | Path | None = None, *, step: Progress | None = None) -> Repaired:
        """Make again what is damaged and can be made from what is intact; no message is touched.

        The file as it was is copied to `backup` first, by default beside it.
        """
        path = Path(backup) if backup is not None else self._backup_name()
        repaired = await keeper_of(self.store).repair(path, now_s=self._clock(), step=step)
        for desk in self._desks:
            desk.forget()
        return repaired

    async def backup(self, path: str | Path, *, force: bool = False, step: Progress | None = None) -> int:
        """Copy the database, as it is at one moment, while it is in use; the copy's size in bytes.

        Raises UsageError where `path` is there already and not `force`, and for what is no file, such as a device.
        """
        return await keeper_of(self.store).backup(Path(path), now_s=self._clock(), force=force, step=step)

    async def export_all(
        self, path: str | Path, *, force: bool = False, step: Progress | None = None
    ) -> Exported:
        """Write everything that this owner has to a file of JSON lines; what is damaged is left out and named. A FIFO
        or a device such as /dev/stdout is written through.

        Raises UsageError where `path` is there already and not `force`.
        """
        target = Path(path)
        if not force and await asyncio.to_thread(would_replace, target):
            raise UsageError(f"{target} is there already", hint="choose another file, or add --force")
        now_s = self._clock()
        return await keeper_of(self.store).export(
            self.owner, target, made_at=iso_time(now_s), now_s=now_s, step=step
        )  # fmt: skip

    async def import_all(
        self, path: str | Path, *, again: bool = False, step: Progress | None = None
    ) -> Restored:
        """Take in what `export_all` wrote, for this owner. A conversation of a name that is there is left as it is, and
        one that was forgotten is left out, unless `again`.

        Raises FormatError, with nothing taken in, for a file that was cut off or changed.
        """
        return await keeper_of(self.store).restore(self.owner, Path(path), again=again, step=step)

    def _backup_name(self) -> Path:
        """A file beside the database that is not there yet."""
        database = str(getattr(self.store, "path", ":memory:"))
        if database == ":memory:":
            raise UsageError("the backup needs a name", hint="say where to keep the database as it is now")
        stamp = iso_time(self._clock()).replace(":", "").replace("-", "")
        return Path(f"{database}.{BEFORE_REPAIR}-{stamp}")


def keeper_of(store: Store) -> Keeper:
    """Whoever looks after the store's file. Raises UsageError for a store that has none."""
    keeper = getattr(store, "keeper", None)
    if keeper is None:
        raise UsageError("this store keeps nothing in a file", hint="open a database file")
    return cast("Keeper", keeper)
