"""Cursor's sessions: agent transcripts as JSON lines, the agent's `store.db`, and the editor's `state.vscdb`.

- Lines have a role and content in Anthropic's form, but often no ids: a result answers the first open call. The file of
  a subagent lies in the folder `subagents` of its parent's.
- `store.db` keeps blobs by their hash. Its root names the messages in order; each is JSON with typed content.
- `state.vscdb` has an entry for each composer, which lists its bubbles, and one for each bubble.
"""

from __future__ import annotations

from collections.abc import Iterator

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
    json_text,
    lines,
    stem,
    time_s,
)
from palimpsest.formats.transcripts.sqlite_file import Database
from palimpsest.formats.transcripts.talk import Talk, anthropic_block, blocks
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Part, Reasoning, Role, Text, ToolCall, ToolResult

NAME = "cursor"
STORE = {"blobs": "id data", "meta": "key value"}
EDITOR = {"cursorDiskKV": "key value"}
_UUID = later(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_META = "SELECT value FROM meta ORDER BY key"
_BLOB = "SELECT data FROM blobs WHERE id = ?"
_BLOBS = "SELECT id FROM blobs ORDER BY rowid"
_COMPOSERS = (
    "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"
)
_VALUE = "SELECT value FROM cursorDiskKV WHERE key = ?"
_BUBBLES: dict[object, Role] = {1: "user", 2: "assistant"}


def read(source: Source) -> Reading:
    """Return the sessions in `source`."""
    skipped = Skips()
    if sqlite_file.is_database(source.data):
        database = sqlite_file.opened(source)
        if sqlite_file.missing(database.tables, STORE):
            sqlite_file.demand(database.tables, EDITOR, "a database of Cursor")
            found = list(_composers(database, skipped, source.path))
        else:
            found = [one for one in [_store(database, skipped, source.path)] if one]
        database.close()
        return skipped.reading(found)
    talk = Talk(skipped)
    for number, line in lines(source.data):
        if isinstance(line, Skipped):
            skipped.append(line)
        elif "role" in line:
            _line(talk, number, line)
        else:
            skipped.leave_out(as_text(line.get("type")))
    folders, name = source.path.replace("\\", "/").split("/"), stem(source.path)
    parent = folders[-3] if len(folders) > 2 and folders[-2] == "subagents" else ""
    found = talk.transcript(NAME, source.path, name if _UUID.fullmatch(name) else "", parent)
    return skipped.reading([found] if found else [])


def _line(talk: Talk, number: int, line: JsonObject) -> None:
    role = as_text(line.get("role"))
    parts = blocks(as_object(line.get("message")).get("content"), talk.skipped, number, anthropic_block)
    model = as_text(line.get("model")) if role == "assistant" else ""
    facts = Draft("user", [], time_s(line.get("timestamp")), "", model, wire="anthropic")
    talk.spoken(number, role, parts, facts)


def _store(database: Database, skipped: Skips, path: str) -> Transcript | None:
    """Return the session of an agent's store."""
    talk, about = Talk(skipped), dict[str, object]()
    for row in database.rows(_META, skipped=skipped):
        about |= _json(row["value"])
    roots = database.rows(_BLOB, as_text(about.get("latestRootBlobId")), skipped=skipped)
    named = [name for row in roots if isinstance(row["data"], bytes) for name in _named(row["data"])]
    names = named or [row["id"] for row in database.rows(_BLOBS, skipped=skipped)]
    for number, name in enumerate(names, 1):
        for row in database.rows(_BLOB, name, skipped=skipped):
            raw = _json(row["data"])
            role, facts = (
                as_text(raw.get("role")),
                Draft("user", [], None, as_text(raw.get("id"))),
            )
            parts = blocks(raw.get("content"), skipped, number, _part)
            talk.spoken(number, role, parts, facts)
    talk.title = as_text(about.get("name"))
    return talk.transcript(NAME, path, as_text(about.get("agentId")))


def _json(value: object) -> JsonObject:
    """Return the JSON object in a value: text, bytes, or either in hexadecimal digits."""
    raw = value.encode() if isinstance(value, str) else value if isinstance(value, bytes) else b""
    try:
        return as_object(decode(bytes.fromhex(raw.decode()) if raw[:2] == b"7b" else raw))
    except ValueError:
        return {}


def _named(root: bytes) -> Iterator[str]:
    """Yield the hashes in the first field of a root, which is a message of Protocol Buffers."""
    at = 0
    while at < len(root):
        tag, at = _number(root, at)
        size, after = _number(root, at)
        if tag & 7 == 2:
            if tag >> 3 == 1 and size == 32:
                yield root[after : after + size].hex()
            at = after + size
        elif tag & 7 == 0:
            at = after
        else:
            at += {1: 8, 5: 4}.get(tag & 7, len(root))


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            break
    return value, at


def _part(block: JsonObject) -> list[Part]:
    """Return a part of a stored message."""
    call_id, name = as_text(block.get("toolCallId")), as_text(block.get("toolName"))
    match block.get("type"):
        case "reasoning":
            return [Reasoning(as_text(block.get("text")), as_text(block.get("signature")))]
        case "tool-call":
            return [ToolCall(call_id, name, arguments_text(block.get("args", block.get("input"))))]
        case "tool-result":
            told = block.get("result") or block.get("output") or block.get("experimental_content")
            return [
                ToolResult(call_id, (Text(json_text(told)),) if told else (), block.get("isError") is True)
            ]
        case "image" | "file":
            address = as_text(block.get("image")) or as_text(block.get("data")) or as_text(block.get("url"))
            return [media.from_uri(address, as_text(block.get("mimeType")) or "image")]
        case _:
            return [Text(as_text(block.get("text")) or json_text(block))]


def _composers(database: Database, skipped: Skips, path: str) -> Iterator[Transcript]:
    """Yield the conversations of the editor."""
    for row in database.rows(_COMPOSERS, skipped=skipped):
        composer = _json(row["value"])
        own = as_text(composer.get("composerId")) or as_text(row["key"]).partition(":")[2]
        talk = Talk(skipped, title=as_text(composer.get("name")))
        listed = as_list(composer.get("fullConversationHeadersOnly")) or as_list(composer.get("conversation"))
        for number, item in enumerate(listed, 1):
            bubble = as_object(item)
            key = f"bubbleId:{own}:{as_text(bubble.get('bubbleId'))}"
            for held in database.rows(_VALUE, key, skipped=skipped):
                bubble = {**bubble, **_json(held["value"])}
            _bubble(talk, number, bubble)
        found = talk.transcript(NAME, path, own)
        if found:
            yield found


def _bubble(talk: Talk, number: int, bubble: JsonObject) -> None:
    role = _BUBBLES.get(bubble.get("type") if isinstance(bubble.get("type"), int) else 0)
    if role is None:
        talk.skipped.append(Skipped(number, "a bubble of an unknown type"))
        return
    parts: list[Part] = [Reasoning(as_text(as_object(bubble.get("thinking")).get("text")))]
    parts.append(Text(as_text(bubble.get("text"))))
    tool = as_object(bubble.get("toolFormerData"))
    if tool:
        call_id = as_text(tool.get("toolCallId")) or f"{as_text(bubble.get('bubbleId'))}:call"
        asked = tool.get("rawArgs") or tool.get("params")
        parts.append(ToolCall(call_id, as_text(tool.get("name")), arguments_text(asked)))
        told = tool.get("result") or tool.get("error")
        failed = tool.get("status") == "error"
        parts.extend([ToolResult(call_id, (Text(json_text(told)),), failed)] if told else [])
    files = (as_object(one) for one in as_list(bubble.get("images")))
    parts += [Media("image", uri=as_text(one.get("path")) or as_text(one.get("uuid"))) for one in files]
    talk.say(role, parts, Draft("user", [], time_s(bubble.get("createdAt")), as_text(bubble.get("bubbleId"))))


def related(source: Source) -> tuple[str, ...]:
    """Return the log beside a database."""
    return sqlite_file.beside(source.path) if sqlite_file.is_database(source.data) else ()


def detect(head: Head) -> bool:
    """Return whether a file is a transcript or a database of Cursor."""
    if head.tables:
        return not sqlite_file.missing(head.tables, STORE) or not sqlite_file.missing(head.tables, EDITOR)
    spoken = [row for row in head.rows if "role" in row]
    formed = all("content" in as_object(row.get("message")) and "type" not in row for row in spoken)
    foreign = any({"uuid", "id", "sessionId"} & row.keys() for row in head.rows)
    return bool(spoken) and formed and not foreign
