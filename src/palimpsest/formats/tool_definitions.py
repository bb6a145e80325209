"""Tool definitions of any provider, read into one value.

Forms read: OpenAI's chat form (`function` inside), its Responses form (flat, with `parameters`), Anthropic's (with
`input_schema`), that of MCP (with `inputSchema`) and Gemini's (`functionDeclarations`, which hold several, and single
ones). A provider's own tool, which it runs itself and which has no schema, is kept whole: it renders for that provider
and is left out for the others. The Responses form is written in chat form, Gemini's own form of a schema as JSON
schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import wire_fields
from palimpsest.formats.gemini_schema import is_openapi, json_schema
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import ToolDef

OPENAI = "openai"
ANTHROPIC = "anthropic"
GEMINI = "gemini"
MCP = "mcp"
WHOLE = "whole"
_FORMS = (
    '{"type": "function", "function": {"name", "parameters"}}, {"name", "input_schema"} '
    'or {"functionDeclarations": [...]}'
)
_DECLARATIONS = ("functionDeclarations", "function_declarations")
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
    """The tools of one definition dict: all of Gemini's `functionDeclarations`, and one of any other form."""
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
    """One tool definition dict. Raises FormatError for a dict that is none, or that holds several."""
    found = parse_tools(raw)
    if len(found) != 1:
        raise FormatError(
            f"a tool definition declares {len(found)} functions, not one", hint="read it with parse_tools"
        )
    return found[0]


def _one(fields: Fields) -> ToolDef:
    kind = fields.get("type")
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
    """The name and the description; an empty description is told from a missing one by the shape."""
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


def _declaration(fields: Fields) -> ToolDef:
    """One of Gemini's function declarations. Its schema can stand in either of two fields."""
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
    """A provider's own tool. Anthropic's types end in a date and come with a name."""
    custom = fields.get("custom")
    name = fields.get("name") or (cast("Fields", custom).get("name") if isinstance(custom, dict) else None)
    dated = kind[-8:].isdigit() or "name" in fields
    return ToolDef(
        name if isinstance(name, str) else kind,
        schema="",
        wire=ANTHROPIC if dated else OPENAI,
        extra=wire_fields.pack(fields, {WHOLE: True}),
    )
