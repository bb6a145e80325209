"""The ledger of a conversation: read messages into it, store it, and render it for a window.

- Messages are read in the background, a few after each turn. A compaction reads what is still missing.
- Of a long history that nobody has read, such as an imported one, only the beginning and the newest part is read.
- The ledger is stored now and then; what is missing there is read again from the messages. The stored body has a second
  line with the outline candidates (`compacting/outline_candidates.py`).
- A branch continues its parent's ledger if that holds nothing from after the fork.
- Secrets are taken out before anything is read. Text that is rendered is redacted once more, because a later message
  may have shown that something is a secret.
- Names that a verbatim message or a summary of the window shows are left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial

from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.background_pauses import give_way, off_loop
from palimpsest.engine.compacting.outline_cache import OutlineCandidates, candidates_to_json
from palimpsest.engine.engine_state import EngineState, protect_messages
from palimpsest.ledger.codec import from_json, to_json
from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.render import render
from palimpsest.ledger.update import reading
from palimpsest.limits import READ_MESSAGES
from palimpsest.ports import Store
from palimpsest.record.log import Branch, Stored
from palimpsest.record.summary_source import LOOKED_AT, LOOKED_AT_FIRST
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, StubItem, SummaryItem

SAVE_EVERY_MESSAGES = 400
"""The ledger is stored after so many new messages."""
MAX_UNSAVED_MESSAGES = 4_000
"""While a long history is read for the first time, it is stored after so many."""
MAX_RENDERINGS = 3
"""How often a ledger is rendered until it fits with its secrets replaced."""


@dataclass(slots=True)
class LedgerState:
    """The ledger of one branch. Of a backlog the first `opening` and the newest `max_backlog` messages are read."""

    store: Store
    owner: str
    conversation: str
    engine_state: EngineState
    last_window: Callable[[], Window] = Window
    candidates: OutlineCandidates | None = None
    saved_candidates: OutlineCandidates | None = None
    saved_candidates_json: str = ""
    branch_id: int = 0
    purged: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    saved_through: int = 0
    max_backlog: int = LOOKED_AT
    opening: int = LOOKED_AT_FIRST
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def _is_of(self, branch: Branch) -> bool:
        """Whether this is the ledger of the branch, with nothing deleted since."""
        return (self.branch_id, self.purged) == (branch.id, branch.purged)

    def unread_messages(self, branch: Branch) -> int:
        """How many closed messages of the branch were not read yet."""
        return branch.closed_seq - (self.ledger.seq if self._is_of(branch) else 0)

    async def read_new(self, branch: Branch) -> None:
        """Read every closed message of the branch that was not read yet."""
        async with self.lock:
            await self._read_new(branch)

    async def save(self, branch: Branch) -> None:
        """Store the ledger with the present outline candidates, if these are new."""
        async with self.lock:
            if self.candidates is not self.saved_candidates and self._is_of(branch):
                await self._save(branch, 0)

    async def render(self, branch: Branch, window: Window, budget_tokens: int) -> tuple[str, int]:
        """The ledger's text within a budget, without what the window shows, and the position it was read through."""
        async with self.lock:
            await self._read_new(branch)
            if not self._is_of(branch) or not self.ledger.seq:
                return "", 0
            summaries = "\n".join(item.summary.text for item in window.items if isinstance(item, SummaryItem))
            text = await self._redacted_text(budget_tokens, summaries, verbatim_positions(window))
            return text, self.ledger.seq

    async def _redacted_text(self, budget_tokens: int, summaries: str, shown: Collection[int]) -> str:
        """The ledger's text without secrets, with less room if placeholders make it too long; "" if that fails."""
        redactor = await self.engine_state.redactor()
        room_tokens = budget_tokens
        for _ in range(MAX_RENDERINGS):
            if room_tokens <= 0:
                break
            plain = await off_loop(partial(render, said=summaries, shown=shown), self.ledger, room_tokens)
            text = redactor.without(plain)
            tokens = count_text(text)
            if tokens <= budget_tokens:
                return text
            room_tokens -= max(tokens - budget_tokens, tokens - count_text(plain))
        return ""

    async def _read_new(self, branch: Branch) -> None:
        if not self._is_of(branch):
            self.ledger = await self._load(branch)
            self.branch_id, self.purged, self.saved_through = branch.id, branch.purged, self.ledger.seq
        while self.ledger.seq < branch.closed_seq:
            if self.ledger.seq >= self.opening:
                self.ledger.seq = max(self.ledger.seq, branch.closed_seq - self.max_backlog)
            first = self.ledger.seq + 1
            last = min(first + READ_MESSAGES - 1, branch.closed_seq)
            batch = self._from_window(first, last)
            if len(batch) <= last - first:
                batch = await self.store.messages(self.owner, self.conversation, first, last)
            present = await self.store.branch(self.owner, self.conversation)
            if present is None or not self._is_of(present) or not batch:
                return
            entries = await protect_messages(batch, await self.engine_state.redactor())
            for stored, entry in zip(batch, entries, strict=True):
                await give_way(reading(self.ledger, entry.message, stored.seq))
                self.ledger.seq = stored.seq
            await self._save(branch, MAX_UNSAVED_MESSAGES)
        await self._save(branch, SAVE_EVERY_MESSAGES)

    def _from_window(self, first: int, last: int) -> list[Stored]:
        """Those messages at these positions that the last window holds."""
        found: list[Stored] = []
        for item in reversed(self.last_window().items):
            if item.last < first:
                break
            if isinstance(item, MessageItem | StubItem) and first <= item.first <= last:
                found.append(item.stored)
        return found[::-1]

    async def _save(self, branch: Branch, min_new_messages: int) -> None:
        if self.ledger.seq - self.saved_through >= min_new_messages:
            self.saved_through, self.saved_candidates = self.ledger.seq, self.candidates
            candidates = candidates_to_json(self.candidates) if self.candidates is not None else ""
            body = f"{to_json(self.ledger)}\n{candidates or self.saved_candidates_json}".rstrip()
            await self.store.save_ledger(self.owner, self.conversation, branch.id, body, branch.version)

    async def _load(self, branch: Branch) -> Ledger:
        """The stored ledger of the branch, or of its parent if that read nothing after the fork."""
        sources = [(branch.id, branch.closed_seq)]
        if branch.parent is not None:
            sources.append((branch.parent, branch.fork_seq))
        for branch_id, max_seq in sources:
            body = await self.store.ledger(self.owner, self.conversation, branch_id)
            body, _, candidates = body.partition("\n")
            self.saved_candidates_json = candidates if branch_id == branch.id else ""
            try:
                ledger = from_json(body) if body else Ledger()
            except ValueError:
                continue
            if 0 < ledger.seq <= max_seq:
                return ledger
        return Ledger()


def verbatim_positions(window: Window) -> frozenset[int]:
    """The positions of the messages that a window shows verbatim."""
    shown = [item.first for item in window.items if isinstance(item, MessageItem)]
    quoted = [item.quoted.seq for item in window.items if isinstance(item, SummaryItem) and item.quoted]
    return frozenset((*shown, *quoted))
