"""Filling a window to a size: what is pruned, what is outlined, and what stays, as laws over any window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.assemble import count_stub, count_summary
from palimpsest.budget.ledger_and_pins import ledger_limit
from palimpsest.budget.pruned_messages import default_rooms, pruned_note
from palimpsest.budget.regions import PREFACE_TOKENS, measure
from palimpsest.budget.token_counts import count_message
from palimpsest.plan.blocks import Block, blocks, newest_request
from palimpsest.plan.economic import last_seen
from palimpsest.plan.levels_of_detail import (
    CAPACITY_SHARE,
    LEAST_OUTLINE_TOKENS,
    LEAST_PRUNED_TOKENS,
    LEAST_RESULT_TOKENS,
    RESULT_PART,
    TWO_OUTLINES_TOKENS,
    Sizes,
    asked_sizes,
    fill,
    sizes_in,
    target_sizes,
)
from palimpsest.record.decision import State, Step
from palimpsest.record.message import Message, Text, ToolResult
from palimpsest.record.window import Window, check_coverage
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, SummaryItem
from palimpsest.settings import PRESETS, make_settings
from tests.effort import examples
from tests.plan.states import assistant, carry_out, state_of, turn_of, user, window_of, worn_windows
from tests.record.windows import summary

SIZES = st.builds(
    Sizes,
    tail=st.sampled_from((0, 150, 1_000, 8_000, 30_000)),
    ledger=st.sampled_from((0, 400)),
    outline=st.sampled_from((0, 300, 1_500, 12_000)),
    request=st.sampled_from((0, 1, 600)),
)
TOOLS = st.sampled_from(("", "short_expand"))


LINES = (1, 40, 400)


def rows(name: str, lines: int) -> Message:
    return Message("tool", (ToolResult(name, (Text("\n".join(f"row {one}" for one in range(lines))),)),))


READ = {lines: rows("", lines).results[0].content for lines in LINES}


@st.composite
def read_windows(draw: st.DrawFn) -> Window:
    """Worn windows whose messages take what their texts take: results of many lengths, and some long requests."""
    items: list[Item] = []
    for item in draw(worn_windows()).items:
        made: Item = item
        if isinstance(item, MessageItem):
            message = item.stored.message
            parts = tuple(
                replace(part, content=READ[draw(st.sampled_from(LINES))])
                if isinstance(part, ToolResult)
                else part
                for part in message.parts
            )
            words = draw(st.sampled_from((0, 0, 0, 50, 900))) if message.role == "user" else 0
            message = replace(message, parts=(*parts, Text("please " * words)) if words else parts)
            made = MessageItem(replace(item.stored, message=message, tokens=count_message(message)))
        items.append(made)
    return Window(tuple(items))


def state_in(window: Window, tool: str = "") -> State:
    return replace(state_of(window, replace(PRESETS["default"], window_tokens=200_000)), reading_tool=tool)


def filled(state: State, sizes: Sizes) -> tuple[Step, ...]:
    return fill(state, sizes, last_seen(state.window), "")


def outlines(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if step.kind != "stub"]


def stubs(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if step.kind == "stub"]


def taken(steps: Sequence[Step]) -> set[str]:
    return {name for step in steps for name in step.item_ids}


def item_tokens(step: Step) -> int:
    """What the item of a step takes once its text has exactly the size aimed at."""
    if step.kind == "stub":
        return step.target_tokens
    sources = tuple(name for name in step.item_ids if name.startswith("s"))
    empty = replace(summary(1, step.first, step.last, depth=step.depth, sources=sources), text="")
    return step.target_tokens + count_summary(empty)


def done(state: State, steps: Sequence[Step]) -> Window:
    for step in steps:
        state = replace(state, window=carry_out(state, step, item_tokens(step)))
    return state.window


def outlined_request(block: Block, window: Window, sizes: Sizes) -> bool:
    """Whether a block is a newest request that may be outlined, because it would take much of the size asked for."""
    most = sizes.request if sizes.outline >= TWO_OUTLINES_TOKENS else min(1, sizes.request)
    return 0 < most < block.tokens and block.settled and newest_request(window) in block.items


def pruned_tokens(item: Item, window: Window, sizes: Sizes, tool: str) -> int:
    """What an item takes when it is pruned as far as the size asked for allows."""
    if not isinstance(item, MessageItem) or item.stored.open or item is newest_request(window):
        return item.tokens
    most = max(LEAST_RESULT_TOKENS, sizes.total // RESULT_PART)
    message = item.stored.message
    rooms = [room if room == inf else min(room, most) for room in default_rooms(message, tool)]
    note = pruned_note(item.id, message, item.tokens, rooms, tool)
    return count_stub(message, note) if note and item.tokens >= LEAST_PRUNED_TOKENS else item.tokens


def behind(window: Window, steps: Sequence[Step]) -> list[Item]:
    """The items behind everything that is outlined."""
    last = max((step.last for step in outlines(steps)), default=0)
    return [item for item in window.items if item.first > last]


@given(read_windows(), SIZES, TOOLS)
def test_outlines_take_movable_blocks_only_each_as_a_whole(window: Window, sizes: Sizes, tool: str) -> None:
    gone = taken(outlines(filled(state_in(window, tool), sizes)))
    for block in blocks(window, 0):
        ids = {item.id for item in block.items}
        may_go = block.movable or outlined_request(block, window, sizes)
        assert ids & gone in ((ids, set[str]()) if may_go else (set[str](),))


@given(read_windows(), SIZES, TOOLS)
def test_what_is_pruned_is_a_message_that_will_not_grow_and_never_the_newest_request(
    window: Window, sizes: Sizes, tool: str
) -> None:
    by_id = {item.id: item for item in window.items}
    for step in stubs(filled(state_in(window, tool), sizes)):
        (item,) = [by_id[name] for name in step.item_ids]
        assert isinstance(item, MessageItem)
        assert not item.stored.open
        assert item is not newest_request(window)
        assert step.target_tokens == count_stub(item.stored.message, step.note)
        assert f"stored as {item.id}" in step.note


@given(read_windows(), SIZES, TOOLS)
def test_steps_are_apart_in_the_window_smaller_than_what_they_replace_and_cover_the_same(
    window: Window, sizes: Sizes, tool: str
) -> None:
    state = state_in(window, tool)
    steps = filled(state, sizes)
    names = [name for step in steps for name in step.item_ids]
    assert len(names) == len(set(names))
    by_id = {item.id: item for item in window.items}
    for step in steps:
        assert step.source_tokens == sum(by_id[name].tokens for name in step.item_ids)
        assert step.first == by_id[step.item_ids[0]].first
        assert step.last == by_id[step.item_ids[-1]].last
        assert 0 < item_tokens(step) < step.source_tokens
    check_coverage(done(state, steps), window.last)


@examples(60)
@given(read_windows(), SIZES, TOOLS)
def test_the_window_has_at_most_the_size_asked_for_or_all_of_it_is_the_least_it_can_be(
    window: Window, sizes: Sizes, tool: str
) -> None:
    state = state_in(window, tool)
    steps = filled(state, sizes)
    gone = taken(outlines(steps))
    kept = [item for item in window.items if item.id not in gone]
    least = sum(pruned_tokens(item, window, sizes, tool) for item in kept)
    least += sum(item_tokens(step) - step.target_tokens + LEAST_OUTLINE_TOKENS for step in outlines(steps))
    request, after = newest_request(window), behind(window, steps)
    uncounted = [item for item in kept if item not in after or item is request]
    beside = 0 if sizes.request else sum(item.tokens for item in uncounted)
    assert done(state, steps).tokens <= max(sizes.tail + sizes.outline + beside, least)


@given(read_windows(), SIZES, TOOLS)
def test_the_tail_is_all_that_the_model_has_not_seen_and_as_many_groups_as_fit_it(
    window: Window, sizes: Sizes, tool: str
) -> None:
    steps = filled(state_in(window, tool), sizes)
    tail = behind(window, steps)
    last_record = max(
        (item.last for item in window.items if isinstance(item, SummaryItem | OmittedItem)), default=0
    )
    newest = max(last_seen(window), last_record)
    assert {item.id for item in window.items if item.first > newest} <= {item.id for item in tail}
    sizes_behind = {
        block.items[0].first: sum(
            pruned_tokens(item, window, sizes, tool)
            for item in window.items
            if item.first >= block.items[0].first
        )
        for block in blocks(window, 0)
        if block.items[0].first > last_record
    }
    fitting = min(
        (first for first, size in sizes_behind.items() if size <= sizes.tail), default=window.last + 1
    )
    assert all(step.last < fitting for step in outlines(steps))
    assert all(step.first > max((one.last for one in outlines(steps)), default=0) for step in stubs(steps))


@given(read_windows(), SIZES, TOOLS)
def test_nothing_is_pruned_that_has_room(window: Window, sizes: Sizes, tool: str) -> None:
    state = state_in(window, tool)
    steps = filled(state, sizes)
    room = sizes.tail + sizes.outline - done(state, steps).tokens
    assert all(step.source_tokens - step.target_tokens > room for step in stubs(steps))


@given(read_windows(), SIZES, TOOLS)
def test_two_calls_give_equal_plans_and_what_was_refused_is_left_out(
    window: Window, sizes: Sizes, tool: str
) -> None:
    state = state_in(window, tool)
    steps = filled(state, sizes)
    assert filled(state_in(window, tool), sizes) == steps
    refused = frozenset(step.item_ids for step in steps[::2])
    assert filled(replace(state, refused=refused), sizes) == steps[1::2]


def turns(count: int) -> list[Message]:
    """Turns of a call each, the results of about 600 tokens."""
    return [
        one for n in range(count) for one in (user(), assistant(f"c{n}"), rows(f"c{n}", 120), assistant())
    ]


def read_window(history: Sequence[Message]) -> Window:
    return window_of(history, [count_message(message) for message in history])


def test_where_all_fits_pruned_the_newest_results_stand_verbatim_and_only_the_older_are_pruned() -> None:
    window = read_window(turns(30))
    steps = filled(state_in(window), Sizes(tail=11_000, ledger=0, outline=2_000))
    assert outlines(steps) == []
    pruned = sorted(step.first for step in stubs(steps))
    results = [item.first for item in window.items if item.tokens >= LEAST_PRUNED_TOKENS]
    assert 2 < len(pruned) < len(results) - 2
    assert pruned == results[: len(pruned)]


def test_the_newest_request_parts_a_large_outline_and_is_part_of_a_small_one_that_is_asked_for() -> None:
    later = [one for one in turns(9) if one.role != "user"]
    window = read_window([*turns(5), user("please " * 200), *later])
    request = newest_request(window)
    assert request is not None
    large = outlines(filled(state_in(window), Sizes(200, 0, 3_000, 900)))
    assert sorted((step.first < request.first, step.last < request.first) for step in large) == [
        (False, False),
        (True, True),
    ]
    for sizes in (Sizes(50, 0, 900, 300), Sizes(200, 0, 3_000, 100)):
        (one,) = outlines(filled(state_in(window), sizes))
        assert request.id in one.item_ids


def test_an_outline_takes_earlier_ones_and_what_came_since_but_is_not_made_of_one_alone() -> None:
    window = read_window([*turns(10), user()])
    older = SummaryItem(summary(1, 1, 8, tokens=900, depth=2))
    (step,) = outlines(filled(state_in(Window((older, *window.items[8:]))), Sizes(500, 0, 2_000)))
    assert (step.kind, step.first, step.depth) == ("roll", 1, 3)
    alone = Window((SummaryItem(summary(1, 1, 40, tokens=9_000)), window.items[40]))
    assert filled(state_in(alone), Sizes(500, 0, 2_000)) == ()


def test_an_earlier_outline_takes_no_room_from_the_tail_that_it_does_not_fill() -> None:
    window = read_window(turns(6))
    older = SummaryItem(summary(1, 1, 4, tokens=300))
    assert stubs(filled(state_in(Window((older, *window.items[4:]))), Sizes(1_500, 0, 9_000))) == []


@given(st.integers(0, 400_000), st.integers(0, 300_000))
def test_the_sizes_are_parts_of_the_target_of_the_room_and_of_the_most_that_may_stay(
    room: int, most: int
) -> None:
    settings = make_settings("default", window_tokens=400_000, max_tokens=8_000)
    sizes = sizes_in(settings, room, most)
    size = min(settings.window_target_tokens, int(room * CAPACITY_SHARE), most)
    assert sizes.total == size
    assert sizes.tail <= min(settings.tail_tokens, size)
    assert sizes.ledger <= ledger_limit(settings)
    assert min(sizes.tail, sizes.ledger, sizes.outline) >= 0


@given(read_windows())
def test_a_compaction_by_hand_aims_at_less_than_there_is_where_anything_stands_verbatim(
    window: Window,
) -> None:
    state = state_in(window)
    sizes = target_sizes(state.settings, state.budget, window)
    assert sizes.total <= window.tokens - window.verbatim_tokens // 2
    assert sizes.total <= target_sizes(state.settings, state.budget).total


@given(st.integers(0, 60_000), st.integers(0, 9_000), st.integers(0, 4_000))
def test_a_window_of_the_size_asked_for_fits_beside_everything_else(
    under_tokens: int, system_tokens: int, pins_tokens: int
) -> None:
    settings = make_settings("default", window_tokens=100_000, max_tokens=8_000)
    window = window_of(turn_of(9), 700)
    budget = measure(window, settings, system_tokens=system_tokens, pins_tokens=pins_tokens)
    sizes = asked_sizes(settings, budget, under_tokens)
    fixed = system_tokens + pins_tokens + PREFACE_TOKENS
    assert sizes.total == max(0, under_tokens - fixed)
    assert 0 < sizes.request <= max(1, sizes.total)
