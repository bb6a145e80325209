"""Exports of ChatGPT: `conversations.json`, an array of conversations, each a tree of messages by id.

- The path to `current_node` is the current history; the others are branches.
- What the assistant writes to a tool (`recipient`) is a call with the message's id, and what the tool says its result.
- Custom instructions are sent with the conversation and belong to the system prompt.
"""

from __future__ import annotations

from collections.abc import Iterator

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
    conversations,
    decode,
    is_object,
    json_text,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult

NAME = "chatgpt"
CONTEXT = frozenset({"user_editable_context", "model_editable_context"})
_WORDS = ("text", "result", "summary", "content", "user_profile", "user_instructions", "model_set_context")
_UNSEEN = frozenset({"reasoning_recap"})


def read(source: Source) -> Reading:
    """Return the conversations in `source`."""
    skipped, found = Skips(), list[Transcript]()
    for number, item in conversations(source.data):
        if isinstance(item, Skipped):
            skipped.append(item)
        elif is_object(item.get("mapping")):
            transcript = _conversation(item, Talk(skipped), source.path)
            found.extend([transcript] if transcript else [])
        else:
            skipped.append(Skipped(number, "no conversation"))
    return skipped.reading(found)


def _conversation(raw: JsonObject, talk: Talk, path: str) -> Transcript | None:
    mapping, nodes = as_object(raw.get("mapping")), dict[str, Node]()
    talk.title = as_text(raw.get("title"))
    for number, own in enumerate(_ordered(mapping, as_text(raw.get("current_node"))), 1):
        entry = as_object(mapping[own])
        at = nodes.get(as_text(entry.get("parent")), talk.tree.root)
        message = as_object(entry.get("message"))
        nodes[own] = _message(talk, number, own, message, at) if message else at
    return talk.transcript(NAME, path, as_text(raw.get("conversation_id")) or as_text(raw.get("id")))


def _ordered(mapping: JsonObject, current: str) -> Iterator[str]:
    """Yield the ids of a tree, parents first and the path to the current node last at every fork."""
    parents = {own: as_text(as_object(entry).get("parent")) for own, entry in mapping.items()}
    children: dict[str, list[str]] = {}
    for own, parent in parents.items():
        children.setdefault(parent if parent in parents else "", []).append(own)
    on_path: set[str] = set()
    while current in parents and current not in on_path:
        on_path.add(current)
        current = parents[current]
    seen: set[str] = set()
    pending = sorted(children.get("", []), key=lambda own: own in on_path, reverse=True)
    while pending:
        own = pending.pop()
        if own not in seen:
            seen.add(own)
            yield own
            below = reversed(children.get(own, []))
            pending.extend(sorted(below, key=lambda child: child in on_path, reverse=True))


def _message(talk: Talk, number: int, own: str, message: JsonObject, at: Node) -> Node:
    role = as_text(as_object(message.get("author")).get("role"))
    content = as_object(message.get("content"))
    kind, about = as_text(content.get("content_type")), as_object(message.get("metadata"))
    parts = _parts(content)
    model = as_text(about.get("model_slug")) if role == "assistant" else ""
    facts = Draft("user", [], time_s(message.get("create_time")), as_text(message.get("id")) or own, model)
    recipient = as_text(message.get("recipient"))
    if kind in _UNSEEN or not parts:
        talk.skipped.leave_out(f"{role} message", kind or "empty")
        return at
    if kind in CONTEXT:
        talk.system.append("\n".join(part.text for part in parts if isinstance(part, Text)))
        return at
    if role == "tool":
        said = tuple(part for part in parts if isinstance(part, Text | Media))
        return talk.say("user", [ToolResult(next(at.unanswered(), ""), said)], facts, at)
    if role == "assistant" and recipient not in {"", "all"}:
        words = "\n".join(part.text for part in parts if isinstance(part, Text))
        parts = [ToolCall(facts.origin, recipient, _arguments(words))]
    if role == "user":
        files = [as_text(as_object(one).get("name")) for one in as_list(about.get("attachments"))]
        parts += [Media("file", uri=name) for name in files if name]
    return talk.spoken(number, role, parts, facts, at)


def _parts(content: JsonObject) -> list[Part]:
    """Return the parts of a message's content, whatever its type."""
    if content.get("content_type") == "thoughts":
        thoughts = [as_object(one) for one in as_list(content.get("thoughts"))]
        told = ("\n".join([as_text(one.get("summary")), as_text(one.get("content"))]) for one in thoughts)
        return [Reasoning(text.strip()) for text in told if text.strip()]
    parts: list[Part] = []
    for item in as_list(content.get("parts")):
        block = as_object(item)
        address = as_text(block.get("asset_pointer"))
        if address:
            parts.append(
                Media("audio" if "audio" in as_text(block.get("content_type")) else "image", uri=address)
            )
        else:
            words = item if isinstance(item, str) else as_text(block.get("text")) or json_text(item)
            parts.extend([Text(words)] if words else [])
    fields = [content.get("title"), content.get("url"), *(content.get(name) for name in _WORDS)]
    words = "\n".join(json_text(one) for one in fields if one)
    return [*parts, *([Text(words)] if words else [])]


def _arguments(words: str) -> str:
    """Return what was written to a tool as arguments: its JSON object, or an object that holds the text."""
    try:
        if is_object(decode(words.encode())):
            return words
    except ValueError:
        pass
    return json_text({"text": words})


def detect(head: Head) -> bool:
    """Return whether a file is an export of ChatGPT."""
    first = head.item or head.document.fields
    return is_object(first.get("mapping")) and bool(
        {"current_node", "conversation_id", "create_time"} & first.keys()
    )
