"""The window as blocks that no cut may separate, and what all policies do with them.

No plan takes these blocks:

- The newest user request. It stays verbatim, as a message or quoted by a summary.
- The newest system message and the newest developer message, and the tool group around one. They stay verbatim.
- The tool group in progress: the calls and results after which the assistant has not replied yet. It is only ever
  shortened (`fit_to_limit`).
- An open tool group: a call in it may still be answered. A call left unanswered when the assistant spoke again is
  closed, because every provider refuses a request without its answer (`turns`). A group after which the user has spoken
  is given up only where nothing else makes a request fit.
- A message whose source may still grow.

An older system message belongs to the block of the message before it, so that no cut separates it from what it follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TypeGuard

from palimpsest.plan.turns import units
from palimpsest.record.decision import Decision, State, Step, StepKind, step_over
from palimpsest.record.log import Numbers, Stored
from palimpsest.record.message import Message
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem

MIN_SOURCE_TOKENS = 240
"""A smaller run cannot shrink: the fence around a summary alone costs about 100 tokens."""

NO_TURN = Message("system")
"""Stands for an item that opens no turn."""

OMITTED_TOKENS = 80
"""About what the note of a dropped range costs."""


@dataclass(frozen=True, slots=True)
class Block:
    """Adjacent items of the window that no cut may separate; `start` is the index of the first.

    `movable`: a plan may take them. `settled`: no message in them may still grow, and no call may still be answered.
    `current`: they are the tool group in progress. `told`: they hold the newest system or developer message.
    """

    items: tuple[Item, ...]
    start: int
    movable: bool
    settled: bool
    current: bool = False
    told: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.items)

    @property
    def tokens(self) -> int:
        return tokens_of(self.items)


def tokens_of(items: Iterable[Item]) -> int:
    """The tokens of all items together."""
    return sum(item.tokens for item in items)


def is_message(item: Item) -> TypeGuard[MessageItem | StubItem]:
    """Whether an item is a message, verbatim or pruned."""
    return isinstance(item, MessageItem | StubItem)


def is_record(item: Item) -> bool:
    """Whether an item stands for messages that left the window."""
    return isinstance(item, SummaryItem | OmittedItem)


def newest_request(window: Window) -> Item | None:
    """The item that shows the newest user message verbatim: the message, or a summary that quotes it."""
    return window.facts.request


def is_within_turn(window: Window) -> bool:
    """Whether the newest message is a tool call or its result: the assistant has not finished its turn."""
    item = window.items[-1] if window.items else None
    if item is None or not is_message(item):
        return False
    message = item.stored.message
    return message.role == "tool" or (message.role == "assistant" and bool(message.calls))


def shown_request(item: Item | None) -> Stored | None:
    """The message that an item shows verbatim: its own, or the one that it quotes."""
    match item:
        case MessageItem(stored=stored) | SummaryItem(quoted=Stored() as stored):
            return stored
        case _:
            return None


def turn_history(items: Iterable[Item]) -> list[Message]:
    """A message for each item, in which only one that is shown verbatim can be a user's, and so open a turn."""
    shown = (shown_request(item) for item in items)
    return [one.message if one is not None else NO_TURN for one in shown]


def request_position(window: Window) -> int:
    """The position of the newest request that is shown verbatim, 0 for none."""
    shown = shown_request(newest_request(window))
    return shown.seq if shown is not None else 0


def immovable(window: Window) -> Window:
    """What no plan can make smaller. Of a summary that quotes the request, the request alone."""
    kept = (item for block in blocks(window, given_up=True) if not block.movable for item in block.items)
    least = (
        MessageItem(item.quoted) if isinstance(item, SummaryItem) and item.quoted is not None else item
        for item in kept
    )
    return Window(tuple(least), window.thinking_from)


def group_in_progress(window: Window) -> list[MessageItem | StubItem]:
    """The complete messages of the tool group in progress, without what the user says among them."""
    current = (item for block in blocks(window) if block.current for item in block.items)
    return [
        item
        for item in current
        if is_message(item) and not item.stored.open and not _is_user(item.stored.message)
    ]


def blocks(window: Window, fresh_tail_count: int = 0, *, given_up: bool = False) -> list[Block]:
    """The window as blocks: tool groups, and single items. Those reaching into the fresh tail are not movable.

    With `given_up`, calls after which the user has spoken are closed, and their group is no longer in progress.
    """
    request = newest_request(window)
    newest_told = {item.id for item in window.facts.told}
    progress_start = _progress_start(window.items, given_up=given_up)
    tail_start = len(window.items) - fresh_tail_count
    found: list[Block] = []
    index = 0
    for _, run in groupby(window.items, key=is_message):
        items = list(run)
        history = [item.stored for item in items if is_message(item)]
        spans: Iterable[tuple[int, int, bool]] = ((at, at + 1, False) for at in range(len(items)))
        if history:
            messages = [stored.message for stored in history]
            apart = [item.id in newest_told for item in items]
            spans = _attached(_spans(messages, given_up=given_up), messages, apart)
        for start, end, is_open in spans:
            members = tuple(items[start:end])
            settled = not is_open and not any(stored.message.provisional for stored in history[start:end])
            current = index + start >= progress_start and _is_calling(members, settled=settled)
            shows_request = any(member is request for member in members)
            told = any(member.id in newest_told for member in members)
            stays = current or shows_request or told or index + end > tail_start
            found.append(Block(members, index + start, settled and not stays, settled, current, told))
        index += len(items)
    return found


def _progress_start(items: Sequence[Item], *, given_up: bool) -> int:
    """The index of the newest assistant message, from which the tool group in progress can begin.

    A record after it ends the group, and so does a user message where such calls are `given_up`.
    """
    for index in range(len(items) - 1, -1, -1):
        item = items[index]
        if not is_message(item):
            return index + 1
        if item.stored.message.role == "assistant":
            return index
        if given_up and _is_user(item.stored.message):
            return len(items)
    return 0


def _is_calling(members: Sequence[Item], *, settled: bool) -> bool:
    """Whether items hold calls or results and, where a call is open, no user message after it."""
    messages = [item.stored.message for item in members if is_message(item)]
    interrupted = not settled and any(map(_is_user, messages))
    return not interrupted and any(message.calls or message.results for message in messages)


def _is_user(message: Message) -> bool:
    return message.role == "user"


def _spans(history: Sequence[Message], *, given_up: bool) -> Iterator[tuple[int, int, bool]]:
    """(start, end, open) of the units of a history. A call that is given up ends with the last of its answers."""
    for unit in units(history):
        inside = range(unit.start, unit.end)
        if not (unit.open and given_up and any(_is_user(history[index]) for index in inside)):
            yield unit.start, unit.end, unit.open
            continue
        end = 1 + max(index for index in inside if index == unit.start or history[index].results)
        yield unit.start, end, False
        yield from ((index, index + 1, False) for index in range(end, unit.end))


def _attached(
    spans: Iterable[tuple[int, int, bool]], history: Sequence[Message], apart: Sequence[bool]
) -> list[tuple[int, int, bool]]:
    """The units, with system messages as parts of the unit before them. What is `apart` is a unit of its own."""
    found: list[tuple[int, int, bool]] = []
    for start, end, is_open in spans:
        first, _, grows = found[-1] if found else (0, 0, True)
        if grows or history[start].role != "system" or any(apart[first:end]):
            found.append((start, end, is_open))
        else:
            found[-1] = (first, end, False)
    return found


def runs(every: Iterable[Block], takes: Callable[[Block], bool]) -> Iterator[list[Block]]:
    """Maximal runs of adjacent blocks that `takes` accepts, oldest first."""
    return (list(run) for taken, run in groupby(every, key=takes) if taken)


def movable_runs(every: Iterable[Block]) -> Iterator[list[Block]]:
    """Maximal runs of adjacent movable blocks, oldest first."""
    return runs(every, lambda block: block.movable)


def message_runs(
    window: Window, fresh_tail_count: int = 0, *, given_up: bool = False
) -> Iterator[list[Block]]:
    """Maximal runs of adjacent movable blocks of messages, oldest first."""
    every = blocks(window, fresh_tail_count, given_up=given_up)
    return runs(every, lambda block: block.movable and is_message(block.items[0]))


def items_of(run: Iterable[Block]) -> list[Item]:
    """The items of a run of blocks."""
    return [item for block in run for item in block.items]


def readable_part(run: Sequence[Block], most_tokens: int) -> list[Item]:
    """The items of the first blocks, as many as hold so many tokens; more where that would be nothing new."""
    taken: list[Item] = []
    tokens = new_tokens = 0
    for block in run:
        if tokens + block.tokens > most_tokens and new_tokens >= MIN_SOURCE_TOKENS:
            break
        taken.extend(block.items)
        tokens += block.tokens
        new_tokens += tokens_of(item for item in block.items if is_message(item))
    return taken


def message_tokens(items: Iterable[Item]) -> int:
    """The tokens of the items that are messages."""
    return tokens_of(item for item in items if is_message(item))


def summary_step(
    kind: StepKind | None, items: Sequence[Item], target_tokens: int, *, quotes: int = 0, summarizer: str = ""
) -> Step:
    """The step that replaces items by a summary, one level deeper than the deepest summary among them.

    Without a kind it is a rolling summary where there are earlier ones, else a leaf.
    """
    depths = [item.summary.depth for item in items if isinstance(item, SummaryItem)]
    return step_over(
        kind or ("roll" if depths else "leaf"),
        items,
        target_tokens,
        depth=1 + max(depths, default=-1),
        quotes=quotes,
        summarizer=summarizer,
    )


def decide(
    state: State,
    steps: Iterable[Step],
    reason: str,
    otherwise: str,
    numbers: Numbers = (),
    most: int | None = None,
) -> Decision:
    """The steps that were not refused before, at most so many, and the reason; without steps, why there are none."""
    taken = tuple(islice((step for step in steps if step.item_ids not in state.refused), most))
    return Decision(taken, reason if taken else otherwise, numbers)
