"""Parsing a generateContent response, whole or in chunks, into a `Completion`. A client's own objects are read as the
dicts they dump to.

- The reply's `Message` holds every part as sent: thoughts, calls and code with their signatures.
- A chunk has whole parts without an index: text after text, and thought after thought, are joined. A signature closes
  its part; one with an empty text belongs to the text before it.
- Gemini finishes with "STOP" behind function calls; the calls decide. A blocked prompt is refused without a
  candidate.
- Token counts come with every chunk, and the last ones count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import wire_fields
from palimpsest.formats.gemini.parse import SIGNATURE, parse_message
from palimpsest.formats.usage import find_usage
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.completion import Completion, Delta, FinishReason, ReasoningDelta, TextDelta
from palimpsest.record.message import Text

_FINISH: dict[object, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
    "MODEL_ARMOR": "refused",
    "IMAGE_SAFETY": "refused",
    "IMAGE_PROHIBITED_CONTENT": "refused",
    "IMAGE_RECITATION": "refused",
}
_SNAKE_SIGNATURE = "thought_signature"
_WORDS = frozenset(("text", "thought", SIGNATURE, _SNAKE_SIGNATURE))


def parse_reply(body: object) -> Completion:
    """Parse a response into a `Completion`. Raises FormatError if it has neither a candidate nor a block reason."""
    fields = wire_fields.fields_of(body, "a Gemini response")
    candidate = _candidate(fields)
    if candidate is None and _blocked(fields) is None:
        raise FormatError(
            "a Gemini response has no candidates", hint="it must hold one, or say why the prompt was blocked"
        )
    return _completion(candidate or {}, fields)


class StreamParser:
    """Takes chunks, returns deltas, and the whole reply at the end."""

    def __init__(self) -> None:
        self._fields: Fields = {}
        self._candidate: Fields = {}
        self._parts: list[Fields] = []

    def feed(self, event: object) -> list[Delta]:
        """Take one chunk and return what it adds. Raises FormatError for another shape."""
        chunk = wire_fields.fields_of(event, "a chunk")
        self._fields.update((key, value) for key, value in chunk.items() if value is not None)
        candidate = _candidate(chunk)
        if candidate is None:
            return []
        self._candidate.update((key, value) for key, value in candidate.items() if value is not None)
        found: list[Delta] = []
        for raw in _parts(candidate):
            part = wire_fields.fields_of(raw, "a part of a chunk")
            self._add(part)
            text = part.get("text")
            if isinstance(text, str) and text:
                found.append(ReasoningDelta(text) if part.get("thought") is True else TextDelta(text))
        return found

    def finish(self) -> Completion:
        """Return the whole reply. Its finish reason is "other" if no chunk gave one."""
        content: Fields = {"role": "model", "parts": self._parts}
        return _completion({**self._candidate, "content": content}, self._fields)

    def _add(self, part: Fields) -> None:
        before = self._parts[-1] if self._parts else None
        if before is None or not _joins(before, part):
            self._parts.append(part)
            return
        before["text"] = f"{before.get('text') or ''}{part.get('text') or ''}"
        before.update((key, part[key]) for key in (SIGNATURE, _SNAKE_SIGNATURE) if part.get(key))


def _joins(before: Fields, part: Fields) -> bool:
    """Return whether a part continues the text of the one before it."""
    same = (before.get("thought") is True) == (part.get("thought") is True)
    return same and _is_words(before) and _is_words(part) and not _signature(before)


def _is_words(part: Fields) -> bool:
    return all(key in _WORDS or value is None for key, value in part.items())


def _signature(part: Fields) -> object:
    return part.get(SIGNATURE) or part.get(_SNAKE_SIGNATURE)


def _either(fields: Fields, name: str, snake: str) -> object:
    found = fields.get(name)
    return fields.get(snake) if found is None else found


def _candidate(fields: Fields) -> Fields | None:
    candidates = fields.get("candidates")
    if not isinstance(candidates, list | tuple) or not candidates:
        return None
    return wire_fields.fields_of(cast("Sequence[object]", candidates)[0], "a candidate")


def _parts(candidate: Fields) -> Sequence[object]:
    content = candidate.get("content")
    if content is None:
        return ()
    parts = wire_fields.fields_of(content, "the content of a candidate").get("parts")
    return () if parts is None else wire_fields.items_of(parts, "the parts of a candidate")


def _blocked(fields: Fields) -> object:
    """Return why the prompt was blocked, None if it was not."""
    feedback = _either(fields, "promptFeedback", "prompt_feedback")
    if feedback is None:
        return None
    return _either(wire_fields.fields_of(feedback, "the prompt feedback"), "blockReason", "block_reason")


def _completion(candidate: Fields, fields: Fields) -> Completion:
    content: Fields = {"role": "model", "parts": list(_parts(candidate))}
    model, usage = (
        _either(fields, "modelVersion", "model_version"),
        _either(fields, "usageMetadata", "usage_metadata"),
    )
    found = replace(
        parse_message(content)[0],
        model=model if isinstance(model, str) else "",
        usage=find_usage(usage) if usage is not None else None,
    )
    reason = _FINISH.get(wire_fields.word(_either(candidate, "finishReason", "finish_reason")), "other")
    if _blocked(fields) is not None and not found.parts:
        reason = "refused"
    elif found.calls and reason in ("stop", "other"):
        reason = "tool_calls"
    texts = [part for part in found.parts if isinstance(part, Text)]
    shown = "".join(part.text for part in texts if not wire_fields.is_whole_block(part))
    return Completion(shown, found.usage, reason, found.model, found.calls, found)
