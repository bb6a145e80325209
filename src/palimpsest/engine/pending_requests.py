"""Requests that were made and are not paid for yet: the newest, and those that it overtook.

Several calls of one conversation may be under way at once: two tabs, or a room where many talk. Which of them are
answered nobody knows until their usage is reported; a call that failed looks the same as one that is slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.budget.assemble import Request
from palimpsest.record.spending import Meter
from palimpsest.record.window import Window

MAX_OVERTAKEN, MAX_OVERTAKEN_S = 16, 900.0
"""How many requests that others overtook are remembered, and for how long."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A request of a window that was made and is not paid for yet. `never_tokens` is its prompt without compactions and
    gates, `shared_tokens` what of it the last one began with.
    """

    request: Request
    window: Window
    time_s: float
    never_tokens: int
    shared_tokens: int
    meter: Meter


def still_awaited(asked: Sequence[Pending | None], now_s: float) -> tuple[Pending, ...]:
    """Of requests that another one overtakes now, those whose usage may still be reported."""
    recent = [one for one in asked if one is not None and now_s - one.time_s < MAX_OVERTAKEN_S]
    return tuple(recent[-MAX_OVERTAKEN:])


def asked_with(request: Request, newest: Pending | None, overtaken: Sequence[Pending]) -> Pending | None:
    """What is not paid for of this very request; the newest for one that is as it, and that no other overtook."""
    for one in (*overtaken, newest):
        if one is not None and one.request is request:
            return one
    if newest is None or overtaken:
        return None
    same = (newest.request.mark, newest.request.last) == (request.mark, request.last)
    return newest if same else None
