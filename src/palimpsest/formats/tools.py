"""Tool definitions of either provider, read into one value.

Forms read: OpenAI's chat form (`function` inside), its Responses form (flat, with `parameters`), Anthropic's (with
`input_schema`) and that of MCP (with `inputSchema`). A provider's own tool, which it runs itself and which has no
schema, is kept whole: it renders for that provider and is left out for the other. The Responses form is written in
chat form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import wire
from palimpsest.formats.wire import Fields
from palimpsest.record.message import ToolDef

OPENAI = "openai"
ANTHROPIC = "anthropic"
MCP = "mcp"
WHOLE = "whole"
_FORMS = '{"type": "function", "function": {"name", "parameters"}} or {"name", "input_schema"}'


def parse_tool(raw: Mapping[str, object]) -> ToolDef:
    """One tool definition dict. Raises FormatError for a dict that is none."""
    fields = wire.fields_of(raw, "a tool definition")
    kind = fields.get("type")
    if "input_schema" in fields:
        return _schema_form(fields, "input_schema", ANTHROPIC)
    if "inputSchema" in fields:
        return _schema_form(fields, "inputSchema", MCP)
    if isinstance(fields.get("function"), Mapping) and kind in ("function", None):
        return _chat(fields)
    if kind == "function" or (kind is None and "parameters" in fields):
        return _flat(fields)
    if isinstance(kind, str) and kind and kind != "function":
        return _whole(fields, kind)
    raise FormatError("a tool definition has no name and no schema", hint=f"give {_FORMS}")


def _take_words(fields: Fields, shape: Fields) -> tuple[str, str]:
    """The name and the description; an empty description is told from a missing one by the shape."""
    name = wire.text_of(fields.pop("name", None), "the name of a tool")
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
    return wire.dumps(cast("object", schema))


def _chat(fields: Fields) -> ToolDef:
    inner = wire.fields_of(fields.pop("function"), "the function of a tool")
    fields.pop("type", None)
    shape: Fields = {}
    name, description = _take_words(inner, shape)
    schema = _take_schema(inner, "parameters", shape)
    if inner:
        shape["inner"] = inner
    return ToolDef(name, description, schema, OPENAI, wire.pack(fields, shape))


def _flat(fields: Fields) -> ToolDef:
    fields.pop("type", None)
    shape: Fields = {}
    name, description = _take_words(fields, shape)
    schema = _take_schema(fields, "parameters", shape)
    if fields:
        shape["inner"] = fields
    return ToolDef(name, description, schema, OPENAI, wire.pack({}, shape))


def _schema_form(fields: Fields, key: str, form: str) -> ToolDef:
    shape: Fields = {}
    name, description = _take_words(fields, shape)
    schema = _take_schema(fields, key, shape)
    return ToolDef(name, description, schema, form, wire.pack(fields, shape))


def _whole(fields: Fields, kind: str) -> ToolDef:
    """A provider's own tool. Anthropic's types end in a date and come with a name."""
    custom = fields.get("custom")
    name = fields.get("name") or (cast("Fields", custom).get("name") if isinstance(custom, dict) else None)
    dated = kind[-8:].isdigit() or "name" in fields
    return ToolDef(
        name if isinstance(name, str) else kind,
        schema="",
        wire=ANTHROPIC if dated else OPENAI,
        extra=wire.pack(fields, {WHOLE: True}),
    )
