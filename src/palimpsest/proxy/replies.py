"""Read a reply that passes through: its message and usage, from a JSON object or from server-sent events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from palimpsest.formats.anthropic import reply as anthropic_reply
from palimpsest.formats.gemini import reply as gemini_reply
from palimpsest.formats.openai import reply as chat_reply
from palimpsest.formats.openai import responses_reply
from palimpsest.proxy.wires import WireName
from palimpsest.record.completion import Completion

Event = dict[str, Any]
MAX_REPLY_BYTES = 32_000_000
"""A longer reply is passed on, and stored only with the next request."""

_WHOLE: Mapping[WireName, Callable[[object], Completion]] = {
    "anthropic": anthropic_reply.parse_reply,
    "chat": chat_reply.parse_reply,
    "responses": responses_reply.parse_reply,
    "gemini": gemini_reply.parse_reply,
}
_STREAMS: Mapping[WireName, Callable[[], Any]] = {
    "anthropic": anthropic_reply.StreamParser,
    "chat": chat_reply.StreamParser,
    "responses": responses_reply.StreamParser,
    "gemini": gemini_reply.StreamParser,
}
_ENDS = ("message_stop", "response.completed", "response.incomplete")


def read_reply(wire: WireName, content_type: str, data: bytes) -> Completion | None:
    """Return the reply in a response's body; None if there is none, or a stream ended before it did.

    Raises FormatError for another shape.
    """
    if "event-stream" in content_type:
        return _read_stream(wire, data)
    found: object = json.loads(data)
    if isinstance(found, list):
        return _read_events(wire, iter(cast("list[object]", found)))
    return _WHOLE[wire](found)


def _read_stream(wire: WireName, data: bytes) -> Completion | None:
    return _read_events(wire, events_of(data))


def _read_events(wire: WireName, events: Iterator[object]) -> Completion | None:
    parser, ended = _STREAMS[wire](), False
    for one in events:
        event = cast("Event", one) if isinstance(one, dict) else {}
        if not event or event.get("type") in ("error", "ping"):
            continue
        parser.feed(event)
        ended = ended or _is_end(wire, event)
    return parser.finish() if ended else None


def _is_end(wire: WireName, event: Event) -> bool:
    if wire in ("anthropic", "responses"):
        return event.get("type") in _ENDS
    key, name = ("choices", "finish_reason") if wire == "chat" else ("candidates", "finishReason")
    return any(bool(cast("Event", one).get(name)) for one in event.get(key) or () if isinstance(one, dict))


def events_of(data: bytes) -> Iterator[object]:
    """Yield the JSON values of server-sent events; what is no JSON is left out."""
    for block in data.replace(b"\r\n", b"\n").split(b"\n\n"):
        lines = [line[5:].strip() for line in block.split(b"\n") if line.startswith(b"data:")]
        text = b"\n".join(lines)
        if text and text != b"[DONE]":
            try:
                yield json.loads(text)
            except ValueError:
                continue
