"""Grok's command line: `chat_history.jsonl` in a folder of the session, with `summary.json` beside it.

- Reasoning stands on lines before the assistant message that it belongs to. A tool of the provider's own server
  (`backend_tool_call`) is kept whole.
- The summary file has the session's id, folder and title.
"""

from __future__ import annotations

from palimpsest.formats import media
from palimpsest.formats.transcripts.message_tree import Draft, Node, Tree
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
    clipped,
    decode,
    json_text,
    lines,
    normalized,
)
from palimpsest.formats.transcripts.talk import Talk, blocks
from palimpsest.record.message import Media, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

NAME = "grok"
KINDS = frozenset({"system", "user", "assistant", "reasoning", "tool_result", "backend_tool_call"})


def _block(block: JsonObject) -> list[Part]:
    address = as_text(block.get("url")) or as_text(as_object(block.get("image_url")).get("url"))
    return (
        [media.from_uri(address, "image")]
        if address
        else [Text(as_text(block.get("text")) or json_text(block))]
    )


def _line(talk: Talk, number: int, line: JsonObject) -> None:
    kind = as_text(line.get("type"))
    parts = blocks(line.get("content"), talk.skipped, number, _block)
    facts = Draft("user", [], None, as_text(line.get("id")), as_text(line.get("model_id")))
    match kind:
        case "system":
            talk.say("system", parts, facts)
        case "user":
            talk.say("user", parts, facts)
        case "reasoning":
            summary = blocks(line.get("summary"), talk.skipped, number, _block)
            words = "\n".join(part.text for part in [*summary, *parts] if isinstance(part, Text))
            talk.go_on(_open(talk), [Reasoning(words)], facts)
        case "backend_tool_call":
            name = as_text(as_object(line.get("kind")).get("tool_type")) or kind
            talk.go_on(_open(talk), [Opaque(name, json_text(line))], facts)
        case "assistant":
            for item in as_list(line.get("tool_calls")):
                asked = as_object(item)
                name, arguments = as_text(asked.get("name")), arguments_text(asked.get("arguments"))
                parts.append(ToolCall(as_text(asked.get("id")), name, arguments))
            talk.go_on(_open(talk), parts, facts)
        case "tool_result":
            said = tuple(part for part in parts if isinstance(part, Text | Media))
            talk.say("user", [ToolResult(as_text(line.get("tool_call_id")), said)], facts)
        case _:
            talk.skipped.append(Skipped(number, f'unknown line "{clipped(kind, 40)}"'))


def _open(talk: Talk) -> Node:
    """Return the message that a line goes on with: one of reasoning and server tools only."""
    tip = talk.tree.tip
    only = tip.kind == "assistant" and all(isinstance(part, Reasoning | Opaque) for part in tip.head.parts)
    tip.open = tip.open and only
    return tip


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    talk = Talk(Skips(), Tree(grows=True, strict=True))
    about: JsonObject = {}
    for data in source.related.values():
        try:
            about = as_object(decode(normalized(data).strip()))
        except ValueError:
            talk.skipped.append(Skipped(1, "summary.json: broken JSON"))
    for number, line in lines(source.data):
        if isinstance(line, Skipped):
            talk.skipped.append(line)
        else:
            _line(talk, number, line)
    info = as_object(about.get("info"))
    talk.title = as_text(about.get("generated_title")) or as_text(about.get("session_summary"))
    found = talk.transcript(NAME, source.path, as_text(info.get("id")), cwd=as_text(info.get("cwd")))
    return talk.skipped.reading([found] if found else [])


def related(source: Source) -> tuple[str, ...]:
    """Return the file that describes the session."""
    return ("summary.json",)


def detect(head: Head) -> bool:
    """Return whether the lines of a file are Grok's: typed, with content, and none with a message or a tree of ids."""
    kinds = [as_text(row.get("type")) for row in head.rows]
    formed = all("content" in row or "summary" in row or "kind" in row for row in head.rows)
    foreign = any({"uuid", "message", "sessionId", "parentId"} & row.keys() for row in head.rows)
    return bool(kinds) and set(kinds) <= KINDS and formed and not foreign
