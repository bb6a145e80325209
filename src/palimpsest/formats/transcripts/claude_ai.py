"""Exports of claude.ai: `conversations.json`, an array of conversations; or one conversation as an object.

- A message has its text and, in newer exports, content blocks: the same text, with the tools' calls and results.
- The text of an attachment was shown to the model: it is a part of the message, below its name. A file is named.
- Messages with a parent form a tree.
"""

from __future__ import annotations

from palimpsest.formats.transcripts.message_tree import Draft, Node
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    Transcript,
    as_list,
    as_object,
    as_text,
    clipped,
    conversations,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk, anthropic_block, blocks
from palimpsest.record.message import Media, Part, Role, Text

NAME = "claude_ai"
_ROLES: dict[str, Role] = {"human": "user", "assistant": "assistant"}


def read(source: Source) -> Reading:
    """Return the conversations in `source`."""
    skipped, found = Skips(), list[Transcript]()
    for number, item in conversations(source.data):
        if isinstance(item, Skipped):
            skipped.append(item)
        elif isinstance(item.get("chat_messages"), list):
            transcript = _conversation(item, Talk(skipped), source.path)
            found.extend([transcript] if transcript else [])
        else:
            skipped.append(Skipped(number, "no conversation"))
    return skipped.reading(found)


def _conversation(raw: JsonObject, talk: Talk, path: str) -> Transcript | None:
    nodes: dict[str, Node] = {}
    talk.title = as_text(raw.get("name"))
    for number, item in enumerate(as_list(raw.get("chat_messages")), 1):
        message = as_object(item)
        own, role = as_text(message.get("uuid")), _ROLES.get(as_text(message.get("sender")))
        if role is None:
            talk.skipped.append(
                Skipped(number, f'unknown sender "{clipped(as_text(message.get("sender")), 40)}"')
            )
            continue
        facts = Draft("user", [], time_s(message.get("created_at")), own, wire="anthropic")
        facts.model = as_text(raw.get("model")) if role == "assistant" else ""
        at = nodes.get(as_text(message.get("parent_message_uuid")))
        nodes[own] = talk.say(role, _parts(message, talk.skipped, number), facts, at)
    return talk.transcript(NAME, path, as_text(raw.get("uuid")))


def _parts(message: JsonObject, skipped: Skips, number: int) -> list[Part]:
    parts = blocks(message.get("content"), skipped, number, _block)
    words = as_text(message.get("text"))
    if words and not any(isinstance(part, Text) for part in parts):
        parts.append(Text(words))
    for item in as_list(message.get("attachments")):
        held = as_object(item)
        lines = (as_text(held.get("file_name")), as_text(held.get("extracted_content")))
        parts.append(Text("\n".join(one for one in lines if one)))
    known = {as_text(as_object(one).get("file_name")) for one in as_list(message.get("attachments"))}
    for key in ("files", "files_v2"):
        for item in as_list(message.get(key)):
            name = as_text(as_object(item).get("file_name"))
            parts.extend([Media("file", uri=name)] if name and name not in known else [])
            known.add(name)
    return parts


def _block(block: JsonObject) -> list[Part]:
    """Return a block without what only the page shows."""
    shown = {
        "type",
        "text",
        "thinking",
        "signature",
        "id",
        "name",
        "input",
        "tool_use_id",
        "content",
        "is_error",
    }
    kind = as_text(block.get("type"))
    known = kind in {"text", "thinking", "tool_use", "tool_result"}
    return anthropic_block({key: one for key, one in block.items() if key in shown} if known else block)


def detect(head: Head) -> bool:
    """Return whether a file is an export of claude.ai."""
    first = head.item or head.document.fields
    return isinstance(first.get("chat_messages"), list) and "uuid" in first
