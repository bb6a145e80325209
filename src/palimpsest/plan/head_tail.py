"""Both ends of a window, and the middle between them.

Source: the page on the compression technique ("Protect the head", "Protect the tail").

- The head is the first exchanges: a user's message, and the assistant's first answer with the tool group it opens. It
  ends early where it would take more than a quarter of the trigger, and at the first item that is no message.
- The tail is filled from the end, by whole tool groups, up to its budget; the group that reaches the budget belongs
  to it where it goes no more than half beyond. It has at least `fresh_tail_count` messages.
- The budget is `tail_tokens`, and never more than half the trigger, so that small windows have a middle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from palimpsest.budget.regions import trigger
from palimpsest.plan.hierarchical import MIN_SOURCE_TOKENS, Block, blocks
from palimpsest.plan.pruning import prune, unfinished
from palimpsest.plan.rolling import readable_part
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.log import Numbers
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, StubItem, SummaryItem

HEAD_SHARE_OF_TRIGGER = 1 / 4
TAIL_SHARE_OF_TRIGGER = 1 / 2
SOFT_CEILING = 1.5
"""A group that reaches the tail's budget may go so far beyond it."""


def tail_budget(state: State) -> int:
    """How many tokens the tail may have."""
    most = int(trigger(state.budget, state.settings)[0] * TAIL_SHARE_OF_TRIGGER)
    return min(state.settings.tail_tokens or most, most)


def ends(state: State) -> tuple[int, int]:
    """Where the middle begins and ends, as a slice of the window's items."""
    every = blocks(state.window, 0)
    head = _head(every, state.settings.head_turns, trigger(state.budget, state.settings)[0])
    size = _tail(every, tail_budget(state), state.settings.fresh_tail_count)
    return head, max(head, len(state.window.items) - size)


def middle(state: State, *, but: Item | None = None) -> list[list[Block]]:
    """The runs of adjacent blocks between the ends that a plan may take, oldest first; `but` is left alone.

    The newest request, open tool groups and messages that may still grow are in none of them.
    """
    first, last = ends(state)
    place = 0
    inside: list[tuple[bool, Block]] = []
    for block in blocks(state.window, 0):
        within = first <= place and place + len(block.items) <= last
        inside.append((within and block.movable and but not in block.items, block))
        place += len(block.items)
    return [[block for _, block in run] for goes, run in groupby(inside, key=lambda one: one[0]) if goes]


def newest_answer(window: Window) -> Item | None:
    """The newest message in which the assistant answers with words, and calls no tool."""
    for item in reversed(window.items):
        if isinstance(item, MessageItem) and item.stored.message.role == "assistant":
            message = item.stored.message
            if message.text.strip() and not message.calls:
                return item
    return None


def _plain(block: Block) -> bool:
    return all(isinstance(item, MessageItem | StubItem) for item in block.items)


def _roles(block: Block) -> set[str]:
    return {item.stored.message.role for item in block.items if isinstance(item, MessageItem | StubItem)}


def _head(every: Sequence[Block], turns: int, trigger_tokens: int) -> int:
    """How many items the head has."""
    size = tokens = answered = 0
    asked = False
    for block in every:
        tokens += block.tokens
        if answered >= turns or not _plain(block) or tokens > trigger_tokens * HEAD_SHARE_OF_TRIGGER:
            break
        size += len(block.items)
        roles = _roles(block)
        asked = asked or "user" in roles
        if asked and "assistant" in roles:
            answered, asked = answered + 1, False
    return size


def _tail(every: Sequence[Block], budget_tokens: int, least: int) -> int:
    """How many items the tail has."""
    size = tokens = 0
    for block in reversed(every):
        tokens += block.tokens
        if not _plain(block):
            break
        if size >= least and (
            tokens - block.tokens >= budget_tokens or tokens > budget_tokens * SOFT_CEILING
        ):
            break
        size += len(block.items)
    return size


SUMMARY_SHARE = 1 / 5
MIN_SUMMARY_TOKENS = 2_000
MAX_SUMMARY_TOKENS = 12_000
MAX_SHARE_OF_CAPACITY = 1 / 4

PRUNED_ENOUGH = 0.8
"""Pruning alone suffices where it brings the context under this share of the trigger; the next one would follow at once
otherwise, and each of them changes the prefix that a provider has cached."""


def head_tail(state: State) -> Decision:
    """What is due: nothing under the trigger, unless pruning was interrupted."""
    limit, numbers = trigger(state.budget, state.settings)
    under = Decision((), "no compaction: the context is under the trigger", numbers)
    pruned_before = any(isinstance(item, StubItem) and not item.gated for item in state.window.items)
    if state.budget.used_tokens <= limit and not pruned_before:
        return under
    first, last = ends(state)
    numbers = (
        *numbers,
        ("head_items", first),
        ("tail_items", len(state.window.items) - last),
        ("tail_budget_tokens", tail_budget(state)),
    )
    if unfinished(state, first, last):
        return prune(state, first, last, "prune: interrupted before, now finished", numbers, page=True)
    if state.budget.used_tokens <= limit:
        return under
    if (
        state.settings.message_rule == "gate"
        and state.window.last < state.settings.summarize_message_threshold
    ):
        return Decision((), "no compaction: fewer messages than summarize_message_threshold", numbers)
    summary = compact_middle(state, "summary of the middle: over the trigger", numbers)
    pruned = prune(state, first, last, "prune: old bulk, over the trigger", numbers, page=True)
    saved = sum(step.source_tokens - step.target_tokens for step in pruned.steps)
    enough = state.budget.used_tokens - saved <= limit * PRUNED_ENOUGH
    if pruned.steps and (enough or not summary.steps or state.summarizer_rests):
        return pruned
    if summary.steps and state.summarizer_rests:
        return Decision((), "no compaction: the summarizer failed lately, and rests", numbers)
    return summary


def prune_and_compact(state: State) -> Decision:
    """Stubs for old bulk, then a summary of the middle, whether or not one is due."""
    pruned = prune(state, *ends(state), "prune: old bulk", page=True)
    if not pruned.steps:
        return compact_middle(state, "summary of the middle: asked for")
    then = tuple(_steps(replace(state, window=_after(state.window, pruned))))
    return (
        replace(pruned, reason=f"{pruned.reason}, then a summary of the middle", then=then)
        if then
        else pruned
    )


def _after(window: Window, pruned: Decision) -> Window:
    """The window as pruning is expected to leave it."""
    stubs = {step.item_ids[0]: step for step in pruned.steps}
    items = (
        StubItem(f"+{item.id}", item.stored, step.note, step.target_tokens)
        if isinstance(item, MessageItem | StubItem) and (step := stubs.get(item.id))
        else item
        for item in window.items
    )
    return replace(window, items=tuple(items))


def compact_middle(state: State, reason: str, numbers: Numbers = ()) -> Decision:
    """One summary of the oldest part of the middle that is worth one."""
    for step in _steps(state):
        if step.item_ids not in state.refused:
            return Decision((step,), reason, (*numbers, ("source_tokens", step.source_tokens)))
    return Decision((), "no summary: the middle is not worth one", numbers)


def _steps(state: State) -> Iterator[Step]:
    answer = newest_answer(state.window)
    for run in middle(state, but=answer):
        step = _step(state, readable_part(run, state.budget.capacity_tokens))
        if step is not None:
            yield step


def target_tokens(source_tokens: int, capacity_tokens: int) -> int:
    """The size aimed at by a summary of a source of this size."""
    wanted = max(MIN_SUMMARY_TOKENS, int(source_tokens * SUMMARY_SHARE))
    return max(1, min(MAX_SUMMARY_TOKENS, wanted, int(capacity_tokens * MAX_SHARE_OF_CAPACITY)))


def _step(state: State, items: list[Item]) -> Step | None:
    tokens = sum(item.tokens for item in items)
    new_tokens = sum(item.tokens for item in items if not isinstance(item, SummaryItem))
    summaries = [item.summary for item in items if isinstance(item, SummaryItem)]
    target = target_tokens(tokens, state.budget.capacity_tokens)
    if tokens <= target or (new_tokens < MIN_SOURCE_TOKENS and len(summaries) < 2):
        return None
    depth = 1 + max((summary.depth for summary in summaries), default=-1)
    return step_over("roll", items, target, depth=depth)
