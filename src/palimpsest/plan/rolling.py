"""The rolling policy: one summary of everything older, updated at each compaction.

Sources: the page on Crabtalk's compaction (`cuts_at = "everything"`: after a step, one summary takes the place of the
whole history and quotes the newest request), and the page on PicoClaw's context architecture (`cuts_at = "turns"`:
after a turn, the oldest messages up to a safe boundary).

- It starts over the trigger, or, with `message_rule = "trigger"`, over a number of messages that no summary covers;
  with `"gate"`, never before a number of messages in all.
- It takes the earlier summary and what follows, up to the cut. A cut at turns snaps to the nearest user message; when
  the newest turn alone exceeds half the capacity, it falls back to cuts between tool groups.
- The newest request stays verbatim: as an item between two summaries where it is older than the cut, or quoted where
  everything is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.budget.regions import trigger
from palimpsest.plan.hierarchical import MIN_SOURCE_TOKENS, Block, blocks, newest_request
from palimpsest.record.decision import Decision, State, Step
from palimpsest.record.log import Numbers
from palimpsest.record.window import Item, MessageItem, StubItem, SummaryItem, Window

MAX_SHARE_OF_SOURCE = 1 / 2
"""A rolling summary aims at no more than this share of what it replaces."""

MAX_SHARE_OF_CAPACITY = 1 / 4
"""Nor at more than this share of the capacity, so that a small window is not filled by its summary."""

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
    window, settings = state.window, state.settings
    request = newest_request(window)
    every = blocks(window, 0)
    if settings.cuts_at == "everything":
        taken = _until_immovable(every, request)
        step = _step(state, taken, request if request in taken else None)
        return [step] if step is not None else []
    end = _cut(window, every, state)
    steps: list[Step | None] = []
    run: list[Item] = []
    for block, position in zip(every, _starts(every), strict=True):
        if position + len(block.items) <= end and block.movable:
            run.extend(block.items)
            continue
        steps.append(_step(state, run, None))
        run = []
        if position >= end:
            break
    steps.append(_step(state, run, None))
    return [step for step in steps if step is not None]


def _until_immovable(every: Sequence[Block], request: Item | None) -> list[Item]:
    """The items before the first that may not go; the request may, because it is quoted."""
    taken: list[Item] = []
    for block in every:
        if not block.movable and request not in block.items:
            break
        taken.extend(block.items)
    return taken


def _starts(every: Sequence[Block]) -> list[int]:
    starts: list[int] = []
    position = 0
    for block in every:
        starts.append(position)
        position += len(block.items)
    return starts


def _cut(window: Window, every: Sequence[Block], state: State) -> int:
    """Where the verbatim tail begins, as an index into the items."""
    target = len(window.items) - state.settings.fresh_tail_count
    between = [place for place in _starts(every) if place <= target]
    if state.settings.cuts_at == "groups" or target <= 0:
        return max(between, default=0)
    turns = [
        place
        for place, item in enumerate(window.items)
        if isinstance(item, MessageItem) and item.stored.message.role == "user"
    ]
    newest = turns[-1] if turns else 0
    turn_tokens = sum(item.tokens for item in window.items[newest:])
    if turn_tokens > state.budget.capacity_tokens * LARGE_TURN_SHARE:
        return max(between, default=0)
    return min(turns, key=lambda place: (abs(place - target), place), default=0)


def _step(state: State, items: Sequence[Item], request: Item | None) -> Step | None:
    """The step that replaces these items, None where there is nothing new among them or too little to shrink."""
    tokens = sum(item.tokens for item in items)
    quotes = _position(request)
    kept_tokens = _tokens(request)
    new = [item for item in items if isinstance(item, MessageItem | StubItem) and item is not request]
    alone = len([item for item in items if isinstance(item, SummaryItem)]) < 2
    if tokens - kept_tokens < MIN_SOURCE_TOKENS or (not new and alone):
        return None
    target_tokens = min(
        state.settings.rolling_target_tokens,
        int((tokens - kept_tokens) * MAX_SHARE_OF_SOURCE),
        int(state.budget.capacity_tokens * MAX_SHARE_OF_CAPACITY),
    )
    depths = [item.summary.depth for item in items if isinstance(item, SummaryItem)]
    return Step(
        kind="roll",
        item_ids=tuple(item.id for item in items),
        first=items[0].first,
        last=items[-1].last,
        source_tokens=tokens,
        target_tokens=max(1, target_tokens),
        depth=1 + max(depths, default=-1),
        quotes=quotes,
    )


def _position(request: Item | None) -> int:
    match request:
        case SummaryItem(quoted=quoted) if quoted is not None:
            return quoted.seq
        case MessageItem():
            return request.first
        case _:
            return 0


def _tokens(request: Item | None) -> int:
    """What the request itself costs, which no summary of it can save."""
    match request:
        case SummaryItem(quoted=quoted) if quoted is not None:
            return quoted.tokens
        case MessageItem():
            return request.tokens
        case _:
            return 0
