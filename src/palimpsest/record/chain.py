"""Identity of a message and the hash chain over a history.

- The identity covers role, text, tool calls, results and digests of media; of a result that the model saw only as a
  preview, the preview. It excludes what differs in a resent history: time, usage, model, wire ids, `cache_control`,
  reasoning, opaque items, unknown fields.
- JSON arguments are hashed in canonical form. Tool call ids become ordinals (the call's position in its message),
  because clients make new ids; a result without a call has no ordinal.
- The chain hash of a message covers its identity and the chain hash before it, so one hash names a whole history.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

ROOT = b""
"""The chain hash before the first message."""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a history: its chain hash, its length, and the ids of calls that a next result may answer."""

    chain: bytes = ROOT
    seq: int = 0
    calls: tuple[str, ...] = ()


def canonical_arguments(arguments: str) -> str:
    """Return JSON text in ASCII with sorted keys and no spaces; other text unchanged."""
    try:
        value: object = json.loads(arguments)
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return arguments


def _digest(data: str) -> str:
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()


def _fields(part: Part, calls: Sequence[str]) -> list[object] | None:
    """Return the fields of a part that belong to the identity; None for none."""
    match part:
        case Text(text=text):
            return ["text", text] if text else None
        case Media(media_type=kind, uri=uri, data=data):
            return ["media", kind, _digest(data or uri)]
        case ToolCall(name=name, arguments=arguments):
            return ["call", name, canonical_arguments(arguments)]
        case ToolResult(call_id=call_id, content=content, is_error=is_error, shown=shown):
            ordinal = calls.index(call_id) if call_id in calls else None
            seen = (Text(shown),) if shown else content
            inner = [fields for item in seen if (fields := _fields(item, calls)) is not None]
            return ["result", ordinal, is_error, inner]
        case Reasoning() | Opaque():
            return None


def identity(message: Message, calls: Sequence[str] = ()) -> bytes:
    """Return the 32-byte identity of `message`, given the ids of calls it may answer."""
    fields = [found for part in message.parts if (found := _fields(part, calls)) is not None]
    text = json.dumps([message.role, fields], separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).digest()


def advance(head: Head, message: Message) -> Head:
    """Return the head after `message`. Only the newest assistant message with calls can be answered."""
    chain = hashlib.sha256(head.chain + identity(message, head.calls)).digest()
    calls = tuple(call.id for call in message.calls) if message.role == "assistant" else head.calls
    return Head(chain, head.seq + 1, calls)


def heads(messages: Iterable[Message], start: Head | None = None) -> list[Head]:
    """Yield the head after each message."""
    head = start or Head()
    found: list[Head] = []
    for message in messages:
        head = advance(head, message)
        found.append(head)
    return found


def heads_after(known: Sequence[Head], messages: Sequence[Message], start: Head | None = None) -> list[Head]:
    """Yield the head after each message, the first of which are known."""
    return [*known, *heads(messages[len(known) :], known[-1] if known else start)]
