"""Amp's threads: one JSON document each, `T-<id>.json`, with content in Anthropic's form.

A result has its `run` in place of content: the tool's `result`, or its `error`.
"""

from __future__ import annotations

from palimpsest.formats.transcripts.message_tree import Draft
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
    json_text,
    read_document,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk, anthropic_block, blocks, counted
from palimpsest.record.message import Part, Text, ToolResult

NAME = "amp"
_USAGE = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")


def _block(block: JsonObject) -> list[Part]:
    if block.get("type") != "tool_result" or "run" not in block:
        return anthropic_block(
            {("tool_use_id" if key == "toolUseID" else key): one for key, one in block.items()}
        )
    run = as_object(block.get("run"))
    told = [run[key] for key in ("result", "error", "reason") if run.get(key)]
    call_id = as_text(block.get("toolUseID")) or as_text(block.get("tool_use_id"))
    content = tuple(Text(json_text(one)) for one in told)
    return [ToolResult(call_id, content, is_error=as_text(run.get("status")) in {"error", "cancelled"})]


def read(source: Source) -> Reading:
    """Return the thread in `source`."""
    document = read_document(source.data, ("messages",))
    fields, talk = document.fields, Talk(Skips())
    talk.title = as_text(fields.get("title"))
    for number, item in enumerate(document.items, 1):
        raw = as_object(item)
        role, counts = as_text(raw.get("role")), as_object(raw.get("usage"))
        parts = blocks(raw.get("content"), talk.skipped, number, _block)
        when = as_object(raw.get("meta")).get("sentAt") or counts.get("timestamp")
        facts = Draft("user", [], time_s(when), "", as_text(counts.get("model")), wire="anthropic")
        facts.usage = counted(counts, *_USAGE)
        if role == "info":
            talk.skipped.leave_out(role)
        else:
            talk.spoken(number, role, parts, facts)
    if document.broken:
        talk.skipped.append(Skipped(len(document.items) + 1, document.broken))
    trees = as_list(as_object(as_object(fields.get("env")).get("initial")).get("trees"))
    cwd = as_text(as_object(next(iter(trees), None)).get("uri")).removeprefix("file://")
    parent = as_text(fields.get("mainThreadID"))
    found = talk.transcript(NAME, source.path, as_text(fields.get("id")), parent, cwd)
    return talk.skipped.reading([found] if found else [])


def detect(head: Head) -> bool:
    """Return whether a file is a thread of Amp."""
    fields = head.document.fields
    named = as_text(fields.get("id")).startswith("T-") and "created" in fields
    return named and all("role" in as_object(one) for one in head.document.items[:5])
