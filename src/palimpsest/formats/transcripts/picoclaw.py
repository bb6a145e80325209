"""PicoClaw's sessions: JSON lines of messages in OpenAI's form with a `.meta.json` beside them, one JSON document, or
its engine's database `seahorse.db`.

- Lines are only appended. `skip` in the meta file says how many of the first ones `summary` stands for, so that is a
  compaction. A document keeps its summary, but not what it stands for.
- Messages have no times and no ids. The session's id is its `key`.
- A row of the database repeats its calls, results and media as text, which is no message. The summaries with which the
  window begins are one compaction: what they stand for ends before the first message that the window shows.
"""

from __future__ import annotations

import glob
from contextlib import suppress

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import sqlite_file
from palimpsest.formats.transcripts.message_tree import Draft
from palimpsest.formats.transcripts.reader_base import (
    META,
    Document,
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    Transcript,
    as_count,
    as_list,
    as_object,
    as_text,
    decode,
    lines,
    normalized,
    read_document,
    stem,
    time_s,
)
from palimpsest.formats.transcripts.talk import ROLES, Talk, chat_parts

NAME = "picoclaw"
_FIELDS = frozenset(
    "role content content_parts reasoning_content system_parts tool_calls tool_call_id media attachments name "
    "model_name created_at prompt_layer prompt_slot prompt_source".split()
)


TABLES = {
    "conversations": "conversation_id session_key",
    "messages": "message_id conversation_id role content created_at",
    "message_parts": "message_id type text name arguments tool_call_id media_uri ordinal",
    "summaries": "summary_id conversation_id content",
    "context_items": "conversation_id ordinal item_type summary_id message_id",
}
_CONVERSATIONS = "SELECT * FROM conversations ORDER BY conversation_id"
_MESSAGES = "SELECT * FROM messages WHERE conversation_id = ? ORDER BY message_id"
_PARTS = """SELECT message_parts.* FROM message_parts JOIN messages USING (message_id) WHERE conversation_id = ?
    ORDER BY message_id, ordinal, part_id"""
_SUMMARIES = "SELECT summary_id, content FROM summaries WHERE conversation_id = ?"
_ITEMS = "SELECT * FROM context_items WHERE conversation_id = ? ORDER BY ordinal"


def say_chat(talk: Talk, raw: JsonObject, number: int) -> None:
    """Add a message of OpenAI's chat form."""
    role = as_text(raw.get("role"))
    shown = [{"image_url": {"url": one}} for one in as_list(raw.get("media")) if isinstance(one, str)]
    parts, problems = chat_parts({**raw, "content_parts": [*as_list(raw.get("content_parts")), *shown]})
    talk.skipped.extend(Skipped(number, problem) for problem in problems)
    when = time_s(raw.get("created_at")) or time_s(raw.get("timestamp"))
    model = as_text(raw.get("model_name")) if role == "assistant" else ""
    if parts or not problems:
        talk.spoken(number, role, parts, Draft("user", [], when, "", model, wire="openai"))


def read(source: Source) -> Reading:
    """Return the session in `source`, with the summary in its meta file; or all sessions of a database."""
    if sqlite_file.is_database(source.data):
        return _stored(source)
    talk = Talk(Skips())
    document = _document(source.data)
    meta, through = document.fields if document else _meta(source), 0
    if document is not None:
        for number, item in enumerate(document.items, 1):
            say_chat(talk, as_object(item), number)
        if document.broken:
            talk.skipped.append(Skipped(len(document.items) + 1, document.broken))
    else:
        for number, line in lines(source.data):
            if isinstance(line, Skipped):
                talk.skipped.append(line)
            else:
                say_chat(talk, line, number)
            through = talk.length if number <= as_count(meta.get("skip")) else through
    if as_text(meta.get("summary")):
        talk.compacted(as_text(meta["summary"]), through)
    found = talk.transcript(NAME, source.path, as_text(meta.get("key")))
    return talk.skipped.reading([found] if found else [])


def _stored(source: Source) -> Reading:
    """Return every session of a database."""
    database, skipped = sqlite_file.opened(source), Skips()
    sqlite_file.demand(database.tables, TABLES, "a database of PicoClaw")
    found: list[Transcript] = []
    for session in list(database.rows(_CONVERSATIONS, skipped=skipped)):
        talk, number = Talk(skipped), session["conversation_id"]
        pieces: dict[object, list[JsonObject]] = {}
        for piece in database.rows(_PARTS, number, skipped=skipped):
            pieces.setdefault(piece["message_id"], []).append(piece)
        lengths: list[tuple[int, int]] = []
        for place, row in enumerate(database.rows(_MESSAGES, number, skipped=skipped), 1):
            say_chat(talk, _chat_row(row, pieces.get(row["message_id"], [])), place)
            lengths.append((as_count(row["message_id"]), talk.length))
        _adopt_window(talk, database, number, lengths)
        transcript = talk.transcript(NAME, source.path, as_text(session["session_key"]))
        found.extend([transcript] if transcript else [])
    database.close()
    return skipped.reading(found)


def _chat_row(row: JsonObject, pieces: list[JsonObject]) -> JsonObject:
    """Return a stored message in OpenAI's form."""
    kinds = {kind: [one for one in pieces if one["type"] == kind] for kind in _AS_TEXT}
    said = "\n".join(_AS_TEXT.get(as_text(one["type"]), "{text}").format_map(_filled(one)) for one in pieces)
    own = as_text(row["content"]) if as_text(row["content"]) != said else ""
    text = "\n".join(as_text(one["text"]) for one in kinds["text"])
    raw: JsonObject = {**row, "content": text or own, "media": [one["media_uri"] for one in kinds["media"]]}
    raw["tool_calls"] = [
        {"id": one["tool_call_id"], "function": {"name": one["name"], "arguments": one["arguments"]}}
        for one in kinds["tool_use"]
    ]
    for one in kinds["tool_result"]:
        raw |= {"role": "tool", "tool_call_id": one["tool_call_id"], "content": as_text(one["text"]) or own}
    return raw


_AS_TEXT = {
    "text": "{text}",
    "tool_use": "[tool_use: {name}, args: {arguments}]",
    "tool_result": "[tool_result for {tool_call_id}: {text}]",
    "media": "[media: {media_uri} ({mime_type})]",
}
"""How a row's content repeats each kind of part."""


def _filled(piece: JsonObject) -> dict[str, str]:
    return {"mime_type": "", **{name: as_text(value) for name, value in piece.items()}}


def _adopt_window(
    talk: Talk, database: sqlite_file.Database, number: object, lengths: list[tuple[int, int]]
) -> None:
    """Record the summaries with which a session's window begins; the others are counted."""
    texts = {
        row["summary_id"]: as_text(row["content"])
        for row in database.rows(_SUMMARIES, number, skipped=talk.skipped)
    }
    items = list(database.rows(_ITEMS, number, skipped=talk.skipped))
    first = next((as_count(one["message_id"]) for one in items if one["item_type"] == "message"), None)
    shown: list[str] = []
    for item in items:
        if item["item_type"] != "summary" or item["summary_id"] not in texts:
            break
        shown.append(texts.pop(item["summary_id"]))
    for _ in texts:
        talk.skipped.leave_out("summary")
    if shown:
        through = max((length for own, length in lengths if first is None or own < first), default=0)
        talk.compacted("\n\n".join(shown), through)


def _document(data: bytes) -> Document | None:
    with suppress(FormatError):
        found = read_document(data, ("messages",))
        return found if "key" in found.fields else None
    return None


def _meta(source: Source) -> JsonObject:
    """Return the session's meta file, an empty object without one."""
    for data in source.related.values():
        try:
            return as_object(decode(normalized(data).strip()))
        except ValueError:
            continue
    return {}


def related(source: Source) -> tuple[str, ...]:
    """Return the meta file of a file of lines, or the log beside a database."""
    if sqlite_file.is_database(source.data):
        return sqlite_file.beside(source.path)
    return (glob.escape(stem(source.path)) + META,)


def detect(head: Head) -> bool:
    """Return whether a file is a database or a document of PicoClaw, or lines with its meta file beside them."""
    if head.tables:
        return not sqlite_file.missing(head.tables, TABLES)
    fields = head.document.fields
    if {"key", "created", "updated"} <= fields.keys() and isinstance(fields["key"], str):
        return all("role" in as_object(one) for one in head.document.items[:5])
    return {"key", "skip", "count"} <= head.meta.keys() and are_chat(head)


def are_chat(head: Head) -> bool:
    """Return whether every line is a message of OpenAI's chat form, with no other field."""
    return bool(head.rows) and all(
        as_text(row.get("role")) in ROLES and isinstance(row.get("content"), str) and row.keys() <= _FIELDS
        for row in head.rows
    )
