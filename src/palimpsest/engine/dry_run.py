"""A copy of a conversation to try things on: it reads what is stored, and saves nothing.

It shows the next request of a window that is too large, and what a compaction would leave, without making it. No model
is asked, so looking is free.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from palimpsest.engine.compacting.compactor import Runtime
from palimpsest.engine.conversation import Conversation, runtime_of
from palimpsest.engine.conversation_state import ConversationState
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


def dry_run_of(conversation: Conversation) -> Conversation:
    """The same conversation for looking only: it is compacted if a request would not fit, and only in this copy."""
    runtime = runtime_of(conversation)
    state = runtime.state
    settings = replace(state.settings, compact_threshold=None)
    store = cast("Store", DryRunStore(state.store))
    copy = ConversationState(store, state.owner, conversation.id, settings, state.clock)
    compactor = replace(runtime.compactor, given=None, fallback=None, agent_models=[])
    return Conversation(conversation.id, Runtime(copy, compactor, runtime.background))


class DryRunStore:
    """A store over another one that keeps commits in memory and refuses all other writes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._branch: Branch | None = None
        self._commits = 0

    def __getattr__(self, name: str) -> Any:
        if name not in READS:
            raise AttributeError(f"a dry run cannot {name}")
        return getattr(self._store, name)

    async def branch(self, owner: str, conversation: str) -> Branch | None:
        """See `Store.branch`: as the last commit left it."""
        return self._branch or await self._store.branch(owner, conversation)

    async def commit(
        self, owner: str, conversation: str, branch_id: int, change: Commit
    ) -> tuple[Branch, Item]:
        """See `Store.commit`. New items get ids by which nothing can be read: `s+1`, `o+2`."""
        before = await self.branch(owner, conversation)
        if before is None or before.id != branch_id:
            raise StaleCommit("the branch has changed", hint="look again")
        self._commits += 1
        version, thinking_from = before.version + 1, change.compaction.thinking_from
        self._branch = replace(before, version=version, thinking_from=thinking_from)
        item = change.item
        match item:
            case SummaryItem(summary=summary):
                item = replace(item, summary=replace(summary, id=f"s+{self._commits}"))
            case StubItem() | OmittedItem():
                item = replace(item, id=f"{'x' if isinstance(item, StubItem) else 'o'}+{self._commits}")
            case _:
                pass
        return self._branch, item

    async def save_memo(self, *_: object) -> None:
        """Save nothing."""

    save_ledger = save_account = save_memo
