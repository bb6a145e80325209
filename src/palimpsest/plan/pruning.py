"""Pruning: the cheap first pass of a compaction, with no model. Old bulk becomes stubs, from which nothing is lost.

Source: the page on the compression technique ("Prune tool results"). Between the protected ends:

- a result that a newer one repeats word for word, and an older read of a file that was read again, give way to the
  newest; not to a read that failed, or that says in a few words that nothing changed and the older one holds;
- a large result becomes its head and tail (`budget.pruned`), or one line where the page is followed to the letter
  (`page=True`); long arguments lose their middle; an old image becomes a note.

Only what makes a message noticeably smaller is done, and a message is stubbed once. The newest goes first, so that bulk
which is older than a stub tells of a pruning that was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.pruned_messages import RESULT_TOKENS, UNREADABLE_FACTOR, default_rooms, pruned_note
from palimpsest.budget.stubs import (
    ARGUMENT_CHARS,
    RESULT_CHARS,
    RESULT_END,
    calls_of,
    frozen,
    is_bulky,
    same_note,
    share_of,
    stub_note,
)
from palimpsest.plan.hierarchical import Block, blocks
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.log import Numbers
from palimpsest.record.message import Media, Message, ToolCall, ToolResult
from palimpsest.record.window_items import Item, MessageItem, StubItem
from palimpsest.toolcalls.call_actions import decode

MIN_SAVING_TOKENS = 30
NOTE_TOKENS = RESULT_TOKENS * UNREADABLE_FACTOR
"""What a result takes when it is pruned, at most, about."""
LINE_TOKENS = 45
"""What the page's line takes, about."""

Told = Sequence[str]


def prune(
    state: State, start: int, end: int, reason: str, numbers: Numbers = (), *, page: bool = False
) -> Decision:
    """Stubs for all old bulk in this slice of the window's items, the newest first."""
    found = _steps(state, start, end, page=page)
    steps = tuple(step for step in found if step.item_ids not in state.refused)
    return Decision(steps, reason if steps else "no pruning: nothing bulky between the ends", numbers)


def unfinished(state: State, start: int, end: int) -> bool:
    """Whether bulk that the page makes a line of stands before a stub in this slice of the items."""
    stubs = [
        item.first for item in state.window.items[start:end] if isinstance(item, StubItem) and not item.gated
    ]
    steps = _steps(state, start, end, page=True) if stubs else ()
    return any(step.first < stubs[-1] and step.item_ids not in state.refused for step in steps)


def _steps(state: State, start: int, end: int, *, page: bool) -> Iterator[Step]:
    calls = calls_of(state.window.items)
    newest = _newest(state.window.items, calls)
    for item in reversed(list(_old(blocks(state.window, 0), start, end))):
        message = item.stored.message
        bulky = any(map(is_bulky, message.results)) or any(isinstance(part, Media) for part in message.parts)
        if not bulky and not any(len(call.arguments) > ARGUMENT_CHARS for call in message.calls):
            continue
        told = [_repeated(item, result, calls, newest) for result in message.results]
        note, left = _line(state, item, calls, told) if page else _level_one(state, item, told)
        if note and item.tokens - left >= MIN_SAVING_TOKENS:
            yield step_over("stub", (item,), max(1, left), note=note)


def _level_one(state: State, item: MessageItem | StubItem, told: Told) -> tuple[str, int]:
    """The note of level 1, and what the message takes with it."""
    message, tool = item.stored.message, state.reading_tool
    note = pruned_note(item.stored.id, message, item.stored.tokens, default_rooms(message, tool), tool, told)
    return note, count_stub(message, note) if note else item.tokens


def _line(
    state: State, item: MessageItem | StubItem, calls: Mapping[str, ToolCall], told: Told
) -> tuple[str, int]:
    """The page's line for each result, and what the message takes with it, about."""
    message, tokens = item.stored.message, item.stored.tokens
    note = stub_note(item.stored.id, message, tokens, calls, told, state.reading_tool)
    left = sum(min(len(call.arguments), ARGUMENT_CHARS) // 3 for call in message.calls)
    if any(map(is_bulky, message.results)) or any(isinstance(part, Media) for part in message.parts):
        left = _left_tokens(message, note, tokens)
    return frozen(message, note), left


def _repeated(
    item: MessageItem | StubItem, result: ToolResult, calls: Mapping[str, ToolCall], newest: Mapping[str, str]
) -> str:
    """The line for a result that a newer one makes superfluous, else ""."""
    if len(result.text) < RESULT_CHARS:
        return ""
    read = _read_path(calls.get(result.call_id))
    if newest.get(result.text, item.id) != item.id:
        return same_note(newest[result.text], item.id, "the same result came again")
    if read and newest.get(read, item.id) != item.id:
        return same_note(newest[read], item.id, "this file was read again")
    return ""


def _left_tokens(message: Message, note: str, tokens: int) -> int:
    """What a message takes with this note: of several results those without a line stay."""
    if RESULT_END not in note:
        return LINE_TOKENS
    lines = zip(note.split(RESULT_END), message.results, strict=False)
    return sum(LINE_TOKENS if line else share_of(message, one, tokens) for line, one in lines)


def _old(every: Sequence[Block], start: int, end: int) -> Iterator[MessageItem | StubItem]:
    """The messages of a slice of the items that may be stubbed."""
    place = 0
    for block in every:
        place += len(block.items)
        if block.movable and place - len(block.items) >= start and place <= end:
            yield from (
                item
                for item in block.items
                if isinstance(item, MessageItem) or (isinstance(item, StubItem) and item.gated)
            )


def _newest(items: Sequence[Item], calls: Mapping[str, ToolCall]) -> dict[str, str]:
    """The id of the newest message with a result of each text, and of the newest read of each file."""
    found: dict[str, str] = {}
    for item in items:
        if isinstance(item, MessageItem | StubItem):
            for result in item.stored.message.results:
                found[result.text] = item.stored.id
                told = len(result.text) >= RESULT_CHARS and not result.is_error
                if told and (read := _read_path(calls.get(result.call_id))):
                    found[read] = item.stored.id
    return found


def _read_path(call: ToolCall | None) -> str:
    """What a call read, with the part of it that was asked for; "" where it read no file or several."""
    if call is None:
        return ""
    action = decode(call)
    if action.command or len(action.files) != 1 or action.files[0][1] != "read":
        return ""
    return f"{call.name}\x00{call.arguments}"
