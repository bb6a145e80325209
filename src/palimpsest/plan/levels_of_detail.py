"""Filling a window of a given size: which messages stay verbatim, which are pruned, and how large the outline is.

- The size is divided into the tail, the ledger, and the outline of everything before the tail.
- The tail is the newest whole groups. What the model has not seen stays verbatim if it fits. Going back, a group is
  taken as long as its pruned form fits the tail. The newest groups then stay verbatim as far as there is room; the
  large results of the others are pruned to head and tail.
- Everything that was outlined before is outlined again, from the messages themselves, never from an outline. What comes
  before and after the newest request, which stays verbatim, gets an outline each. So does what comes before and after
  the newest system message, which counts towards the size. A tool group around either is pruned if it comes last.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, inf

from palimpsest.budget.assemble import count_stub, count_summary
from palimpsest.budget.ledger_and_pins import ledger_tokens_of
from palimpsest.budget.pruned_messages import default_rooms, pruned_note
from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.plan.blocks import (
    MIN_SOURCE_TOKENS,
    Block,
    blocks,
    is_record,
    items_of,
    message_tokens,
    movable_runs,
    newest_request,
    summary_step,
    tokens_of,
)
from palimpsest.record.decision import Budget, State, Step, step_over
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, SummaryItem
from palimpsest.settings import Settings

TAIL_SHARE = 0.1
"""The tail's share of a size that is asked for."""
REQUEST_SHARE = 0.3
"""Of a size that is asked for, what the newest request may take verbatim. A larger one is part of the outline, where
its head and tail are shown."""
CAPACITY_SHARE = 0.55
"""Of the capacity without the fixed parts, the most that a window takes after an automatic compaction."""
BY_HAND_SHARE = 0.5
"""Of what was not compacted yet, the most that stays when a compaction to less than the target is asked for."""
TAIL_POWER = 1.5
"""How fast the tail shrinks with the window."""
MOST_TAIL_SHARE = 0.5
"""The most that the tail takes of a target."""
UNSEEN_SHARE = 0.75
"""The most that the tail takes of a target for messages that the model has not seen: they are needed next."""
LEAST_PRUNED_TOKENS = 200
"""Smaller messages are not pruned."""
LEAST_RESULT_TOKENS, RESULT_PART = 60, 30
"""A pruned result takes one part in so many of a window, and not less than this."""
LEAST_OUTLINE_TOKENS = 160
TWO_OUTLINES_TOKENS = 1_000
"""A smaller outline is not split by the newest request, but contains it."""
AGE_MESSAGES = 200
"""After so many more messages, a message weighs less than half."""
SLACK_TOKENS = 8
"""Counts of parts do not quite add up."""
MAX_FLOOR_TOKENS = 50_000
"""A window of this size is compacted, however large the model's own window is."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The parts of a window in tokens, without the fixed parts of a request.

    `request` is the most that the newest request takes of it verbatim, 0 where the request is not counted.
    """

    tail: int
    ledger: int
    outline: int
    request: int = 0

    @property
    def total(self) -> int:
        """All parts together."""
        return self.tail + self.ledger + self.outline


def target_sizes(settings: Settings, budget: Budget, by_hand: Window | None = None) -> Sizes:
    """The sizes after an automatic compaction.

    A compaction that somebody asks for of the window `by_hand` makes it smaller even below the target: half of what was
    not compacted before leaves.
    """
    room = budget.capacity_tokens - budget.regions.fixed - budget.regions.pins
    most = sys.maxsize
    if by_hand is not None:
        records = by_hand.tokens - by_hand.verbatim_tokens
        most = records + budget.regions.ledger + int(by_hand.verbatim_tokens * BY_HAND_SHARE)
    return sizes_in(settings, room, most)


def sizes_in(settings: Settings, room_tokens: int, most_tokens: int = sys.maxsize) -> Sizes:
    """The sizes where a request has so much room beside its fixed parts.

    In a smaller window the tail has a smaller share, because the user's words are no fewer there.
    """
    target = settings.window_target_tokens
    size = min(target, int(max(0, room_tokens) * CAPACITY_SHARE), most_tokens)
    ledger = ledger_tokens_of(settings, size)
    tail = int(settings.tail_tokens * min(1.0, size / max(1, target)) ** TAIL_POWER)
    tail = min(tail, int(size * MOST_TAIL_SHARE))
    return Sizes(tail, ledger, max(0, size - tail - ledger))


def asked_sizes(settings: Settings, budget: Budget, under_tokens: int) -> Sizes:
    """The sizes with which a request uses at most `under_tokens`."""
    fixed_tokens = budget.regions.fixed + budget.regions.pins + PREFACE_TOKENS
    size = max(0, under_tokens - budget.correction_tokens - fixed_tokens)
    ledger = ledger_tokens_of(settings, size)
    tail = int((size - ledger) * TAIL_SHARE)
    return Sizes(tail, ledger, max(0, size - tail - ledger), max(1, int(size * REQUEST_SHARE)))


Pruned = Callable[[Item], tuple[str, int]]
"""The note and tokens of an item's pruned form; "" and its own tokens where it has none that is smaller."""


def fill(state: State, sizes: Sizes, seen: int, summarizer: str) -> tuple[Step, ...]:
    """The steps that make the window that large: pruning, then outlines with what the tail leaves of its share.

    `seen` is the position of the newest message that the model has seen.
    """
    window = state.window
    every = [_with_request(block, window, sizes) for block in blocks(window)]
    sizes = _for_unseen(sizes, every, seen)
    result_tokens = max(LEAST_RESULT_TOKENS, sizes.total // RESULT_PART)
    pruned_form = _pruned_forms(state.reading_tool, result_tokens, newest_request(window))
    tail = _tail_blocks(every, sizes.tail, seen, pruned_form)
    before, kept = every[: len(every) - tail], every[len(every) - tail :]
    replaceable = [block for block in before if block.movable or sizes.request]
    spare = max(0, sizes.outline - sum(block.tokens for block in replaceable))
    alone = _pruning(_staying_end(before), 0, pruned_form)
    pruned = _pruning(kept, sizes.tail + spare, pruned_form)
    room = sizes.tail + sizes.outline - tokens_of(items_of(kept)) + _saved_tokens(pruned)
    staying = (block for block in before if not block.movable and (sizes.request or block.told))
    room -= max(0, sum(block.tokens for block in staying) - _saved_tokens(alone))
    steps = (*alone, *pruned, *_outlines(before, room, summarizer))
    return tuple(step for step in steps if step.item_ids not in state.refused)


def _for_unseen(sizes: Sizes, every: Sequence[Block], seen: int) -> Sizes:
    """The sizes of a target, with a tail that holds what the model has not seen, if that is not too much."""
    unseen = sum(block.tokens for block in every if block.items[-1].last > seen)
    room = sizes.tail + sizes.outline
    if sizes.request or not sizes.tail < unseen <= room * UNSEEN_SHARE:
        return sizes
    return replace(sizes, tail=unseen, outline=room - unseen)


def _with_request(block: Block, window: Window, sizes: Sizes) -> Block:
    """The block, made movable if it is the newest request and is too large, or would split a small outline."""
    most = sizes.request if sizes.outline >= TWO_OUTLINES_TOKENS else min(sizes.request, 1)
    too_large = 0 < most < block.tokens and newest_request(window) in block.items
    return replace(block, movable=True) if too_large and block.settled and not block.told else block


def _pruned_forms(tool: str, most_tokens: int, request: Item | None) -> Pruned:
    """The pruned forms of messages, each made once. No result takes more than `most_tokens`."""

    @cache
    def pruned_form(item: Item) -> tuple[str, int]:
        if not isinstance(item, MessageItem) or item.tokens < LEAST_PRUNED_TOKENS:
            return "", item.tokens
        if item is request or item.stored.open:
            return "", item.tokens
        message = item.stored.message
        rooms = [room if room == inf else min(room, most_tokens) for room in default_rooms(message, tool)]
        note = pruned_note(item.id, message, item.tokens, rooms, tool)
        tokens = count_stub(message, note) if note else item.tokens
        return (note, tokens) if tokens < item.tokens else ("", item.tokens)

    return pruned_form


def _tail_blocks(every: Sequence[Block], tail_tokens: int, seen: int, pruned_form: Pruned) -> int:
    """How many of the newest blocks fit the tail in their pruned forms.

    What the model has not seen is among them, and counts in full where it fits so.
    """
    count, size = 0, 0
    unseen_fits = sum(block.tokens for block in every if block.items[-1].last > seen) <= tail_tokens
    for block in reversed(every):
        if any(map(is_record, block.items)):
            break
        unseen = not block.settled or block.items[-1].last > seen
        size += block.tokens if unseen and unseen_fits else sum(pruned_form(item)[1] for item in block.items)
        if size > tail_tokens and not unseen:
            break
        count += 1
    return count


def _pruning(tail: Sequence[Block], tail_tokens: int, pruned_form: Pruned) -> list[Step]:
    """The steps that prune the oldest part of the tail, which has no room verbatim."""
    room = tail_tokens - sum(pruned_form(item)[1] for block in tail for item in block.items)
    steps: list[Step] = []
    for item in reversed(items_of(tail)):
        note, tokens = pruned_form(item)
        if not note or item.tokens - tokens <= room:
            room -= item.tokens - tokens
        else:
            steps.append(step_over("stub", (item,), tokens, note=note))
    return steps


def _staying_end(before: Sequence[Block]) -> Sequence[Block]:
    """The blocks at the end that no outline takes: the newest request, a system message, or a group around one."""
    end = len(before)
    while end and not before[end - 1].movable:
        end -= 1
    return before[end:]


def _saved_tokens(steps: Iterable[Step]) -> int:
    return sum(step.source_tokens - step.target_tokens for step in steps)


def _outlines(before: Sequence[Block], room: int, summarizer: str) -> Iterator[Step]:
    """A summary of each run of movable blocks, the smallest first; they share the room by their messages and age."""
    every = [items_of(run) for run in movable_runs(before)]
    found = [run for run in every if _is_worth(run)]
    left = room - sum(tokens_of(run) for run in every if not _is_worth(run))
    last = before[-1].items[-1].last if before else 0
    weight = sum(_weight(run, last) for run in found)
    for run in sorted(found, key=lambda run: _weight(run, last)):
        tokens, fence = tokens_of(run), _fence_tokens(run)
        share = int(left * _weight(run, last) / weight) - fence
        target = max(min(share, tokens - fence - 1), min(LEAST_OUTLINE_TOKENS, tokens // 2))
        left, weight = left - target - fence, weight - _weight(run, last)
        yield summary_step(None, run, target, summarizer=summarizer)


def _fence_tokens(run: Sequence[Item]) -> int:
    """About what the fence around the summary of a run takes."""
    sources = tuple(item.id for item in run if isinstance(item, SummaryItem))
    empty = Summary("", 1, "", 0, run[0].first, run[-1].last, sources, "extractive", "", 0.0, 0.0)
    return SLACK_TOKENS + count_summary(empty)


def _weight(run: Sequence[Item], last: int) -> float:
    """How much a run weighs when the room is shared: older messages, far before the position `last`, weigh less."""
    return exp((run[-1].last - last) / AGE_MESSAGES) - exp((run[0].first - 1 - last) / AGE_MESSAGES)


def _is_worth(run: Sequence[Item]) -> bool:
    """Whether there is something new to outline, or several outlines to merge."""
    records, tokens = sum(map(is_record, run)), message_tokens(run)
    return tokens >= MIN_SOURCE_TOKENS or records > 1 or (records == 1 and tokens > 0)
