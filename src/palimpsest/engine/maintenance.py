"""Maintain what is stored: verify, back up, repair, export everything and import it.

Each call reads one moment of the database on a connection of its own; other calls go on meanwhile. `step` is called
with the progress, from any thread.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from palimpsest.errors import NotFound, UsageError
from palimpsest.file_writing import would_replace
from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.engine.state_cache import StateCache
    from palimpsest.ports import Clock, Keeper, Store
    from palimpsest.record.health_report import Exported, Health, Repaired, Restored
    from palimpsest.record.store_values import Progress


class MaintenanceMixin:
    """The part of an engine that maintains the database file."""

    store: Store
    owner: str
    _clock: Clock
    _states: StateCache

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

        Faults in other owners' data are only counted, unless `everyone`. `indexes` False leaves out the search indexes,
        which take most of the time. Raises NotFound for a conversation that this owner does not have.
        """
        owner = None if everyone and conversation is None else self.owner
        health = await self._keeper().check(owner, conversation, indexes=indexes, step=step)
        if conversation is not None and not health.conversations:
            raise NotFound(
                f"no conversation {conversation!r}", hint="`palimpsest list` shows those there are"
            )
        return health

    async def repair(self, backup: str | Path | None = None, *, step: Progress | None = None) -> Repaired:
        """Rebuild what is damaged and can be derived from what is intact; no message is changed.

        The file is copied to `backup` first, by default next to it.
        """
        path = Path(backup) if backup is not None else self._backup_path()
        repaired = await self._keeper().repair(path, now_s=self._clock(), step=step)
        for state in self._states:
            state.invalidate()
        return repaired

    async def backup(self, path: str | Path, *, force: bool = False, step: Progress | None = None) -> int:
        """Copy the database, as it is at one moment, while it is in use; returns the copy's size in bytes.

        Raises UsageError if `path` exists and not `force`, and for what is no file, such as a device.
        """
        return await self._keeper().backup(Path(path), now_s=self._clock(), force=force, step=step)

    async def export_all(
        self, path: str | Path, *, force: bool = False, step: Progress | None = None
    ) -> Exported:
        """Write all data of this owner to a file of JSON lines; what is damaged is left out and named. A FIFO or a
        device such as /dev/stdout is written through.

        Raises UsageError if `path` exists and not `force`.
        """
        target, now_s = Path(path), self._clock()
        if not force and await asyncio.to_thread(would_replace, target):
            raise UsageError(f"{target} is there already", hint="choose another file, or add --force")
        return await self._keeper().export(
            self.owner, target, made_at=iso_time(now_s), now_s=now_s, step=step
        )

    async def import_all(
        self, path: str | Path, *, again: bool = False, step: Progress | None = None
    ) -> Restored:
        """Import what `export_all` wrote, for this owner. Conversations whose name exists are left as they are, and
        deleted ones are left out, unless `again`.

        Raises FormatError, with nothing imported, for a file that was cut off or changed.
        """
        return await self._keeper().restore(self.owner, Path(path), again=again, step=step)

    def _backup_path(self) -> Path:
        """A file next to the database that does not exist yet."""
        database = str(getattr(self.store, "path", ":memory:"))
        if database == ":memory:":
            raise UsageError("the backup needs a name", hint="say where to keep the database as it is now")
        stamp = iso_time(self._clock()).replace(":", "").replace("-", "")
        return Path(f"{database}.before-repair-{stamp}")

    def _keeper(self) -> Keeper:
        """The store's maintenance functions. Raises UsageError for a store without a file."""
        keeper: Keeper | None = getattr(self.store, "keeper", None)
        if keeper is None:
            raise UsageError("this store keeps nothing in a file", hint="open a database file")
        return keeper
