"""Parsing the items of OpenAI's Responses API: a whole response, or the items of one or of an input.

- A reply is several items, and one message here: what the assistant says and calls between two prompts belongs
  together, as a whole response or item by item in a resent history. Its parts keep the order of the items.
- An item that an output item answers is a tool call, whatever its type, and the output is its result.
- Work of the provider's own tools, compactions, references and items of unknown types are opaque parts.
- What a part does not say of its item is in its shape under `ITEM`, and of its content part under `PIECE`. The media of
  a prompt has chat's shape as well.
- `SUM` in a reply's shape is the checksum of its parts, if some of them are valid only together.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from palimpsest.errors import FormatError, brief
from palimpsest.formats import media, wire_fields
from palimpsest.formats.openai.render import RESPONSES
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import (
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)

ITEM, PIECE, FORM, KEY, SUM, LENGTHS = "item", "piece", "form", "key", "sum", "lengths"
VALUE, LIST, WHOLE = "value", "list", "whole"
CALL, CUSTOM = "function_call", "custom_tool_call"
APPROVAL, APPROVED = "mcp_approval_request", "mcp_approval_response"
COMPACTION, REFERENCE, SEARCHED = "compaction", "item_reference", "tool_search_output"
REASONING_TEXTS = {"summary": "summary_text", "content": "reasoning_text"}
_NAMED = (CALL, CUSTOM, APPROVAL)
_ASKED = ("arguments", "input", "action", "actions", "operation")
_MEDIA_KEYS = ("image_url", "file_data", "file_id", "file_url")
_PROMPTED = frozenset(("additional_tools", "configuration_update", "compaction_trigger", REFERENCE))
_KINDS = _PROMPTED | {"reasoning", COMPACTION, APPROVAL, APPROVED}
_PARTS = frozenset(("input_text", "output_text", "input_image", "input_file"))
_NO_ITEMS = _PARTS.union(
    "text image image_url input_audio file refusal document thinking redacted_thinking tool_use tool_result".split(),
    "summary_text reasoning_text function custom".split(),
)
_BESIDE = ("role", "parts", "message", "payload")
_RESPONSES = ("response", "response.compaction")
_ROLES: dict[object, Role] = {"user": "user", "system": "system", "developer": "system"}
_ACCEPTED = "give a response of OpenAI's Responses, or items of one or of its input, as they came"


def parse_items(given: Iterable[object]) -> list[object]:
    """Return the input with every run of Responses items replaced by their messages, as `Message` values. Raises
    FormatError for an unreadable item.
    """
    out: list[object] = []
    reply: list[Part] = []
    for one in given:
        items, whole = _items(one)
        if items is None or whole:
            out += _reply(reply)
        if items is None:
            out.append(one)
        for item in items or ():
            found = _prompt(item)
            if found is None:
                reply += _spoken(item)
            else:
                out += [*_reply(reply), found]
        if whole:
            out += _reply(reply)
    return [*out, *_reply(reply)]


def parse_response_items(items: Sequence[Fields]) -> Message:
    """Return the message of a whole response. What its provider answered itself, and what is a message of its own in an
    input, are opaque parts of it.
    """
    answered = {item.get("call_id") for item in items if kind_of(item).endswith("_output")} - {None}
    parts: list[Part] = []
    for item in items:
        own = _prompt(item) is not None or item.get("call_id") in answered
        parts += [_opaque(kind_of(item), item)] if own else _spoken(item)
    return next(iter(_reply(parts)), Message("assistant", wire=RESPONSES))


def is_words(part: Text) -> bool:
    """Return whether a text is what the model said, and not the JSON of an unknown content part."""
    return not part.extra or not wire_fields.unpack(part.extra)[1].get(WHOLE)


def is_refusal(part: Text) -> bool:
    """Return whether a text is a refusal."""
    return (
        bool(part.extra)
        and wire_fields.nested(wire_fields.unpack(part.extra)[1], PIECE).get("type") == "refusal"
    )


def may_be_item(one: object) -> bool:
    """Return whether this is a response, or an item of one or of its input."""
    kind = _get(one, "type")
    if isinstance(kind, str) and kind != "message":
        bare = kind not in _NO_ITEMS and all(_get(one, key) is None for key in _BESIDE)
        return bare or kind in _KINDS
    if kind is None and _is_reference(one):
        return True
    if _get(one, "object") in _RESPONSES or (_get(one, "phase") and _get(one, "role") == "assistant"):
        return True
    content = _get(one, "content")
    if kind and isinstance(content, str):
        return True
    known = _PARTS | {"refusal"} if kind else _PARTS
    parts = cast("Sequence[object]", content) if isinstance(content, list | tuple) else ()
    return any(_get(part, "type") in known for part in parts)


def _is_reference(one: object) -> bool:
    """Return whether this is a reference without its type."""
    fields = cast("Fields", one) if isinstance(one, dict) else {}
    return isinstance(fields.get("id"), str) and fields.keys() <= {"id", "type"}


def checksum(parts: Iterable[Part]) -> int:
    """Return a checksum of what a reply says and asks, with its reasoning and its opaque items."""
    sum_ = 0
    for part in parts:
        match part:
            case Text(text=text) | Opaque(data=text):
                words = text
            case Reasoning(text=text, signature=signature):
                words = f"{text}\0{signature}"
            case ToolCall(name=name, arguments=arguments):
                words = f"{name}\0{arguments}"
            case _:
                words = ""
        sum_ = zlib.crc32(f"{type(part).__name__}\0{words}\0".encode("utf-8", "surrogatepass"), sum_)
    return sum_


def _get(one: object, key: str) -> object:
    return cast("Mapping[str, object]", one).get(key) if isinstance(one, Mapping) else getattr(one, key, None)


def _items(one: object) -> tuple[list[Fields] | None, bool]:
    """Return the items of a value, None if it is no item, and whether it is a whole response."""
    if not may_be_item(one):
        return None, False
    fields = wire_fields.fields_of(one, "an item")
    if fields.get("object") not in _RESPONSES:
        return [fields], False
    output = wire_fields.items_of(fields.get("output"), "the output of a response")
    return [wire_fields.fields_of(item, "an item") for item in output], True


def kind_of(item: Mapping[str, object]) -> str:
    """Return the type of an item. A message and a reference may come without it."""
    return wire_fields.word(item.get("type")) or ("message" if "role" in item else REFERENCE)


def _prompt(item: Fields) -> Message | None:
    """Return a message of its own: a prompt, the output of a call, or a compaction. None for an item of a reply."""
    kind = kind_of(item)
    if kind == "message":
        role = _ROLES.get(item.get("role"))
        if role is None and item.get("role") != "assistant":
            raise FormatError(f"an item's role is {brief(item.get('role'))}", hint=_ACCEPTED)
        return _prompted(role, item) if role else None
    if kind.endswith(("_output", "_response")):
        result = _result(kind, item)
        return Message("user", (_opaque(kind, item),), wire=RESPONSES) if result is None else result
    if kind == COMPACTION:
        return _reply([_opaque(kind, item)])[0]
    return Message("user", (_opaque(kind, item),), wire=RESPONSES) if kind in _PROMPTED else None


def is_reply_item(one: object) -> bool:
    """Return whether an item is part of a reply, and no message of its own."""
    kind = kind_of(cast("Fields", one)) if isinstance(one, Mapping) else REFERENCE
    if kind == "message":
        return cast("Fields", one).get("role") == "assistant"
    return not kind.endswith(("_output", "_response")) and kind != COMPACTION and kind not in _PROMPTED


def _opaque(kind: str, item: Fields) -> Opaque:
    return Opaque(kind, wire_fields.dumps(item))


def _reply(parts: list[Part]) -> tuple[Message, ...]:
    """Return the parts of one reply as one message, and empty the list."""
    if not parts:
        return ()
    said = tuple(parts)
    parts.clear()
    bound = any(isinstance(part, Reasoning | Opaque) for part in said)
    extra = wire_fields.pack({}, {SUM: checksum(said)}) if bound else ""
    return (Message("assistant", said, wire=RESPONSES, extra=extra),)


def _prompted(role: Role, item: Fields) -> Message:
    fields = dict(item)
    parts, form = _content(fields.pop("content", None))
    shape: Fields = {"role": "developer"} if fields.pop("role") == "developer" else {}
    if form == LIST and wire_fields.content_form(parts, "string") == "string":
        shape["content"] = LIST
    if fields:
        shape[ITEM] = fields
    return Message(role, parts, wire=RESPONSES, extra=wire_fields.pack({}, shape))


def _spoken(item: Fields) -> list[Part]:
    """Return the parts of one item of a reply."""
    kind = kind_of(item)
    if kind == "message":
        return _said(item)
    if kind == "reasoning":
        return [_reasoning(item)]
    call_id = item.get("id" if kind == APPROVAL else "call_id")
    hosted = item.get("execution") == "server" or not (isinstance(call_id, str) and call_id)
    if kind in (CALL, CUSTOM) or ((kind.endswith("_call") or kind == APPROVAL) and not hosted):
        return [_call(kind, item, wire_fields.word(call_id))]
    return [_opaque(kind, item)]


def _said(item: Fields) -> list[Part]:
    """Return the texts of an assistant's message; the first has the shape of the item."""
    fields = dict(item)
    parts, form = _content(fields.pop("content", None), "output_text")
    del fields["role"]
    first, rest = (parts[0], parts[1:]) if parts and isinstance(parts[0], Text) else (Text(""), parts)
    shape = {**wire_fields.unpack(first.extra)[1], ITEM: fields, **({} if form == LIST else {FORM: form})}
    return [Text(first.text, wire_fields.pack({}, shape)), *rest]


def _reasoning(item: Fields) -> Reasoning:
    """Return reasoning: its words joined, with the lengths of the pieces in the shape."""
    fields = {key: value for key, value in item.items() if key != "type"}
    sealed = fields.pop("encrypted_content", None)
    words: list[str] = []
    lengths: Fields = {}
    for key, kind in REASONING_TEXTS.items():
        given = fields.get(key)
        if not isinstance(given, list):
            continue
        found = wire_fields.objects(pieces := cast("list[object]", given))
        texts = [text for one in found if isinstance(text := one.get("text"), str)]
        if pieces == [{"type": kind, "text": text} for text in texts]:
            words += texts
            lengths[key] = [len(text) for text in texts]
            del fields[key]
    extra = wire_fields.pack({}, {ITEM: fields, LENGTHS: lengths})
    return Reasoning("".join(words), wire_fields.word(sealed), extra=extra)


def _call(kind: str, item: Fields, call_id: str) -> ToolCall:
    fields = {key: value for key, value in item.items() if key not in ("type", "call_id")}
    if kind == APPROVAL:
        del fields["id"]
    key = next((key for key in _ASKED if key in fields), "")
    asked = fields.pop(key, "" if kind in _NAMED else {})
    name = kind.removesuffix("_call")
    if kind in _NAMED or isinstance(fields.get("name"), str):
        name = wire_fields.text_of(fields.pop("name", None), f"the name of a {kind}")
    shape: Fields = {ITEM: {"type": kind, **fields}, KEY: key}
    if not isinstance(asked, str):
        asked, shape[FORM] = wire_fields.dumps(asked), VALUE
    return ToolCall(call_id, name, asked, wire_fields.pack({}, shape))


def _result(kind: str, item: Fields) -> Message | None:
    """Return the result of a call; None if the item says of no call that it answers it."""
    fields = dict(item)
    key = "approval_request_id" if kind == APPROVED else "call_id" if "call_id" in item else "id"
    plain = kind in (f"{CALL}_output", f"{CUSTOM}_output")
    call_id = fields.pop("call_id" if plain else key, None)
    if plain:
        call_id = wire_fields.text_of(call_id, f"the call_id of a {kind}")
    answers = kind.endswith("_call_output") or kind in (APPROVED, SEARCHED)
    if not answers or not isinstance(call_id, str) or item.get("execution") == "server":
        return None
    shape: Fields = {KEY: key}
    name = "tools" if kind == SEARCHED else "output"
    output = fields.pop(name, None)
    if kind == APPROVED:
        output = {one: fields.pop(one) for one in ("approve", "reason") if one in fields}
    content: tuple[Text | Media, ...] = ()
    if isinstance(output, str) or plain:
        content, form = _content(output)
        shape |= {FORM: form} if form == LIST else {}
    elif _get(output, "type") == "computer_screenshot":
        content, shape[FORM] = (_piece(wire_fields.fields_of(output, "a screenshot"), ""),), PIECE
    elif output is not None:
        content, shape[FORM] = (Text(wire_fields.dumps(output)),), VALUE
    failed = item.get("status") == "failed"
    extra = wire_fields.pack({}, {ITEM: fields, **shape})
    return Message("tool", (ToolResult(call_id, content, failed, extra),), wire=RESPONSES)


def _content(content: object, usual: str = "input_text") -> tuple[tuple[Text | Media, ...], str]:
    """Return the parts of a content and its form. Raises FormatError for what is neither text nor parts."""
    if isinstance(content, str):
        return ((Text(content),) if content else ()), "string"
    if not isinstance(content, list | tuple):
        raise FormatError("an item without content", hint=_ACCEPTED)
    given = (wire_fields.fields_of(part, "a content part") for part in cast("Sequence[object]", content))
    return tuple(_piece(part, usual) for part in given), LIST


def _piece(part: Fields, usual: str) -> Text | Media:
    """Return a content part; one of the `usual` type without other fields needs no shape."""
    kind = part.get("type")
    words = "refusal" if kind == "refusal" else "text"
    if isinstance(text := part.get(words), str):
        rest = {key: value for key, value in part.items() if key != words}
        return Text(text, wire_fields.pack({}, {} if rest == {"type": usual} else {PIECE: rest}))
    keys = [key for key in _MEDIA_KEYS if part.get(key)]
    uri = part.get(keys[0]) if len(keys) == 1 else None
    if not isinstance(uri, str) or (keys[0] == "file_data" and not uri.startswith("data:")):
        return Text(wire_fields.dumps(part), wire_fields.pack({}, {WHOLE: True}))
    rest = {key: value for key, value in part.items() if key != keys[0]}
    chat = "image_url" if keys == ["image_url"] else "file"
    named = "filename" if chat == "file" else "detail"
    inner = {named: rest[named]} if rest.get(named) else {}
    shape: Fields = {"type": chat, KEY: keys[0], PIECE: rest, **({"inner": inner} if inner else {})}
    return media.from_uri(uri, "image" if chat == "image_url" else "file", wire_fields.pack({}, shape))
