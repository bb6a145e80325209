"""A generateContent request that Gemini accepts, made of any history.

What the provider asks beyond the shape of a content, and what is done about it:

- Tool groups are whole (`pairing`). The responses to a content's calls stand in the very next one, before all else, as
  many as the calls and in their order; each names its function, and repeats its call's id where that has one.
- Roles alternate: neighbours of one role are merged. The first content is the user's, so one is put before a history
  that starts otherwise, and stands for a first message that is blank.
- A field that the API does not know makes it refuse the request, so only those it knows are sent, in one spelling.
- No part is empty. A blank text is left out unless it carries a thought signature; so is a content of nothing but
  thoughts.
- Newer models check that the first call of a content is signed. One that another model made carries the value that the
  provider documents for that, because only Gemini's own signatures and thoughts go back.
- Media that a model may not look for inside a response follows the responses of its group. Media that cannot be shown
  becomes a line of text.
- System messages before all others join the system instruction; a later one becomes the user's text, in its place.
- Names of functions hold only the letters allowed, and no string a lone surrogate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from palimpsest.formats import media, wire_fields
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
from palimpsest.formats.gemini.tools import render_tools
from palimpsest.formats.tool_pairing import pair
from palimpsest.formats.valid_names import gemini_name, safe_name
from palimpsest.formats.wire_fields import Fields
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolDef, ToolResult

FOREIGN_SIGNATURE = "skip_thought_signature_validator"
"""What the API's documentation gives for calls that no Gemini model made."""

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
    """`{"systemInstruction": {...}, "contents": [...], "tools": [...]}`, without the keys that would be empty.

    The caller adds the generation config; the model is part of the address.
    """
    paired = pair(messages)
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
        return media.note(part)
    return part.text if isinstance(part, Text) else ""


@dataclass(slots=True)
class _Group:
    """The calls of the newest model content, by the id their results know them by, and what answers them."""

    calls: dict[str, Called] = field(default_factory=dict[str, Called])
    answers: dict[str, Fields] = field(default_factory=dict[str, Fields])
    behind: list[Fields] = field(default_factory=list[Fields])

    def take(self) -> list[Fields]:
        """The responses in the order of their calls, and what follows them; they are not given twice."""
        found = [*(self.answers[call_id] for call_id in self.calls if call_id in self.answers), *self.behind]
        self.answers, self.behind = {}, []
        return found


def _contents(messages: Sequence[Message]) -> list[Fields]:
    """The messages as alternating contents."""
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
    """The parts of a message of the user or the model, nothing of them empty."""
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
    """The part with its signature, where that is one: base64 text."""
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
    """A part that the provider's own tools made, as it was sent; None for any other that was kept whole."""
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
    """A function call with the fields the API knows."""
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
    """Whether a content can show this media. A file's address means something only to the provider that gave it."""
    if part.data:
        return part.media_type in INLINE_TYPES and media.is_sound(part.data)
    typed = part.media_type in INLINE_TYPES or part.media_type == "file"
    return own and typed and _FILE_URI.fullmatch(part.uri) is not None


def _media(part: Media, own: bool) -> Fields:
    if not takes(part, own):
        return {"text": media.note(part)}
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
    """Take in the response to a call of the group, with what it shows."""
    called = group.calls[result.call_id]
    shape = wire_fields.unpack(result.extra)[1] if own and result.extra else {}
    inside: list[Fields] = []
    shown: list[Fields] = []
    content: list[Text | Media] = []
    for part in result.content:
        if isinstance(part, Text):
            content.append(part)
        elif not takes(part, own):
            content.append(Text(media.note(part)))
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
    """Media in a response's own parts. Its display name is what the response refers to it by."""
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
