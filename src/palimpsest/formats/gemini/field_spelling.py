"""Gemini's two spellings of a field: `inlineData` on the wire, `inline_data` in its Python client's dumps.

Parts are parsed and rendered in the first. The shape remembers names in the second, once for a message that uses it
throughout. Only known names in their places are converted: a call's arguments and a function's response are the
caller's own.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import cast

from palimpsest.formats import wire_fields
from palimpsest.formats.wire_fields import Fields
from palimpsest.lazy_regex import later

SNAKE = "snake"
NESTED = frozenset(("inlineData", "fileData", "functionCall", "functionResponse"))
NAMES = (
    *sorted(NESTED),
    "codeExecutionResult",
    "displayName",
    "executableCode",
    "fileUri",
    "mediaResolution",
    "mimeType",
    "partMetadata",
    "thoughtSignature",
    "toolCall",
    "toolResponse",
    "videoMetadata",
    "willContinue",
)
_CAPITAL = later(r"[A-Z]")
_SNAKE_OF = {name: _CAPITAL.sub(lambda found: "_" + found[0].lower(), name) for name in NAMES}
_CAMEL_OF = {snake: name for name, snake in _SNAKE_OF.items()}


def plain_part(raw: object, what: str) -> Fields:
    """Return a part as a dict of JSON values, dumping a client's own objects; bytes become base64 text."""
    return _plain(wire_fields.fields_of(raw, what))


def _plain(fields: Fields) -> Fields:
    for key, value in fields.items():
        if isinstance(value, bytes):
            fields[key] = base64.b64encode(value).decode()
        elif key == "parts" and isinstance(value, list | tuple):
            given = cast("Sequence[object]", value)
            fields[key] = [_plain(found) if (found := _object(one)) is not None else one for one in given]
        elif _CAMEL_OF.get(key, key) in NESTED and (inner := _object(value)) is not None:
            fields[key] = _plain(inner)
    return fields


def _object(value: object) -> Fields | None:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    return wire_fields.dumped_object(value)


def spellings(part: Fields) -> tuple[set[str], set[str]]:
    """Return the known names in a plain part that are written with underscores, and those that are not."""
    snake: set[str] = set()
    camel: set[str] = set()
    for level in _levels(part):
        snake.update(_CAMEL_OF[key] for key in level if key in _CAMEL_OF)
        camel.update(key for key in level if key in _SNAKE_OF)
    return snake, camel


def _levels(part: Fields) -> Iterator[Fields]:
    pending = [part]
    while pending:
        level = pending.pop()
        yield level
        for key, value in level.items():
            if isinstance(value, dict) and _CAMEL_OF.get(key, key) in NESTED:
                pending.append(cast("Fields", value))
            elif key == "parts" and isinstance(value, list):
                inner = cast("list[object]", value)
                pending.extend(cast("Fields", one) for one in inner if isinstance(one, dict))


def camel(part: Fields) -> Fields:
    """Return a copy of a plain part with the wire's names."""
    return _renamed(part, lambda name: name)


def spelled(part: Fields, snake: Container[str]) -> Fields:
    """Return a copy of a part with those of its names that are in `snake` written with underscores."""
    return _renamed(part, lambda name: _SNAKE_OF[name] if name in snake and name in _SNAKE_OF else name)


def _renamed(level: Fields, rename: Callable[[str], str]) -> Fields:
    out: Fields = {}
    for key, value in level.items():
        name = _CAMEL_OF.get(key, key)
        found = value
        if isinstance(value, dict) and name in NESTED:
            found = _renamed(cast("Fields", value), rename)
        elif key == "parts" and isinstance(value, list):
            inner = cast("list[object]", value)
            found = [_renamed(cast("Fields", one), rename) if isinstance(one, dict) else one for one in inner]
        out[rename(name)] = found
    return out
