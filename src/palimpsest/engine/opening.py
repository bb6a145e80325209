"""What `palimpsest.open` gives: an engine that is opened when it is first awaited."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palimpsest.engine.engine import Engine


class Opening:
    """What `palimpsest.open` gives: `async with` it, or `await` it and close the engine yourself."""

    def __init__(self, start: Callable[[], Coroutine[object, object, Engine]]) -> None:
        self._start = start
        self._engine: Engine | None = None

    def __await__(self) -> Generator[object, object, Engine]:
        return self._start().__await__()

    async def __aenter__(self) -> Engine:
        self._engine = await self._start()
        return self._engine

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._engine is not None:
            await self._engine.close()
