"""The last resort after a provider refused a request as too long: drop the oldest half of the turns, with a note.

Source: the page on PicoClaw's context architecture, "Emergency compression". The cut lies before a user message, so
that no tool group is torn. A single turn keeps only the newest user message. What is dropped stays in the store, and
the note names it. Summaries stay; where nothing but summaries is left, the older half of them goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from palimpsest.plan.hierarchical import blocks
from palimpsest.plan.squeeze import NOTE_TOKENS
from palimpsest.plan.turns import parse_turn_boundaries
from palimpsest.record.decision import Decision, State, Step
from palimpsest.record.window import Item, MessageItem, OmittedItem, StubItem, SummaryItem

MIN_MESSAGES = 3
"""With fewer messages than this in the window nothing is dropped."""


def drop_oldest_turns(state: State) -> Decision:
    """Steps that drop the oldest half of the turns; none where nothing can be dropped."""
    raw = [item for item in state.window.items if isinstance(item, MessageItem | StubItem)]
    movable = {item.id for block in blocks(state.window, 0) if block.movable for item in block.items}
    going: set[str] = set()
    reason = "refused as too long: dropping the oldest half of the turns"
    if len(raw) >= MIN_MESSAGES:
        turns = parse_turn_boundaries([item.stored.message for item in raw])
        cut = turns[len(turns) // 2] if len(turns) > 1 else len(raw)
        going = {item.id for item in raw[:cut]} & movable
        if len(turns) <= 1:
            reason = "refused as too long: keeping only the newest request of a single turn"
    if not going:
        made = [
            item.id for item in state.window.items if isinstance(item, SummaryItem) and item.id in movable
        ]
        going = set(made[: (len(made) + 1) // 2])
        reason = "refused as too long: dropping the oldest half of the summaries"
    numbers = (("turns_and_summaries_dropped", len(going)), ("used_tokens", state.budget.used_tokens))
    steps = tuple(_omit(run) for run in _runs(state.window.items, going))
    if not steps:
        return Decision((), "refused as too long, and nothing is left that could be dropped", numbers)
    return Decision(steps, reason, numbers)


def _runs(items: Sequence[Item], going: set[str]) -> list[list[Item]]:
    """Adjacent items to drop, earlier dropped ranges beside them included; none of such ranges alone."""
    runs = [
        list(run)
        for goes, run in groupby(items, key=lambda item: item.id in going or isinstance(item, OmittedItem))
        if goes
    ]
    return [run for run in runs if any(item.id in going for item in run)]


def _omit(run: Sequence[Item]) -> Step:
    return Step(
        kind="omit",
        item_ids=tuple(item.id for item in run),
        first=run[0].first,
        last=run[-1].last,
        source_tokens=sum(item.tokens for item in run),
        target_tokens=NOTE_TOKENS,
    )
