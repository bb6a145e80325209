"""The tool group in progress: the calls whose results no reply has followed yet.

A model that sees neither its call nor the result makes the same call again, for ever. So the group is at level 0 where
it fits, and at level 1 where it does not: its results as heads and tails, its long arguments shortened. It never leaves
the window while its turn is the newest.

- A group that would not fit beside the newest request alone is shortened before anything else is compacted, since that
  would not help. It gets half of what the capacity leaves; where older messages leave next to nothing, a quarter of
  what they will leave when they are compacted.
- What is small in it stays whole first; its large parts share the rest.
- Where one summary takes the place of everything, that text shows the group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.pruned_messages import LEAST_TOKENS, group_notes
from palimpsest.plan.hierarchical import blocks, newest_request
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, StubItem

SHARE_OF_FREE = 1 / 2
SHARE_AFTER_COMPACTION = 1 / 4
RECORDS_SHARE = 1 / 8
"""What the summaries of older messages take of the capacity at most, once these are compacted."""


def in_progress(window: Window) -> list[MessageItem | StubItem]:
    """The messages of the tool group in progress that hold all they will; what the user says among them is not part."""
    return [
        item
        for block in blocks(window, 0)
        if block.current
        for item in block.items
        if isinstance(item, MessageItem | StubItem)
        and not item.stored.open
        and item.stored.message.role != "user"
    ]


def shorten_first(state: State, under_tokens: int) -> Decision:
    """Steps that shorten the group where it would not fit if all that may go were compacted; none where it would."""
    used_tokens = state.budget.used_tokens
    numbers = (("used_tokens", used_tokens), ("under_tokens", under_tokens))
    group = in_progress(state.window) if used_tokens > under_tokens else []
    group_tokens = sum(item.tokens for item in group)
    request = newest_request(state.window)
    kept_tokens = request.tokens if request is not None else 0
    older_tokens = max(0, state.window.tokens - group_tokens - kept_tokens)
    least_tokens = used_tokens - group_tokens - older_tokens
    least_tokens += min(older_tokens, int(under_tokens * RECORDS_SHARE))
    if not group or least_tokens + group_tokens <= under_tokens:
        return Decision((), "the tool group in progress fits", numbers)
    room_tokens = int((under_tokens - least_tokens) * SHARE_AFTER_COMPACTION)
    steps = tuple(shortened(state, group, max(room_tokens, _half_of_free(state, group, under_tokens))))
    return Decision(
        steps, "over: shortening the tool group in progress", (*numbers, ("group_tokens", group_tokens))
    )


def shorten(state: State, excess: int) -> Iterator[Step]:
    """Steps that leave the group half of what everything else leaves."""
    group = in_progress(state.window)
    under_tokens = state.budget.used_tokens - excess
    return shortened(state, group, _half_of_free(state, group, under_tokens))


def _half_of_free(state: State, group: Sequence[Item], under_tokens: int) -> int:
    others_tokens = state.budget.used_tokens - sum(item.tokens for item in group)
    return int((under_tokens - others_tokens) * SHARE_OF_FREE)


def shortened(state: State, group: Sequence[MessageItem | StubItem], room_tokens: int) -> Iterator[Step]:
    """A step for each message that takes less when the group has so much room, the largest saving first."""
    steps = [
        step_over("stub", (item,), max(1, count_stub(item.stored.message, note)), note=note)
        for item, note in group_notes(group, room_tokens, state.reading_tool)
        if note
    ]
    steps = [
        step
        for step in steps
        if step.target_tokens < step.source_tokens and step.item_ids not in state.refused
    ]
    yield from sorted(steps, key=lambda step: step.target_tokens - step.source_tokens)


def least_of_group(window: Window, tool: str) -> dict[str, StubItem]:
    """The messages of the group at the least that they can be shortened to, by the ids of their items."""
    found: dict[str, StubItem] = {}
    for item, note in group_notes(in_progress(window), LEAST_TOKENS, tool):
        tokens = count_stub(item.stored.message, note) if note else item.tokens
        if tokens < item.tokens:
            found[item.id] = StubItem("", item.stored, note, tokens)
    return found
