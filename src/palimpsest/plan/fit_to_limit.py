"""Making a window fit at once: what to do next while it is larger than it may be.

Rungs, in order. A rung is left when it offers nothing more. Each is bounded by what it can replace.

1. leaves outside the fresh tail                  6. the same in an open tool group, where a call was cancelled
2. condensing, as the policy does                 7. leaves also of calls after which the user has spoken
3. leaves inside the tail                         8. shortening the summary that quotes the newest request
4. merging of any adjacent summaries              9. dropping the oldest messages and summaries, with a note
5. heads and tails of tool results, and then      10. dropping also calls after which the user has spoken
   of the tool group in progress

All of them leave the newest user request and messages that may still grow verbatim. An open tool group keeps its calls
and what was said. Rungs 7 and 10 give it up where the user has gone on without its answers: otherwise a call that
nobody answers would soon leave no room for a request. An answer that still comes later is shown as text.

The tool group in progress is only ever shortened, because a model that sees neither its call nor the result makes the
same call again. Its results become heads and tails, and its long arguments shorter. What is small in it stays whole
first; its large parts share the rest. A group that would not fit with the newest request alone is shortened before
anything else is compacted, since compacting the rest would not help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.pruned_messages import (
    LEAST_TOKENS,
    Rooms,
    default_rooms,
    group_notes,
    least_rooms,
    pruned_note,
)
from palimpsest.budget.stubs import ARGUMENT_CHARS, LONG_TEXT_CHARS
from palimpsest.plan.blocks import (
    MIN_SOURCE_TOKENS,
    OMITTED_TOKENS,
    blocks,
    group_in_progress,
    immovable,
    is_message,
    items_of,
    message_runs,
    movable_runs,
    newest_request,
    request_position,
    summary_step,
    tokens_of,
)
from palimpsest.plan.hierarchical import condense_steps, leaf_steps, qualifies, shallowest_first, summary_runs
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.message import Text
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem

MIN_STUB_TOKENS = 180
"""Smaller messages are not shortened."""
MIN_STUB_SAVING_TOKENS = 30
SHARE_OF_FREE = 1 / 2
"""Of what everything else leaves, the share that the tool group in progress gets."""
SHARE_AFTER_COMPACTION = 1 / 4
"""Its share of what older messages will leave once they are compacted, where they leave next to nothing now."""
RECORDS_SHARE = 1 / 8
"""The most that the summaries of older messages take of the capacity, once these are compacted."""

Steps = Iterator[Step]
Rung = tuple[str, Callable[[State, int], Steps]]


def shrink(
    state: State, under_tokens: int, *, drop_only: bool = False, rungs: Sequence[Rung] | None = None
) -> Decision:
    """The next steps towards a context of at most `under_tokens`; none when it fits, or when nothing more can shrink.

    With `drop_only` only the rungs that need no summary are used, or else those that are given.
    """
    excess = state.budget.used_tokens - under_tokens
    numbers = (("used_tokens", state.budget.used_tokens), ("under_tokens", under_tokens))
    if excess <= 0:
        return Decision((), "the context fits", numbers)
    for reason, rung in AT_ONCE if drop_only else rungs or RUNGS:
        possible = (step for step in rung(state, excess) if step.item_ids not in state.refused)
        steps = tuple(_enough(possible, excess))
        if steps:
            return Decision(steps, reason, numbers)
    return Decision((), "nothing is left that could be made smaller", numbers)


def _enough(steps: Steps, excess: int) -> Steps:
    """Steps until what they are expected to save covers the excess."""
    for step in steps:
        yield step
        excess -= step.source_tokens - step.target_tokens
        if excess <= 0:
            return


def _leaves(state: State, excess: int) -> Steps:
    for run in message_runs(state.window, state.settings.fresh_tail_count):
        if qualifies(run, state.settings):
            yield from leaf_steps(run, state.settings)


def _all_leaves(state: State, excess: int, *, given_up: bool = False) -> Steps:
    for run in message_runs(state.window, given_up=given_up):
        yield from leaf_steps(run, state.settings)


def _condense(state: State, excess: int) -> Steps:
    for run in shallowest_first(state):
        yield from condense_steps(run, state.settings, state.settings.condensed_min_fanout)


def _merge(state: State, excess: int) -> Steps:
    for run in summary_runs(state.window, state.settings, same_depth=False):
        yield from condense_steps(run, state.settings, 2)


def _stubs(state: State, excess: int) -> Steps:
    movable = items_of(block for block in blocks(state.window) if block.movable)
    results = [item for item in movable if is_message(item) and item.stored.message.results]
    yield from _stubbing(state, (item for item in results if item.tokens >= MIN_STUB_TOKENS))
    yield from _shorten_group(state, excess)


def _open_stubs(state: State, excess: int) -> Steps:
    """Results, long arguments and very long texts in a group that the user cut off before all calls were answered.

    Its calls stay, so that a late answer finds its own.
    """
    return _stubbing(state, _cut_off(state.window), texts=True)


def _stubbing(state: State, items: Iterable[MessageItem | StubItem], *, texts: bool = False) -> Steps:
    """Heads and tails of messages, the largest first."""
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
    """The tokens of a message whose parts have so much room, and the note that shows it so, "" for none."""
    note = pruned_note(item.stored.id, item.stored.message, item.stored.tokens, rooms, tool)
    return count_stub(item.stored.message, note) if note else item.tokens, note


def _cut_off(window: Window) -> Iterator[MessageItem | StubItem]:
    """The bulky, complete messages of an open group after which the user has spoken, and of a group that stays for a
    system message in it.
    """
    for block in blocks(window):
        messages = [item for item in block.items if is_message(item)]
        interrupted = not block.settled and any(item.stored.message.role == "user" for item in messages)
        if interrupted or (block.told and block.settled and not block.current):
            yield from (item for item in messages if not item.stored.open and _is_bulky(item))


def _is_bulky(item: MessageItem | StubItem) -> bool:
    message = item.stored.message
    called = any(len(call.arguments) > ARGUMENT_CHARS for call in message.calls)
    texts = (part.text for part in message.parts if isinstance(part, Text))
    said = message.role == "assistant" and any(len(text) > LONG_TEXT_CHARS for text in texts)
    return (bool(message.results) or called or said) and item.tokens >= MIN_STUB_TOKENS


def _drop(state: State, excess: int, *, given_up: bool = False) -> Steps:
    """The oldest droppable items, in one step per range; an older dropped range next to them is joined."""
    for run in movable_runs(blocks(state.window, given_up=given_up)):
        taken: list[Item] = []
        freed = -OMITTED_TOKENS
        for block in run:
            taken.extend(block.items)
            freed += block.tokens
            if freed >= excess:
                break
        if freed > 0 and not (len(taken) == 1 and isinstance(taken[0], OmittedItem)):
            yield step_over("omit", taken, OMITTED_TOKENS)
            excess -= freed
        if excess <= 0:
            return


def _shorten_summary(state: State, excess: int) -> Steps:
    """The summary that quotes the newest request, at half its length or less: no other rung may touch it."""
    item = newest_request(state.window)
    if not isinstance(item, SummaryItem) or item.quoted is None:
        return
    own_tokens = item.tokens - item.quoted.tokens
    if own_tokens >= MIN_SOURCE_TOKENS:
        target_tokens = max(1, min(own_tokens // 2, own_tokens - excess))
        yield summary_step("roll", [item], target_tokens, quotes=item.quoted.seq)


def _shorten_group(state: State, excess: int) -> Steps:
    """Steps that leave the tool group in progress half of what everything else leaves."""
    group = group_in_progress(state.window)
    return shorten_messages(state, group, _half_of_free(state, group, state.budget.used_tokens - excess))


def _half_of_free(state: State, group: Sequence[Item], under_tokens: int) -> int:
    others_tokens = state.budget.used_tokens - tokens_of(group)
    return int((under_tokens - others_tokens) * SHARE_OF_FREE)


def shorten_messages(state: State, group: Sequence[MessageItem | StubItem], room_tokens: int) -> Steps:
    """A step for each message that takes less when the group has so much room, the largest saving first."""
    shortened = _shortened(group, room_tokens, state.reading_tool)
    steps = (step_over("stub", (item,), max(1, tokens), note=note) for item, note, tokens in shortened)
    possible = (step for step in steps if step.item_ids not in state.refused)
    yield from sorted(possible, key=lambda step: step.target_tokens - step.source_tokens)


def _shortened(
    group: Sequence[MessageItem | StubItem], room_tokens: int, tool: str
) -> Iterator[tuple[MessageItem | StubItem, str, int]]:
    """The messages that take less when the group has so much room, with their notes and tokens."""
    for item, note in group_notes(group, room_tokens, tool):
        tokens = count_stub(item.stored.message, note) if note else item.tokens
        if tokens < item.tokens:
            yield item, note, tokens


def shorten_group_first(state: State, under_tokens: int) -> Decision:
    """Steps that shorten the tool group in progress where it would not fit even if all the rest were compacted."""
    used_tokens = state.budget.used_tokens
    numbers = (("used_tokens", used_tokens), ("under_tokens", under_tokens))
    group = group_in_progress(state.window) if used_tokens > under_tokens else []
    group_tokens = tokens_of(group)
    request = newest_request(state.window)
    kept_tokens = request.tokens if request is not None else 0
    older_tokens = max(0, state.window.tokens - group_tokens - kept_tokens)
    least_tokens = used_tokens - group_tokens - older_tokens
    least_tokens += min(older_tokens, int(under_tokens * RECORDS_SHARE))
    if not group or least_tokens + group_tokens <= under_tokens:
        return Decision((), "the tool group in progress fits", numbers)
    room_tokens = int((under_tokens - least_tokens) * SHARE_AFTER_COMPACTION)
    room_tokens = max(room_tokens, _half_of_free(state, group, under_tokens))
    steps = tuple(shorten_messages(state, group, room_tokens))
    return Decision(steps, _PROGRESS[0], (*numbers, ("group_tokens", group_tokens)))


def smallest_window(window: Window, tool: str = "") -> Window:
    """What no rung can make smaller, with cancelled calls and the tool group in progress shortened.

    `tool` reads back what is left out.
    """
    kept = immovable(window)
    shortened = list(_shortened(group_in_progress(window), LEAST_TOKENS, tool))
    for item in _cut_off(window):
        tokens, note = _pruned(item, least_rooms(item.stored.message), tool)
        if tokens < item.tokens:
            shortened.append((item, note, tokens))
    stubs = {item.id: StubItem("", item.stored, note, tokens) for item, note, tokens in shortened}
    return Window(tuple(stubs.get(item.id, item) for item in kept.items), kept.thinking_from)


_CANCELLED = ("over: shortening what a cancelled call left", _open_stubs)
_OLDEST = ("over: dropping the oldest", _drop)
_GIVEN_UP = "over: giving up calls after which the user has spoken"
_DROPPED = (_GIVEN_UP, partial(_drop, given_up=True))
_PROGRESS = ("over: shortening the tool group in progress", _shorten_group)
AT_ONCE = (_OLDEST, _PROGRESS, _CANCELLED, _DROPPED)
SUMMARIZING_RUNGS: tuple[Rung, ...] = (
    ("over: leaves outside the fresh tail", _leaves),
    ("over: condensing", _condense),
    ("over: leaves inside the fresh tail", _all_leaves),
    ("over: merging summaries", _merge),
)
RUNGS: tuple[Rung, ...] = (
    *SUMMARIZING_RUNGS,
    ("over: shortening tool results", _stubs),
    _CANCELLED,
    (_GIVEN_UP, partial(_all_leaves, given_up=True)),
    ("over: shortening the summary of the request", _shorten_summary),
    _OLDEST,
    _DROPPED,
)
