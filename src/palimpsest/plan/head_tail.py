"""Policies that keep both ends of a window: pruning and summarizing the middle, or dropping it.

Source: the page on the compression technique ("Protect the head", "Protect the tail", "Alternatives").

- The head is the first exchanges: a user message, and the assistant's first answer with the tool group it opens. It
  ends early where it would take more than a quarter of the trigger, and at the first item that is no message.
- The tail is filled from the end, by whole tool groups, up to its budget. The group that reaches the budget belongs to
  it if it goes no more than half beyond. It has at least `fresh_tail_count` messages.
- The budget is `tail_tokens`, and never more than half the trigger, so that small windows have a middle.
- The drop policy replaces the middle by a note that names its ends. Without a head (`head_turns = 0`) the window
  slides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from palimpsest.budget.regions import trigger
from palimpsest.plan.blocks import (
    MIN_SOURCE_TOKENS,
    OMITTED_TOKENS,
    Block,
    blocks,
    decide,
    is_message,
    items_of,
    readable_part,
    runs,
    summary_step,
    tokens_of,
)
from palimpsest.plan.pruning import prune, unfinished
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.log import Numbers
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem

HEAD_SHARE_OF_TRIGGER = 1 / 4
TAIL_SHARE_OF_TRIGGER = 1 / 2
SOFT_CEILING = 1.5
"""A group that reaches the tail's budget may go this far beyond it."""
SUMMARY_SHARE = 1 / 5
MIN_SUMMARY_TOKENS = 2_000
MAX_SUMMARY_TOKENS = 12_000
MAX_SHARE_OF_CAPACITY = 1 / 4
PRUNED_ENOUGH = 0.8
"""Pruning alone suffices where it brings the context under this share of the trigger. Otherwise the next compaction
would follow at once, and each of them changes the prefix that a provider has cached."""
MIN_DROPPED_TOKENS = OMITTED_TOKENS + 120
"""Dropping less is not worth a change of the prefix."""


def tail_budget(state: State) -> int:
    """How many tokens the tail may have."""
    most = int(trigger(state.budget, state.settings)[0] * TAIL_SHARE_OF_TRIGGER)
    return min(state.settings.tail_tokens or most, most)


def ends(state: State) -> tuple[int, int]:
    """Where the middle begins and ends, as a slice of the window's items."""
    every = blocks(state.window)
    head = _head(every, state.settings.head_turns, trigger(state.budget, state.settings)[0])
    size = _tail(every, tail_budget(state), state.settings.fresh_tail_count)
    return head, max(head, len(state.window.items) - size)


def middle(state: State, *, but: Item | None = None) -> list[list[Block]]:
    """The runs of movable blocks between the ends, oldest first, without the item `but`."""
    first, last = ends(state)
    within = runs(
        blocks(state.window),
        lambda block: block.movable and first <= block.start and block.end <= last and but not in block.items,
    )
    return list(within)


def newest_answer(window: Window) -> Item | None:
    """The newest message in which the assistant answers with words, and calls no tool."""
    for item in reversed(window.items):
        if isinstance(item, MessageItem) and item.stored.message.role == "assistant":
            message = item.stored.message
            if message.text.strip() and not message.calls:
                return item
    return None


def _head(every: Sequence[Block], turns: int, trigger_tokens: int) -> int:
    """How many items the head has."""
    size = tokens = answered = 0
    asked = False
    for block in every:
        tokens += block.tokens
        messages = [item.stored.message for item in block.items if is_message(item)]
        if answered >= turns or not messages or tokens > trigger_tokens * HEAD_SHARE_OF_TRIGGER:
            break
        size += len(block.items)
        roles = {message.role for message in messages}
        asked = asked or "user" in roles
        if asked and "assistant" in roles:
            answered, asked = answered + 1, False
    return size


def _tail(every: Sequence[Block], budget_tokens: int, least: int) -> int:
    """How many items the tail has."""
    size = tokens = 0
    for block in reversed(every):
        full = tokens >= budget_tokens or tokens + block.tokens > budget_tokens * SOFT_CEILING
        if not is_message(block.items[0]) or (size >= least and full):
            break
        tokens += block.tokens
        size += len(block.items)
    return size


def head_tail(state: State) -> Decision:
    """Pruning, then a summary of the middle, over the trigger; pruning that was interrupted is finished under it."""
    settings, window, used_tokens = state.settings, state.window, state.budget.used_tokens
    limit, numbers = trigger(state.budget, settings)
    under = Decision((), "no compaction: the context is under the trigger", numbers)
    pruned_before = any(isinstance(item, StubItem) and not item.gated for item in window.items)
    if used_tokens <= limit and not pruned_before:
        return under
    first, last = ends(state)
    numbers = (
        *numbers,
        ("head_items", first),
        ("tail_items", len(window.items) - last),
        ("tail_budget_tokens", tail_budget(state)),
    )
    if unfinished(state, first, last):
        return prune(state, first, last, "prune: interrupted before, now finished", numbers, page=True)
    if used_tokens <= limit:
        return under
    if settings.message_rule == "gate" and window.last < settings.summarize_message_threshold:
        return Decision((), "no compaction: fewer messages than summarize_message_threshold", numbers)
    summary = compact_middle(state, "summary of the middle: over the trigger", numbers)
    pruned = prune(state, first, last, "prune: old bulk, over the trigger", numbers, page=True)
    saved = sum(step.source_tokens - step.target_tokens for step in pruned.steps)
    enough = used_tokens - saved <= limit * PRUNED_ENOUGH
    if pruned.steps and (enough or not summary.steps or state.summarizer_rests):
        return pruned
    if summary.steps and state.summarizer_rests:
        return Decision((), "no compaction: the summarizer failed lately, and rests", numbers)
    return summary


def prune_and_compact(state: State) -> Decision:
    """Stubs for old bulk, then a summary of the middle, whether or not they are needed."""
    pruned = prune(state, *ends(state), "prune: old bulk", page=True)
    if not pruned.steps:
        return compact_middle(state, "summary of the middle: asked for")
    then = tuple(_steps(replace(state, window=_after(state.window, pruned))))
    if not then:
        return pruned
    return replace(pruned, reason=f"{pruned.reason}, then a summary of the middle", then=then)


def _after(window: Window, pruned: Decision) -> Window:
    """The window as pruning is expected to leave it."""
    stubs = {step.item_ids[0]: step for step in pruned.steps}
    items = (
        StubItem(f"+{item.id}", item.stored, step.note, step.target_tokens)
        if is_message(item) and (step := stubs.get(item.id))
        else item
        for item in window.items
    )
    return replace(window, items=tuple(items))


def compact_middle(state: State, reason: str, numbers: Numbers = ()) -> Decision:
    """One summary of the oldest part of the middle that is worth one."""
    found = decide(state, _steps(state), reason, "no summary: the middle is not worth one", numbers, most=1)
    sizes = tuple(("source_tokens", step.source_tokens) for step in found.steps)
    return replace(found, numbers=(*numbers, *sizes))


def _steps(state: State) -> Iterator[Step]:
    for run in middle(state, but=newest_answer(state.window)):
        items = readable_part(run, state.budget.capacity_tokens)
        tokens = tokens_of(items)
        summaries = [item for item in items if isinstance(item, SummaryItem)]
        target = target_tokens(tokens, state.budget.capacity_tokens)
        is_new = tokens - tokens_of(summaries) >= MIN_SOURCE_TOKENS or len(summaries) > 1
        if tokens > target and is_new:
            yield summary_step("roll", items, target)


def target_tokens(source_tokens: int, capacity_tokens: int) -> int:
    """The size aimed at by a summary of a source of this size."""
    wanted = max(MIN_SUMMARY_TOKENS, int(source_tokens * SUMMARY_SHARE))
    return max(1, min(MAX_SUMMARY_TOKENS, wanted, int(capacity_tokens * MAX_SHARE_OF_CAPACITY)))


def drop(state: State) -> Decision:
    """The oldest run of the middle as a note, over the trigger."""
    limit, numbers = trigger(state.budget, state.settings)
    if state.budget.used_tokens <= limit:
        return Decision((), "nothing dropped: the context is under the trigger", numbers)
    return drop_middle(state, "drop: over the trigger", numbers)


def drop_middle(state: State, reason: str = "drop: asked for", numbers: Numbers = ()) -> Decision:
    """The oldest run of the middle as a note, whether or not it is needed."""
    steps = (
        step_over("omit", items, OMITTED_TOKENS)
        for items in map(items_of, middle(state))
        if tokens_of(item for item in items if not isinstance(item, OmittedItem)) >= MIN_DROPPED_TOKENS
    )
    return decide(state, steps, reason, "nothing dropped: there is no middle", numbers, most=1)
