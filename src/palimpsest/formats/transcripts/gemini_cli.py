"""Gemini CLI's chat recordings: one JSON document, or, in newer versions, a log of records and patches, one a line.

- A record has calls together with their results; they become an assistant message and results. Thoughts become
  reasoning.
- In a log a growing record is written again, and the last one counts as long as nothing follows: such a message is
  provisional. Later only results may be added; any other change is reported and ignored.
- `$rewindTo` removes the named record and what follows, which starts another branch. `$set.messages` restates the
  whole history: its common prefix stays, the rest is a branch.
- A history that begins with a `<state_snapshot>` is the program's own compaction: counted, and not the user's text;
  the raw messages before it stay.
- Notices of the program (`info`, `error`, `warning`) are not messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.formats import media
from palimpsest.formats.transcripts.message_tree import Draft, Node, Tree, paths
from palimpsest.formats.transcripts.reader_base import (
    LISTS,
    Document,
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
    head_of,
    is_object,
    json_text,
    lines,
    listed,
    made_id,
    read_document,
    time_s,
    title_of,
)
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult, Usage

NAME = "gemini_cli"

USER = frozenset({"user"})
MODEL = frozenset({"gemini", "model", "assistant"})
NOTICES = frozenset({"info", "error", "warning"})
SNAPSHOT = "<state_snapshot>"
DONE = frozenset({"success", "error", "cancelled"})


@dataclass(slots=True)
class _Reader:
    tree: Tree = field(default_factory=lambda: Tree(grows=True, strict=True))
    at: Node = field(init=False)
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    meta: JsonObject = field(default_factory=dict[str, object])
    title: str = ""
    summaries: int = 0
    bookkeeping: int = 0
    skipped: Skips = field(default_factory=Skips)

    def __post_init__(self) -> None:
        self.at = self.tree.root

    def line(self, number: int, line: JsonObject) -> None:
        """Read one line of a log."""
        if isinstance(line.get("$rewindTo"), str):
            node = self.nodes.get(as_text(line["$rewindTo"]))
            self.at = self.tree.root if node is None or node.parent is None else node.parent
            self.bookkeeping += 1
        elif is_object(line.get("$set")):
            self.patch(number, as_object(line["$set"]))
        elif "type" in line:
            self.record(number, line)
        elif "sessionId" in line:
            self.patch(number, line)
        else:
            self.skipped.append(Skipped(number, "a line that is no record and no patch"))

    def patch(self, number: int, fields: JsonObject) -> None:
        """Apply new values of the session's fields, including its history."""
        self.bookkeeping += 1
        self.meta.update({key: value for key, value in fields.items() if key != "messages"})
        records = [as_object(item) for item in as_list(fields.get("messages"))]
        if records and _is_snapshot(records[0]):
            self.summaries += 1
            fresh = [record for record in records[2:] if as_text(record.get("id")) not in self.nodes]
            for record in fresh:
                self.record(number, record)
        elif "messages" in fields and (records or self.at is not self.tree.root):
            self.restate(number, records)

    def restate(self, number: int, records: list[JsonObject]) -> None:
        """Follow a restated history from its start: known records where they are, others as a branch."""
        self.at = self.tree.root
        for record in records:
            node = self.nodes.get(as_text(record.get("id")))
            if node is not None and node.parent is not self.at:
                del self.nodes[as_text(record.get("id"))]
            self.record(number, record)

    def record(self, number: int, record: JsonObject) -> None:
        """Read one record, new or repeated."""
        kind = as_text(record.get("type")) or as_text(record.get("role"))
        if kind in NOTICES:
            self.bookkeeping += 1
            return
        if kind not in USER | MODEL:
            self.skipped.append(
                Skipped(number, f'unknown record type "{clipped(kind, 40)}"' if kind else "no record")
            )
            return
        if _is_snapshot(record):
            self.summaries += 1
            return
        own = as_text(record.get("id"))
        drafts = _drafts(record, "user" if kind in USER else "assistant", own or f"record {number}")
        known = self.nodes.get(own) if own else None
        if not drafts:
            self.bookkeeping += 1
        elif known is None:
            self.add(own, drafts)
        else:
            self.again(number, known, drafts)

    def add(self, own: str, drafts: list[Draft]) -> None:
        """Add a new record."""
        head, *results = drafts
        if head.role == "user":
            node = self.tree.prompt(self.at, head)
            self.title = self.title or title_of(
                next((part.text for part in head.parts if isinstance(part, Text)), "")
            )
        else:
            node = self.tree.answer(self.at, head)
            for result in results:
                self.tree.result(node, result)
        self.at = node
        if own:
            self.nodes[own] = node

    def again(self, number: int, node: Node, drafts: list[Draft]) -> None:
        """Update a repeated record: it replaces its content while nothing follows, and later may only add results."""
        head, *results = drafts
        if node is self.at or node.parent is self.at:
            self.at = node
        if node.open and node.newest is None:
            self.tree.replace(node, head)
            for result in results:
                self.tree.result(node, result)
            return
        if head.parts != node.head.parts:
            self.skipped.append(
                Skipped(number, f"record {clipped(head.origin, 40)} changed after others followed it")
            )
            return
        node.head.usage = head.usage or node.head.usage
        for result in results:
            if not any(
                part.call_id in node.answered for part in result.parts if isinstance(part, ToolResult)
            ):
                self.tree.result(node, result)
        self.bookkeeping += 1


def _is_snapshot(record: JsonObject) -> bool:
    kind = as_text(record.get("type")) or as_text(record.get("role"))
    said = _parts(record)
    return (
        kind in USER
        and bool(said)
        and isinstance(said[0], Text)
        and said[0].text.lstrip().startswith(SNAPSHOT)
    )


def _drafts(record: JsonObject, role: str, fallback_id: str) -> list[Draft]:
    """Return a record's messages: its text, then the result of each call; none without content."""
    when = time_s(record.get("timestamp") or record.get("ts"))
    own = as_text(record.get("id"))
    said = _parts(record)
    if role == "user":
        return [Draft("user", said, when, own)] if said else []
    parts: list[Part] = [*_thoughts(record), *said]
    results: list[Draft] = []
    for index, item in enumerate(as_list(record.get("toolCalls"))):
        asked = as_object(item)
        call_id = as_text(asked.get("id")) or f"{fallback_id}:{index}"
        parts.append(ToolCall(call_id, as_text(asked.get("name")), arguments_text(asked.get("args"))))
        result = _result(call_id, asked)
        if result is not None:
            ended = time_s(asked.get("timestamp"))
            results.append(Draft("tool", [result], when if ended is None else ended, f"{own}#{call_id}"))
    if not parts:
        return []
    head = Draft(
        "assistant", parts, when, own, as_text(record.get("model")), usage(as_object(record.get("tokens")))
    )
    return [head, *results]


def _thoughts(record: JsonObject) -> list[Part]:
    found: list[Part] = []
    for item in as_list(record.get("thoughts")):
        thought = as_object(item)
        words = [as_text(thought.get("subject")), as_text(thought.get("description"))]
        text = "\n".join(word for word in words if word)
        if text:
            found.append(Reasoning(text))
    return found


def _parts(record: JsonObject) -> list[Part]:
    """Return text and media of a record's content."""
    content = record.get("content") if record.get("content") is not None else record.get("parts")
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [part for item in listed(content) if (part := _part(item)) is not None]


def _part(item: object) -> Text | Media | None:
    if isinstance(item, str):
        return Text(item) if item else None
    block = as_object(item)
    inline, held = as_object(block.get("inlineData")), as_object(block.get("fileData"))
    if as_text(block.get("text")):
        return Text(as_text(block.get("text")))
    if as_text(inline.get("data")):
        return media.inline(as_text(inline.get("mimeType")) or "image", as_text(inline.get("data")))
    if as_text(held.get("fileUri")):
        return Media(as_text(held.get("mimeType")) or "file", uri=as_text(held.get("fileUri")))
    return None


def _result(call_id: str, asked: JsonObject) -> ToolResult | None:
    """Return the result of a call, None if it has none yet."""
    status = as_text(asked.get("status"))
    given = asked.get("result")
    content: list[Text | Media] = []
    for item in listed(given):
        response = as_object(as_object(item).get("functionResponse")).get("response")
        fields = as_object(response)
        told = next((fields[key] for key in ("output", "error", "content") if fields.get(key)), response)
        part = Text(json_text(told)) if told else _part(item)
        content.extend([part] if part else [])
    if not content and isinstance(asked.get("resultDisplay"), str):
        content.extend([Text(as_text(asked["resultDisplay"]))] if asked["resultDisplay"] else [])
    if not content and status not in DONE:
        return None
    return ToolResult(call_id, tuple(content), is_error=status in {"error", "cancelled"})


def usage(raw: JsonObject) -> Usage | None:
    """Return token counts: the prompt's include the cached ones, and thoughts are output."""
    counts = Usage(
        input_tokens=as_count(raw.get("input")),
        output_tokens=as_count(raw.get("output")) + as_count(raw.get("thoughts")),
        cached_tokens=as_count(raw.get("cached")),
    )
    return counts if counts != Usage() else None


def _read_document(reader: _Reader, document: Document) -> None:
    reader.meta.update(document.fields)
    for index, item in enumerate(document.items, 1):
        reader.record(index, as_object(item))
    if document.broken:
        reader.skipped.append(Skipped(len(document.items) + 1, document.broken))


def read(source: Source) -> Reading:
    """Return the session in `source`, a document or a log."""
    reader = _Reader()
    if _is_log(head_of(source.path, source.data)):
        for number, line in lines(source.data):
            if isinstance(line, Skipped):
                reader.skipped.append(line)
            else:
                reader.line(number, line)
    else:
        _read_document(reader, read_document(source.data, LISTS))
    histories, left_out = paths(reader.tree)
    if left_out:
        reader.skipped.append(Skipped(1, f"{left_out} old branches left out: the session is too large"))
    folders = source.path.replace("\\", "/").split("/")
    found = Transcript(
        id=as_text(reader.meta.get("sessionId")) or made_id(source.path, histories),
        format=NAME,
        title=title_of(as_text(reader.meta.get("summary"))) or reader.title,
        parent=folders[-2] if reader.meta.get("kind") == "subagent" and len(folders) > 1 else "",
        paths=histories,
        summaries=reader.summaries,
        bookkeeping=reader.bookkeeping,
        cwd=as_text(next(iter(as_list(reader.meta.get("directories"))), "")),
    )
    return reader.skipped.reading([found] if histories else [])


def _is_log(head: Head) -> bool:
    first = head.rows[0] if head.rows else {}
    whole = bool(head.document.items) or any(bool(as_list(first.get(name))) for name in LISTS)
    return bool(first) and not whole


def detect(head: Head) -> bool:
    """Return whether a file is a chat recording."""
    first = head.rows[0] if head.rows else {}
    if _is_log(head):
        return (
            "sessionId" in first and "type" not in first and bool({"projectHash", "startTime"} & first.keys())
        )
    record = as_object(next(iter(head.document.items), None))
    if "sessionId" in head.document.fields:
        return as_text(record.get("type")) in USER | MODEL | NOTICES
    return "parts" in record and as_text(record.get("role")) in USER | MODEL
