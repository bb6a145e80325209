"""Parsing OpenAI chat messages. See `wire_fields` for fields that no part holds.

- "developer" is the system role under its newer name; the shape keeps the dict's own word.
- Text outside `content` becomes parts too: a refusal and an audio transcript become text parts that know their field,
  and `reasoning_content` or `reasoning` (from compatible servers) a reasoning part.
- A "function" message, the tool result of the first API, is the result of a call whose id is the function's name.
- Null and empty fields are kept as unknown fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from palimpsest.errors import FormatError, brief
from palimpsest.formats import media, wire_fields
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolResult

WIRE = "openai"
REASONING_FIELDS = ("reasoning_content", "reasoning")
LEGACY = "legacy"
_PROMPT_ROLES = ("user", "system", "developer")
_RESULT_ROLES = ("tool", "function")
_MEDIA = ("image_url", "input_audio", "file")
_ROLES = "system, developer, user, assistant, tool and function"


def parse_message(raw: Mapping[str, object]) -> tuple[Message, ...]:
    """Parse one chat message dict into one `Message`. Raises FormatError, which says where."""
    fields = wire_fields.fields_of(raw, "an OpenAI message")
    role = fields.pop("role", None)
    if role == "assistant":
        return (_assistant(fields),)
    if isinstance(role, str) and role in _PROMPT_ROLES:
        return (_prompt(role, fields),)
    if isinstance(role, str) and role in _RESULT_ROLES:
        return (_result(role, fields),)
    raise FormatError(f"an OpenAI message has role {brief(role)}", hint=f"the roles are {_ROLES}")


def _take_name(fields: Fields) -> str:
    name = fields.get("name")
    if not isinstance(name, str) or not name:
        return ""
    del fields["name"]
    return name


def _prompt(role: str, fields: Fields) -> Message:
    parts, form = wire_fields.take_content(fields, f"a {role} message", parse_block)
    shape: Fields = {} if form == wire_fields.content_form(parts, "string") else {"content": form}
    if role == "developer":
        shape["role"] = role
    name = _take_name(fields)
    return wire_fields.make_message(
        "user" if role == "user" else "system", parts, fields, shape, wire=WIRE, name=name
    )


def _assistant(fields: Fields) -> Message:
    reasoning: list[Part] = [
        Reasoning(text, extra=wire_fields.pack({}, {} if key == REASONING_FIELDS[0] else {"field": key}))
        for key in REASONING_FIELDS
        if (text := _take_words(fields, key))
    ]
    content, form = wire_fields.take_content(fields, "an assistant message", parse_block)
    spoken: list[Part] = []
    if refusal := _take_words(fields, "refusal"):
        spoken.append(Text(refusal, wire_fields.pack({}, {"field": "refusal"})))
    audio = fields.get("audio")
    if isinstance(audio, Mapping):
        kept = dict(cast("Mapping[str, object]", audio))
        if transcript := _take_words(kept, "transcript"):
            spoken.append(Text(transcript, wire_fields.pack({}, {"field": "audio"})))
            fields["audio"] = kept
    calls = _take_calls(fields)
    usual = wire_fields.content_form(content, "null" if calls else "string")
    shape: Fields = {} if form == usual else {"content": form}
    name = _take_name(fields)
    parts = (*reasoning, *content, *spoken, *calls)
    return wire_fields.make_message("assistant", parts, fields, shape, wire=WIRE, name=name)


def _take_words(fields: Fields, key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value:
        return ""
    del fields[key]
    return value


def _take_calls(fields: Fields) -> list[ToolCall]:
    found: list[ToolCall] = []
    if fields.get("tool_calls"):
        calls = wire_fields.items_of(fields.pop("tool_calls"), "tool_calls")
        found = [_call(call, f"tool_calls[{index}]") for index, call in enumerate(calls)]
    if isinstance(fields.get("function_call"), Mapping):
        call = wire_fields.fields_of(fields.pop("function_call"), "function_call")
        name = wire_fields.text_of(call.pop("name", None), "the name in function_call")
        arguments, shape = _take_arguments(call, "arguments")
        found.append(ToolCall(name, name, arguments, wire_fields.pack(call, {**shape, LEGACY: True})))
    return found


def _call(raw: object, where: str) -> ToolCall:
    call = wire_fields.fields_of(raw, where)
    shape: Fields = {}
    kind = call.pop("type", "absent")
    inner_key = "custom" if kind == "custom" else "function"
    if kind != "function":
        shape["type"] = kind
    inner = wire_fields.fields_of(call.pop(inner_key, None), f"the {inner_key} of {where}")
    name = wire_fields.text_of(inner.pop("name", None), f"the name of {where}")
    arguments, found = _take_arguments(inner, "input" if kind == "custom" else "arguments")
    shape.update(found)
    if inner:
        shape["inner"] = inner
    call_id = call.pop("id", None)
    if call_id is None:
        shape["id"] = "absent"
    return ToolCall(
        "" if call_id is None else wire_fields.text_of(call_id, f"the id of {where}"),
        name,
        arguments,
        wire_fields.pack(call, shape) if call or shape else "",
    )


def _take_arguments(fields: Fields, key: str) -> tuple[str, Fields]:
    """Return the arguments' JSON text. Servers that send an object, or nothing, are understood."""
    if key not in fields:
        return "", {"arguments": "absent"}
    value = fields.pop(key)
    return (value, {}) if isinstance(value, str) else (wire_fields.dumps(value), {"arguments": "value"})


def _result(role: str, fields: Fields) -> Message:
    parts, form = wire_fields.take_content(fields, f"a {role} message", parse_block)
    shape: Fields = {} if form == wire_fields.content_form(parts, "string") else {"content": form}
    name = _take_name(fields)
    if role == "function":
        shape["role"] = role
        call_id = wire_fields.text_of(name or None, "the name of a function message")
    else:
        call_id = wire_fields.text_of(fields.pop("tool_call_id", None), "tool_call_id of a tool message")
    content = tuple(part for part in parts if isinstance(part, Text | Media))
    result = ToolResult(call_id, content, extra=wire_fields.pack(fields, shape))
    return Message(
        "tool", (result,), name=name, time_s=wire_fields.time_of(fields) if fields else None, wire=WIRE
    )


def parse_block(block: Fields, where: str) -> Text | Media:
    """Parse one content part of a list."""
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        fields = dict(block)
        del fields["type"]
        return Text(cast("str", fields.pop("text")), wire_fields.pack(fields, {}))
    if kind == "refusal" and isinstance(block.get("refusal"), str):
        fields = {key: value for key, value in block.items() if key not in ("type", "refusal")}
        return Text(cast("str", block["refusal"]), wire_fields.pack(fields, {"type": kind}))
    if kind in _MEDIA:
        found = _media(block, str(kind))
        if found is not None:
            return found
    if not isinstance(kind, str):
        raise FormatError(
            f"{where} has no type", hint='a content part is a dict such as {"type": "text", "text": "..."}'
        )
    return wire_fields.whole_block(block)


def _media(block: Fields, kind: str) -> Media | None:
    """Return an image, audio or file part as media; None for an undocumented form."""
    outer = {key: value for key, value in block.items() if key not in ("type", kind)}
    value = block.get(kind)
    if kind == "image_url" and isinstance(value, str):
        return media.from_uri(value, "image", wire_fields.pack(outer, {"type": kind, "bare": True}))
    if not isinstance(value, Mapping):
        return None
    inner = dict(cast("Mapping[str, object]", value))
    if kind == "image_url" and isinstance(inner.get("url"), str):
        return media.from_uri(cast("str", inner.pop("url")), "image", _media_extra(outer, inner, kind))
    if kind == "input_audio" and isinstance(inner.get("data"), str) and isinstance(inner.get("format"), str):
        form = cast("str", inner.pop("format"))
        if form == "mpeg":
            return None
        data = cast("str", inner.pop("data"))
        return media.inline(audio_type(form), data, _media_extra(outer, inner, kind))
    if kind == "file" and isinstance(inner.get("file_data"), str):
        found = media.from_uri(cast("str", inner.pop("file_data")), "file", _media_extra(outer, inner, kind))
        return found if found.data else None
    if kind == "file" and isinstance(inner.get("file_id"), str):
        return Media("file", uri=cast("str", inner.pop("file_id")), extra=_media_extra(outer, inner, kind))
    return None


def _media_extra(outer: Fields, inner: Fields, kind: str) -> str:
    return wire_fields.pack(outer, {"type": kind, "inner": inner} if inner else {"type": kind})


def audio_type(form: str) -> str:
    """Return the media type of OpenAI's short audio format name."""
    return "audio/mpeg" if form == "mp3" else f"audio/{form}"
