"""Parsing a response of OpenAI's Responses API, whole or as events, into a `Completion`. An SDK's own objects are read
as the dicts they dump to.

- The message holds all items of the response (`items.parse_response_items`), so that they go out again as they came.
- The completed items of a stream count, and the final event for what they lack. OpenAI's reference says so of encrypted
  reasoning, and some servers repeat no items in the final event.
- A response that ended early gives its reason. Truncated items are kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import wire_fields
from palimpsest.formats.openai.items import is_refusal, is_words, parse_response_items
from palimpsest.formats.usage import find_usage
from palimpsest.formats.wire_fields import Fields
from palimpsest.record.completion import Completion, Delta, FinishReason, ReasoningDelta, TextDelta
from palimpsest.record.message import Text

COMPLETED, INCOMPLETE, FAILED = "response.completed", "response.incomplete", "response.failed"
ITEM_DONE = "response.output_item.done"
_TEXT_DELTAS = ("response.output_text.delta", "response.refusal.delta")
_REASONING_DELTAS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_CUT: dict[str, FinishReason] = {"max_output_tokens": "length", "content_filter": "refused"}
_UNFINISHED = ("failed", "cancelled", "queued", "in_progress")


def parse_reply(body: object) -> Completion:
    """Parse a whole response into a `Completion`. Raises FormatError if it has no items, or was not finished."""
    fields = wire_fields.fields_of(body, "a response")
    if fields.get("status") in _UNFINISHED:
        raise FormatError(f"the response is {fields['status']}", hint="ask again")
    output = wire_fields.items_of(fields.get("output"), "the output of a response")
    found = parse_response_items([wire_fields.fields_of(item, "an item of a response") for item in output])
    model, usage = fields.get("model"), fields.get("usage")
    message = replace(
        found,
        model=model if isinstance(model, str) else "",
        usage=find_usage(usage) if usage is not None else None,
    )
    texts = [part for part in message.parts if isinstance(part, Text)]
    refused = any(map(is_refusal, texts))
    return Completion(
        "".join(part.text for part in texts if is_words(part)),
        message.usage,
        _reason(fields, calls=bool(message.calls), refused=refused),
        message.model,
        message.calls,
        message,
    )


class StreamParser:
    """Takes events, returns deltas, and the whole reply at the end."""

    def __init__(self) -> None:
        self._items: dict[int, Fields] = {}
        self._response: Fields = {}

    def feed(self, event: object) -> list[Delta]:
        """Take one event and return what it adds. Raises FormatError for another shape."""
        fields = wire_fields.fields_of(event, "an event")
        kind = fields.get("type")
        if kind in _TEXT_DELTAS or kind in _REASONING_DELTAS:
            delta = wire_fields.text_of(fields.get("delta"), f"the delta of {kind}")
            made = TextDelta if kind in _TEXT_DELTAS else ReasoningDelta
            return [made(delta)] if delta else []
        if kind == ITEM_DONE:
            place = fields.get("output_index")
            item = wire_fields.fields_of(fields.get("item"), f"the item of {kind}")
            self._items[place if isinstance(place, int) else max(self._items, default=-1) + 1] = item
        elif kind in (COMPLETED, INCOMPLETE):
            self._response = wire_fields.fields_of(fields.get("response"), f"the response of {kind}")
        return []

    def finish(self) -> Completion:
        """Return the whole reply. Its finish reason is "other" if no event ended it."""
        output = self._response.get("output")
        told = dict(enumerate(cast("list[object]", output) if isinstance(output, list) else ()))
        items = [item for _, item in sorted({**told, **self._items}.items())]
        return parse_reply({**self._response, "output": items})


def _reason(fields: Fields, *, calls: bool, refused: bool) -> FinishReason:
    if fields.get("status") == "incomplete":
        cause = wire_fields.nested(fields, "incomplete_details").get("reason")
        cut = _CUT.get(wire_fields.word(cause), "other")
        if cut != "other":
            return cut
    if calls:
        return "tool_calls"
    if refused:
        return "refused"
    return "stop" if fields.get("status") == "completed" else "other"
