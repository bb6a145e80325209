"""What the log of a conversation holds: stored messages, compactions, and the branches that histories fork into."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from palimpsest.record.chain import Head
from palimpsest.record.message import Message
from palimpsest.record.summary import SummaryCall

ItemKind = Literal["message", "stub", "summary", "omitted"]
Number = int | float
Numbers = tuple[tuple[str, Number], ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """A message in the store. `seq` is its position in its history, from 1; `tokens` the default estimate,
    counted once.

    `gate` is what windows show in place of its large results, "" where they show all of it, and `gate_tokens` what
    that costs; decided once, when it is stored, so that no later decision changes a prefix.
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
        """What it costs in a window that no compaction has changed."""
        return self.gate_tokens if self.gate else self.tokens

    @property
    def open(self) -> bool:
        """Whether its source may still grow."""
        return self.message.provisional


@dataclass(frozen=True, slots=True)
class Branch:
    """One history of a conversation: messages up to `fork_seq` are its parent's, the rest its own.

    `closed_seq` is the last message whose source can no longer grow. `version` counts every change of the branch, so
    that a cached window can be checked. `thinking_from` is the first message whose reasoning may still be sent: a
    compaction changes the prefix that older reasoning is bound to. `tokens` is what all its messages would cost.
    `purged` is the version at which something of it was last forgotten: what was read before that may not be stored.
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

    `replaced` are the ids of the items that went, in order; `item_id` is what came, of `item_kind`. `numbers` are those
    the decision compared. `before_tokens` and `after_tokens` are of the replaced and the new item.
    `evidence_kept` and `evidence_left` count the exact strings (paths, ids, numbers) of all that this compaction, with
    the steps before it in one call, has replaced: those that the window it leaves holds, and those that it does not;
    `evidence` both for each kind of them. `ledger` is the text that stands behind the records from now on, made from
    messages up to `ledger_through`.
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
