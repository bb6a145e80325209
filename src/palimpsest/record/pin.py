"""A pin: words that stand in every window, byte for byte, until they are unpinned.

- What is pinned is quoted when it is pinned, so that no later change of a branch changes it.
- A message that stands verbatim in the window anyway is not shown a second time, unless a provider's form cuts it.
- What changes nothing but a pin changes no cached prefix: a pin waits behind the newest message until the records of
  what left the window change, and stands behind the last of them from then on. `Pin.records` says what they were.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, SummaryItem

_KNOWN_MARKS = 256


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that are pinned. `id` and `role` are those of the message they are from, "" for a text of its own."""

    text: str
    id: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Pin:
    """`records` names the records that stood in the window when it was made (see `records_mark`); `tokens` is what its
    words take, without what a request sets around them.
    """

    id: str
    quotes: tuple[Quote, ...]
    records: str = ""
    tokens: int = 0
    time_s: float = 0.0

    @property
    def text(self) -> str:
        """All its words."""
        return "\n\n".join(quote.text for quote in self.quotes)


def quoted_text(message: Message) -> str:
    """What a message says, as it is pinned: words, calls with their arguments, results; reasoning is left out."""
    lines: list[str] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                lines.append(text)
            case ToolCall(name=name, arguments=arguments):
                lines.append(f"{name} {arguments}")
            case ToolResult(content=content):
                lines.extend(inner.text if isinstance(inner, Text) else _named(inner) for inner in content)
            case Media():
                lines.append(_named(part))
            case Reasoning():
                pass
    return "\n".join(lines)


def _named(media: Media) -> str:
    return f"[{media.media_type}{f' {media.uri}' if media.uri else ''}]"


def records_mark(window: Window) -> str:
    """A name for the records of what left the window; "" where nothing did."""
    return _mark(window.records)


@lru_cache(_KNOWN_MARKS)
def _mark(ids: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(ids).encode()).hexdigest()[:16] if ids else ""


def verbatim_ids(window: Window) -> frozenset[str]:
    """The ids of the messages that a window shows word for word."""
    shown = [item.stored.id for item in window.items if isinstance(item, MessageItem)]
    quoted = [
        item.quoted.id for item in window.items if isinstance(item, SummaryItem) and item.quoted is not None
    ]
    return frozenset((*shown, *quoted))


def is_cut(quote: Quote) -> bool:
    """Whether a provider's form cuts pinned words where their message stands verbatim: Anthropic takes no white space
    at the end of what the assistant says, and no blank text.
    """
    return not quote.text.strip() or (quote.role == "assistant" and quote.text[-1].isspace())
