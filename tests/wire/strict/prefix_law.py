"""The prefix law: a request is the one before it plus what was appended. Cache marks and deferred tools do not count.

A request is seen as a head (what stands before the conversation) and a list of items, one for each block or item with
its role. So a user's text that becomes a second block of the same turn is an addition, and not a change.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.wire.replies import Wire
from tests.wire.strict.refusal import Fields, digest, objects
from tests.wire.strict.thinking import bare, flat, head_of


@dataclass(frozen=True, slots=True)
class Shape:
    """Digests of a request's head and items."""

    head: str
    items: tuple[str, ...]


def shape_of(wire: Wire | str, body: Fields) -> Shape:
    """The shape of a request."""
    if wire == "anthropic":
        head = head_of(body)
        blocks = flat(objects(body.get("messages")))
        return Shape(
            digest(head.system, head.tools), tuple(digest(role, bare(one)) for _, role, one in blocks)
        )
    if wire == "responses":
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else objects(given)
        head_fields = (body.get("instructions"), body.get("tools"))
        return Shape(digest(head_fields), tuple(digest(one) for one in items))
    if wire == "gemini":
        parts = [
            digest(content.get("role"), part)
            for content in objects(body.get("contents"))
            for part in objects(content.get("parts"))
        ]
        return Shape(digest(body.get("systemInstruction"), body.get("tools")), tuple(parts))
    if wire == "bedrock":
        blocks = [
            digest(message.get("role"), block)
            for message in objects(body.get("messages"))
            for block in objects(message.get("content"))
            if "cachePoint" not in block
        ]
        return Shape(digest(body.get("system"), body.get("toolConfig")), tuple(blocks))
    return Shape(digest(body.get("tools")), tuple(digest(one) for one in objects(body.get("messages"))))


def break_of(before: Shape, now: Shape) -> str:
    """Where a request is not the one before it plus additions; "" if it is."""
    if before.head != now.head:
        return "the system prompt or the tools"
    for index, one in enumerate(before.items):
        if index >= len(now.items):
            return f"item {index} of {len(before.items)} is missing"
        if now.items[index] != one:
            return f"item {index} of {len(before.items)}"
    return ""
