"""The hierarchical policy: leaves from the oldest messages, condensed summaries from the oldest leaves.

Source: the page on PicoClaw's context compression. Its numbers are the defaults in `settings`.

- A leaf covers the oldest contiguous run of messages outside the fresh tail that has at least `leaf_min_fanout`
  messages or `leaf_chunk_tokens` tokens. Either suffices, so a few huge messages never stall it. It ends
  with the tool group that reaches `leaf_chunk_tokens`, or before that group where it has `leaf_min_fanout` messages.
- Condensing starts when the context is over the trigger. It takes consecutive summaries of the shallowest depth that
  has `condensed_min_fanout` of them, and the messages between them that are too few for a leaf of their own.
- A step whose result was not smaller is in `State.refused`. It is not planned again until its items change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.budget.regions import is_over
from palimpsest.plan.blocks import (
    MIN_SOURCE_TOKENS,
    Block,
    blocks,
    decide,
    items_of,
    message_runs,
    newest_request,
    summary_step,
    tokens_of,
)
from palimpsest.record.decision import Decision, State, Step
from palimpsest.record.log import Numbers
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, OmittedItem, SummaryItem
from palimpsest.settings import Settings

MIN_LEAF_SOURCE_TOKENS = 134
"""A smaller leaf would not be smaller than its source: its fence and the shortest text."""
MAX_LEAVES = 500
"""The most leaves of one decision."""
CONDENSE_SOURCE_TOKENS = 20_000
"""One condensed summary is made from at most this much, so that a summarizer's own window is never the limit."""


def chunks(run: Sequence[Block], settings: Settings) -> Iterator[list[Block]]:
    """A run cut into leaves. Each but the last has `leaf_chunk_tokens` or `leaf_min_fanout` messages."""
    taken: list[Block] = []
    tokens = 0
    for block in run:
        if tokens + block.tokens > settings.leaf_chunk_tokens and _is_long(taken, settings):
            yield taken
            taken, tokens = [], 0
        taken.append(block)
        tokens += block.tokens
        if tokens >= settings.leaf_chunk_tokens:
            yield taken
            taken, tokens = [], 0
    if taken:
        yield taken


def qualifies(run: Sequence[Block], settings: Settings) -> bool:
    """Whether a run is long or large enough for an ordinary leaf, and can shrink at all."""
    return _is_long(run, settings) and tokens_of(items_of(run)) >= MIN_LEAF_SOURCE_TOKENS


def _is_long(run: Sequence[Block], settings: Settings) -> bool:
    items = items_of(run)
    return len(items) >= settings.leaf_min_fanout or tokens_of(items) >= settings.leaf_chunk_tokens


def leaf_steps(run: Sequence[Block], settings: Settings, *, rest: bool = True) -> Iterator[Step]:
    """The steps that turn a run into leaves of about the target size, and of half their source at most.

    The `rest` of it that meets no threshold becomes a leaf too.
    """
    for chunk in chunks(run, settings):
        items = items_of(chunk)
        tokens = tokens_of(items)
        if tokens >= MIN_SOURCE_TOKENS if rest else qualifies(chunk, settings):
            yield summary_step("leaf", items, min(settings.leaf_target_tokens, tokens // 2))


def leaf(state: State, most: int = 1) -> Decision:
    """Leaves from the oldest qualifying run outside the fresh tail, at most so many; none where no run qualifies."""
    settings = state.settings
    none = "no leaf: too few messages outside the fresh tail"
    numbers: Numbers = ()
    for run in message_runs(state.window, settings.fresh_tail_count):
        items = items_of(run)
        numbers = (
            ("run_messages", len(items)),
            ("run_tokens", tokens_of(items)),
            ("leaf_min_fanout", settings.leaf_min_fanout),
            ("leaf_chunk_tokens", settings.leaf_chunk_tokens),
        )
        steps = leaf_steps(run, settings, rest=False)
        decision = decide(state, steps, "leaf: enough messages outside the fresh tail", none, numbers, most)
        if decision.steps:
            return decision
    return Decision((), none, numbers)


def leaves(state: State) -> Decision:
    """All leaves that a backlog needs, in one decision."""
    return leaf(state, MAX_LEAVES)


def summary_runs(window: Window, settings: Settings, *, same_depth: bool) -> Iterator[list[Item]]:
    """Maximal runs of consecutive summaries, of one depth or of any, oldest first.

    Messages between two summaries that are too few for a leaf, such as an old user request, belong to the run. No
    leaf could ever take them, and they would separate the summaries forever.
    """
    request = newest_request(window)
    run: list[Item] = []
    between: list[Block] = []
    depth = 0
    for block in blocks(window, settings.fresh_tail_count):
        item = block.items[0]
        if isinstance(item, SummaryItem) and item is not request:
            if run and same_depth and item.summary.depth != depth:
                yield run
                run = []
            run = [*run, *(items_of(between) if run else ()), item]
            depth, between = item.summary.depth, []
            continue
        between.append(block)
        small = block.movable and not isinstance(item, OmittedItem) and not _is_long(between, settings)
        if run and not small:
            yield run
            run = []
    if run:
        yield run


def shallowest_first(state: State) -> list[list[Item]]:
    """The runs of summaries of one depth, the shallowest first, and the oldest first within one depth."""
    found = summary_runs(state.window, state.settings, same_depth=True)
    return sorted(found, key=lambda run: run[0].summary.depth if isinstance(run[0], SummaryItem) else 0)


def condense_steps(run: Sequence[Item], settings: Settings, min_fanout: int) -> Iterator[Step]:
    """The steps that merge the summaries of a run, oldest first. Too few at its end are left."""
    while step := _condense_step(run, settings, min_fanout):
        yield step
        run = run[len(step.item_ids) :]


def _condense_step(run: Sequence[Item], settings: Settings, min_fanout: int) -> Step | None:
    """The step that merges the oldest summaries of a run, as many as one call takes, and at least `min_fanout`."""
    count = tokens = 0
    taken: Sequence[Item] = ()
    for end, item in enumerate(run, 1):
        tokens += item.tokens
        if not isinstance(item, SummaryItem):
            continue
        if count >= min_fanout and tokens > CONDENSE_SOURCE_TOKENS:
            break
        count += 1
        taken = run[:end]
    source_tokens = tokens_of(taken)
    if count < min_fanout or source_tokens < MIN_SOURCE_TOKENS:
        return None
    return summary_step("condense", taken, min(settings.condensed_target_tokens, source_tokens // 2))


def condense(state: State) -> Decision:
    """One condensed summary of the shallowest depth with enough consecutive ones, when the context is over the
    trigger.
    """
    settings = state.settings
    over, numbers = is_over(state.budget, settings)
    messages, threshold = state.window.last, settings.summarize_message_threshold
    numbers = (*numbers, ("messages", messages), ("summarize_message_threshold", threshold))
    if not over:
        return Decision((), "no condensing: the context is under the trigger", numbers)
    if messages < threshold:
        return Decision((), "no condensing: fewer messages than summarize_message_threshold", numbers)
    none = "no condensing: too few consecutive summaries of one depth"
    for run in shallowest_first(state):
        count = sum(isinstance(item, SummaryItem) for item in run)
        reason = f"condense: over the trigger, {count} summaries of one depth"
        steps = condense_steps(run, settings, settings.condensed_min_fanout)
        decision = decide(state, steps, reason, none, numbers, most=1)
        if decision.steps:
            return decision
    return Decision((), none, numbers)


def leaves_or_condense(state: State) -> Decision:
    """The hierarchical policy in one: leaves where they are needed, else condensing."""
    decision = leaves(state)
    return decision if decision.steps else condense(state)
