"""Making a window fit at once: what to do next while it is larger than it may be.

Rungs, in order; a rung is left when it offers nothing more. Each is bounded by what it can replace.

1. leaves outside the fresh tail                  6. the same in an open tool group, where a call was cancelled
2. condensing, as the policy does                 7. leaves of everything
3. leaves inside the tail                         8. leaves also of calls that the user has spoken behind
4. merging of any adjacent summaries              9. shortening the summary that quotes the newest request
5. heads and tails of tool results, and then      10. dropping the oldest messages and summaries, with a note
   of the tool group in progress                  11. dropping also calls that the user has spoken behind

The newest user request and messages that may still grow are left verbatim by all of them. The tool group in progress
(`plan.progress`) is only ever shortened. An open tool group keeps its calls and what was said; rungs 8 and 11 give it
up where the user has gone on without its answers, or whoever talks behind a call that nobody answers would soon have no
request any more. An answer that comes later all the same is shown as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.pruned_messages import Rooms, default_rooms, least_rooms, pruned_note
from palimpsest.budget.stubs import ARGUMENT_CHARS, LONG_TEXT_CHARS
from palimpsest.plan.hierarchical import (
    MIN_SOURCE_TOKENS,
    Block,
    blocks,
    chunks,
    condense_steps,
    immovable,
    leaf_step,
    message_runs,
    newest_request,
    qualifies,
    request_position,
    shallowest_first,
    summary_runs,
)
from palimpsest.plan.open_group import least_of_group, shorten
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.message import Text
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem

NOTE_TOKENS = 80
"""What the note of a dropped range costs, about."""

MIN_STUB_TOKENS = 180
"""What is smaller is not shortened."""

MIN_STUB_SAVING_TOKENS = 30


def squeeze(state: State, under_tokens: int, *, drop_only: bool = False) -> Decision:
    """The next steps towards a context of at most `under_tokens`; none when it fits, or when nothing is left to do.

    `drop_only` leaves out every rung but those that need no summary: the tenth, the fifth as to the tool group in
    progress, the sixth and the last.
    """
    excess = state.budget.used_tokens - under_tokens
    numbers = (("used_tokens", state.budget.used_tokens), ("under_tokens", under_tokens))
    if excess <= 0:
        return Decision((), "the context fits", numbers)
    for reason, rung in AT_ONCE if drop_only else RUNGS:
        possible = (step for step in rung(state, excess) if step.item_ids not in state.refused)
        steps = tuple(_enough(possible, excess))
        if steps:
            return Decision(steps, reason, numbers)
    return Decision((), "nothing is left that could be made smaller", numbers)


def _enough(steps: Iterator[Step], excess: int) -> Iterator[Step]:
    """Steps until what they are expected to save covers the excess."""
    for step in steps:
        yield step
        excess -= step.source_tokens - step.target_tokens
        if excess <= 0:
            return


def _leaf_steps(state: State, runs: Iterable[list[Block]]) -> Iterator[Step]:
    steps = (leaf_step(chunk, state.settings) for run in runs for chunk in chunks(run, state.settings))
    return (step for step in steps if step.source_tokens >= MIN_SOURCE_TOKENS)


def _leaves(state: State, excess: int) -> Iterator[Step]:
    runs = message_runs(state.window, state.settings.fresh_tail_count)
    return _leaf_steps(state, (run for run in runs if qualifies(run, state.settings)))


def _condense(state: State, excess: int) -> Iterator[Step]:
    for run in shallowest_first(state):
        yield from condense_steps(run, state.settings, state.settings.condensed_min_fanout)


def _tail(state: State, excess: int) -> Iterator[Step]:
    return _leaf_steps(state, message_runs(state.window, 0))


def _merge(state: State, excess: int) -> Iterator[Step]:
    for run in summary_runs(state.window, state.settings, same_depth=False):
        yield from condense_steps(run, state.settings, 2)


def _stubs(state: State, excess: int) -> Iterator[Step]:
    candidates = [
        item
        for block in blocks(state.window, 0)
        if block.movable
        for item in block.items
        if isinstance(item, MessageItem | StubItem)
        and item.stored.message.results
        and item.tokens >= MIN_STUB_TOKENS
    ]
    yield from _stubbing(state, candidates)
    yield from shorten(state, excess)


def _open_stubs(state: State, excess: int) -> Iterator[Step]:
    """Results, long arguments and very long texts in a group that the user cut off before all calls were answered,
    largest first: its calls stay, so that a late answer finds its own.
    """
    return _stubbing(state, _cut_off(state.window), texts=True)


def _stubbing(
    state: State, items: Iterable[MessageItem | StubItem], *, texts: bool = False
) -> Iterator[Step]:
    request = request_position(state.window)
    for item in sorted(items, key=lambda item: -item.tokens):
        message, newest = item.stored.message, item.first > request
        rooms = default_rooms(message, state.reading_tool, newest=newest, texts=texts)
        left, note = _pruned(item, rooms, state.reading_tool)
        if texts and item.tokens - left < MIN_STUB_SAVING_TOKENS:
            left, note = _pruned(item, least_rooms(message), state.reading_tool)
        if item.tokens - left >= MIN_STUB_SAVING_TOKENS:
            yield step_over("stub", (item,), left, note=note)


def _pruned(item: MessageItem | StubItem, rooms: Rooms, tool: str) -> tuple[int, str]:
    """What a message takes whose parts have so much room, and the note that shows it so, "" for none."""
    note = pruned_note(item.stored.id, item.stored.message, item.stored.tokens, rooms, tool)
    return count_stub(item.stored.message, note) if note else item.tokens, note


def least(window: Window, tool: str = "") -> Window:
    """What no rung can make smaller, with what a cancelled call left and the tool group in progress shortened. `tool`
    reads back what is left out.
    """
    kept = immovable(window)
    stubs: dict[str, StubItem] = least_of_group(window, tool)
    for item in _cut_off(window):
        tokens, note = _pruned(item, least_rooms(item.stored.message), tool)
        if tokens < item.tokens:
            stubs[item.id] = StubItem("", item.stored, note, tokens)
    return Window(tuple(stubs.get(item.id, item) for item in kept.items), kept.thinking_from)


def _cut_off(window: Window) -> Iterator[MessageItem | StubItem]:
    """The bulky messages of an open group behind which the user has spoken, that hold all they will."""
    for block in blocks(window, 0):
        raw = [item for item in block.items if isinstance(item, MessageItem | StubItem)]
        if not block.settled and any(item.stored.message.role == "user" for item in raw):
            yield from (item for item in raw if not item.stored.open and _is_bulky(item))


def _is_bulky(item: MessageItem | StubItem) -> bool:
    message = item.stored.message
    called = any(len(call.arguments) > ARGUMENT_CHARS for call in message.calls)
    said = message.role == "assistant" and any(
        len(part.text) > LONG_TEXT_CHARS for part in message.parts if isinstance(part, Text)
    )
    return (bool(message.results) or called or said) and item.tokens >= MIN_STUB_TOKENS


def _drop(state: State, excess: int, *, given_up: bool = False) -> Iterator[Step]:
    """The oldest droppable items, in one step a range; an older dropped range next to them is joined."""
    every = blocks(state.window, 0, given_up=given_up)
    for movable, run in groupby(every, key=lambda block: block.movable):
        if not movable:
            continue
        taken: list[Item] = []
        freed = -NOTE_TOKENS
        for block in run:
            taken.extend(block.items)
            freed += block.tokens
            if freed >= excess:
                break
        if freed > 0 and not (len(taken) == 1 and isinstance(taken[0], OmittedItem)):
            yield step_over("omit", taken, NOTE_TOKENS)
            excess -= freed
        if excess <= 0:
            return


def _everything(state: State, excess: int, *, given_up: bool = False) -> Iterator[Step]:
    return _leaf_steps(state, message_runs(state.window, 0, given_up=given_up))


def _shorten(state: State, excess: int) -> Iterator[Step]:
    """The summary that quotes the newest request, at half its length or less: nothing else may touch it."""
    item = newest_request(state.window)
    if not isinstance(item, SummaryItem) or item.quoted is None:
        return
    own_tokens = item.tokens - item.quoted.tokens
    if own_tokens >= MIN_SOURCE_TOKENS:
        target_tokens = max(1, min(own_tokens // 2, own_tokens - excess))
        step = step_over("roll", [item], target_tokens)
        yield replace(step, depth=item.summary.depth + 1, quotes=item.quoted.seq)


_CANCELLED = ("over: shortening what a cancelled call left", _open_stubs)
_OLDEST = ("over: dropping the oldest", _drop)
_GIVEN_UP = "over: giving up calls that the user has spoken behind"
_DROPPED = (_GIVEN_UP, partial(_drop, given_up=True))
_PROGRESS = ("over: shortening the tool group in progress", shorten)
AT_ONCE = (_OLDEST, _PROGRESS, _CANCELLED, _DROPPED)
RUNGS: tuple[tuple[str, Callable[[State, int], Iterator[Step]]], ...] = (
    ("over: leaves outside the fresh tail", _leaves),
    ("over: condensing", _condense),
    ("over: leaves inside the fresh tail", _tail),
    ("over: merging summaries", _merge),
    ("over: shortening tool results", _stubs),
    _CANCELLED,
    ("over: leaves of everything", _everything),
    (_GIVEN_UP, partial(_everything, given_up=True)),
    ("over: shortening the summary of the request", _shorten),
    _OLDEST,
    _DROPPED,
)
