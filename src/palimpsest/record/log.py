"""The log of a conversation: stored messages, compactions, and branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from palimpsest.record.chain import Head
from palimpsest.record.message import Message
from palimpsest.record.summary import Summary, SummaryCall

ItemKind = Literal["message", "stub", "summary", "block", "omitted"]
Number = int | float
Numbers = tuple[tuple[str, Number], ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """A message in the store. `seq` is its position in its history, from 1; `tokens` the default estimate, counted
    once.

    `gate` is what windows show instead of its large results, "" if they show everything, and `gate_tokens` its
    cost. It is decided once, when the message is stored, so it never changes a prefix.
    """

    id: str
    seq: int
    message: Message
    tokens: int
    chain: bytes = b""
    gate: str = ""
    gate_tokens: int = 0

    @property
    def shown_tokens(self) -> int:
        """The cost in an uncompacted window."""
        return self.gate_tokens if self.gate else self.tokens

    @property
    def open(self) -> bool:
        """Whether its source may still grow."""
        return self.message.provisional


@dataclass(frozen=True, slots=True)
class Branch:
    """One history of a conversation: messages up to `fork_seq` are its parent's, the rest its own.

    - `closed_seq` is the last message that can no longer grow. `version` counts every change, to validate cached
      windows.
    - `thinking_from` is the first message whose reasoning may be sent: a compaction changes the prefix of older
      reasoning.
    - `tokens` is the cost of all its messages. `purged` is the version of the last deletion: what was read before may
      not be stored.
    """

    id: int
    conversation: str
    head: Head
    parent: int | None = None
    fork_seq: int = 0
    closed_seq: int = 0
    version: int = 0
    thinking_from: int = 1
    tokens: int = 0
    purged: int = 0


@dataclass(frozen=True, slots=True)
class Compaction:
    """The record of one replacement in the window, append-only.

    - `replaced` are the ids of the replaced items, in order; `item_id` is the new one, of `item_kind`. `numbers` are
      those of the decision. `before_tokens` and `after_tokens` are the sizes of the replaced and the new item.
    - `evidence_kept` and `evidence_left` count the exact strings (paths, ids, numbers) of everything that this
      compaction's steps have replaced so far, that the window still shows or not; `evidence` has both by kind.
    - `ledger` is the text behind the summaries from now on, made from messages up to `ledger_through`.
    - `calls` are the model calls that it took. `summary` is the new one as it is stored, with its text, its model and
      how it was made; None where a message was shortened or messages were dropped, and where it is not read.
    """

    reason: str
    numbers: Numbers
    replaced: tuple[str, ...]
    item_id: str
    item_kind: ItemKind
    before_tokens: int
    after_tokens: int
    time_s: float
    thinking_from: int = 1
    calls: tuple[SummaryCall, ...] = field(default=())
    evidence_kept: int = 0
    evidence_left: int = 0
    evidence: tuple[tuple[str, int, int], ...] = ()
    ledger: str = ""
    ledger_through: int = 0
    summary: Summary | None = None
