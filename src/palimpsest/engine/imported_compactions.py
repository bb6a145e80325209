"""Compactions that a transcript's own agent made, taken over into the window.

Each marker becomes a summary that stands for what it stood for, committed as every other one: only if it is smaller
than what it replaces, and only where no tool group is cut. What is not taken over is said, and its messages stay
verbatim. A marker whose place the window has moved on from, because a larger summary covers it, is left out without a
word: so it is when the same transcript is imported again.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.engine.compacting.replacement_items import summary_item
from palimpsest.engine.conversation_state import Desk
from palimpsest.formats.transcripts.reader_base import Marker
from palimpsest.plan.blocks import request_position
from palimpsest.plan.turns import units
from palimpsest.ports import Clock, Commit
from palimpsest.record.forgetting import is_blank
from palimpsest.record.log import Compaction, Stored
from palimpsest.record.message import Message
from palimpsest.record.summary import Draft
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, SummaryItem

REASON = "the transcript's own compaction"


async def take_over(
    desk: Desk, markers: Sequence[Marker], history: Sequence[Message], clock: Clock
) -> tuple[int, tuple[str, ...]]:
    """Commit the markers of a history that was just imported: how many were, and a sentence on each that was not."""
    standing = units(history) if markers else ()
    inside = {place for unit in standing for place in range(unit.start + 1, unit.end + int(unit.open))}
    taken = 0
    refused: list[str] = []
    for marker in markers:
        branch, window = await desk.load()
        items = _beginning(window, marker.through)
        if branch is None or not items or not marker.text.strip() or _stands(items, marker):
            continue
        if branch.purged and await _touched(desk, marker.through):
            continue
        where = f"the summary of messages 1 to {marker.through}"
        if marker.through in inside or marker.through > branch.closed_seq:
            refused.append(f"{where} was not taken over: the step it ends in may still go on")
            continue
        quoted = await _quoted(desk, marker)
        depths = [one.summary.depth for one in items if isinstance(one, SummaryItem)]
        item = summary_item(items, max(depths, default=-1) + 1, Draft(marker.text, "imported"), quoted)
        before_tokens = sum(one.tokens for one in items)
        preface_tokens = 0 if depths else PREFACE_TOKENS
        if item.tokens + preface_tokens >= before_tokens:
            refused.append(f"{where} was not taken over: it is not smaller than what it stands for")
            continue
        record = Compaction(
            reason=REASON,
            numbers=(("messages", marker.through),),
            replaced=tuple(one.id for one in items),
            item_id="",
            item_kind="summary",
            before_tokens=before_tokens,
            after_tokens=item.tokens,
            time_s=clock() if marker.time_s is None else marker.time_s,
            thinking_from=max(1, request_position(window)),
        )
        taken += await desk.commit(branch.id, Commit(item, record)) is not None
    return taken, tuple(refused)


async def _touched(desk: Desk, through: int) -> bool:
    """Whether any message up to a position was forgotten: the agent's own summary may tell of it."""
    stored = await desk.store.messages(desk.owner, desk.conversation, 1, through)
    return any(is_blank(one.message) for one in stored)


def _beginning(window: Window, through: int) -> tuple[Item, ...]:
    """The items that cover messages 1 to `through`, none where an item reaches across."""
    place = next((place for place, item in enumerate(window.items, 1) if item.last == through), 0)
    return window.items[:place]


def _stands(items: Sequence[Item], marker: Marker) -> bool:
    """Whether the marker's summary is what stands there already."""
    first = items[0]
    return len(items) == 1 and isinstance(first, SummaryItem) and first.summary.text == marker.text


async def _quoted(desk: Desk, marker: Marker) -> Stored | None:
    if not marker.quotes:
        return None
    found = await desk.store.messages(desk.owner, desk.conversation, marker.quotes, marker.quotes)
    return found[0] if found else None
