"""Parsing a chat completion, whole or in chunks, into a `Completion`. An SDK's own objects are read as the dicts they
dump to.

Rules learned from compatible servers:

- A tool call comes in fragments by index. Some servers omit the index or repeat it, and some change the id for each
  fragment. A call begins at a new index, or at a new id with a name.
- Empty fields (null, an empty list or string outside the content) are dropped, because many servers refuse to receive
  them.
- What a chunk adds to an unknown field is joined to it: a list continues, anything else replaces. The pieces of one
  entry of OpenRouter's `reasoning_details` become one entry again, because it is checked when it is sent back.
- Some servers finish with "stop" behind tool calls; the calls decide. A call without an id gets one by its position,
  and one without a type is a function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import wire_fields
from palimpsest.formats.openai.parse import REASONING_FIELDS, parse_message
from palimpsest.formats.usage import find_usage
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.completion import Completion, Delta, FinishReason, ReasoningDelta, TextDelta
from palimpsest.record.message import Text

_FINISH: dict[object, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refused",
}
_DETAILS = "reasoning_details"
_JOINED_IN_DETAILS = ("text", "summary", "data")


def parse_reply(body: object) -> Completion:
    """Parse a chat.completion into a `Completion`. Raises FormatError if it has no message."""
    fields = wire_fields.fields_of(body, "a chat completion")
    choice = _first_choice(fields)
    if choice is None:
        raise FormatError("a chat completion has no choices", hint="it must hold at least one message")
    message = wire_fields.fields_of(choice.get("message"), "the message of a chat completion")
    return _completion(message, choice.get("finish_reason"), fields.get("model"), fields.get("usage"))


class StreamParser:
    """Takes chunks, returns deltas, and the whole reply at the end."""

    def __init__(self) -> None:
        self._message: Fields = {"role": "assistant"}
        self._calls: list[Fields] = []
        self._places: dict[object, int] = {}
        self._finish: object = None
        self._model: object = None
        self._usage: object = None

    def feed(self, event: object) -> list[Delta]:
        """Take one chunk and return what it adds. Raises FormatError for another shape."""
        chunk = wire_fields.fields_of(event, "a chunk")
        self._model = chunk.get("model") or self._model
        self._usage = chunk.get("usage") or self._usage
        choice = _first_choice(chunk)
        if choice is None:
            return []
        self._usage = choice.get("usage") or self._usage
        self._finish = choice.get("finish_reason") or self._finish
        given = choice.get("delta")
        return [] if given is None else self._add(wire_fields.fields_of(given, "the delta of a chunk"))

    def finish(self) -> Completion:
        """Return the whole reply. Its finish reason is "other" if no chunk gave one."""
        message = dict(self._message)
        if self._calls:
            message["tool_calls"] = self._calls
        return _completion(message, self._finish, self._model, self._usage)

    def _add(self, delta: Fields) -> list[Delta]:
        found: list[Delta] = []
        said = False
        for key, value in delta.items():
            if key == "role" or value is None:
                continue
            if key in {"content", "refusal"}:
                if isinstance(value, str):
                    self._join(key, value)
                    found.extend([TextDelta(value)] if value else [])
                else:
                    found.extend(self._add_blocks(wire_fields.items_of(value, "the content of a chunk")))
            elif key in REASONING_FIELDS and isinstance(value, str):
                self._join(key, value)
                if value and not said:
                    found.append(ReasoningDelta(value))
                    said = True
            elif key == "tool_calls":
                for fragment in wire_fields.items_of(value, "tool_calls of a chunk"):
                    self._add_call(wire_fields.fields_of(fragment, "a tool call of a chunk"))
            elif key == "function_call":
                self._add_function(wire_fields.fields_of(value, "function_call of a chunk"))
            elif key == _DETAILS:
                self._add_details(wire_fields.items_of(value, _DETAILS))
            elif isinstance(value, list):
                before = self._message.setdefault(key, [])
                cast("list[object]", before).extend(cast("list[object]", value))
            else:
                self._message[key] = value
        return found

    def _join(self, key: str, piece: str) -> None:
        before = self._message.get(key)
        if isinstance(before, list):
            self._add_blocks([{"type": "text", "text": piece}])
        else:
            self._message[key] = f"{before or ''}{piece}"

    def _add_blocks(self, blocks: Sequence[object]) -> list[Delta]:
        """Add content in list form: consecutive texts are joined."""
        before = self._message.get("content")
        content = cast("list[Fields]", before) if isinstance(before, list) else []
        if isinstance(before, str) and before:
            content.append({"type": "text", "text": before})
        self._message["content"] = content
        found: list[Delta] = []
        for raw in blocks:
            block = wire_fields.fields_of(raw, "a content part of a chunk")
            text = block.get("text")
            if block.get("type") != "text" or not isinstance(text, str):
                content.append(block)
                continue
            found.append(TextDelta(text))
            if content and content[-1].get("type") == "text":
                content[-1]["text"] = f"{content[-1]['text']}{text}"
            else:
                content.append(block)
        return found

    def _add_call(self, fragment: Fields) -> None:
        given, call_id = fragment.pop("index", None), fragment.get("id")
        index = given if isinstance(given, int | float | str) else None
        inner_key = "custom" if fragment.get("type") == "custom" or "custom" in fragment else "function"
        inner = wire_fields.fields_of(fragment.pop(inner_key, None) or {}, "the function of a tool call")
        place = self._places.get(index, len(self._calls) - 1 if index is None else -1)
        known: Fields | None = self._calls[place] if place >= 0 else None
        if known is None or (call_id and inner.get("name") and known.get("id") != call_id):
            self._places[index] = len(self._calls)
            function: Fields = {"name": "", "input" if inner_key == "custom" else "arguments": ""}
            known = {"type": inner_key, inner_key: function}
            self._calls.append(known)
        for key, value in fragment.items():
            if value is not None and value != "" and not (key == "id" and known.get("id")):
                known[key] = value
        _join_function(cast("Fields", known.get(inner_key, known.get("function"))), inner)

    def _add_function(self, fragment: Fields) -> None:
        call = cast("Fields", self._message.setdefault("function_call", {"name": "", "arguments": ""}))
        _join_function(call, fragment)

    def _add_details(self, entries: Sequence[object]) -> None:
        details = cast("list[Fields]", self._message.setdefault(_DETAILS, []))
        for raw in entries:
            entry = wire_fields.fields_of(raw, f"an entry of {_DETAILS}")
            before = details[-1] if details else {}
            same = all(before.get(key) == entry.get(key) for key in ("type", "index"))
            if not before or not same or entry.get("type") == "reasoning.encrypted":
                details.append(entry)
                continue
            for key, value in entry.items():
                if key in _JOINED_IN_DETAILS and isinstance(value, str):
                    before[key] = f"{before.get(key) or ''}{value}"
                elif value is not None:
                    before[key] = value


def _join_function(call: Fields, fragment: Fields) -> None:
    """Add a fragment to a function call. A name comes whole, and may be repeated."""
    for key, value in fragment.items():
        if key in ("arguments", "input") and isinstance(value, str) and isinstance(call.get(key, ""), str):
            call[key] = f"{call.get(key, '')}{value}"
        elif value is not None and value != "":
            call[key] = value


def _first_choice(fields: Fields) -> Fields | None:
    choices = fields.get("choices")
    if not isinstance(choices, list | tuple) or not choices:
        return None
    return wire_fields.fields_of(cast("Sequence[object]", choices)[0], "a choice")


def _completion(message: Fields, finish: object, model: object, usage: object) -> Completion:
    said = {key: value for key, value in message.items() if key == "content" or not _is_empty(value)}
    said["role"] = "assistant"
    said.setdefault("content", None)
    if "tool_calls" in said:
        said["tool_calls"] = _identified(wire_fields.items_of(said["tool_calls"], "tool_calls"))
    for key in REASONING_FIELDS[1:]:
        if said.get(key) == said.get(REASONING_FIELDS[0]):
            said.pop(key, None)
    found = replace(
        parse_message(said)[0],
        model=model if isinstance(model, str) else "",
        usage=find_usage(usage) if usage is not None else None,
    )
    reason = _FINISH.get(wire_fields.word(finish), "other")
    if found.calls and reason in ("stop", "other"):
        reason = "tool_calls"
    elif "refusal" in said and reason == "stop":
        reason = "refused"
    texts = [part for part in found.parts if isinstance(part, Text)]
    shown = "".join(part.text for part in texts if not _is_block(part))
    return Completion(shown, found.usage, reason, found.model, found.calls, found)


def _identified(calls: Sequence[object]) -> list[Fields]:
    """Return the calls, each with an id and a type."""
    found: list[Fields] = []
    for place, raw in enumerate(calls, 1):
        call = wire_fields.fields_of(raw, "a tool call")
        kind = call.get("type") or "function"
        found.append({**call, "id": call.get("id") or f"call_{place}", "type": kind})
    return found


def _is_block(part: Text) -> bool:
    return bool(part.extra) and bool(wire_fields.unpack(part.extra)[1].get(wire_fields.BLOCK))


def _is_empty(value: object) -> bool:
    return value is None or value in ("", [])
