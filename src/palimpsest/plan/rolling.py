"""The rolling policy: one summary of everything older, updated at each compaction.

Sources: the page on Crabtalk's compaction (`cuts_at = "everything"`: after a step, one summary replaces the whole
history and quotes the newest request), and the page on PicoClaw's context architecture (`cuts_at = "turns"`: after a
turn, the oldest messages up to a safe boundary).

- It starts over the trigger. With `message_rule = "trigger"` it also starts over a number of messages that no summary
  covers; with `"gate"`, never before a number of messages in all.
- It takes the earlier summary and what follows, up to the cut. A cut at turns snaps to the nearest user message, so
  that no turn is split however large it is.
- The newest request stays verbatim: as an item between two summaries where it is older than the cut, or quoted where
  everything is taken. The summary then also shows the tool group in progress, as far as there is room.
- No step takes more than the capacity holds, because its summarizer could not read it. A longer history is summarized
  part by part, each summary being the start of the next. Parts end between turns where turns stay whole, so a part may
  be one larger turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from palimpsest.budget.regions import is_over, trigger
from palimpsest.plan.blocks import (
    MIN_SOURCE_TOKENS,
    Block,
    blocks,
    decide,
    group_in_progress,
    is_message,
    items_of,
    movable_runs,
    newest_request,
    readable_part,
    runs,
    shown_request,
    summary_step,
    tokens_of,
    turn_history,
)
from palimpsest.plan.turns import find_safe_boundary, parse_turn_boundaries
from palimpsest.record.decision import Decision, State, Step
from palimpsest.record.log import Numbers, Stored
from palimpsest.record.window_items import Item, SummaryItem

MAX_SHARE_OF_SOURCE = 1 / 2
"""A rolling summary aims at no more than this share of what it replaces."""
MAX_SHARE_OF_CAPACITY = 1 / 4
"""It aims at no more than this share of the capacity, so that a small window is not filled by its summary."""
SURROUND_TOKENS = 160
"""About what the fence of a first summary and the preface cost."""
MIN_TARGET_TOKENS = 64
"""The least that is aimed at: a shorter text would say nothing."""
LEAST_SHARE_OF_CAPACITY = 1 / 8
"""The least that is aimed at where the newest messages leave little room. What is cut from the one summary of
everything is gone from the window for good, while their bulk can be pruned."""
GROUP_SHARE = 1 / 2
"""The tool group in progress may take this share of the room under the trigger, and of what is replaced."""


def rolling(state: State) -> Decision:
    """The next rolling summary, where one is needed."""
    settings = state.settings
    over, numbers = is_over(state.budget, settings)
    waiting = sum(map(is_message, state.window.items))
    threshold = settings.summarize_message_threshold
    numbers = (
        *numbers,
        ("messages", state.window.last),
        ("messages_outside_summaries", waiting),
        ("summarize_message_threshold", threshold),
    )
    if settings.message_rule == "trigger" and waiting > threshold:
        return roll(state, "roll: more messages than summarize_message_threshold", numbers)
    if not over:
        return Decision((), "no rolling summary: the context is under the trigger", numbers)
    if settings.message_rule == "gate" and state.window.last < threshold:
        return Decision((), "no rolling summary: fewer messages than summarize_message_threshold", numbers)
    return roll(state, "roll: over the trigger", numbers)


def roll(state: State, reason: str = "roll: asked for", numbers: Numbers = ()) -> Decision:
    """A rolling summary of all that may go, whether or not one is needed."""
    return decide(
        state, _steps(state), reason, "no rolling summary: nothing may go that would shrink", numbers
    )


def _steps(state: State) -> Iterator[Step]:
    every = blocks(state.window)
    quoted = None
    if state.settings.cuts_at == "everything":
        quoted = shown_request(newest_request(state.window))
        found = runs(takewhile(lambda block: block.settled, every), lambda block: not block.told)
    else:
        cut = _cut(state)
        found = movable_runs(takewhile(lambda block: block.end <= cut, every))
    for run in found:
        step = _step(state, _readable(state, run), quoted)
        if step is not None:
            yield step


def _readable(state: State, run: Sequence[Block]) -> Sequence[Item]:
    """The first items of a run that one step takes. Where turns stay whole, those of whole turns, and at least one."""
    taken = readable_part(run, state.budget.capacity_tokens)
    items = items_of(run)
    if state.settings.cuts_at != "turns" or len(taken) == len(items):
        return taken
    opening = next((index for index, item in enumerate(items) if is_message(item)), 0)
    ends = [end for end in (*parse_turn_boundaries(turn_history(items)), len(items)) if end > opening]
    return items[: max((end for end in ends if end <= len(taken)), default=ends[0])]


def _cut(state: State) -> int:
    """Where the verbatim tail begins, as an index into the items."""
    items = state.window.items
    target = len(items) - state.settings.fresh_tail_count
    if state.settings.cuts_at == "groups" or target <= 0:
        return target
    return find_safe_boundary(turn_history(items), target)


def _step(state: State, items: Sequence[Item], request: Stored | None) -> Step | None:
    """The step that replaces these items, None where nothing among them is new or they are too small to shrink.

    The summary fits the room that the rest leaves. Where that is hardly any, the rest has to shrink, and the summary is
    not cut for it. A request among the items is quoted after the summary, so its cost cannot be saved.
    """
    tokens = tokens_of(items)
    quoted = request if any(shown_request(item) is request for item in items) else None
    kept_tokens = quoted.tokens if quoted is not None else 0
    summaries = sum(isinstance(item, SummaryItem) for item in items)
    is_new = any(is_message(item) and shown_request(item) is not quoted for item in items)
    if tokens - kept_tokens < MIN_SOURCE_TOKENS or (not is_new and summaries < 2):
        return None
    capacity_tokens = state.budget.capacity_tokens
    others_tokens = state.budget.used_tokens - tokens + kept_tokens
    target_tokens = min(
        state.settings.rolling_target_tokens,
        int((tokens - kept_tokens) * MAX_SHARE_OF_SOURCE),
        int(capacity_tokens * MAX_SHARE_OF_CAPACITY),
        max(_least_tokens(state), capacity_tokens - others_tokens - SURROUND_TOKENS),
    )
    quotes = quoted.seq if quoted is not None else 0
    step = summary_step("roll", items, max(1, target_tokens), quotes=quotes)
    group_tokens = _group_tokens(state, items, tokens - kept_tokens, others_tokens + target_tokens)
    return replace(step, group_tokens=group_tokens)


def _least_tokens(state: State) -> int:
    """The least that a summary aims at, beside the newest request."""
    request, capacity_tokens = newest_request(state.window), state.budget.capacity_tokens
    others_tokens = state.budget.used_tokens - state.window.tokens
    room_tokens = capacity_tokens - others_tokens - (request.tokens if request else 0) - SURROUND_TOKENS
    return max(MIN_TARGET_TOKENS, min(int(capacity_tokens * LEAST_SHARE_OF_CAPACITY), room_tokens))


def _group_tokens(state: State, items: Sequence[Item], source_tokens: int, others_tokens: int) -> int:
    """The room for the tool group in progress in a summary of these items, 0 where it is not among them."""
    if not any(item in items for item in group_in_progress(state.window)):
        return 0
    limit_tokens, _ = trigger(state.budget, state.settings)
    free_tokens = min(limit_tokens, state.budget.capacity_tokens) - others_tokens - SURROUND_TOKENS
    return max(MIN_TARGET_TOKENS, int(min(free_tokens, source_tokens) * GROUP_SHARE))
