"""A conversation to try things on: it reads what is stored, and nothing that is done with it is kept.

Whoever looks at the next request of a window that is too large wants to see what a compaction would leave, and not to
have it made: a mistyped limit would otherwise take everything out of the window. No model is asked, so looking is free.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from palimpsest.engine.conversation import Conversation
from palimpsest.engine.conversation_state import Desk
from palimpsest.errors import StaleCommit
from palimpsest.ports import Commit, Store
from palimpsest.record.log import Branch
from palimpsest.record.window_items import Item, OmittedItem, StubItem, SummaryItem

READS = frozenset(
    (
        "account", "beneath", "calibration", "compactions", "history", "last_usage", "ledger", "load_window", "memo",
        "messages", "pins", "read", "recall", "search",
    )
)  # fmt: skip


def rehearsed(talk: Conversation) -> Conversation:
    """The same conversation, to be looked at: it is compacted only where a request would not fit, and only here."""
    store = cast("Store", Rehearsal(talk.store))
    settings = replace(talk.desk.settings, compact_threshold=None)
    desk = Desk(store, talk.owner, talk.id, settings, talk.clock)
    compactor = replace(talk.compactor, complete=None, fallback=None)
    return replace(talk, store=store, desk=desk, compactor=compactor)


class Rehearsal:
    """A store over another one. What is committed to it is known until it goes; anything else cannot be written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._branch: Branch | None = None
        self._made = 0

    def __getattr__(self, name: str) -> Any:
        if name not in READS:
            raise AttributeError(f"a rehearsal cannot {name}")
        return getattr(self._store, name)

    async def branch(self, owner: str, conversation: str) -> Branch | None:
        """See `Store.branch`: as the last commit left it."""
        return self._branch or await self._store.branch(owner, conversation)

    async def commit(
        self, owner: str, conversation: str, branch_id: int, change: Commit
    ) -> tuple[Branch, Item]:
        """See `Store.commit`. What comes has an id by which nothing can be read: `s+1`, `o+2`."""
        before = await self.branch(owner, conversation)
        if before is None or before.id != branch_id:
            raise StaleCommit("the branch has changed", hint="look again")
        self._made += 1
        self._branch = replace(
            before, version=before.version + 1, thinking_from=change.compaction.thinking_from
        )
        return self._branch, self._named(change.item)

    def _named(self, item: Item) -> Item:
        match item:
            case SummaryItem(summary=summary):
                return replace(item, summary=replace(summary, id=f"s+{self._made}"))
            case StubItem():
                return replace(item, id=f"x+{self._made}")
            case OmittedItem():
                return replace(item, id=f"o+{self._made}")
            case _:
                return item

    async def save_memo(self, owner: str, conversation: str, body: str) -> None:
        """Nothing is kept."""

    async def save_ledger(self, *_: object) -> None:
        """Nothing is kept."""

    async def save_account(self, *_: object) -> None:
        """Nothing is kept."""
