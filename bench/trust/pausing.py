"""A store behind which other tasks get their turn, and which can end like a process that crashed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
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
