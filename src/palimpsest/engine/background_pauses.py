"""Which calls somebody waits for: while one is under way, work in the background of the same event loop pauses.

Python runs one thread at a time, so a slice of such work also holds up the thread in which a store commits. It waits
for the end of the calls, but no longer than `PATIENCE_S`: where calls come without a gap it goes on in between, and has
a share of the time that is bounded from both sides.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar
from weakref import WeakKeyDictionary

Result = TypeVar("Result")

PATIENCE_S = 0.004
"""How long a slice of background work waits for the calls that are under way."""


SWITCH_S = 0.0005
"""While work runs in a thread, so long at most the event loop waits for its turn to run Python: otherwise 5 ms at each
of the dozen times that a call goes to a store and back.
"""


@dataclass(eq=False, slots=True)
class _Switching:
    """How often threads take turns in this process, and how many pieces of work want it to be often."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    wanted: int = 0
    before_s: float = 0.0


_SWITCHING = _Switching()


@contextmanager
def _switching_often() -> Generator[None]:
    with _SWITCHING.lock:
        if not _SWITCHING.wanted:
            _SWITCHING.before_s = sys.getswitchinterval()
            sys.setswitchinterval(min(SWITCH_S, _SWITCHING.before_s))
        _SWITCHING.wanted += 1
    try:
        yield
    finally:
        with _SWITCHING.lock:
            _SWITCHING.wanted -= 1
            if not _SWITCHING.wanted:
                sys.setswitchinterval(_SWITCHING.before_s)


async def off_loop(work: Callable[..., Result], *given: object) -> Result:
    """What pure work gives that cannot be cut into slices, done in a thread."""
    with _switching_often():
        return await asyncio.to_thread(work, *given)


@dataclass(eq=False, slots=True)
class Turns:
    """The calls under way in one event loop, and who waits for their end."""

    calls: set[object] = field(default_factory=set[object])
    waiting: list[asyncio.Future[None]] = field(default_factory=list[asyncio.Future[None]])

    def ended(self, call: object) -> None:
        """Take note that a call is over."""
        self.calls.discard(call)
        if not self.calls and self.waiting:
            waiting, self.waiting = self.waiting, []
            for one in waiting:
                _wake(one)


_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()
_OWN: ContextVar[object] = ContextVar("palimpsest_call", default=None)


def turns() -> Turns:
    """Those of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _TURNS.get(loop)
    if found is None:
        found = _TURNS[loop] = Turns()
    return found


@contextmanager
def waited_for() -> Generator[None]:
    """While this lasts, somebody waits for a call; one inside of another is part of that."""
    if _OWN.get() is not None:
        yield
        return
    own, present = object(), turns()
    token = _OWN.set(own)
    present.calls.add(own)
    try:
        yield
    finally:
        present.ended(own)
        _OWN.reset(token)


def in_background() -> None:
    """Make the present task one for which nobody waits, whoever started it."""
    _OWN.set(None)


async def pause() -> None:
    """Let other tasks run, and wait for the calls that others wait for, those included that begin meanwhile."""
    present, own = turns(), _OWN.get()
    if present.calls <= {own}:
        await asyncio.sleep(0)
        if present.calls <= {own}:
            return
    loop = asyncio.get_running_loop()
    until_s = loop.time() + PATIENCE_S
    while not present.calls <= {own} and loop.time() < until_s:
        quiet: asyncio.Future[None] = loop.create_future()
        present.waiting.append(quiet)
        limit = loop.call_at(until_s, _wake, quiet)
        try:
            await quiet
        finally:
            limit.cancel()
            if quiet in present.waiting:
                present.waiting.remove(quiet)


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
