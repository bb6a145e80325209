"""Tool definitions of every provider, parsed and rendered.

- Parsed forms: OpenAI's chat form (`function` inside), its Responses form (flat, with `parameters`), Anthropic's
  (with `input_schema`), MCP's (with `inputSchema`), Gemini's (`functionDeclarations`, which hold several, and single
  ones) and Bedrock's (a `toolSpec`, or what is in it, with the schema under `json`).
- A provider's own tool, which it runs itself and which has no schema, is kept whole: it is rendered for that provider
  and left out for others.
- Gemini's schemas are OpenAPI's: types in capitals, null as a flag, counts possibly as strings. They become JSON
  schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import wire_fields
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import ToolDef

MAX_DEPTH = 64
"""How deep schemas are converted; deeper levels stay unchanged."""

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
    """Return whether a schema is in Gemini's own form: its type is in capitals."""
    return isinstance(schema, Mapping) and cast("Mapping[str, object]", schema).get("type") in _TYPES


def json_schema(schema: object, depth: int = 0) -> object:
    """Return the schema as JSON schema; one that already is stays the same."""
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


OPENAI = "openai"
ANTHROPIC = "anthropic"
GEMINI = "gemini"
MCP = "mcp"
BEDROCK = "bedrock"
WHOLE = "whole"
_FORMS = (
    '{"type": "function", "function": {"name", "parameters"}}, {"name", "input_schema"}, '
    '{"functionDeclarations": [...]} or {"toolSpec": {"name", "inputSchema"}}'
)
_DECLARATIONS = ("functionDeclarations", "function_declarations")
_BEDROCK_OWN = ("systemTool", "cachePoint")
_GEMINI_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema")
_GEMINI_NAMES = {"response_json_schema": "responseJsonSchema"}
_GEMINI_TOOLS = frozenset(
    (
        *("googleSearch", "googleSearchRetrieval", "googleMaps", "codeExecution", "urlContext", "fileSearch"),
        *("google_search", "google_search_retrieval", "google_maps", "code_execution", "url_context"),
        *("file_search", "computerUse", "computer_use", "enterpriseWebSearch", "enterprise_web_search"),
    )
)


def parse_tools(raw: Mapping[str, object]) -> tuple[ToolDef, ...]:
    """Parse the tools of one definition dict: all of Gemini's `functionDeclarations`, or one of any other form."""
    fields = wire_fields.fields_of(raw, "a tool definition")
    key = next((key for key in _DECLARATIONS if fields.get(key) is not None), "")
    if not key:
        return (_one(fields),)
    declared = wire_fields.items_of(fields.pop(key), key)
    found = [
        _declaration(wire_fields.fields_of(one, f"{key}[{index}]")) for index, one in enumerate(declared)
    ]
    rest = {name: value for name, value in fields.items() if value is not None}
    return (*found, *([_gemini_own(rest)] if rest else []))


def parse_tool(raw: Mapping[str, object]) -> ToolDef:
    """Parse one tool definition dict. Raises FormatError for anything else, or for several."""
    found = parse_tools(raw)
    if len(found) != 1:
        raise FormatError(
            f"a tool definition declares {len(found)} functions, not one", hint="read it with parse_tools"
        )
    return found[0]


def _one(fields: Fields) -> ToolDef:
    kind = fields.get("type")
    if kind is None and (bedrock := _bedrock(fields)) is not None:
        return bedrock
    if "input_schema" in fields:
        return _schema_form(fields, "input_schema", ANTHROPIC)
    if "inputSchema" in fields:
        return _schema_form(fields, "inputSchema", MCP)
    if isinstance(fields.get("function"), Mapping) and kind in ("function", None):
        return _chat(fields)
    if kind is None and (
        any(key in fields for key in _GEMINI_SCHEMAS) or is_openapi(fields.get("parameters"))
    ):
        return _declaration(fields)
    if kind is None and "name" not in fields and any(fields.get(key) is not None for key in _GEMINI_TOOLS):
        return _gemini_own({key: value for key, value in fields.items() if value is not None})
    if kind == "function" or (kind is None and "parameters" in fields):
        return _flat(fields)
    if isinstance(kind, str) and kind and kind != "function":
        return _whole(fields, kind)
    raise FormatError("a tool definition has no name and no schema", hint=f"give {_FORMS}")


def _take_words(fields: Fields, shape: Fields) -> tuple[str, str]:
    """Set the name and the description; the shape distinguishes an empty description from a missing one."""
    name = wire_fields.text_of(fields.pop("name", None), "the name of a tool")
    if not name:
        raise FormatError("a tool has an empty name", hint=f"give {_FORMS}")
    description = fields.get("description")
    if not isinstance(description, str):
        return name, ""
    del fields["description"]
    if not description:
        shape["description"] = "present"
    return name, description


def _take_schema(fields: Fields, key: str, shape: Fields) -> str:
    schema = fields.get(key)
    if not isinstance(schema, Mapping):
        return "{}"
    del fields[key]
    if not schema:
        shape["schema"] = "present"
    return wire_fields.dumps(cast("object", schema))


def _chat(fields: Fields) -> ToolDef:
    inner = wire_fields.fields_of(fields.pop("function"), "the function of a tool")
    fields.pop("type", None)
    shape: Fields = {}
    name, description = _take_words(inner, shape)
    schema = _take_schema(inner, "parameters", shape)
    if inner:
        shape["inner"] = inner
    return ToolDef(name, description, schema, OPENAI, wire_fields.pack(fields, shape))


def _flat(fields: Fields) -> ToolDef:
    fields.pop("type", None)
    shape: Fields = {}
    name, description = _take_words(fields, shape)
    schema = _take_schema(fields, "parameters", shape)
    if fields:
        shape["inner"] = fields
    return ToolDef(name, description, schema, OPENAI, wire_fields.pack({}, shape))


def _schema_form(fields: Fields, key: str, form: str) -> ToolDef:
    shape: Fields = {}
    name, description = _take_words(fields, shape)
    schema = _take_schema(fields, key, shape)
    return ToolDef(name, description, schema, form, wire_fields.pack(fields, shape))


def _bedrock(fields: Fields) -> ToolDef | None:
    """Parse a tool of Bedrock's, or the inside of a `toolSpec`; None for any other form. Its own tools and cache points
    are kept whole.
    """
    found = next((key for key in ("toolSpec", *_BEDROCK_OWN) if isinstance(fields.get(key), Mapping)), "")
    if found in _BEDROCK_OWN and len(fields) == 1:
        name = cast("Fields", fields[found]).get("name")
        extra = wire_fields.pack(fields, {WHOLE: True})
        return ToolDef(name if isinstance(name, str) else found, schema="", wire=BEDROCK, extra=extra)
    spec = dict(cast("Fields", fields[found])) if found == "toolSpec" else dict(fields)
    given = spec.get("inputSchema")
    if not isinstance(given, Mapping) or list(cast("Fields", given)) != ["json"]:
        return None
    schema = wire_fields.fields_of(
        cast("Fields", spec.pop("inputSchema"))["json"], "the inputSchema of a tool"
    )
    shape: Fields = {}
    name, description = _take_words(spec, shape)
    shape |= {"inner": spec} if spec else {}
    return ToolDef(name, description, wire_fields.dumps(schema), BEDROCK, wire_fields.pack({}, shape))


def _declaration(fields: Fields) -> ToolDef:
    """Parse one of Gemini's function declarations. Its schema can be in either of two fields."""
    shape: Fields = {}
    name, description = _take_words(fields, shape)
    own, *others = [fields.pop(key, None) for key in ("parameters", *_GEMINI_SCHEMAS)]
    given = next((one for one in others if one is not None), json_schema(own))
    schema = (
        "{}"
        if given is None
        else wire_fields.dumps(wire_fields.fields_of(given, f"the parameters of {name}"))
    )
    rest = {_GEMINI_NAMES.get(key, key): value for key, value in fields.items()}
    return ToolDef(name, description, schema, GEMINI, wire_fields.pack(rest, {}))


def _gemini_own(fields: Fields) -> ToolDef:
    return ToolDef(next(iter(fields)), schema="", wire=GEMINI, extra=wire_fields.pack(fields, {WHOLE: True}))


def _whole(fields: Fields, kind: str) -> ToolDef:
    """Return a provider's own tool. Anthropic's types end in a date and have a name."""
    custom = fields.get("custom")
    name = fields.get("name") or (cast("Fields", custom).get("name") if isinstance(custom, dict) else None)
    dated = kind[-8:].isdigit() or "name" in fields
    return ToolDef(
        name if isinstance(name, str) else kind,
        schema="",
        wire=ANTHROPIC if dated else OPENAI,
        extra=wire_fields.pack(fields, {WHOLE: True}),
    )
