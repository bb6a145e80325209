"""Goose's sessions: `sessions.db`, the JSON of `goose session export`, or the JSON lines of versions before 1.10.

- A message's content is a list of typed blocks. A call is a `toolRequest`, its result a `toolResponse` of the same id.
- Messages that only the user or only the model sees after a compaction are messages all the same: nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from palimpsest.formats import media
from palimpsest.formats.transcripts import sqlite_file
from palimpsest.formats.transcripts.message_tree import Draft
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
    decode,
    head_of,
    is_list,
    json_text,
    lines,
    read_document,
    stem,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk, blocks
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult

NAME = "goose"
TABLES = {
    "sessions": "id working_dir created_at",
    "messages": "id session_id role content_json created_timestamp",
}
_SESSIONS = "SELECT * FROM sessions ORDER BY created_at, id"
_MESSAGES = "SELECT * FROM messages WHERE session_id = ? ORDER BY created_timestamp, id"
_TEXTS = {
    "text": "text",
    "systemNotification": "msg",
    "contextLengthExceeded": "msg",
    "summarizationRequested": "msg",
}


def read(source: Source) -> Reading:
    """Return the sessions in `source`."""
    skipped = Skips()
    if sqlite_file.is_database(source.data):
        return skipped.reading(list(_stored(source, skipped)))
    if not head_of(source.path, source.data).document.fields:
        about, messages = _lines(source, skipped)
    else:
        document = read_document(source.data, ("conversation", "messages"))
        about, messages = document.fields, [*enumerate((as_object(one) for one in document.items), 1)]
        if document.broken:
            skipped.append(Skipped(len(document.items) + 1, document.broken))
    found = _session(about, messages, skipped, source.path)
    return skipped.reading([found] if found else [])


def _lines(source: Source, skipped: Skips) -> tuple[JsonObject, list[tuple[int, JsonObject]]]:
    about: JsonObject = {"id": stem(source.path)}
    messages: list[tuple[int, JsonObject]] = []
    for number, line in lines(source.data):
        if isinstance(line, Skipped):
            skipped.append(line)
        elif "role" in line:
            messages.append((number, line))
        else:
            about = {**about, **line}
    return about, messages


def _stored(source: Source, skipped: Skips) -> Iterator[Transcript]:
    """Yield every session of a database."""
    database = sqlite_file.opened(source)
    sqlite_file.demand(database.tables, TABLES, "a database of Goose")
    for session in list(database.rows(_SESSIONS, skipped=skipped)):
        rows = database.rows(_MESSAGES, session["id"], skipped=skipped)
        found = _session(session, enumerate(map(_row, rows), 1), skipped, source.path)
        if found:
            yield found
    database.close()


def _row(row: JsonObject) -> JsonObject:
    text = as_text(row.get("content_json"))
    try:
        content = decode(text.encode())
    except ValueError:
        content = text
    own = as_text(row.get("message_id")) or f"{row.get('id')}"
    return {"id": own, "role": row.get("role"), "created": row.get("created_timestamp"), "content": content}


def _session(
    about: JsonObject, messages: Iterable[tuple[int, JsonObject]], skipped: Skips, path: str
) -> Transcript | None:
    talk = Talk(skipped, title=as_text(about.get("name")) or as_text(about.get("description")))
    for number, raw in messages:
        role = as_text(raw.get("role"))
        parts = blocks(raw.get("content"), skipped, number, lambda block: _block(block, skipped))
        facts = Draft("user", [], time_s(raw.get("created")), as_text(raw.get("id")))
        talk.spoken(number, role, parts, facts)
    parent = as_text(about.get("parent_session_id"))
    return talk.transcript(NAME, path, as_text(about.get("id")), parent, as_text(about.get("working_dir")))


def _block(block: JsonObject, skipped: Skips) -> list[Part]:
    kind, own = as_text(block.get("type")), as_text(block.get("id"))
    if kind in _TEXTS:
        return [Text(as_text(block.get(_TEXTS[kind])))]
    if kind in {"thinking", "reasoning"}:
        words = as_text(block.get("thinking")) or as_text(block.get("text"))
        return [Reasoning(words, as_text(block.get("signature")))]
    if kind == "image":
        return [media.inline(as_text(block.get("mimeType")) or "image", as_text(block.get("data")))]
    if kind in {"toolRequest", "frontendToolRequest"}:
        asked = as_object(block.get("toolCall"))
        value = as_object(asked.get("value")) or as_object(asked.get("Ok"))
        return [ToolCall(own, as_text(value.get("name")), arguments_text(value.get("arguments")))]
    if kind == "toolResponse":
        return [_result(own, as_object(block.get("toolResult")))]
    skipped.leave_out("content", kind)
    return []


def _result(own: str, told: JsonObject) -> ToolResult:
    value = told.get("value", told.get("Ok"))
    failed = told.get("status") == "error" or as_object(value).get("isError") is True
    content: list[Text | Media] = []
    for item in as_list(value if is_list(value) else as_object(value).get("content")):
        block = as_object(item)
        data = as_text(block.get("data"))
        words = as_text(block.get("text")) or json_text(item)
        kind = as_text(block.get("mimeType")) or "image"
        content.append(media.inline(kind, data) if data else Text(words))
    if not content:
        words = told.get("error") or value
        content = [Text(json_text(words))] if words else []
    return ToolResult(own, tuple(content), is_error=failed)


def related(source: Source) -> tuple[str, ...]:
    """Return the log beside a database."""
    return sqlite_file.beside(source.path) if sqlite_file.is_database(source.data) else ()


def detect(head: Head) -> bool:
    """Return whether a file is a database, an export or lines of Goose."""
    if head.tables:
        return not sqlite_file.missing(head.tables, TABLES)
    fields, first = head.document.fields, head.rows[0] if head.rows else {}
    if "working_dir" in fields and "conversation" in fields:
        return True
    described = "working_dir" in first and "role" not in first
    return described and bool({"description", "message_count", "total_tokens"} & first.keys())
