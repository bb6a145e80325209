"""The head-and-tail policy: both ends stay verbatim, and the middle becomes one summary, updated at each compaction.

Source: the page on the compression technique, whose numbers are the constants here and the preset `hermes`.

- Over the trigger, old bulk becomes stubs where that brings the context well under it: no model is asked. Otherwise the
  middle becomes a summary, with its bulk; where it is not worth one, or its summarizer rests, what bulk there is goes.
- The newest request and the newest answer stay verbatim, also where they are older than the tail. While one of them
  stands in the middle it parts the summary; the next compaction joins the parts.
- A summary aims at a fifth of its source, at no less than 2,000 tokens and no more than 12,000 (nor than a quarter of
  the capacity), and is not made where the source is not larger than that: a small session never grows.
- After its summarizer failed, a conversation is left alone for `failure_cooldown_s`. The hard limit overrides that; the
  engine then asks no model (`State.summarizer_rests`).
- Every decision follows from the window alone and a summary is one step, so that a compaction that was interrupted
  anywhere goes on to the same window. Stubs are made from the newest on: bulk that is older than a stub shows that
  pruning was interrupted, whatever the trigger says then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from palimpsest.budget.regions import trigger
from palimpsest.plan.ends import ends, middle, newest_answer, tail_budget
from palimpsest.plan.hierarchical import MIN_SOURCE_TOKENS
from palimpsest.plan.prune import prune, unfinished
from palimpsest.plan.rolling import readable_part
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.item import Item, MessageItem, StubItem, SummaryItem
from palimpsest.record.log import Numbers
from palimpsest.record.window import Window

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
