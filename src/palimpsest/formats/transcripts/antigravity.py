"""Antigravity CLI's session files: one step of the agent a line.

- A planner's response is an assistant message with its thinking and calls. A step of another type that the model took
  is the result of the next call without one; calls and results have no ids.
- The text of an argument is JSON in a string, and stays as it is written.
- A checkpoint is the program's own compaction: it stands for the messages before it.
"""

from __future__ import annotations

from palimpsest.formats.transcripts.message_tree import Draft
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    arguments_text,
    as_list,
    as_object,
    as_text,
    json_text,
    lines,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk
from palimpsest.record.message import Part, Reasoning, Text, ToolCall, ToolResult

NAME = "antigravity"
_SIGNS = {"step_index", "source", "type", "status"}


def _step(talk: Talk, number: int, step: JsonObject) -> None:
    kind, origin = as_text(step.get("type")), as_text(step.get("source"))
    content = step.get("content")
    words = [Text(json_text(content))] if content else []
    facts = Draft("user", [], time_s(step.get("created_at")), "")
    if kind == "PLANNER_RESPONSE":
        parts: list[Part] = [Reasoning(as_text(step.get("thinking"))), *words]
        for item in as_list(step.get("tool_calls")):
            asked = as_object(item)
            parts.append(ToolCall("", as_text(asked.get("name")), arguments_text(asked.get("args"))))
        talk.say("assistant", parts, facts)
    elif kind == "CHECKPOINT":
        talk.compacted(as_text(content), talk.length, facts.time_s)
    elif not words:
        talk.skipped.leave_out(kind)
    elif origin == "MODEL":
        if not any(True for _ in talk.tree.tip.unanswered()):
            call = ToolCall("", kind.lower(), "{}")
            talk.say("assistant", [call], Draft("user", [], facts.time_s, ""))
        talk.say("user", [ToolResult("", tuple(words))], facts)
    else:
        talk.say("user", words, facts)


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    talk = Talk(Skips())
    for number, line in lines(source.data):
        if isinstance(line, Skipped):
            talk.skipped.append(line)
        elif line.keys() >= _SIGNS:
            _step(talk, number, line)
        else:
            talk.skipped.append(Skipped(number, "no step of the agent"))
    found = talk.transcript(NAME, source.path)
    return talk.skipped.reading([found] if found else [])


def detect(head: Head) -> bool:
    """Return whether the first lines of a file are steps of Antigravity."""
    return bool(head.rows) and all(row.keys() >= _SIGNS for row in head.rows[:5])
