"""Building a generateContent request that Gemini accepts from any history.

The provider's demands beyond a content's shape, and how they are met:

- Tool groups are complete (`tool_pairing`). The responses to a content's calls begin the next content, as many as the
  calls and in their order; each names its function, and repeats its call's id if there is one.
- Roles alternate: neighbours of one role are merged. The first content is the user's: one is inserted if necessary,
  and replaces a blank first message.
- The API refuses unknown fields, so only known ones are sent, in one spelling.
- No part is empty. A blank text is left out unless it has a thought signature; so is a content with only thoughts.
- Newer models check the signature of a content's first call. A call of another model gets the value that the provider
  documents for it, because only Gemini's own signatures and thoughts go back.
- Media that a model may not see inside a response follows the responses of its group. Media that cannot be shown
  becomes a line of text.
- Leading system messages join the system instruction; a later one becomes user text in its place.
- Function names have only allowed letters, and no string a lone surrogate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from palimpsest.formats import media, wire_fields
from palimpsest.formats import tool_definitions as forms
from palimpsest.formats.gemini import field_spelling
from palimpsest.formats.gemini.parse import SERVER_KINDS, SIGNATURE
from palimpsest.formats.gemini.render import (
    Called,
    args_of,
    is_own,
    is_shown_reasoning,
    lacks_id,
    response_in,
)
from palimpsest.formats.tool_pairing import pair_tool_groups
from palimpsest.formats.valid_names import gemini_name, safe_name
from palimpsest.formats.wire_fields import Fields
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolDef, ToolResult

FOREIGN_SIGNATURE = "skip_thought_signature_validator"
"""The API's documented value for calls that no Gemini model made."""

INLINE_TYPES = frozenset(
    (
        *(
            "image/png",
            "image/jpeg",
            "image/webp",
            "image/heic",
            "image/heif",
            "application/pdf",
            "text/plain",
        ),
        *("audio/wav", "audio/mp3", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac"),
        *("video/mp4", "video/mpeg", "video/mov", "video/quicktime", "video/webm", "video/wmv", "video/3gpp"),
    )
)
_FILE_URI = later(r"(https?|gs)://\S+")
_BASE64 = later(r"(?:[\w+/-]{4})*(?:[\w+/-]{4}|[\w+/-]{3}=?|[\w+/-]{2}={0,2})", re.ASCII)
_BEHIND = "[{kind}: shown behind the function responses]"
_MEDIA_HEADER = "[shown by the call of {name}]"
_MEDIA_FIELDS = ("videoMetadata", "mediaResolution")


def render_request(
    system: Sequence[str], messages: Sequence[Message], tools: Sequence[ToolDef] = ()
) -> dict[str, object]:
    """Return `{"systemInstruction": {...}, "contents": [...], "tools": [...]}`, without empty keys.

    The caller adds the generation config; the model is part of the address.
    """
    paired = pair_tool_groups(messages)
    start = next((index for index, message in enumerate(paired) if message.role != "system"), len(paired))
    texts = [*system, *(_words(part) for message in paired[:start] for part in message.parts)]
    instruction: list[Fields] = [{"text": text} for text in texts if text.strip()]
    request: Fields = {}
    if instruction:
        request["systemInstruction"] = wire_fields.clean({"parts": instruction})
    request["contents"] = wire_fields.clean(_contents(paired[start:]))
    if tools and (offered := render_tools(tools)):
        request["tools"] = wire_fields.clean(offered)
    return request


def _words(part: Part) -> str:
    if isinstance(part, Media):
        return media.media_note(part)
    return part.text if isinstance(part, Text) else ""


@dataclass(slots=True)
class _Group:
    """The calls of the newest model content, by the id that results use, and their answers."""

    calls: dict[str, Called] = field(default_factory=dict[str, Called])
    answers: dict[str, Fields] = field(default_factory=dict[str, Fields])
    behind: list[Fields] = field(default_factory=list[Fields])

    def take(self) -> list[Fields]:
        """Return the responses in the order of their calls, and what follows them; each only once."""
        found = [*(self.answers[call_id] for call_id in self.calls if call_id in self.answers), *self.behind]
        self.answers, self.behind = {}, []
        return found


def _contents(messages: Sequence[Message]) -> list[Fields]:
    """Return the messages as alternating contents."""
    out: list[Fields] = []
    group = _Group()
    for message in messages:
        if message.role == "tool":
            for result in message.results:
                _answer(result, is_own(message), group)
            continue
        _add(out, "user", group.take())
        role = "model" if message.role == "assistant" else "user"
        if role == "model":
            group = _Group(_called(message))
        parts = _parts(message, group)
        if not parts and message.role == "user" and out and out[-1]["role"] == "model":
            _add(out, role, [{"text": wire_fields.EMPTY}])
        if not out and (role == "model" or not parts):
            _add(out, "user", [{"text": wire_fields.OPENING}])
        _add(out, role, parts)
    _add(out, "user", group.take())
    return out or [{"role": "user", "parts": [{"text": wire_fields.OPENING}]}]


def _add(out: list[Fields], role: str, parts: Sequence[Fields]) -> None:
    """Append a content, or merge it into the last one of the same role."""
    if not parts:
        return
    if out and out[-1]["role"] == role:
        cast("list[Fields]", out[-1]["parts"]).extend(parts)
    else:
        out.append({"role": role, "parts": list(parts)})


def _called(message: Message) -> dict[str, Called]:
    own = is_own(message)
    return {
        call.id: Called(gemini_name(call.name), "" if own and lacks_id(call) else _id_for(call.id))
        for call in message.calls
    }


def _id_for(call_id: str) -> str:
    return call_id if wire_fields.clean_text(call_id) is call_id else safe_name(call_id)


def _parts(message: Message, group: _Group) -> list[Fields]:
    """Return the non-empty parts of a user or model message."""
    own, model = is_own(message), message.role == "assistant"
    found: list[Fields] = []
    signed = own
    substance = False
    for part in message.parts:
        rendered: Fields | None = None
        if isinstance(part, Reasoning):
            if is_shown_reasoning(part, message) and part.text.strip():
                found.append(_signed({"text": part.text, "thought": True}, part.signature))
            continue
        if isinstance(part, ToolCall):
            rendered = _call(part, own, group.calls[part.id])
            if not signed:
                rendered[SIGNATURE] = FOREIGN_SIGNATURE
                signed = True
        elif isinstance(part, Media):
            rendered = _media(part, own)
        elif isinstance(part, Text):
            rendered = _text(part, own, model)
        if rendered is not None:
            substance = True
            found.append(rendered)
    return found if substance else []


def _signed(rendered: Fields, signature: object) -> Fields:
    """Return the part with its signature, if that is base64 text."""
    if isinstance(signature, str) and _BASE64.fullmatch(signature):
        rendered[SIGNATURE] = signature
    return rendered


def _text(part: Text, own: bool, model: bool) -> Fields | None:
    fields, shape = wire_fields.unpack(part.extra) if own and part.extra else ({}, {})
    if shape.get(wire_fields.BLOCK) and model and (block := _server_part(part, fields)) is not None:
        return block
    known = field_spelling.camel(fields)
    rendered = _signed({"text": part.text}, known.get(SIGNATURE))
    return rendered if part.text.strip() or SIGNATURE in rendered else None


def _server_part(part: Text, fields: Fields) -> Fields | None:
    """Return a part of the provider's own tools as sent; None for any other part kept whole."""
    whole = wire_fields.block_of(part.text, fields)
    found = field_spelling.camel(whole) if whole is not None else {}
    kinds = [key for key in found if key in SERVER_KINDS and isinstance(found[key], dict)]
    others = [key for key in found if key not in (*kinds, SIGNATURE) and found[key]]
    if len(kinds) != 1 or others:
        return None
    inner = wire_fields.nested(found, kinds[0])
    needed = {"executableCode": ("code", "language"), "codeExecutionResult": ("outcome",)}.get(kinds[0], ())
    if not all(isinstance(inner.get(key), str) and inner[key] for key in needed):
        return None
    return _signed({kinds[0]: inner}, found.get(SIGNATURE))


def _call(call: ToolCall, own: bool, called: Called) -> Fields:
    """Return a function call with the fields that the API knows."""
    rendered: Fields = {"functionCall": _named({"args": args_of(call.arguments)}, called)}
    return _signed(rendered, _signature_of(call)) if own else rendered


def _signature_of(part: Part) -> object:
    return field_spelling.camel(wire_fields.unpack(part.extra)[0]).get(SIGNATURE) if part.extra else None


def _named(inner: Fields, called: Called) -> Fields:
    inner["name"] = called.name
    if called.id:
        inner["id"] = called.id
    return inner


def takes(part: Media, own: bool) -> bool:
    """Return whether a content can show this media. File addresses are valid only for the provider that gave them."""
    if part.data:
        return part.media_type in INLINE_TYPES and media.is_base64(part.data)
    typed = part.media_type in INLINE_TYPES or part.media_type == "file"
    return own and typed and _FILE_URI.fullmatch(part.uri) is not None


def _media(part: Media, own: bool) -> Fields:
    if not takes(part, own):
        return {"text": media.media_note(part)}
    rendered = _plain_media(part)
    if own and part.extra:
        known = field_spelling.camel(wire_fields.unpack(part.extra)[0])
        rendered.update({key: known[key] for key in _MEDIA_FIELDS if isinstance(known.get(key), dict)})
        _signed(rendered, known.get(SIGNATURE))
    return rendered


def _plain_media(part: Media) -> Fields:
    if part.data:
        return {"inlineData": {"mimeType": part.media_type, "data": part.data}}
    typed: Fields = {} if part.media_type == "file" else {"mimeType": part.media_type}
    return {"fileData": {**typed, "fileUri": part.uri}}


def _answer(result: ToolResult, own: bool, group: _Group) -> None:
    """Add the response to a call of the group, with its media."""
    called = group.calls[result.call_id]
    shape = wire_fields.unpack(result.extra)[1] if own and result.extra else {}
    inside: list[Fields] = []
    shown: list[Fields] = []
    content: list[Text | Media] = []
    for part in result.content:
        if isinstance(part, Text):
            content.append(part)
        elif not takes(part, own):
            content.append(Text(media.media_note(part)))
        elif own:
            inside.append(_inside(part))
        else:
            content.append(Text(_BEHIND.format(kind=part.media_type)))
            shown.append(_plain_media(part))
    response = response_in(replace(result, content=tuple(content)), shape.get("response", "usual"))
    inner: Fields = {"response": response if isinstance(response, dict) else {}}
    if inside:
        inner["parts"] = inside
    group.answers[result.call_id] = {"functionResponse": _named(inner, called)}
    if shown:
        group.behind.extend(({"text": _MEDIA_HEADER.format(name=called.name)}, *shown))


def _inside(part: Media) -> Fields:
    """Return media for a response's own parts. The response refers to it by its display name."""
    rendered = _plain_media(part)
    name = (
        wire_fields.nested(wire_fields.unpack(part.extra)[1], "inner").get("displayName")
        if part.extra
        else None
    )
    if isinstance(name, str) and name:
        for inner in rendered.values():
            cast("Fields", inner)["displayName"] = name
    return rendered


KNOWN = ("response", "responseJsonSchema", "behavior")


def render_tools(tools: Sequence[ToolDef]) -> list[dict[str, object]]:
    """Return one tool that declares all functions, each name once, followed by the provider's own tools.

    Schemas go into `parametersJsonSchema`. Other providers' own tools are left out.
    """
    declared: dict[object, Fields] = {}
    whole: list[Fields] = []
    for tool in tools:
        fields, shape = wire_fields.unpack(tool.extra) if tool.extra else ({}, {})
        if shape.get(forms.WHOLE):
            whole.extend([fields] if tool.wire == forms.GEMINI else [])
            continue
        found = _declaration(tool, fields if tool.wire == forms.GEMINI else {})
        declared.setdefault(found["name"], found)
    functions: list[Fields] = [{"functionDeclarations": list(declared.values())}] if declared else []
    return [*functions, *whole]


def _declaration(tool: ToolDef, fields: Fields) -> Fields:
    out: Fields = {key: fields[key] for key in KNOWN if fields.get(key)}
    out["name"] = gemini_name(tool.name)
    if tool.description:
        out["description"] = tool.description
    schema = wire_fields.load_object(tool.schema) or {}
    if any(
        value
        for key, value in schema.items()
        if key not in ("type", "$schema", "additionalProperties", "required")
    ):
        out["parametersJsonSchema"] = (
            schema if schema.get("type") == "object" else {**schema, "type": "object"}
        )
    return out
