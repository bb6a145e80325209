"""A provider's own compaction among the messages of a request.

The neutral form is a user message of the wire `BLOCK`. Its text says what was compacted, and its `extra` is the
provider's block. Its own wire gets the provider's items in its place, every other wire the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from palimpsest.record.message import Message, Text
from palimpsest.record.provider_block import ProviderBlock, decode_block, encode_block

BLOCK = "provider block"
"""The wire of such a message."""


def block_message(block: ProviderBlock, text: str) -> Message:
    """The message for a block and the text that other wires get. Its prefix says what the block stands for."""
    stands = f"{block.start}/{block.stands_for}" if block.stands_for else ""
    return Message("user", (Text(text),), wire=BLOCK, extra=encode_block(block), prefix=stands)


def with_blocks(
    messages: Sequence[Message],
    wire: str,
    parse: Callable[[Sequence[object]], Sequence[Message]],
    *,
    reads: bool,
) -> tuple[Message, ...]:
    """The messages with each block in the form of a wire. `parse` reads the wire's items; without `reads`, the model
    gets the text.
    """
    if all(message.wire != BLOCK for message in messages):
        return tuple(messages)
    out: list[Message] = []
    for message in messages:
        if message.wire != BLOCK:
            out.append(message)
            continue
        block = decode_block(message.extra)
        if reads and block is not None and block.wire == wire:
            out.extend(parse([cast("object", json.loads(item)) for item in block.items]))
        else:
            out.append(replace(message, wire="", extra="", prefix=""))
    return tuple(out)
