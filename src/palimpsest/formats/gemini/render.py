"""Rendering Gemini contents: the inverse of `parse`, and the plain form of messages from other sources.

`extra` goes back only to messages of this wire, and so does reasoning. A function response must name its function: if
a result does not know it, its call does. Media in a foreign result is in the response's own parts here; `request`
moves it where every model looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from palimpsest.formats import wire_fields
from palimpsest.formats.gemini import parse
from palimpsest.formats.gemini.parse import ABSENT, JOINED, RESPONSE_KEYS, SIGNATURE, WIRE, response_of
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

RAW_ARGUMENTS = "_raw"
_TO_URLSAFE = str.maketrans("+/", "-_")
_ROLES = {"assistant": "model", "system": "system"}


@dataclass(frozen=True, slots=True)
class Called:
    """What a response repeats of its call: the name, and the id, "" if the call is sent without one."""

    name: str
    id: str


@dataclass(slots=True)
class Calls:
    """The calls of the newest assistant message with calls, by the id that results use."""

    known: dict[str, Called] = field(default_factory=dict[str, Called])

    def note(self, message: Message) -> None:
        """Record a rendered message."""
        if message.role == "assistant" and message.calls:
            own = is_own(message)
            self.known = {
                call.id: Called(call.name, "" if own and lacks_id(call) else call.id)
                for call in message.calls
            }


def render_messages(messages: Sequence[Message]) -> list[dict[str, object]]:
    """Return the messages as contents, one each; messages parsed from one become one again."""
    out: list[Fields] = []
    calls = Calls()
    for message in messages:
        rendered, joined = _content(message, calls.known)
        before = out[-1].get("parts") if joined and out else None
        if isinstance(before, list):
            cast("list[object]", before).extend(cast("list[object]", rendered.get("parts") or []))
        else:
            out.append(rendered)
        calls.note(message)
    return out


def is_own(message: Message) -> bool:
    """Return whether the message's `extra` is in Gemini's form."""
    return message.wire == WIRE


def lacks_id(call: ToolCall | ToolResult) -> bool:
    """Return whether a call or response of this wire came without an id."""
    return bool(call.extra) and wire_fields.unpack(call.extra)[1].get("id") == ABSENT


def _content(message: Message, calls: Mapping[str, Called]) -> tuple[Fields, bool]:
    """Return one message's content, and whether it belongs to the one before it."""
    own = is_own(message)
    fields, shape = wire_fields.unpack(message.extra) if own and message.extra else ({}, {})
    role = shape.get("role", _ROLES.get(message.role, "user"))
    if role != ABSENT:
        fields["role"] = role
    default: object = parse.NAMES if shape.get(parse.SNAKE) else ()
    parts: list[Fields] = []
    for part in message.parts:
        if isinstance(part, Opaque) or (
            isinstance(part, Reasoning) and not is_shown_reasoning(part, message)
        ):
            continue
        rendered, part_shape = render_part(part, own, calls)
        snake = cast("Sequence[str]", part_shape.get(parse.SNAKE, default))
        whole = bool(part_shape.get(wire_fields.BLOCK))
        parts.append(parse.spelled(rendered, snake) if snake and not whole else rendered)
    if parts or "parts" not in shape:
        fields["parts"] = parts
    elif shape["parts"] is None:
        fields["parts"] = None
    return fields, bool(shape.get(JOINED))


def is_shown_reasoning(part: Reasoning, message: Message) -> bool:
    """Return whether this thinking goes back: text, in a model message, from Gemini."""
    return is_own(message) and message.role == "assistant" and not part.redacted


def render_part(part: Part, own: bool, calls: Mapping[str, Called]) -> tuple[Fields, Fields]:
    """Return one part with the wire's names, and its shape. A part kept whole keeps its spelling."""
    fields, shape = wire_fields.unpack(part.extra) if own and part.extra else ({}, {})
    match part:
        case Opaque():
            fields["text"] = part.text
        case Text():
            return _text(part, fields, shape), shape
        case Reasoning():
            fields["text"] = part.text
            fields["thought"] = True
            if part.signature:
                fields[SIGNATURE] = part.signature
            return fields, shape
        case ToolCall():
            fields["functionCall"] = _call(part, shape)
        case ToolResult():
            fields["functionResponse"] = _response(part, shape, own, calls)
        case Media():
            fields.update(render_media(part, shape))
    return fields, shape


def _text(part: Text, fields: Fields, shape: Fields) -> Fields:
    if shape.get(wire_fields.BLOCK):
        found = wire_fields.block_of(part.text, fields)
        if found is not None:
            return found
    if not (shape.get("text") == ABSENT and not part.text):
        fields["text"] = part.text
    return fields


def _call(call: ToolCall, shape: Fields) -> Fields:
    out: Fields = {**wire_fields.nested(shape, "inner"), "name": call.name}
    if shape.get("id") != ABSENT:
        out["id"] = call.id
    if "args" not in shape or call.arguments != "{}":
        out["args"] = args_of(call.arguments)
    elif shape["args"] is None:
        out["args"] = None
    return out


def args_of(arguments: str) -> Fields:
    """Return the arguments as the object that `args` must be."""
    if not arguments.strip():
        return {}
    found = wire_fields.load_object(arguments)
    return {RAW_ARGUMENTS: arguments} if found is None else found


def _response(result: ToolResult, shape: Fields, own: bool, calls: Mapping[str, Called]) -> Fields:
    called = calls.get(result.call_id) or Called(result.call_id, result.call_id)
    out: Fields = {**wire_fields.nested(shape, "inner"), "name": shape.get("name") or called.name}
    if called.id and shape.get("id") != ABSENT:
        out["id"] = called.id
    response = response_in(result, shape.get("response", "usual"))
    if response != ABSENT:
        out["response"] = response
    shown = [part for part in result.content if isinstance(part, Media)]
    if shown:
        out["parts"] = [_inside(part, own) for part in shown]
    return out


def _inside(part: Media, own: bool) -> Fields:
    fields, shape = wire_fields.unpack(part.extra) if own and part.extra else ({}, {})
    return {**fields, **render_media(part, shape)}


def response_in(result: ToolResult, form: object) -> object:
    """Return a result's text as a response, in its original form if that can hold it."""
    text = result.text
    if form in RESPONSE_KEYS:
        return {str(form): text}
    if form == "object" and (found := wire_fields.load_object(text)) is not None:
        return found
    if not text and form in (ABSENT, None, "empty"):
        return {} if form == "empty" else form
    return response_of(text, result.is_error)


def render_media(part: Media, shape: Fields) -> Fields:
    """Return media as inline data, or as a file's address."""
    inner = dict(wire_fields.nested(shape, "inner"))
    if part.data:
        urlsafe = shape.get("data") == "urlsafe"
        inner["mimeType"] = part.media_type
        inner["data"] = part.data.translate(_TO_URLSAFE) if urlsafe else part.data
        return {"inlineData": inner}
    inner["fileUri"] = part.uri
    mime = shape.get("mimeType", part.media_type)
    if mime != ABSENT:
        inner["mimeType"] = mime
    return {"fileData": inner}
