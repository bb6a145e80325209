"""Parse a history that a client sends again and again, at the cost of what is new in it.

Parsing a message and hashing it take some 40 microseconds, so a client that resends 6,000 known messages would wait a
quarter of a second each turn. `SentHistory` therefore remembers how the last history began: for every `CHUNK_MESSAGES`
dicts their serialized form, the chain's head after them, and the leading system prompts among them. A history that
begins with the same dicts is parsed only from there on.

- Object identity proves nothing, because dicts are changed in place. Every dict is serialized each time and compared:
  with its last form, or with a digest of it beyond `MAX_HELD_BYTES` of a history.
- Only plain dicts are remembered. An SDK's objects, our own messages, and the items of OpenAI's Responses, whose
  meaning depends on their neighbours, are parsed each time.
- It is a cache of parsing and says nothing about the store. The caller asks the store whether it has the head, and
  otherwise parses the whole history.
- It is held in memory only: stored digests would have to be deleted together with their messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from palimpsest.engine.message_input import parse_messages
from palimpsest.formats import openai
from palimpsest.record.chain import Head, heads

if TYPE_CHECKING:
    from palimpsest.record.message import Message, ToolCall

CHUNK_MESSAGES = 64
"""Messages that are compared together, and parsed again if one of them was edited."""

MAX_CHUNKS = 10_000
"""Chunks remembered of a history; what follows is parsed each time."""

MAX_HELD_BYTES = 4_000_000
"""Serialized dicts held of one history: 6,000 messages of an agent."""

DIGEST_BYTES = 16

_DICTS = frozenset((dict,))
_serialize = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a history, up to its dict number `end`.

    It holds its dicts in serialized form or as a digest, and the chain's head after it. It also holds the number of
    leading system prompts up to there, and the calls of the last assistant message.
    """

    end: int
    dicts: bytes
    head: Head
    systems: int
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class ParsedHistory:
    """A history that was parsed from the head `after` on, None for all of it: its messages and their heads, its leading
    system prompts joined, the tool calls before its first message, and the chunks to remember.
    """

    messages: tuple[Message, ...]
    heads: tuple[Head, ...]
    system: str | None
    after: Head | None
    calls: Mapping[str, ToolCall]
    chunks: tuple[Chunk, ...] = ()
    systems: tuple[str, ...] = ()


@dataclass(slots=True)
class SentHistory:
    """How the history of one conversation begins, as a client last sent it."""

    chunk_messages: int = CHUNK_MESSAGES
    max_bytes: int = MAX_HELD_BYTES
    chunks: tuple[Chunk, ...] = ()
    systems: tuple[str, ...] = ()
    held_bytes: int = 0

    def parse(self, history: Sequence[object], now_s: float, *, whole: bool = False) -> ParsedHistory:
        """Parse what follows the remembered beginning, or the `whole` history. Raises FormatError."""
        if not isinstance(history, list | tuple):
            return parse_whole(history, now_s)
        known = () if whole else self._known(history)
        start = known[-1].end if known else 0
        if any(map(openai.may_be_item, history[start:])):
            return parse_whole(history, now_s)
        base = known[-1] if known else Chunk(0, b"", Head(), 0, ())
        systems = list(self.systems[: base.systems])
        messages: list[Message] = []
        ends: list[Head] = []
        calls, chunks, head, remembers = base.calls, list(known), base.head, True
        held = sum(len(one.dicts) for one in known)
        while start < len(history):
            begun = _begun_messages(chunks, self.chunk_messages) if remembers else 0
            end = min(len(history), start + self.chunk_messages - begun)
            parsed = parse_messages(history[start:end], now_s, first=start, begun=head.seq > 0)
            if parsed.system is not None:
                systems.append(parsed.system)
            ends += heads(parsed.messages, head)
            messages += parsed.messages
            head = ends[-1] if parsed.messages else head
            calls = next((one.calls for one in reversed(parsed.messages) if one.role == "assistant"), calls)
            data = _serialized(history[start - begun : end]) if remembers else None
            remembers = data is not None and len(chunks) < MAX_CHUNKS
            if data is not None:
                finished = [replace(one, calls=()) for one in chunks[-1:]] if not begun else []
                dicts = data if held + len(data) <= self.max_bytes else _digest(data)
                chunks[-1:] = [*finished, Chunk(end, dicts, head, len(systems), calls)]
                held += len(dicts)
            start = end
        return ParsedHistory(
            messages=tuple(messages),
            heads=tuple(ends),
            system="\n\n".join(systems) if systems else None,
            after=base.head if base.head.seq else None,
            calls={call.id: call for call in base.calls},
            chunks=tuple(chunks),
            systems=tuple(systems),
        )

    def _known(self, history: Sequence[object]) -> tuple[Chunk, ...]:
        """The remembered chunks with which a history begins."""
        start = 0
        for place, chunk in enumerate(self.chunks):
            data = _serialized(history[start : chunk.end]) if chunk.end <= len(history) else None
            if data is None or chunk.dicts != (data if len(chunk.dicts) > DIGEST_BYTES else _digest(data)):
                return self.chunks[:place]
            start = chunk.end
        return self.chunks

    def remember(self, parsed: ParsedHistory) -> None:
        """Remember the beginning of a history that was stored."""
        self.chunks, self.systems = parsed.chunks, parsed.systems
        self.held_bytes = sum(len(one.dicts) for one in parsed.chunks)


def parse_whole(history: Sequence[object], now_s: float) -> ParsedHistory:
    """Parse a history without remembering it."""
    parsed = parse_messages(history, now_s)
    return ParsedHistory(parsed.messages, tuple(heads(parsed.messages)), parsed.system, None, {})


def _begun_messages(chunks: Sequence[Chunk], size: int) -> int:
    """How many messages the last chunk has if it is not full, else 0."""
    before = chunks[-2].end if len(chunks) > 1 else 0
    return (chunks[-1].end - before) % size if chunks else 0


def _serialized(part: Sequence[object]) -> bytes | None:
    """Plain dicts in a serialized form that differs if they do; None for anything else. It is longer than a digest."""
    if not _DICTS.issuperset(map(type, part)):
        return None
    try:
        return _serialize(part)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def _digest(data: bytes) -> bytes:
    return sha256(data).digest()[:DIGEST_BYTES]
