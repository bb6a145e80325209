"""Rendering OpenAI chat messages: the inverse of `parse`, and the plain form of messages from other sources.

`extra` goes back only to messages of this wire, and reasoning only to its own provider. Misplaced parts (a call
outside an assistant message, a result outside a tool message) are left out here; `tool_pairing` turns them into text
before.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.formats import media, wire_fields
from palimpsest.formats.openai.parse import LEGACY, REASONING_FIELDS, WIRE
from palimpsest.formats.wire_fields import COMMON, Fields
from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

OWN_WIRES = (WIRE, COMMON)
RESPONSES = "responses"
ERROR_MARK = "[error] "
DEFAULT_FILENAME = "document.pdf"


def render_messages(messages: Sequence[Message]) -> list[dict[str, object]]:
    """Return the messages as chat message dicts, one each; a tool message gives one for every result."""
    out: list[Fields] = []
    for message in messages:
        if message.parts and all(isinstance(part, Opaque) for part in message.parts):
            continue
        if message.role == "tool":
            out.extend(_result(part, message) for part in message.parts if type(part) is ToolResult)
        elif message.role == "assistant":
            out.append(_assistant(message))
        else:
            out.append(_prompt(message))
    return out


def is_own(message: Message) -> bool:
    """Return whether the message's `extra` is in OpenAI's form. The prompts of Responses have it as well."""
    return message.wire in OWN_WIRES or (message.wire == RESPONSES and message.role in ("user", "system"))


def _prompt(message: Message) -> Fields:
    own = is_own(message)
    fields, shape = wire_fields.unpack(message.extra) if own and message.extra else ({}, {})
    role = "developer" if shape.get("role") == "developer" else message.role
    out: Fields = {**fields, "role": role} if fields else {"role": role}
    parts = message.parts
    if any(type(part) is not Text and type(part) is not Media for part in parts):
        parts = tuple(part for part in parts if isinstance(part, Text | Media))
    wire_fields.put_content(out, parts, own, str(shape.get("content", "")), block)
    if message.name:
        out["name"] = message.name
    return out


def _assistant(message: Message) -> Fields:
    own = is_own(message)
    fields, shape = wire_fields.unpack(message.extra) if own and message.extra else ({}, {})
    out: Fields = {**fields, "role": "assistant"} if fields else {"role": "assistant"}
    content: list[Part] = []
    calls: list[ToolCall] = []
    for part in message.parts:
        kind = type(part)
        if kind is Text or kind is Media:
            if not (own and part.extra and _put_field(out, part)):
                content.append(part)
        elif kind is ToolCall:
            calls.append(part)  # pyright: ignore[reportArgumentType]
        elif kind is Reasoning and own:
            _put_field(out, part)
    if message.wire == RESPONSES and all(isinstance(part, Text) for part in content):
        words = "\n\n".join(part.text for part in content if isinstance(part, Text) and part.text)
        content = [Text(words)] if words else []
    form = str(shape.get("content", "")) or ("null" if calls else "")
    wire_fields.put_content(out, content, own, form, block)
    if message.name:
        out["name"] = message.name
    if calls:
        _put_calls(out, calls, own)
    return out


def _put_field(out: Fields, part: Part) -> bool:
    """Put text that was outside the content back into its field; return False for content."""
    _, shape = wire_fields.unpack(part.extra)
    key = shape.get("field")
    if isinstance(part, Reasoning):
        key = key if key in REASONING_FIELDS else REASONING_FIELDS[0]
        before = out.get(str(key))
        out[str(key)] = f"{before}\n{part.text}" if before else part.text
        return True
    if not isinstance(part, Text):
        return False
    if key == "refusal" and "refusal" not in out:
        out["refusal"] = part.text
        return True
    if key == "audio" and isinstance(out.get("audio"), dict):
        out["audio"] = {**wire_fields.nested(out, "audio"), "transcript": part.text}
        return True
    return False


def _put_calls(out: Fields, calls: Sequence[ToolCall], own: bool) -> None:
    rendered: list[Fields] = []
    for call in calls:
        fields, shape = wire_fields.unpack(call.extra) if own and call.extra else ({}, {})
        if shape.get(LEGACY):
            out["function_call"] = {**fields, "name": call.name, **_arguments(call, shape, "arguments")}
        elif not shape and not fields:
            function = {"name": call.name, "arguments": call.arguments}
            rendered.append({"id": call.id, "type": "function", "function": function})
        else:
            rendered.append(_odd_call(call, fields, shape))
    if rendered:
        out["tool_calls"] = rendered


def _odd_call(call: ToolCall, fields: Fields, shape: Fields) -> Fields:
    kind = shape.get("type", "function")
    key, words = ("custom", "input") if kind == "custom" else ("function", "arguments")
    inner = {**wire_fields.nested(shape, "inner"), "name": call.name, **_arguments(call, shape, words)}
    out: Fields = {**fields, key: inner}
    if shape.get("id") != "absent" or call.id:
        out["id"] = call.id
    if kind != "absent":
        out["type"] = kind
    return out


def _arguments(call: ToolCall, shape: Fields, key: str) -> Fields:
    form = shape.get("arguments")
    if form == "absent" and not call.arguments:
        return {}
    if form == "value":
        found = wire_fields.load_value(call.arguments)
        if found is not None:
            return {key: found[0]}
    return {key: call.arguments}


def _result(result: ToolResult, message: Message) -> Fields:
    own = is_own(message)
    fields, shape = wire_fields.unpack(result.extra) if own and result.extra else ({}, {})
    if shape.get("role") == "function":
        out: Fields = {**fields, "role": "function", "name": result.call_id}
    else:
        out = {**fields, "role": "tool", "tool_call_id": result.call_id}
        if own and message.name:
            out["name"] = message.name
    content = result.content
    if result.is_error and not own:
        content = marked(content)
    wire_fields.put_content(out, content, own, str(shape.get("content", "")), block)
    return out


def marked(content: tuple[Text | Media, ...]) -> tuple[Text | Media, ...]:
    """Return the content of a failed call with a word that says so: OpenAI has no field for it."""
    if content and isinstance(content[0], Text):
        return (Text(ERROR_MARK + content[0].text), *content[1:])
    return (Text(ERROR_MARK.strip()), *content)


def block(part: Part, own: bool) -> Fields:
    """Return a content part of a list."""
    if type(part) is Text:
        if not (own and part.extra):
            return {"type": "text", "text": part.text}
        return _odd_text(part)
    if not isinstance(part, Media):
        raise TypeError(f"a {type(part).__name__} is not content")
    fields, shape = wire_fields.unpack(part.extra) if own and part.extra else ({}, {})
    kind = str(shape.get("type") or media_kind(part))
    if kind == "image_url" and part.data and media.kind_of(part) != "image":
        kind, shape = media_kind(part), {}
    known = wire_fields.nested(shape, "inner")
    if kind == "image_url":
        uri = media.uri_of(part)
        return {**fields, "type": kind, kind: uri if shape.get("bare") else {**known, "url": uri}}
    if kind == "input_audio":
        return {**fields, "type": kind, kind: {**known, "data": part.data, "format": audio_format(part)}}
    if part.data:
        given: Fields = known if "type" in shape else {"filename": DEFAULT_FILENAME}
        return {**fields, "type": "file", "file": {**given, "file_data": media.uri_of(part)}}
    return {**fields, "type": "file", "file": {**known, "file_id": part.uri}}


def _odd_text(part: Text) -> Fields:
    fields, shape = wire_fields.unpack(part.extra)
    if shape.get(wire_fields.BLOCK):
        found = wire_fields.block_of(part.text, fields)
        if found is not None:
            return found
    if shape.get("type") == "refusal":
        return {**fields, "type": "refusal", "refusal": part.text}
    return {**fields, "type": "text", "text": part.text}


def media_kind(part: Media) -> str:
    """Return the type of content part that carries this media."""
    kind = media.kind_of(part)
    if kind == "image":
        return "image_url"
    return "input_audio" if kind == "audio" and part.data else "file"


def audio_format(part: Media) -> str:
    """Return OpenAI's short name of an audio media type."""
    name = part.media_type.partition("/")[2]
    return "mp3" if name == "mpeg" else name
