"""Calls of a model's client, which is other people's code, with time limits.

Each call runs in a task of its own. So a client that raises `CancelledError` by itself fails like any other, and only
a cancellation of the caller cancels the caller. A client that ignores its cancellation is left behind: nobody waits
for it, and what it returns is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

Result = TypeVar("Result")

GRACE_S = 0.1
"""How long a cancelled call is waited for, so that it can close its connection."""

_LEFT_BEHIND: set[asyncio.Task[Any]] = set()


class LeftBehind(TimeoutError):
    """The time of a call is over, and it goes on."""


class ClientCancelled(Exception):
    """The client cancelled its own call."""


@dataclass(slots=True)
class TimeLimit:
    """The time of the loop's clock at which a call is given up, and what is said then. It may be moved meanwhile."""

    ends_s: float
    text: str


def time_limit(limit_s: float, text: str) -> TimeLimit:
    """Return a limit that begins now."""
    return TimeLimit(asyncio.get_running_loop().time() + limit_s, f"{text} {limit_s:g} s")


async def limited(call: Coroutine[Any, Any, Result], *limits: TimeLimit) -> Result:
    """Return the result of a call. Raises TimeoutError, LeftBehind, ClientCancelled, and what the call raises."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(call)
    try:
        while not task.done():
            first = min(limits, key=lambda one: one.ends_s)
            left_s = first.ends_s - loop.time()
            if left_s <= 0:
                await _leave(task)
                raise (TimeoutError if task.done() else LeftBehind)(first.text)
            await asyncio.wait({task}, timeout=left_s)
    except asyncio.CancelledError:
        await _leave(task)
        raise
    try:
        return task.result()
    except asyncio.CancelledError as error:
        raise ClientCancelled(str(error) or "the client cancelled the call") from None


async def _leave(task: asyncio.Task[Any]) -> None:
    """Cancel a call, and leave it behind if it goes on."""
    _LEFT_BEHIND.add(task)
    task.add_done_callback(_drop)
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE_S)


def _drop(task: asyncio.Task[Any]) -> None:
    """Take note of a result that nobody wants, so that asyncio does not warn of it."""
    _LEFT_BEHIND.discard(task)
    if not task.cancelled():
        task.exception()
