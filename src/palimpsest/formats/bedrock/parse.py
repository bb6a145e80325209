"""Parsing messages of Bedrock's Converse API. See `wire_fields` for fields that no part holds.

- A dict of role "user" with tool results becomes several messages, as in Anthropic's form.
- A block has no type: its one key names what it holds. One of an unknown kind, or of two, is kept whole.
- Data is bytes in the AWS clients and base64 text in JSON. A part holds base64 text, and the shape the other form.
- A cache point is a block of its own here. It is kept in the shape of the part before it, because clients move it.
- The JSON of a tool result becomes a text. So do a document's text, guarded text, and text with citations.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, cast

from palimpsest.errors import FormatError, brief
from palimpsest.formats import media, wire_fields
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Media, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

WIRE = "bedrock"
JOINED = "joined"
ABSENT = "absent"
POINT = "cachePoint"
GUARD = "guardContent"
CITED = "citationsContent"
REASONING = "reasoningContent"
DOCUMENT = "document"
JSON = "json"
PLACES = "bytes"
"""The key of a shape with the places of bytes in a block that is kept whole."""
MEDIA = ("image", DOCUMENT, "video", "audio")
BLOCKS = frozenset((
    "text", *MEDIA, "toolUse", "toolResult", REASONING, POINT, GUARD, CITED, "searchResult", "toolAddition",
    "toolRemoval",
))  # fmt: skip
"""The keys of content blocks."""
FORMATS: dict[str, tuple[str, str]] = {
    **{f"{kind}/{name}": (kind, name) for kind, names in (
        ("image", "png jpeg gif webp"),
        ("video", "mkv mov mp4 webm flv mpeg mpg wmv"),
        ("audio", "mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpga pcm webm"),
    ) for name in names.split()},
    "audio/mpeg": ("audio", "mp3"), "audio/x-wav": ("audio", "wav"),
    "video/quicktime": ("video", "mov"), "video/x-matroska": ("video", "mkv"), "video/3gpp": ("video", "three_gp"),
    "video/x-flv": ("video", "flv"), "video/x-ms-wmv": ("video", "wmv"),
    media.PDF: (DOCUMENT, "pdf"), "text/csv": (DOCUMENT, "csv"), "text/html": (DOCUMENT, "html"),
    "text/plain": (DOCUMENT, "txt"), "text/markdown": (DOCUMENT, "md"), "application/msword": (DOCUMENT, "doc"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": (DOCUMENT, "docx"),
    "application/vnd.ms-excel": (DOCUMENT, "xls"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": (DOCUMENT, "xlsx"),
}  # fmt: skip
"""The kind of block and the format of a media type."""
_TYPES = {known: media_type for media_type, known in FORMATS.items()}
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_JOINED = wire_fields.pack({}, {JOINED: True})


def parse_message(raw: Mapping[str, object]) -> tuple[Message, ...]:
    """Parse one message dict into one `Message`, or several if it has tool results. Raises FormatError, which says
    where.
    """
    fields = wire_fields.fields_of(raw, "a Bedrock message")
    role = _ROLES.get(wire_fields.word(given := fields.pop("role", None)))
    if role is None:
        raise FormatError(
            f"a Bedrock message has role {brief(given)}",
            hint='the roles are user and assistant: {"role": "user", "content": [{"text": "..."}]}',
        )
    shape: Fields = {}
    parts: list[Part] = []
    for at, one in enumerate(_take_list(fields, shape, "a Bedrock message")):
        where = f"content[{at}] of a Bedrock message"
        block = wire_fields.fields_of(one, where)
        if list(block) != [POINT]:
            parts.append(_part(block, where, role))
        elif parts:
            parts[-1] = _pointed(parts[-1], block[POINT])
        else:
            shape[POINT] = [*cast("list[object]", shape.get(POINT, [])), block[POINT]]
    runs = wire_fields.runs_of(role, parts)
    first = wire_fields.make_message(runs[0][0], runs[0][1], fields, shape, wire=WIRE)
    rest = (
        Message(kind, tuple(run), time_s=first.time_s, wire=WIRE, extra=_JOINED) for kind, run in runs[1:]
    )
    return (first, *rest)


def _take_list(fields: Fields, shape: Fields, what: str) -> Sequence[object]:
    """Remove the content and return it. The shape says where there is none."""
    if fields.get("content") is not None:
        return wire_fields.items_of(fields.pop("content"), f"the content of {what}")
    shape["content"] = fields.pop("content", ABSENT)
    return ()


def _pointed(part: Part, point: object) -> Part:
    """Return a part with a cache point behind it."""
    fields, shape = wire_fields.unpack(part.extra)
    shape[POINT] = [*cast("list[object]", shape.get(POINT, [])), point]
    return replace(part, extra=wire_fields.pack(fields, shape))


def _part(block: Fields, where: str, role: Role) -> Part:
    kinds = [key for key in block if key in BLOCKS]
    kind = kinds[0] if len(kinds) == 1 else ""
    value = block.get(kind)
    if kind == "text":
        return _text(block)
    if not isinstance(value, Mapping):
        return _whole(block)
    inner, rest = dict(cast("Mapping[str, object]", value)), _without(block, kind)
    hosted = "type" in inner
    if kind == "toolUse" and not hosted:
        return _call(inner, rest, where)
    if kind == "toolResult" and not hosted and role == "user":
        return _result(inner, rest, where)
    found: Part | None = None
    if kind == REASONING and role == "assistant":
        found = _reasoning(inner, rest)
    elif kind in MEDIA:
        found = _media(kind, inner, rest)
    elif kind == GUARD:
        found = _guarded(inner, rest)
    elif kind == CITED:
        found = _cited(inner, rest)
    return found or _whole(block)


def _without(fields: Fields, *known: str) -> Fields:
    return {key: value for key, value in fields.items() if key not in known}


def _text(block: Fields) -> Text:
    if not isinstance(block["text"], str):
        return _whole(block)
    return Text(block["text"], wire_fields.pack(_without(block, "text"), {}) if len(block) > 1 else "")


def _whole(block: Fields) -> Text:
    """Return a block as a text of its JSON, with bytes as base64 text."""
    places = list(_bytes_in(block))
    for place in places:
        set_at(block, place, _base64)
    whole = wire_fields.whole_block(block)
    if not places:
        return whole
    fields, shape = wire_fields.unpack(whole.extra)
    return replace(whole, extra=wire_fields.pack(fields, {**shape, PLACES: places}))


def _bytes_in(block: Fields) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of all bytes in a block."""
    pending: list[tuple[tuple[str | int, ...], object]] = [((), block)]
    while pending:
        place, value = pending.pop()
        if isinstance(value, bytes | bytearray):
            yield place
        elif isinstance(value, Mapping):
            pending += [((*place, key), one) for key, one in cast("Mapping[str, object]", value).items()]
        elif isinstance(value, list | tuple):
            pending += [((*place, at), one) for at, one in enumerate(cast("Sequence[object]", value))]


def set_at(block: Fields, place: Sequence[object], change: Callable[[object], object]) -> None:
    """Change the value at a place in a block, if there is one. The containers on the way are copied."""
    node: Any = block
    for at, key in enumerate(place):
        try:
            inner: Any = node[key]
            inner = change(inner) if at + 1 == len(place) else copy(inner)
            node[key] = inner
        except (LookupError, TypeError):
            return
        node = inner


def _base64(value: object) -> str:
    return base64.b64encode(cast("bytes", value)).decode()


def _call(inner: Fields, rest: Fields, where: str) -> ToolCall:
    call_id = wire_fields.text_of(inner.pop("toolUseId", None), f"the toolUseId of {where}")
    name = wire_fields.text_of(inner.pop("name", None), f"the name of {where}")
    shape: Fields = {} if "input" in inner else {"input": ABSENT}
    arguments = wire_fields.dumps(inner.pop("input", {}))
    shape |= {"inner": inner} if inner else {}
    return ToolCall(call_id, name, arguments, wire_fields.pack(rest, shape))


def _result(inner: Fields, rest: Fields, where: str) -> ToolResult:
    call_id = wire_fields.text_of(inner.pop("toolUseId", None), f"the toolUseId of {where}")
    shape: Fields = {}
    found = _take_list(inner, shape, where)
    is_error = inner.get("status") == "error"
    if is_error:
        del inner["status"]
    shape |= {"inner": inner} if inner else {}
    blocks = [wire_fields.fields_of(one, f"{where}, content[{at}]") for at, one in enumerate(found)]
    return ToolResult(call_id, tuple(map(_inside, blocks)), is_error, wire_fields.pack(rest, shape))


def _inside(block: Fields) -> Text | Media:
    """Parse a block of a tool result."""
    kind = next(iter(block)) if len(block) == 1 else ""
    if kind == "text":
        return _text(block)
    if kind == JSON:
        return Text(wire_fields.dumps(block[JSON]), wire_fields.pack({}, {JSON: True}))
    value = block.get(kind)
    if kind in MEDIA and isinstance(value, Mapping):
        return _media(kind, dict(cast("Mapping[str, object]", value)), {}) or _whole(block)
    return _whole(block)


def _reasoning(inner: Fields, rest: Fields) -> Reasoning | None:
    """Return thinking, in words or encrypted; None for another form."""
    if list(inner) == ["redactedContent"]:
        data, shape = _data(inner["redactedContent"])
        return Reasoning(data, redacted=True, extra=wire_fields.pack(rest, shape)) if data else None
    said = inner.get("reasoningText")
    if list(inner) != ["reasoningText"] or not isinstance(said, Mapping):
        return None
    fields = dict(cast("Mapping[str, object]", said))
    shape: Fields = {"signature": "present"} if fields.get("signature") == "" else {}
    text, signature = fields.pop("text", None), fields.pop("signature", "")
    if not isinstance(text, str) or not isinstance(signature, str):
        return None
    shape |= {"inner": fields} if fields else {}
    return Reasoning(text, signature, extra=wire_fields.pack(rest, shape))


def _data(value: object) -> tuple[str, Fields]:
    """Return bytes or base64 text as base64 text, "" for anything else, and the shape that distinguishes them."""
    if isinstance(value, bytes | bytearray):
        return _base64(value), {}
    return wire_fields.word(value), {"data": "text"}


def _media(kind: str, inner: Fields, rest: Fields, shape: Fields | None = None) -> Text | Media | None:
    """Return a block's media, a text document's words, or None if it has neither data nor an address."""
    source, shape = inner.pop("source", None), dict(shape or {})
    if not isinstance(source, Mapping) or len(cast("Fields", source)) != 1:
        return None
    ((form, value),) = cast("Fields", source).items()
    if kind == DOCUMENT and form == "text" and isinstance(value, str):
        return Text(value, wire_fields.pack(rest, {**shape, DOCUMENT: inner}))
    name = wire_fields.word(inner.get("format"))
    media_type = _TYPES.get((kind, name)) or (f"{kind}/{name}" if name else kind)
    given = [inner.pop("format")] if "format" in inner else []
    if (kind, *given) != FORMATS.get(media_type):
        shape["format"] = [kind, *given]
    if inner:
        shape["inner"] = inner
    if form == "bytes":
        data, how = _data(value)
        return media.inline(media_type, data, wire_fields.pack(rest, {**shape, **how})) if data else None
    place = dict(cast("Fields", value)) if form == "s3Location" and isinstance(value, Mapping) else {}
    uri = place.pop("uri", None)
    if not isinstance(uri, str) or not uri:
        return None
    shape |= {"place": place} if place else {}
    return Media(media_type, uri=uri, extra=wire_fields.pack(rest, shape))


def _guarded(inner: Fields, rest: Fields) -> Text | Media | None:
    """Return what a guardrail assesses: a text or an image."""
    kind = next(iter(inner)) if len(inner) == 1 else ""
    value = inner.get(kind)
    found = dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else {}
    if kind == "image":
        return _media(kind, found, rest, {GUARD: {}})
    text = found.pop("text", None)
    if kind != "text" or not isinstance(text, str):
        return None
    return Text(text, wire_fields.pack(rest, {GUARD: found}))


def _cited(inner: Fields, rest: Fields) -> Text | None:
    """Return a text with citations; None if it is not exactly one text."""
    content = inner.pop("content", None)
    said = cast("list[object]", content)[0] if isinstance(content, list) and len(content) == 1 else None  # pyright: ignore[reportUnknownArgumentType]
    if not isinstance(said, dict) or list(cast("Fields", said)) != ["text"]:
        return None
    text = cast("Fields", said)["text"]
    return Text(text, wire_fields.pack(rest, {CITED: inner})) if isinstance(text, str) else None
