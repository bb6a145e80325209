"""Messages as text for a person, and as JSON for a program. Nothing is left out: cutting is the caller's business."""

from __future__ import annotations

from collections.abc import Iterable

from palimpsest.cli.text_drawing import size
from palimpsest.record.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolResult


def message_text(message: Message) -> str:
    """The words of a message with its calls, results and media, in order."""
    return parts_text(message.parts)


def parts_text(parts: Iterable[Part]) -> str:
    """Parts in order, each kind of part other than text behind a label."""
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
    """A part as a JSON object; `type` says which."""
    match part:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Reasoning(text=text, signature=signature, redacted=redacted):
            return {"type": "reasoning", "text": text, "signature": signature, "redacted": redacted}
        case ToolCall(id=call_id, name=name, arguments=arguments):
            return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
        case ToolResult(call_id=call_id, content=content, is_error=is_error):
            inner = [part_fields(one) for one in content]
            return {"type": "tool_result", "call_id": call_id, "content": inner, "is_error": is_error}
        case Media(media_type=media_type, uri=uri, data=data, size_bytes=size_bytes):
            return {
                "type": "media",
                "media_type": media_type,
                "uri": uri,
                "data": data,
                "size_bytes": size_bytes,
            }
