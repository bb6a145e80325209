"""Parsing an Anthropic reply, whole or as events, into a `Completion`. An SDK's own objects are read as the dicts
they dump to.

- The reply's `Message` holds every block as sent: thinking with its signature, redacted thinking, calls and results
  of server tools, and unknown blocks.
- An unknown delta is joined to its block: text to text, lists to lists.
- Token counts come with the start and the end of a message; the end's replace the start's.
- Input that the output limit cut, and that is therefore not JSON, stays text in the call's arguments.
- An `error` event is not part of a message: the reader of the stream must handle it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import wire_fields
from palimpsest.formats.anthropic.parse import parse_message
from palimpsest.formats.usage import find_usage
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.completion import Completion, Delta, FinishReason, ReasoningDelta, TextDelta
from palimpsest.record.message import Part, ToolCall

_FINISH: dict[object, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refused",
}
_PARTIAL = "partial_json"


def parse_reply(body: object) -> Completion:
    """Parse a message into a `Completion`. Raises FormatError if it has no content."""
    fields = wire_fields.fields_of(body, "an Anthropic reply")
    content = fields.get("content")
    if not isinstance(content, list | tuple):
        raise FormatError("an Anthropic reply has no content", hint="it must hold a list of blocks")
    blocks = [wire_fields.fields_of(block, "a content block") for block in cast("Sequence[object]", content)]
    return _completion(blocks, {}, fields)


class StreamParser:
    """Takes events, returns deltas, and the whole reply at the end."""

    def __init__(self) -> None:
        self._fields: Fields = {}
        self._usage: Fields = {}
        self._blocks: dict[int, Fields] = {}
        self._partial: dict[int, str] = {}

    def feed(self, event: object) -> list[Delta]:
        """Take one event and return what it adds. Raises FormatError for another shape."""
        fields = wire_fields.fields_of(event, "an Anthropic event")
        match fields.get("type"):
            case "message_start":
                self._fields = wire_fields.fields_of(fields.get("message"), "the message of message_start")
                self._count(self._fields.get("usage"))
            case "content_block_start":
                block = wire_fields.fields_of(fields.get("content_block"), "the block of content_block_start")
                self._blocks[_index(fields)] = block
                return _shown(block.get("type"), block.get("text") or block.get("thinking"))
            case "content_block_delta":
                delta = wire_fields.fields_of(fields.get("delta"), "the delta of content_block_delta")
                return self._add(_index(fields), delta)
            case "message_delta":
                self._fields.update(
                    wire_fields.fields_of(fields.get("delta") or {}, "the delta of message_delta")
                )
                self._count(fields.get("usage"))
            case _:
                pass
        return []

    def finish(self) -> Completion:
        """Return the whole reply. Its finish reason is "other" if no event gave one."""
        blocks: list[Fields] = []
        broken: dict[int, str] = {}
        for index in sorted(self._blocks):
            block, text = dict(self._blocks[index]), self._partial.get(index, "")
            if text.strip():
                found = wire_fields.load_object(text)
                block["input"] = found or {}
                if found is None:
                    broken[len(blocks)] = text
            blocks.append(block)
        return _completion(blocks, broken, {**self._fields, "usage": self._usage})

    def _count(self, usage: object) -> None:
        if usage is not None:
            found = wire_fields.fields_of(usage, "the usage of an event")
            self._usage.update({key: value for key, value in found.items() if value is not None})

    def _add(self, index: int, delta: Fields) -> list[Delta]:
        block = self._blocks.get(index)
        if block is None:
            raise FormatError(
                f"a delta for block {index}, which has not started", hint="send events in order"
            )
        kind = delta.pop("type", None)
        if kind == "citations_delta":
            before = block.get("citations")
            cited = list(cast("Sequence[object]", before)) if isinstance(before, list | tuple) else []
            block["citations"] = [*cited, delta.get("citation")]
            return []
        for key, value in delta.items():
            if key == _PARTIAL and isinstance(value, str):
                self._partial[index] = self._partial.get(index, "") + value
            elif isinstance(value, str):
                block[key] = f"{block.get(key) or ''}{value}"
            elif isinstance(value, list):
                block[key] = [*cast("list[object]", block.get(key) or []), *cast("list[object]", value)]
            elif value is not None:
                block[key] = value
        return _shown(block.get("type"), delta.get("text") or delta.get("thinking"))


def _index(fields: Fields) -> int:
    index = fields.get("index")
    if not isinstance(index, int):
        raise FormatError("an Anthropic event has no index", hint="events of blocks are numbered")
    return index


def _shown(kind: object, words: object) -> list[Delta]:
    """Return what a reader of the stream sees of text added to a block."""
    if not isinstance(words, str) or not words:
        return []
    if kind == "text":
        return [TextDelta(words)]
    return [ReasoningDelta(words)] if kind == "thinking" else []


def _completion(blocks: Sequence[Fields], broken: dict[int, str], fields: Fields) -> Completion:
    """Build the completion. `broken` holds, by position, the input of calls that is not a JSON object."""
    message = parse_message({"role": "assistant", "content": [dict(block) for block in blocks]})[0]
    parts: list[Part] = list(message.parts)
    for place, text in broken.items():
        part = parts[place]
        if isinstance(part, ToolCall):
            parts[place] = replace(part, arguments=text)
    model, usage = fields.get("model"), fields.get("usage")
    found = replace(
        message,
        parts=tuple(parts),
        model=model if isinstance(model, str) else "",
        usage=find_usage(usage) if usage else None,
    )
    reason = _FINISH.get(wire_fields.word(fields.get("stop_reason")), "other")
    text = "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
    return Completion(text, found.usage, reason, found.model, found.calls, found)
