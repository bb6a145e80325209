"""Taking in a history that a client sends again and again, at the cost of what is new in it.

Reading a message, and finding its place in the chain, takes some 40 microseconds; a client that sends its whole history
with every turn would wait a quarter of a second for 6,000 messages that are all known. So it is remembered how a
history begins that was taken in: of every `PIECE` messages what the client's own dicts are known again by, and what
reading them came to, which is the chain's head behind them and the system prompts among them. A history that begins
with the same dicts is read from there on.

- Nothing is taken for known because an object is the same one: dicts are changed in place. Every dict is written out by
  a serializer in C, each time, and compared: with what was written out then, or, beyond `MAX_HELD_BYTES` of a history,
  with a digest of it. Comparing takes a third of the time, and what is held is bounded for all desks together.
- Only plain dicts are remembered. What a serializer does not know (an SDK's objects), our own messages, and the items
  of OpenAI's Responses, whose meaning depends on their neighbours, are read each time.
- What is remembered says how something reads, and nothing of the store. So the store looks whether it has the head, and
  where it has not, or where something of the conversation was forgotten, the whole history is read as if it were new.
- It is held in memory and goes with its desk. The first history that a process is sent is read whole: digests in the
  file would have to be forgotten with their messages, and save this once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from palimpsest.budget.result_truncation import limit_of
from palimpsest.engine.message_input import count, may_gate, take_in
from palimpsest.errors import StaleCommit
from palimpsest.formats import openai
from palimpsest.record.chain import Head, heads

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.ports import Synced
    from palimpsest.record.message import Message, ToolCall

PIECE = 64
"""Messages of one digest: so many are read once more where one of them was edited."""

MAX_MARKS = 10_000
"""Pieces that are remembered of a history; what follows is read each time."""

MAX_HELD_BYTES = 4_000_000
"""What is held of one history to be compared with: the dicts of 6,000 messages of an agent."""

DIGEST_BYTES = 16

MAX_SYNC_TRIES = 3

_DICTS = frozenset((dict,))
_pack = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Mark:
    """How a history begins: so many dicts, of which those behind the mark before are known again by `dicts`, were read
    to what ends at `head`, with so many system prompts and, last, an assistant's message with these calls.
    """

    sent: int
    dicts: bytes
    head: Head
    systems: int
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A history that was read from `after` on, None for the whole of it: its messages, where each ends, what its system
    prompts say together, the calls right before it, and the marks of how it begins.
    """

    messages: tuple[Message, ...]
    heads: tuple[Head, ...]
    system: str | None
    after: Head | None
    calls: Mapping[str, ToolCall]
    marks: tuple[Mark, ...] = ()
    systems: tuple[str, ...] = ()


@dataclass(slots=True)
class Resent:
    """How the history of one conversation begins, as it was last taken in. `piece` and `most_bytes` bound what is known
    again together, and what is held.
    """

    piece: int = PIECE
    most_bytes: int = MAX_HELD_BYTES
    marks: tuple[Mark, ...] = ()
    systems: tuple[str, ...] = ()
    held: int = 0

    def read(self, history: Sequence[object], now_s: float, *, anew: bool = False) -> Read:
        """Read what does not begin as remembered, or all of it `anew`. Raises FormatError, as `take_in`."""
        if not isinstance(history, list | tuple):
            return read_whole(history, now_s)
        known = () if anew else self._known(history)
        start = known[-1].sent if known else 0
        if any(map(openai.may_be_item, history[start:])):
            return read_whole(history, now_s)
        base = known[-1] if known else Mark(0, b"", Head(), 0, ())
        after = base.head if base.head.seq else None
        systems = list(self.systems[: base.systems])
        messages: list[Message] = []
        ends: list[Head] = []
        calls, marks, head, marking, held = base.calls, list(known), base.head, True, held_bytes(known)
        while start < len(history):
            begun = _begun(marks, self.piece) if marking else 0
            end = min(len(history), start + self.piece - begun)
            given = take_in(history[start:end], now_s, first=start)
            if given.system is not None:
                systems.append(given.system)
            ends += heads(given.messages, head)
            messages += given.messages
            head = ends[-1] if given.messages else head
            calls = next((one.calls for one in reversed(given.messages) if one.role == "assistant"), calls)
            packed = _packed(history[start - begun : end]) if marking else None
            marking = packed is not None and len(marks) < MAX_MARKS
            if packed is not None:
                spared = [replace(one, calls=()) for one in marks[-1:]] if not begun else []
                dicts = packed if held + len(packed) <= self.most_bytes else _digest(packed)
                marks[-1:] = [*spared, Mark(end, dicts, head, len(systems), calls)]
                held += len(dicts)
            start = end
        return Read(
            tuple(messages), tuple(ends), "\n\n".join(systems) if systems else None, after,
            {call.id: call for call in base.calls}, tuple(marks), tuple(systems),
        )  # fmt: skip

    def _known(self, history: Sequence[object]) -> tuple[Mark, ...]:
        """The marks up to which a history begins as remembered."""
        start = 0
        for place, mark in enumerate(self.marks):
            if mark.sent > len(history) or not _are_known(mark, history[start : mark.sent]):
                return self.marks[:place]
            start = mark.sent
        return self.marks

    def keep(self, read: Read) -> None:
        """Remember how a history begins that was taken in."""
        self.marks, self.systems, self.held = read.marks, read.systems, held_bytes(read.marks)


def read_whole(history: Sequence[object], now_s: float) -> Read:
    """Read a history of which nothing is remembered, and nothing is to be."""
    given = take_in(history, now_s)
    return Read(given.messages, tuple(heads(given.messages)), given.system, None, {})


def _begun(marks: Sequence[Mark], piece: int) -> int:
    """How many messages of a piece the last mark has, 0 where it has a whole one."""
    before = marks[-2].sent if len(marks) > 1 else 0
    return (marks[-1].sent - before) % piece if marks else 0


def _are_known(mark: Mark, part: Sequence[object]) -> bool:
    """Whether these dicts are those that the mark was made for."""
    packed = _packed(part)
    return packed is not None and mark.dicts == (
        packed if len(mark.dicts) > DIGEST_BYTES else _digest(packed)
    )


def _packed(part: Sequence[object]) -> bytes | None:
    """Plain dicts written out, so that what differs is written otherwise; None for anything else. That of one piece is
    longer than a digest.
    """
    if not _DICTS.issuperset(map(type, part)):
        return None
    try:
        return _pack(part)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def _digest(packed: bytes) -> bytes:
    return sha256(packed).digest()[:DIGEST_BYTES]


def held_bytes(marks: Sequence[Mark]) -> int:
    """What marks hold of a history."""
    return sum(len(one.dicts) for one in marks)


async def take_in_history(desk: Desk, history: Sequence[object], now_s: float) -> tuple[Synced, str | None]:
    """What the store made of a history, and the system prompts in it. Raises FormatError, StoreError, and StaleCommit
    where others went on changing the conversation.
    """
    store, owner, name = desk.store, desk.owner, desk.conversation
    history = list(history) if isinstance(history, list) else history
    read, tries = desk.resent.read(history, now_s), 0
    if read.after is not None and not _tells_gates(read, desk):
        read = desk.resent.read(history, now_s, anew=True)
    while True:
        tries += 1
        known = 0
        if read.after is None and tries < MAX_SYNC_TRIES:
            known = await store.match(owner, name, read.messages, read.heads)
        tools = desk.fixed.tools
        entries = count(read.messages, desk.settings, tools=tools, known=known, calls=read.calls)
        try:
            done = await store.sync(
                owner, name, entries, now_s=desk.clock(), known=read.heads, after=read.after
            )
        except StaleCommit:
            if read.after is not None:
                read, tries = desk.resent.read(history, now_s, anew=True), 0
            elif tries >= MAX_SYNC_TRIES:
                raise
            continue
        desk.resent.keep(read)
        return done, read.system


def _tells_gates(read: Read, desk: Desk) -> bool:
    """Whether what was read knows the calls of all results that may be too large to be shown whole."""
    if not may_gate(read.messages, limit_of(desk.settings, desk.fixed.tools)):
        return True
    known = {*read.calls, *(call.id for message in read.messages for call in message.calls)}
    return all(result.call_id in known for message in read.messages for result in message.results)
