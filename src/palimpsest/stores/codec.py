"""Messages and window records as JSON text in a database column, and back.

Empty fields are omitted and parts are short lists, because every message is stored in this form.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import msgspec

from palimpsest.errors import IntegrityError
from palimpsest.record.log import Number, Numbers
from palimpsest.record.message import (
    FORGOTTEN,
    Addition,
    AdditionKind,
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    as_searched,
    is_searched_otherwise,
    searchable_text,
)
from palimpsest.record.pin import Quote
from palimpsest.record.summary import CallLevel, SummaryCall

_BODIES = msgspec.json.Decoder(list[object])


def dumps(value: object) -> str:
    """Return compact JSON. Lone surrogates, which have no UTF-8 form, are kept as escapes."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))


def storable(text: str) -> str:
    """Return text for a column of its own: surrogate pairs are joined, lone halves become U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def loads(text: str) -> object:
    """Decode what `dumps` returned. Raises IntegrityError for text that is not JSON."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        pass
    try:
        return cast("object", json.loads(text))
    except ValueError as error:
        raise IntegrityError(
            "a stored record is not readable JSON", hint="restore the database from a backup"
        ) from error


def _part(part: Part) -> list[object]:
    match part:
        case Text(text, extra):
            fields: list[object] = ["t", text, extra]
        case Reasoning(text, signature, redacted, extra):
            fields = ["r", text, signature, redacted, extra]
        case Media(media_type, uri, data, size_bytes, extra):
            fields = ["m", media_type, uri, data, size_bytes, extra]
        case ToolCall(call_id, name, arguments, extra):
            fields = ["c", call_id, name, arguments, extra]
        case ToolResult(call_id, content, is_error, extra, shown):
            fields = ["o", call_id, [_part(inner) for inner in content], is_error, extra, shown]
        case Opaque(kind, data, extra):
            fields = ["q", kind, data, extra]
    shortest = 4 if isinstance(part, ToolCall) else 2
    while len(fields) > shortest and not fields[-1]:
        fields.pop()
    return fields


def _unpart(fields: Sequence[object]) -> Part:
    kind, *rest = fields
    match kind:
        case "t":
            return Text(*cast("list[str]", rest))
        case "r":
            return Reasoning(*cast("list[str]", rest))  # pyright: ignore[reportArgumentType]
        case "m":
            return Media(*cast("list[str]", rest))  # pyright: ignore[reportArgumentType]
        case "c":
            return ToolCall(*cast("list[str]", rest))
        case "q":
            return Opaque(*cast("list[str]", rest))
        case "o":
            inner = tuple(
                _unpart(one) for one in cast("list[list[object]]", rest[1] if len(rest) > 1 else [])
            )
            content = tuple(one for one in inner if isinstance(one, Text | Media))
            return ToolResult(
                cast("str", rest[0]),
                content,
                bool(rest[2]) if len(rest) > 2 else False,
                *cast("list[str]", rest[3:]),
            )
        case _:
            raise IntegrityError(f"a stored message has a part of unknown kind {kind!r}")


def encode_message(message: Message) -> str:
    """Encode everything of a message except its role, its time and the provisional mark, which have columns of their
    own.
    """
    body: dict[str, object] = {"p": [_part(part) for part in message.parts]}
    known = {
        "n": message.name,
        "m": message.model,
        "w": message.wire,
        "x": message.extra,
        "o": message.origin,
        "b": message.prefix,
        "a": [[one.kind, one.text] for one in message.added],
    }
    body.update((key, value) for key, value in known.items() if value)
    if message.usage:
        usage = message.usage
        body["u"] = [usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cache_write_tokens]
    return dumps(body)


def decode_message(role: str, body: str, time_s: float | None, *, provisional: bool = False) -> Message:
    """Decode what `encode_message` returned. Raises IntegrityError for another shape."""
    return _message(role, loads(body), time_s, provisional=provisional)


def _message(role: str, body: object, time_s: float | None, *, provisional: bool = False) -> Message:
    try:
        fields = cast("dict[str, object]", body)
        usage = cast("list[int] | None", fields.get("u"))
        return Message(
            role=cast("Role", role),
            parts=tuple(_unpart(part) for part in cast("list[list[object]]", fields["p"])),
            name=cast("str", fields.get("n", "")),
            time_s=time_s,
            model=cast("str", fields.get("m", "")),
            usage=Usage(*usage) if usage else None,
            wire=cast("str", fields.get("w", "")),
            extra=cast("str", fields.get("x", "")),
            origin=cast("str", fields.get("o", "")),
            provisional=provisional,
            added=tuple(
                Addition(*one) for one in cast("list[tuple[AdditionKind, str]]", fields.get("a", ()))
            ),
            prefix=cast("str", fields.get("b", "")),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            "a stored message has an unknown shape", hint="restore the database from a backup"
        ) from error


def decode_said(role: str, body: str) -> tuple[str, str]:
    """Return (name, `searchable_text`) of an encoded message. Raises IntegrityError for another shape."""
    return said_in(role, loads(body))


def said_in(role: str, body: object) -> tuple[str, str]:
    """Like `decode_said`, for decoded JSON. A message of text only, as most are, is not built for it."""
    try:
        fields = cast("dict[str, object]", body)
        parts = cast("list[list[str]]", fields["p"])
        if fields.get("w") == FORGOTTEN:
            return cast("str", fields.get("n", "")), ""
        if "a" not in fields and len(parts) == 1 and parts[0][0] == "t":
            return cast("str", fields.get("n", "")), as_searched(parts[0][1])
        if "a" not in fields and all(part[0] == "t" for part in parts):
            said = "\n".join(part[1] for part in parts if part[1])
            return cast("str", fields.get("n", "")), as_searched(said)
    except (AttributeError, IndexError, KeyError, TypeError):
        pass
    message = _message(role, body, None)
    return message.name, searchable_text(message)


def decode_all_said(roles: Sequence[str], bodies: str) -> list[tuple[str, str]]:
    """Like `decode_said`, for many encoded messages joined by commas; three times as fast if most are plain text.
    Raises IntegrityError if one has another shape or cannot be read with the others.
    """
    try:
        read = _BODIES.decode(f"[{bodies}]")
        plain = [
            parts[0][1]
            if len(parts := one["p"]) == 1
            and parts[0][0] == "t"
            and one.get("w", "") != FORGOTTEN
            and "a" not in one
            else None
            for one in cast("list[dict[str, list[list[str]]]]", read)
        ]
        if is_searched_otherwise("\n".join(text for text in plain if text is not None)):
            plain = [None] * len(read)
        return [
            (one.get("n", ""), text) if text is not None else said_in(role, one)
            for text, role, one in zip(plain, roles, cast("list[dict[str, str]]", read), strict=True)
        ]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            "one of many stored messages cannot be read", hint="read them one by one"
        ) from error


def encode_calls(calls: Sequence[SummaryCall]) -> str:
    """Encode summarizer calls as JSON."""
    rows: list[list[object]] = []
    for call in calls:
        row: list[object] = [call.level, call.input_tokens, call.output_tokens, call.refused, call.model]
        more: list[object] = [list(call.repairs), call.cached_tokens, call.took_s]
        while more and not more[-1]:
            more.pop()
        rows.append([*row, *more])
    return dumps(rows)


def decode_calls(text: str) -> tuple[SummaryCall, ...]:
    """Decode what `encode_calls` returned."""
    rows = cast("list[list[object]]", loads(text))
    return tuple(_call(*row) for row in rows)  # pyright: ignore[reportArgumentType]


def _call(
    level: CallLevel,
    input_tokens: int,
    output_tokens: int,
    refused: str,
    model: str,
    repairs: Sequence[str] = (),
    cached_tokens: int = 0,
    took_s: float = 0.0,
) -> SummaryCall:
    more = tuple(repairs), cached_tokens, took_s
    return SummaryCall(level, input_tokens, output_tokens, refused, model, *more)


def encode_quotes(quotes: Sequence[Quote]) -> str:
    """Encode pinned texts as JSON."""
    return dumps([[quote.text, quote.id, quote.role] for quote in quotes])


def decode_quotes(text: str) -> tuple[Quote, ...]:
    """Decode what `encode_quotes` returned."""
    return tuple(Quote(*row) for row in cast("list[tuple[str, str, str]]", loads(text)))


def decode_evidence(text: str) -> tuple[tuple[str, int, int], ...]:
    """Decode (kind, kept, left) of each kind of evidence from a JSON array."""
    rows = cast("list[tuple[str, int, int]]", loads(text))
    return tuple((kind, kept, left) for kind, kept, left in rows)


def decode_numbers(text: str) -> Numbers:
    """Decode a decision's numbers from a JSON object."""
    return tuple(cast("dict[str, Number]", loads(text)).items())


def decode_strings(text: str) -> tuple[str, ...]:
    """Decode strings from a JSON array."""
    return tuple(cast("list[str]", loads(text)))
