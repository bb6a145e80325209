"""Invented transcript lines, as short as the formats allow."""

from __future__ import annotations

import json
from collections.abc import Iterable

from palimpsest.formats.transcripts import Reading, Source, read

Line = dict[str, object]


def joined(lines: Iterable[Line | str]) -> bytes:
    """The lines as a file's bytes; a text stands as it is."""
    return b"".join(
        (line if isinstance(line, str) else json.dumps(line)).encode("utf-8") + b"\n" for line in lines
    )


def reading(lines: Iterable[Line | str], path: str = "session.jsonl", name: str | None = None) -> Reading:
    """What a file of these lines gives."""
    return read(Source(path, joined(lines)), name)


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def call(call_id: str, **arguments: object) -> Line:
    return {"type": "tool_use", "id": call_id, "name": "run", "input": arguments}


def result(call_id: str, content: object = "done") -> Line:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def line(kind: str, uuid: str, parent: str | None, content: object, **more: object) -> Line:
    """A message line of Claude Code."""
    body: Line = {"role": kind, "content": content}
    if "message_id" in more:
        body |= {"id": more.pop("message_id"), "model": "maple-1"}
    head: Line = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "isSidechain": False}
    return head | {"timestamp": "2026-02-03T04:05:06.000Z", "message": body} | more


def user(uuid: str, parent: str | None, content: object, **more: object) -> Line:
    return line("user", uuid, parent, content, **more)


def said(uuid: str, parent: str | None, message_id: str, *blocks: Line, **more: object) -> Line:
    """A line of the assistant message `message_id`."""
    return line("assistant", uuid, parent, list(blocks), message_id=message_id, **more)


def mark(kind: str, uuid: str, parent: str | None, **more: object) -> Line:
    """A line of Claude Code that is no message."""
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", **more}


def item(kind: str, **fields: object) -> Line:
    """A response item of Codex."""
    payload = {"type": kind, **fields}
    return {"timestamp": "2026-02-03T04:05:06.000Z", "type": "response_item", "payload": payload}


def event(kind: str, **fields: object) -> Line:
    """An event of Codex."""
    return {
        "timestamp": "2026-02-03T04:05:06.000Z",
        "type": "event_msg",
        "payload": {"type": kind, **fields},
    }


def asked(words: str) -> Line:
    """A prompt of Codex."""
    return item("message", role="user", content=[{"type": "input_text", "text": words}])


def answered(words: str) -> Line:
    """Words of the model in Codex."""
    return item("message", role="assistant", content=[{"type": "output_text", "text": words}])


def entry(own: str, parent: str | None, role: str, content: object, **more: object) -> Line:
    """A message entry of pi."""
    body = {"role": role, "content": content, **more}
    return {
        "type": "message",
        "id": own,
        "parentId": parent,
        "timestamp": "2026-02-03T04:05:06Z",
        "message": body,
    }
