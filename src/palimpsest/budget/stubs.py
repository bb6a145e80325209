"""Stubs: a message without its bulk, as the note of a window's item describes it.

- A note is stored with its item and contains the texts that the model sees. One with `PART_END` has a text for each
  part of the message, one with `RESULT_END` a text for each result. Any other note replaces every result. Two older
  kinds, which databases contain, leave arguments, images and very long texts to be shortened when they are shown.
- `budget.pruned_messages` writes notes with heads and tails. This module writes the one line of the page on the
  compression technique: the tool, its arguments in short, the outcome, the size, and the id of the full message. Of
  several results in one message, each long one has a line of its own.
- Long strings, keys and lists in a call's arguments lose their middle inside the parsed JSON. Cut as text, they would
  no longer be JSON, and providers would refuse them.
- The line about a call contains no secrets of its arguments.

The stored message never changes: a stub is a form of the item in the window.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from palimpsest.record.json_text import unescaped
from palimpsest.record.message import Media, Message, Opaque, Part, Text, ToolCall, ToolResult
from palimpsest.record.recall_mark import is_recalled
from palimpsest.record.window_items import Item, MessageItem, StubItem
from palimpsest.text.cut import safe_end, safe_start
from palimpsest.toolcalls.call_actions import decode

RESULT_END = "\x1e"
"""Ends the text of each result in the note of a gated message."""
PART_END = "\x1d"
"""Ends the text of each part in the note of a message. An empty text means that the part is shown unchanged."""
ARGUMENT_CHARS = 500
"""A longer string in a call's arguments loses its middle."""
LONG_TEXT_CHARS = 20_000
"""A longer text loses its middle: nobody writes as much, it was pasted."""
HEAD_SHARE, TAIL_SHARE = 0.48, 0.24
"""The shares of a shortened string that its beginning and end take; the note between them takes the rest."""
MANY, MANY_CHARS = 20, 2_000
"""A list or object in a call's arguments with more entries and more characters loses the entries in the middle."""
KEPT_HEAD, KEPT_TAIL = 8, 4
SHORT_CHARS = 80
RESULT_CHARS = 200
"""Shorter results are left alone."""
LOOK_CHARS = 8_000
"""Characters of a call's subject that are searched for secrets; far fewer are shown."""


def calls_of(items: Iterable[Item]) -> dict[str, ToolCall]:
    """The tool calls of a window by their ids, the newest of each id."""
    messages = (item.stored.message for item in items if isinstance(item, MessageItem | StubItem))
    return {call.id: call for message in messages for call in message.calls}


def stub_note(
    message_id: str,
    message: Message,
    tokens: int,
    calls: Mapping[str, ToolCall],
    lines: Sequence[str] = (),
    tool: str = "",
) -> str:
    """The line that replaces what is left out of a message.

    For several results it has a line for each long one, ended by `RESULT_END`. `lines` replace single results, "" for
    the others. `tool` is the name of a tool on offer that reads the message back, "" for none.
    """
    results = message.results
    if not results:
        return f"[left out here; {stored_as(message_id)}]"
    if len(results) > 1 and any(isinstance(part, Media) for part in message.parts):
        return result_note(message_id, results, tokens, calls, tool)
    notes = list(lines) or [""] * len(results)
    for place, result in enumerate(results):
        if not notes[place] and (is_bulky(result) or len(results) == 1):
            share = share_of(message, result, tokens) if len(results) > 1 else tokens
            notes[place] = result_note(message_id, (result,), share, calls, tool)
    return notes[0] if len(results) == 1 else "".join(note + RESULT_END for note in notes)


def share_of(message: Message, result: ToolResult, tokens: int) -> int:
    """The share of one result in its message's tokens, by its length."""
    size = sum(len(one.text) for one in message.results)
    return tokens * len(result.text) // size if size else tokens


def is_bulky(result: ToolResult) -> bool:
    """Whether a result is larger than the line that would replace it."""
    return len(result.text) >= RESULT_CHARS or any(isinstance(part, Media) for part in result.content)


def result_note(
    message_id: str,
    results: Sequence[ToolResult],
    tokens: int,
    calls: Mapping[str, ToolCall],
    tool: str = "",
) -> str:
    """The line that replaces results of a message, of so many tokens; for a single result, with its call."""
    if all(is_recalled(result.text) for result in results):
        return "[what was read back is left out here; ask for it again if you need it]"
    from palimpsest.toolcalls.outcomes import outcome

    size = sum(len(result.text) for result in results)
    count = sum(unescaped(result.text).count("\n") + 1 for result in results)
    call = calls.get(results[0].call_id) if len(results) == 1 else None
    about = ""
    if call is not None:
        about = f"{_short(call)} -> {outcome(results[0], decode(call).command).label}, "
    parts = (part for result in results for part in result.content)
    kinds = Counter(part.media_type for part in parts if isinstance(part, Media))
    media = "".join(f", {number} {kind}" for kind, number in kinds.items())
    return (
        f"[result left out: {about}{count:,} lines, {size:,} characters{media}, about {tokens:,} tokens; "
        f"{stored_as(message_id, tool)}]"
    )


def stored_as(message_id: str, tool: str = "") -> str:
    """Where the full message is, and the tool on offer that reads it back, "" for none."""
    return f"stored as {message_id}" + (f", read it with {tool} and include_results=true" if tool else "")


def same_note(newest_id: str, message_id: str, what: str) -> str:
    """The line that replaces a result which a newer message repeats or supersedes."""
    return f"[{what}: see {newest_id}; this one is stored as {message_id}]"


def _short(call: ToolCall) -> str:
    """A call in a few words: its tool, and what it was about."""
    from palimpsest.redaction.redactor import redact

    action = decode(call)
    path = next((path for path, _ in action.files), "")
    if len(path) > SHORT_CHARS and not action.command:
        path = f"…{path[path.find('/', len(path) - SHORT_CHARS) :]}" if "/" in path[-SHORT_CHARS:] else path
    about = action.command or path
    about = about or ", ".join(f"{key}: {value}" for key, value in action.values) or action.text
    about = " ".join(redact(about[:LOOK_CHARS]).split())
    if len(about) > SHORT_CHARS:
        about = f"{about[:SHORT_CHARS]}…"
    return f"{call.name} `{about}`" if about else call.name


def stubbed(message: Message, note: str) -> Message:
    """The message as its note shows it."""
    if PART_END in note:
        pairs = zip(message.parts, note.split(PART_END), strict=False)
        parts = tuple(_with_text(part, text) if text else part for part, text in pairs)
    elif RESULT_END in note:
        texts = iter(note.split(RESULT_END))
        parts = tuple(_with_next(part, texts) for part in message.parts)
    else:
        parts = tuple(_stubbed(part, note) for part in message.parts)
    return replace(message, parts=parts)


def note_of(message: Message, parts: Sequence[Part]) -> str:
    """The note with which a message is shown as these parts, one for each of its own; "" where they are its own."""
    pairs = zip(message.parts, parts, strict=True)
    texts = ["" if own == part else _text_of(part).replace(PART_END, " ") for own, part in pairs]
    if len(texts) == 1 and isinstance(message.parts[0], ToolResult):
        return texts[0].replace(RESULT_END, " ")
    return "".join(text + PART_END for text in texts) if any(texts) else ""


def frozen(message: Message, note: str) -> str:
    """A note that leaves nothing to be shortened when it is shown."""
    if all(isinstance(part, ToolResult) for part in message.parts):
        return note
    return note_of(message, stubbed(message, note).parts)


def _text_of(part: Part) -> str:
    match part:
        case ToolCall(arguments=arguments):
            return arguments
        case Media() | Opaque():
            return ""
        case _:
            return part.text


def _with_text(part: Part, text: str) -> Part:
    match part:
        case ToolResult():
            return ToolResult(part.call_id, (Text(text),), part.is_error)
        case ToolCall():
            return replace(part, arguments=text)
        case Media():
            return Text(text)
        case Opaque():
            return part
        case _:
            return replace(part, text=text)


def _with_next(part: Part, texts: Iterator[str]) -> Part:
    """A result with the next of the texts, unless that is empty; every other part unchanged."""
    text = next(texts, "") if isinstance(part, ToolResult) else ""
    return replace(part, content=(Text(text),)) if text and isinstance(part, ToolResult) else part


def _stubbed(part: Part, note: str) -> Part:
    match part:
        case ToolResult():
            return _with_text(part, note)
        case ToolCall():
            return replace(part, arguments=shorten_arguments(part.arguments, note))
        case Media():
            size = f", {part.size_bytes:,} bytes" if part.size_bytes else ""
            return Text(f"[{part.media_type}{size}] {note}")
        case Text() if len(part.text) > LONG_TEXT_CHARS:
            return replace(part, text=_cut(part.text, note))
        case _:
            return part


def shorten_arguments(arguments: str, note: str, most_chars: int = ARGUMENT_CHARS) -> str:
    """The JSON text of a call's arguments, with strings of more than `most_chars` and long lists shortened.

    Arguments that are no JSON object become one that contains their beginning and end. What would not become shorter
    is unchanged.
    """
    if len(arguments) <= most_chars:
        return arguments
    shorter = cut_arguments(arguments, note, most_chars)
    try:
        value: object = json.loads(
            arguments, parse_constant=_no_number, parse_float=_Number, parse_int=_Number
        )
        if isinstance(value, dict):
            short = _shorten(cast("object", value), note, most_chars)
            shorter = arguments if short == value else _dumped(short)
    except (ValueError, RecursionError):
        pass
    return shorter if len(shorter) < len(arguments) else arguments


def cut_arguments(arguments: str, note: str, most_chars: int) -> str:
    """The beginning and the end of a call's arguments, in a JSON object of its own."""
    return _dumped({"shortened": _cut(arguments, note, most_chars)})


class _Number(str):
    """A number as it was written: parsed, it could lose digits, or be none that JSON can represent (1e400)."""

    __slots__ = ()


def _no_number(name: str) -> object:
    """NaN and the infinities are no JSON, though Python's parser accepts them."""
    raise ValueError(f"{name} is no JSON")


def _dumped(value: object) -> str:
    """Compact JSON; halves of surrogate pairs, which have no UTF-8 form, as escapes."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return f"{{{','.join(f'{_dumped(key)}:{_dumped(inner)}' for key, inner in fields.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_dumped, cast('list[object]', value)))}]"
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _shorten(value: object, note: str, most_chars: int) -> object:
    if isinstance(value, str):
        return _cut(value, note, most_chars) if len(value) > most_chars else value
    if isinstance(value, dict):
        entries = cast("dict[str, object]", value).items()
        own = {key: _shorten(inner, note, most_chars) for key, inner in entries}
        fields: list[tuple[str, object]] = list(own.items())
        if _is_many(own):
            middle = (_free("…", own), _left_out(len(own), note))
            fields = [*fields[:KEPT_HEAD], middle, *fields[-KEPT_TAIL:]]
        found: dict[str, object] = {}
        for key, inner in fields:
            long = len(key) > most_chars
            name = _free(_cut(key, note, most_chars), own.keys() | found.keys()) if long else key
            found[name] = inner
        return found
    if isinstance(value, list):
        items = [_shorten(inner, note, most_chars) for inner in cast("list[object]", value)]
        middle = _left_out(len(items), note)
        return [*items[:KEPT_HEAD], middle, *items[-KEPT_TAIL:]] if _is_many(items) else items
    return value


def _free(name: str, taken: Container[str]) -> str:
    """The name, or one like it that is not taken."""
    while name in taken:
        name += "…"
    return name


def _is_many(found: Mapping[str, object] | Sequence[object]) -> bool:
    return len(found) > MANY and len(_dumped(found)) > MANY_CHARS


def _left_out(count: int, note: str) -> str:
    return f"{count - KEPT_HEAD - KEPT_TAIL:,} more {note}"


def _cut(text: str, note: str, most_chars: int = ARGUMENT_CHARS) -> str:
    head = safe_end(text, int(most_chars * HEAD_SHARE))
    tail = safe_start(text, len(text) - int(most_chars * TAIL_SHARE))
    return f"{text[:head]}… {tail - head:,} characters {note} …{text[tail:]}"
