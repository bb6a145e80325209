"""Let background work yield to calls that a caller awaits on the same event loop.

Python runs one thread at a time, so a slice of background work also delays the thread in which a store commits. Before
each slice, background work waits until no call is running, but no longer than `MAX_PAUSE_S`, so that it is not starved.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar
from weakref import WeakKeyDictionary

Result = TypeVar("Result")

MAX_PAUSE_S = 0.004
"""The longest time that a slice of background work waits for running calls."""

SLICE_S = 0.001
"""The length of a slice of background work on the event loop."""

SWITCH_INTERVAL_S = 0.0005
"""The thread switch interval while work runs in a thread. The default, 5 ms, delays each hop to the store's thread."""

_switch_lock = threading.Lock()
_switch_users = 0
_default_interval_s = 0.0


@contextmanager
def _frequent_switches() -> Generator[None]:
    global _switch_users, _default_interval_s  # noqa: PLW0603  (the interval belongs to the process)
    with _switch_lock:
        if not _switch_users:
            _default_interval_s = sys.getswitchinterval()
            sys.setswitchinterval(min(SWITCH_INTERVAL_S, _default_interval_s))
        _switch_users += 1
    try:
        yield
    finally:
        with _switch_lock:
            _switch_users -= 1
            if not _switch_users:
                sys.setswitchinterval(_default_interval_s)


async def off_loop(work: Callable[..., Result], *arguments: object) -> Result:
    """Run pure work that cannot be sliced in a thread, and return its result."""
    with _frequent_switches():
        return await asyncio.to_thread(work, *arguments)


@dataclass(eq=False, slots=True)
class ForegroundCalls:
    """The awaited calls that are running on one event loop. `idle` is set while there are none."""

    running: set[object] = field(default_factory=set[object])
    idle: asyncio.Event = field(default_factory=asyncio.Event)


_CALLS: WeakKeyDictionary[asyncio.AbstractEventLoop, ForegroundCalls] = WeakKeyDictionary()
_OWN_CALL: ContextVar[object] = ContextVar("palimpsest_call", default=None)


def foreground_calls() -> ForegroundCalls:
    """The foreground calls of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _CALLS.get(loop)
    if found is None:
        found = _CALLS[loop] = ForegroundCalls()
    return found


@contextmanager
def foreground_call() -> Generator[None]:
    """Mark the current task as running a call that a caller awaits; nested calls count once."""
    if _OWN_CALL.get() is not None:
        yield
        return
    own, calls = object(), foreground_calls()
    token = _OWN_CALL.set(own)
    calls.running.add(own)
    calls.idle.clear()
    try:
        yield
    finally:
        calls.running.discard(own)
        if not calls.running:
            calls.idle.set()
        _OWN_CALL.reset(token)


def in_background() -> None:
    """Mark the current task as background work, whichever call started it."""
    _OWN_CALL.set(None)


async def pause() -> None:
    """Let other tasks run, and wait for foreground calls of other tasks, for at most `MAX_PAUSE_S`."""
    calls, own = foreground_calls(), _OWN_CALL.get()
    if calls.running <= {own}:
        await asyncio.sleep(0)
        if calls.running <= {own}:
            return
    with suppress(TimeoutError):
        async with asyncio.timeout(MAX_PAUSE_S):
            while calls.running:
                await calls.idle.wait()


async def give_way(steps: Generator[None, None, Result]) -> Result:
    """Run a generator of short pieces of work in slices of `SLICE_S`, with a pause between them."""
    try:
        if foreground_calls().running:
            await pause()
        while True:
            until_s = time.perf_counter() + SLICE_S
            while time.perf_counter() < until_s:
                next(steps)
            await pause()
    except StopIteration as stop:
        return stop.value
    finally:
        steps.close()
