"""Hermes' session files: one JSON document with messages in OpenAI's form.

- Messages are written whole, so nothing is provisional. `system_prompt` and leading system and developer messages are
  the system prompt; `session_meta` entries are bookkeeping.
- A message that begins as Hermes' own compaction does is a summary: counted, not a message. The user's text behind
  its end mark is the message. A session with one continues its parent, which did not start it.
"""

from __future__ import annotations

from typing import cast

from palimpsest.formats import media
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    Transcript,
    arguments_text,
    as_list,
    as_object,
    as_text,
    clipped,
    is_object,
    json_text,
    kind_of,
    made_id,
    read_document,
    time_s,
    title_of,
)
from palimpsest.record.message import (
    DEVELOPER,
    Media,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)

NAME = "hermes"

PROMPTS = ("system", "developer")

SUMMARY_MARKS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
SUMMARY_END = "--- END OF CONTEXT SUMMARY"


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    document = read_document(source.data, ("messages",))
    fields = document.fields
    messages: list[Message] = []
    skipped = Skips()
    system = [as_text(fields.get("system_prompt"))]
    summaries = bookkeeping = 0
    for number, item in enumerate(document.items, 1):
        raw = as_object(item)
        role = as_text(raw.get("role"))
        own, words = _after_summary(raw)
        summaries += own
        if role in PROMPTS and not messages:
            system.append(words)
        elif role == "session_meta" or (own and not words):
            bookkeeping += 1
        elif role in {"user", "assistant", "tool", *PROMPTS}:
            parts, problems = _parts({**raw, "content": words} if own else raw, role, number)
            skipped.extend(Skipped(number, problem) for problem in problems)
            bookkeeping += not parts and not problems
            if parts:
                messages.append(_message(raw, parts, number, as_text(fields.get("model"))))
        else:
            known = f'unknown role "{clipped(role, 40)}"' if role else f"no message but {kind_of(item)}"
            skipped.append(Skipped(number, known))
    if document.broken:
        skipped.append(Skipped(len(document.items) + 1, document.broken))
    first = next((message.text for message in messages if message.role == "user"), "")
    found = Transcript(
        id=as_text(fields.get("session_id")) or made_id(source.path, (messages,)),
        format=NAME,
        title=title_of(as_text(fields.get("title"))) or title_of(first),
        parent="" if summaries else as_text(fields.get("parent_session_id")),
        paths=(tuple(messages),),
        system="\n\n".join(text for text in system if text),
        summaries=summaries,
        bookkeeping=bookkeeping,
        cwd=as_text(fields.get("cwd")) or as_text(as_object(fields.get("model_config")).get("cwd")),
    )
    return skipped.reading([found] if messages else [])


def _after_summary(raw: JsonObject) -> tuple[bool, str]:
    """Return whether a message begins with one of Hermes' own compactions, and the text that follows it."""
    content = raw.get("content")
    text = content if isinstance(content, str) else "\n".join(_texts(content))
    if not text.lstrip().startswith(SUMMARY_MARKS):
        return False, text
    _, _, rest = text.partition(SUMMARY_END)
    return True, rest.partition("\n")[2].strip()


def _texts(content: object) -> list[str]:
    found = [as_text(as_object(item).get("text")) for item in as_list(content)]
    return [text for text in found if text]


def _message(raw: JsonObject, parts: list[Part], number: int, model: str) -> Message:
    role = as_text(raw.get("role"))
    return Message(
        role="system" if role in PROMPTS else cast("Role", role),
        parts=tuple(parts),
        time_s=time_s(raw.get("timestamp")),
        model=model if role == "assistant" else "",
        wire="openai",
        extra=DEVELOPER if role == "developer" else "",
        origin=as_text(raw.get("id")) or f"message {number}",
    )


def _parts(raw: JsonObject, role: str, number: int) -> tuple[list[Part], list[str]]:
    content, problems = _content(raw.get("content"))
    if role == "tool":
        failed = raw.get("finish_reason") == "error" or raw.get("is_error") is True
        return [
            ToolResult(as_text(raw.get("tool_call_id")) or f"message {number}", tuple(content), failed)
        ], problems
    parts: list[Part] = []
    thought = as_text(raw.get("reasoning_content")) or as_text(raw.get("reasoning"))
    if thought and role == "assistant":
        parts.append(Reasoning(thought))
    parts.extend(content)
    for index, item in enumerate(as_list(raw.get("tool_calls"))):
        asked = as_object(item)
        function = as_object(asked.get("function"))
        call_id = as_text(asked.get("id")) or as_text(asked.get("call_id")) or f"message {number}:{index}"
        parts.append(
            ToolCall(call_id, as_text(function.get("name")), arguments_text(function.get("arguments")))
        )
    return parts, problems


def _content(content: object) -> tuple[list[Text | Media], list[str]]:
    """Return text and images of a message's content, and a sentence for each other block."""
    if isinstance(content, str):
        return ([Text(content)] if content else []), []
    if is_object(content):
        return [Text(json_text(content))], []
    parts: list[Text | Media] = []
    problems: list[str] = []
    for item in as_list(content):
        block = as_object(item)
        address = as_text(as_object(block.get("image_url")).get("url")) or as_text(block.get("image_url"))
        if as_text(block.get("text")):
            parts.append(Text(as_text(block.get("text"))))
        elif address:
            parts.append(media.from_uri(address, "image"))
        elif block.get("type") != "text":
            problems.append(f'unknown content block "{clipped(as_text(block.get("type")), 40)}"')
    return parts, problems


def detect(head: Head) -> bool:
    """Return whether a document is a session of Hermes."""
    fields = head.document.fields
    signs = {"platform", "session_start", "last_updated", "message_count", "system_prompt"}
    return isinstance(fields.get("session_id"), str) and len(signs & fields.keys()) > 1
