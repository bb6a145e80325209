"""Forgetting a message: what stays in its place, and how it is known again when its history is sent once more.

- What stays is a message of the same speaker that says it was forgotten. The chain is computed again over it, so the
  chain of a history with something forgotten is verified like any other, and no hash in it depends on what is gone: a
  link that stayed would be a digest of it, and a short secret could be guessed from that.
- A history that is sent again holds what was forgotten. To know it, a tombstone keeps a digest of what was said, under
  a random key that is kept apart from the database and with a salt of its own: whoever has the database alone cannot
  try guesses against it. Whoever has both can. Where a transcript gives its messages ids of their own, those are marked
  the same way, so that a message that has grown or was edited since is still the one that was forgotten.
- Where the key is lost, whatever the same speaker says at such a place counts as what was forgotten: coming back
  unasked is worse than being sent again.
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
"""What the message says that stands for a forgotten one. Chains are computed over it, so it stays as it is."""

KEY_BYTES = 32
SALT_BYTES = 16
MARK_BYTES = 16

Blanks = Mapping[bytes, Sequence["Tombstone"]]
"""The tombstones of a conversation by the chain hash at their place."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """By what a forgotten message is known again; `origin_mark` is empty where its source gave it no id."""

    salt: bytes
    mark: bytes
    origin_mark: bytes = b""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A summary made again without what is forgotten. `tokens` as in `Summary`."""

    id: str
    text: str
    tokens: int
    earliest_s: float | None = None
    latest_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """What forgetting some messages of a conversation touches.

    `messages` are the ids of those that go, copies on other branches and the rest of their tool groups included;
    `asked` how many were named. `summaries` are those that cover any of them, from the leaves up; `pins` the ids of
    those that quote them or say again what only they said.
    """

    messages: tuple[str, ...]
    asked: int
    summaries: tuple[Summary, ...] = ()
    pins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Erased:
    """What a store took out. `rebuilt` and `emptied` are summaries: made again, or with nothing left to stand for."""

    messages: int = 0
    rebuilt: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    branches: int = 0
    vectors: int = 0
    compactions: int = 0
    ledgers: int = 0


def summed(parts: Sequence[Erased]) -> Erased:
    """What was taken out of several conversations, together."""
    found: dict[str, Any] = asdict(Erased())
    for part in parts:
        found = {name: before + getattr(part, name) for name, before in found.items()}
    return Erased(**found)


@dataclass(frozen=True, slots=True)
class Copy:
    """A file that was written from the store. `conversation` is "" for one that holds everything of its owner's; one
    that is `stale` may hold what was forgotten since.
    """

    kind: str
    path: str
    conversation: str
    time_s: float
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Weight:
    """A conversation, what it takes, and when it last changed."""

    conversation: str
    size_bytes: int
    updated_s: float
    parent: str = ""


def blank_for(message: Message) -> Message:
    """What stands in place of a forgotten message. A tool's result has no call left to answer, so it is nobody's."""
    role = "assistant" if message.role == "tool" else message.role
    return Message(role, (Text(FORGOTTEN_TEXT),), wire=FORGOTTEN)


def is_blank(message: Message) -> bool:
    """Whether a message stands in place of a forgotten one."""
    return message.wire == FORGOTTEN


def tombstone_for(message: Message, key: bytes, salt: bytes) -> Tombstone:
    """By what the message will be known again."""
    origin = (
        _mark(key, salt, b"origin", message.origin.encode("utf-8", "surrogatepass"))
        if message.origin
        else b""
    )
    return Tombstone(salt, _mark(key, salt, b"said", identity(message)), origin)


def name_mark(key: bytes, name: str) -> bytes:
    """By what the name of a forgotten conversation is known again."""
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
    """The head after each message in turn, as `chain.heads`, where some of them may have been forgotten."""
    head = Head()
    found: list[Head] = []
    for message in messages:
        blank = advance(head, blank_for(message))
        standing = blanks.get(blank.chain, ())
        known = any(_stands_for(one, key, message) for one in standing)
        head = blank if known else advance(head, message)
        found.append(head)
    return found
