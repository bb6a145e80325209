"""Pruning: the cheap first pass of a compaction, without a model. Old bulk becomes stubs that can be read back.

Source: the page on the compression technique ("Prune tool results"). Between the protected ends:

- A result that a newer one repeats word for word, and an older read of a file that was read again, refer to the newest.
  A read that failed, or a short one that only says that nothing changed, is not referred to.
- A large result becomes its head and tail (`budget.pruned_messages`), or one line where the page is followed to the
  letter (`page=True`). Long arguments lose their middle. An old image becomes a note.

Only messages that become noticeably smaller are pruned, each once. The newest is pruned first, so bulk that is older
than a stub shows that pruning was interrupted.
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
from palimpsest.plan.blocks import blocks, decide, is_message
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.log import Numbers
from palimpsest.record.message import Media, Message, ToolCall, ToolResult
from palimpsest.record.window_items import Item, MessageItem, StubItem, as_stored
from palimpsest.toolcalls.call_actions import decode

MIN_SAVING_TOKENS = 30
NOTE_TOKENS = RESULT_TOKENS * UNREADABLE_FACTOR
"""About the most that a pruned result takes."""
LINE_TOKENS = 45
"""About what the page's line takes."""


def prune(
    state: State, start: int, end: int, reason: str, numbers: Numbers = (), *, page: bool = False
) -> Decision:
    """Stubs for all old bulk in this slice of the window's items, the newest first."""
    steps = _steps(state, start, end, page=page)
    return decide(state, steps, reason, "no pruning: nothing bulky between the ends", numbers)


def unfinished(state: State, start: int, end: int) -> bool:
    """Whether bulk that the page makes a line of comes before a stub in this slice of the items."""
    stubs = [
        item.first for item in state.window.items[start:end] if isinstance(item, StubItem) and not item.gated
    ]
    steps = _steps(state, start, end, page=True) if stubs else ()
    return any(step.first < stubs[-1] and step.item_ids not in state.refused for step in steps)


def _steps(state: State, start: int, end: int, *, page: bool) -> Iterator[Step]:
    calls = calls_of(state.window.items)
    newest = _newest(state.window.items, calls)
    inside = (
        block for block in blocks(state.window) if block.movable and start <= block.start and block.end <= end
    )
    old = [item for block in inside for item in block.items if is_message(item) and as_stored(item)]
    for item in reversed(old):
        message = item.stored.message
        if not _has_bulk(message) and not any(len(call.arguments) > ARGUMENT_CHARS for call in message.calls):
            continue
        lines = [_reference(item, result, calls, newest) for result in message.results]
        note, left = _line(state, item, calls, lines) if page else _head_and_tail(state, item, lines)
        if note and item.tokens - left >= MIN_SAVING_TOKENS:
            yield step_over("stub", (item,), max(1, left), note=note)


def _has_bulk(message: Message) -> bool:
    return any(map(is_bulky, message.results)) or any(isinstance(part, Media) for part in message.parts)


def _head_and_tail(state: State, item: MessageItem | StubItem, lines: Sequence[str]) -> tuple[str, int]:
    """The note with heads and tails, and the tokens that the message takes with it."""
    message, tool = item.stored.message, state.reading_tool
    note = pruned_note(item.stored.id, message, item.stored.tokens, default_rooms(message, tool), tool, lines)
    return note, count_stub(message, note) if note else item.tokens


def _line(
    state: State, item: MessageItem | StubItem, calls: Mapping[str, ToolCall], lines: Sequence[str]
) -> tuple[str, int]:
    """The note with the page's line for each result, and about the tokens that the message takes with it."""
    message, tokens = item.stored.message, item.stored.tokens
    note = stub_note(item.stored.id, message, tokens, calls, lines, state.reading_tool)
    if not _has_bulk(message):
        left = sum(min(len(call.arguments), ARGUMENT_CHARS) // 3 for call in message.calls)
    elif RESULT_END not in note:
        left = LINE_TOKENS
    else:  # of several results those without a line stay
        notes = zip(note.split(RESULT_END), message.results, strict=False)
        left = sum(LINE_TOKENS if line else share_of(message, result, tokens) for line, result in notes)
    return frozen(message, note), left


def _reference(
    item: MessageItem | StubItem, result: ToolResult, calls: Mapping[str, ToolCall], newest: Mapping[str, str]
) -> str:
    """The line for a result that a newer one makes superfluous, else ""."""
    if len(result.text) < RESULT_CHARS:
        return ""
    read = _read_key(calls.get(result.call_id))
    if newest.get(result.text, item.id) != item.id:
        return same_note(newest[result.text], item.id, "the same result came again")
    if read and newest.get(read, item.id) != item.id:
        return same_note(newest[read], item.id, "this file was read again")
    return ""


def _newest(items: Sequence[Item], calls: Mapping[str, ToolCall]) -> dict[str, str]:
    """The id of the newest message with a result of each text, and of the newest read of each file."""
    found: dict[str, str] = {}
    for item in filter(is_message, items):
        for result in item.stored.message.results:
            found[result.text] = item.stored.id
            is_content = len(result.text) >= RESULT_CHARS and not result.is_error
            if is_content and (read := _read_key(calls.get(result.call_id))):
                found[read] = item.stored.id
    return found


def _read_key(call: ToolCall | None) -> str:
    """What a call read, with the part of it that was asked for; "" where it read no file or several."""
    action = decode(call) if call else None
    if (
        call is None
        or action is None
        or action.command
        or [operation for _, operation in action.files] != ["read"]
    ):
        return ""
    return f"{call.name}\x00{call.arguments}"
