"""The source of a summary, and how a model sees it.

- The text to summarize is data in a fence. What looks like a border of that fence is escaped, so that a pasted text can
  neither end the fence nor forge a message.
- Roles, ids, times, tool names, arguments and outcomes are shown: a summary cannot say who decided what, or whether a
  command worked, if its source does not.
- Messages are shown in full. One that is larger than its summarizer's window is divided (`model.map_reduce`).
- Reasoning is not shown: it is the provider's, often encrypted, and its result is in the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from palimpsest.record.summary_source import (
    LOOKED_AT,
    LOOKED_AT_FIRST,
    Source,
    SummaryEntry,
)
from palimpsest.text.cut import Count, clean, clip, fit_ends, shorten
from palimpsest.text.invisible_characters import readable

EARLIER_CHARS = 6_000
"""Characters of an earlier summary that are shown; of a longer one both ends."""
SYSTEM_HEAD_CHARS, SYSTEM_TAIL_CHARS = 12_000, 4_000
"""Characters of the agent's own prompt that are shown."""
LEAST_SYSTEM_CHARS = 2_000
"""The least of them, for a small source."""
URI_CHARS = 400
WHO = ("self", "identity", "profile")
"""Blocks of an agent's own prompt about itself and the user."""
MAX_WHO = 8
"""The most blocks of one kind."""
EARLIER_SUMMARIES = 2
"""How many of the summaries before the source are shown as context."""

_BORDER = later(
    r"<(?=\s{0,4}/?\s{0,4}(?:conversation|message|summary|earlier_summary|agent_prompt|facts|findings)\b)",
    re.IGNORECASE,
)


def looked_at(source: Source, most: int = LOOKED_AT, opening: int = LOOKED_AT_FIRST) -> Source:
    """The source as it is read without a model: of very many messages the first and the newest, and all summaries."""
    entries = source.entries
    if len(entries) <= most:
        return source
    start, end = opening, len(entries) - (most - opening)
    between = (entry for entry in entries[start:end] if isinstance(entry, SummaryEntry))
    return replace(source, entries=(*entries[:start], *between, *entries[end:]))


def render_source(source: Source) -> str:
    """The entries as one fenced block, with ids, roles, times, calls and outcomes."""
    blocks = [
        f"<{tag}{_attributes(attributes)}>\n{_escape(body)}\n</{tag}>"
        for tag, attributes, body in _blocks(source)
    ]
    return "\n".join(["<conversation>", *blocks, "</conversation>"])


def render_earlier(source: Source) -> str:
    """The last two earlier summaries, each in its fence; "" for none."""
    texts = [
        shorten(clean(text), EARLIER_CHARS * 2 // 3, EARLIER_CHARS // 4)
        for text in source.earlier[-EARLIER_SUMMARIES:]
    ]
    return "\n".join(
        f"<earlier_summary>\n{_escape(text)}\n</earlier_summary>" for text in texts if text.strip()
    )


def render_identity(source: Source) -> str:
    """The agent's own prompt in its fence, so that a summary can keep who the agent is; "" for none.

    For a leaf it takes at most about a quarter of the size of the source.
    """
    text = clean(source.system).strip()
    most = SYSTEM_HEAD_CHARS + SYSTEM_TAIL_CHARS
    if source.kind == "leaf":
        most = min(most, max(LEAST_SYSTEM_CHARS, source.tokens))
    if len(text) > most:
        text = own_prompt(text, most, len)
    if not text:
        return ""
    return f"\nThe assistant's own prompt, as data:\n<agent_prompt>\n{_escape(text)}\n</agent_prompt>\n"


def own_prompt(text: str, room_tokens: int, count: Count) -> str:
    """As much of an agent's own prompt as `room_tokens` hold: first the blocks about itself and the user, then both
    ends.
    """
    if count(text) < room_tokens:
        return text
    blocks = list(_who(text))
    who = fit_ends("\n".join(blocks), room_tokens, count)
    for block in blocks:
        text = text.replace(block, "", 1)
    rest = fit_ends(text.strip(), room_tokens - count(who), count)
    return "\n".join(part for part in (who, rest) if part)


def _who(text: str) -> Iterator[str]:
    """The blocks of a prompt about the agent and the user, with their tags."""
    for tag in WHO:
        at = 0
        for _ in range(MAX_WHO):
            start = text.find(f"<{tag}", at)
            end = text.find(f"</{tag}>", start)
            if start < 0 or end < 0:
                break
            at = end + len(f"</{tag}>")
            yield text[start:at]


def fenced(tag: str, text: str, preface: str = "") -> str:
    """A text in a fence of its own, after a line that says what it is."""
    return f"{preface}\n<{tag}>\n{_escape(text)}\n</{tag}>".lstrip()


def plain_source(source: Source) -> str:
    """The entries as plain paragraphs, each beginning with its role, for a summary without a model."""
    paragraphs: list[str] = []
    for tag, attributes, body in _blocks(source):
        if body.strip():
            paragraphs.append(f"{attributes['role']}: {body}" if tag == "message" else body)
    return "\n\n".join(paragraphs)


def _blocks(source: Source) -> Iterator[tuple[str, dict[str, str], str]]:
    names: dict[str, str] = {}
    for entry in source.entries:
        if isinstance(entry, SummaryEntry):
            made = entry.summary
            attributes = {
                "id": made.id,
                "depth": str(made.depth),
                "from": render_time(made.earliest_s),
                "to": render_time(made.latest_s),
            }
            yield "summary", attributes, clean(made.text)
        else:
            message = entry.message
            names.update((call.id, call.name) for call in message.calls)
            attributes = {
                "id": entry.id,
                "role": message.role,
                "name": message.name,
                "time": render_time(message.time_s),
            }
            yield "message", attributes, render_message(message, names, entry.most_chars)


def render_message(message: Message, names: dict[str, str], most_chars: int = 0) -> str:
    """A message's text, calls and results, at most so many characters unless that is 0.

    `names` maps call ids to tool names.
    """
    lines = [line for part in message.parts if (line := _render_part(part, names))]
    body = clean("\n".join(lines))
    if not 0 < most_chars < len(body):
        return body
    return shorten(body, most_chars * 2 // 3, most_chars // 4)


def _render_part(part: Part, names: dict[str, str]) -> str:
    match part:
        case Text():
            return part.text
        case ToolCall():
            return f"[call {part.name}] {part.arguments}"
        case ToolResult():
            name = names.get(part.call_id, part.call_id)
            outcome = "error" if part.is_error else "result"
            body = "\n".join(
                readable(inner.text) if isinstance(inner, Text) else _render_part(inner, names)
                for inner in part.content
            )
            return f"[{outcome} of {name}] {body}"
        case Media():
            where = clip(part.uri, URI_CHARS)
            return f"[{part.media_type}{' ' if where else ''}{where}]"
        case Opaque():
            return f"[{part.kind}] {text}" if (text := part.text) else ""
        case Reasoning():
            return ""


def render_time(time_s: float | None) -> str:
    """`2026-01-31T09:30Z`, or "" for an unknown or impossible time."""
    if time_s is None:
        return ""
    try:
        return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%dT%H:%MZ")
    except (ValueError, OverflowError, OSError):
        return ""


def _attributes(attributes: dict[str, str]) -> str:
    shown = {key: re.sub(r"[\"<>\s]+", " ", clean(value)) for key, value in attributes.items() if value}
    return "".join(f' {key}="{value}"' for key, value in shown.items())


def _escape(text: str) -> str:
    return _BORDER.sub("&lt;", text)
