"""Making any history valid in its tool groups, in whatever order results arrived.

- A result answers the call of its id in the newest assistant message before it. Once the assistant has spoken again,
  its calls can no longer be answered.
- Results directly follow their assistant message, in order of arrival; messages between them move behind them.
- An unanswered call gets `MISSING_RESULT`, marked as an error, because no provider accepts an unanswered call.
- A result that answers nothing (late, repeated, or without a call) becomes a user message in its place that says so,
  with its content and media. A call outside an assistant message becomes text too.
- Call ids within one message are made distinct and non-empty.
- Only opaque parts are dropped, unless the wire takes them; valid messages are passed on as the same objects.

Stability: the result for a message depends only on what precedes it and, for an assistant message with calls, on what
follows up to the next assistant message. So once all calls are answered, more messages only add to the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from palimpsest.formats.valid_names import unused
from palimpsest.record.message import Message, Opaque, Part, Text, ToolCall, ToolResult

MISSING_RESULT = "[no result was recorded for this call]"
NO_ID = "call"
_TOOL_PARTS: frozenset[type[Part]] = frozenset((ToolCall, ToolResult))
_LATE = "[result of tool call {id}, which came after the conversation had moved on]"
_SECOND = "[second result of tool call {id}]"
_ORPHAN = "[tool result without its call, id {id}]"


@dataclass(slots=True)
class _Zone:
    """The messages from one assistant message to the next: the answers to its calls, and everything else in order."""

    waiting: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    wire: str = ""
    answers: list[Message] = field(default_factory=list[Message])
    rest: list[Message] = field(default_factory=list[Message])


def pair_tool_groups(messages: Sequence[Message], *, opaque: bool = False) -> tuple[Message, ...]:
    """Return the history with every call answered directly behind its message, and no result without a call. Without
    `opaque`, it has no opaque parts.
    """
    out: list[Message] = []
    zone = _Zone()
    seen: dict[str, bool] = {}
    for given in messages:
        message = given
        if not opaque and Opaque in map(type, given.parts):
            parts = tuple(part for part in given.parts if not isinstance(part, Opaque))
            if not parts:
                continue
            message = replace(given, parts=parts)
        if message.role == "assistant":
            _close(zone, out, seen)
            zone = _opened(message, out, seen)
        elif not _TOOL_PARTS.isdisjoint(map(type, message.parts)):
            _take(message, zone, seen)
        else:
            zone.rest.append(message if message.role != "tool" else replace(message, role="user", name=""))
    _close(zone, out, seen)
    return tuple(out)


def _close(zone: _Zone, out: list[Message], seen: dict[str, bool]) -> None:
    """Emit a zone: answers, placeholders for missing ones, and the rest."""
    out.extend(zone.answers)
    missing = [call_id for call_ids in zone.waiting.values() for call_id in reversed(call_ids)]
    if missing:
        results = tuple(ToolResult(call_id, (Text(MISSING_RESULT),), is_error=True) for call_id in missing)
        out.append(Message("tool", results, wire=zone.wire))
    out.extend(zone.rest)
    seen.update((call_id, not left) for call_id, left in zone.waiting.items())


def _opened(message: Message, out: list[Message], seen: dict[str, bool]) -> _Zone:
    """Emit an assistant message with distinct call ids, and return the zone in which its calls can be answered."""
    if _TOOL_PARTS.isdisjoint(map(type, message.parts)):
        out.append(message)
        return _Zone()
    ids = [part.id for part in message.parts if type(part) is ToolCall]
    results = message.results
    zone = _Zone(wire=message.wire)
    if results:
        message = replace(
            message, parts=tuple(part for part in message.parts if not isinstance(part, ToolResult))
        )
    if len(set(ids)) == len(ids) and "" not in ids:
        zone.waiting = {call_id: [call_id] for call_id in ids}
    else:
        message = _distinct(message, zone.waiting)
    out.append(message)
    if results:
        _take(Message("tool", results, wire=message.wire), zone, seen)
    return zone


def _distinct(message: Message, waiting: dict[str, list[str]]) -> Message:
    """Return the message with a distinct id for every call; `waiting` gets the new ids of each old one, last first."""
    used = {call.id: 1 for call in message.calls if call.id}
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, ToolCall):
            call_id = part.id
            if not call_id or call_id in waiting:
                call_id = unused(call_id or NO_ID, used)
            waiting.setdefault(part.id, []).insert(0, call_id)
            parts.append(part if call_id == part.id else replace(part, id=call_id))
        else:
            parts.append(part)
    return replace(message, parts=tuple(parts))


def _take(message: Message, zone: _Zone, seen: dict[str, bool]) -> None:
    """Add a message with results (or misplaced calls) to the zone: its answers, and the rest of it."""
    answers: list[Part] = []
    left: list[Message] = []
    kept: list[Part] = []
    for part in message.parts:
        if not isinstance(part, ToolResult):
            kept.append(call_note(part) if isinstance(part, ToolCall) else part)
        elif waiting := zone.waiting.get(part.call_id):
            call_id = waiting.pop()
            answers.append(part if call_id == part.call_id else replace(part, call_id=call_id))
        else:
            if kept:
                left.append(_remainder(message, kept))
                kept = []
            left.append(_note(part, message, zone, seen))
    if kept:
        left.append(_remainder(message, kept))
    if len(answers) == len(message.parts) and message.role == "tool":
        unchanged = all(new is old for new, old in zip(answers, message.parts, strict=True))
        zone.answers.append(message if unchanged else replace(message, parts=tuple(answers)))
    elif answers:
        zone.answers.append(replace(message, role="tool", parts=tuple(answers), extra=""))
    zone.rest.extend(left)


def _remainder(message: Message, kept: Sequence[Part]) -> Message:
    """Return a message without its results."""
    if message.role == "tool":
        return replace(message, role="user", name="", parts=tuple(kept), extra="")
    return replace(message, parts=tuple(kept))


def _note(result: ToolResult, message: Message, zone: _Zone, seen: dict[str, bool]) -> Message:
    """Return a result that answers nothing as a user message that says why, with the content."""
    if result.call_id in zone.waiting or seen.get(result.call_id):
        why = _SECOND
    elif result.call_id in seen:
        why = _LATE
        seen[result.call_id] = True
    else:
        why = _ORPHAN
    content: list[Part] = [Text(part.text) if isinstance(part, Text) else part for part in result.content]
    header = why.format(id=result.call_id)
    if content and isinstance(content[0], Text):
        content[0] = Text(f"{header}\n{content[0].text}")
    else:
        content.insert(0, Text(header))
    return Message("user", tuple(content), time_s=message.time_s, wire=message.wire)


def call_note(call: ToolCall) -> Text:
    """Return a call as text, for places where no call can be."""
    return Text(f"[tool call {call.name} {call.arguments}]")
