"""opencode's sessions: its database, the document that `opencode export` prints, and the files of versions before 1.2.

- `opencode.db` has a row for each session, message and part, whose `data` is JSON. Each session is a conversation, and
  a subagent's session names its parent.
- An export is `{info, messages: [{info, parts}]}`.
- In files, `session/<project>/<session>.json` is the transcript. Its messages (`message/<session>/*.json`) and their
  parts (`part/<message>/*.json`, in old storage `part/*.json`) are related files; alone they are only parts of one.
- One assistant message of opencode may be several answers of the model, one for each step; each becomes a message
  with its tools' calls and results.
- An assistant message marked as a summary is the session's own compaction: it stands for the messages before it, or
  for those before the first kept one.
- The last assistant message is provisional unless it is marked as completed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.errors import FormatError
from palimpsest.formats import media
from palimpsest.formats.transcripts import sqlite_file
from palimpsest.formats.transcripts.message_tree import Draft, Node, Tree, paths
from palimpsest.formats.transcripts.reader_base import (
    Document,
    Head,
    JsonObject,
    Marker,
    Reading,
    Skipped,
    Skips,
    Source,
    Transcript,
    arguments_text,
    as_count,
    as_list,
    as_object,
    as_text,
    clipped,
    decode,
    is_object,
    json_text,
    normalized,
    read_document,
    stem,
    time_s,
    title_of,
)
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult, Usage

NAME = "opencode"

QUIET = frozenset({"snapshot", "patch", "agent", "retry", "compaction"})
"""Part types without content for the model."""
TABLES = {
    "session": "id parent_id directory title time_created",
    "message": "id session_id time_created data",
    "part": "id message_id session_id data",
}
DONE = frozenset({"completed", "success", "error"})
_SAFE = later(r"[\w.-]+")


@dataclass(slots=True)
class _Step:
    """One answer of the model: its parts, and the results of its calls."""

    said: list[Part] = field(default_factory=list[Part])
    results: list[Draft] = field(default_factory=list[Draft])
    usage: Usage | None = None


@dataclass(slots=True)
class _Reader:
    messages: list[JsonObject] = field(default_factory=list[JsonObject])
    parts: dict[str, list[JsonObject]] = field(default_factory=dict[str, list[JsonObject]])
    tree: Tree = field(default_factory=lambda: Tree(grows=True, strict=True))
    system: list[str] = field(default_factory=list[str])
    markers: list[Marker] = field(default_factory=list[Marker])
    places: dict[str, int] = field(default_factory=dict[str, int])
    length: int = 0
    kept_from: str = ""
    summaries: int = 0
    compactions: int = 0
    skipped: Skips = field(default_factory=Skips)

    def gather(self, source: Source, session: str) -> None:
        """Sort the related files into messages and parts, by name and time."""
        for path in sorted(source.related):
            held = _object(source.related[path])
            name = "/".join(path.replace("\\", "/").split("/")[-2:])
            if held is None:
                self.skipped.append(Skipped(1, f"{name}: broken JSON"))
            elif held.get("sessionID", session) != session:
                self.skipped.leave_out("file", "of another session")
            elif "role" in held:
                self.messages.append(held)
            elif "type" in held:
                owner = as_text(held.get("messageID")) or name.split("/")[0]
                self.parts.setdefault(owner, []).append(held)
            else:
                self.skipped.append(Skipped(1, f"{name}: neither a message nor a part"))
        self.messages.sort(key=_created)

    def transcript(self, session: JsonObject) -> Transcript | None:
        """Return the conversation of the gathered messages, None without any."""
        for number, message in enumerate(self.messages, 1):
            self.message(number, message)
        histories, _ = paths(self.tree)
        found = Transcript(
            id=as_text(session.get("id")),
            format=NAME,
            title=title_of(as_text(session.get("title"))),
            parent=as_text(session.get("parentID")),
            paths=histories,
            system="\n\n".join(dict.fromkeys(self.system)),
            summaries=max(self.summaries, self.compactions),
            cwd=as_text(session.get("directory")),
            markers=tuple(self.markers),
        )
        return found if histories else None

    def message(self, number: int, message: JsonObject) -> None:
        """Read one message with its parts."""
        own = as_text(message.get("id"))
        parts = self.parts.get(own, [])
        when = time_s(as_object(message.get("time")).get("created"))
        self.places[own] = self.length
        if message.get("summary") is True:
            text = "\n".join(as_text(part.get("text")) for part in parts if part.get("type") == "text")
            self.summaries += 1
            if text.strip() and self.length:
                self.markers.append(Marker(text, self.places.get(self.kept_from, self.length), when))
            self.kept_from = ""
            return
        if not parts and message.get("error") is not None:
            self.skipped.leave_out("message", "failed")
            return
        if not parts:
            self.skipped.append(Skipped(number, f"message {clipped(own, 40)} has no parts"))
            return
        role = as_text(message.get("role"))
        if role == "user":
            self.system.extend([as_text(message.get("system"))] if message.get("system") else [])
            said = [found for part in parts for found in self.said(number, part)]
            if said:
                self.tree.prompt(self.tree.tip, Draft("user", said, when, own))
                self.length += 1
        elif role == "assistant":
            self.assistant(number, message, parts)
        else:
            self.skipped.append(Skipped(number, f'unknown role "{clipped(role, 40)}"'))

    def assistant(self, number: int, message: JsonObject, parts: list[JsonObject]) -> None:
        """Read the answers of an assistant message."""
        own = as_text(message.get("id"))
        model = as_text(message.get("modelID")) or as_text(as_object(message.get("model")).get("modelID"))
        when = time_s(as_object(message.get("time")).get("created"))
        steps = [step for step in self.steps(number, parts) if step.said]
        if steps and steps[-1].usage is None:
            steps[-1].usage = usage(as_object(message.get("tokens")))
        node: Node | None = None
        for index, step in enumerate(steps):
            origin = f"{own}#{index}" if index else own
            draft = Draft("assistant", step.said, when, origin, model, step.usage)
            node = self.tree.answer(self.tree.tip, draft)
            self.length += 1 + len(step.results)
            for result in step.results:
                self.tree.result(node, result)
        if node is not None and as_object(message.get("time")).get("completed") is not None:
            node.open = False

    def steps(self, number: int, parts: list[JsonObject]) -> list[_Step]:
        """Return the parts of an assistant message by answer."""
        steps = [_Step()]
        for part in parts:
            kind = part.get("type")
            if kind == "step-start":
                steps.append(_Step())
            elif kind == "step-finish":
                last = next((step for step in reversed(steps) if step.said), steps[-1])
                last.usage = usage(as_object(part.get("tokens")))
                steps.append(_Step())
            elif kind == "tool":
                _tool(part, steps[-1])
            else:
                steps[-1].said.extend(self.said(number, part))
        return steps

    def said(self, number: int, part: JsonObject) -> list[Part]:
        """Return the content of a part."""
        kind, text = as_text(part.get("type")), as_text(part.get("text"))
        match kind:
            case "text" if part.get("ignored") is not True:
                return [Text(text)] if text else []
            case "reasoning":
                return [Reasoning(text)] if text else []
            case "file":
                return [_file(part)]
            case "subtask":
                asked = as_text(part.get("prompt")) or as_text(part.get("description"))
                return [Text(asked)] if asked else []
            case _ if kind == "text" or kind in QUIET:
                self.kept_from = as_text(part.get("tail_start_id")) or self.kept_from
                self.compactions += kind == "compaction"
                self.skipped.leave_out("part", kind)
            case _:
                self.skipped.append(Skipped(number, f'unknown part type "{clipped(kind, 40)}"'))
        return []


def _created(message: JsonObject) -> float:
    return time_s(as_object(message.get("time")).get("created")) or 0.0


def _object(data: bytes) -> JsonObject | None:
    try:
        value = decode(normalized(data).strip())
    except ValueError:
        return None
    return as_object(value) or None


def _file(part: JsonObject) -> Media:
    address, kind = as_text(part.get("url")), as_text(part.get("mime")) or "file"
    return media.from_uri(address or as_text(part.get("filename")), kind)


def _tool(part: JsonObject, step: _Step) -> None:
    """Add a tool's call to a step, and its result if there is one."""
    state = as_object(part.get("state"))
    call_id = as_text(part.get("callID")) or as_text(part.get("id"))
    step.said.append(ToolCall(call_id, as_text(part.get("tool")), arguments_text(state.get("input"))))
    status = as_text(state.get("status"))
    kept = as_object(state.get("metadata")).get("output") if status == "error" else None
    told = [one for one in (state.get("output"), kept, state.get("error")) if one]
    if not told and status not in DONE:
        return
    content: list[Text | Media] = [Text(json_text(one)) for one in told]
    content.extend(_file(as_object(item)) for item in as_list(state.get("attachments")))
    ended = time_s(as_object(state.get("time")).get("end"))
    result = ToolResult(call_id, tuple(content), is_error=status == "error")
    step.results.append(Draft("tool", [result], ended, f"{as_text(part.get('id'))}#result"))


def usage(raw: JsonObject) -> Usage | None:
    """Return token counts; opencode's input excludes cached tokens, ours includes them, and reasoning is output."""
    cache = as_object(raw.get("cache"))
    cached, written = as_count(cache.get("read")), as_count(cache.get("write"))
    output = as_count(raw.get("output")) + as_count(raw.get("reasoning"))
    counts = Usage(as_count(raw.get("input")) + cached + written, output, cached, written)
    return counts if counts != Usage() else None


def read(source: Source) -> Reading:
    """Return the sessions in `source`: a database, an export, or a session file with its related files."""
    if sqlite_file.is_database(source.data):
        return _stored(source)
    try:
        document = read_document(source.data, ("messages",))
    except FormatError as error:
        document = Document(broken=error.message)
    if is_object(document.fields.get("info")):
        return _exported(document)
    if document.broken:
        raise FormatError(f"the session file is broken at byte {len(source.data)}: {document.broken}")
    session = document.fields
    own = as_text(session.get("id")) or stem(source.path)
    reader = _Reader()
    reader.gather(source, own)
    if not source.related:
        reader.skipped.append(Skipped(1, "the session's message files are missing beside it"))
    found = reader.transcript({**session, "id": own})
    return reader.skipped.reading([found] if found else [])


def _exported(document: Document) -> Reading:
    reader = _Reader()
    session = as_object(document.fields["info"])
    for number, item in enumerate(document.items, 1):
        message = as_object(as_object(item).get("info"))
        own = as_text(message.get("id")) or f"message {number}"
        reader.messages.append({**message, "id": own})
        reader.parts[own] = [as_object(part) for part in as_list(as_object(item).get("parts"))]
    found = reader.transcript(session)
    if document.broken:
        reader.skipped.append(Skipped(len(document.items) + 1, document.broken))
    return reader.skipped.reading([found] if found else [])


_SESSIONS = "SELECT * FROM session ORDER BY time_created, id"
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY message_id, id"
_OTHERS = "SELECT type FROM session_message WHERE session_id = ?"


def _stored(source: Source) -> Reading:
    """Return every session of a database, a parent before its children."""
    database, skipped = sqlite_file.opened(source), Skips()
    found: list[Transcript] = []
    sqlite_file.demand(database.tables, TABLES, "an opencode database")
    for session in list(database.rows(_SESSIONS, skipped=skipped)):
        reader = _Reader(skipped=skipped)
        own = as_text(session.get("id"))
        for row in database.rows(_MESSAGES, own, skipped=skipped):
            reader.messages.append({**_data(row, skipped), "id": as_text(row["id"])})
        for row in database.rows(_PARTS, own, skipped=skipped):
            reader.parts.setdefault(as_text(row["message_id"]), []).append(
                {**_data(row, skipped), "id": row["id"]}
            )
        if not reader.messages and "session_message" in database.tables:
            for row in database.rows(_OTHERS, own, skipped=skipped):
                skipped.leave_out("session_message", as_text(row["type"]))
        session["parentID"] = session.get("parent_id")
        transcript = reader.transcript(session)
        found.extend([transcript] if transcript else [])
    database.close()
    return skipped.reading(found)


def _data(row: JsonObject, skipped: Skips) -> JsonObject:
    held = _object(as_text(row["data"]).encode())
    if held is None:
        skipped.append(Skipped(1, f"row {clipped(as_text(row['id']), 40)}: broken JSON"))
    return held or {}


def related(source: Source) -> tuple[str, ...]:
    """Return a database's log; a session's message files, and once those are there, the files of their parts."""
    if sqlite_file.is_database(source.data):
        return sqlite_file.beside(source.path)
    session = as_text((_object(source.data) or {}).get("id"))
    if not _SAFE.fullmatch(session):
        return ()
    held = (_object(data) for data in source.related.values())
    owners = [as_text(message.get("id")) for message in held if message and "role" in message]
    folders = [f"../../part/{owner}/*.json" for owner in sorted(owners) if _SAFE.fullmatch(owner)]
    return (f"../../message/{session}/*.json", *folders, *(["../../part/*.json"] if folders else []))


def detect(head: Head) -> bool:
    """Return whether a file is a database, an export or a session of opencode."""
    fields = head.document.fields
    if head.tables:
        return not sqlite_file.missing(head.tables, TABLES)
    if is_object(fields.get("info")):
        fields = as_object(fields["info"])
        if any(not is_object(as_object(one).get("info")) for one in head.document.items[:1]):
            return False
    placed = "projectID" in fields or "directory" in fields
    return (
        isinstance(fields.get("id"), str)
        and placed
        and "created" in as_object(fields.get("time"))
        and "role" not in fields
    )


def part_of_session(path: str, data: bytes) -> str:
    """Return a sentence for a file that is only a message or a part of a session, "" for any other."""
    held = _object(data) or {}
    folders = path.replace("\\", "/").split("/")[:-1]
    message = "sessionID" in held and "role" in held
    part = "type" in held and ("messageID" in held or ("part" in folders and "id" in held))
    kind = "message" if message else "part" if part else ""
    return f"a {kind} file of an opencode session; the session file reads it" if kind else ""
