"""Content blocks as Anthropic's messages write them, turned into parts; Claude Code's transcripts are made of these.

Rules kept here:

- Text, thinking with its signature, calls, results, images and documents become parts. A tool that the provider itself
  ran is a call and a result like any other.
- Inside a result, a block of an unknown kind is kept as its JSON text: it is something a tool said. Elsewhere it is
  named as a problem, because nobody can say who said it.
- Blocks without words, such as an empty text, become nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.formats import media
from palimpsest.formats.transcripts.reader_base import (
    JsonObject,
    arguments_text,
    as_list,
    as_object,
    as_text,
    is_object,
    json_text,
    kind_of,
    listed,
)
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, ToolResult


@dataclass(slots=True)
class Blocks:
    """What a content held: `said` in order, `results` apart, and a sentence on each block that could not be read."""

    said: list[Part] = field(default_factory=list[Part])
    results: list[ToolResult] = field(default_factory=list[ToolResult])
    problems: list[str] = field(default_factory=list[str])


def read_blocks(content: object, fallback_id: str) -> Blocks:
    """The parts of a message's content. Calls without an id get one made from `fallback_id` and their position."""
    found = Blocks()
    if isinstance(content, str):
        found.said.extend(text_parts(content))
        return found
    for index, item in enumerate(as_list(content)):
        if not is_object(item):
            found.problems.append(f"a content block is {kind_of(item)}")
            continue
        block, kind = item, as_text(item.get("type"))
        if kind.endswith("tool_result"):
            found.results.append(_result(block))
            continue
        part = _part(block, kind, f"{fallback_id}:{index}")
        if part is None and kind not in {"text", "thinking"}:
            found.problems.append(f'unknown content block "{kind}"')
        elif part is not None:
            found.said.append(part)
    return found


def text_parts(text: str) -> list[Part]:
    """`text` as parts: none where it is empty."""
    return [Text(text)] if text else []


def source_part(source: JsonObject, kind: str) -> Media | Text | None:
    """An image's or document's `source`: inline, by address, or by a provider's file id. Documents of text are text."""
    match as_text(source.get("type")):
        case "base64":
            data = as_text(source.get("data"))
            return media.inline(as_text(source.get("media_type")) or kind, data) if data else None
        case "url":
            return Media(kind, uri=as_text(source.get("url"))) if source.get("url") else None
        case "file":
            return Media(kind, uri=as_text(source.get("file_id"))) if source.get("file_id") else None
        case "text":
            return Text(as_text(source.get("data")))
        case _:
            return None


def result_content(content: object) -> tuple[Text | Media, ...]:
    """A tool result's content: text, or blocks of text and media; a block of another kind as its JSON text."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    return tuple(part for item in listed(content) if (part := _inner(item)) is not None)


def _inner(item: object) -> Text | Media | None:
    block = as_object(item)
    kind = as_text(block.get("type"))
    if kind == "text":
        text = as_text(block.get("text"))
        return Text(text) if text else None
    if kind in {"image", "document"}:
        part = source_part(as_object(block.get("source")), kind)
        if part is not None:
            return part
    return Text(json_text(item)) if item else None


def _part(block: JsonObject, kind: str, fallback_id: str) -> Part | None:
    match kind:
        case "text":
            text = as_text(block.get("text"))
            return Text(text) if text else None
        case "thinking":
            text, signature = as_text(block.get("thinking")), as_text(block.get("signature"))
            return Reasoning(text, signature) if text or signature else None
        case "redacted_thinking":
            return Reasoning(as_text(block.get("data")), redacted=True)
        case "tool_use" | "server_tool_use" | "mcp_tool_use":
            call_id = as_text(block.get("id")) or fallback_id
            return ToolCall(call_id, as_text(block.get("name")), arguments_text(block.get("input")))
        case "image" | "document":
            return source_part(as_object(block.get("source")), kind)
        case _:
            return None


def _result(block: JsonObject) -> ToolResult:
    return ToolResult(
        call_id=as_text(block.get("tool_use_id")),
        content=result_content(block.get("content")),
        is_error=block.get("is_error") is True,
    )
