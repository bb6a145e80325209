"""Stubs: how a message looks when its bulk is left out, and the line that says what was there and how to read it back.

- A tool result becomes one line: the tool, its arguments in short, how it went, its size, and the id of the whole. Of
  several results in one message each has a line of its own, or stays where it is short.
- Long strings, keys and lists in a call's arguments lose their middle inside the parsed JSON, which stays JSON: cut as
  text it would be refused by providers.
- Images and documents become a note, and a text of more than `LONG_TEXT_CHARS` loses its middle.
- A line that is written here holds no secrets: unlike the message that it stands for, it is kept in records.

The stored message never changes: a stub is a form of the item in the window.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from typing import TypeVar, cast

from palimpsest.record.item import Item, MessageItem, StubItem
from palimpsest.record.jsontext import unescaped
from palimpsest.record.message import Media, Message, Part, Text, ToolCall, ToolResult
from palimpsest.record.recalled import is_recalled
from palimpsest.summarize.toolcalls import decode

RESULT_END = "\x1e"
"""Ends the text of each result in the note of a gated message."""

ARGUMENT_CHARS = 500
"""A string in a call's arguments that is longer loses its middle."""

LONG_TEXT_CHARS = 20_000
"""So does a text that is longer: nobody says as much, something was poured into it."""

KEPT_HEAD_CHARS, KEPT_TAIL_CHARS = 240, 120
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
) -> str:
    """What stands for what is left out of a message: a line; where the message has several results, and so had a line
    that is true of one of them only, a line for each that is long, ended by `RESULT_END`. `told` are lines for results
    of which there is something else to say, "" for the others.
    """
    results = message.results
    if not results:
        return f"[left out here; {message_id} holds the whole]"
    told = told or [""] * len(results)
    if len(results) == 1 or any(isinstance(part, Media) for part in message.parts):
        return (told[0] if len(results) == 1 else "") or result_note(message_id, results, tokens, calls)
    notes = [
        line
        or (result_note(message_id, (one,), share_of(message, one, tokens), calls) if is_bulky(one) else "")
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
    message_id: str, results: Sequence[ToolResult], tokens: int, calls: Mapping[str, ToolCall]
) -> str:
    """The line that stands for results of a message, of so many tokens: for one, with what was called."""
    if all(is_recalled(result.text) for result in results):
        return "[what was read back is left out here; ask for it again where it is needed]"
    from palimpsest.summarize.outcomes import outcome

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
        f"{message_id} holds the whole: expand it with include_results=true]"
    )


def same_note(newest_id: str, message_id: str, what: str) -> str:
    """The line that stands for a result that a newer message repeats or replaces."""
    return f"[{what}: see {newest_id}; {message_id} holds this one]"


def _short(call: ToolCall) -> str:
    """A call in a few words: its tool, and what it was about."""
    from palimpsest.summarize.secrets.redact import redact

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
    """The message with `note` in place of what its results, long arguments, media and very long texts hold.

    A note that holds a text for each result, as `gate` makes them, takes the place of those for which it is not empty.
    """
    if RESULT_END in note:
        texts = iter(note.split(RESULT_END))
        return replace(message, parts=tuple(_shown(part, texts) for part in message.parts))
    return replace(message, parts=tuple(_stubbed(part, note) for part in message.parts))


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


def shorten_arguments(arguments: str, note: str) -> str:
    """The JSON text of a call's arguments with long strings and lists shortened; as it is where none is long.

    Arguments that are no JSON object become one that holds their beginning and their end. What would not become shorter
    stays as it is.
    """
    if len(arguments) <= ARGUMENT_CHARS:
        return arguments
    try:
        value: object = json.loads(
            arguments, parse_constant=_no_number, parse_float=_Number, parse_int=_Number
        )
        whole = isinstance(value, dict)
        found = _shorten(cast("object", value), note) if whole else {"shortened": _cut(arguments, note)}
        shorter = _dumped(found)
    except (ValueError, RecursionError):
        shorter = _dumped({"shortened": _cut(arguments, note)})
    return shorter if len(shorter) < len(arguments) else arguments


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


def _shorten(value: object, note: str) -> object:
    if isinstance(value, str):
        return _cut(value, note) if len(value) > ARGUMENT_CHARS else value
    if isinstance(value, dict):
        own = {key: _shorten(inner, note) for key, inner in cast("dict[str, object]", value).items()}
        fields = list(own.items())
        if _is_many(own):
            fields = _few(fields, (_free("…", own), _left_out(own, note)))
        found: dict[str, object] = {}
        for key, inner in fields:
            name = key if len(key) <= ARGUMENT_CHARS else _free(_cut(key, note), own.keys() | found.keys())
            found[name] = inner
        return found
    if isinstance(value, list):
        items = [_shorten(inner, note) for inner in cast("list[object]", value)]
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


def _cut(text: str, note: str) -> str:
    left_out = len(text) - KEPT_HEAD_CHARS - KEPT_TAIL_CHARS
    return f"{text[:KEPT_HEAD_CHARS]}… {left_out:,} characters {note} …{text[-KEPT_TAIL_CHARS:]}"
