"""Level 1, "pruned": a tool result as its head and its tail, with its size and the id of the whole between them.

- Tool calls stay whole, but for long arguments, which are shortened inside their JSON. What the user and the assistant
  say stays whole as long as the caller gives it room.
- The cuts are at line borders where there is one nearby, and never inside a character.
- The note is never larger than what it stands for: a part that would not become smaller stays as it is, and so does a
  message. The same message, rooms and tool always give the same note.
- A reading tool is named only where one is on offer. Where none is, what is left out cannot be read back, and twice as
  much is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf

from palimpsest.budget.stubs import (
    LONG_TEXT_CHARS,
    cut_arguments,
    note_of,
    read_with,
    shorten_arguments,
    stubbed,
)
from palimpsest.budget.token_counts import count_message
from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolResult
from palimpsest.record.window_items import MessageItem, StubItem
from palimpsest.text.cut import safe_end, safe_start

RESULT_TOKENS = 130
"""What a result takes at level 1: about 60 tokens of its head, 40 of its tail, and the line between them."""
ARGUMENTS_TOKENS = 160
TEXT_TOKENS = 400
"""What a text of more than `LONG_TEXT_CHARS` takes where texts are shortened too."""
NEWEST_FACTOR = 3
"""So much more is shown of what belongs to the newest turn."""
UNREADABLE_FACTOR = 2
"""So much more where no tool on offer reads the whole back."""
LEAST_TOKENS = 48
"""The least that anything is shortened to: the line that names the id, and a few words on both sides."""

HEAD_SHARE = 0.6
LINE_TOKENS = 30
"""What the line between head and tail takes, about."""
LEAST_SHOWN_TOKENS = 12
NEAR_SHARE = 1 / 3
"""A line border is near where at least this share of what may be shown lies before it."""
MAX_CHARS_A_TOKEN = 16
MAX_CUTS = 24

Rooms = Sequence[float]


def default_rooms(message: Message, tool: str, *, newest: bool = False, texts: bool = False) -> Rooms:
    """How many tokens each part of a message may take at level 1. `newest`: it belongs to the newest turn; `texts`:
    very long texts of the assistant are shortened too.
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
    """The rooms of the parts of a message that may be shortened at default, where each has the least."""
    return [min(room, LEAST_TOKENS) if room < inf else inf for room in default_rooms(message, "", texts=True)]


def pruned_note(
    message_id: str, message: Message, tokens: int, rooms: Rooms, tool: str = "", told: Sequence[str] = ()
) -> str:
    """The note with which no part of a message takes more than its room, as far as that is possible; "" where that
    would not make it smaller than its `tokens`. `told` are lines that stand in place of single results, "" for none.
    """
    whole = f"whole as {message_id}{read_with(tool)}"
    lines = iter(told)
    parts: list[Part] = []
    for part, room in zip(message.parts, rooms, strict=True):
        line = next(lines, "") if isinstance(part, ToolResult) else ""
        if line and isinstance(part, ToolResult):
            parts.append(ToolResult(part.call_id, (Text(line),), part.is_error))
        else:
            parts.append(_within(part, room, whole))
    note = note_of(message, parts)
    return note if note and count_message(stubbed(message, note)) < tokens else ""


def part_tokens(part: Part) -> int:
    """What a part takes that may be shortened; 0 for the model's thinking, which is replayed or left out as it is."""
    match part:
        case ToolCall(arguments=arguments):
            return count_text(arguments)
        case Reasoning():
            return 0
        case _:
            return count_message(Message("user", (replace(part, extra=""),))) - _FRAME_TOKENS


_FRAME_TOKENS = count_message(Message("user"))


def _within(part: Part, room: float, whole: str) -> Part:
    if room == inf or part_tokens(part) <= room:
        return part
    made = _shortened(part, max(LEAST_TOKENS, int(room)), whole)
    return made if part_tokens(made) < part_tokens(part) else part


def _shortened(part: Part, room_tokens: int, whole: str) -> Part:
    match part:
        case ToolResult():
            notes = [_media_note(inner, whole) for inner in part.content if isinstance(inner, Media)]
            room = max(LEAST_TOKENS, room_tokens - sum(map(count_text, notes)))
            text = head_and_tail(part.text, room, whole) if part.text else ""
            return ToolResult(
                part.call_id, (Text("\n".join(filter(None, (text, *notes)))),), part.is_error, part.extra
            )
        case ToolCall():
            return replace(part, arguments=_arguments(part.arguments, room_tokens, whole))
        case Text():
            return replace(part, text=head_and_tail(part.text, room_tokens, whole))
        case Media():
            return Text(_media_note(part, whole))
        case _:
            return part


def _media_note(media: Media, whole: str) -> str:
    size = f", {media.size_bytes:,} bytes" if media.size_bytes else ""
    return f"[{media.media_type}{size}: left out; {whole}]"


def _arguments(arguments: str, room_tokens: int, whole: str) -> str:
    """The JSON text of a call's arguments in so many tokens: as much of each long string as there is room for; where
    that does not suffice, an object that holds the beginning and the end of the text.
    """
    note = f"[left out; {whole}]"
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


def head_and_tail(text: str, room_tokens: int, whole: str) -> str:
    """The beginning and the end of a text, and between them a line that says how much is left out and where the whole
    is; together about `room_tokens`.
    """
    shown_tokens = max(LEAST_SHOWN_TOKENS, room_tokens - LINE_TOKENS)
    head_tokens = int(shown_tokens * HEAD_SHARE)
    head = beginning(text, head_tokens)
    tail = end(text[len(head) :], shown_tokens - head_tokens)
    middle = text[len(head) : len(text) - len(tail)]
    line = f"[... {_left_out(text, head, middle, tail)}, about {count_text(text):,} tokens in all; {whole}]"
    return "\n".join(part for part in (head.rstrip("\n"), line, tail) if part)


def _left_out(text: str, head: str, middle: str, tail: str) -> str:
    """How much of a text is left out: in lines where whole lines are, else in characters."""
    at_lines = head.endswith("\n") and (not tail or middle.endswith("\n"))
    if not at_lines:
        return f"{len(middle):,} of {len(text):,} characters left out"
    return f"{len(middle.splitlines()):,} of {len(text.splitlines()):,} lines left out"


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
    """How many characters of a text there are in a part of it of at most so many tokens."""
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
    """The notes with which messages together take at most `room_tokens`, as far as that is possible; "" for a message
    that stays whole. What is small stays whole first; what is large shares the rest.
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
    """What each of several things may take of a room: the small ones all, the large ones of the rest half in equal
    parts and half in proportion to their sizes.
    """
    left, waiting = float(max(0, room)), sorted(range(len(sizes)), key=lambda place: sizes[place])
    found: list[float] = [inf] * len(sizes)
    while waiting and sizes[waiting[0]] <= left / len(waiting):
        left -= sizes[waiting.pop(0)]
    total = sum(sizes[place] for place in waiting)
    for place in waiting:
        found[place] = min(sizes[place], left / len(waiting) / 2 + left * sizes[place] / total / 2)
    return found
