"""Deleted messages: what replaces them, and how they are recognized when a history is resent.

- A tombstone is a message of the same speaker that says it was forgotten. The chain is computed over it, so no hash
  depends on deleted content: a short secret could be guessed from its digest.
- A resent history contains the deleted content. A tombstone keeps a digest of it under a random key, stored outside
  the database, with a salt of its own: the database alone does not allow guesses. A transcript's own message ids are
  marked in the same way, so that a grown or edited message is recognized.
- If the key is lost, anything that the same speaker says at such a place counts as deleted: coming back unasked is
  worse than being sent again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from palimpsest.record.chain import Head, advance, identity
from palimpsest.record.message import FORGOTTEN, Message, Text
from palimpsest.record.summary import Summary

FORGOTTEN_TEXT = (
    "[What was said here was forgotten at its owner's wish. Nothing of it is kept or can be read back.]"
)
"""The text of a tombstone. Chains are computed over it, so it must not change."""

KEY_BYTES = 32
SALT_BYTES = 16
MARK_BYTES = 16

Blanks = Mapping[bytes, Sequence["Tombstone"]]
"""The tombstones of a conversation by the chain hash at their position."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """How a deleted message is recognized; `origin_mark` is empty if its source gave no id."""

    salt: bytes
    mark: bytes
    origin_mark: bytes = b""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A summary rewritten without deleted content. `tokens` as in `Summary`."""

    id: str
    text: str
    tokens: int
    earliest_s: float | None = None
    latest_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """What deleting some messages of a conversation affects.

    `messages` are the ids of deleted ones, including copies on other branches and the rest of their tool groups;
    `asked` how many were named. `summaries` are those that cover any of them, from the leaves up; `pins` those that
    quote them or repeat what only they said.
    """

    messages: tuple[str, ...]
    asked: int
    summaries: tuple[Summary, ...] = ()
    pins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Erased:
    """What a store deleted. `rebuilt` and `emptied` are summaries: rewritten, or with nothing left."""

    messages: int = 0
    rebuilt: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    branches: int = 0
    vectors: int = 0
    compactions: int = 0
    ledgers: int = 0


def summed(parts: Sequence[Erased]) -> Erased:
    """Return the sum of several deletions."""
    found: dict[str, Any] = asdict(Erased())
    for part in parts:
        found = {name: before + getattr(part, name) for name, before in found.items()}
    return Erased(**found)


@dataclass(frozen=True, slots=True)
class Copy:
    """A file written from the store. `conversation` is "" for a file with everything of its owner; a `stale` one may
    hold content that was deleted since.
    """

    kind: str
    path: str
    conversation: str
    time_s: float
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Weight:
    """A conversation, its size, and its last change."""

    conversation: str
    size_bytes: int
    updated_s: float
    parent: str = ""


def blank_for(message: Message) -> Message:
    """Return the tombstone of a message. A tool's result has no call left to answer, so it is nobody's."""
    role = "assistant" if message.role == "tool" else message.role
    return Message(role, (Text(FORGOTTEN_TEXT),), wire=FORGOTTEN)


def is_blank(message: Message) -> bool:
    """Return whether a message is a tombstone."""
    return message.wire == FORGOTTEN


def tombstone_for(message: Message, key: bytes, salt: bytes) -> Tombstone:
    """Return how the message will be recognized."""
    origin = (
        _mark(key, salt, b"origin", message.origin.encode("utf-8", "surrogatepass"))
        if message.origin
        else b""
    )
    return Tombstone(salt, _mark(key, salt, b"said", identity(message)), origin)


def name_mark(key: bytes, name: str) -> bytes:
    """Return how a deleted conversation's name will be recognized."""
    return _mark(key, b"", b"name", name.encode("utf-8", "surrogatepass"))


def _mark(key: bytes, salt: bytes, kind: bytes, data: bytes) -> bytes:
    return hmac.new(key, salt + kind + b"\0" + data, hashlib.sha256).digest()[:MARK_BYTES]


def _stands_for(tombstone: Tombstone, key: bytes | None, message: Message) -> bool:
    if key is None:
        return True
    known = tombstone_for(message, key, tombstone.salt)
    return hmac.compare_digest(known.mark, tombstone.mark) or bool(
        known.origin_mark and hmac.compare_digest(known.origin_mark, tombstone.origin_mark)
    )


def heads_past(messages: Iterable[Message], blanks: Blanks, key: bytes | None) -> list[Head]:
    """Yield the head after each message, as `chain.heads`, where some may be deleted."""
    head = Head()
    found: list[Head] = []
    for message in messages:
        blank = advance(head, blank_for(message))
        standing = blanks.get(blank.chain, ())
        known = any(_stands_for(one, key, message) for one in standing)
        head = blank if known else advance(head, message)
        found.append(head)
    return found
