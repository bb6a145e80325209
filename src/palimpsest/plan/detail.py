"""Filling a window of a given size: which messages stand verbatim, which are pruned, and how large the outline is.

- The size is divided into the tail, the ledger and the outline of everything before the tail.
- The tail is the newest whole groups. What the model has not seen stands verbatim if it fits. Going back, a group is
  taken as long as its pruned form fits the tail; the newest groups then stand verbatim as far as there is room, and the
  large results of the others are pruned to head and tail.
- All that was outlined before is outlined again, from the messages themselves: an outline is never made of an outline.
  What stands on either side of the newest request, which stays verbatim, is outlined apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.budget.assemble import FENCE_TOKENS, count_stub
from palimpsest.budget.beside import ledger_tokens_of
from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.budget.stubs import calls_of, stub_note
from palimpsest.plan.hierarchical import MIN_SOURCE_TOKENS, Block, blocks
from palimpsest.record.decision import Budget, State, Step, step_over
from palimpsest.record.item import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.record.message import ToolCall
from palimpsest.record.window import Window
from palimpsest.settings import Settings

TAIL_SHARE = 0.25
"""Of a size that is asked for, what the tail takes."""
CAPACITY_SHARE = 0.55
"""Of the capacity that the fixed parts leave, the most that a window takes after a compaction of itself."""
BY_HAND_SHARE = 0.5
"""Of what there is, the most that stays where somebody asks for a compaction of less than the target."""
PRUNED_TOKENS = 130
"""What pruning leaves of a large result, about."""
LEAST_PRUNED_TOKENS = 200
"""A message of fewer tokens is not pruned."""
LEAST_OUTLINE_TOKENS = 160
MAX_FLOOR_TOKENS = 50_000
"""A window is compacted from here on, however large it is."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a window is divided into, in tokens, beside the fixed parts of a request."""

    tail: int
    ledger: int
    outline: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.tail + self.ledger + self.outline


def target_sizes(settings: Settings, budget: Budget, history_tokens: int = 0) -> Sizes:
    """The sizes after a compaction of itself; with `history_tokens`, of one that somebody asks for, which makes a
    history of so many tokens smaller even where it is below the target.
    """
    room = budget.capacity_tokens - budget.regions.fixed - budget.regions.pins
    size = min(settings.window_target_tokens, int(max(0, room) * CAPACITY_SHARE))
    if history_tokens:
        size = min(size, int(history_tokens * BY_HAND_SHARE))
    ledger = ledger_tokens_of(settings, size)
    tail = min(settings.tail_tokens, int(size * settings.tail_tokens / max(1, settings.window_target_tokens)))
    return Sizes(tail, ledger, max(0, size - tail - ledger))


def asked_sizes(settings: Settings, budget: Budget, under_tokens: int) -> Sizes:
    """The sizes with which a request uses at most `under_tokens`."""
    room = (
        under_tokens - budget.correction_tokens - budget.regions.fixed - budget.regions.pins - PREFACE_TOKENS
    )
    size = max(0, room)
    ledger = ledger_tokens_of(settings, size)
    tail = int((size - ledger) * TAIL_SHARE)
    return Sizes(tail, ledger, max(0, size - tail - ledger))


def floor_tokens(settings: Settings, budget: Budget) -> int:
    """A request that uses less is compacted only where it would not fit."""
    if not settings.compact_not_below_share:
        return 0
    share = int(budget.window_tokens * settings.compact_not_below_share)
    return min(share, MAX_FLOOR_TOKENS)


def fill(state: State, sizes: Sizes, seen: int, summarizer: str) -> tuple[Step, ...]:
    """The steps that make the window that large: pruning first, then the outline, with what the tail leaves of its
    share. `seen` is the position of the newest message that the model has seen.
    """
    window = state.window
    every = blocks(window, 0)
    tail, pruned = _tail(window, every, sizes.tail, seen)
    before = every[: len(every) - tail]
    kept = _kept_tokens(every[len(every) - tail :], pruned, before)
    room = sizes.tail + sizes.outline - kept
    steps = [*pruned, *_outlines(before, room, summarizer)]
    return tuple(step for step in steps if step.item_ids not in state.refused)


def _tail(window: Window, every: Sequence[Block], tail_tokens: int, seen: int) -> tuple[int, list[Step]]:
    """(how many blocks the tail has, the steps that prune some of their results)."""
    count, size = 0, 0
    for block in reversed(every):
        if any(isinstance(item, SummaryItem | OmittedItem) for item in block.items):
            break
        least = sum(_pruned_tokens(item) for item in block.items)
        unseen = not block.settled or block.items[-1].last > seen
        if size + least > tail_tokens and not unseen:
            break
        size += least
        count += 1
    room = tail_tokens - size
    calls = calls_of(window.items)
    steps: list[Step] = []
    for block in reversed(every[len(every) - count :]):
        for item in reversed(block.items):
            more = item.tokens - _pruned_tokens(item)
            if more <= 0 or more <= room:
                room -= more
            else:
                steps += _pruning(item, calls)
    return count, steps


def _pruning(item: Item, calls: Mapping[str, ToolCall]) -> list[Step]:
    """The step that prunes a message, if that makes it smaller."""
    if not isinstance(item, MessageItem):
        return []
    note = stub_note(item.id, item.stored.message, item.tokens, calls)
    left = count_stub(item.stored.message, note)
    return [step_over("stub", (item,), left, note=note)] if left < item.tokens else []


def _pruned_tokens(item: Item) -> int:
    """What a message takes once it is pruned."""
    if not isinstance(item, MessageItem) or not item.stored.message.results:
        return item.tokens
    return item.tokens if item.tokens < LEAST_PRUNED_TOKENS else min(item.tokens, PRUNED_TOKENS)


def _kept_tokens(tail: Sequence[Block], pruned: Sequence[Step], before: Sequence[Block]) -> int:
    """What stands beside the outline: the tail, and what before it no plan may take."""
    freed = sum(step.source_tokens - step.target_tokens for step in pruned)
    stays = sum(block.tokens for block in before if not block.movable)
    return sum(block.tokens for block in tail) + stays - freed


def _outlines(before: Sequence[Block], room: int, summarizer: str) -> Iterator[Step]:
    """A summary of each run of movable blocks, which share the room by their tokens."""
    runs = [run for run in _runs(before) if _worth(run)]
    total = sum(_weight(run) for run in runs)
    for run in runs:
        tokens = sum(item.tokens for item in run)
        share = int(room * _weight(run) / total) - FENCE_TOKENS
        target = max(min(share, tokens - FENCE_TOKENS - 1), min(LEAST_OUTLINE_TOKENS, tokens // 2))
        older = [item.summary.depth for item in run if isinstance(item, SummaryItem)]
        yield step_over(
            "roll" if older else "leaf",
            run,
            target,
            depth=1 + max(older) if older else 0,
            summarizer=summarizer,
        )


def _weight(run: Sequence[Item]) -> int:
    """How much a run weighs when the room is shared: by the messages under it, not by how short they are now."""
    return sum(item.last - item.first + 1 for item in run)


def _runs(every: Sequence[Block]) -> Iterator[list[Item]]:
    run: list[Item] = []
    for block in every:
        if block.movable:
            run.extend(block.items)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _worth(run: Sequence[Item]) -> bool:
    """Whether there is something new to outline, or several outlines to make one of."""
    records = sum(isinstance(item, SummaryItem | OmittedItem) for item in run)
    raw_tokens = sum(item.tokens for item in run if isinstance(item, MessageItem | StubItem))
    return raw_tokens >= MIN_SOURCE_TOKENS or records > 1 or (records == 1 and raw_tokens > 0)
