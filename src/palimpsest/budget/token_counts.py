"""Token estimates of messages and tools: two documented rules, and the default.

- PicoClaw's rule: characters x 2/5, with 12 characters a message, 20 a tool and 256 tokens a media item.
- Crabtalk's rule: characters / 4.
- The default counts text with `token_estimator` and adds the overhead of a provider's wire format.

The documented rules can drive a preset's triggers. The default always decides whether a request fits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import (
    Addition,
    Media,
    Message,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolDef,
    ToolResult,
)

MESSAGE_OVERHEAD_CHARS = 12
TOOL_OVERHEAD_CHARS = 20
MEDIA_TOKENS = 256

MESSAGE_OVERHEAD_TOKENS = 4
CALL_OVERHEAD_TOKENS = 12
RESULT_OVERHEAD_TOKENS = 8
TOOL_OVERHEAD_TOKENS = 12
IMAGE_TOKENS = 1_100
REQUEST_OVERHEAD_TOKENS = 8
FREE_EXTRA_CHARS = 400
SEAL_CHARS, SEALED_CHARS_PER_TOKEN = 300, 6
"""The measured length of a reasoning signature: of an empty one, and what each token of thinking adds."""

_BYTES_PER_DOCUMENT_TOKEN = 40
_CALL_TYPE = "function"
_MADE_IMAGE = "image_generation_call"


def estimate_message_tokens(message: Message) -> int:
    """PicoClaw's estimate: 2/5 token a character of content, reasoning, call ids, types, names, arguments
    and result ids.

    Each message adds 12 characters. A media item adds 256 tokens, outside the character rule. Source: the page on
    PicoClaw's context architecture.
    """
    chars, media = MESSAGE_OVERHEAD_CHARS, 0
    for part in message.parts:
        match part:
            case Text(text=text) | Reasoning(text=text) | Opaque(data=text):
                chars += len(text)
            case ToolCall(id=call_id, name=name, arguments=arguments):
                chars += len(call_id) + len(_CALL_TYPE) + len(name) + len(arguments)
            case ToolResult(call_id=call_id, content=content):
                chars += len(call_id) + sum(len(inner.text) for inner in content if isinstance(inner, Text))
                media += sum(isinstance(inner, Media) for inner in content)
            case Media():
                media += 1
    return chars * 2 // 5 + media * MEDIA_TOKENS


def estimate_tool_defs_tokens(tools: Iterable[ToolDef]) -> int:
    """PicoClaw's estimate of tool definitions: 2/5 token a character of name, description and schema, 20
    characters each.
    """
    chars = sum(
        len(tool.name) + len(tool.description) + len(tool.schema) + TOOL_OVERHEAD_CHARS for tool in tools
    )
    return chars * 2 // 5


def is_over_context_budget(
    context_window: int, messages: Sequence[Message], tools: Sequence[ToolDef], max_tokens: int
) -> bool:
    """PicoClaw's proactive check: message tokens + tool tokens + max_tokens > context window."""
    used = sum(estimate_message_tokens(message) for message in messages) + estimate_tool_defs_tokens(tools)
    return used + max_tokens > context_window


def estimate_chars_over_4(messages: Iterable[Message]) -> int:
    """Crabtalk's estimate: a quarter token a character of content, reasoning and tool call arguments."""
    chars = 0
    for message in messages:
        for part in message.parts:
            match part:
                case Text(text=text) | Reasoning(text=text) | Opaque(data=text):
                    chars += len(text)
                case ToolCall(arguments=arguments):
                    chars += len(arguments)
                case ToolResult():
                    chars += len(part.text)
                case Media():
                    pass
    return chars // 4


def media_tokens(message: Message) -> int:
    """The estimate of the images and documents of a message."""
    tokens = 0
    for part in message.parts:
        if isinstance(part, Media):
            tokens += _media_tokens(part)
        elif isinstance(part, ToolResult):
            tokens += sum(_media_tokens(inner) for inner in part.content if isinstance(inner, Media))
    return tokens


def frame_tokens(message: Message) -> int:
    """The estimated overhead of the wire format for a message, its calls and its results."""
    results = sum(isinstance(part, ToolResult) for part in message.parts)
    return (
        MESSAGE_OVERHEAD_TOKENS + CALL_OVERHEAD_TOKENS * len(message.calls) + RESULT_OVERHEAD_TOKENS * results
    )


def _sealed_tokens(part: Reasoning) -> int:
    """The thinking behind a signature or a blob, by its length: the readable text may be empty, or a summary."""
    sealed_chars = max(len(part.signature), len(part.text) if part.redacted else 0)
    return max(0, sealed_chars - SEAL_CHARS) // SEALED_CHARS_PER_TOKEN


def thinking_chars(part: Reasoning) -> int:
    """The length of the thinking of a part, as characters of text."""
    return max(0 if part.redacted else len(part.text), 4 * _sealed_tokens(part))


def _thinking_tokens(part: Reasoning) -> int:
    return max(0 if part.redacted else count_text(part.text), _sealed_tokens(part))


def _opaque_tokens(part: Opaque) -> int:
    """The words of an item, and what its encrypted content stands for. A made image is counted as an image."""
    words = part.text
    sealed_chars = max(0, len(part.data) - len(words) - SEAL_CHARS)
    return count_text(words) + min(sealed_chars // SEALED_CHARS_PER_TOKEN, _most_sealed(part.kind))


def _most_sealed(kind: str) -> int:
    return IMAGE_TOKENS if kind == _MADE_IMAGE else sys.maxsize


def _media_tokens(media: Media) -> int:
    if media.media_type.startswith("image") or not media.size_bytes:
        return IMAGE_TOKENS
    return max(IMAGE_TOKENS, media.size_bytes // _BYTES_PER_DOCUMENT_TOKEN)


def _extra_tokens(extra: str) -> int:
    """What unknown fields cost, which are sent along, beyond the few short ones that every message has."""
    return count_text(extra) if len(extra) > FREE_EXTRA_CHARS else 0


def count_message(message: Message) -> int:
    """The default estimate of one message in a request, in o200k tokens, wire overhead included."""
    tokens = frame_tokens(message) + media_tokens(message)
    tokens += _extra_tokens(message.extra) + (count_text(message.name) if message.name else 0)
    for part in message.parts:
        tokens += _extra_tokens(part.extra)
        match part:
            case Text(text=text):
                tokens += count_text(text)
            case Reasoning():
                tokens += _thinking_tokens(part)
            case Opaque():
                tokens += _opaque_tokens(part)
            case ToolCall(name=name, arguments=arguments):
                tokens += count_text(name) + count_text(arguments)
            case ToolResult(content=content):
                tokens += sum(count_text(inner.text) for inner in content if isinstance(inner, Text))
            case Media():
                pass
    return tokens + (added_tokens(message.added) if message.added else 0)


def thinking_tokens(message: Message) -> int:
    """The default estimate of a message's reasoning."""
    return sum(_thinking_tokens(part) for part in message.parts if isinstance(part, Reasoning))


def added_tokens(added: Iterable[Addition]) -> int:
    """The default estimate of what requests show after a message."""
    return sum(MESSAGE_OVERHEAD_TOKENS + count_text(one.text) for one in added)


def text_tokens(message: Message, tokens: int) -> int:
    """What reading a message of so many `tokens` back as text costs: no images, no thinking, no unknown fields."""
    thinking = thinking_tokens(message)
    extra = _extra_tokens(message.extra) + sum(_extra_tokens(part.extra) for part in message.parts)
    return max(1, tokens - media_tokens(message) - thinking - extra)


def count_tools(tools: Iterable[ToolDef]) -> int:
    """The default estimate of tool definitions: name, description and JSON schema."""
    return sum(
        TOOL_OVERHEAD_TOKENS + count_text(tool.name) + count_text(tool.description) + count_text(tool.schema)
        for tool in tools
    )
