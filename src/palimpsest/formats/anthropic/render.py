"""Rendering Anthropic messages: the inverse of `parse`, and the plain form of messages from other sources.

`extra` goes back only to messages of this wire, and so does thinking, because the provider accepts only what it
signed. Arguments that are not a JSON object are put into one (`wire_fields.arguments_of`), because `input` must be one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from palimpsest.formats import wire_fields
from palimpsest.formats.anthropic.parse import DOCUMENT, JOINED, WIRE, block_type, source_type
from palimpsest.formats.wire_fields import COMMON, Fields
from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

OWN_WIRES = (WIRE, COMMON)


def render_messages(messages: Sequence[Message]) -> list[dict[str, object]]:
    """Return the messages as dicts, one each; messages parsed from one dict become one again."""
    out: list[Fields] = []
    for message in messages:
        rendered, joined = render_message(message)
        before = out[-1] if joined and out else {}
        content = before.get("content")
        if before.get("role") == rendered["role"] and isinstance(content, list):
            cast("list[object]", content).extend(blocks_of(rendered))
        else:
            out.append(rendered)
    return out


def is_own(message: Message) -> bool:
    """Return whether the message's `extra` is in Anthropic's form."""
    return message.wire in OWN_WIRES


def render_message(message: Message) -> tuple[Fields, bool]:
    """Return one message's dict, and whether it belongs to the dict before it."""
    own = is_own(message)
    fields, shape = wire_fields.unpack(message.extra) if own and message.extra else ({}, {})
    fields["role"] = "user" if message.role == "tool" else message.role
    hidden = (Opaque,) if own and message.role == "assistant" else (Opaque, Reasoning)
    parts = message.parts
    if any(isinstance(part, hidden) for part in parts):
        parts = tuple(part for part in parts if not isinstance(part, hidden))
    wire_fields.put_content(fields, parts, own, str(shape.get("content", "")), block)
    return fields, bool(shape.get(JOINED))


def blocks_of(rendered: Fields) -> list[Fields]:
    """Return a dict's content as a list of blocks."""
    content = rendered.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return cast("list[Fields]", content) if content else []


def block(part: Part, own: bool) -> Fields:
    """Return one content block."""
    fields, shape = wire_fields.unpack(part.extra) if own and part.extra else ({}, {})
    match part:
        case Opaque():
            return {"type": "text", "text": part.text}
        case Text():
            return _text(part, fields, shape) if own and part.extra else {"type": "text", "text": part.text}
        case ToolCall():
            return _call(part, fields, shape)
        case ToolResult():
            return _result(part, fields, shape, own)
        case Media():
            return _media(part, fields, shape)
        case Reasoning(redacted=True):
            return {**fields, "type": "redacted_thinking", "data": part.text}
        case Reasoning():
            out: Fields = {**fields, "type": "thinking", "thinking": part.text}
            if part.signature or shape.get("signature"):
                out["signature"] = part.signature
            return out


def _text(part: Text, fields: Fields, shape: Fields) -> Fields:
    if shape.get(wire_fields.BLOCK):
        found = wire_fields.block_of(part.text, fields)
        if found is not None:
            return found
    if DOCUMENT in shape:
        source = {**wire_fields.nested(shape, DOCUMENT), "type": "text", "data": part.text}
        return {**fields, "type": DOCUMENT, "source": source}
    return {**fields, "type": "text", "text": part.text}


def _call(call: ToolCall, fields: Fields, shape: Fields) -> Fields:
    out: Fields = {"type": "tool_use", "id": call.id, "name": call.name}
    if fields:
        out = {**fields, **out}
    if shape.get("input") != "absent" or call.arguments != "{}":
        out["input"] = wire_fields.arguments_of(call.arguments)
    return out


def _result(result: ToolResult, fields: Fields, shape: Fields, own: bool) -> Fields:
    out: Fields = {"type": "tool_result", "tool_use_id": result.call_id}
    if fields:
        out = {**fields, **out}
    wire_fields.put_content(out, result.content, own, str(shape.get("content", "")) or "absent", block)
    if result.is_error:
        out["is_error"] = True
    return out


def _media(part: Media, fields: Fields, shape: Fields) -> Fields:
    form = str(shape.get("form") or source_type(part))
    source = {**wire_fields.nested(shape, "source"), "type": form}
    if form == "base64":
        source["media_type"] = part.media_type
        source["data"] = part.data
    else:
        source["url" if form == "url" else "file_id"] = part.uri
    return {**fields, "type": shape.get("type") or block_type(part), "source": source}
