"""Filling a window of a given size: which messages stand verbatim, which are pruned, and how large the outline is.

- The size is divided into the tail, the ledger and the outline of everything before the tail.
- The tail is the newest whole groups. What the model has not seen stands verbatim if it fits. Going back, a group is
  taken as long as its pruned form fits the tail; the newest groups then stand verbatim as far as there is room, and the
  large results of the others are pruned to head and tail.
- All that was outlined before is outlined again, from the messages themselves: an outline is never made of an outline.
  What stands on either side of the newest request, which stays verbatim, is outlined apart.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf

from palimpsest.budget.assemble import count_stub, count_summary
from palimpsest.budget.ledger_and_pins import ledger_tokens_of
from palimpsest.budget.pruned_messages import default_rooms, pruned_note
from palimpsest.budget.regions import PREFACE_TOKENS
from palimpsest.plan.hierarchical import MIN_SOURCE_TOKENS, Block, blocks, newest_request
from palimpsest.record.decision import Budget, State, Step, step_over
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.settings import Settings

TAIL_SHARE = 0.1
"""Of a size that is asked for, what the tail takes."""
REQUEST_SHARE = 0.3
"""Of a size that is asked for, what the newest request may take verbatim; a larger one is part of the outline, where
its head and tail stand."""
CAPACITY_SHARE = 0.55
"""Of the capacity that the fixed parts leave, the most that a window takes after a compaction of itself."""
BY_HAND_SHARE = 0.5
"""Of what was not compacted yet, the most that stays where somebody asks for a compaction of less than the target."""
TAIL_POWER = 1.5
"""How fast the tail shrinks with the window."""
MOST_TAIL_SHARE = 0.5
"""Of a target, the most that the tail takes."""
UNSEEN_SHARE = 0.75
"""Of a target, what the tail may take for messages that the model has not seen: they are needed next."""
LEAST_PRUNED_TOKENS = 200
"""A message of fewer tokens is not pruned."""
LEAST_RESULT_TOKENS, RESULT_PART = 60, 30
"""A pruned result takes one part of so many of a window, and not less than that."""
LEAST_OUTLINE_TOKENS = 160
TWO_OUTLINES_TOKENS = 1_000
"""A smaller outline is not parted by the newest request, but holds it."""
AGE_MESSAGES = 200
"""After so many more messages one weighs less than half."""
SLACK_TOKENS = 8
"""Counts of parts do not quite add up."""
MAX_FLOOR_TOKENS = 50_000
"""A window is compacted from here on, however large it is."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a window is divided into, in tokens, beside the fixed parts of a request. `request` is the most that the
    newest request takes of it verbatim, 0 where that stands beside the rest.
    """

    tail: int
    ledger: int
    outline: int
    request: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.tail + self.ledger + self.outline


def target_sizes(settings: Settings, budget: Budget, by_hand: Window | None = None) -> Sizes:
    """The sizes after a compaction of itself. One that somebody asks for of this window, `by_hand`, makes it smaller
    even where it is below the target: half of what was not compacted before leaves.
    """
    room = budget.capacity_tokens - budget.regions.fixed - budget.regions.pins
    most = sys.maxsize
    if by_hand is not None:
        records = by_hand.tokens - by_hand.verbatim_tokens
        most = records + budget.regions.ledger + int(by_hand.verbatim_tokens * BY_HAND_SHARE)
    return sizes_in(settings, room, most)


def sizes_in(settings: Settings, room_tokens: int, most_tokens: int = sys.maxsize) -> Sizes:
    """The same where a request has so much room beside its fixed parts. In a smaller window the tail has a smaller
    share, because the user's words are no fewer there.
    """
    target = settings.window_target_tokens
    size = min(target, int(max(0, room_tokens) * CAPACITY_SHARE), most_tokens)
    ledger = ledger_tokens_of(settings, size)
    tail = int(settings.tail_tokens * min(1.0, size / max(1, target)) ** TAIL_POWER)
    tail = min(tail, int(size * MOST_TAIL_SHARE))
    return Sizes(tail, ledger, max(0, size - tail - ledger))


def asked_sizes(settings: Settings, budget: Budget, under_tokens: int) -> Sizes:
    """The sizes with which a request uses at most `under_tokens`."""
    room = (
        under_tokens - budget.correction_tokens - budget.regions.fixed - budget.regions.pins - PREFACE_TOKENS
    )
    size = max(0, room)
    ledger = ledger_tokens_of(settings, size)
    tail = int((size - ledger) * TAIL_SHARE)
    return Sizes(tail, ledger, max(0, size - tail - ledger), max(1, int(size * REQUEST_SHARE)))


def fill(state: State, sizes: Sizes, seen: int, summarizer: str) -> tuple[Step, ...]:
    """The steps that make the window that large: pruning first, then the outline, with what the tail leaves of its
    share. `seen` is the position of the newest message that the model has seen.
    """
    window = state.window
    every = [_with_request(block, window, sizes) for block in blocks(window, 0)]
    sizes = _for_unseen(sizes, every, seen)
    forms = _Forms(
        state.reading_tool, max(LEAST_RESULT_TOKENS, sizes.total // RESULT_PART), newest_request(window)
    )
    tail = _tail_blocks(every, sizes.tail, seen, forms)
    before, kept = every[: len(every) - tail], every[len(every) - tail :]
    beside = [block for block in before if block.movable or sizes.request]
    spare = max(0, sizes.outline - sum(block.tokens for block in beside))
    pruned = _pruning(kept, sizes.tail + spare, forms)
    room = sizes.tail + sizes.outline - _kept_tokens(kept, pruned)
    if sizes.request:
        room -= sum(block.tokens for block in before if not block.movable)
    steps = [*pruned, *_outlines(before, room, summarizer)]
    return tuple(step for step in steps if step.item_ids not in state.refused)


def _for_unseen(sizes: Sizes, every: Sequence[Block], seen: int) -> Sizes:
    """The sizes of a target, with a tail that holds what the model has not seen, if that is not too much."""
    unseen = sum(block.tokens for block in every if block.items[-1].last > seen)
    room = sizes.tail + sizes.outline
    if sizes.request or not sizes.tail < unseen <= room * UNSEEN_SHARE:
        return sizes
    return replace(sizes, tail=unseen, outline=room - unseen)


def _with_request(block: Block, window: Window, sizes: Sizes) -> Block:
    """The block, movable where it is the newest request, and larger than that may be or would part a small outline."""
    most = sizes.request if sizes.outline >= TWO_OUTLINES_TOKENS else min(sizes.request, 1)
    too_large = 0 < most < block.tokens and newest_request(window) in block.items
    return replace(block, movable=True) if too_large and block.settled else block


@dataclass(frozen=True, slots=True)
class _Forms:
    """The pruned forms of messages, each made once: the note, and what the message takes with it. `tool` reads the
    whole back, "" where none is on offer; no result has more than `most_tokens`. The newest `request`, and what may
    still grow, have none.
    """

    tool: str
    most_tokens: int
    request: Item | None
    made: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])

    def of(self, item: Item) -> tuple[str, int]:
        """The note and tokens of a message's pruned form; "" and its own tokens where it has none that is smaller."""
        if not isinstance(item, MessageItem) or item.tokens < LEAST_PRUNED_TOKENS:
            return "", item.tokens
        if item is self.request or item.stored.open:
            return "", item.tokens
        found = self.made.get(item.id)
        if found is None:
            message = item.stored.message
            rooms = [
                room if room == inf else min(room, self.most_tokens)
                for room in default_rooms(message, self.tool)
            ]
            note = pruned_note(item.id, message, item.tokens, rooms, self.tool)
            tokens = count_stub(message, note) if note else item.tokens
            found = self.made[item.id] = (note, tokens) if tokens < item.tokens else ("", item.tokens)
        return found


def _tail_blocks(every: Sequence[Block], tail_tokens: int, seen: int, forms: _Forms) -> int:
    """How many of the newest blocks fit the tail in their pruned forms; what the model has not seen is among them, and
    takes its whole size where that fits.
    """
    count, size = 0, 0
    whole = sum(block.tokens for block in every if block.items[-1].last > seen) <= tail_tokens
    for block in reversed(every):
        if any(isinstance(item, SummaryItem | OmittedItem) for item in block.items):
            break
        unseen = not block.settled or block.items[-1].last > seen
        size += block.tokens if unseen and whole else sum(forms.of(item)[1] for item in block.items)
        if size > tail_tokens and not unseen:
            break
        count += 1
    return count


def _pruning(tail: Sequence[Block], tail_tokens: int, forms: _Forms) -> list[Step]:
    """The steps that prune what of the tail has no room verbatim, the oldest of it."""
    room = tail_tokens - sum(forms.of(item)[1] for block in tail for item in block.items)
    steps: list[Step] = []
    for block in reversed(tail):
        for item in reversed(block.items):
            note, tokens = forms.of(item)
            if not note or item.tokens - tokens <= room:
                room -= item.tokens - tokens
            else:
                steps.append(step_over("stub", (item,), tokens, note=note))
    return steps


def _kept_tokens(tail: Sequence[Block], pruned: Sequence[Step]) -> int:
    """What the tail takes once its results are pruned."""
    return sum(block.tokens for block in tail) - sum(
        step.source_tokens - step.target_tokens for step in pruned
    )


def _outlines(before: Sequence[Block], room: int, summarizer: str) -> Iterator[Step]:
    """A summary of each run of movable blocks, the smallest first; they share the room by their messages and age."""
    every = list(_runs(before))
    runs = [run for run in every if _worth(run)]
    left = room - sum(item.tokens for run in every if not _worth(run) for item in run)
    last = before[-1].items[-1].last if before else 0
    weight = sum(_weight(run, last) for run in runs)
    for run in sorted(runs, key=lambda run: _weight(run, last)):
        tokens = sum(item.tokens for item in run)
        fence = _fence_tokens(run)
        share = int(left * _weight(run, last) / weight) - fence
        target = max(min(share, tokens - fence - 1), min(LEAST_OUTLINE_TOKENS, tokens // 2))
        left, weight = left - target - fence, weight - _weight(run, last)
        older = [item.summary.depth for item in run if isinstance(item, SummaryItem)]
        yield step_over(
            "roll" if older else "leaf",
            run,
            target,
            depth=1 + max(older) if older else 0,
            summarizer=summarizer,
        )


def _fence_tokens(run: Sequence[Item]) -> int:
    """What the fence around the summary of a run takes, about."""
    first, last = run[0], run[-1]
    sources = tuple(item.id for item in run if isinstance(item, SummaryItem))
    return SLACK_TOKENS + count_summary(
        Summary("", 1, "", 0, first.first, last.last, sources, "extractive", "", 0.0, 0.0)
    )


def _weight(run: Sequence[Item], last: int) -> float:
    """How much a run weighs when the room is shared: each message under it, the less the further it lies behind the
    position `last`.
    """
    return exp((run[-1].last - last) / AGE_MESSAGES) - exp((run[0].first - 1 - last) / AGE_MESSAGES)


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
