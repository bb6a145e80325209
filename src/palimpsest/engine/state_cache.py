"""The conversation states of one engine: the most recently used ones, and those that somebody still holds.

- A conversation has one state, whatever the number of handles on it. A second one would not know what was paid through
  the first. So an evicted state is found again as long as a handle or background work holds it.
- A state with an unpaid call is evicted last. If all have one, the least recently used is evicted, and its call is paid
  by estimate in the background.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from palimpsest.errors import PalimpsestError

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import ConversationState

MAX_STATES = 1_000
"""States held in memory without a handle on them."""

MAX_HELD_ITEMS = 200_000
"""Window items that these states may hold together. A message takes a kilobyte or more."""

MESSAGE_BYTES = 1_000
"""A history that a client sent counts as one item for so many bytes held of it."""

MIN_STATES = 16
"""States that are held however long their windows are."""


class StateCache:
    """The states of one owner's conversations by name. `make` makes the state of a conversation."""

    def __init__(
        self,
        make: Callable[[str], ConversationState],
        max_states: int = MAX_STATES,
        max_items: int = MAX_HELD_ITEMS,
    ) -> None:
        self._make = make
        self._max_states, self._max_items = max_states, max_items
        self._recent: dict[str, ConversationState] = {}
        self._known: WeakValueDictionary[str, ConversationState] = WeakValueDictionary()
        self._settling: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many states only this cache holds in memory."""
        return len(self._recent)

    def __iter__(self) -> Iterator[ConversationState]:
        """Every state that exists at this moment."""
        return iter(tuple(self._known.values()))

    def find(self, name: str) -> ConversationState | None:
        """The state of a conversation, if it has one."""
        return self._known.get(name)

    def use(self, name: str) -> ConversationState:
        """The state of a conversation, which becomes the most recently used one."""
        state = self._known.get(name) or self._make(name)
        if self._recent.pop(name, None) is None:
            if len(self._recent) >= self._max_states:
                self._evict_one()
            held = sum(map(_held_items, self._recent.values()))
            while held > self._max_items and len(self._recent) >= MIN_STATES:
                held -= self._evict_one()
        self._recent[name] = self._known[name] = state
        return state

    def _evict_one(self) -> int:
        """Stop holding one state, and return how many items it holds."""
        paid = (name for name, state in self._recent.items() if not state.costs.has_unsaved)
        state = self._recent.pop(next(paid, None) or next(iter(self._recent)))
        if state.costs.has_unsaved:
            with suppress(RuntimeError):  # without an event loop nothing could wait for the task
                task = asyncio.get_running_loop().create_task(_settle(state))
                self._settling.add(task)
                task.add_done_callback(self._settling.discard)
        return _held_items(state)

    @property
    def has_unsaved(self) -> bool:
        """Whether the costs of any conversation are not saved yet."""
        return bool(self._settling) or any(state.costs.has_unsaved for state in self)

    async def settle(self) -> None:
        """Pay for every call that is known to be answered, and save the accounts."""
        await asyncio.gather(*self._settling)
        for state in self:
            await state.settle()

    async def save_costs(self) -> None:
        """Save what was paid since each conversation's last write."""
        for state in self:
            await state.costs.save()

    def start_over(self, name: str, *, whole: bool = True) -> None:
        """Drop what is held in memory of a conversation (see `ConversationState.start_over`)."""
        state = self._known.get(name)
        if state is not None:
            state.start_over(whole=whole)


def _held_items(state: ConversationState) -> int:
    return len(state.last_window.items) + state.sent_history.held_bytes // MESSAGE_BYTES


async def _settle(state: ConversationState) -> None:
    with suppress(PalimpsestError):  # the next reader of the conversation gets the error
        await state.settle()
