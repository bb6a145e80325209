"""Limits on what callers pass in: what is too large, too deep or too much is refused before anything is done with it.

A value is walked level by level, never by recursion, so that neither an endless history nor one that contains itself
costs more than the limit. What is not JSON is left to the parsers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from palimpsest.errors import FormatError, UsageError, brief
from palimpsest.limits import MAX_LIMIT, MAX_MESSAGE_CHARS, MAX_NAME_CHARS, MAX_NESTING, MAX_PARTS, MAX_VALUES
from palimpsest.record.message import Message, Part

_SCALARS = frozenset((int, bool, type(None)))


def check_value(raw: object) -> None:
    """Raise FormatError for a value that is too large or too deep, or holds a number that JSON does not have."""
    level, values, chars, depth = [raw], 1, 0, 0
    while level:
        if depth > MAX_NESTING:
            raise _refused("nested deeper than", MAX_NESTING, "levels")
        inner: list[object] = []
        for value in level:
            if type(value) is str:
                chars += len(value)
            elif type(value) is float:
                if not math.isfinite(value):
                    raise FormatError(f"it holds the number {value}, which is no JSON", hint="leave it out")
            elif type(value) not in _SCALARS:
                size, names_chars, held = _contents(value)
                values, chars = values + size, chars + names_chars
                if values > MAX_VALUES:
                    raise _refused("made of more than", MAX_VALUES, "values")
                inner.extend(held)
        if chars > MAX_MESSAGE_CHARS:
            raise _refused("longer than", MAX_MESSAGE_CHARS, "characters")
        level, depth = inner, depth + 1


def _contents(value: object) -> tuple[int, int, Iterable[object]]:
    """How many values a list or an object holds, the length of their names, and the values."""
    if isinstance(value, dict | Mapping):
        fields = cast("Mapping[object, object]", value)
        names_chars = sum(len(name) for name in fields if isinstance(name, str))
        return len(fields), names_chars, fields.values()
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        return len(items), 0, items
    if isinstance(value, Message | Part):
        return 0, 0, [getattr(value, name) for name in value.__slots__]
    return 0, len(value) if isinstance(value, str | bytes | bytearray) else 0, ()


def check_parts(message: Message) -> None:
    """Raise FormatError for a message with too many parts."""
    inner = sum(len(result.content) for result in message.results)
    if len(message.parts) + inner > MAX_PARTS:
        raise _refused("made of more than", MAX_PARTS, "parts")


def _refused(how: str, limit: int, unit: str) -> FormatError:
    return FormatError(f"it is {how} {limit:,} {unit}", hint="split it, or store a reference in its place")


def checked_name(name: object, what: str) -> str:
    """A name that can be stored and printed. Raises UsageError."""
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"the {what} needs a name", hint="give a non-empty string")
    if len(name) > MAX_NAME_CHARS or any(ord(char) < 32 or 0xD800 <= ord(char) <= 0xDFFF for char in name):
        hint = f"at most {MAX_NAME_CHARS} printable characters"
        raise UsageError(f"the {what}'s name cannot be used", hint=hint)
    return name


def checked_text(given: object, what: str) -> str:
    """A text to search for. Raises UsageError for anything else."""
    if not isinstance(given, str):
        raise UsageError(f"the {what} is a {type(given).__name__}", hint="give it as a string")
    return given


def checked_limit(given: object) -> int:
    """A number of hits. Raises UsageError."""
    if not isinstance(given, int) or not 1 <= given <= MAX_LIMIT:
        raise UsageError(f"limit cannot be {brief(given)}", hint=f"give a number from 1 to {MAX_LIMIT:,}")
    return given


def checked_budget(given: object, min_tokens: int, what: str) -> int:
    """A number of tokens. Raises UsageError if it is so small that it holds none of `what`."""
    if not isinstance(given, int):
        raise UsageError(f"budget_tokens cannot be {brief(given)}", hint="give a number of tokens")
    if given < min_tokens:
        raise UsageError(f"a budget of {given} tokens holds {what}", hint=f"give at least {min_tokens}")
    return given


def check_key(key: object) -> None:
    """Raise UsageError for an invalid key of an append. An empty key would be shared by every caller without one."""
    if key is None:
        return
    if not isinstance(key, str) or not key.strip():
        raise UsageError(
            "the key of an append needs a text", hint="give each append a key of its own, or none"
        )
    if len(key) > MAX_NAME_CHARS:
        raise UsageError(f"the key has {len(key):,} characters", hint=f"give at most {MAX_NAME_CHARS:,}")
