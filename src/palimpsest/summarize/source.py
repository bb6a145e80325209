"""What a summary is made from, and how a model is shown it.

Rules kept here:

- The text to summarize is data. It stands in a fence, and whatever in it looks like a border of that fence is escaped,
  so that a pasted text can neither end the fence nor forge a message.
- Roles, ids, times, tool names, short arguments and outcomes are shown: a summary cannot say who decided what, or
  whether a command worked, if its source does not.
- One message is shown with at most 6,000 characters: the first 4,000 and the last 1,500 of a longer one. Where an
  output matters, it says so at its beginning or its end.
- Reasoning is not shown: it is the provider's, often encrypted, and what came of it stands in the reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, cast

from palimpsest.patterns import later
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult
from palimpsest.record.summary import Summary
from palimpsest.summarize.cut import Count, clean, clip, fit_ends, shorten
from palimpsest.summarize.visible import told

MESSAGE_CHARS = 6_000
HEAD_CHARS = 4_000
TAIL_CHARS = 1_500
SYSTEM_HEAD_CHARS, SYSTEM_TAIL_CHARS = 12_000, 4_000
"""Characters shown of the agent's own prompt."""
LEAST_SYSTEM_CHARS = 2_000
"""Shown of it however small the part."""
ARGUMENTS_CHARS = 2_000
"""Characters shown of one call's arguments."""
VALUE_CHARS = 400
"""Characters shown of one string inside a call's arguments."""
PARSED_CHARS = 200_000
"""Longer arguments are cut as text, not parsed."""
MAX_DEPTH = 6
MAX_ITEMS = 20
WHO = ("self", "identity", "profile")
"""Blocks of an agent's own prompt that say who it and the user are."""
MAX_WHO = 8
"""Blocks of one kind that are looked for."""
SourceKind = Literal["leaf", "condense", "roll"]

EARLIER_SUMMARIES = 2
"""How many of the summaries before the source are shown as context."""

_BORDER = later(
    r"<(?=\s{0,4}/?\s{0,4}(?:conversation|message|summary|earlier_summary|agent_prompt|facts|findings)\b)",
    re.IGNORECASE,
)

LOOKED_AT = 20_000
LOOKED_AT_FIRST = 1_000
"""Messages of a source, or of a backlog, that are read without a model, and how many are its first: seconds of work."""


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message to summarize, under the id it can be read back by; `tokens` as counted when it was stored. Of a longer
    one `most_chars` are shown.
    """

    id: str
    message: Message
    tokens: int
    most_chars: int = MESSAGE_CHARS


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """A summary to condense."""

    summary: Summary


Entry = MessageEntry | SummaryEntry


@dataclass(frozen=True, slots=True)
class Source:
    """Entries in order. `earlier` holds texts of the summaries before them, oldest first: context, not material.

    `focus` is what the caller wants kept above all, "" for nothing in particular. `tokens` is the size of the entries
    as they stand in a request, 0 where unknown. `system` is the agent's own prompt, which says who it is. `quoted` says
    that the newest request among the entries will stand word for word behind the summary. `begins` says that nobody
    asked for anything before the entries, so that their first request is what the user wants; `goal` is the request
    that stands before them word for word, where a rolling summary is made of what follows it; `newer_goal`
    what the user named last as the new one, up to the end of the entries. `answered` says that
    the assistant has given an answer behind the entries, so that none of their requests is pending. `rules` are what
    the user said before the entries that holds still, where no ledger stands beside the summary.
    """

    kind: SourceKind
    entries: tuple[Entry, ...]
    earlier: tuple[str, ...] = ()
    focus: str = ""
    tokens: int = 0
    system: str = ""
    quoted: bool = False
    begins: bool = True
    goal: str = ""
    newer_goal: str = ""
    answered: bool = False
    rules: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages among the entries."""
        return tuple(entry.message for entry in self.entries if isinstance(entry, MessageEntry))

    @property
    def summaries(self) -> tuple[str, ...]:
        """The texts of summaries, those before the entries first."""
        return (*self.earlier, *(one.summary.text for one in self.entries if isinstance(one, SummaryEntry)))

    @property
    def requests(self) -> tuple[str, ...]:
        """What users said in the entries."""
        return tuple(one.text for one in self.messages if one.role == "user")


def looked_at(source: Source, most: int = LOOKED_AT, opening: int = LOOKED_AT_FIRST) -> Source:
    """The source as it is read without a model: of very many messages the first and the newest, and every summary."""
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
    """The last two earlier summaries, each in its fence; "" where there is none."""
    texts = [shorten(clean(text), HEAD_CHARS, TAIL_CHARS) for text in source.earlier[-EARLIER_SUMMARIES:]]
    return "\n".join(
        f"<earlier_summary>\n{_escape(text)}\n</earlier_summary>" for text in texts if text.strip()
    )


def render_identity(source: Source) -> str:
    """The agent's own prompt in its fence, so that who it is can be kept; "" where there is none. Beside a part of a
    conversation it takes about a quarter of what that part takes, at most.
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
    """As much of an agent's own prompt as `room_tokens` hold: first what it says in its blocks of who it and the user
    are, then its beginning and its end.
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
    """The blocks of a prompt that say who somebody is, with their tags."""
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
    """A text in a fence of its own, behind a line that says what it is."""
    return f"{preface}\n<{tag}>\n{_escape(text)}\n</{tag}>".lstrip()


def plain_source(source: Source) -> str:
    """The entries as plain paragraphs, each opening with its role: what is left to keep when no model helps."""
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


def render_message(message: Message, names: dict[str, str], most_chars: int = MESSAGE_CHARS) -> str:
    """A message's words, calls and results, at most so many characters; `names` maps call ids to tool names."""
    lines = [line for part in message.parts if (line := _render_part(part, names))]
    body = clean("\n".join(lines))
    if len(body) <= most_chars:
        return body
    return shorten(body, most_chars * HEAD_CHARS // MESSAGE_CHARS, most_chars * TAIL_CHARS // MESSAGE_CHARS)


def _render_part(part: Text | Reasoning | Media | ToolCall | ToolResult, names: dict[str, str]) -> str:
    match part:
        case Text():
            return _bounded(part.text)
        case ToolCall():
            return f"[call {part.name}] {short_arguments(part.arguments)}"
        case ToolResult():
            name = names.get(part.call_id, part.call_id)
            outcome = "error" if part.is_error else "result"
            body = "\n".join(
                _bounded(told(inner.text)) if isinstance(inner, Text) else _render_part(inner, names)
                for inner in part.content
            )
            return f"[{outcome} of {name}] {_bounded(body)}"
        case Media():
            where = clip(part.uri, VALUE_CHARS)
            return f"[{part.media_type}{' ' if where else ''}{where}]"
        case Reasoning():
            return ""


def _bounded(text: str) -> str:
    return text if len(text) <= MESSAGE_CHARS else shorten(text, HEAD_CHARS, TAIL_CHARS)


def short_arguments(arguments: str) -> str:
    """A call's arguments with long strings and lists shortened inside the parsed value, so that they stay JSON.

    Text that is no JSON is cut as text.
    """
    if len(arguments) <= VALUE_CHARS:
        return arguments
    if len(arguments) > PARSED_CHARS:
        return shorten(arguments, VALUE_CHARS, VALUE_CHARS // 4)
    try:
        value: object = json.loads(arguments)
    except (ValueError, RecursionError):
        return clip(arguments, ARGUMENTS_CHARS)
    return clip(json.dumps(_short_value(value, MAX_DEPTH), ensure_ascii=False), ARGUMENTS_CHARS)


def _short_value(value: object, depth: int) -> object:
    if isinstance(value, str):
        return shorten(value, VALUE_CHARS - VALUE_CHARS // 4, VALUE_CHARS // 4)
    if isinstance(value, (dict, list)) and depth == 0:
        return "…"
    if isinstance(value, dict):
        items = list(cast("dict[str, object]", value).items())[:MAX_ITEMS]
        return {clip(key, VALUE_CHARS): _short_value(inner, depth - 1) for key, inner in items}
    if isinstance(value, list):
        items = cast("list[object]", value)
        rest = [f"… {len(items) - MAX_ITEMS} more"] if len(items) > MAX_ITEMS else []
        return [*(_short_value(inner, depth - 1) for inner in items[:MAX_ITEMS]), *rest]
    return value


def render_time(time_s: float | None) -> str:
    """`2026-01-31T09:30Z`, or "" where the time is unknown or no calendar holds it."""
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
