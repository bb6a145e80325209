"""PicoClaw's sessions: JSON lines of messages in OpenAI's form with a `.meta.json` beside them, or one JSON document.

- Lines are only appended. `skip` in the meta file says how many of the first ones `summary` stands for, so that is a
  compaction. A document keeps its summary, but not what it stands for.
- Messages have no times and no ids. The session's id is its `key`.
"""

from __future__ import annotations

import glob
from contextlib import suppress

from palimpsest.errors import FormatError
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
    as_count,
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


def say_chat(talk: Talk, raw: JsonObject, number: int) -> None:
    """Add a message of OpenAI's chat form."""
    role = as_text(raw.get("role"))
    parts, problems = chat_parts(raw)
    talk.skipped.extend(Skipped(number, problem) for problem in problems)
    when = time_s(raw.get("created_at")) or time_s(raw.get("timestamp"))
    model = as_text(raw.get("model_name")) if role == "assistant" else ""
    if parts or not problems:
        talk.spoken(number, role, parts, Draft("user", [], when, "", model, wire="openai"))


def read(source: Source) -> Reading:
    """Return the session in `source`, with the summary in its meta file."""
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
    """Return the meta file of a file of lines."""
    return (glob.escape(stem(source.path)) + META,)


def detect(head: Head) -> bool:
    """Return whether a file is a document of PicoClaw, or lines of messages with its meta file beside them."""
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
