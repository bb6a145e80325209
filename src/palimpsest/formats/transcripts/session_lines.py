"""The lines of a session file, written and read: meta, messages, compact markers, rewinds.

The form is Crabtalk's: a first line that says whose session it is, then a message a line as an OpenAI chat dict, and a
`{"compact": "..."}` marker wherever the history before it was replaced by a summary. What that form has no place for
stands under one key of our own, `OWN`, so that any reader of the form finds what it knows and nothing else changes:

- Reading a message's line gives back the very message that was written. What the dict says is not said again: the key
  holds only the fields that differ, and the parts where no chat dict could carry them.
- `chain` of a message is the beginning of its chain hash. It names the whole history up to there, in any store.
- `through` and `chain` of a marker say which messages its text stands for. Without them it is all that precede it.
  `quotes` is the position of a message whose words end the text verbatim, from character `chars` on.
- `{"rewind": n}` says that what follows continues after message n: a history was edited or rewound. What was there is
  a branch. Later meta lines replace earlier ones. So a file only ever grows.
- Text that no UTF-8 can carry (half of a surrogate pair) is written as JSON escapes and read back as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, replace
from typing import cast

import msgspec

from palimpsest.errors import FormatError
from palimpsest.formats import openai
from palimpsest.formats.transcripts.reader_base import JsonObject, as_object, as_text, is_list, is_object
from palimpsest.formats.wire_fields import load_value
from palimpsest.record.message import (
    ROLES,
    Media,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)

OWN = "palimpsest"
COMPACT = "compact"
REWIND = "rewind"
CHAIN_CHARS = 16
"""So much of a chain hash, in hexadecimal, tells any two histories of one file apart."""

_PARTS: Mapping[str, type[Part]] = {
    "text": Text,
    "reasoning": Reasoning,
    "media": Media,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
}
_NAMES = {kind: name for name, kind in _PARTS.items()}
_TYPES: Mapping[object, type] = {"str": str, "bool": bool, "int": int}
_KEPT = ("name", "time_s", "model", "usage", "wire", "extra", "origin", "provisional")
_WORDS = frozenset({"name", "model", "wire", "extra", "origin"})


@dataclass(frozen=True, slots=True)
class Meta:
    """Whose session a file holds. `created_at` is ISO 8601; `id` and `parent` name conversations, "" where unknown."""

    agent: str = ""
    created_by: str = ""
    created_at: str = ""
    title: str = ""
    id: str = ""
    parent: str = ""
    system: str = ""


def encode(row: Mapping[str, object]) -> bytes:
    """A row as a line of the file. ValueError for what JSON cannot carry, such as an infinite number."""
    try:
        text = json.dumps(row, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def decode(raw: bytes) -> object:
    """The JSON value of a line, halves of surrogate pairs included. ValueError with a short reason."""
    try:
        return cast("object", msgspec.json.decode(raw))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except msgspec.DecodeError as error:
        reason = str(error)
    try:
        found = load_value(raw.decode())
    except UnicodeDecodeError:
        raise ValueError(reason) from None
    if found is None:
        raise ValueError(reason)
    return found[0]


def chain_text(chain: bytes) -> str:
    """A chain hash as a line names it."""
    return chain.hex()[:CHAIN_CHARS]


def meta_row(meta: Meta) -> JsonObject:
    """The line that says whose session it is."""
    own = {name: text for name in ("id", "parent", "system") if (text := getattr(meta, name))}
    row: JsonObject = {
        "agent": meta.agent,
        "created_by": meta.created_by,
        "created_at": meta.created_at,
        "title": meta.title,
    }
    return {**row, OWN: own}


def meta_of(row: JsonObject) -> Meta | None:
    """The meta data on a line, None for a line of another kind."""
    known = ("agent", "created_by", "created_at")
    if "role" in row or not all(isinstance(row.get(name), str) for name in known):
        return None
    own = as_object(row.get(OWN))
    return Meta(
        *(as_text(row.get(name)) for name in (*known, "title")),
        *(as_text(own.get(name)) for name in ("id", "parent", "system")),
    )


def marker_row(text: str, archived_at: str, own: JsonObject) -> JsonObject:
    """The line of a compaction: its text, when it was made (ISO 8601), and what it covers."""
    return {COMPACT: text, "archived_at": archived_at, OWN: own}


def rewind_row(through: int, chain: str) -> JsonObject:
    """The line after which the history goes on behind message `through`, whose chain hash is `chain`."""
    return {REWIND: through, OWN: {"chain": chain}}


def message_line(message: Message, **own: object) -> bytes:
    """A message as a line: a chat dict any reader takes, and under our key whatever that does not say."""
    shown = _shown(message)
    plain = _plain(shown)
    if plain is None or (plain.role, plain.parts) != (message.role, message.parts):
        own |= {"role": message.role, "parts": [_part_row(part) for part in message.parts]}
        plain = Message(message.role)
    for name in _KEPT:
        value = cast("object", getattr(message, name))
        if value != getattr(plain, name):
            own[name] = _usage_row(value) if isinstance(value, Usage) else value
    try:
        return encode({**shown, OWN: own})
    except (ValueError, RecursionError):
        own |= {name: getattr(message, name) for name in ("name", "extra") if getattr(message, name)}
        own |= {"role": message.role, "parts": [_part_row(part) for part in message.parts]}
        return encode({"role": message.role, "content": message.text, OWN: own})


def _shown(message: Message) -> JsonObject:
    """The one chat dict that stands for a message. Several results in one message are shown as one."""
    rendered = openai.render_messages([message])
    if len(rendered) == 1:
        return rendered[0]
    if not rendered:
        return {"role": message.role, "tool_call_id": "", "content": message.text}
    return {**rendered[0], "content": "\n\n".join(result.text for result in message.results)}


def _plain(row: JsonObject) -> Message | None:
    """What a chat dict alone says, None where it cannot be read."""
    try:
        found = openai.parse_message({key: value for key, value in row.items() if key != OWN})
    except FormatError:
        return None
    return found[0]


def message_of(row: JsonObject) -> Message:
    """The message on a line. FormatError, saying what is wrong, for a line that holds none."""
    own = as_object(row.get(OWN))
    if "parts" in own:
        role: Role | None = next((role for role in ROLES if role == own.get("role")), None)
        if role is None or not is_list(own["parts"]):
            raise FormatError("a message's parts cannot be read", hint="restore the line")
        plain = Message(role, tuple(_part_of(as_object(part)) for part in own["parts"]))
    else:
        (plain,) = openai.parse_message({key: value for key, value in row.items() if key != OWN})
    kept = {name: _checked(name, own[name]) for name in _KEPT if name in own}
    return replace(plain, **kept) if kept else plain


def _checked(name: str, value: object) -> object:
    """A kept field's value as the message has it. FormatError for one of another type."""
    if name in _WORDS and isinstance(value, str):
        return value
    if name == "provisional" and isinstance(value, bool):
        return value
    if value is None and name in {"time_s", "usage"}:
        return None
    if name == "time_s" and isinstance(value, int | float) and not isinstance(value, bool):
        return value
    counts = [count for count in value if isinstance(count, int)] if is_list(value) else []
    if name == "usage" and len(counts) == 4:
        return Usage(*counts)
    raise FormatError(f"a message's {name} cannot be read", hint="restore the line")


def _usage_row(usage: Usage) -> list[int]:
    return [usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cache_write_tokens]


def _part_row(part: Part) -> JsonObject:
    """A part with its fields by name; those at their default are left out."""
    row: JsonObject = {"type": _NAMES[type(part)]}
    for one in fields(part):
        value = cast("object", getattr(part, one.name))
        if value != one.default:
            row[one.name] = (
                [_part_row(inner) for inner in cast("tuple[Part, ...]", value)]
                if isinstance(value, tuple)
                else value
            )
    return row


def _part_of(row: JsonObject) -> Part:
    """The part that `_part_row` was given. FormatError for anything else."""
    kind = _PARTS.get(as_text(row.get("type")))
    if kind is None:
        raise FormatError("a message has a part of unknown type", hint="restore the line")
    values = {one.name: _field(one, row[one.name]) for one in fields(kind) if one.name in row}
    try:
        return cast("Callable[..., Part]", kind)(**values)
    except TypeError:
        raise FormatError(f"a {row['type']} part lacks a field", hint="restore the line") from None


def _field(one: Field[object], value: object) -> object:
    if is_list(value) and one.name == "content":
        inner = [_part_of(part) for part in value if is_object(part)]
        return tuple(part for part in inner if isinstance(part, Text | Media))
    expected = _TYPES.get(one.type)
    if expected is None or type(value) is not expected:
        raise FormatError(f"the {one.name} of a part cannot be read", hint="restore the line")
    return value
