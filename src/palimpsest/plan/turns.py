"""Turns, tool groups and safe cuts.

A turn is a user message and everything up to the next one. A tool group is an assistant message with tool calls and the
results that answer them. A result answers only the newest assistant message with calls before it: a provider refuses a
request in which a call is still unanswered when the assistant speaks again. No cut may fall inside a group. A group
whose calls may still be answered is open, and outside every plan.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.record.message import Message


@dataclass(frozen=True, slots=True)
class Unit:
    """Messages `start` to `end` (exclusive) that no cut may separate. `open`: a call in it may still be answered."""

    start: int
    end: int
    open: bool = False


def parse_turn_boundaries(history: Sequence[Message]) -> list[int]:
    """The starting index of each turn: the indices of user messages."""
    return [index for index, message in enumerate(history) if message.role == "user"]


def find_safe_boundary(history: Sequence[Message], target_index: int) -> int:
    """The turn boundary nearest to a target cut point; of two equally near, the earlier. 0 where there is none inside.

    0 and the length of the history are no cuts inside it, but a target beyond either end gives that end.
    """
    if target_index <= 0:
        return 0
    if target_index >= len(history):
        return len(history)
    inside = [index for index in parse_turn_boundaries(history) if index > 0]
    if not inside:
        return 0
    place = bisect_left(inside, target_index)
    return min(inside[max(0, place - 1) : place + 1], key=lambda index: (abs(index - target_index), index))


def units(history: Sequence[Message]) -> list[Unit]:
    """The history as consecutive units, each message in exactly one: a tool group, or a single message.

    A group reaches from its call to the last result that answers it, with whatever stands between. While calls are
    unanswered and the assistant has not spoken again, the group reaches to the end of the history and is open.
    """
    found: list[Unit] = []
    index = 0
    while index < len(history):
        unit = _group(history, index) if history[index].role == "assistant" else None
        found.append(unit or Unit(index, index + 1))
        index = found[-1].end
    return found


def _group(history: Sequence[Message], start: int) -> Unit | None:
    """The tool group that begins at an assistant message, None where it calls no tool."""
    calls = history[start].calls
    if not calls:
        return None
    waiting = Counter(call.id for call in calls)
    left, end = len(calls), start + 1
    for index in range(start, len(history)):
        if index > start and history[index].role == "assistant":
            return Unit(start, end)
        for result in history[index].results:
            if waiting[result.call_id] > 0:
                waiting[result.call_id] -= 1
                left -= 1
                end = index + 1
        if not left:
            return Unit(start, end)
    return Unit(start, len(history), open=True)
