"""The desks of one engine: those used last are held in memory, and those that anybody still works at.

- A conversation has one desk, however many handles there are on it: a second one would not know what was paid for at
  the first. So a desk that gave way is found again for as long as a handle or background work holds it.
- One that still owes for a call gives way last. Where all do, the one used longest ago goes, and pays by estimate in
  the background; messages, windows and summaries are in the store anyway.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from palimpsest.errors import PalimpsestError

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import Desk

MAX_DESKS = 1_000
"""Conversations whose windows are held in memory though nobody works at them."""

MAX_HELD_ITEMS = 200_000
"""What their windows may hold together: where windows are long, fewer are held. A message takes a kilobyte and more."""

MESSAGE_BYTES = 1_000
"""What is held of a history that a client sent counts as so many bytes an item."""

LEAST_DESKS = 16
"""So many are held however long their windows are: who works at a few in turn waits for none to be loaded again."""


class Desks:
    """The desks of one owner's conversations by name. `make` makes the desk of a conversation."""

    def __init__(
        self, make: Callable[[str], Desk], most: int = MAX_DESKS, most_items: int = MAX_HELD_ITEMS
    ) -> None:
        self._make = make
        self._most, self._most_items = most, most_items
        self._recent: dict[str, Desk] = {}
        self._known: WeakValueDictionary[str, Desk] = WeakValueDictionary()
        self._leaving: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many are held in memory by this alone."""
        return len(self._recent)

    def __iter__(self) -> Iterator[Desk]:
        """Every desk there is at this moment."""
        return iter(tuple(self._known.values()))

    def find(self, name: str) -> Desk | None:
        """The desk of a conversation, where it has one."""
        return self._known.get(name)

    def use(self, name: str) -> Desk:
        """The desk of a conversation, used last from now on."""
        desk = self._known.get(name) or self._make(name)
        if self._recent.pop(name, None) is None:
            self._make_room_for_one()
        self._recent[name] = self._known[name] = desk
        return desk

    def _make_room_for_one(self) -> None:
        if len(self._recent) >= self._most:
            self._let_go()
        held = sum(_items(desk) for desk in self._recent.values())
        while held > self._most_items and len(self._recent) >= LEAST_DESKS:
            held -= self._let_go()

    def _let_go(self) -> int:
        """Hold one desk less; how many items its window has."""
        settled = next((one for one, desk in self._recent.items() if not desk.till.owes), None)
        if settled is not None:
            return _items(self._recent.pop(settled))
        desk = self._recent.pop(next(iter(self._recent)))
        with suppress(RuntimeError):  # outside of an event loop nobody could wait for it
            task = asyncio.get_running_loop().create_task(_settle(desk))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
        return _items(desk)

    async def settle(self) -> None:
        """Pay for and keep what any of them owes, as far as that is known."""
        await asyncio.gather(*self._leaving)
        for desk in self:
            await desk.settle()

    async def save_tills(self) -> None:
        """Keep what was paid for and waits for a conversation's next write."""
        for desk in self:
            await desk.till.save()

    def start_over(self, name: str, *, wholly: bool = True) -> None:
        """Forget what is held in memory of a conversation (see `Desk.start_over`)."""
        desk = self._known.get(name)
        if desk is not None:
            desk.start_over(wholly=wholly)


def _items(desk: Desk) -> int:
    return len(desk.seen.items) + desk.held_bytes // MESSAGE_BYTES


async def _settle(desk: Desk) -> None:
    with suppress(PalimpsestError):  # whoever reads the conversation is told
        await desk.settle()
