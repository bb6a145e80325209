"""Factory's Droid: session files with content in Anthropic's form, and the JSON lines that `droid exec` prints.

- A session file begins with `session_start`; messages are a tree by `id` and `parentId`.
- A stream has one event a line. Its `completion` repeats the last answer where that was said before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.formats.transcripts.message_tree import Draft, Node
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    arguments_text,
    as_object,
    as_text,
    json_text,
    lines,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk, anthropic_block, blocks
from palimpsest.formats.usage import find_usage
from palimpsest.record.message import Text, ToolCall, ToolResult

NAME = "droid"


@dataclass(slots=True)
class _Reader:
    talk: Talk = field(default_factory=lambda: Talk(Skips()))
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    session: str = ""
    cwd: str = ""
    model: str = ""

    def line(self, number: int, line: JsonObject) -> None:
        """Read one line."""
        kind, own = as_text(line.get("type")), as_text(line.get("id"))
        facts = Draft("user", [], time_s(line.get("timestamp")), own, wire="anthropic")
        named = as_text(line.get("session_id")) or as_text(line.get("sessionId"))
        self.session = self.session or named or (own if kind == "session_start" else "")
        match kind:
            case "session_start" | "system":
                self.cwd = as_text(line.get("cwd")) or self.cwd
                self.model = as_text(line.get("model")) or self.model
                self.talk.title = as_text(line.get("sessionTitle")) or as_text(line.get("title"))
                self.talk.skipped.leave_out(kind)
            case "message":
                self.message(number, line, own, facts)
            case "reasoning":
                self.talk.skipped.leave_out(kind)
            case "tool_call":
                call_id = as_text(line.get("toolCallId")) or own
                call = ToolCall(
                    call_id, as_text(line.get("toolName")), arguments_text(line.get("parameters"))
                )
                self.talk.say("assistant", [call], facts)
            case "tool_result":
                value = line.get("value", line.get("error"))
                content = (Text(json_text(value)),) if value else ()
                call_id = as_text(line.get("toolCallId")) or own
                self.talk.say("user", [ToolResult(call_id, content, line.get("isError") is True)], facts)
            case "completion":
                words = as_text(line.get("finalText"))
                facts.usage = find_usage(as_object(line.get("usage"))) if "usage" in line else None
                tip = self.talk.tree.tip
                if words and not (tip.kind == "assistant" and Text(words) in tip.head.parts):
                    self.talk.say("assistant", [Text(words)], facts)
            case _:
                self.talk.skipped.leave_out(kind)

    def message(self, number: int, line: JsonObject, own: str, facts: Draft) -> None:
        """Read a message of a session file, or one of a stream."""
        body = as_object(line.get("message")) or line
        content = body.get("content") if "content" in body else body.get("text")
        role = as_text(body.get("role"))
        parts = blocks(content, self.talk.skipped, number, anthropic_block)
        facts.model = (as_text(body.get("model")) or self.model) if role == "assistant" else ""
        at = self.nodes.get(as_text(line.get("parentId")))
        node = self.talk.spoken(number, role, parts, facts, at)
        if own and "message" in line:
            self.nodes[own] = node


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    reader = _Reader()
    for number, line in lines(source.data):
        if isinstance(line, Skipped):
            reader.talk.skipped.append(line)
        else:
            reader.line(number, line)
    found = reader.talk.transcript(NAME, source.path, reader.session, cwd=reader.cwd)
    return reader.talk.skipped.reading([found] if found else [])


def detect(head: Head) -> bool:
    """Return whether a file is a session or a stream of Droid."""
    first = head.rows[0] if head.rows else {}
    if first.get("type") == "session_start" and isinstance(first.get("id"), str):
        return True
    named = "session_id" in first or "sessionId" in first
    if first.get("type") == "system":
        return named and any(
            as_text(row.get("type")) in {"tool_call", "completion"} or "text" in row for row in head.rows[1:]
        )
    return named and first.get("type") == "message" and "text" in first and "role" in first
