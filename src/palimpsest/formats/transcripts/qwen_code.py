"""Qwen Code's session files: one record a line, a tree by `uuid` and `parentUuid`, with content in Gemini's form.

- An assistant message may come in several records of one uuid. What a later record of another uuid changes is a branch,
  which is how the program rewinds.
- `system` records carry telemetry, titles and snapshots. What the program shows its model is a record of its own.
- Two records may stand on one line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import gemini
from palimpsest.formats.transcripts.message_tree import Draft, Node, Tree
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    as_list,
    as_object,
    as_text,
    clipped,
    lines,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk
from palimpsest.formats.usage import find_usage
from palimpsest.record.message import Part

NAME = "qwen_code"
ROLES = {"user": "user", "assistant": "assistant", "tool_result": "user"}


@dataclass(slots=True)
class _Reader:
    talk: Talk = field(default_factory=lambda: Talk(Skips(), Tree(grows=True, strict=True)))
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    session: str = ""
    cwd: str = ""

    def record(self, number: int, record: JsonObject) -> None:
        """Read one record."""
        own, parent = as_text(record.get("uuid")), record.get("parentUuid")
        self.session = self.session or as_text(record.get("sessionId"))
        self.cwd = as_text(record.get("cwd")) or self.cwd
        found = self.nodes.get(parent) if isinstance(parent, str) else None
        at = found or (self.talk.tree.root if not self.nodes else self.talk.tree.tip)
        kind = as_text(record.get("type"))
        node = at
        if kind in ROLES:
            node = self.message(number, record, own, at)
        else:
            payload = as_object(record.get("systemPayload"))
            self.talk.title = as_text(payload.get("customTitle")) or self.talk.title
            self.talk.skipped.leave_out(kind, as_text(record.get("subtype")))
        if own:
            self.nodes[own] = node

    def message(self, number: int, record: JsonObject, own: str, at: Node) -> Node:
        """Read a message; a further record of the same message goes on with it."""
        kind = as_text(record.get("type"))
        parts: list[Part] = []
        for raw in as_list(as_object(record.get("message")).get("parts")):
            try:
                role = "model" if kind == "assistant" else "user"
                for one in gemini.parse_message({"role": role, "parts": [raw]}):
                    parts.extend(one.parts)
            except FormatError as error:
                self.talk.skipped.append(Skipped(number, clipped(error.message, 160)))
        facts = Draft(
            "user",
            [],
            time_s(record.get("timestamp")),
            own,
            as_text(record.get("model")),
            find_usage(cast("object", record.get("usageMetadata"))) if "usageMetadata" in record else None,
            "gemini",
        )
        if kind == "assistant" and own in self.nodes:
            return self.talk.go_on(self.nodes[own], parts, facts)
        return self.talk.say("assistant" if kind == "assistant" else "user", parts, facts, at)


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    reader = _Reader()
    for number, line in lines(source.data.replace(b'}{"uuid":', b'}\n{"uuid":')):
        if isinstance(line, Skipped):
            reader.talk.skipped.append(line)
        else:
            reader.record(number, line)
    found = reader.talk.transcript(NAME, source.path, reader.session, cwd=reader.cwd)
    return reader.talk.skipped.reading([found] if found else [])


def detect(head: Head) -> bool:
    """Return whether the first records of a file are Qwen Code's."""
    rows = [row for row in head.rows if {"uuid", "sessionId", "type"} <= row.keys()]
    return any("systemPayload" in row or "parts" in as_object(row.get("message")) for row in rows)
