"""The engines of other owners over one store, so that one program serves all its users.

Each owner has an engine with states and background work of its own; store, models, settings and telemetry are shared.
Beyond `MAX_OWNERS` the least recently used one without background work and unsaved costs is dropped from memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar
from weakref import WeakValueDictionary


class Owned(Protocol):
    """What this module needs of an engine."""

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        ...

    @property
    def is_idle(self) -> bool:
        """Whether there is no background work, and no cost to save."""
        ...

    async def close(self, timeout_s: float = ...) -> None:
        """Close the engine, but not the store."""
        ...


Engine = TypeVar("Engine", bound=Owned)

MAX_OWNERS = 1_000
"""Owners whose engines are held in memory, unless more of them are busy."""


class OwnerEngines(Generic[Engine]):
    """Engines by owner, made by `make`."""

    def __init__(self, make: Callable[[str], Engine], max_owners: int = MAX_OWNERS) -> None:
        self._make, self._max_owners = make, max_owners
        self._recent: dict[str, Engine] = {}
        self._known: WeakValueDictionary[str, Engine] = WeakValueDictionary()

    def __len__(self) -> int:
        """How many engines are held in memory."""
        return len(self._recent)

    def use(self, owner: str) -> Engine:
        """The engine of an owner, which becomes the most recently used one."""
        engine = self._recent.pop(owner, None) or self._known.get(owner)
        if engine is None or engine.is_closed:
            engine = self._make(owner)
        if len(self._recent) >= self._max_owners:
            idle = (name for name, one in self._recent.items() if one.is_idle)
            if (dropped := next(idle, None)) is not None:
                del self._recent[dropped]
        self._recent[owner] = self._known[owner] = engine
        return engine

    async def close(self, timeout_s: float) -> None:
        """Close all engines; each waits that long for its background work."""
        await asyncio.gather(*(engine.close(timeout_s) for engine in self._known.values()))
