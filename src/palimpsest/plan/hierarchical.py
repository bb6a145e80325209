"""The hierarchical policy: leaves from the oldest messages, condensed summaries from the oldest leaves.

Source: the page on PicoClaw's context compression, whose numbers are the defaults in `settings`.

- A leaf covers the oldest contiguous run of messages outside the fresh tail that has at least `leaf_min_fanout`
  messages or `leaf_chunk_tokens` tokens. Either suffices, so few huge messages never stall it. It takes at most
  `leaf_chunk_tokens`; a tool group larger than that is taken alone, with at most a leaf's worth of what stands
  before it, which would otherwise be left as a fragment that no later leaf could take.
- Condensing starts when the context is over the trigger. It takes consecutive summaries of the shallowest
  depth that has `condensed_min_fanout` of them, with the messages between them that are too few for a leaf
  of their own.
- Never part of a plan: the newest user request, the tool group in progress, an open tool group, a message whose source
  may still grow. A group is in progress while no reply of the assistant has followed its results; what does not fit of
  it is shortened (`plan.progress`). An open
  group is one whose call may still be answered; a call left unanswered when the assistant spoke again is closed,
  because every provider would have refused that request without an answer (`turns`). Only where nothing else makes a
  request fit, one behind which the user has spoken is given up (`plan.squeeze`).
- A step whose result was not smaller is in `State.refused`, and not planned again until its items change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from palimpsest.budget.regions import trigger
from palimpsest.plan.turns import units
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.log import Number, Stored
from palimpsest.record.message import Message
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.settings import Settings

MIN_SOURCE_TOKENS = 240
"""A run smaller than this cannot shrink: the fence around a summary alone costs about 100 tokens."""

MAX_LEAVES = 500
"""The most leaves of one decision."""

CONDENSE_SOURCE_TOKENS = 20_000
"""The most that one condensed summary is made from, so that a summarizer's own window is never the limit."""


@dataclass(frozen=True, slots=True)
class Block:
    """Adjacent items of the window that no cut may separate. `movable`: a plan may take them. `settled`: no message in
    them may still grow, and no call in them still be answered. `current`: they are the tool group in progress.
    """

    items: tuple[Item, ...]
    movable: bool
    settled: bool
    current: bool = False

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items)


def newest_request(window: Window) -> Item | None:
    """The item that shows the newest message of the user verbatim, which every compaction leaves so: the message, or a
    summary that quotes it.
    """
    return window.facts.request


def shown_request(item: Item | None) -> Stored | None:
    """The message that an item shows verbatim: its own, or the one it quotes."""
    match item:
        case MessageItem(stored=stored) | SummaryItem(quoted=Stored() as stored):
            return stored
        case _:
            return None


def request_position(window: Window) -> int:
    """The position of the newest request that stands verbatim, 0 for none."""
    shown = shown_request(newest_request(window))
    return shown.seq if shown is not None else 0


def immovable(window: Window) -> Window:
    """What no plan can make smaller: the newest user request, tool groups that are open and not given up, messages that
    may still grow. Of a summary that quotes the request, the request alone.
    """
    kept = (item for block in blocks(window, 0, given_up=True) if not block.movable for item in block.items)
    least = (
        MessageItem(item.quoted) if isinstance(item, SummaryItem) and item.quoted is not None else item
        for item in kept
    )
    return Window(tuple(least), window.thinking_from)


def blocks(window: Window, fresh_tail_count: int, *, given_up: bool = False) -> list[Block]:
    """The window as blocks: one a tool group, one a single item. Those reaching into the fresh tail are not movable.

    `given_up`: calls behind which the user has spoken are answered no more, and their group is in progress no more.
    """
    request = newest_request(window)
    progress_start = _progress_start(window.items, given_up=given_up)
    tail_start = len(window.items) - fresh_tail_count
    found: list[Block] = []
    index = 0
    for raw, run in groupby(window.items, key=lambda item: isinstance(item, MessageItem | StubItem)):
        items = list(run)
        if raw:
            history = [item.stored for item in items if isinstance(item, MessageItem | StubItem)]
            spans = list(_spans([one.message for one in history], given_up=given_up))
        else:
            history = []
            spans = [(place, place + 1, False) for place in range(len(items))]
        for start, end, is_open in spans:
            members = tuple(items[start:end])
            settled = not is_open and not any(one.message.provisional for one in history[start:end])
            current = index + start >= progress_start and _calls_alone(members, settled=settled)
            asked = any(member is request for member in members)
            movable = settled and not current and not asked and index + end <= tail_start
            found.append(Block(members, movable, settled, current))
        index += len(items)
    return found


def _progress_start(items: Sequence[Item], *, given_up: bool) -> int:
    """From where on items belong to the tool group in progress: the newest message of the assistant, where no record
    stands behind it. Where the user has spoken since and such calls are `given_up`, there is none.
    """
    for place in range(len(items) - 1, -1, -1):
        item = items[place]
        if not isinstance(item, MessageItem | StubItem):
            return place + 1
        if item.stored.message.role == "assistant":
            return place
        if given_up and item.stored.message.role == "user":
            return len(items)
    return 0


def _calls_alone(members: Sequence[Item], *, settled: bool) -> bool:
    """Whether items hold calls or results, and, where a call is open, nothing that the user has said behind it."""
    said = [item.stored.message for item in members if isinstance(item, MessageItem | StubItem)]
    spoken = not settled and any(message.role == "user" for message in said)
    return not spoken and any(message.calls or message.results for message in said)


def _spans(history: Sequence[Message], *, given_up: bool) -> Iterator[tuple[int, int, bool]]:
    """(start, end, open) of the units of a history; a call that is given up ends with the last of its answers."""
    for unit in units(history):
        inside = range(unit.start, unit.end)
        if not (unit.open and given_up and any(history[place].role == "user" for place in inside)):
            yield unit.start, unit.end, unit.open
            continue
        end = 1 + max(place for place in inside if place == unit.start or history[place].results)
        yield unit.start, end, False
        yield from ((place, place + 1, False) for place in range(end, unit.end))


def message_runs(window: Window, fresh_tail_count: int, *, given_up: bool = False) -> Iterator[list[Block]]:
    """Maximal runs of adjacent movable blocks of messages, oldest first; see `blocks`."""
    for movable, run in groupby(
        blocks(window, fresh_tail_count, given_up=given_up),
        key=lambda block: block.movable and isinstance(block.items[0], MessageItem | StubItem),
    ):
        if movable:
            yield list(run)


def chunks(run: Sequence[Block], settings: Settings) -> Iterator[list[Block]]:
    """A run cut into the leaves it makes, each at most `leaf_chunk_tokens` or one large tool group."""
    taken: list[Block] = []
    tokens = 0
    for block in run:
        over = tokens + block.tokens > settings.leaf_chunk_tokens
        if taken and over and tokens > settings.leaf_target_tokens:
            yield taken
            taken, tokens = [], 0
        taken.append(block)
        tokens += block.tokens
    if taken:
        yield taken


def qualifies(run: Sequence[Block], settings: Settings) -> bool:
    """Whether a run is long or large enough for an ordinary leaf, and can shrink at all."""
    return _enough(run, settings) and sum(block.tokens for block in run) >= MIN_SOURCE_TOKENS


def _enough(run: Sequence[Block], settings: Settings) -> bool:
    count, tokens = sum(len(block.items) for block in run), sum(block.tokens for block in run)
    return count >= settings.leaf_min_fanout or tokens >= settings.leaf_chunk_tokens


def leaf_step(chunk: Sequence[Block], settings: Settings) -> Step:
    """The step that turns a chunk into a leaf of about the target size, and of half the chunk at most."""
    items = [item for block in chunk for item in block.items]
    tokens = sum(item.tokens for item in items)
    return step_over("leaf", items, min(settings.leaf_target_tokens, tokens // 2))


def leaf(state: State, most: int = 1) -> Decision:
    """Leaves from the oldest qualifying runs outside the fresh tail, at most so many; none where no run qualifies."""
    settings = state.settings
    seen: list[tuple[str, Number]] = []
    steps: list[Step] = []
    for run in message_runs(state.window, settings.fresh_tail_count):
        seen = [
            ("run_messages", sum(len(block.items) for block in run)),
            ("run_tokens", sum(block.tokens for block in run)),
            ("leaf_min_fanout", settings.leaf_min_fanout),
            ("leaf_chunk_tokens", settings.leaf_chunk_tokens),
        ]
        if not qualifies(run, settings):
            continue
        for chunk in chunks(run, settings):
            step = leaf_step(chunk, settings)
            if step.source_tokens >= MIN_SOURCE_TOKENS and step.item_ids not in state.refused:
                steps.append(step)
            if len(steps) >= most:
                break
        if steps:
            return Decision(tuple(steps), "leaf: enough messages outside the fresh tail", tuple(seen))
    return Decision((), "no leaf: too few messages outside the fresh tail", tuple(seen))


def leaves(state: State) -> Decision:
    """Every leaf that a backlog calls for, in one decision."""
    return leaf(state, MAX_LEAVES)


def summary_runs(window: Window, settings: Settings, *, same_depth: bool) -> Iterator[list[Item]]:
    """Maximal runs of consecutive summaries, of one depth or of any, oldest first.

    Messages too few for a leaf that are left between two summaries, such as an old request of the user,
    belong to the run: no leaf could ever take them, and they would part the summaries for good.
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
            left = [one for fragment in between for one in fragment.items] if run else []
            run = [*run, *left, item]
            depth, between = item.summary.depth, []
            continue
        between.append(block)
        small = block.movable and not isinstance(item, OmittedItem) and not _enough(between, settings)
        if run and not small:
            yield run
            run = []
    if run:
        yield run


def shallowest_first(state: State) -> list[list[Item]]:
    """The runs of summaries of one depth, the shallowest first, of one depth the oldest first."""
    runs = summary_runs(state.window, state.settings, same_depth=True)
    return sorted(runs, key=lambda run: run[0].summary.depth if isinstance(run[0], SummaryItem) else 0)


def condense_steps(run: Sequence[Item], settings: Settings, min_fanout: int) -> Iterator[Step]:
    """The steps that merge the summaries of a run, oldest first; too few at its end are left."""
    while step := _condense_step(run, settings, min_fanout):
        yield step
        run = run[len(step.item_ids) :]


def _condense_step(run: Sequence[Item], settings: Settings, min_fanout: int) -> Step | None:
    """The step that merges the oldest summaries of a run, as many as one call takes, and at least `min_fanout`."""
    count = tokens = 0
    taken: list[Item] = []
    depths: list[int] = []
    for place, item in enumerate(run, 1):
        tokens += item.tokens
        if not isinstance(item, SummaryItem):
            continue
        if count >= min_fanout and tokens > CONDENSE_SOURCE_TOKENS:
            break
        count += 1
        taken = list(run[:place])
        depths.append(item.summary.depth)
    source_tokens = sum(item.tokens for item in taken)
    if count < min_fanout or source_tokens < MIN_SOURCE_TOKENS:
        return None
    target_tokens = min(settings.condensed_target_tokens, source_tokens // 2)
    return step_over("condense", taken, target_tokens, depth=1 + max(depths))


def condense(state: State) -> Decision:
    """One condensed summary of the shallowest depth with enough consecutive ones, when the context is over
    the trigger.
    """
    settings = state.settings
    limit, numbers = trigger(state.budget, settings)
    messages = state.window.last
    numbers = (
        *numbers,
        ("messages", messages),
        ("summarize_message_threshold", settings.summarize_message_threshold),
    )
    if state.budget.used_tokens <= limit:
        return Decision((), "no condensing: the context is under the trigger", numbers)
    if messages < settings.summarize_message_threshold:
        return Decision((), "no condensing: fewer messages than summarize_message_threshold", numbers)
    for run in shallowest_first(state):
        for step in condense_steps(run, settings, settings.condensed_min_fanout):
            if step.item_ids not in state.refused:
                count = sum(isinstance(item, SummaryItem) for item in run)
                reason = f"condense: over the trigger, {count} summaries of one depth"
                return Decision((step,), reason, numbers)
    return Decision((), "no condensing: too few consecutive summaries of one depth", numbers)
