"""Building a chat request that OpenAI accepts from any history.

The provider's demands beyond a message's shape, and how they are met:

- Tool groups are complete (`tool_pairing`). A repeated call id in a later turn is accepted, so ids stay. One longer
  than 40 characters is shortened with its results, by a rule that gives the same id each time. One that is not UTF-8
  is replaced. A function's arguments are the text of a JSON object; other text becomes `{"_raw": ...}`.
- Names of tools and participants have only allowed letters.
- A tool message has only text. Media in a result moves to a user message behind the whole group, and a line in the
  result says so. Media that cannot be shown, or outside a user message, becomes a line of text.
- A function call of the first API becomes a tool call, so that its results and those of tools can be in one group.
- Fields that only a reply has are left out: sources, audio data, nulls.
- A message without words and calls is left out if the assistant's, and otherwise says that it is empty. A blank text
  part next to others is left out.
- The first message after the system messages is the user's: vLLM, SGLang, llama.cpp and Moonshot demand it. The form
  for models that are not OpenAI's is in `other_servers`.
- No string has a lone surrogate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile
from operator import is_
from typing import cast

from palimpsest.formats import media, wire_fields
from palimpsest.formats import tool_definitions as forms
from palimpsest.formats.openai.other_servers import SYSTEM_ROLES, for_chat_template, takes_openai_form
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
_PROMPTS = ("system", "developer", "user", "assistant")
_SAYING = ("text", "input_text", "output_text", "refusal")
_MAY_BE_SILENT = ("tool_calls", "function_call", "refusal", "audio")


def render_request(
    system: Sequence[str],
    messages: Sequence[Message],
    tools: Sequence[ToolDef] = (),
    rendering: Callable[[Sequence[Message]], list[Fields]] | None = None,
    *,
    model: str = "",
) -> dict[str, object]:
    """Return `{"messages": [...], "tools": [...]}`, without "tools" if there are none.

    Every non-blank string in `system` becomes one system message. The caller adds the model; `model` decides whether
    the messages get the form for other servers (`other_servers`). `rendering` replaces `rendered_messages`, and may
    cache.
    """
    prompts: list[Fields] = [{"role": "system", "content": text} for text in system]
    rendered = [message for message in prompts if settle(message)]
    rendered.extend((rendering or rendered_messages)(messages))
    if not rendered:
        rendered.append({"role": "user", "content": EMPTY_HISTORY})
    first = next(
        (place for place, one in enumerate(rendered) if one["role"] not in SYSTEM_ROLES), len(rendered)
    )
    if first == len(rendered) or rendered[first]["role"] != "user":
        rendered.insert(first, {"role": "user", "content": wire_fields.OPENING})
    request: Fields = {
        "messages": rendered if takes_openai_form(model) else for_chat_template(rendered, model)
    }
    if tools and (offered := render_tools(tools)):
        request["tools"] = wire_fields.clean(offered)
    return request


def without_prompt(request: Fields) -> Fields:
    """Return a request without its leading system messages."""
    messages = cast("list[Fields]", request["messages"])
    return {**request, "messages": list(dropwhile(lambda one: one["role"] in SYSTEM_ROLES, messages))}


def rendered_messages(messages: Sequence[Message]) -> list[Fields]:
    """Return the valid chat dicts of a history, without a system prompt."""
    rendered = render_messages(placed(pair_tool_groups(messages)))
    return [message for message in rendered if settle(message)]


def placed(
    messages: Sequence[Message],
    id_chars: int = OPENAI_ID_CHARS,
    keeps: Callable[[Message], bool] = lambda _: False,
) -> list[Message]:
    """Return the messages with media in allowed places and call ids of allowed length. The media of a message that the
    wire `keeps` stays in its place.
    """
    out: list[Message] = []
    behind: list[Part] = []
    renamed: dict[str, str] = {}
    for message in messages:
        if message.role == "tool":
            out.append(_tool_message(message, None if keeps(message) else behind, renamed))
            continue
        if behind:
            out.append(Message("user", tuple(behind)))
            behind = []
        if message.role == "assistant":
            renamed = {}
            out.append(_assistant(message, renamed, id_chars))
        elif Media in map(type, message.parts) and not keeps(message):
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


def _assistant(message: Message, renamed: dict[str, str], id_chars: int) -> Message:
    parts: list[Part] = []
    for part in message.parts:
        found = part
        if isinstance(part, Media):
            found = Text(media.media_note(part))
        elif isinstance(part, ToolCall):
            found = part
            if part.extra and LEGACY in wire_fields.unpack(part.extra)[1]:
                found = replace(part, extra="")
            if (call_id := _id_for(part.id, id_chars)) is not part.id:
                call_id = _distinct(call_id, part.id, message, renamed, id_chars)
                renamed[part.id] = call_id
                found = replace(found, id=call_id)
        parts.append(found)
    return _with_parts(message, parts)


def _distinct(call_id: str, given: str, message: Message, renamed: dict[str, str], id_chars: int) -> str:
    """Return the new id of a call, made distinct within the message."""
    used = {*renamed.values(), *(call.id for call in message.calls)}
    for number in range(2, len(used) + 3):
        if call_id not in used:
            break
        call_id = shorten(safe_name(f"{given}_{number}"), id_chars)
    return call_id


def _id_for(call_id: str, id_chars: int) -> str:
    """Return the call's id as OpenAI accepts it; the same object if nothing is wrong with it."""
    sound = wire_fields.clean_text(call_id) is call_id
    return shorten(call_id if sound else safe_name(call_id), id_chars)


def _tool_message(message: Message, behind: list[Part] | None, renamed: dict[str, str]) -> Message:
    parts: list[Part] = []
    for part in message.results:
        result = part
        if behind is not None and Media in map(type, part.content):
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


def settle(message: Fields) -> bool:
    """Fix what only the dict shows: names, null or empty content, invalid strings. Return whether anything is left."""
    if message["role"] == "assistant":
        _drop_replied(message)
    if "tool_calls" in message:
        _settle_calls(message)
    if "name" in message:
        name = message["name"]
        message["name"] = safe_speaker(name) if isinstance(name, str) else None
        if not message["name"]:
            del message["name"]
    content, role = message.get("content"), message["role"]
    if type(content) is list:
        blocks = cast("list[Fields]", content)
        settled = (one if _is_part(one, role) else wire_fields.as_refused_text(one) for one in blocks)
        content = message["content"] = [one for one in settled if not is_blank(one)]
    if not content or (isinstance(content, str) and not content.strip()):
        if role == "user":
            message["content"] = wire_fields.EMPTY
        elif role not in _PROMPTS:
            message["content"] = content if isinstance(content, str) else ""
        elif role == "assistant" and any(message.get(key) for key in _MAY_BE_SILENT):
            message["content"] = content if content == "" else None
        else:
            return False
    wire_fields.clean(message)
    return True


def is_blank(part: Fields) -> bool:
    """Return whether a content part has only white space."""
    kind = str(part.get("type"))
    return kind in _SAYING and not str(part.get("refusal" if kind == "refusal" else "text") or "").strip()


def _drop_replied(message: Fields) -> None:
    """Remove what only a reply has: sources, audio data, nulls, and what OpenAI's client parses of a stream."""
    gone = [
        key
        for key, value in message.items()
        if key in ("annotations", "parsed") or (value is None and key != "content")
    ]
    for key in gone:
        del message[key]
    calls = message.get("tool_calls")
    for call in wire_fields.objects(cast("list[object]", calls)) if isinstance(calls, list) else ():
        call.pop("index", None)
        wire_fields.nested(call, "function").pop("parsed_arguments", None)
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
        text = arguments if isinstance(arguments, str) else wire_fields.dumps(arguments)
        if call["type"] == "function":
            function["arguments"] = wire_fields.object_text(text)
        elif "input" not in function:
            function["input"] = function.pop("arguments", text)


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


@dataclass(slots=True)
class RenderCache:
    """The last rendering: messages up to a cut, and their dicts."""

    _kept: tuple[tuple[Message, ...], list[Fields]] = field(default=((), []), repr=False)

    def messages(self, given: Sequence[Message]) -> list[Fields]:
        """Return the dicts of these messages, as `rendered_messages` returns them."""
        known, found = self._kept
        begins = (
            len(given) >= len(known) and all(map(is_, known, given)) and _stands_alone(given[len(known) :])
        )
        known, found = (known, found) if begins else ((), [])
        rest = given[len(known) :]
        cut = next((at for at in range(len(rest) - 1, 0, -1) if rest[at].role == "assistant"), 0)
        if not cut or not _stands_alone(rest[cut:]):
            return [*map(_copied, found), *rendered_messages(rest)]
        new = rendered_messages(rest[:cut])
        self._kept = ((*known, *rest[:cut]), [*found, *map(_copied, new)])
        return [*map(_copied, found), *new, *rendered_messages(rest[cut:])]


def _stands_alone(messages: Sequence[Message]) -> bool:
    """Return whether every result among these messages answers a call before it among them."""
    called: set[str] = set()
    for message in messages:
        called.update(call.id for call in message.calls)
        if not all(result.call_id in called for result in message.results):
            return False
    return True


def _copied(fields: Fields) -> Fields:
    return {key: _copy(value) for key, value in fields.items()}


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return _copied(cast("Fields", value))
    return [_copy(inner) for inner in cast("list[object]", value)] if isinstance(value, list) else value
