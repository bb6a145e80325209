"""Tool definitions in Gemini's form."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.formats import tool_definitions as forms
from palimpsest.formats import wire_fields
from palimpsest.formats.valid_names import gemini_name
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import ToolDef

KNOWN = ("response", "responseJsonSchema", "behavior")


def render_tools(tools: Sequence[ToolDef]) -> list[dict[str, object]]:
    """Return one tool that declares all functions, each name once, followed by the provider's own tools.

    Schemas go into `parametersJsonSchema`. Other providers' own tools are left out.
    """
    declared: dict[object, Fields] = {}
    whole: list[Fields] = []
    for tool in tools:
        fields, shape = wire_fields.unpack(tool.extra) if tool.extra else ({}, {})
        if shape.get(forms.WHOLE):
            whole.extend([fields] if tool.wire == forms.GEMINI else [])
            continue
        found = _declaration(tool, fields if tool.wire == forms.GEMINI else {})
        declared.setdefault(found["name"], found)
    functions: list[Fields] = [{"functionDeclarations": list(declared.values())}] if declared else []
    return [*functions, *whole]


def _declaration(tool: ToolDef, fields: Fields) -> Fields:
    out: Fields = {key: fields[key] for key in KNOWN if fields.get(key)}
    out["name"] = gemini_name(tool.name)
    if tool.description:
        out["description"] = tool.description
    schema = wire_fields.load_object(tool.schema) or {}
    if any(
        value
        for key, value in schema.items()
        if key not in ("type", "$schema", "additionalProperties", "required")
    ):
        out["parametersJsonSchema"] = (
            schema if schema.get("type") == "object" else {**schema, "type": "object"}
        )
    return out
