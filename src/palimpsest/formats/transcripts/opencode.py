"""opencode's storage: a session file, a file for each message, and a file for each part of a message.

- `session/<project>/<session>.json` is the transcript. Its messages (`message/<session>/*.json`) and their parts
  (`part/<message>/*.json`, in old storage `part/*.json`) are related files; alone they are only parts of one.
- One assistant message of opencode may be several answers of the model, one for each step; each becomes a message
  with its tools' calls and results.
- An assistant message marked as a summary is the session's own compaction: counted, not a message.
- The last assistant message is provisional unless it is marked as completed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.errors import FormatError
from palimpsest.formats import media
from palimpsest.formats.transcripts.message_tree import Draft, Node, Tree, paths
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
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
    json_text,
    normalized,
    stem,
    time_s,
    title_of,
)
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult, Usage

NAME = "opencode"

QUIET = frozenset({"snapshot", "patch", "agent", "subtask", "retry", "compaction"})
"""Part types without content for the model."""
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
    summaries: int = 0
    compactions: int = 0
    bookkeeping: int = 0
    skipped: Skips = field(default_factory=Skips)

    def gather(self, source: Source, session: str) -> None:
        """Sort the related files into messages and parts, by name and time."""
        for path in sorted(source.related):
            held = _object(source.related[path])
            name = "/".join(path.replace("\\", "/").split("/")[-2:])
            if held is None:
                self.skipped.append(Skipped(1, f"{name}: broken JSON"))
            elif held.get("sessionID", session) != session:
                continue
            elif "role" in held:
                self.messages.append(held)
            elif "type" in held:
                owner = as_text(held.get("messageID")) or name.split("/")[0]
                self.parts.setdefault(owner, []).append(held)
            else:
                self.skipped.append(Skipped(1, f"{name}: neither a message nor a part"))
        self.messages.sort(key=_created)

    def message(self, number: int, message: JsonObject) -> None:
        """Read one message with its parts."""
        own = as_text(message.get("id"))
        parts = self.parts.get(own, [])
        if message.get("summary") is True:
            self.summaries += 1
            return
        if not parts:
            self.skipped.append(Skipped(number, f"message {clipped(own, 40)} has no parts"))
            return
        role = as_text(message.get("role"))
        if role == "user":
            said = [found for part in parts for found in self.said(number, part)]
            self.bookkeeping += not said
            if said:
                when = time_s(as_object(message.get("time")).get("created"))
                self.tree.prompt(self.tree.tip, Draft("user", said, when, own))
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
        self.bookkeeping += not steps
        node: Node | None = None
        for index, step in enumerate(steps):
            origin = f"{own}#{index}" if index else own
            draft = Draft("assistant", step.said, when, origin, model, step.usage)
            node = self.tree.answer(self.tree.tip, draft)
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
        text = as_text(part.get("text"))
        match as_text(part.get("type")):
            case "text":
                shown = part.get("ignored") is not True
                return [Text(text)] if text and shown else []
            case "reasoning":
                return [Reasoning(text)] if text else []
            case "file":
                return [_file(part)]
            case kind if kind in QUIET:
                self.bookkeeping += 1
                self.compactions += kind == "compaction"
                return []
            case kind:
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
    told = state.get("output") if state.get("output") is not None else state.get("error")
    if told is None and status not in DONE:
        return
    content: list[Text | Media] = [Text(json_text(told))] if told else []
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
    """Return the session in `source`, with the messages and parts in its related files."""
    try:
        session = as_object(decode(normalized(source.data).strip()))
    except ValueError as error:
        raise FormatError(f"the session file is broken at byte {len(source.data)}: {error}") from None
    own = as_text(session.get("id")) or stem(source.path)
    reader = _Reader()
    reader.gather(source, own)
    for number, message in enumerate(reader.messages, 1):
        reader.message(number, message)
    if not source.related:
        reader.skipped.append(Skipped(1, "the session's message files are missing beside it"))
    histories, _ = paths(reader.tree)
    found = Transcript(
        id=own,
        format=NAME,
        title=title_of(as_text(session.get("title"))),
        parent=as_text(session.get("parentID")),
        paths=histories,
        summaries=max(reader.summaries, reader.compactions),
        bookkeeping=reader.bookkeeping,
        cwd=as_text(session.get("directory")),
    )
    return reader.skipped.reading([found] if histories else [])


def related(source: Source) -> tuple[str, ...]:
    """Return the session's message files, and once those are there, the files of their parts."""
    session = as_text((_object(source.data) or {}).get("id"))
    if not _SAFE.fullmatch(session):
        return ()
    held = (_object(data) for data in source.related.values())
    owners = [as_text(message.get("id")) for message in held if message and "role" in message]
    folders = [f"../../part/{owner}/*.json" for owner in sorted(owners) if _SAFE.fullmatch(owner)]
    return (f"../../message/{session}/*.json", *folders, *(["../../part/*.json"] if folders else []))


def detect(head: Head) -> bool:
    """Return whether a file is a session of opencode."""
    fields = head.document.fields
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
