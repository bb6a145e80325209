"""Tool definitions in OpenAI's chat form."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.formats import tool_definitions as forms
from palimpsest.formats import wire_fields
from palimpsest.formats.valid_names import safe_name
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.message import ToolDef


def render_tools(tools: Sequence[ToolDef]) -> list[dict[str, object]]:
    """Return the tools in chat form. Other providers' own tools are left out."""
    return [rendered for tool in tools if (rendered := _tool(tool)) is not None]


def _tool(tool: ToolDef) -> Fields | None:
    own = tool.wire == forms.OPENAI
    fields, shape = wire_fields.unpack(tool.extra) if tool.extra else ({}, {})
    if shape.get(forms.WHOLE):
        return fields if own else None
    if not own:
        fields, shape = {}, {}
    function: Fields = {**wire_fields.nested(shape, "inner"), "name": safe_name(tool.name)}
    if tool.description or shape.get("description") == "present":
        function["description"] = tool.description
    schema = wire_fields.load_object(tool.schema)
    if schema is not None and (schema or shape.get("schema") == "present"):
        function["parameters"] = schema
    return {**fields, "type": "function", "function": function}
