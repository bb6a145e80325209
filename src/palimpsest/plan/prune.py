"""Pruning: the cheap first pass of a compaction, with no model. Old bulk becomes stubs, from which nothing is lost.

Source: the page on the compression technique ("Prune tool results"). Between the protected ends:

- a result that a newer one repeats word for word, and an older read of a file that was read again, give way to the
  newest;
- a large result becomes one line; long arguments lose their middle; an old image becomes a note.

Only what makes a message noticeably smaller is done, and a message is stubbed once. The newest goes first, so that bulk
which is older than a stub tells of a pruning that was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.budget.stubs import ARGUMENT_CHARS, calls_of, same_note, stub_note
from palimpsest.plan.hierarchical import Block, blocks
from palimpsest.record.decision import Decision, State, Step, step_over
from palimpsest.record.item import Item, MessageItem, StubItem
from palimpsest.record.log import Numbers
from palimpsest.record.message import Media, ToolCall
from palimpsest.summarize.toolcalls import decode

RESULT_CHARS = 200
"""Results of fewer characters are left alone."""

MIN_SAVING_TOKENS = 30
NOTE_TOKENS = 45
"""What a stub's line costs, about."""


def prune(state: State, start: int, end: int, reason: str, numbers: Numbers = ()) -> Decision:
    """Stubs for all old bulk in this slice of the window's items, the newest first."""
    steps = tuple(step for step in _steps(state, start, end) if step.item_ids not in state.refused)
    return Decision(steps, reason if steps else "no pruning: nothing bulky between the ends", numbers)


def unfinished(state: State, start: int, end: int) -> bool:
    """Whether bulk stands before a stub in this slice of the items."""
    stubs = [
        item.first for item in state.window.items[start:end] if isinstance(item, StubItem) and not item.gated
    ]
    steps = _steps(state, start, end) if stubs else ()
    return any(step.first < stubs[-1] and step.item_ids not in state.refused for step in steps)


def _steps(state: State, start: int, end: int) -> Iterator[Step]:
    calls = calls_of(state.window.items)
    newest_text, newest_read = _newest(state.window.items, calls)
    for item in reversed(list(_old(blocks(state.window, 0), start, end))):
        message = item.stored.message
        text = "".join(result.text for result in message.results)
        read = _read_path([calls[one.call_id] for one in message.results if one.call_id in calls])
        saving = item.tokens - NOTE_TOKENS
        if len(text) >= RESULT_CHARS and newest_text.get(text, item.id) != item.id:
            note = same_note(newest_text[text], item.id, "the same result came again")
        elif len(text) >= RESULT_CHARS and read and newest_read.get(read, item.id) != item.id:
            note = same_note(newest_read[read], item.id, "this file was read again")
        elif len(text) >= RESULT_CHARS or _has_media(item):
            note = stub_note(item.id, message, item.stored.tokens, calls)
        elif any(len(call.arguments) > ARGUMENT_CHARS for call in message.calls):
            note = stub_note(item.id, message, item.tokens, calls)
            saving = item.tokens - sum(
                min(len(call.arguments), ARGUMENT_CHARS) // 3 for call in message.calls
            )
        else:
            continue
        if saving >= MIN_SAVING_TOKENS:
            yield step_over("stub", (item,), max(1, item.tokens - saving), note=note)


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


def _newest(items: Sequence[Item], calls: dict[str, ToolCall]) -> tuple[dict[str, str], dict[str, str]]:
    """The id of the newest message with a result of each text, and of the newest read of each file."""
    texts: dict[str, str] = {}
    reads: dict[str, str] = {}
    for item in items:
        if not isinstance(item, MessageItem | StubItem) or not item.stored.message.results:
            continue
        results = item.stored.message.results
        texts["".join(result.text for result in results)] = item.stored.id
        read = _read_path([calls[one.call_id] for one in results if one.call_id in calls])
        if read:
            reads[read] = item.stored.id
    return texts, reads


def _read_path(calls: Sequence[ToolCall]) -> str:
    """What a single call read, with the part of it that was asked for; "" where it read no file or several."""
    if len(calls) != 1:
        return ""
    action = decode(calls[0])
    if action.command or len(action.files) != 1 or action.files[0][1] != "read":
        return ""
    return f"{calls[0].name} {calls[0].arguments}"


def _has_media(item: MessageItem | StubItem) -> bool:
    message = item.stored.message
    inner = (part for result in message.results for part in result.content)
    return any(isinstance(part, Media) for part in (*message.parts, *inner))
