"""The rolling policy: one summary of everything older, updated at each compaction.

Sources: the page on Crabtalk's compaction (`cuts_at = "everything"`: after a step, one summary takes the place of the
whole history and quotes the newest request), and the page on PicoClaw's context architecture (`cuts_at = "turns"`:
after a turn, the oldest messages up to a safe boundary).

- It starts over the trigger, or, with `message_rule = "trigger"`, over a number of messages that no summary covers;
  with `"gate"`, never before a number of messages in all.
- It takes the earlier summary and what follows, up to the cut. A cut at turns snaps to the nearest user message; when
  the newest turn alone exceeds half the capacity, it falls back to cuts between tool groups.
- The newest request stays verbatim: as an item between two summaries where it is older than the cut, or quoted where
  everything is taken. So does the tool group in progress, as far as there is room: where everything is taken, the
  summary shows it behind its text.
- No step takes more than the capacity holds, because its summarizer could not read it: a longer history is worked off
  from its beginning, the summary of each part being the start of the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

from palimpsest.budget.regions import trigger
from palimpsest.plan.hierarchical import (
    MIN_SOURCE_TOKENS,
    Block,
    blocks,
    newest_request,
    shown_request,
)
from palimpsest.plan.open_group import in_progress
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.log import Numbers, Stored
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, StubItem, SummaryItem

MAX_SHARE_OF_SOURCE = 1 / 2
"""A rolling summary aims at no more than this share of what it replaces."""

MAX_SHARE_OF_CAPACITY = 1 / 4
"""Nor at more than this share of the capacity, so that a small window is not filled by its summary."""

SURROUND_TOKENS = 160
"""What stands around the text of a first summary, about: its fence and the preface."""

MIN_TARGET_TOKENS = 64
"""No less is aimed at, however long the newest request is: a shorter text would say nothing."""

LEAST_SHARE_OF_CAPACITY = 1 / 8
"""Nor less than this, however little room the newest messages leave: what is cut from the one summary of everything is
gone from the window for good, and their bulk can give way to a stub."""

GROUP_SHARE = 1 / 2
"""Of the room under the trigger, and of what is replaced, so much may show the tool group in progress."""

LARGE_TURN_SHARE = 1 / 2
"""A newest turn above this share of the capacity is cut between its tool groups."""


def rolling(state: State) -> Decision:
    """The next rolling summary, where one is due."""
    due, reason, numbers = _due(state)
    return roll(state, reason, numbers) if due else Decision((), reason, numbers)


def roll(state: State, reason: str = "roll: asked for", numbers: Numbers = ()) -> Decision:
    """A rolling summary of all that may go, whether or not one is due."""
    steps = tuple(step for step in _steps(state) if step.item_ids not in state.refused)
    return Decision(
        steps, reason if steps else "no rolling summary: nothing may go that would shrink", numbers
    )


def _due(state: State) -> tuple[bool, str, Numbers]:
    settings = state.settings
    limit, numbers = trigger(state.budget, settings)
    waiting = sum(isinstance(item, MessageItem | StubItem) for item in state.window.items)
    threshold = settings.summarize_message_threshold
    numbers = (
        *numbers,
        ("messages", state.window.last),
        ("messages_outside_summaries", waiting),
        ("summarize_message_threshold", threshold),
    )
    if settings.message_rule == "trigger" and waiting > threshold:
        return True, "roll: more messages than summarize_message_threshold", numbers
    if state.budget.used_tokens <= limit:
        return False, "no rolling summary: the context is under the trigger", numbers
    if settings.message_rule == "gate" and state.window.last < threshold:
        return False, "no rolling summary: fewer messages than summarize_message_threshold", numbers
    return True, "roll: over the trigger", numbers


def _steps(state: State) -> list[Step]:
    window = state.window
    every = blocks(window, 0)
    if state.settings.cuts_at == "everything":
        quoted = newest_request(window)
        runs = [list(takewhile(lambda block: block.settled, every))]
    else:
        quoted = None
        before = _before(every, _cut(window, every, state))
        runs = [list(run) for movable, run in groupby(before, key=lambda block: block.movable) if movable]
    found = (
        _step(state, readable_part(run, state.budget.capacity_tokens), shown_request(quoted)) for run in runs
    )
    return [step for step in found if step is not None]


def _before(every: Sequence[Block], cut: int) -> Iterator[Block]:
    """The blocks that end at this index of the items or before it."""
    end = 0
    for block in every:
        end += len(block.items)
        if end > cut:
            return
        yield block


def readable_part(run: Sequence[Block], most_tokens: int) -> list[Item]:
    """The items of as many blocks, from the first on, as hold so many tokens; more where that would be nothing new."""
    taken: list[Item] = []
    tokens = new_tokens = 0
    for block in run:
        if tokens + block.tokens > most_tokens and new_tokens >= MIN_SOURCE_TOKENS:
            break
        taken.extend(block.items)
        tokens += block.tokens
        new_tokens += sum(item.tokens for item in block.items if isinstance(item, MessageItem | StubItem))
    return taken


def _cut(window: Window, every: Sequence[Block], state: State) -> int:
    """Where the verbatim tail begins, as an index into the items."""
    target = len(window.items) - state.settings.fresh_tail_count
    if state.settings.cuts_at == "groups" or target <= 0:
        return target
    turns = [
        place
        for place, item in enumerate(window.items)
        if isinstance(item, MessageItem) and item.stored.message.role == "user"
    ]
    newest = turns[-1] if turns else 0
    turn_tokens = sum(item.tokens for item in window.items[newest:])
    if turn_tokens > state.budget.capacity_tokens * LARGE_TURN_SHARE:
        return target
    return min(turns, key=lambda place: (abs(place - target), place), default=0)


def _least_tokens(state: State) -> int:
    """What a summary aims at where the rest leaves less. The newest request does not give way for it."""
    capacity_tokens, items = state.budget.capacity_tokens, state.window.items
    newest = newest_request(state.window)
    others_tokens = state.budget.used_tokens - sum(item.tokens for item in items)
    room_tokens = capacity_tokens - others_tokens - (newest.tokens if newest else 0) - SURROUND_TOKENS
    return max(MIN_TARGET_TOKENS, min(int(capacity_tokens * LEAST_SHARE_OF_CAPACITY), room_tokens))


def _step(state: State, items: Sequence[Item], request: Stored | None) -> Step | None:
    """The step that replaces these items, None where there is nothing new among them or too little to shrink.

    The summary is as small as the room that the rest leaves. Where that is hardly any, it is the rest which has to give
    way, and what came before it is not cut down for it. The request stands verbatim behind the summary where it is
    among them, so that what it costs cannot be saved.
    """
    tokens = sum(item.tokens for item in items)
    quoted = request if any(shown_request(item) is request for item in items) else None
    kept_tokens = quoted.tokens if quoted is not None else 0
    summaries = [item.summary for item in items if isinstance(item, SummaryItem)]
    new = [
        item
        for item in items
        if isinstance(item, MessageItem | StubItem) and shown_request(item) is not quoted
    ]
    if tokens - kept_tokens < MIN_SOURCE_TOKENS or (not new and len(summaries) < 2):
        return None
    others_tokens = state.budget.used_tokens - tokens
    room_tokens = state.budget.capacity_tokens - others_tokens - kept_tokens - SURROUND_TOKENS
    target_tokens = min(
        state.settings.rolling_target_tokens,
        int((tokens - kept_tokens) * MAX_SHARE_OF_SOURCE),
        int(state.budget.capacity_tokens * MAX_SHARE_OF_CAPACITY),
        max(_least_tokens(state), room_tokens),
    )
    step = step_over(
        "roll",
        items,
        max(1, target_tokens),
        depth=1 + max((summary.depth for summary in summaries), default=-1),
        quotes=quoted.seq if quoted is not None else 0,
    )
    group_tokens = _group_tokens(
        state, items, tokens - kept_tokens, others_tokens + kept_tokens + target_tokens
    )
    return replace(step, group_tokens=group_tokens)


def _group_tokens(state: State, items: Sequence[Item], own_tokens: int, beside_tokens: int) -> int:
    """The room for the tool group in progress in a summary of these items, 0 where it is not among them."""
    if not any(item in items for item in in_progress(state.window)):
        return 0
    limit_tokens, _ = trigger(state.budget, state.settings)
    free_tokens = min(limit_tokens, state.budget.capacity_tokens) - beside_tokens - SURROUND_TOKENS
    return max(MIN_TARGET_TOKENS, int(min(free_tokens, own_tokens) * GROUP_SHARE))
