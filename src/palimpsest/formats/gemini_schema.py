"""Gemini's own form of a schema, which is OpenAPI's, as the JSON schema that everyone else means.

Types are in capitals there, null is a flag, counts may be strings, and the Python client spells names with underscores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from palimpsest.formats.wire_fields import Fields

MAX_DEPTH = 64
"""How deep schemas are looked into; what lies deeper stays as it is."""

_NAMES = {
    "any_of": "anyOf",
    "additional_properties": "additionalProperties",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
    "defs": "$defs",
    "ref": "$ref",
}
_COUNTS = frozenset(name for name in _NAMES.values() if name.startswith(("max", "min")))
_OWN = frozenset(("propertyOrdering", "property_ordering", "example"))
_TYPES = frozenset(("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"))


def is_openapi(schema: object) -> bool:
    """Whether a schema is in Gemini's own form: its type is in capitals."""
    return isinstance(schema, Mapping) and cast("Mapping[str, object]", schema).get("type") in _TYPES


def json_schema(schema: object, depth: int = 0) -> object:
    """The schema as JSON schema. One that is JSON schema already stays the same."""
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return cast("object", schema)
    given = cast("Mapping[str, object]", schema)
    out: Fields = {}
    for key, value in given.items():
        name = _NAMES.get(key, key)
        if name == "type" and isinstance(value, str):
            if value != "TYPE_UNSPECIFIED":
                out[name] = value.lower() if value in _TYPES else value
        elif name in ("properties", "$defs") and isinstance(value, Mapping):
            named = cast("Mapping[str, object]", value)
            out[name] = {one: json_schema(inner, depth + 1) for one, inner in named.items()}
        elif name == "anyOf" and isinstance(value, list):
            out[name] = [json_schema(inner, depth + 1) for inner in cast("list[object]", value)]
        elif name in ("items", "additionalProperties"):
            out[name] = json_schema(value, depth + 1)
        elif name in _COUNTS and isinstance(value, str) and value.isdecimal():
            out[name] = int(value)
        elif name != "nullable" and name not in _OWN and value is not None:
            out[name] = value
    kind = out.get("type")
    if given.get("nullable") is True and isinstance(kind, str):
        out["type"] = [kind, "null"]
    return out
