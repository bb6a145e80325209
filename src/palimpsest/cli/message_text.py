"""Messages as text and as JSON. Nothing is left out; callers cut the text if needed."""

from __future__ import annotations

from collections.abc import Iterable

from palimpsest.cli.drawing import size
from palimpsest.cli.output import fields_of
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult

_FIELDS: dict[type[Part], tuple[str, str]] = {
    Text: ("text", "text"),
    Reasoning: ("reasoning", "text signature redacted"),
    ToolCall: ("tool_call", "id name arguments"),
    ToolResult: ("tool_result", "call_id content is_error"),
    Media: ("media", "media_type uri data size_bytes"),
}


def parts_text(parts: Iterable[Part]) -> str:
    """The parts of a message in order; every part other than text follows a label."""
    return "\n".join(text for part in parts if (text := _part_text(part)))


def _part_text(part: Part) -> str:
    match part:
        case Text(text=text):
            return text
        case Reasoning(text=text, redacted=redacted):
            return f"[reasoning, encrypted: {len(text):,} characters]" if redacted else f"[reasoning] {text}"
        case ToolCall(id=call_id, name=name, arguments=arguments):
            return f"[call {call_id}] {name} {arguments}"
        case ToolResult(call_id=call_id, is_error=is_error):
            label = f"[result of {call_id}{', an error' if is_error else ''}]"
            return "\n".join([label, *(_part_text(inner) for inner in part.content)])
        case Media(media_type=media_type, uri=uri, data=data, size_bytes=size_bytes):
            return f"[{media_type}: {uri or size(size_bytes or len(data) * 3 // 4)}]"


def part_fields(part: Part) -> dict[str, object]:
    """A part as a JSON object; `type` names its kind."""
    kind, names = _FIELDS[type(part)]
    fields = {"type": kind, **fields_of(part, names)}
    if isinstance(part, ToolResult):
        fields["content"] = [part_fields(one) for one in part.content]
    return fields
