"""Pruned messages: a tool result as its head and its tail, with its size and the message's id between them.

- Tool calls stay, except that long arguments are shortened inside their JSON. What the user and the assistant say stays
  as long as the caller gives it room.
- Cuts are at line ends where there is one nearby, and never inside a character.
- The note is never larger than what it replaces: a part or message that would not become smaller is unchanged. The same
  message, rooms and tool always give the same note.
- A reading tool is named only where one is on offer. Without one, what is left out cannot be read back, and twice as
  much is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf

from palimpsest.budget.stubs import (
    LONG_TEXT_CHARS,
    cut_arguments,
    note_of,
    shorten_arguments,
    stored_as,
    stubbed,
)
from palimpsest.budget.token_counts import count_message
from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from palimpsest.record.window_items import MessageItem, StubItem
from palimpsest.text.cut import safe_end, safe_start

RESULT_TOKENS = 130
"""What a pruned result takes: about 60 tokens of its head, 40 of its tail, and the line between them."""
ARGUMENTS_TOKENS = 160
TEXT_TOKENS = 400
"""What a text of more than `LONG_TEXT_CHARS` takes where texts are shortened as well."""
NEWEST_FACTOR = 3
"""How much more is shown of the newest turn."""
UNREADABLE_FACTOR = 2
"""How much more is shown where no tool on offer reads the message back."""
LEAST_TOKENS = 48
"""The least that anything is shortened to: the line with the id, and a few words on both sides."""

HEAD_SHARE = 0.6
LINE_TOKENS = 30
"""About what the line between head and tail takes."""
LEAST_SHOWN_TOKENS = 12
NEAR_SHARE = 1 / 3
"""A line end is near if at least this share of what may be shown comes before it."""
MAX_CHARS_A_TOKEN = 16
MAX_CUTS = 24

Rooms = Sequence[float]


def default_rooms(message: Message, tool: str, *, newest: bool = False, texts: bool = False) -> Rooms:
    """How many tokens each part of a pruned message may take.

    `newest`: it belongs to the newest turn. `texts`: very long texts of the assistant are shortened as well.
    """
    factor = (NEWEST_FACTOR if newest else 1) * (1 if tool else UNREADABLE_FACTOR)

    def room(part: Part) -> float:
        match part:
            case ToolResult():
                return RESULT_TOKENS * factor
            case ToolCall():
                return ARGUMENTS_TOKENS * factor
            case Media():
                return 0
            case Text() if texts and message.role == "assistant" and len(part.text) > LONG_TEXT_CHARS:
                return TEXT_TOKENS * factor
            case _:
                return inf

    return [room(part) for part in message.parts]


def least_rooms(message: Message) -> Rooms:
    """The least room for each part of a message that may be shortened."""
    return [min(room, LEAST_TOKENS) if room < inf else inf for room in default_rooms(message, "", texts=True)]


def pruned_note(
    message_id: str, message: Message, tokens: int, rooms: Rooms, tool: str = "", lines: Sequence[str] = ()
) -> str:
    """The note with which no part of a message takes more than its room, as far as that is possible.

    It is "" where that would not make the message smaller than its `tokens`. `lines` replace single results, "" for
    none."""
    stored = stored_as(message_id, tool)
    left = iter(lines)
    parts: list[Part] = []
    for part, room in zip(message.parts, rooms, strict=True):
        line = next(left, "") if isinstance(part, ToolResult) else ""
        if line and isinstance(part, ToolResult):
            parts.append(ToolResult(part.call_id, (Text(line),), part.is_error))
        else:
            parts.append(_within(part, room, stored))
    note = note_of(message, parts)
    return note if note and count_message(stubbed(message, note)) < tokens else ""


def part_tokens(part: Part) -> int:
    """The tokens of a part that may be shortened; 0 for the model's thinking, which is replayed or left out whole."""
    match part:
        case ToolCall(arguments=arguments):
            return count_text(arguments)
        case Reasoning() | Opaque():
            return 0
        case _:
            return count_message(Message("user", (replace(part, extra=""),))) - _FRAME_TOKENS


_FRAME_TOKENS = count_message(Message("user"))


def _within(part: Part, room: float, stored: str) -> Part:
    if room == inf or part_tokens(part) <= room:
        return part
    made = _shortened(part, max(LEAST_TOKENS, int(room)), stored)
    return made if part_tokens(made) < part_tokens(part) else part


def _shortened(part: Part, room_tokens: int, stored: str) -> Part:
    match part:
        case ToolResult():
            notes = [_media_note(inner, stored) for inner in part.content if isinstance(inner, Media)]
            room = max(LEAST_TOKENS, room_tokens - sum(map(count_text, notes)))
            text = head_and_tail(part.text, room, stored) if part.text else ""
            content = (Text("\n".join(filter(None, (text, *notes)))),)
            return ToolResult(part.call_id, content, part.is_error, part.extra)
        case ToolCall():
            return replace(part, arguments=_arguments(part.arguments, room_tokens, stored))
        case Text():
            return replace(part, text=head_and_tail(part.text, room_tokens, stored))
        case Media():
            return Text(_media_note(part, stored))
        case _:
            return part


def _media_note(media: Media, stored: str) -> str:
    size = f", {media.size_bytes:,} bytes" if media.size_bytes else ""
    return f"[{media.media_type}{size}: left out; {stored}]"


def _arguments(arguments: str, room_tokens: int, stored: str) -> str:
    """The JSON text of a call's arguments in so many tokens, with as much of each long string as there is room for.

    Where that does not suffice, it is an object that contains the beginning and the end of the text.
    """
    note = f"[left out; {stored}]"
    most_chars = room_tokens * MAX_CHARS_A_TOKEN
    while most_chars >= LEAST_TOKENS:
        short = shorten_arguments(arguments, note, most_chars)
        if count_text(short) <= room_tokens:
            return short
        most_chars = most_chars * 3 // 4
    most_chars = room_tokens
    while count_text(short := cut_arguments(arguments, note, most_chars)) > room_tokens and most_chars:
        most_chars //= 2
    return short


def head_and_tail(text: str, room_tokens: int, stored: str) -> str:
    """The beginning and the end of a text in about `room_tokens`, and a line between them that says what is left
    out.
    """
    shown_tokens = max(LEAST_SHOWN_TOKENS, room_tokens - LINE_TOKENS)
    head_tokens = int(shown_tokens * HEAD_SHARE)
    head = beginning(text, head_tokens)
    tail = end(text[len(head) :], shown_tokens - head_tokens)
    middle = text[len(head) : len(text) - len(tail)]
    left_out = f"{len(middle):,} of {len(text):,} characters"
    if head.endswith("\n") and (not tail or middle.endswith("\n")):
        left_out = f"{len(middle.splitlines()):,} of {len(text.splitlines()):,} lines"
    line = f"[... {left_out} left out, about {count_text(text):,} tokens in all; {stored}]"
    return "\n".join(part for part in (head.rstrip("\n"), line, tail) if part)


def beginning(text: str, tokens: int) -> str:
    """The beginning of a text, of at most so many tokens: whole lines where a line ends nearby."""
    size = safe_end(text, _size(text, tokens, lambda size: text[:size]))
    border = text.rfind("\n", 0, size) + 1
    return text[: border if border > size * NEAR_SHARE else size]


def end(text: str, tokens: int) -> str:
    """The end of a text, of at most so many tokens: whole lines where a line begins nearby."""
    size = _size(text, tokens, lambda size: text[len(text) - size :])
    start = safe_start(text, len(text) - size)
    border = text.find("\n", max(0, start - 1)) + 1
    return text[border if border and len(text) - border > size * NEAR_SHARE else start :]


def _size(text: str, tokens: int, part: Callable[[int], str]) -> int:
    """How many characters a part of a text may have to take at most so many tokens."""
    size = min(len(text), tokens * MAX_CHARS_A_TOKEN)
    for place in range(MAX_CUTS):
        counted = count_text(part(size))
        if counted <= tokens:
            return size
        size = size * tokens // counted if place < MAX_CUTS // 2 else size // 2
    return 0


def group_notes(
    items: Sequence[MessageItem | StubItem], room_tokens: int, tool: str
) -> Iterator[tuple[MessageItem | StubItem, str]]:
    """The notes with which messages together take at most `room_tokens`, as far as that is possible.

    Small parts are unchanged; large parts share the rest. The note is "" for an unchanged message.
    """
    rooms = _rooms(items, room_tokens)
    for item in items:
        message = item.stored.message
        yield item, pruned_note(item.stored.id, message, item.stored.tokens, rooms[item.stored.id], tool)


def _rooms(items: Sequence[MessageItem | StubItem], room_tokens: int) -> Mapping[str, Rooms]:
    """The room of each part of each message, by the messages' ids."""
    sizes = {item.stored.id: [part_tokens(part) for part in item.stored.message.parts] for item in items}
    held = sum(item.stored.tokens for item in items) - sum(map(sum, sizes.values()))
    limits = iter(shares([size for own in sizes.values() for size in own], room_tokens - held))
    return {name: [next(limits) for _ in own] for name, own in sizes.items()}


def shares(sizes: Sequence[int], room: int) -> list[float]:
    """How much each of several sizes may take of a room.

    Small ones take all they need. Large ones share half of the rest equally, and half in proportion to their sizes.
    """
    left, waiting = float(max(0, room)), sorted(range(len(sizes)), key=lambda place: sizes[place])
    found: list[float] = [inf] * len(sizes)
    while waiting and sizes[waiting[0]] <= left / len(waiting):
        left -= sizes[waiting.pop(0)]
    total = sum(sizes[place] for place in waiting)
    for place in waiting:
        found[place] = min(sizes[place], left / len(waiting) / 2 + left * sizes[place] / total / 2)
    return found
