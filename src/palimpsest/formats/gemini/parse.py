"""Parsing Gemini contents. See `wire_fields` for fields that no part holds, `field_spelling` for snake_case.

- A content of role "user" with function responses becomes several messages: each run of responses a "tool" message,
  the rest "user" messages, in order. All but the first are marked as joined, as in Anthropic's form.
- Calls and responses need no id. One without gets its function's name, a second one of that name a number too, so
  that calls and responses in the same order match. The shape says that there was no id.
- A response is a JSON object. One with only an output, a result or an error becomes that text; any other becomes its
  JSON.
- A thought signature can be on any part: the reasoning's own field, or an unknown field of the part.
- Inline data is kept in the standard base64 alphabet.
- Parts of server tools, and unknown ones, are kept whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from palimpsest.errors import FormatError, brief
from palimpsest.formats import media, wire_fields
from palimpsest.formats.gemini import field_spelling
from palimpsest.formats.valid_names import unused
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import Media, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

WIRE = "gemini"
JOINED = "joined"
SIGNATURE = "thoughtSignature"
ABSENT = "absent"
RESPONSE_KEYS = ("output", "result", "error")
SERVER_KINDS = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")
_KINDS = ("functionCall", "functionResponse", "inlineData", "fileData", *SERVER_KINDS)
_SIGNATURES = (SIGNATURE, "thought_signature")
_ROLES: dict[str, Role] = {"user": "user", "model": "assistant", "function": "user", "system": "system"}
_URLSAFE = str.maketrans("-_", "+/")


@dataclass(slots=True)
class _Content:
    """Shared state of one content's parts: its role, ids in use, and whether names use underscores."""

    model: bool
    used: dict[str, int] = field(default_factory=dict[str, int])
    snake: bool = False

    def id_of(self, given: object, name: str) -> tuple[str, Fields]:
        """Return the id of a call or response, with the shape that says there was none."""
        if isinstance(given, str) and given:
            return given, {}
        return unused(name, self.used), {"id": ABSENT}


def parse_message(raw: Mapping[str, object]) -> tuple[Message, ...]:
    """Parse one content into one `Message`, or several if it has function responses. Raises FormatError, which says
    where.

    A content without a role is the user's.
    """
    fields = wire_fields.fields_of(raw, "a Gemini message")
    shape: Fields = {}
    given = fields.pop("role", ABSENT)
    role = _ROLES.get(given) if isinstance(given, str) else None
    if given is None or given == ABSENT:
        role = "user"
    if role is None:
        raise FormatError(
            f"a Gemini message has role {brief(given)}",
            hint='the roles are user and model: {"role": "user", "parts": [{"text": "..."}]}',
        )
    if given not in ("user", "model", "system"):
        shape["role"] = given
    plain = _take_parts(fields, shape)
    content = _Content(role == "assistant")
    spelt = [field_spelling.spellings(part) for part in plain]
    if any(snake for snake, _ in spelt) and not any(camel for _, camel in spelt):
        content.snake = shape[field_spelling.SNAKE] = True
    content.used.update((call_id, 1) for part in plain if (call_id := _given_id(part)))
    parts = [
        _part(part, found, f"parts[{at}]", content)
        for at, (part, found) in enumerate(zip(plain, spelt, strict=True))
    ]
    runs = wire_fields.runs_of(role, parts)
    first = wire_fields.make_message(runs[0][0], runs[0][1], fields, shape, wire=WIRE)
    joined = wire_fields.pack({}, {JOINED: True, **({field_spelling.SNAKE: True} if content.snake else {})})
    rest = (Message(kind, tuple(run), time_s=first.time_s, wire=WIRE, extra=joined) for kind, run in runs[1:])
    return (first, *rest)


def _take_parts(fields: Fields, shape: Fields) -> list[Fields]:
    parts = fields.pop("parts", ABSENT)
    if parts is None or parts == ABSENT:
        shape["parts"] = parts
        return []
    found = wire_fields.items_of(parts, "the parts of a Gemini message")
    return [field_spelling.plain_part(part, f"parts[{index}]") for index, part in enumerate(found)]


def _given_id(part: Fields) -> str:
    for key in ("functionCall", "functionResponse", "function_call", "function_response"):
        found = wire_fields.nested(part, key).get("id")
        if isinstance(found, str) and found:
            return found
    return ""


def _part(plain: Fields, spelt: tuple[set[str], set[str]], where: str, content: _Content) -> Part:
    """Parse one part. One with names in both spellings, or with two kinds of data, is kept whole."""
    snake, camel = spelt
    fields = field_spelling.camel(plain) if snake else plain
    kinds = [kind for kind in _KINDS if fields.get(kind) is not None]
    if fields.get("text"):
        kinds.append("text")
    if snake & camel or len(kinds) > 1 or (kinds and kinds[0] in SERVER_KINDS):
        return _whole(plain)
    shape: Fields = {field_spelling.SNAKE: sorted(snake)} if snake and not content.snake else {}
    kind = kinds[0] if kinds else "text"
    if kind == "text":
        return _text(fields, plain, shape, where, content.model)
    inner = wire_fields.fields_of(fields[kind], f"{kind} of {where}")
    rest = {key: value for key, value in fields.items() if key != kind}
    if kind == "functionCall":
        return _call(inner, rest, shape, where, content)
    if kind == "functionResponse":
        return _result(inner, rest, shape, where, content)
    return take_media(kind, inner, rest, shape) or _whole(plain)


def _whole(part: Fields) -> Text:
    """Return a part as a text of its JSON, without its signature."""
    words = {key: value for key, value in part.items() if key not in _SIGNATURES}
    signature = {key: value for key, value in part.items() if key in _SIGNATURES}
    return Text(
        wire_fields.dumps(words, sort_keys=True), wire_fields.pack(signature, {wire_fields.BLOCK: True})
    )


def _text(fields: Fields, plain: Fields, shape: Fields, where: str, model: bool) -> Part:
    if fields.get("text") is None:
        known = (*field_spelling.NAMES, "text", "thought")
        if any(key not in known and value is not None for key, value in fields.items()):
            return _whole(plain)
        return Text("", wire_fields.pack(fields, {**shape, "text": ABSENT}))
    text = wire_fields.text_of(fields["text"], f"the text of {where}")
    if model and fields.get("thought") is True:
        return _thought(text, fields, shape)
    if len(fields) == 1:
        return Text(text)
    return Text(text, wire_fields.pack({key: value for key, value in fields.items() if key != "text"}, shape))


def _thought(text: str, fields: Fields, shape: Fields) -> Reasoning:
    rest = {key: value for key, value in fields.items() if key not in ("text", "thought")}
    signature = rest.get(SIGNATURE)
    if isinstance(signature, str) and signature:
        del rest[SIGNATURE]
        return Reasoning(text, signature, extra=wire_fields.pack(rest, shape))
    return Reasoning(text, extra=wire_fields.pack(rest, shape))


def _take_name(inner: Fields, where: str) -> str:
    name = wire_fields.text_of(inner.pop("name", None), f"the name of {where}")
    if not name:
        raise FormatError(f"the name of {where} is empty", hint="a function has a name")
    return name


def _take_id(inner: Fields, name: str, content: _Content) -> tuple[str, Fields]:
    call_id, shape = content.id_of(inner.get("id"), name)
    if not shape:
        del inner["id"]
    return call_id, shape


def _call(inner: Fields, rest: Fields, shape: Fields, where: str, content: _Content) -> ToolCall:
    name = _take_name(inner, f"the call in {where}")
    call_id, found = _take_id(inner, name, content)
    shape = {**shape, **found}
    arguments = "{}"
    args = inner.pop("args", ABSENT)
    if args is None or args == ABSENT:
        shape["args"] = args
    else:
        arguments = wire_fields.dumps(wire_fields.fields_of(args, f"the args of {where}"))
    if inner:
        shape["inner"] = inner
    return ToolCall(call_id, name, arguments, wire_fields.pack(rest, shape))


def _result(inner: Fields, rest: Fields, shape: Fields, where: str, content: _Content) -> ToolResult:
    name = _take_name(inner, f"the response in {where}")
    call_id, found = _take_id(inner, name, content)
    shape = {**shape, **found}
    if name != call_id:
        shape["name"] = name
    given = inner.pop("response", ABSENT)
    said: tuple[Text | Media, ...] = ()
    is_error = False
    if given is None or given == ABSENT:
        shape["response"] = given
    else:
        response = wire_fields.fields_of(given, f"the response of {where}")
        is_error = bool(response.get("error"))
        text, form = _words(response)
        said = (Text(text),) if text else ()
        if response != response_of(text, is_error):
            shape["response"] = form
    shown = _shown(inner.get("parts"))
    if shown:
        del inner["parts"]
    if inner:
        shape["inner"] = inner
    return ToolResult(call_id, (*said, *shown), is_error, wire_fields.pack(rest, shape))


def _words(response: Fields) -> tuple[str, str]:
    """Return a response's text, and the form it was in."""
    if not response:
        return "", "empty"
    for key in RESPONSE_KEYS:
        if len(response) == 1 and isinstance(response.get(key), str):
            return cast("str", response[key]), key
    return wire_fields.dumps(response), "object"


def response_of(text: str, is_error: bool) -> Fields:
    """Return the default response for a result's text."""
    if is_error:
        return {"error": text}
    found = wire_fields.load_object(text) if text.lstrip()[:1] == "{" else None
    return {"output": text} if found is None else found


def _shown(parts: object) -> tuple[Media, ...]:
    """Return the media in a function response's parts; none if one of them is anything else."""
    found: list[Media] = []
    for raw in cast("list[object]", parts) if isinstance(parts, list) else []:
        part = cast("Fields", raw) if isinstance(raw, dict) else {}
        kinds = [kind for kind in ("inlineData", "fileData") if isinstance(part.get(kind), dict)]
        if len(kinds) != 1:
            return ()
        rest = {key: value for key, value in part.items() if key != kinds[0]}
        taken = take_media(kinds[0], dict(wire_fields.nested(part, kinds[0])), rest, {})
        if taken is None:
            return ()
        found.append(taken)
    return tuple(found)


def take_media(kind: str, inner: Fields, rest: Fields, shape: Fields) -> Media | None:
    """Return inline data or a file's address as media; None if either is missing."""
    mime = inner.pop("mimeType", ABSENT)
    content = inner.pop("data" if kind == "inlineData" else "fileUri", None)
    if not isinstance(content, str) or not content or not (mime is None or isinstance(mime, str)):
        return None
    shape = dict(shape)
    if inner:
        shape["inner"] = inner
    if kind == "fileData":
        if not mime or mime == ABSENT:
            shape["mimeType"] = mime
            mime = "file"
        return Media(mime, uri=content, extra=wire_fields.pack(rest, shape))
    if not mime or mime == ABSENT:
        return None
    if ("-" in content or "_" in content) and "+" not in content and "/" not in content:
        content = content.translate(_URLSAFE)
        shape["data"] = "urlsafe"
    return media.inline(mime, content, wire_fields.pack(rest, shape))
