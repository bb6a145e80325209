"""Detecting the provider of a message dict by what only one of them writes.

Gemini's dicts have parts and no content, and Bedrock's content blocks have no type. A reply with a block of an unknown
type is Anthropic's, because OpenAI's chat replies have no blocks. A dict that OpenAI and Anthropic would write in the
same way is `COMMON`: its unknown fields go back to both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from palimpsest.errors import FormatError, brief
from palimpsest.formats import anthropic, bedrock, gemini, openai, wire_fields
from palimpsest.formats.wire_fields import COMMON, Fields
from palimpsest.record.message import Message

_OPENAI_ROLES = frozenset(("developer", "tool", "function"))
_COMMON_ROLES = frozenset(("user", "assistant", "system"))
_OPENAI_FIELDS = frozenset(
    (
        "tool_calls",
        "tool_call_id",
        "function_call",
        "refusal",
        "audio",
        "annotations",
        "name",
        "reasoning_content",
        "reasoning",
    )
)
_COMMON_BLOCKS = frozenset(("text", "input_text", "output_text"))
_OPENAI_BLOCKS = frozenset(("image_url", "input_audio", "file", "refusal", "video_url"))
_ANTHROPIC_FIELDS = frozenset(("stop_reason", "stop_sequence", "clear_at", "output_config"))
_ANTHROPIC_BLOCKS = frozenset(
    (
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "image",
        "document",
        "search_result",
        "server_tool_use",
        "container_upload",
        "mcp_tool_use",
        "mcp_tool_listing",
        "compaction",
        "fallback",
        "tool_addition",
        "tool_removal",
    )
)
_REPLIES = {"choices": "message", "candidates": "content"}
"""Where a whole reply has its alternatives, and where one of them has its message."""

_ACCEPTED = (
    'give an OpenAI chat message or an Anthropic message: {"role": "user", "content": "..."}, roles system, developer, '
    'user, assistant, tool; a Gemini content: {"role": "user", "parts": [...]}, roles user, model; or a Bedrock '
    'message: {"role": "user", "content": [{"text": "..."}]}'
)


def parse_any(raw: object) -> tuple[Message, ...]:
    """Parse one message dict of OpenAI, Anthropic, Gemini or Bedrock into messages; one with tool results may give
    several.

    An SDK's message object is read as the dict it dumps to. Raises FormatError, which says what is wrong and what is
    accepted.
    """
    if isinstance(raw, str):
        raise FormatError("a message is a string", hint='say who says it: {"role": "user", "content": "..."}')
    if isinstance(raw, list | tuple):
        raise FormatError("a message is a list", hint="give its messages one by one: append(*messages)")
    fields = _message_of(wire_fields.fields_of(raw, "a message"))
    if "content" not in fields and ("parts" in fields or fields.get("role") == "model"):
        return gemini.parse_message(fields)
    _refuse_foreign(fields)
    form = provider_of(fields)
    if form == "anthropic":
        return anthropic.parse_message(fields)
    if form == "bedrock":
        return bedrock.parse_message(fields)
    found = openai.parse_message(fields)
    return found if form == "openai" else tuple(replace(message, wire=COMMON) for message in found)


def _message_of(fields: Fields) -> Fields:
    """Return the message of a whole reply of OpenAI, Gemini or Bedrock, or of one of its choices; other dicts
    unchanged.
    """
    if "role" in fields:
        return fields
    for name, inner in _REPLIES.items():
        choices = fields.get(name)
        if not isinstance(choices, list | tuple):
            continue
        if len(choices) != 1:  # pyright: ignore[reportUnknownArgumentType]
            count = len(choices)  # pyright: ignore[reportUnknownArgumentType]
            hint = f"give the one to keep: reply.{name}[0].{inner}" if count else "there is nothing to append"
            raise FormatError(f"the reply has {count} {name}", hint=hint)
        return _message_of(wire_fields.fields_of(cast("Sequence[object]", choices)[0], "a choice"))
    if "delta" in fields:
        raise FormatError(
            "this is a part of a streamed reply", hint="collect the stream, and give the whole message"
        )
    if isinstance(output := fields.get("output"), Mapping) and "message" in output:
        return wire_fields.fields_of(cast("Fields", output)["message"], "the message of a reply")
    for inner in _REPLIES.values():
        if isinstance(fields.get(inner), dict):
            return wire_fields.fields_of(fields[inner], "a message")
    return fields


def _refuse_foreign(fields: Fields) -> None:
    role = fields.get("role")
    if role is None:
        raise FormatError("a message has no role", hint=_ACCEPTED)
    if not isinstance(role, str) or role not in _OPENAI_ROLES | _COMMON_ROLES:
        raise FormatError(f"a message's role is {brief(role)}", hint=_ACCEPTED)


def _is_bedrock(block: object) -> bool:
    """Return whether a content block has no type, and a key of Bedrock's."""
    if not isinstance(block, Mapping):
        return False
    fields = cast("Mapping[str, object]", block)
    return "type" not in fields and not bedrock.BLOCKS.isdisjoint(fields)


def provider_of(fields: Mapping[str, object]) -> str:
    """Return "openai", "anthropic", "bedrock", or "common" for a dict that either of the first two would write."""
    if fields.get("role") in _OPENAI_ROLES or not _OPENAI_FIELDS.isdisjoint(fields):
        return "openai"
    if not _ANTHROPIC_FIELDS.isdisjoint(fields):
        return "anthropic"
    content = fields.get("content")
    if not isinstance(content, list | tuple):
        return COMMON
    unknown = False
    if any(map(_is_bedrock, cast("Sequence[object]", content))):
        return "bedrock"
    for block in cast("Sequence[object]", content):
        found = wire_fields.fields_of(block, "a content block")
        kind = found.get("type")
        if not isinstance(kind, str):
            return COMMON
        if kind in _OPENAI_BLOCKS:
            return "openai"
        if kind in _ANTHROPIC_BLOCKS or "citations" in found or kind.endswith("_tool_result"):
            return "anthropic"
        unknown = unknown or kind not in _COMMON_BLOCKS
    return "anthropic" if unknown and fields.get("role") == "assistant" else COMMON
