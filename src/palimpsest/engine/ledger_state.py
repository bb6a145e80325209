"""The ledger of a conversation as the engine keeps it: read on as messages are settled, and written out for a window.

- Messages are read in the background, a few after each turn, and whatever is missing when a compaction runs.
- Of a history that nobody has read and that is longer than anybody would wait for, such as an imported one, the
  beginning and the newest are read.
- What was read is kept in the store now and then; what is missing there is read again from the messages. Behind the
  ledger stands, in a line of its own, of what outlines are made (`compacting/outlining.py`).
- A branch goes on from its parent's ledger where that was made from nothing after the fork, else from the beginning.
- Secrets are taken out before anything is noted, so that neither the text nor what is kept holds one; what a later
  message calls one is taken out of the text as well, which is not searched again: its rows of names are no sentences.
- What the window shows is judged by and not written: a thing that a verbatim message or a summary names costs nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.background_pauses import off_loop
from palimpsest.engine.compacting.model_calls import give_way
from palimpsest.engine.engine_state import Memo
from palimpsest.ledger.codec import from_json, to_json
from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.render import render
from palimpsest.ledger.update import reading
from palimpsest.limits import READ_MESSAGES
from palimpsest.ports import Store
from palimpsest.record.log import Branch, Stored
from palimpsest.record.message import Message
from palimpsest.record.summary_source import LOOKED_AT, LOOKED_AT_FIRST, MessageEntry, Source
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, StubItem, SummaryItem
from palimpsest.redaction.redactor import protect

SAVED_MESSAGES = 400
"""What was read is kept in the store after so many messages."""
MAX_UNSAVED_MESSAGES = 4_000
"""And at the latest after so many, while a long history is read for the first time."""
MAX_WRITTEN = 3
"""How often a ledger is written out until it fits with its secrets marked."""


@dataclass(slots=True)
class Notes:
    """What was read of one conversation's branch. Of a backlog the newest `most_behind` messages are read, and the
    conversation's first, `opening` of them.
    """

    store: Store
    owner: str
    conversation: str
    memo: Memo
    seen: Callable[[], Window] = Window
    pool: Callable[[], str] = str
    kept_pool: str = ""
    branch_id: int = 0
    purged: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    saved_through: int = 0
    most_behind: int = LOOKED_AT
    opening: int = LOOKED_AT_FIRST
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def _reads(self, branch: Branch) -> bool:
        """Whether it is this branch that was read, and nothing of it was forgotten since."""
        return (self.branch_id, self.purged) == (branch.id, branch.purged)

    def behind(self, branch: Branch) -> int:
        """How many settled messages of the branch were not read yet."""
        return branch.closed_seq - (self.ledger.seq if self._reads(branch) else 0)

    async def read_on(self, branch: Branch) -> None:
        """Read every settled message of the branch that was not read yet."""
        async with self.lock:
            await self._read_on(branch)

    async def keep(self, branch: Branch) -> None:
        """Keep what was read, with what the pool is now."""
        async with self.lock:
            if self._reads(branch):
                await self._save(branch, 0)

    async def text(self, branch: Branch, window: Window, budget_tokens: int) -> tuple[str, int]:
        """What of the ledger fits so many tokens and does not stand in the window, with the position it was read
        through. Rendered in a thread, because it takes some tens of milliseconds.
        """
        async with self.lock:
            await self._read_on(branch)
            if not self._reads(branch) or not self.ledger.seq:
                return "", 0
            texts = [item.summary.text for item in window.items if isinstance(item, SummaryItem)]
            shown = verbatim_positions(window)
            text = await self._written(budget_tokens, "\n".join(texts), shown)
            return text, self.ledger.seq

    async def _written(self, budget_tokens: int, said: str, shown: Collection[int]) -> str:
        """The ledger as text without secrets. The marks in their place may be longer than they were: what they take
        more is left free in another try, and without room for that it says nothing.
        """
        redactor = await self.memo.redactor()
        room_tokens = budget_tokens
        for _ in range(MAX_WRITTEN):
            plain = await off_loop(_render, self.ledger, room_tokens, said, shown)
            text = redactor.without(plain)
            tokens = count_text(text)
            if tokens <= budget_tokens:
                return text
            room_tokens -= max(tokens - budget_tokens, tokens - count_text(plain))
        return ""

    async def _read_on(self, branch: Branch) -> None:
        if not self._reads(branch):
            self.ledger = await self._kept(branch)
            self.branch_id, self.purged, self.saved_through = branch.id, branch.purged, self.ledger.seq
        while self.ledger.seq < branch.closed_seq:
            if self.ledger.seq >= self.opening:
                self.ledger.seq = max(self.ledger.seq, branch.closed_seq - self.most_behind)
            first = self.ledger.seq + 1
            last = min(first + READ_MESSAGES - 1, branch.closed_seq)
            batch = self._at_hand(first, last)
            if len(batch) <= last - first:
                batch = await self.store.messages(self.owner, self.conversation, first, last)
            present = await self.store.branch(self.owner, self.conversation)
            if present is None or not self._reads(present) or not batch:
                return
            for stored, message in zip(batch, await self._protected(batch), strict=True):
                await give_way(reading(self.ledger, message, stored.seq))
                self.ledger.seq = stored.seq
            await self._save(branch, MAX_UNSAVED_MESSAGES)
        await self._save(branch, SAVED_MESSAGES)

    def _at_hand(self, first: int, last: int) -> list[Stored]:
        """Those of the messages at these positions that stand in the window as it was last seen."""
        found: list[Stored] = []
        for item in reversed(self.seen().items):
            if item.last < first:
                break
            if isinstance(item, MessageItem | StubItem) and first <= item.first <= last:
                found.append(item.stored)
        return found[::-1]

    async def _protected(self, batch: Sequence[Stored]) -> list[Message]:
        """The messages without their secrets, as a summarizer sees them."""
        entries = tuple(MessageEntry(one.id, one.message, one.tokens) for one in batch)
        source, _ = await give_way(protect(Source("leaf", entries), await self.memo.redactor()))
        return [entry.message for entry in source.entries if isinstance(entry, MessageEntry)]

    async def _save(self, branch: Branch, least: int) -> None:
        """Keep what was read, if that is so much more than what is kept."""
        if self.ledger.seq - self.saved_through >= least:
            self.saved_through = self.ledger.seq
            body = f"{to_json(self.ledger)}\n{self.pool() or self.kept_pool}".rstrip()
            await self.store.save_ledger(self.owner, self.conversation, branch.id, body, branch.version)

    async def _kept(self, branch: Branch) -> Ledger:
        """What the store has of the branch, or of its parent where that read nothing after the fork."""
        sources = [(branch.id, branch.closed_seq)]
        if branch.parent is not None:
            sources.append((branch.parent, branch.fork_seq))
        for branch_id, most in sources:
            body = await self.store.ledger(self.owner, self.conversation, branch_id)
            body, _, pool = body.partition("\n")
            self.kept_pool = pool if branch_id == branch.id else ""
            try:
                kept = from_json(body) if body else Ledger()
            except ValueError:
                continue
            if 0 < kept.seq <= most:
                return kept
        return Ledger()


def _render(ledger: Ledger, room_tokens: int, said: str, shown: Collection[int]) -> str:
    return render(ledger, room_tokens, said=said, shown=shown) if room_tokens > 0 else ""


def verbatim_positions(window: Window) -> frozenset[int]:
    """The positions of the messages that a window shows word for word."""
    shown = [item.first for item in window.items if isinstance(item, MessageItem)]
    quoted = [item.quoted.seq for item in window.items if isinstance(item, SummaryItem) and item.quoted]
    return frozenset((*shown, *quoted))
