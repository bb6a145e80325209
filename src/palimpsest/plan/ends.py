"""Both ends of a window, and the middle between them.

Source: the page on the compression technique ("Protect the head", "Protect the tail").

- The head is the first exchanges: a user's message, and the assistant's first answer with the tool group it opens. It
  ends early where it would take more than a quarter of the trigger, and at the first item that is no message.
- The tail is filled from the end, by whole tool groups, up to its budget; the group that reaches the budget belongs
  to it where it goes no more than half beyond. It has at least `fresh_tail_count` messages.
- The budget is `tail_tokens`, and never more than half the trigger, so that small windows have a middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from palimpsest.budget.regions import trigger
from palimpsest.plan.hierarchical import Block, blocks
from palimpsest.record.decision import State
from palimpsest.record.item import Item, MessageItem, StubItem
from palimpsest.record.window import Window

HEAD_SHARE_OF_TRIGGER = 1 / 4
TAIL_SHARE_OF_TRIGGER = 1 / 2
SOFT_CEILING = 1.5
"""A group that reaches the tail's budget may go so far beyond it."""


def tail_budget(state: State) -> int:
    """How many tokens the tail may have."""
    most = int(trigger(state.budget, state.settings)[0] * TAIL_SHARE_OF_TRIGGER)
    return min(state.settings.tail_tokens or most, most)


def ends(state: State) -> tuple[int, int]:
    """Where the middle begins and ends, as a slice of the window's items."""
    every = blocks(state.window, 0)
    head = _head(every, state.settings.head_turns, trigger(state.budget, state.settings)[0])
    size = _tail(every, tail_budget(state), state.settings.fresh_tail_count)
    return head, max(head, len(state.window.items) - size)


def middle(state: State, *, but: Item | None = None) -> list[list[Block]]:
    """The runs of adjacent blocks between the ends that a plan may take, oldest first; `but` is left alone.

    The newest request, open tool groups and messages that may still grow are in none of them.
    """
    first, last = ends(state)
    place = 0
    inside: list[tuple[bool, Block]] = []
    for block in blocks(state.window, 0):
        within = first <= place and place + len(block.items) <= last
        inside.append((within and block.movable and but not in block.items, block))
        place += len(block.items)
    return [[block for _, block in run] for goes, run in groupby(inside, key=lambda one: one[0]) if goes]


def newest_answer(window: Window) -> Item | None:
    """The newest message in which the assistant answers with words, and calls no tool."""
    for item in reversed(window.items):
        if isinstance(item, MessageItem) and item.stored.message.role == "assistant":
            message = item.stored.message
            if message.text.strip() and not message.calls:
                return item
    return None


def _plain(block: Block) -> bool:
    return all(isinstance(item, MessageItem | StubItem) for item in block.items)


def _roles(block: Block) -> set[str]:
    return {item.stored.message.role for item in block.items if isinstance(item, MessageItem | StubItem)}


def _head(every: Sequence[Block], turns: int, trigger_tokens: int) -> int:
    """How many items the head has."""
    size = tokens = answered = 0
    asked = False
    for block in every:
        tokens += block.tokens
        if answered >= turns or not _plain(block) or tokens > trigger_tokens * HEAD_SHARE_OF_TRIGGER:
            break
        size += len(block.items)
        roles = _roles(block)
        asked = asked or "user" in roles
        if asked and "assistant" in roles:
            answered, asked = answered + 1, False
    return size


def _tail(every: Sequence[Block], budget_tokens: int, least: int) -> int:
    """How many items the tail has."""
    size = tokens = 0
    for block in reversed(every):
        tokens += block.tokens
        if not _plain(block):
            break
        if size >= least and (
            tokens - block.tokens >= budget_tokens or tokens > budget_tokens * SOFT_CEILING
        ):
            break
        size += len(block.items)
    return size
