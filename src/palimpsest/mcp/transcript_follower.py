"""Imports transcripts that are written to followed folders, so that answers include the newest messages.

- Before each answer the folders are scanned, and new or grown files are read, newest first. A request waits for that at
  most `WAIT_S`; the rest is read in the background, and `status` shows the progress.
- A file is read once for each change, and what is known of it is saved next to the database (`followed_files.py`). Of a
  file that grew, only the new part is read (`engine/transcript_files.py`).
- A file that cannot be read is reported once and skipped until it changes. No file ends the server.
- Files are read in another thread, one at a time; cancelling a request does not stop it.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from palimpsest.complete.model_adapter import in_thread
from palimpsest.engine.engine import Engine
from palimpsest.engine.transcript_files import (
    Candidate,
    IncrementalReader,
    Opened,
    SkippedFile,
    candidates,
    may_be_transcript,
    stamp_of,
)
from palimpsest.errors import PalimpsestError, StaleCommit, UsageError
from palimpsest.mcp.followed_files import Seen, Stamp, load, save, still_stored, to_read, within
from palimpsest.record.chain import Head
from palimpsest.redaction.redactor import redact_error_text

WAIT_S = 5.0
MAX_FILE_BYTES = 200_000_000
MAX_TRIES = 3
MAX_NAMED = 20
_SAVED_EVERY_S = 10.0
_REPORTED_EVERY_S = 5.0
_SHOWN_REASONS = 8

Say = Callable[[str], None]
_NOWHERE = ("", Stamp(0, 0))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Files that gave no conversation for the same reason: their number, and an example."""

    reason: str
    files: int
    example: str


@dataclass(frozen=True, slots=True)
class Following:
    """The progress of following. `left_out` has the most frequent reasons for files without conversations."""

    folders: tuple[str, ...]
    files: int
    pending: int
    new_messages: int
    left_out: tuple[LeftOut, ...] = ()
    left_out_files: int = 0
    problem: str = ""


class Follower:
    """Imports what is written to some folders. Create it inside the event loop, and close it."""

    def __init__(
        self,
        engine: Engine,
        folders: Sequence[Path],
        *,
        state: Path | None = None,
        say: Say,
    ) -> None:
        self._engine = engine
        self._folders = tuple(folders)
        self._state = state
        self._say = say
        self._begun_ns = 0
        self._asked = False
        self._seen: dict[str, Seen] = {}
        self._found: dict[str, Stamp] = {}
        self._pending: dict[str, Stamp] = {}
        self._at = _NOWHERE
        self._rereading = IncrementalReader()
        self._new = 0
        self._problem = ""
        self._reported: set[str] = set()
        self._dirty = False
        self._scanning = asyncio.Lock()
        self._moved = asyncio.Condition()
        self._coming: asyncio.Task[dict[str, int]] | None = None
        self._working: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start reading, without waiting."""
        self._scan_soon()

    async def catch_up(self, wait_s: float = WAIT_S) -> None:
        """Scan the folders, and wait at most so long until what was written is imported. Only the first call waits for
        files from before this process started.
        """
        limit = asyncio.timeout(wait_s)
        first, self._asked = not self._asked, True
        try:
            async with limit:
                wanted = await asyncio.shield(self._scan_soon())
                waiting = [path for path, mtime_ns in wanted.items() if first or mtime_ns >= self._begun_ns]
                async with self._moved:
                    await self._moved.wait_for(lambda: self._read_all(waiting))
        except TimeoutError:
            if not limit.expired():
                raise

    def _read_all(self, waiting: list[str]) -> bool:
        """Whether all of these are read; read ones are removed from the list."""
        while waiting and waiting[-1] not in self._pending and waiting[-1] != self._at[0]:
            waiting.pop()
        return not waiting

    def now(self) -> Following:
        """The current progress."""
        left = {path: one.reason for path, one in self._seen.items() if one.reason and path in self._found}
        examples = {reason: path for path, reason in left.items()}
        reasons = Counter(left.values())
        return Following(
            folders=tuple(_shown(str(folder)) for folder in self._folders),
            files=len(self._found),
            pending=len(self._pending) + (self._at != _NOWHERE),
            new_messages=self._new,
            left_out=tuple(
                LeftOut(_shown(reason), number, _shown(examples[reason]))
                for reason, number in reasons.most_common(_SHOWN_REASONS)
            ),
            left_out_files=reasons.total(),
            problem=_shown(self._problem),
        )

    async def close(self) -> None:
        """Stop, and save the state."""
        tasks = [task for task in (self._coming, self._working) if task is not None and not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._save()

    def _scan_soon(self) -> asyncio.Task[dict[str, int]]:
        """The next scan, shared by all callers until it starts."""
        if self._coming is None:
            self._coming = asyncio.create_task(self._scan_in_turn(), name="palimpsest-follow-scan")
            self._coming.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._coming

    async def _scan_in_turn(self) -> dict[str, int]:
        async with self._scanning:
            self._coming = None
            wanted = await self._scan()
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work(), name="palimpsest-follow")
        return wanted

    async def _scan(self) -> dict[str, int]:
        """Find the files to read now, with the times of their last change."""
        if self._state is not None and not self._begun_ns:
            kept = within(load(self._state), self._folders)
            stored = {one.id for one in await self._engine.conversations()} if kept else set[str]()
            self._seen = still_stored(kept, stored)
        self._begun_ns = self._begun_ns or time.time_ns()
        found, problem = cast("tuple[dict[str, Stamp], str]", await in_thread(scan, (self._folders,)))
        if problem and problem != self._problem:
            self._say(f"following: {problem}")
        self._problem = problem
        wanted = to_read(found, self._seen)
        times = {path: stamp.mtime_ns for path, stamp in wanted.items()}
        path, stamp = self._at
        if found.get(path) == stamp:
            wanted.pop(path, None)
        self._found, self._pending = found, wanted
        return times

    async def _work(self) -> None:
        """Read the pending files, newest first."""
        reported_s = saved_s = time.monotonic()
        read, before = 0, self._new
        while self._pending:
            path, stamp = self._at = self._pending.popitem()
            await self._read(path, stamp)
            async with self._moved:
                self._at = _NOWHERE
                self._moved.notify_all()
            read += 1
            now_s = time.monotonic()
            if now_s - reported_s > _REPORTED_EVERY_S:
                reported_s = now_s
                self._say(f"following: files read: {read:,}, to go: {len(self._pending):,}")
            if now_s - saved_s > _SAVED_EVERY_S:
                saved_s = now_s
                self._save()
        if self._new > before:
            self._say(f"following: files read: {read:,}, new messages: {self._new - before:,}")
        self._save()

    async def _read(self, path: str, stamp: Stamp) -> None:
        """Import one file, and record the result."""
        found = self._found
        try:
            opened = await self._open(path, stamp)
            result = (
                await self._take_in(opened, stamp) if isinstance(opened, Opened) else _left(opened, stamp)
            )
        except Exception as error:  # noqa: BLE001  (no file may end the server)
            result = Seen(stamp, reason=redact_error_text(f"{type(error).__name__}: {error}"))
        if result.reason and result.reason not in self._reported and len(self._reported) < MAX_NAMED:
            self._reported.add(result.reason)
            self._say(f"following: left out {path}: {result.reason}")
        for other in result.related:
            if other in found:
                self._seen[other] = Seen(found[other])
                self._pending.pop(other, None)
        self._seen[path] = result
        self._dirty = True

    async def _open(self, path: str, stamp: Stamp) -> Opened | SkippedFile:
        if stamp.size_bytes > MAX_FILE_BYTES:
            most = f"{MAX_FILE_BYTES // 1_000_000:,} MB"
            return SkippedFile(path, f"larger than {most}; palimpsest import reads it")
        opened = await in_thread(self._rereading.open, (Candidate(Path(path), named=False),))
        return cast("Opened | SkippedFile", opened)

    async def _take_in(self, opened: Opened, stamp: Stamp) -> Seen:
        """Import every conversation of a file."""
        names: list[str] = []
        reason = ""
        for transcript in opened.reading.transcripts:
            if not any(transcript.paths):
                continue
            for left in reversed(range(MAX_TRIES)):
                try:
                    heads = await in_thread(self._rereading.heads, (opened.path, transcript))
                    known = cast("Sequence[Head]", heads)
                    done = await self._engine.import_transcript(transcript, known=known)
                except StaleCommit:
                    if not left:
                        raise
                except UsageError as error:
                    reason = error.message
                    break
                else:
                    names.append(done.conversation)
                    self._new += done.added
                    break
        if not names and not reason:
            reason = f"a {opened.format} transcript without messages"
        return Seen(stamp, tuple(names), tuple(sorted(opened.related)), reason)

    def _save(self) -> None:
        """Save the state, keeping the entries of servers with other folders."""
        if not self._dirty or self._state is None:
            return
        self._dirty = False
        kept = load(self._state)
        others = {path: kept[path] for path in kept.keys() - within(kept, self._folders).keys()}
        save(self._state, others | {path: one for path, one in self._seen.items() if path in self._found})


def _shown(name: str) -> str:
    """A file name as valid text; some file names are not."""
    return name.encode("utf-8", "replace").decode()


def _left(skipped: SkippedFile, stamp: Stamp) -> Seen:
    return Seen(stamp, reason=skipped.reason)


def scan(folders: Sequence[Path]) -> tuple[dict[str, Stamp], str]:
    """The files below some folders that may be transcripts, and an error of a folder."""
    found: dict[str, Stamp] = {}
    problem = ""
    for folder in folders:
        try:
            inside = candidates([str(folder)])
        except PalimpsestError as error:
            problem = error.message
            continue
        for one in inside:
            if may_be_transcript(one.path):
                with suppress(OSError):
                    found[str(one.path)] = Stamp(*stamp_of(one.path))
    return found, problem
