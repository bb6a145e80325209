"""Identity of a message and the hash chain over a history.

A message's identity covers what was said: role, text, tool calls, results and digests of media. It leaves out what
differs when the same history is sent again: time, usage, model, the wire's ids, `cache_control`, reasoning, unknown
fields. JSON arguments are hashed in canonical form. Tool call ids are replaced by ordinals (the position of the call
in its message), because clients make new ids for the same call; a result that answers none of the calls before it
has no ordinal. The chain hash of a message covers its identity and the chain hash of the message before it, so one
hash stands for a whole history up to that point.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palimpsest.record.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolResult

ROOT = b""
"""The chain hash before the first message."""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a history: its chain hash, its length, and the ids of the calls that a following result may answer."""

    chain: bytes = ROOT
    seq: int = 0
    calls: tuple[str, ...] = ()


def canonical_arguments(arguments: str) -> str:
    """JSON text in ASCII with sorted keys and no spaces; text that is no JSON as it is."""
    try:
        value: object = json.loads(arguments)
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return arguments


def _digest(data: str) -> str:
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()


def _fields(part: Part, calls: Sequence[str]) -> list[object] | None:
    """What of a part belongs to the identity; None for nothing."""
    match part:
        case Text(text=text):
            return ["text", text] if text else None
        case Media(media_type=kind, uri=uri, data=data):
            return ["media", kind, _digest(data or uri)]
        case ToolCall(name=name, arguments=arguments):
            return ["call", name, canonical_arguments(arguments)]
        case ToolResult(call_id=call_id, content=content, is_error=is_error):
            ordinal = calls.index(call_id) if call_id in calls else None
            inner = [fields for item in content if (fields := _fields(item, calls)) is not None]
            return ["result", ordinal, is_error, inner]
        case Reasoning():
            return None


def identity(message: Message, calls: Sequence[str] = ()) -> bytes:
    """The 32-byte identity of `message`, given the ids of the calls it may answer."""
    fields = [found for part in message.parts if (found := _fields(part, calls)) is not None]
    text = json.dumps([message.role, fields], separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).digest()


def advance(head: Head, message: Message) -> Head:
    """The head after `message`. Only the newest assistant message with calls can still be answered."""
    chain = hashlib.sha256(head.chain + identity(message, head.calls)).digest()
    calls = tuple(call.id for call in message.calls) if message.role == "assistant" else head.calls
    return Head(chain, head.seq + 1, calls)


def heads(messages: Iterable[Message], start: Head | None = None) -> list[Head]:
    """The head after each message in turn."""
    head = start or Head()
    found: list[Head] = []
    for message in messages:
        head = advance(head, message)
        found.append(head)
    return found


def heads_after(known: Sequence[Head], messages: Sequence[Message], start: Head | None = None) -> list[Head]:
    """The head after each message in turn, of which the first are known already."""
    return [*known, *heads(messages[len(known) :], known[-1] if known else start)]
