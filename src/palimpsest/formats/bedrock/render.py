"""Rendering messages for Bedrock's Converse API: the inverse of `parse`, and the plain form of other messages.

`extra` goes back only to messages of this wire, and so does thinking. Data is given as bytes, which the AWS clients
take, unless it came as base64 text.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import cast

from palimpsest.formats import media, wire_fields
from palimpsest.formats.bedrock import parse
from palimpsest.formats.bedrock.parse import (
    ABSENT,
    CITED,
    DOCUMENT,
    FORMATS,
    GUARD,
    JOINED,
    JSON,
    POINT,
    WIRE,
)
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult


def render_messages(messages: Sequence[Message]) -> list[dict[str, object]]:
    """Return the messages as dicts, one each; messages parsed from one dict become one again."""
    out: list[Fields] = []
    for message in messages:
        rendered, joined = _message(message)
        before = out[-1].get("content") if joined and out else None
        if isinstance(before, list):
            cast("list[object]", before).extend(cast("list[object]", rendered["content"]))
        else:
            out.append(rendered)
    return out


def is_own(message: Message) -> bool:
    """Return whether the message's `extra` is in Bedrock's form."""
    return message.wire == WIRE


def is_shown_reasoning(message: Message) -> bool:
    """Return whether the message's thinking goes back: it is the model's, from Bedrock."""
    return is_own(message) and message.role == "assistant"


def _message(message: Message) -> tuple[Fields, bool]:
    """Return one message's dict, and whether it belongs to the dict before it."""
    own = is_own(message)
    fields, shape = wire_fields.unpack(message.extra) if own and message.extra else ({}, {})
    fields["role"] = "user" if message.role == "tool" else message.role
    shown = is_shown_reasoning(message)
    blocks: list[Fields] = [{POINT: point} for point in _points(shape)]
    for part in message.parts:
        if isinstance(part, Opaque) or (isinstance(part, Reasoning) and not shown):
            continue
        blocks += blocks_of(part, own)
    _put_content(fields, blocks, shape)
    return fields, bool(shape.get(JOINED))


def _put_content(fields: Fields, blocks: list[Fields], shape: Fields) -> None:
    if blocks or "content" not in shape:
        fields["content"] = blocks
    elif shape["content"] is None:
        fields["content"] = None


def _points(shape: Fields) -> list[object]:
    return cast("list[object]", shape.get(POINT, []))


def blocks_of(part: Part, own: bool) -> list[Fields]:
    """Return a part's block, and the cache points behind it."""
    fields, shape = wire_fields.unpack(part.extra) if own and part.extra else ({}, {})
    return [_block(part, fields, shape, own), *({POINT: point} for point in _points(shape))]


def _block(part: Part, fields: Fields, shape: Fields, own: bool) -> Fields:
    inner = dict(wire_fields.nested(shape, "inner"))
    match part:
        case Opaque():
            return {"text": part.text}
        case Text():
            return text_block(part, fields, shape)
        case ToolCall():
            inner |= {"toolUseId": part.id, "name": part.name}
            if shape.get("input") != ABSENT or part.arguments != "{}":
                found = wire_fields.load_value(part.arguments)
                inner["input"] = found[0] if found else wire_fields.arguments_of(part.arguments)
            return {**fields, "toolUse": inner}
        case ToolResult():
            inner["toolUseId"] = part.call_id
            _put_content(inner, [block for one in part.content for block in blocks_of(one, own)], shape)
            if part.is_error:
                inner["status"] = "error"
            return {**fields, "toolResult": inner}
        case Media():
            return {**fields, **media_block(part, shape)}
        case Reasoning(redacted=True):
            return {**fields, parse.REASONING: {"redactedContent": _data(part.text, shape)}}
        case Reasoning():
            inner["text"] = part.text
            if part.signature or shape.get("signature"):
                inner["signature"] = part.signature
            return {**fields, parse.REASONING: {"reasoningText": inner}}


def text_block(part: Text, fields: Fields, shape: Fields) -> Fields:
    """Return a text's block, in the form that it came in."""
    if shape.get(wire_fields.BLOCK) and (found := wire_fields.block_of(part.text, fields)) is not None:
        for place in cast("list[Sequence[object]]", shape.get(parse.PLACES, [])):
            parse.set_at(found, place, _bytes_of)
        return found
    if shape.get(JSON) and (value := wire_fields.load_value(part.text)):
        return {**fields, JSON: value[0]}
    if DOCUMENT in shape:
        return {**fields, DOCUMENT: {**wire_fields.nested(shape, DOCUMENT), "source": {"text": part.text}}}
    if GUARD in shape:
        return {**fields, GUARD: {"text": {**wire_fields.nested(shape, GUARD), "text": part.text}}}
    if CITED in shape:
        return {**fields, CITED: {**wire_fields.nested(shape, CITED), "content": [{"text": part.text}]}}
    return {**fields, "text": part.text}


def media_block(part: Media, shape: Fields) -> Fields:
    """Return media as a block of its kind."""
    inner = dict(wire_fields.nested(shape, "inner"))
    usual = FORMATS.get(part.media_type) or (media.kind_of(part), part.media_type.partition("/")[2])
    kind, *given = cast("Sequence[object]", shape.get("format") or usual)
    if given:
        inner["format"] = given[0]
    if part.data:
        inner["source"] = {"bytes": _data(part.data, shape)}
    else:
        inner["source"] = {"s3Location": {**wire_fields.nested(shape, "place"), "uri": part.uri}}
    return {GUARD: {"image": inner}} if GUARD in shape else {str(kind): inner}


def _data(data: str, shape: Fields) -> object:
    return data if shape.get("data") == "text" else _bytes_of(data)


def _bytes_of(data: object) -> object:
    """Return base64 text as bytes; other text stays."""
    try:
        return base64.b64decode(str(data), validate=True)
    except ValueError:
        return data
