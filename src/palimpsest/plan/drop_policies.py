"""Dropping without a summary: a sliding window, and a window without its middle.

Source: the page on the compression technique ("Alternatives"). Over the trigger, the middle gives way to a note that
names its ends. Without a head (`head_turns = 0`) it begins with the first message, and the window slides; with one,
the task that a conversation began with stays. The newest request stays verbatim in both, and what was dropped can be
searched and read.
"""

from __future__ import annotations

from palimpsest.budget.regions import trigger
from palimpsest.plan.fit_to_limit import NOTE_TOKENS
from palimpsest.plan.head_tail import middle
from palimpsest.plan.hierarchical import Block
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.log import Numbers
from palimpsest.record.window_items import OmittedItem

MIN_SAVING_TOKENS = 120
"""Less than this is not worth a change of the prefix."""


def drop(state: State) -> Decision:
    """What is due: nothing under the trigger."""
    limit, numbers = trigger(state.budget, state.settings)
    if state.budget.used_tokens <= limit:
        return Decision((), "nothing dropped: the context is under the trigger", numbers)
    return drop_middle(state, "drop: over the trigger", numbers)


def drop_middle(state: State, reason: str = "drop: asked for", numbers: Numbers = ()) -> Decision:
    """The oldest run of the middle as a note, whether or not that is due."""
    for run in middle(state):
        step = _omit(run)
        if step is not None and step.item_ids not in state.refused:
            return Decision((step,), reason, numbers)
    return Decision((), "nothing dropped: there is no middle", numbers)


def _omit(run: list[Block]) -> Step | None:
    items = [item for block in run for item in block.items]
    fresh_tokens = sum(item.tokens for item in items if not isinstance(item, OmittedItem))
    if fresh_tokens < NOTE_TOKENS + MIN_SAVING_TOKENS:
        return None
    return step_over("omit", items, NOTE_TOKENS)
