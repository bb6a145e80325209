"""The items of Codex's rollouts, one by one: words, thoughts, calls and outputs as parts, and token counts."""

from __future__ import annotations

from palimpsest.formats import media
from palimpsest.formats.transcripts.reader_base import (
    JsonObject,
    arguments_text,
    as_count,
    as_list,
    as_object,
    as_text,
    json_text,
    listed,
)
from palimpsest.record.message import Media, Part, Reasoning, Text, ToolCall, Usage


def content_parts(content: object) -> list[Part]:
    """Words and images of an item's content, which is text or a list."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    parts: list[Part] = []
    for item in listed(content):
        block = as_object(item)
        text, image = as_text(block.get("text")), as_text(block.get("image_url"))
        if text:
            parts.append(Text(text))
        elif image:
            parts.append(media.from_uri(image, "image"))
    return parts


def reasoning_parts(item: JsonObject) -> list[Part]:
    """A summary of what the model thought; the encrypted thoughts are its signature."""
    told = [*as_list(item.get("summary")), *as_list(item.get("content"))]
    words = [as_text(as_object(piece).get("text")) for piece in told]
    text, signature = "\n".join(word for word in words if word), as_text(item.get("encrypted_content"))
    return [Reasoning(text, signature)] if text or signature else []


def call_of(item: JsonObject, kind: str, number: int) -> ToolCall:
    """A call, whatever its kind calls its name and its arguments."""
    name = as_text(item.get("name")) or as_text(as_object(item.get("function")).get("name"))
    asked = next((item[key] for key in ("arguments", "input", "action") if item.get(key) is not None), None)
    call_id = as_text(item.get("call_id")) or as_text(item.get("id")) or f"line {number}"
    return ToolCall(call_id, name or kind.removesuffix("_call"), arguments_text(asked))


def output_of(item: JsonObject) -> tuple[tuple[Text | Media, ...], bool]:
    """What a call gave, and whether it failed. Output is text, a list, or an object that holds one of them."""
    found = next((item[key] for key in ("output", "result", "tools") if item.get(key) is not None), None)
    holder = as_object(found)
    failed = holder.get("success") is False or item.get("status") == "failed"
    inner = holder.get("content", found)
    if not isinstance(inner, str):
        parts = [part for part in content_parts(inner) if isinstance(part, Text | Media)]
        if parts:
            return tuple(parts), failed
    text = json_text(inner) if inner not in (None, "", [], {}) else ""
    return ((Text(text),) if text else ()), failed


def usage(raw: JsonObject) -> Usage | None:
    """Token counts of one response; `input_tokens` already holds the cached ones."""
    counts = Usage(
        input_tokens=as_count(raw.get("input_tokens")),
        output_tokens=as_count(raw.get("output_tokens")),
        cached_tokens=as_count(raw.get("cached_input_tokens")),
        cache_write_tokens=as_count(raw.get("cache_write_input_tokens")),
    )
    return counts if counts != Usage() else None
