"""Work that no turn waits for: leaves and condensing, each single-flight for a conversation, in this process
and across.

A piece of work is noted in the store before it starts and struck out when it is done, so that what a crash
interrupts is taken up when the database is next opened. A lease keeps two processes from doing the same; it
expires, so that a crashed holder's is taken over: at once where its process is known to be gone
(`stores/lease_holders.py`).
Leaves and condensing have leases of their own, because a slow condensing must not hold up leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from palimpsest.engine.background_pauses import in_background
from palimpsest.engine.reports import Event, Report
from palimpsest.engine.telemetry.observers import Observing, reason_of
from palimpsest.errors import PalimpsestError
from palimpsest.record.events import Failed
from palimpsest.stores.lease_holders import make_holder

if TYPE_CHECKING:
    from palimpsest.ports import Clock, Store

LEASE_S = 60.0
RENEW_S = 20.0
LEASE_TRIES = int(LEASE_S / RENEW_S) + 2
MAX_QUEUED_EVENTS = 1_000
_BUSY = "another process is at it"
MAX_CANCELS = 5
CANCEL_S = 0.2
"""How often, and for how long each time, abandoned work is told to end; a model's client may swallow a cancellation."""

Work = Callable[[], Awaitable[Report | None]]


class Background:
    """Runs work for one engine and tells subscribers what it did."""

    def __init__(self, store: Store, owner: str, clock: Clock, observing: Observing | None = None) -> None:
        self._store = store
        self._owner = owner
        self._clock = clock
        self._observing = observing or Observing()
        self._holder = make_holder()
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._light: set[asyncio.Task[None]] = set()
        self._again: set[tuple[str, str]] = set()
        self._waiting: dict[str, Callable[[], None]] = {}
        self._queues: set[asyncio.Queue[Event | None]] = set()
        self._closed = False
        self._ending = asyncio.Event()

    def start(
        self, conversation: str, kind: str, work: Work, *, resumed: bool = False, light: bool = False
    ) -> bool:
        """Start `work` unless the engine is closing; where the same kind is under way, it is done once more.

        `resumed` work waits for the lease of a process that may have crashed; other work leaves it to the holder.
        `light` work is not noted in the store and takes no lease: nothing is lost if it ends halfway, and nothing is
        wrong if two processes do it.
        """
        key = (conversation, kind)
        if self._closed:
            return False
        if key in self._tasks:
            self._again.add(key)
            return False
        tries = LEASE_TRIES if resumed else 1
        doing = (
            self._run_lightly(conversation, kind, work)
            if light
            else self._run(conversation, kind, work, tries)
        )
        task = asyncio.create_task(doing, name=f"palimpsest-{kind}-{conversation}")
        self._tasks[key] = task
        if light:
            self._light.add(task)

        def ended(_: asyncio.Task[None]) -> None:
            del self._tasks[key]
            self._light.discard(task)
            if key in self._again:
                self._again.discard(key)
                self.start(conversation, kind, work, light=light)
            waiting = self._waiting.pop(conversation, None)
            if waiting is not None:
                self.when_idle(conversation, waiting)

        task.add_done_callback(ended)
        return True

    def when_idle(self, conversation: str, then: Callable[[], None]) -> None:
        """Call `then` once no work of the conversation is under way: at once where none is. The last `then` given for a
        conversation is the one that is called.
        """
        if any(name == conversation for name, _ in self._tasks):
            self._waiting[conversation] = then
        else:
            then()

    def running(self, conversation: str, kind: str) -> bool:
        """Whether this kind of work is under way for the conversation in this process."""
        return (conversation, kind) in self._tasks

    def _lease_name(self, kind: str, conversation: str) -> str:
        """The name of a piece of work; names hold no control characters, so no two pieces share one."""
        return f"{kind}\x1f{self._owner}\x1f{conversation}"

    async def _run(self, conversation: str, kind: str, work: Work, tries: int) -> None:
        in_background()
        lease = self._lease_name(kind, conversation)
        try:
            await self._store.enqueue(self._owner, conversation, kind, now_s=self._clock())
            try:
                report = await self._leased(lease, work, tries)
                if report is not _BUSY:
                    await self._store.finish(self._owner, conversation, kind)
            finally:
                await self._store.release(lease, self._holder)
            if isinstance(report, Report) and report.failure:
                self.publish(Event("failed", conversation, report, f"{kind}: {report.failure}"))
            elif isinstance(report, Report):
                self.publish(Event("compacted", conversation, report))
        except PalimpsestError as error:
            self._observing.tell(Failed(conversation, kind, error.kind, reason_of(error)))
            self.publish(Event("failed", conversation, None, _told(f"{kind}: {error}")))
        except Exception as error:  # noqa: BLE001  (background work must report, never vanish or end the loop)
            self._observing.tell(Failed(conversation, kind, "internal", reason_of(error)))
            told = _told(f"{kind}: {type(error).__name__}: {error}")
            self.publish(Event("failed", conversation, None, told))

    async def _run_lightly(self, conversation: str, kind: str, work: Work) -> None:
        in_background()
        try:
            await work()
        except Exception as error:  # noqa: BLE001  (background work must report, never vanish or end the loop)
            named = error.kind if isinstance(error, PalimpsestError) else "internal"
            self._observing.tell(Failed(conversation, kind, named, reason_of(error)))

    async def _leased(self, lease: str, work: Work, tries: int) -> Report | str | None:
        """Do the work under the lease; _BUSY where another holder has it at each try."""
        for place in range(tries):
            if place and await self._ends_within(RENEW_S):
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

    async def _ends_within(self, wait_s: float) -> bool:
        """Whether the engine is closed while this waits."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ending.wait(), wait_s)
        return self._closed

    async def _renew(self, lease: str) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            with contextlib.suppress(PalimpsestError):
                await self._store.lease(lease, self._holder, ttl_s=LEASE_S, now_s=self._clock())

    def publish(self, event: Event) -> None:
        """Hand an event to every subscriber; one that does not read loses its oldest."""
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

    async def idle(self) -> None:
        """Wait until nothing runs, what was started meanwhile included."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def close(self, timeout_s: float) -> None:
        """Take no more work, wait so long for what runs, then abandon it: it stays noted and is resumed later."""
        self._closed = True
        self._ending.set()
        for task in self._light:
            task.cancel()
        late = set(self._tasks.values())
        if late:
            _, late = await asyncio.wait(late, timeout=timeout_s)
        for _ in range(MAX_CANCELS):
            for task in late:
                task.cancel()
            if late:
                _, late = await asyncio.wait(late, timeout=CANCEL_S)
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(None)
        self._queues.clear()


def _told(failure: str) -> str:
    """What is told of a failure: no keys."""
    from palimpsest.redaction.error_texts import redact

    return redact(failure)
