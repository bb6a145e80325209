"""Parse a model's tool arguments leniently: other names, types and spellings of what is clearly meant.

Models send numbers as text, one id for a list, "summaries" for "summary", and the argument names of tools they know
better. What cannot be understood raises a UsageError that says what to give; nothing else is ever raised.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, cast

from palimpsest.errors import UsageError, brief
from palimpsest.lazy_regex import later

Kind = Literal["text", "ids", "id", "flag", "number"]

MAX_TEXT_CHARS = 200_000
MAX_IDS = 100
"""Ids of one call."""

MAX_JSON_LAYERS = 2

MAX_UNKNOWN = 3
"""Unknown argument names that an answer lists."""

_CAMEL_CASE = later(r"(?<=[a-z0-9])(?=[A-Z])")
_ID = later(
    r"(?P<first>(?:[ms]|message[ _#]{0,2}|summary[ _#]{0,2})?\d{1,18})"
    r"(?:\s{0,2}(?:-|–|\.\.\.?|…|to|through|:)\s{0,2}(?P<last>(?:m|message[ _#]{0,2})?\d{1,18}))?",
    re.IGNORECASE,
)
_BETWEEN_IDS = later(
    r"[\s,;:\[\](){}<>\"'`#|&+/=]|\band\b|\bids?\b|\bsummary_ref\b"
    r"|\b(?:messages?|msgs?|summary|summaries)\b(?=[\s:#]{0,3}[ms]\d)",
    re.IGNORECASE,
)
_SECRET = later(r"\[?(secret:[0-9a-f]{6})\]?")
_NUMBER = later(r"\s*(-?\d{1,18})(?:\.\d{1,9})?\s*", re.ASCII)
_WRAPPERS = frozenset(("arguments", "args", "input", "parameters", "params"))
_SHOWN_CHARS = 40
_YES = frozenset(("true", "yes", "y", "1", "on", "t"))
_NO = frozenset(("false", "no", "n", "0", "off", "f", ""))
_NOTHING = frozenset(("", "none", "null", "undefined", "any", "all", "*"))


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a tool, with its aliases. A required one may be missing if `unless` is given."""

    name: str
    kind: Kind
    description: str
    aliases: str = ""
    required: bool = False
    unless: str = ""
    choices: tuple[str, ...] = ()
    meanings: Mapping[str, str] | None = None

    @property
    def names(self) -> list[str]:
        """The name and its aliases."""
        return [self.name, *self.aliases.split()]

    def schema(self) -> dict[str, object]:
        """The argument as JSON schema."""
        if self.kind == "ids":
            return {"type": "array", "items": {"type": "string"}, "description": self.description}
        kind = {"text": "string", "id": "string", "flag": "boolean", "number": "integer"}[self.kind]
        choices = {"enum": list(self.choices)} if self.choices else {}
        return {"type": kind, **choices, "description": self.description}


def schema_of(fields: Sequence[Field]) -> dict[str, object]:
    """The JSON schema of a tool's arguments; those with an `unless` are optional, as some hosts validate calls."""
    return {
        "type": "object",
        "properties": {one.name: one.schema() for one in fields},
        "required": [one.name for one in fields if one.required and not one.unless],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Arguments:
    """Parsed arguments by the names of the schema, without empty ones. `unknown` are names that no argument has."""

    values: Mapping[str, object]
    unknown: tuple[str, ...] = ()

    def text(self, name: str) -> str:
        """A text, "" if it is missing."""
        found = self.values.get(name)
        return found if isinstance(found, str) else ""

    def ids(self, name: str) -> tuple[str, ...]:
        """Ids and ranges of ids, as the store spells them."""
        found = self.values.get(name)
        return cast("tuple[str, ...]", found) if isinstance(found, tuple) else ()

    def flag(self, name: str) -> bool:
        """A flag, False if it is missing."""
        return self.values.get(name) is True

    def number(self, name: str, default: int, most: int) -> int:
        """A number from 1 to `most`, `default` if it is missing."""
        found = self.values.get(name)
        return min(max(found, 1), most) if isinstance(found, int) else default


def read_arguments(given: object, fields: Sequence[Field], offered: Sequence[Field] = ()) -> Arguments:
    """Parse the arguments of a call. Raises UsageError, which lists the `offered` fields."""
    named = _named(given, fields)
    values: dict[str, object] = {}
    known = {_plain(spelling): one for one in fields for spelling in one.names}
    for field in fields:
        known[_plain(field.name)] = field
    unknown: list[str] = []
    for key, value in named.items():
        field = known.get(_plain(key))
        if field is None:
            if value not in (None, "", [], {}):
                unknown.append(" ".join(key[:_SHOWN_CHARS].split()))
            continue
        found = _value(field, value)
        if found is not None and (field.name not in values or _plain(key) == _plain(field.name)):
            values[field.name] = found
    missing = [one.name for one in fields if one.required and not values.keys() & {one.name, one.unless}]
    if missing:
        extra = f" ({unknown_names(unknown, fields)})" if unknown else ""
        raise UsageError(f"{missing[0]} is missing{extra}", hint=usage(offered or fields))
    return Arguments(values, tuple(unknown))


def unknown_names(names: Sequence[str], fields: Sequence[Field]) -> str:
    """A sentence that names unknown arguments and what each may mean; "" for none."""
    known = {spelling: one.name for one in fields for spelling in one.names}
    shown: list[str] = []
    for name in names[:MAX_UNKNOWN]:
        near = get_close_matches(_plain(name), known, 1)
        shown.append(f"{name} (is it {known[near[0]]}?)" if near else name)
    return f"{', '.join(shown)} {'are' if len(shown) > 1 else 'is'} not known" if shown else ""


def usage(fields: Sequence[Field]) -> str:
    """The arguments in one line."""
    return "arguments: " + ", ".join(one.name if one.required else f"{one.name}?" for one in fields)


def _named(given: object, fields: Sequence[Field]) -> dict[str, object]:
    """The arguments by name, from a mapping, JSON text, nested arguments, or a bare value for the first argument."""
    given = _unpacked(given)
    if not isinstance(given, Mapping):
        return {} if given is None else {fields[0].name: given}
    named = {str(key): value for key, value in cast("Mapping[object, object]", given).items()}
    (name, inner) = next(iter(named.items()), ("", None))
    if len(named) == 1 and _plain(name) in _WRAPPERS and isinstance(within := _unpacked(inner), Mapping):
        return {str(key): value for key, value in cast("Mapping[object, object]", within).items()}
    return named


def _unpacked(given: object) -> object:
    """The value of JSON text in one or two layers; None for empty text, anything else as it is."""
    for _ in range(MAX_JSON_LAYERS):
        if not isinstance(given, str):
            break
        try:
            given = cast("object", json.loads(given)) if given.strip() else None
        except (ValueError, RecursionError):
            break
    return given


def _plain(name: str) -> str:
    return _CAMEL_CASE.sub("_", name.strip()[:80]).replace("-", "_").replace(" ", "_").lower()


def _value(field: Field, value: object) -> object:
    """The value of one argument, None if it is empty. Raises UsageError."""
    if value is None:
        return None
    match field.kind:
        case "text":
            return _text(field, value)
        case "ids" | "id":
            return _ids(field, value) or None
        case "flag":
            return _flag(field, value)
        case "number":
            return _number(field, value)


def _text(field: Field, value: object) -> str | None:
    if isinstance(value, list | tuple):
        parts = [one for one in cast("Sequence[object]", value) if isinstance(one, str | int | float)]
        text = " ".join(str(one) for one in parts[:MAX_IDS])
    elif isinstance(value, str | int | float):
        text = str(value)
    else:
        raise UsageError(f"{field.name} cannot be a {type(value).__name__}", hint="give it as a string")
    if len(text) > MAX_TEXT_CHARS:
        raise UsageError(f"{field.name} has {len(text):,} characters", hint="give a few words")
    text = text.strip()
    if not field.choices and field.meanings is None:
        return text or None
    plain = text.lower()
    if field.meanings is not None and plain in field.meanings:
        plain = field.meanings[plain]
    if plain in _NOTHING and plain not in field.choices:
        return None
    if field.choices and plain not in field.choices:
        raise UsageError(f"{field.name} cannot be {text[:40]!r}", hint=f"one of {', '.join(field.choices)}")
    return plain if field.choices else text


def _flag(field: Field, value: object) -> bool:
    if isinstance(value, str | int | float):
        plain = str(value)[:20].strip().lower().removesuffix(".0")
        if plain in _YES or plain in _NO:
            return plain in _YES
    raise _refused(field, value, "give true or false")


def _number(field: Field, value: object) -> int | None:
    if isinstance(value, str):
        if value.strip().lower() in _NOTHING:
            return None
        found = _NUMBER.fullmatch(value)
        if found is not None:
            return int(found[1])
    elif isinstance(value, int) and not isinstance(value, bool):
        return value
    elif isinstance(value, float) and math.isfinite(value):
        return int(value)
    raise _refused(field, value, "give a whole number")


def _refused(field: Field, value: object, hint: str) -> UsageError:
    shown = repr(value[:40]) if isinstance(value, str) else brief(value)[:40]
    return UsageError(f"{field.name} cannot be {shown}", hint=hint)


def _ids(field: Field, value: object) -> tuple[str, ...]:
    """The ids in a list, a text or a number, each once, then texts that are none. Raises UsageError without an id."""
    found: dict[str, None] = {}
    others: dict[str, None] = {}
    failure: UsageError | None = None
    for text in _texts(field, value, 0):
        try:
            found |= dict.fromkeys(read_ids(text))
        except UsageError as error:
            failure = failure or error
            others[text[:_SHOWN_CHARS]] = None
    if failure is not None and not found:
        raise failure
    found |= others
    if len(found) > MAX_IDS:
        raise UsageError(f"{field.name} names {len(found):,} ids", hint=f"give at most {MAX_IDS} at a time")
    return tuple(found)


def _texts(field: Field, value: object, depth: int) -> Iterable[str]:
    if isinstance(value, str):
        if len(value) > MAX_TEXT_CHARS:
            raise UsageError(f"{field.name} has {len(value):,} characters", hint="give ids such as m12")
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value) if abs(value) < 10**18 else "?"
    elif isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        yield str(int(value))
    elif isinstance(value, Mapping) and depth < 2:
        inner = cast("Mapping[object, object]", value)
        yield from _texts(field, inner.get("id", inner.get("message_id")), depth + 1)
    elif isinstance(value, list | tuple) and depth < 2:
        for one in cast("Sequence[object]", value)[: MAX_IDS * 10]:
            yield from _texts(field, one, depth + 1)
    else:
        raise UsageError(
            f"{field.name} cannot hold a {type(cast('object', value)).__name__}",
            hint="give ids such as m12 or s3",
        )


def read_ids(text: str) -> list[str]:
    """The ids, ranges ("m3-m9") and placeholders in a text. Raises UsageError for anything else in it."""
    found: list[str] = []
    position = 0
    while position < len(text):
        if secret := _SECRET.match(text, position):
            found.append(f"[{secret[1]}]")
            position = secret.end()
            continue
        if between := _BETWEEN_IDS.match(text, position):
            position = between.end()
            continue
        match = _ID.match(text, position)
        if match is None:
            raise UsageError(
                f"{text[position : position + 40]!r} is no id", hint="give ids such as m12 or s3"
            )
        first, last = _spelled(match["first"]), match["last"]
        found.append(f"{first}-{_spelled(last)}" if last is not None else first)
        position = match.end()
    return found


def _spelled(text: str) -> str:
    digits = text.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ _#")
    letter = "s" if text[:1] in "sS" else "m"
    return f"{letter}{digits}"
