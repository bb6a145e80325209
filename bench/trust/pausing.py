"""A store behind which other tasks get their turn, and which can end like a process that crashed; an event loop that
waits for nothing.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, cast

from palimpsest.ports import Store


class Pausing:
    """A store at each of whose calls other tasks may run, before and after. `dead`, it never answers again; `over`, it
    ends whoever asks.
    """

    def __init__(self, store: Store, draw: Random) -> None:
        self._store = store
        self._draw = draw
        self.dead = False
        self.over = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not asyncio.iscoroutinefunction(found):
            return found

        async def call(*given: object, **named: object) -> object:
            await self._pause()
            done = await cast("Awaitable[object]", found(*given, **named))
            await self._pause()
            return done

        return call

    async def _pause(self) -> None:
        if self.over:
            raise asyncio.CancelledError
        for _ in range(self._draw.choice((0, 0, 1, 1, 2, 5))):
            await asyncio.sleep(0)
        if self.dead:
            await asyncio.Future[None]()


class _Still(selectors.SelectSelector):
    """Tells of nothing that could be read, and lets the time that it should wait for it pass at once."""

    passed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("every task waits for another, for ever")
        self.passed_s += timeout
        return []


class Hurried(asyncio.SelectorEventLoop):
    """An event loop with a clock of its own: it jumps to the next moment for which anybody waits, and goes on by a
    little with every step, so that time may be over in the middle of anything. What is for a thread is done by the
    loop, a step later; sockets it has none.
    """

    def __init__(self, draw: Random) -> None:
        self._still = _Still()
        super().__init__(self._still)
        self._tick_s = draw.choice((0.0, 1e-6, 1e-4, 3e-3))

    def time(self) -> float:
        self._still.passed_s += self._tick_s
        return self._still.passed_s

    def run_in_executor(
        self, _: object, func: Callable[..., object], *args: object
    ) -> asyncio.Future[object]:
        done: asyncio.Future[object] = self.create_future()

        def work() -> None:
            if not done.cancelled():
                try:
                    done.set_result(func(*args))
                except Exception as error:  # noqa: BLE001  (as a thread would hand it over)
                    done.set_exception(error)

        self.call_soon(work)
        return done
