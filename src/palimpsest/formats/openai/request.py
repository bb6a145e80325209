"""Building a chat request that OpenAI accepts from any history.

The provider's demands beyond a message's shape, and how they are met:

- Tool groups are complete (`tool_pairing`). A repeated call id in a later turn is accepted, so ids stay. One longer
  than 40 characters is shortened with its results, unless it came from this wire, where compatible servers store
  state in long ids. One that is not UTF-8 is replaced. Arguments are a string, valid JSON or not, and stay.
- Names of tools and participants have only allowed letters.
- A tool message has only text. Media in a result moves to a user message behind the whole group, and a line in the
  result says so. Media that cannot be shown, or outside a user message, becomes a line of text.
- A function call of the first API becomes a tool call, so that its results and those of tools can be in one group.
- Fields that only a reply has are left out: sources, audio data, nulls.
- Content is never null or an empty list where the provider requires text; an empty string is accepted.
- No string has a lone surrogate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from palimpsest.formats import media, wire_fields
from palimpsest.formats import tool_definitions as forms
from palimpsest.formats.openai.parse import LEGACY
from palimpsest.formats.openai.render import is_own, render_messages
from palimpsest.formats.tool_pairing import pair_tool_groups
from palimpsest.formats.valid_names import OPENAI_ID_CHARS, safe_name, safe_speaker, shorten
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Media, Message, Part, Text, ToolCall, ToolDef, ToolResult

EMPTY_HISTORY = "[no message yet]"
_BEHIND = "[{kind}: shown in the message after the tool results]"
_MEDIA_HEADER = "[shown by tool call {id}]"
_FILE_TYPES = frozenset((media.PDF,))
_TYPES = {"image": media.IMAGE_TYPES, "audio": frozenset(("audio/wav", "audio/mpeg", "audio/mp3"))}
_MEDIA = {"image_url": "url", "input_audio": "data", "file": "file_data"}
_AUDIO = ("wav", "mp3")
_DETAILS = ("auto", "low", "high", "original")
_MAY_BE_SILENT = ("tool_calls", "function_call", "refusal", "audio")


def render_request(
    system: Sequence[str],
    messages: Sequence[Message],
    tools: Sequence[ToolDef] = (),
    rendering: Callable[[Sequence[Message]], list[Fields]] | None = None,
) -> dict[str, object]:
    """Return `{"messages": [...], "tools": [...]}`, without "tools" if there are none.

    Every non-blank string in `system` becomes one system message. The caller adds the model. `rendering` replaces
    `rendered_messages`, and may cache.
    """
    rendered: list[Fields] = [{"role": "system", "content": text} for text in system if text.strip()]
    for message in rendered:
        _settle(message)
    rendered.extend((rendering or rendered_messages)(messages))
    if not rendered:
        rendered.append({"role": "user", "content": EMPTY_HISTORY})
    request: Fields = {"messages": rendered}
    if tools and (offered := render_tools(tools)):
        request["tools"] = wire_fields.clean(offered)
    return request


def rendered_messages(messages: Sequence[Message]) -> list[Fields]:
    """Return the valid chat dicts of a history, without a system prompt."""
    rendered = render_messages(_placed(pair_tool_groups(messages)))
    for message in rendered:
        _settle(message)
    return rendered


def _placed(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with media in allowed places and call ids of allowed length."""
    out: list[Message] = []
    behind: list[Part] = []
    renamed: dict[str, str] = {}
    for message in messages:
        if message.role == "tool":
            out.append(_tool_message(message, behind, renamed))
            continue
        if behind:
            out.append(Message("user", tuple(behind)))
            behind = []
        if message.role == "assistant":
            renamed = {}
            out.append(_assistant(message, renamed))
        elif Media in map(type, message.parts):
            out.append(_prompt(message))
        else:
            out.append(message)
    if behind:
        out.append(Message("user", tuple(behind)))
    return out


def _prompt(message: Message) -> Message:
    own, user = is_own(message), message.role == "user"
    parts: list[Part] = [
        Text(media.media_note(part)) if isinstance(part, Media) and not (user and takes(part, own)) else part
        for part in message.parts
    ]
    return replace(message, parts=tuple(parts))


def takes(part: Media, own: bool) -> bool:
    """Return whether a user message can show this media. File ids are valid only for the provider that gave them."""
    kind = media.kind_of(part)
    if part.data:
        types = _TYPES.get(kind, _FILE_TYPES)
        return part.media_type in types and media.is_base64(part.data)
    if kind == "image":
        return media.is_address(part.uri)
    return own and part.media_type == "file" and media.is_file_id(part.uri)


def _assistant(message: Message, renamed: dict[str, str]) -> Message:
    own = is_own(message)
    parts: list[Part] = []
    for part in message.parts:
        found = part
        if isinstance(part, Media):
            found = Text(media.media_note(part))
        elif isinstance(part, ToolCall):
            found = part
            if part.extra and LEGACY in wire_fields.unpack(part.extra)[1]:
                found = replace(part, extra="")
            if (call_id := _id_for(part.id, own)) is not part.id:
                call_id = _distinct(call_id, part.id, message, renamed)
                renamed[part.id] = call_id
                found = replace(found, id=call_id)
        parts.append(found)
    return _with_parts(message, parts)


def _distinct(call_id: str, given: str, message: Message, renamed: dict[str, str]) -> str:
    """Return the new id of a call, made distinct within the message."""
    used = {*renamed.values(), *(call.id for call in message.calls)}
    for number in range(2, len(used) + 3):
        if call_id not in used:
            break
        call_id = shorten(safe_name(f"{given}_{number}"), OPENAI_ID_CHARS)
    return call_id


def _id_for(call_id: str, own: bool) -> str:
    """Return the call's id as OpenAI accepts it; the same object if nothing is wrong with it."""
    if wire_fields.clean_text(call_id) is not call_id:
        return shorten(safe_name(call_id), OPENAI_ID_CHARS)
    return call_id if own else shorten(call_id, OPENAI_ID_CHARS)


def _tool_message(message: Message, behind: list[Part], renamed: dict[str, str]) -> Message:
    parts: list[Part] = []
    for part in message.results:
        result = part
        if Media in map(type, part.content):
            result = replace(part, content=_words(part, behind))
        if part.call_id in renamed:
            result = replace(result, call_id=renamed[part.call_id])
        if part.extra and wire_fields.unpack(part.extra)[1].get("role") == "function":
            result = replace(result, extra="")
        parts.append(result)
    return _with_parts(message, parts)


def _with_parts(message: Message, parts: Sequence[Part]) -> Message:
    same = all(new is old for new, old in zip(parts, message.parts, strict=True))
    return message if same else replace(message, parts=tuple(parts))


def _words(result: ToolResult, behind: list[Part]) -> tuple[Text | Media, ...]:
    """Return a result's content with a line for each media part; those that a user message can show are added to
    `behind`.
    """
    content: list[Text | Media] = []
    shown: list[Part] = []
    for part in result.content:
        if isinstance(part, Text):
            content.append(part)
        elif takes(part, False):
            content.append(Text(_BEHIND.format(kind=part.media_type)))
            shown.append(replace(part, extra=""))
        else:
            content.append(Text(media.media_note(part)))
    if shown:
        behind.extend((Text(_MEDIA_HEADER.format(id=result.call_id)), *shown))
    return tuple(content)


def _settle(message: Fields) -> None:
    """Fix what only the dict shows: names, null or empty content, invalid strings."""
    if message["role"] == "assistant":
        _drop_replied(message)
    if "tool_calls" in message:
        _settle_calls(message)
    if "name" in message:
        name = message["name"]
        message["name"] = safe_speaker(name) if isinstance(name, str) else None
        if not message["name"]:
            del message["name"]
    content = message.get("content")
    if not content and content != "":
        silent = message["role"] == "assistant" and any(message.get(key) for key in _MAY_BE_SILENT)
        message["content"] = None if silent else ""
    if content and type(content) is list:
        blocks, role = cast("list[Fields]", content), message["role"]
        message["content"] = [
            one if _is_part(one, role) else wire_fields.as_refused_text(one) for one in blocks
        ]
    wire_fields.clean(message)


def _drop_replied(message: Fields) -> None:
    """Remove what only a reply has: sources, audio data, and nulls."""
    gone = [
        key for key, value in message.items() if key == "annotations" or (value is None and key != "content")
    ]
    for key in gone:
        del message[key]
    if "audio" in message and isinstance(audio_id := wire_fields.nested(message, "audio").get("id"), str):
        message["audio"] = {"id": audio_id}
    else:
        message.pop("audio", None)


def _is_part(part: Fields, role: object) -> bool:
    """Return whether a content part of a known type has its required fields and may be there; a client may have sent
    anything.
    """
    kind = part.get("type")
    if kind == "text":
        return isinstance(part.get("text"), str)
    if kind == "refusal":
        return role == "assistant" and isinstance(part.get("refusal"), str)
    if kind not in _MEDIA:
        return isinstance(kind, str)
    inner = wire_fields.nested(part, str(kind))
    if role != "user" or inner.get("detail", "auto") not in _DETAILS:
        return False
    if kind == "input_audio" and inner.get("format") not in _AUDIO:
        return False
    if kind == "file" and isinstance(inner.get("file_id"), str):
        return True
    found = inner.get(_MEDIA[str(kind)])
    return isinstance(found, str) and (kind != "file" or found.startswith("data:application/pdf"))


def _settle_calls(message: Fields) -> None:
    calls = cast("list[Fields] | None", message["tool_calls"])
    if not calls:
        del message["tool_calls"]
        return
    for call in calls:
        call["type"] = "custom" if call.get("type") == "custom" else "function"
        function = cast("Fields", call.get("function") or call.get("custom"))
        name = cast("str", function["name"])
        safe = safe_name(name)
        if safe is not name:
            function["name"] = safe
        arguments = function.get("arguments", function.get("input", {}))
        if not isinstance(arguments, str):
            function["arguments"] = wire_fields.dumps(arguments)


def render_tools(tools: Sequence[ToolDef]) -> list[dict[str, object]]:
    """Return the tools in chat form. Other providers' own tools are left out."""
    return [rendered for tool in tools if (rendered := _tool(tool)) is not None]


def _tool(tool: ToolDef) -> Fields | None:
    own = tool.wire == forms.OPENAI
    fields, shape = wire_fields.unpack(tool.extra) if tool.extra else ({}, {})
    if shape.get(forms.WHOLE):
        return fields if own else None
    if not own:
        fields, shape = {}, {}
    function: Fields = {**wire_fields.nested(shape, "inner"), "name": safe_name(tool.name)}
    if tool.description or shape.get("description") == "present":
        function["description"] = tool.description
    schema = wire_fields.load_object(tool.schema)
    if schema is not None and (schema or shape.get("schema") == "present"):
        function["parameters"] = schema
    return {**fields, "type": "function", "function": function}
