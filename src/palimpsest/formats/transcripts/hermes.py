"""Hermes' sessions: `state.db`, a JSON document, or JSON lines, with messages in OpenAI's form.

- The database has a row for each session and message. A compaction marks the messages that it replaces and adds a row
  with the summary; a rewound message is marked too. Each session is a conversation.
- Lines are messages, the first a `session_meta`; or whole sessions, as `hermes sessions export` writes them.
- Messages are written whole, so nothing is provisional. `system_prompt` and leading system and developer messages are
  the system prompt.
- A message that begins as Hermes' own compaction does is a summary: counted, not a message. The user's text behind
  its end mark is the message. A session with one continues its parent, which did not start it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

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
    as_list,
    as_object,
    as_text,
    clipped,
    decode,
    head_of,
    is_object,
    kind_of,
    lines,
    read_document,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk, chat_parts
from palimpsest.record.message import DEVELOPER, Role, Text

NAME = "hermes"

PROMPTS = ("system", "developer")

SUMMARY_MARKS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
SUMMARY_END = "--- END OF CONTEXT SUMMARY"
TABLES = {
    "sessions": "id source model parent_session_id started_at",
    "messages": "id session_id role content tool_call_id tool_calls timestamp",
}
_LISTED = "\0json:"
"""How the content of a row begins that is a list of blocks."""


def read(source: Source) -> Reading:
    """Return the sessions in `source`."""
    if sqlite_file.is_database(source.data):
        return _stored(source)
    skipped = Skips()
    fields = head_of(source.path, source.data).document.fields
    if not fields or "role" in fields:
        return skipped.reading(list(_lines(source, skipped)))
    document = read_document(source.data, ("messages",))
    numbered = enumerate(document.items, 1)
    found = _session(document.fields, numbered, skipped, source.path)
    if document.broken:
        skipped.append(Skipped(len(document.items) + 1, document.broken))
    return skipped.reading([found] if found else [])


def _lines(source: Source, skipped: Skips) -> Iterator[Transcript]:
    """Yield the session of a file of messages, or the sessions of a file with one on each line."""
    messages: list[tuple[int, object]] = []
    fields: JsonObject = {}
    for number, line in lines(source.data):
        if isinstance(line, Skipped):
            skipped.append(line)
        elif isinstance(line.get("messages"), list):
            found = _session(line, enumerate(as_list(line["messages"]), 1), skipped, source.path)
            if found:
                yield found
        else:
            if line.get("role") == "session_meta":
                fields = {**line, **fields}
            messages.append((number, line))
    found = _session(fields, messages, skipped, source.path)
    if found:
        yield found


def _session(
    fields: JsonObject, numbered: Iterable[tuple[int, object]], skipped: Skips, path: str
) -> Transcript | None:
    """Return one conversation, None without a message."""
    talk = Talk(skipped, title=as_text(fields.get("title")))
    talk.system.append(as_text(fields.get("system_prompt")))
    for number, item in numbered:
        _message(talk, as_object(item), number, item, as_text(fields.get("model")))
    config = as_object(fields.get("model_config"))
    return talk.transcript(
        NAME,
        path,
        as_text(fields.get("session_id")) or as_text(fields.get("id")),
        "" if talk.summaries else as_text(fields.get("parent_session_id")),
        as_text(fields.get("cwd")) or as_text(config.get("cwd")),
    )


def _message(talk: Talk, raw: JsonObject, number: int, item: object, model: str) -> None:
    role = as_text(raw.get("role"))
    own, words = _after_summary(raw)
    talk.summaries += own
    if own or role == "session_meta":
        talk.skipped.leave_out("summary" if own else role)
    if role == "session_meta" or (own and not words):
        return
    if role in {"user", "assistant", "tool", *PROMPTS}:
        parts, problems = chat_parts({**raw, "content": words} if own else raw)
        talk.skipped.extend(Skipped(number, problem) for problem in problems)
        facts = Draft("user", [], time_s(raw.get("timestamp")), as_text(raw.get("id")))
        facts.wire, facts.model = "openai", model if role == "assistant" else ""
        facts.extra = DEVELOPER if role == "developer" else ""
        if parts or not problems:
            talk.say("system" if role in PROMPTS else cast("Role", role), parts, facts)
    else:
        known = f'unknown role "{clipped(role, 40)}"' if role else f"no message but {kind_of(item)}"
        talk.skipped.append(Skipped(number, known))


def _after_summary(raw: JsonObject) -> tuple[bool, str]:
    """Return whether a message begins with one of Hermes' own compactions, and the text that follows it."""
    parts, _ = chat_parts({"content": raw.get("content")})
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    if not text.lstrip().startswith(SUMMARY_MARKS):
        return False, text
    _, _, rest = text.partition(SUMMARY_END)
    return True, rest.partition("\n")[2].strip()


_SESSIONS = "SELECT * FROM sessions ORDER BY started_at, id"
_MESSAGES = "SELECT * FROM messages WHERE session_id = ? ORDER BY id"
_PROMPT = "SELECT prompt FROM system_prompts WHERE hash = ?"


def _stored(source: Source) -> Reading:
    """Return every session of a database, a parent before its children."""
    database, skipped = sqlite_file.opened(source), Skips()
    sqlite_file.demand(database.tables, TABLES, "a database of Hermes")
    found: list[Transcript] = []
    for session in list(database.rows(_SESSIONS, skipped=skipped)):
        if "system_prompts" in database.tables and session.get("system_prompt_hash"):
            for row in database.rows(_PROMPT, session["system_prompt_hash"], skipped=skipped):
                session["system_prompt"] = row["prompt"]
        rows = database.rows(_MESSAGES, session["id"], skipped=skipped)
        config = _decoded(session.get("model_config"))
        kept = enumerate(_kept(rows, skipped), 1)
        transcript = _session({**session, "model_config": config}, kept, skipped, source.path)
        found.extend([transcript] if transcript else [])
    database.close()
    return skipped.reading(found)


def _kept(rows: Iterable[JsonObject], skipped: Skips) -> Iterator[JsonObject]:
    """Yield the messages of rows, as the model saw them: also compacted ones, but no summary and no rewound one."""
    shown: set[bytes] = set()
    for row in rows:
        identity = row.get("display_identity")
        if row.get("_compressed_summary"):
            skipped.leave_out("summary")
        elif row.get("active") == 0 and not row.get("compacted"):
            skipped.leave_out("rewound message")
        elif isinstance(identity, bytes) and identity in shown:
            skipped.leave_out("copy of a message")
        else:
            shown.update([identity] if isinstance(identity, bytes) else [])
            content = row.get("api_content") or row.get("content")
            if isinstance(content, str) and content.startswith(_LISTED):
                content = _decoded(content.removeprefix(_LISTED))
            details = _decoded(row.get("reasoning_details"))
            thoughts = [as_text(as_object(one).get("text")) for one in as_list(details)]
            yield {
                **row,
                "id": f"{row.get('id')}",
                "content": content,
                "tool_calls": _decoded(row.get("tool_calls")),
                "reasoning": row.get("reasoning") or "\n".join(one for one in thoughts if one),
            }


def _decoded(text: object) -> object:
    """Return the JSON value in a column, the text itself if it is none."""
    try:
        return decode(text.encode()) if isinstance(text, str) and text else None
    except ValueError:
        return text


def related(source: Source) -> tuple[str, ...]:
    """Return the log beside a database."""
    return sqlite_file.beside(source.path) if sqlite_file.is_database(source.data) else ()


def detect(head: Head) -> bool:
    """Return whether a file is a database, a document or lines of Hermes."""
    if head.tables:
        return not sqlite_file.missing(head.tables, TABLES)
    fields = head.document.fields
    first = head.rows[0] if head.rows else {}
    signs = {"platform", "session_start", "last_updated", "message_count", "system_prompt"}
    if isinstance(fields.get("session_id"), str):
        return len(signs & fields.keys()) > 1
    if {"id", "source", "started_at", "messages"} <= first.keys():
        return all(is_object(one) and "role" in one for one in as_list(first["messages"])[:5])
    if first.get("role") == "session_meta":
        return True
    return "role" in first and all(
        isinstance(row.get("role"), str) and "content" in row and "timestamp" in row for row in head.rows
    )
