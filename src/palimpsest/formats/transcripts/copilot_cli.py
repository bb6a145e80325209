"""GitHub Copilot CLI's sessions: `events.jsonl`, one event a line as `{type, data, id, timestamp, parentId}`.

- A prompt is what the model saw (`transformedContent`): the user's words with what the program added. A skill's text
  and the program's notifications are prompts too.
- An assistant message may come in chunks, and its reasoning in an event before it. A call that no message asked for is
  taken from its start.
- Events of a subagent name the call that started it: they are a conversation of their own.
- A compaction's summary stands for the messages before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.formats.transcripts.message_tree import Draft, Tree
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    arguments_text,
    as_count,
    as_list,
    as_object,
    as_text,
    json_text,
    lines,
    made_id,
    stem,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult, Usage

NAME = "copilot_cli"
MAX_AGENTS = 10_000


@dataclass(slots=True)
class _Reader:
    skipped: Skips = field(default_factory=Skips)
    talks: dict[str, Talk] = field(default_factory=dict[str, Talk])
    session: str = ""
    cwd: str = ""
    model: str = ""
    message: str = ""

    def event(self, event: JsonObject) -> None:
        """Read one event."""
        kind, data = as_text(event.get("type")), as_object(event.get("data"))
        agent = as_text(data.get("parentToolCallId"))
        if agent not in self.talks and len(self.talks) < MAX_AGENTS:
            self.talks[agent] = Talk(self.skipped, Tree(grows=True, strict=True))
        talk = self.talks.get(agent) or next(iter(self.talks.values()))
        facts = Draft("user", [], time_s(event.get("timestamp")), as_text(event.get("id")))
        match kind:
            case "session.start" | "session.resume" | "session.model_change":
                context = as_object(data.get("context"))
                self.session = self.session or as_text(data.get("sessionId"))
                self.cwd = self.cwd or as_text(context.get("cwd"))
                self.model = as_text(data.get("newModel")) or as_text(data.get("selectedModel")) or self.model
                self.skipped.leave_out(kind)
            case "user.message":
                words = as_text(data.get("transformedContent")) or as_text(data.get("content"))
                files = [as_text(as_object(one).get("path")) for one in as_list(data.get("attachments"))]
                talk.say("user", [Text(words), *(Media("file", uri=one) for one in files)], facts)
            case "system.message":
                talk.say("system", [Text(as_text(data.get("content")))], facts)
            case "system.notification" | "skill.invoked":
                talk.say("user", [Text(as_text(data.get("content")))], facts)
            case "assistant.message" | "assistant.reasoning":
                self.answer(talk, data, facts, thinks=kind == "assistant.reasoning")
            case "tool.execution_start" if as_text(data.get("toolCallId")) not in talk.tree.asked:
                call = ToolCall(
                    as_text(data.get("toolCallId")),
                    as_text(data.get("toolName")),
                    arguments_text(data.get("arguments")),
                )
                talk.go_on(talk.tree.tip, [call], facts)
            case "tool.execution_start":
                pass
            case "tool.execution_complete":
                talk.say("user", [_result(data)], facts)
            case "session.compaction_complete" if as_text(data.get("summaryContent")):
                talk.compacted(as_text(data["summaryContent"]), talk.length, facts.time_s)
            case _:
                self.skipped.leave_out(kind)

    def answer(self, talk: Talk, data: JsonObject, facts: Draft, *, thinks: bool) -> None:
        """Read a piece of an assistant message."""
        facts.model = as_text(data.get("model")) or self.model
        output = as_count(data.get("outputTokens"))
        facts.usage = Usage(output_tokens=output) if output else None
        content = as_text(data.get("content"))
        thought = content if thinks else as_text(data.get("reasoningText"))
        tip = talk.tree.tip
        known = tip.head.parts if tip.kind == "assistant" else []
        parts: list[Part] = [Reasoning(thought)] if thought and Reasoning(thought) not in known else []
        parts += [Text(content)] if content and not thinks else []
        for item in as_list(data.get("toolRequests")):
            asked = as_object(item)
            call_id, name = as_text(asked.get("toolCallId")), as_text(asked.get("name"))
            if call_id not in talk.tree.asked:
                parts.append(ToolCall(call_id, name, arguments_text(asked.get("arguments"))))
        own = as_text(data.get("messageId"))
        same = bool(own) and own == self.message
        self.message = own
        if same or (known and all(isinstance(part, Reasoning) for part in known)):
            if parts:
                talk.go_on(tip, parts, facts)
        else:
            talk.say("assistant", parts, facts)


def _result(data: JsonObject) -> ToolResult:
    result, error = as_object(data.get("result")), as_object(data.get("error"))
    words = result.get("content") or error.get("message") or result.get("detailedContent")
    content = (Text(json_text(words)),) if words else ()
    return ToolResult(as_text(data.get("toolCallId")), content, is_error=data.get("success") is False)


def read(source: Source) -> Reading:
    """Return the session in `source`, and those of its subagents."""
    reader = _Reader()
    for _, line in lines(source.data):
        if isinstance(line, Skipped):
            reader.skipped.append(line)
        else:
            reader.event(line)
    own = reader.session or made_id(source.path, ())
    if not reader.session and stem(source.path) != "events":
        own = stem(source.path)
    found = [
        talk.transcript(
            NAME, source.path, f"{own}:{agent}" if agent else own, own if agent else "", reader.cwd
        )
        for agent, talk in sorted(reader.talks.items(), key=lambda item: bool(item[0]))
    ]
    return reader.skipped.reading([one for one in found if one])


def detect(head: Head) -> bool:
    """Return whether the first lines of a file are events of Copilot CLI."""
    rows = head.rows[:20]
    formed = all(isinstance(row.get("data"), dict) and "." in as_text(row.get("type")) for row in rows[:1])
    kinds = {as_text(row.get("type")) for row in rows}
    known = {"session.start", "user.message", "assistant.message", "assistant.turn_start"}
    return bool(rows) and formed and bool(kinds & known)
