"""A provider's own compaction: items that only its own wire can send, with what they stand for."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from palimpsest.record.message import Usage


@dataclass(frozen=True, slots=True)
class ProviderBlock:
    """What a provider returned for the messages that it compacted.

    - `items` are the JSON texts of its blocks or items, in order, byte for byte. `wire` names the API that takes them,
      and `model` the model that made them.
    - `start` and `stands_for` are digests of the request that was compacted (`budget.bound_thinking`): of its
      beginning, and after its last message. Thinking that was made behind these messages stays valid behind the items.
    - `words` is text of our own that requests show with them: what users said, verbatim.
    """

    wire: str
    items: tuple[str, ...]
    model: str = ""
    start: str = ""
    stands_for: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class ProviderSummary:
    """A provider's answer to a request to compact: the items, their readable text ("" if they have none), and usage."""

    wire: str
    items: tuple[str, ...]
    text: str = ""
    model: str = ""
    usage: Usage | None = None


def encode_block(block: ProviderBlock) -> str:
    """The block as JSON text."""
    return msgspec.json.encode(block).decode()


def decode_block(text: str) -> ProviderBlock | None:
    """What `encode_block` returned; None for anything else."""
    try:
        return msgspec.json.decode(text, type=ProviderBlock) if text else None
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
