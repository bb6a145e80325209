"""Parsing a reply of Bedrock's Converse API into a `Completion`."""

from __future__ import annotations

from dataclasses import replace

from palimpsest.formats import wire_fields
from palimpsest.formats.bedrock.parse import parse_message
from palimpsest.formats.usage import find_usage
from palimpsest.record.completion import Completion, FinishReason
from palimpsest.record.message import Text

_FINISH: dict[object, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "guardrail_intervened": "refused",
    "content_filtered": "refused",
}


def parse_reply(body: object) -> Completion:
    """Parse a reply into a `Completion`. Raises FormatError if it has no message. It does not name its model."""
    fields = wire_fields.fields_of(body, "a Bedrock reply")
    output = wire_fields.fields_of(fields.get("output"), "the output of a Bedrock reply")
    message = parse_message(wire_fields.fields_of(output.get("message"), "the message of a Bedrock reply"))[0]
    usage = fields.get("usage")
    found = replace(message, usage=find_usage(usage) if usage else None)
    reason = _FINISH.get(wire_fields.word(fields.get("stopReason")), "other")
    texts = (part for part in found.parts if isinstance(part, Text) and not wire_fields.is_whole_block(part))
    shown = "".join(part.text for part in texts)
    return Completion(shown, found.usage, reason, "", found.calls, found)
