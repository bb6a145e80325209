"""Kimi's command line: `wire.jsonl` of its newer form, and `context.jsonl` of its older one.

- `wire.jsonl` begins with its protocol version. Messages are appended to the context whole, or as events of a loop: the
  parts, calls and results of one step are an assistant message with its results. What only repeats them (`turn.prompt`)
  or counts (`llm.request`) is left out by kind.
- A compaction's summary stands for the messages that it compacted.
- `context.jsonl` has messages in OpenAI's form, and marks whose role begins with `_`.
- `state.json`, in the session's folder, has its title and folder. A subagent's file names its parent by its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.formats import media
from palimpsest.formats.transcripts.message_tree import Draft, Node, Tree
from palimpsest.formats.transcripts.picoclaw import say_chat
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
    decode,
    is_list,
    json_text,
    lines,
    normalized,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk, blocks, counted
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult

NAME = "kimi"
_MEDIA = ("image_url", "audio_url", "video_url", "imageUrl", "audioUrl", "videoUrl")


@dataclass(slots=True)
class _Reader:
    talk: Talk = field(default_factory=lambda: Talk(Skips(), Tree(grows=True, strict=True)))
    model: str = ""
    cwd: str = ""
    step: str = ""
    node: Node | None = None

    def line(self, number: int, line: JsonObject) -> None:
        """Read one line."""
        kind, role = as_text(line.get("type")), as_text(line.get("role"))
        facts = Draft("user", [], time_s(line.get("time")), "", self.model)
        match kind:
            case "context.append_message":
                self.message(number, as_object(line.get("message")), facts)
            case "context.append_loop_event":
                self.event(number, as_object(line.get("event")), facts)
            case "context.apply_compaction":
                text = as_text(line.get("contextSummary")) or as_text(line.get("summary"))
                self.talk.compacted(text, self.talk.length, facts.time_s)
            case "config.update" | "profile.bind":
                self.model = as_text(line.get("modelAlias")) or self.model
                self.cwd = as_text(line.get("cwd")) or self.cwd
                prompt = as_text(line.get("systemPrompt"))
                self.talk.system.extend([prompt] if prompt and prompt not in self.talk.system else [])
            case "" if role.startswith("_") and role != "_system_prompt":
                self.talk.skipped.leave_out(role)
            case "" if role:
                say_chat(self.talk, {**line, "role": "system"} if role == "_system_prompt" else line, number)
            case _:
                self.talk.skipped.leave_out(kind)

    def message(self, number: int, message: JsonObject, facts: Draft) -> None:
        """Read a message that was appended whole."""
        parts = blocks(message.get("content"), self.talk.skipped, number, _block)
        role = as_text(message.get("role"))
        for item in as_list(message.get("toolCalls")):
            asked = as_object(item)
            asked = as_object(asked.get("function")) | asked
            name, arguments = as_text(asked.get("name")), asked.get("arguments", asked.get("args"))
            parts.append(ToolCall(as_text(asked.get("id")), name, arguments_text(arguments)))
        if role == "tool":
            said = tuple(part for part in parts if isinstance(part, Text | Media))
            parts = [ToolResult(as_text(message.get("toolCallId")), said)]
        facts.model = self.model if role == "assistant" else ""
        self.talk.spoken(number, role, parts, facts)

    def event(self, number: int, event: JsonObject, facts: Draft) -> None:
        """Read an event of the loop."""
        kind, step = as_text(event.get("type")), as_text(event.get("stepUuid"))
        parts: list[Part] = []
        if kind == "content.part":
            parts = blocks(event.get("part"), self.talk.skipped, number, _block)
        elif kind == "tool.call":
            call_id, name = as_text(event.get("toolCallId")), as_text(event.get("name"))
            parts = [ToolCall(call_id, name, arguments_text(event.get("args")))]
        elif kind == "tool.result":
            self.talk.say("user", [_result(event)], facts)
            return
        elif kind == "step.end" and self.node is not None and self.node.kind == "assistant":
            raw = as_object(event.get("usage"))
            names = ("inputOther", "output", "inputCacheRead", "inputCacheCreation")
            self.node.head.usage = counted(raw, *names) or self.node.head.usage
            self.node.built, self.node.open = None, False
        if parts and self.node is not None and step == self.step:
            self.node = self.talk.go_on(self.node, parts, facts)
        elif parts:
            self.step, self.node = step, self.talk.say("assistant", parts, facts)


def _result(event: JsonObject) -> ToolResult:
    result = as_object(event.get("result"))
    output = result.get("output", event.get("result"))
    skipped = Skips()
    said = (
        blocks(output, skipped, 0, _block)
        if isinstance(output, str) or is_list(output)
        else [Text(json_text(output))]
    )
    if skipped.first:
        said = [Text(json_text(output))]
    content = tuple(part for part in said if isinstance(part, Text | Media))
    failed = result.get("isError") is True or result.get("is_error") is True
    return ToolResult(as_text(event.get("toolCallId")), content, is_error=failed)


def _block(block: JsonObject) -> list[Part]:
    kind = as_text(block.get("type"))
    if kind == "think":
        return [Reasoning(as_text(block.get("think")), as_text(block.get("encrypted")))]
    for key in _MEDIA:
        held = block.get(key)
        address = as_text(as_object(held).get("url")) or as_text(held)
        if address:
            return [media.from_uri(address, key[:5])]
    return [Text(as_text(block.get("text")) or json_text(block))]


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    reader = _Reader()
    state: JsonObject = {}
    for data in source.related.values():
        try:
            state = as_object(decode(normalized(data).strip()))
        except ValueError:
            reader.talk.skipped.append(Skipped(1, "state.json: broken JSON"))
    for number, line in lines(source.data):
        if isinstance(line, Skipped):
            reader.talk.skipped.append(line)
        else:
            reader.line(number, line)
    own, parent = _names(source.path)
    reader.talk.title = as_text(state.get("title")) if not parent else ""
    cwd = as_text(state.get("workDir")) or reader.cwd
    found = reader.talk.transcript(NAME, source.path, own, parent, cwd)
    return reader.talk.skipped.reading([found] if found else [])


def _names(path: str) -> tuple[str, str]:
    """Return the ids of a session and of its parent from its place: `<session>/agents/<agent>/wire.jsonl`."""
    folders = path.replace("\\", "/").split("/")[:-1]
    if len(folders) > 2 and folders[-2] == "agents":
        session, agent = folders[-3], folders[-1]
        return (session, "") if agent == "main" else (f"{session}:{agent}", session)
    return "", ""


def related(source: Source) -> tuple[str, ...]:
    """Return the file that describes the session."""
    return ("../../state.json",) if _names(source.path)[0] else ("state.json",)


def detect(head: Head) -> bool:
    """Return whether a file is a session of Kimi."""
    first = head.rows[0] if head.rows else {}
    if first.get("type") == "metadata" and "protocol_version" in first:
        return True
    marks = {"_checkpoint", "_usage", "_system_prompt"}
    chats = all(isinstance(row.get("role"), str) and "type" not in row for row in head.rows)
    return bool(head.rows) and chats and any(as_text(row.get("role")) in marks for row in head.rows)
