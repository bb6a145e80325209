"""Shared code of the providers' forms: unknown fields kept as `extra`, the shape of content, and clean strings.

A dict is parsed into parts. What the parts do not say is kept as JSON text in `extra`, so that rendering returns the
same dict:

- It is a JSON object of the unknown wire fields. The key "~" holds the shape: that content was a list although a
  string would do, that a field was null, which block a text came from. A field that begins with "~" gets another one.
- It repeats nothing that a part holds, so a part that was replaced by a shorter one is rendered as the shorter one.
- A block of an unknown type becomes a text with the block's JSON (`BLOCK` in its shape). Its size is counted, its
  words are found, and its own provider gets the block back.
- `COMMON` is the wire of a message that both providers would write in the same way; both get its extra back.

A message without `extra`, as nearly all are, costs one check.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats.usage import find_usage
from palimpsest.record.message import Message, Part, Role, Text, ToolResult

COMMON = "common"
SHAPE = "~"
BLOCK = "block"
CACHE_MARK = "cache_control"

OPENING = "[the conversation goes on from here]"
"""The user's text where a conversation begins with another role."""

EMPTY = "[an empty message]"
"""The user's text for a blank message where the provider refuses blank text: without a user turn a model would
continue its own.
"""

Fields = dict[str, object]

_TIME_FIELDS = ("timestamp", "created_at")
_LATEST_S = 1e11
_PLAIN_EXTRA = '{"~":{"block":true}}'


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number too large to be written again is not JSON")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def fields_of(raw: object, what: str) -> Fields:
    """Return a copy of a JSON object's fields. An SDK's own object is read as the dict it dumps to.

    Raises FormatError for anything else; `what` names it in the message.
    """
    if isinstance(raw, dict):
        return dict(cast("Mapping[str, object]", raw))
    if isinstance(raw, Mapping):
        return dict(cast("Mapping[str, object]", raw))
    dumped = dumped_object(raw)
    if dumped is None:
        raise FormatError(f"{what} is {_kind(raw)}", hint="give a JSON object")
    return dumped


def dumped_object(raw: object) -> Fields | None:
    """Return what an SDK's object dumps to, without unset fields; None if `raw` is no such object."""
    dump = cast("Callable[..., object] | None", getattr(raw, "model_dump", None))
    if dump is None or isinstance(raw, type):
        return None
    try:
        found = dump(mode="json", exclude_unset=True)
    except TypeError:
        found = dump()
    return dict(cast("Mapping[str, object]", found)) if isinstance(found, Mapping) else None


def _kind(raw: object) -> str:
    return "null" if raw is None else f"a {type(raw).__name__}"


def word(value: object) -> str:
    """Return `value` if it is a string, otherwise "", for table lookups."""
    return value if isinstance(value, str) else ""


def text_of(value: object, what: str) -> str:
    """Return `value`, which must be a string."""
    if not isinstance(value, str):
        raise FormatError(f"{what} is {_kind(value)}", hint="it must be a string")
    return value


def items_of(value: object, what: str) -> Sequence[object]:
    """Return `value`, which must be a list."""
    if not isinstance(value, list | tuple):
        raise FormatError(f"{what} is {_kind(value)}", hint="it must be a list")
    return cast("Sequence[object]", value)


def dumps(value: object, *, sort_keys: bool = False) -> str:
    """Return compact JSON text without ASCII escapes, so that it is counted and searched as the text it is."""
    try:
        return json.dumps(
            value, separators=(",", ":"), ensure_ascii=False, default=_dumped, sort_keys=sort_keys
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"a value has no JSON form: {error}", hint="give plain JSON values") from error


def _dumped(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    dumped = dumped_object(value)
    if dumped is None:
        raise TypeError(f"{_kind(value)} is not a JSON value")
    return dumped


def load_value(text: str) -> tuple[object] | None:
    """Return the JSON value in `text`, boxed; None if there is none. NaN and infinities, including 1e999, are not
    JSON.
    """
    try:
        return (cast("object", _DECODER.decode(text)),)
    except (ValueError, RecursionError):
        return None


def objects(values: Sequence[object]) -> list[Fields]:
    """Return the JSON objects among some values."""
    return [cast("Fields", value) for value in values if isinstance(value, dict)]


def load_object(text: str) -> Fields | None:
    """Return the JSON object in `text`; None if it holds anything else."""
    found = load_value(text)
    return cast("Fields", found[0]) if found and isinstance(found[0], dict) else None


def arguments_of(arguments: str) -> Fields:
    """Return a call's arguments as an object. Text that holds none becomes `{"_raw": text}`, blank text `{}`."""
    if not arguments.strip():
        return {}
    found = load_object(arguments)
    return {"_raw": arguments} if found is None else found


def object_text(arguments: str) -> str:
    """Return a call's arguments as the text of an object: unchanged if they are one, otherwise as `arguments_of`."""
    return arguments if load_object(arguments) is not None else dumps(arguments_of(arguments))


def pack(fields: Mapping[str, object], shape: Mapping[str, object]) -> str:
    """Return unknown fields and shape as the text of an `extra`; "" if there is neither."""
    if not fields and not shape:
        return ""
    kept: Fields = {SHAPE + key if key.startswith(SHAPE) else key: value for key, value in fields.items()}
    if shape:
        kept[SHAPE] = shape
    return dumps(kept)


def nested(fields: Mapping[str, object], key: str) -> Fields:
    """Return the JSON object under `key`, empty if there is none."""
    found = fields.get(key)
    return cast("Fields", found) if isinstance(found, dict) else {}


def unpack(extra: str) -> tuple[Fields, Fields]:
    """Return the unknown fields and the shape in an `extra`. Text that is not a JSON object counts as empty."""
    found = load_object(extra) if extra else None
    if not found:
        return {}, {}
    shape = found.pop(SHAPE, None)
    if any(key.startswith(SHAPE) for key in found):
        found = {key[1:] if key.startswith(SHAPE) else key: value for key, value in found.items()}
    return found, cast("Fields", shape) if isinstance(shape, dict) else {}


def whole_block(block: Mapping[str, object]) -> Text:
    """Return a block of an unknown type as a text of its JSON, without cache marks."""
    if CACHE_MARK not in block:
        return Text(dumps(block, sort_keys=True), _PLAIN_EXTRA)
    words = {key: value for key, value in block.items() if key != CACHE_MARK}
    return Text(dumps(words, sort_keys=True), pack({CACHE_MARK: block[CACHE_MARK]}, {BLOCK: True}))


def as_refused_text(block: Mapping[str, object]) -> Fields:
    """Return a block that a provider would refuse as a text block of its JSON."""
    words = {key: value for key, value in block.items() if key != CACHE_MARK}
    return {"type": "text", "text": dumps(words, sort_keys=True)}


def block_of(text: str, fields: Fields) -> Fields | None:
    """Return the block that `whole_block` made this text from; None if the text was replaced."""
    found = load_object(text)
    return None if found is None else {**found, **fields}


def is_whole_block(part: Text) -> bool:
    """Return whether a text holds a block of an unknown type."""
    return bool(part.extra) and bool(unpack(part.extra)[1].get(BLOCK))


def is_plain(part: Part, own: bool) -> bool:
    """Return whether a plain string expresses this part completely."""
    return type(part) is Text and not (own and part.extra)


def content_form(parts: Sequence[Part], empty: str) -> str:
    """Return the default form of content: "string", "list", or `empty` for no parts."""
    if not parts:
        return empty
    return "string" if len(parts) == 1 and is_plain(parts[0], True) else "list"


def take_content(
    fields: Fields, what: str, parse: Callable[[Fields, str], Part]
) -> tuple[tuple[Part, ...], str]:
    """Remove "content" from `fields`; return its parts and its form ("string", "list", "null", "absent")."""
    if "content" not in fields:
        return (), "absent"
    content = fields.pop("content")
    if isinstance(content, str):
        return ((Text(content),) if content else ()), "string"
    if content is None:
        return (), "null"
    if not isinstance(content, list | tuple):
        raise FormatError(
            f"{what} has content that is {_kind(content)}",
            hint="content is a string, a list of blocks or null",
        )
    found: list[Part] = []
    for index, block in enumerate(cast("Sequence[object]", content)):
        where = f"{what}, content[{index}]"
        found.append(parse(fields_of(block, where), where))
    return tuple(found), "list"


def put_content(
    out: Fields, parts: Sequence[Part], own: bool, form: str, block: Callable[[Part, bool], Fields]
) -> None:
    """Set `out["content"]` in the given form, or in the nearest one that can hold these parts."""
    if form != "list":
        if not parts:
            if form != "absent":
                out["content"] = None if form == "null" else ""
            return
        first = parts[0]
        if len(parts) == 1 and type(first) is Text and not (own and first.extra):
            out["content"] = first.text
            return
    out["content"] = [block(part, own) for part in parts]


def runs_of(role: Role, parts: Sequence[Part]) -> list[tuple[Role, list[Part]]]:
    """Return the parts as consecutive runs, with the user's tool results separate; at least one run."""
    runs: list[tuple[Role, list[Part]]] = []
    for part in parts:
        kind: Role = "tool" if role == "user" and isinstance(part, ToolResult) else role
        if runs and runs[-1][0] == kind:
            runs[-1][1].append(part)
        else:
            runs.append((kind, [part]))
    return runs or [(role, [])]


def make_message(
    role: Role, parts: Sequence[Part], fields: Fields, shape: Fields, *, wire: str, name: str = ""
) -> Message:
    """Return a message of `parts`, with its unknown fields kept, and time, model and usage read."""
    if not fields:
        return Message(role, tuple(parts), name=name, wire=wire, extra=pack(fields, shape) if shape else "")
    model, usage = fields.get("model"), fields.get("usage")
    return Message(
        role,
        tuple(parts),
        name=name,
        time_s=time_of(fields),
        model=model if isinstance(model, str) else "",
        usage=find_usage(cast("object", usage)) if isinstance(usage, Mapping) else None,
        wire=wire,
        extra=pack(fields, shape),
    )


def time_of(fields: Mapping[str, object]) -> float | None:
    """Return seconds since 1970 from "timestamp" or "created_at": a number of s, ms or us, or ISO text (UTC without a
    zone).
    """
    for key in _TIME_FIELDS:
        value = fields.get(key)
        if isinstance(value, str):
            try:
                found = datetime.fromisoformat(value)
            except ValueError:
                continue
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                seconds = float(value)
            except OverflowError:
                continue
            if not math.isfinite(seconds):
                continue
            while seconds >= _LATEST_S:
                seconds /= 1000
            if seconds > 0:
                return seconds
    return None


def clean_text(text: str) -> str:
    """Return `text` as valid UTF-8: a split surrogate pair is joined, a lone half becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean(value: object) -> object:
    """Return a JSON value with all its strings cleaned by `clean_text`. Lists and dicts are changed in place."""
    if type(value) is str:
        return value if value.isascii() else clean_text(value)
    pending: list[object] = [value]
    while pending:
        node = pending.pop()
        if type(node) is dict:
            _clean_dict(cast("Fields", node), pending)
        elif type(node) is list:
            _clean_list(cast("list[object]", node), pending)
    return value


def _clean_dict(node: Fields, pending: list[object]) -> None:
    dirty_keys = False
    for key, inner in node.items():
        if type(inner) is str:
            if not inner.isascii():
                node[key] = clean_text(inner)
        elif type(inner) is dict or type(inner) is list:
            pending.append(cast("object", inner))
        dirty_keys = dirty_keys or (not key.isascii() and clean_text(key) != key)
    if dirty_keys:
        entries = [(clean_text(key), inner) for key, inner in node.items()]
        node.clear()
        node.update(entries)


def _clean_list(node: list[object], pending: list[object]) -> None:
    for index, inner in enumerate(node):
        if type(inner) is str:
            if not inner.isascii():
                node[index] = clean_text(inner)
        elif type(inner) is dict or type(inner) is list:
            pending.append(cast("object", inner))
