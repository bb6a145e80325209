"""Stubs: a message without its bulk, as the note of a window's item says it.

- A note is stored with its item and holds the texts that the model sees. One with `PART_END` has a text for each part
  of the message, one with `RESULT_END` a text for each result; any other stands in place of every result. Two older
  kinds, which databases hold, leave arguments, images and very long texts to be shortened when they are shown.
- `budget.pruned` writes the notes of level 1. This file writes the one line that the page on the compression technique
  asks for: the tool, its arguments in short, how it went, its size, and the id of the whole. Of several results in one
  message each has a line of its own, or stays where it is short.
- Long strings, keys and lists in a call's arguments lose their middle inside the parsed JSON, which stays JSON: cut as
  text it would be refused by providers.
- The line about a call holds no secrets of its arguments.

The stored message never changes: a stub is a form of the item in the window.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from typing import TypeVar, cast

from palimpsest.record.json_text import unescaped
from palimpsest.record.message import Media, Message, Part, Text, ToolCall, ToolResult
from palimpsest.record.recall_mark import is_recalled
from palimpsest.record.window_items import Item, MessageItem, StubItem
from palimpsest.text.cut import safe_end, safe_start
from palimpsest.toolcalls.call_actions import decode

RESULT_END = "\x1e"
"""Ends the text of each result in the note of a gated message."""

PART_END = "\x1d"
"""Ends the text of each part in the note of a message; an empty text stands for a part that is shown as it is."""

ARGUMENT_CHARS = 500
"""A string in a call's arguments that is longer loses its middle."""

LONG_TEXT_CHARS = 20_000
"""So does a text that is longer: nobody says as much, something was poured into it."""

HEAD_SHARE, TAIL_SHARE = 0.48, 0.24
"""Of the characters of a string that may stand, the beginning and the end; the rest is what is said between them."""
MANY, MANY_CHARS = 20, 2_000
"""More things in one list or object of a call's arguments than this, of more characters, lose those in the middle."""
KEPT_HEAD, KEPT_TAIL = 8, 4
SHORT_CHARS = 80
RESULT_CHARS = 200
"""Results of fewer characters are left alone."""
LOOK_CHARS = 8_000
"""Characters of what a call was about in which secrets are looked for; what is shown of it is far less."""

Held = TypeVar("Held")


def calls_of(items: Iterable[Item]) -> dict[str, ToolCall]:
    """The tool calls of a window by their ids, the newest of each id."""
    return {
        call.id: call
        for item in items
        if isinstance(item, MessageItem | StubItem)
        for call in item.stored.message.calls
    }


def stub_note(
    message_id: str,
    message: Message,
    tokens: int,
    calls: Mapping[str, ToolCall],
    told: Sequence[str] = (),
    tool: str = "",
) -> str:
    """What stands for what is left out of a message: a line; where the message has several results, and so had a line
    that is true of one of them only, a line for each that is long, ended by `RESULT_END`. `told` are lines for results
    of which there is something else to say, "" for the others. `tool` is the name of a tool on offer that reads the
    whole back, "" for none.
    """
    results = message.results
    if not results:
        return f"[left out here; {message_id} holds the whole]"
    told = told or [""] * len(results)
    if len(results) == 1 or any(isinstance(part, Media) for part in message.parts):
        return (told[0] if len(results) == 1 else "") or result_note(message_id, results, tokens, calls, tool)
    notes = [
        line
        or (
            result_note(message_id, (one,), share_of(message, one, tokens), calls, tool)
            if is_bulky(one)
            else ""
        )
        for line, one in zip(told, results, strict=True)
    ]
    return "".join(note + RESULT_END for note in notes)


def share_of(message: Message, result: ToolResult, tokens: int) -> int:
    """What one result takes of its message's tokens, by its length."""
    size = sum(len(one.text) for one in message.results)
    return tokens * len(result.text) // size if size else tokens


def is_bulky(result: ToolResult) -> bool:
    """Whether a result is larger than the line that would stand for it."""
    return len(result.text) >= RESULT_CHARS or any(isinstance(part, Media) for part in result.content)


def result_note(
    message_id: str,
    results: Sequence[ToolResult],
    tokens: int,
    calls: Mapping[str, ToolCall],
    tool: str = "",
) -> str:
    """The line that stands for results of a message, of so many tokens: for one, with what was called."""
    if all(is_recalled(result.text) for result in results):
        return "[what was read back is left out here; ask for it again where it is needed]"
    from palimpsest.toolcalls.outcomes import outcome

    size = sum(len(result.text) for result in results)
    lines = sum(unescaped(result.text).count("\n") + 1 for result in results)
    call = calls.get(results[0].call_id) if len(results) == 1 else None
    said = (
        f"{_short(call)} -> {outcome(results[0], decode(call).command).label}, " if call is not None else ""
    )
    media = Counter(
        part.media_type for result in results for part in result.content if isinstance(part, Media)
    )
    beside = "".join(f", {often} {kind}" for kind, often in media.items())
    return (
        f"[result left out: {said}{lines:,} lines, {size:,} characters{beside}, about {tokens:,} tokens; "
        f"{message_id} holds the whole{read_with(tool)}]"
    )


def read_with(tool: str) -> str:
    """How a whole message is read with the tool of this name that is on offer, "" where none is."""
    return f": {tool} reads it with include_results=true" if tool else ""


def same_note(newest_id: str, message_id: str, what: str) -> str:
    """The line that stands for a result that a newer message repeats or replaces."""
    return f"[{what}: see {newest_id}; {message_id} holds this one]"


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
        return replace(message, parts=tuple(_as_told(part, text) if text else part for part, text in pairs))
    if RESULT_END in note:
        texts = iter(note.split(RESULT_END))
        return replace(message, parts=tuple(_shown(part, texts) for part in message.parts))
    return replace(message, parts=tuple(_stubbed(part, note) for part in message.parts))


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
        case Media():
            return ""
        case _:
            return part.text


def _as_told(part: Part, text: str) -> Part:
    match part:
        case ToolResult():
            return ToolResult(part.call_id, (Text(text),), part.is_error)
        case ToolCall():
            return replace(part, arguments=text)
        case Media():
            return Text(text)
        case _:
            return replace(part, text=text)


def _shown(part: Part, texts: Iterator[str]) -> Part:
    """A result as the next of the texts has it; every other part as it is."""
    text = next(texts, "") if isinstance(part, ToolResult) else ""
    return replace(part, content=(Text(text),)) if text and isinstance(part, ToolResult) else part


def _stubbed(part: Part, note: str) -> Part:
    match part:
        case ToolResult():
            return ToolResult(part.call_id, (Text(note),), part.is_error)
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
    """The JSON text of a call's arguments with strings of more than `most_chars` and long lists shortened; as it is
    where none is long.

    Arguments that are no JSON object become one that holds their beginning and their end. What would not become shorter
    stays as it is.
    """
    if len(arguments) <= most_chars:
        return arguments
    try:
        value: object = json.loads(
            arguments, parse_constant=_no_number, parse_float=_Number, parse_int=_Number
        )
        whole = isinstance(value, dict)
        found = (
            _shorten(cast("object", value), note, most_chars)
            if whole
            else {"shortened": _cut(arguments, note, most_chars)}
        )
        shorter = _dumped(found)
    except (ValueError, RecursionError):
        shorter = cut_arguments(arguments, note, most_chars)
    return shorter if len(shorter) < len(arguments) else arguments


def cut_arguments(arguments: str, note: str, most_chars: int) -> str:
    """The beginning and the end of a call's arguments, in a JSON object of its own."""
    return _dumped({"shortened": _cut(arguments, note, most_chars)})


class _Number(str):
    """A number as it was written: read as one, it would lose digits, or be none that JSON can hold (1e400)."""

    __slots__ = ()


def _no_number(name: str) -> object:
    """NaN and the infinities are no JSON, though Python's reader takes them."""
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
        fields_of = cast("dict[str, object]", value).items()
        own = {key: _shorten(inner, note, most_chars) for key, inner in fields_of}
        fields = list(own.items())
        if _is_many(own):
            fields = _few(fields, (_free("…", own), _left_out(own, note)))
        found: dict[str, object] = {}
        for key, inner in fields:
            long = len(key) > most_chars
            name = _free(_cut(key, note, most_chars), own.keys() | found.keys()) if long else key
            found[name] = inner
        return found
    if isinstance(value, list):
        items = [_shorten(inner, note, most_chars) for inner in cast("list[object]", value)]
        return _few(items, _left_out(items, note)) if _is_many(items) else items
    return value


def _free(name: str, taken: Container[str]) -> str:
    """The name, or one like it that is not taken."""
    while name in taken:
        name += "…"
    return name


def _is_many(found: Mapping[str, object] | Sequence[object]) -> bool:
    return len(found) > MANY and len(_dumped(found)) > MANY_CHARS


def _few(found: Sequence[Held], middle: Held) -> list[Held]:
    """The first and the last of many, and what stands for those between."""
    return [*found[:KEPT_HEAD], middle, *found[-KEPT_TAIL:]]


def _left_out(found: Sized, note: str) -> str:
    return f"{len(found) - KEPT_HEAD - KEPT_TAIL:,} more {note}"


def _cut(text: str, note: str, most_chars: int = ARGUMENT_CHARS) -> str:
    head = safe_end(text, int(most_chars * HEAD_SHARE))
    tail = safe_start(text, len(text) - int(most_chars * TAIL_SHARE))
    return f"{text[:head]}… {tail - head:,} characters {note} …{text[tail:]}"
