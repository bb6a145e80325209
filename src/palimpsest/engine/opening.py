"""What `palimpsest.open` gives: an engine that is opened when it is first awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from types import TracebackType
from typing import TYPE_CHECKING

from palimpsest.errors import UsageError

if TYPE_CHECKING:
    from palimpsest.engine.engine import Engine


class Opening:
    """What `palimpsest.open` gives: `async with` it, or `await` it and close the engine yourself."""

    def __init__(self, start: Callable[[], Coroutine[object, object, Engine]]) -> None:
        self._start = start
        self._engine: Engine | None = None

    def __await__(self) -> Generator[object, object, Engine]:
        _require_loop()
        return self._start().__await__()

    async def __aenter__(self) -> Engine:
        _require_loop()
        self._engine = await self._start()
        return self._engine

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._engine is not None:
            await self._engine.close()


def _require_loop() -> None:
    """Raise UsageError where no loop of asyncio runs: the engine's threads could tell nobody that they are done."""
    try:
        asyncio.get_running_loop()
    except RuntimeError as error:
        raise UsageError(
            "an engine works in a running loop of asyncio, and there is none",
            hint="in another library's loop, call palimpsest.sync in a thread",
        ) from error
