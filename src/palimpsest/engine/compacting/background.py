"""Background work: compactions of different kinds, each running once per conversation, in this process and across.

A piece of work is recorded in the store before it starts and removed when it is done, so that work which a crash
interrupted is resumed when the database is next opened. A lease keeps two processes from doing the same work. It
expires, and is taken over at once if its holder's process is known to be gone (`stores/lease_holders.py`). Each kind
has its own lease, because a slow condensing must not hold up leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from palimpsest.engine.background_pauses import in_background
from palimpsest.engine.reports import Event, Report
from palimpsest.engine.telemetry.reporting import Telemetry, reason_of
from palimpsest.errors import PalimpsestError
from palimpsest.record.events import Failed
from palimpsest.redaction.redactor import redact_error_text
from palimpsest.stores.lease_holders import make_holder

if TYPE_CHECKING:
    from palimpsest.ports import Clock, Store

LEASE_S = 60.0
RENEW_S = 20.0
LEASE_TRIES = int(LEASE_S / RENEW_S) + 2
MAX_QUEUED_EVENTS = 1_000
MAX_CANCELS = 5
CANCEL_S = 0.2
"""How often, and for how long each time, abandoned work is cancelled; a model's client may swallow a cancellation."""

_BUSY = "another process is at it"

BackgroundWork = Callable[[], Awaitable[object]]


class Background:
    """Runs work for one engine, and publishes what it did."""

    def __init__(self, store: Store, owner: str, clock: Clock, telemetry: Telemetry | None = None) -> None:
        self._store = store
        self._owner = owner
        self._clock = clock
        self._telemetry = telemetry or Telemetry()
        self._holder = make_holder()
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._light_tasks: set[asyncio.Task[None]] = set()
        self._again: set[tuple[str, str]] = set()
        self._when_idle: dict[str, Callable[[], None]] = {}
        self._queues: set[asyncio.Queue[Event | None]] = set()
        self._closed = False
        self._closing = asyncio.Event()

    def start(
        self,
        conversation: str,
        kind: str,
        work: BackgroundWork,
        *,
        resumed: bool = False,
        light: bool = False,
    ) -> bool:
        """Start `work` unless the engine is closing; if the same kind is running, it is done once more afterwards.

        `resumed` work waits for the lease of a process that may have crashed. `light` work takes no lease and is not
        recorded: it may end halfway, and two processes may do it.
        """
        key = (conversation, kind)
        if self._closed:
            return False
        if key in self._tasks:
            self._again.add(key)
            return False
        if light:
            run = self._run_light(conversation, kind, work)
        else:
            run = self._run(conversation, kind, work, LEASE_TRIES if resumed else 1)
        task = asyncio.create_task(run, name=f"palimpsest-{kind}-{conversation}")
        self._tasks[key] = task
        if light:
            self._light_tasks.add(task)

        def ended(_: asyncio.Task[None]) -> None:
            del self._tasks[key]
            self._light_tasks.discard(task)
            if key in self._again:
                self._again.discard(key)
                self.start(conversation, kind, work, light=light)
            then = self._when_idle.pop(conversation, None)
            if then is not None:
                self.when_idle(conversation, then)

        task.add_done_callback(ended)
        return True

    def when_idle(self, conversation: str, then: Callable[[], None]) -> None:
        """Call `then` once no work of the conversation is running; only the last one given is called."""
        if any(name == conversation for name, _ in self._tasks):
            self._when_idle[conversation] = then
        else:
            then()

    def running(self, conversation: str, kind: str) -> bool:
        """Whether this kind of work is running for the conversation in this process."""
        return (conversation, kind) in self._tasks

    def _lease_name(self, kind: str, conversation: str) -> str:
        """The name of a piece of work; names hold no control characters, so it is unique."""
        return f"{kind}\x1f{self._owner}\x1f{conversation}"

    async def _run(self, conversation: str, kind: str, work: BackgroundWork, tries: int) -> None:
        in_background()
        lease = self._lease_name(kind, conversation)
        try:
            await self._store.enqueue(self._owner, conversation, kind, now_s=self._clock())
            try:
                report = await self._with_lease(lease, work, tries)
                if report is not _BUSY:
                    await self._store.finish(self._owner, conversation, kind)
            finally:
                await self._store.release(lease, self._holder)
            if isinstance(report, Report) and report.failure:
                self.publish(Event("failed", conversation, report, f"{kind}: {report.failure}"))
            elif isinstance(report, Report):
                self.publish(Event("compacted", conversation, report))
        except Exception as error:  # noqa: BLE001  (background work must report, never vanish or end the loop)
            self._note_failure(conversation, kind, error)
            name = "" if isinstance(error, PalimpsestError) else f"{type(error).__name__}: "
            self.publish(Event("failed", conversation, None, redact_error_text(f"{kind}: {name}{error}")))

    async def _run_light(self, conversation: str, kind: str, work: BackgroundWork) -> None:
        in_background()
        try:
            await work()
        except Exception as error:  # noqa: BLE001  (background work must report, never vanish or end the loop)
            self._note_failure(conversation, kind, error)

    def _note_failure(self, conversation: str, kind: str, error: Exception) -> None:
        error_kind = error.kind if isinstance(error, PalimpsestError) else "internal"
        self._telemetry.emit(Failed(conversation, kind, error_kind, reason_of(error)))

    async def _with_lease(self, lease: str, work: BackgroundWork, tries: int) -> object:
        """Do the work under the lease; _BUSY if another holder has it at each try."""
        for number in range(tries):
            if number and await self._closes_within(RENEW_S):
                return _BUSY
            if await self._store.lease(lease, self._holder, ttl_s=LEASE_S, now_s=self._clock()):
                break
        else:
            return _BUSY
        renewing = asyncio.create_task(self._renew(lease))
        try:
            return await work()
        finally:
            renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewing

    async def _closes_within(self, wait_s: float) -> bool:
        """Wait, and return early and True if the engine is closed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), wait_s)
        return self._closed

    async def _renew(self, lease: str) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            with contextlib.suppress(PalimpsestError):
                await self._store.lease(lease, self._holder, ttl_s=LEASE_S, now_s=self._clock())

    def publish(self, event: Event | None) -> None:
        """Put an event into every subscriber's queue; a full queue loses its oldest."""
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(event)

    def subscribe(self) -> asyncio.Queue[Event | None]:
        """A queue of events from now on; None ends it."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue(MAX_QUEUED_EVENTS)
        if self._closed:
            queue.put_nowait(None)
        else:
            self._queues.add(queue)
        return queue

    def unsubscribe(self, queue: asyncio.Queue[Event | None]) -> None:
        """Stop filling a queue."""
        self._queues.discard(queue)

    @property
    def is_busy(self) -> bool:
        """Whether any work is running."""
        return bool(self._tasks)

    async def idle(self) -> None:
        """Wait until no work is running, including work started meanwhile."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def close(self, timeout_s: float) -> None:
        """Take no more work, wait for running work, then abandon it; recorded work is resumed later."""
        self._closed = True
        self._closing.set()
        for task in self._light_tasks:
            task.cancel()
        late = set(self._tasks.values())
        if late:
            _, late = await asyncio.wait(late, timeout=timeout_s)
        for _ in range(MAX_CANCELS):
            for task in late:
                task.cancel()
            if late:
                _, late = await asyncio.wait(late, timeout=CANCEL_S)
        self.publish(None)
        self._queues.clear()
