"""Session files in Crabtalk's form, from Crabtalk or written here: their lines, and reading a whole file.

The form is Crabtalk's: a first line that identifies the session, then a message a line as an OpenAI chat dict, and a
`{"compact": "..."}` marker wherever a summary replaced the history before it. What that form has no place for is
under one key of our own, `OWN`, which other readers ignore:

- Reading a message's line returns the message that was written. The key has only the fields that the dict does not
  express, and the parts if no chat dict could carry them.
- `chain` of a message is the beginning of its chain hash. It names the whole history up to there, in any store.
- `through` and `chain` of a marker say which messages its text covers; without them it covers everything before it.
  `quotes` is the position of a message whose words end the text verbatim, from character `chars` on.
- `{"rewind": n}` says that what follows continues after message n; what was there is a branch. Later meta lines
  replace earlier ones. So a file only grows.
- Text that is not valid UTF-8 (a lone surrogate) is written as JSON escapes and read back unchanged.
- When a file is read, messages before a marker are history too, and only marked ones are provisional. A marker before
  every message is all that is left of what it covers, and becomes a user message, as the agent showed it.
- If a line was lost, markers and rewinds find their place by the chain hash they name.
- Leading system and developer messages written by others are the system prompt; `event` lines are bookkeeping.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import cast

import msgspec

from palimpsest.errors import FormatError
from palimpsest.formats import openai
from palimpsest.formats.transcripts.message_tree import MAX_PATH_ENTRIES
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Marker,
    Reading,
    Skipped,
    Skips,
    Source,
    Transcript,
    as_count,
    as_object,
    as_text,
    is_list,
    is_object,
    lines,
    made_id,
    stem,
    time_s,
    title_of,
)
from palimpsest.formats.wire_fields import load_value
from palimpsest.record.message import (
    ROLES,
    Media,
    Message,
    Opaque,
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
"""Hexadecimal digits of a chain hash that distinguish any two histories of one file."""

_PARTS: Mapping[str, type[Part]] = {
    "text": Text,
    "reasoning": Reasoning,
    "media": Media,
    "opaque": Opaque,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
}
_NAMES = {kind: name for name, kind in _PARTS.items()}
_TYPES: Mapping[object, type] = {"str": str, "bool": bool, "int": int}
_KEPT = ("name", "time_s", "model", "usage", "wire", "extra", "origin", "provisional")
_WORDS = frozenset({"name", "model", "wire", "extra", "origin"})


@dataclass(frozen=True, slots=True)
class Meta:
    """The session of a file. `created_at` is ISO 8601; `id` and `parent` name conversations, "" if unknown."""

    agent: str = ""
    created_by: str = ""
    created_at: str = ""
    title: str = ""
    id: str = ""
    parent: str = ""
    system: str = ""


def encode(row: Mapping[str, object]) -> bytes:
    """Return a row as a line of the file. ValueError for what JSON cannot express, such as an infinite number."""
    try:
        text = json.dumps(row, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def decode(raw: bytes) -> object:
    """Return the JSON value of a line, lone surrogates included. ValueError with a short reason."""
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
    """Return a chain hash as a line names it."""
    return chain.hex()[:CHAIN_CHARS]


def meta_row(meta: Meta) -> JsonObject:
    """Return the line that identifies the session."""
    own = {name: text for name in ("id", "parent", "system") if (text := getattr(meta, name))}
    row: JsonObject = {
        "agent": meta.agent,
        "created_by": meta.created_by,
        "created_at": meta.created_at,
        "title": meta.title,
    }
    return {**row, OWN: own}


def meta_of(row: JsonObject) -> Meta | None:
    """Return the meta data on a line, None for another line."""
    known = ("agent", "created_by", "created_at")
    if "role" in row or not all(isinstance(row.get(name), str) for name in known):
        return None
    own = as_object(row.get(OWN))
    return Meta(
        *(as_text(row.get(name)) for name in (*known, "title")),
        *(as_text(own.get(name)) for name in ("id", "parent", "system")),
    )


def marker_row(text: str, archived_at: str, own: JsonObject) -> JsonObject:
    """Return the line of a compaction: its text, its time (ISO 8601), and what it covers."""
    return {COMPACT: text, "archived_at": archived_at, OWN: own}


def rewind_row(through: int, chain: str) -> JsonObject:
    """Return the line after which the history continues behind message `through`, whose chain hash is `chain`."""
    return {REWIND: through, OWN: {"chain": chain}}


def message_line(message: Message, **own: object) -> bytes:
    """Return a message as a line: a chat dict that any reader accepts, and under our key what that does not express."""
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
    """Return the one chat dict that shows a message. Several results in one message are shown as one."""
    rendered = openai.render_messages([message])
    if len(rendered) == 1:
        return rendered[0]
    if not rendered:
        return {"role": message.role, "tool_call_id": "", "content": message.text}
    return {**rendered[0], "content": "\n\n".join(result.text for result in message.results)}


def _plain(row: JsonObject) -> Message | None:
    """Return what a chat dict alone expresses, None if it cannot be read."""
    try:
        found = openai.parse_message({key: value for key, value in row.items() if key != OWN})
    except FormatError:
        return None
    return found[0]


def message_of(row: JsonObject) -> Message:
    """Return the message on a line. FormatError, which says what is wrong, for an invalid line."""
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
    """Return a kept field's value. FormatError for another type."""
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
    """Return a part with its fields by name, without defaults."""
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
    """Return the part of a `_part_row`. FormatError for anything else."""
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


NAME = "crabtalk"

Mark = tuple[str, float]
"""A marker's name: the summary's id in the store and the time of its compaction."""


@dataclass(slots=True)
class SessionFile:
    """The content of a session file: the current history with the chain hash each line names ("" for none), and the
    rest.

    `marks` says how far markers written from a store reach, by (summary id, time).
    """

    meta: Meta | None = None
    history: list[Message] = field(default_factory=list[Message])
    chains: list[str] = field(default_factory=list[str])
    markers: list[Marker] = field(default_factory=list[Marker])
    marks: dict[Mark, int] = field(default_factory=dict["Mark", int])
    branches: list[tuple[Message, ...]] = field(default_factory=list[tuple[Message, ...]])
    system: list[str] = field(default_factory=list[str])
    summaries: int = 0
    bookkeeping: int = 0
    skipped: Skips = field(default_factory=Skips)

    def row(self, number: int, row: JsonObject) -> None:
        """Read one line."""
        own = as_object(row.get(OWN))
        meta = meta_of(row)
        if meta is not None:
            self.meta = meta
            self.bookkeeping += 1
        elif "role" in row:
            self.message(number, row, own)
        elif isinstance(row.get(COMPACT), str):
            self.marker(row, own)
        elif REWIND in row:
            self.rewind(number, row, own)
        elif isinstance(row.get("event"), str):
            self.bookkeeping += 1
        else:
            self.skipped.append(Skipped(number, "neither a message nor a compact marker"))

    def message(self, number: int, row: JsonObject, own: JsonObject) -> None:
        """Read a message line; an unreadable one is reported."""
        try:
            message = message_of(row)
        except FormatError as error:
            self.skipped.append(Skipped(number, error.message))
            return
        if message.role == "system" and not own and not self.history:
            self.system.append(message.text)
            self.bookkeeping += 1
            return
        self.history.append(message)
        self.chains.append(as_text(own.get("chain")))

    def marker(self, row: JsonObject, own: JsonObject) -> None:
        """Read a compact marker: it covers what it names, or everything before it."""
        self.summaries += 1
        text, when = as_text(row.get(COMPACT)), time_s(row.get("archived_at"))
        through = self._place(own, own.get("through"), len(self.history))
        at = own.get("time_s")
        if isinstance(at, int | float):
            when = float(at)
            self.marks[as_text(own.get("id")), when] = through
        quotes, chars = as_count(own.get("quotes")), as_count(own.get("chars"))
        if self.history:
            quoted = chars > 0 and 0 < quotes <= through
            self.markers.append(
                Marker(text[:chars] if quoted else text, through, when, quotes if quoted else 0)
            )
        elif text:
            self.history.append(Message("user", (Text(text),), time_s=when))
            self.chains.append("")

    def rewind(self, number: int, row: JsonObject, own: JsonObject) -> None:
        """Continue the history after an earlier message; what followed that one is a branch."""
        through = self._place(own, row.get(REWIND), -1)
        if through < 0:
            self.skipped.append(Skipped(number, "a rewind to a message that is not there"))
            return
        if through < len(self.history):
            listed = len(self.history) + sum(len(branch) for branch in self.branches)
            if listed > MAX_PATH_ENTRIES:
                self.skipped.append(Skipped(number, "a branch left out: the session is too large"))
            else:
                self.branches.append(tuple(self.history))
        del self.history[through:], self.chains[through:]
        self.markers = [marker for marker in self.markers if marker.through <= through]
        self.marks = {mark: reach for mark, reach in self.marks.items() if reach <= through}

    def _place(self, own: JsonObject, count: object, otherwise: int) -> int:
        """Return the number of messages that a line means: by its chain hash, by its count, or `otherwise`."""
        chain = as_text(own.get("chain"))
        if chain and chain in self.chains:
            return len(self.chains) - self.chains[::-1].index(chain)
        counted = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= len(self.history)
        return count if counted and isinstance(count, int) else otherwise

    @property
    def paths(self) -> tuple[tuple[Message, ...], ...]:
        """Return every history once, the current one last."""
        current = tuple(self.history)
        older = (branch for branch in dict.fromkeys(self.branches) if branch != current)
        return tuple(path for path in (*older, current) if path)


def read_file(data: bytes) -> SessionFile:
    """Read all lines of a session file."""
    found = SessionFile()
    for number, row in lines(data, decode):
        if isinstance(row, Skipped):
            found.skipped.append(row)
        else:
            found.row(number, row)
    return found


def is_session_of(head: bytes, conversation: str) -> bool:
    """Return whether a file that begins with this line was written from a conversation."""
    meta = read_file(head).meta
    return meta is not None and meta.id == conversation


def context_of(found: SessionFile) -> tuple[Message, ...]:
    """Return what the agent continues with: the last marker's text as a user message, and what it does not cover."""
    if not found.markers:
        return tuple(found.history)
    last = found.markers[-1]
    quoted = found.history[last.quotes - 1].parts if last.quotes else ()
    return (Message("user", (Text(last.text), *quoted), time_s=last.time_s), *found.history[last.through :])


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    found = read_file(source.data)
    meta = found.meta or Meta()
    first = next((message.text for message in found.history if message.role == "user"), "")
    histories = found.paths
    transcript = Transcript(
        id=meta.id or _made_id(source.path, meta, histories),
        format=NAME,
        title=title_of(meta.title) or title_of(first),
        parent=meta.parent,
        paths=histories,
        system=meta.system or "\n\n".join(text for text in found.system if text),
        summaries=found.summaries,
        bookkeeping=found.bookkeeping,
        markers=tuple(found.markers),
    )
    return found.skipped.reading([transcript] if histories else [])


def _made_id(path: str, meta: Meta, histories: tuple[tuple[Message, ...], ...]) -> str:
    """Return an id for a session that names none, without the title that its file name gets later."""
    sender = "-".join(re.findall(r"[^\W_]+", meta.created_by.lower()))
    name = stem(path)
    found = re.match(rf"{re.escape(meta.agent)}_{re.escape(sender)}_\d+", name)
    return made_id(f"{found.group() if found else name}.jsonl", histories[-1:])


def detect(head: Head) -> bool:
    """Return whether a file is a session of this form: it begins with its meta line."""
    return bool(head.rows) and "type" not in head.rows[0] and meta_of(head.rows[0]) is not None
