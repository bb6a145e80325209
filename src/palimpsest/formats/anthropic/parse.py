"""Parsing Anthropic messages. See `wire_fields` for fields that no part holds.

- A dict of role "user" with tool results becomes several messages: each run of results a "tool" message, the rest
  "user" messages, in order. All but the first are marked as joined, so that rendering returns one dict.
- `input` becomes the JSON text of a call's arguments.
- A plain text document becomes a text part, so its words are counted, found and kept.
- Blocks of server tools, and unknown ones, are kept whole (`wire_fields.whole_block`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from palimpsest.errors import FormatError, brief
from palimpsest.formats import media, wire_fields
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Media, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

WIRE = "anthropic"
JOINED = "joined"
DOCUMENT = "document"
_JOINED = wire_fields.pack({}, {JOINED: True, "content": "list"})
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_MEDIA = ("image", DOCUMENT)
_SOURCE_KEYS = {"base64": "data", "url": "url", "file": "file_id"}


def parse_message(raw: Mapping[str, object]) -> tuple[Message, ...]:
    """Parse one message dict into one `Message`, or several if it has tool results. Raises FormatError, which says
    where.
    """
    fields = wire_fields.fields_of(raw, "an Anthropic message")
    given = fields.pop("role", None)
    role = _ROLES.get(given) if isinstance(given, str) else None
    if role is None:
        raise FormatError(
            f"an Anthropic message has role {brief(given)}",
            hint="the roles are user and assistant; results are blocks of a user message",
        )
    parts, form = wire_fields.take_content(fields, f"a message of role {role}", parse_block)
    runs = wire_fields.runs_of(role, parts)
    shape: Fields = {} if form == wire_fields.content_form(runs[0][1], "string") else {"content": form}
    first = wire_fields.make_message(runs[0][0], runs[0][1], fields, shape, wire=WIRE)
    rest = (
        Message(kind, tuple(run), time_s=first.time_s, wire=WIRE, extra=_JOINED) for kind, run in runs[1:]
    )
    return (first, *rest)


def parse_block(block: Fields, where: str) -> Part:
    """Parse one content block."""
    kind = block.get("type")
    if kind == "tool_result":
        return _result(block, where)
    if kind == "tool_use":
        return _call(block, where)
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return _thinking(block)
    if kind == "redacted_thinking" and isinstance(block.get("data"), str):
        rest = _rest(block, "data")
        return Reasoning(cast("str", block["data"]), redacted=True, extra=wire_fields.pack(rest, {}))
    return parse_content_block(block, where)


def parse_content_block(block: Fields, where: str) -> Text | Media:
    """Parse a block inside a tool result: text or media, or one kept whole."""
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(
            cast("str", block["text"]), wire_fields.pack(_rest(block, "text"), {}) if len(block) > 2 else ""
        )
    if kind in _MEDIA:
        found = _source(block, str(kind))
        if found is not None:
            return found
    if not isinstance(kind, str):
        raise FormatError(
            f"{where} has no type", hint='a block is a dict such as {"type": "text", "text": "..."}'
        )
    return wire_fields.whole_block(block)


def _rest(block: Fields, *known: str) -> Fields:
    return {key: value for key, value in block.items() if key != "type" and key not in known}


def _thinking(block: Fields) -> Reasoning:
    signature = block.get("signature")
    rest = _rest(block, "thinking", "signature") if isinstance(signature, str) else _rest(block, "thinking")
    shape: Fields = {"signature": "present"} if signature == "" else {}
    text = cast("str", block["thinking"])
    return Reasoning(
        text, signature if isinstance(signature, str) else "", extra=wire_fields.pack(rest, shape)
    )


def _call(block: Fields, where: str) -> ToolCall:
    call_id = wire_fields.text_of(block.get("id"), f"the id of {where}")
    name = wire_fields.text_of(block.get("name"), f"the name of {where}")
    rest = _rest(block, "id", "name", "input")
    shape: Fields = {} if "input" in block else {"input": "absent"}
    arguments = wire_fields.dumps(block["input"]) if "input" in block else "{}"
    return ToolCall(call_id, name, arguments, wire_fields.pack(rest, shape) if rest or shape else "")


def _result(block: Fields, where: str) -> ToolResult:
    fields = _rest(block)
    call_id = wire_fields.text_of(fields.pop("tool_use_id", None), f"the tool_use_id of {where}")
    found, form = wire_fields.take_content(fields, where, parse_content_block)
    shape: Fields = {} if form == wire_fields.content_form(found, "absent") else {"content": form}
    is_error = fields.get("is_error") is True
    if is_error:
        del fields["is_error"]
    content = tuple(part for part in found if isinstance(part, Text | Media))
    return ToolResult(call_id, content, is_error, wire_fields.pack(fields, shape) if fields or shape else "")


def _source(block: Fields, kind: str) -> Text | Media | None:
    """Return an image or document as media, a plain text document as text; None for another source form."""
    value = block.get("source")
    if not isinstance(value, Mapping):
        return None
    source = dict(cast("Mapping[str, object]", value))
    rest = _rest(block, "source")
    form = source.pop("type", None)
    if form == "text" and kind == DOCUMENT and isinstance(source.get("data"), str):
        words = cast("str", source.pop("data"))
        return Text(words, wire_fields.pack(rest, {DOCUMENT: source}))
    content = source.pop(_SOURCE_KEYS.get(form, "") if isinstance(form, str) else "", None)
    if not isinstance(content, str) or not content:
        return None
    shape: Fields = {}
    found = Media(kind, uri=content)
    if form == "base64":
        media_type = source.pop("media_type", None)
        if not isinstance(media_type, str):
            return None
        found = media.inline(media_type, content)
    if block_type(found) != kind:
        shape["type"] = kind
    if source:
        shape["source"] = source
    if form != source_type(found):
        shape["form"] = form
    extra = wire_fields.pack(rest, shape)
    return Media(found.media_type, found.uri, found.data, found.size_bytes, extra) if extra else found


def block_type(part: Media) -> str:
    """Return the type of block that carries this media."""
    return "image" if media.kind_of(part) == "image" else DOCUMENT


def source_type(part: Media) -> str:
    """Return how a block of this media refers to its content."""
    if part.data:
        return "base64"
    return "url" if media.is_address(part.uri) else "file"
