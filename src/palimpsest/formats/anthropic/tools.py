"""Tool definitions in Anthropic's form."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.formats import tool_definitions as forms
from palimpsest.formats import wire_fields
from palimpsest.formats.valid_names import safe_name
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import ToolDef


def render_tools(tools: Sequence[ToolDef]) -> list[dict[str, object]]:
    """Return the tools with their `input_schema`. Other providers' own tools are left out."""
    return [rendered for tool in tools if (rendered := _tool(tool)) is not None]


def _tool(tool: ToolDef) -> Fields | None:
    own = tool.wire == forms.ANTHROPIC
    fields, shape = wire_fields.unpack(tool.extra) if tool.extra else ({}, {})
    if shape.get(forms.WHOLE):
        return fields if own else None
    if not own:
        fields, shape = {}, {}
    out: Fields = {**fields, "name": safe_name(tool.name)}
    if tool.description or shape.get("description") == "present":
        out["description"] = tool.description
    schema = wire_fields.load_object(tool.schema) or {}
    if not own:
        empty: Fields = {"type": "object", "properties": {}}
        schema = {**empty, **schema}
    out["input_schema"] = schema
    return out
