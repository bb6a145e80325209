"""A pin: text in every window, byte for byte, until it is unpinned.

- The text is quoted when it is pinned, so that no later change of a branch changes it.
- A message that is verbatim in the window is not repeated, unless a provider's form cuts it.
- A pin alone never changes a cached prefix: it follows the newest message until the summaries change, and the last
  summary from then on. `Pin.records` identifies those summaries.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from palimpsest.record.message import Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, SummaryItem

_KNOWN_MARKS = 256


@dataclass(frozen=True, slots=True)
class Quote:
    """A pinned text. `id` and `role` are those of its message, "" for a text of its own."""

    text: str
    id: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Pin:
    """`records` identifies the summaries in the window when the pin was made (see `records_mark`); `tokens` is the
    cost of its text alone.
    """

    id: str
    quotes: tuple[Quote, ...]
    records: str = ""
    tokens: int = 0
    time_s: float = 0.0

    @property
    def text(self) -> str:
        """All its text."""
        return "\n\n".join(quote.text for quote in self.quotes)


def quoted_text(message: Message) -> str:
    """Return a message's text as it is pinned: text, calls with arguments, results, without reasoning."""
    lines: list[str] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                lines.append(text)
            case Opaque():
                lines.append(part.text)
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
    """Return an identifier of the summaries in a window; "" without any."""
    return _mark(window.records)


@lru_cache(_KNOWN_MARKS)
def _mark(ids: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(ids).encode()).hexdigest()[:16] if ids else ""


def verbatim_ids(window: Window) -> frozenset[str]:
    """Return the ids of the messages that a window shows verbatim."""
    shown = [item.stored.id for item in window.items if isinstance(item, MessageItem)]
    quoted = [
        item.quoted.id for item in window.items if isinstance(item, SummaryItem) and item.quoted is not None
    ]
    return frozenset((*shown, *quoted))


def is_cut(quote: Quote) -> bool:
    """Return whether a provider's form cuts pinned text in its message: Anthropic allows no trailing white space in
    assistant text, and no blank text.
    """
    return not quote.text.strip() or (quote.role == "assistant" and quote.text[-1].isspace())
