"""Every seam to the outside world, on one screen: the model, the store, the clock, the observer.

Ids are public strings: messages "m12", summaries "s3". Every store method that reads takes an owner and never returns
another owner's data.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from palimpsest.record.store_values import (
    Appended,
    Beneath,
    Commit,
    ConversationRow,
    Counted,
    Found,
    FoundAll,
    Loaded,
    ReportedUsage,
    StoreStats,
    Synced,
)
from palimpsest.search.filters import ANYWHERE, Where

if TYPE_CHECKING:
    from palimpsest.budget.calibration import Calibration
    from palimpsest.record.chain import Head
    from palimpsest.record.completion import Completion, CompletionRequest, Delta
    from palimpsest.record.events import Seen
    from palimpsest.record.forgetting import Copy, Erased, Reach, Rewritten, Weight
    from palimpsest.record.health_report import Exported, Health, Repaired, Restored
    from palimpsest.record.log import Branch, Compaction, Stored
    from palimpsest.record.message import Addition, Message
    from palimpsest.record.pin import Pin
    from palimpsest.record.provider_block import ProviderSummary
    from palimpsest.record.spending import Account, Payment, Spending, Spent
    from palimpsest.record.store_values import Progress
    from palimpsest.record.summary import Summary
    from palimpsest.record.window_items import Item
    from palimpsest.search.query_grammar import Query
    from palimpsest.search.retrieval_candidates import CandidatePool

__all__ = [
    "Appended",
    "Beneath",
    "Clock",
    "Commit",
    "Compacts",
    "Complete",
    "ConversationRow",
    "Counted",
    "Forgetting",
    "Found",
    "FoundAll",
    "Keeper",
    "Loaded",
    "Model",
    "Observer",
    "ReportedUsage",
    "Store",
    "StoreStats",
    "Synced",
]


class Complete(Protocol):
    """A model. It may raise anything; the caller limits its time and treats an exception as a failed call."""

    async def __call__(self, request: CompletionRequest, /) -> Completion: ...


class Model(Complete, Protocol):
    """A model that can also stream its reply. Raises ModelError."""

    def stream(self, request: CompletionRequest, /) -> AsyncIterator[Delta | Completion]:
        """Yield pieces as they arrive; the last is the whole reply."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class Compacts(Protocol):
    """A model whose provider compacts a conversation on request, with `summarizer = "provider"`. Raises ModelError.

    `compacts_wire` is the form of messages ("anthropic", "responses") in which its compactions can be sent.
    """

    compacts_wire: str

    async def compact(self, request: CompletionRequest, /) -> ProviderSummary:
        """Return the provider's compaction of the request's messages."""
        ...


Clock = Callable[[], float]
"""Seconds since 1970 in UTC."""

Observer = Callable[["Seen"], None]
"""Receives what an engine does, as it happens. It must be fast; one that raises is removed."""


class Forgetting(Protocol):
    """Deletion of content. Another owner's data is invisible; an unknown name raises NotFound.

    - `reach` returns what deleting messages would affect. `forget` does it in one step: a summary over them gets its
      text from `rewritten`, or one that says what is missing.
    - `forget_conversation` keeps only a digest of the name, by which it `was_forgotten` until `take_back`.
      `forget_owner` keeps nothing.
    - `restate` replaces the current ledger, unless something was deleted since the branch was `at`.
    - `note_copy` records that a file holds a conversation, or ("") all of an owner's, or ("" for the owner too)
      everybody's.
    - `unswept` says that indexes, free pages or the log may still hold something. `sweep` purges them, may be
      interrupted, and returns what is left and why.
    - `shrink` returns freed space to the file system, False if that is not possible now. `weights` lists the least
      recently changed first.
    """

    async def reach(self, owner: str, conversation: str, ids: Sequence[str]) -> Reach: ...
    async def forget(
        self, owner: str, conversation: str, ids: Sequence[str], rewritten: Mapping[str, Rewritten]
    ) -> Erased: ...
    async def forget_conversation(self, owner: str, conversation: str) -> Erased: ...
    async def forget_owner(self, owner: str) -> Erased: ...
    async def restate(self, owner: str, conversation: str, at: Branch, text: str, through: int) -> bool: ...
    async def was_forgotten(self, owner: str, conversation: str) -> bool: ...
    async def take_back(self, owner: str, conversation: str) -> None: ...
    async def weights(self, owner: str) -> list[Weight]: ...
    async def note_copy(
        self, owner: str, conversation: str, kind: str, path: str, *, now_s: float
    ) -> None: ...
    async def copies(self, owner: str) -> list[Copy]: ...
    async def drop_copy(self, path: str) -> None: ...
    async def unswept(self) -> bool: ...
    async def sweep(self) -> tuple[str, ...]: ...
    async def shrink(self) -> bool: ...


class Store(Protocol):
    """Where everything is stored. Each method is one atomic step; none is open while a model is called."""

    @property
    def forgetting(self) -> Forgetting: ...

    async def branch(self, owner: str, conversation: str) -> Branch | None:
        """Return the conversation's current branch, None before its first message."""
        ...

    async def append(
        self,
        owner: str,
        conversation: str,
        entries: Sequence[Counted],
        *,
        key: str | None = None,
        system: str | None = None,
        payment: Payment | None = None,
        now_s: float,
    ) -> Appended:
        """Store messages at the end of the current branch, with their system prompt and the cost of calls before
        them, in one step.

        A repeated key stores nothing and returns the first result.
        """
        ...

    async def add_to_newest(
        self, owner: str, conversation: str, branch: Branch, message_id: str, added: Sequence[Addition]
    ) -> tuple[Branch, Stored]:
        """Store texts that requests show after the newest message, and count them. The chain does not change.

        Raises StaleCommit if the branch has changed, or if its newest message may still grow or belongs to its parent.
        """
        ...

    async def match(
        self, owner: str, conversation: str, messages: Sequence[Message], known: Sequence[Head] = (),
        after: Head | None = None,
    ) -> int:  # fmt: skip
        """Return how many messages of this history, from its start, the conversation has; `known` are the first
        heads. `after` as in `sync`.
        """
        ...

    async def sync(
        self, owner: str, conversation: str, entries: Sequence[Counted], *, rewind: bool = True,
        switch: bool = True, now_s: float, known: Sequence[Head] = (), after: Head | None = None,
    ) -> Synced:  # fmt: skip
        """Store a whole history: match the longest known prefix, append the rest, or fork; it becomes current.

        - A stored trailing run of provisional messages is replaced, under the same ids, by a later form from the same
          source: the first different message has the same role and `origin`.
        - With `rewind` off, a prefix of the current history changes nothing. With `switch` off, the conversation
          stays on its branch.
        - `entries` may be what follows `after` in the history. Raises StaleCommit if an entry without a token count,
          or that beginning, is not stored, and if something was deleted that only a whole history reveals.
        """
        ...

    async def resolve(self, owner: str, messages: Sequence[Message]) -> tuple[str, int, int] | None:
        """(conversation, branch id, matched messages) of the longest known prefix of this history, None
        where there is none.
        """
        ...

    async def describe_conversation(
        self,
        owner: str,
        conversation: str,
        *,
        title: str | None = None,
        parent: str | None = None,
        system: str | None = None,
        now_s: float,
    ) -> None:
        """Set data of a conversation other than its messages; create it if it does not exist."""
        ...

    async def conversations(self, owner: str) -> list[ConversationRow]:
        """Return the owner's conversations, most recently changed first."""
        ...

    async def load_window(self, owner: str, conversation: str) -> Loaded | None:
        """Return the current branch and its window; the cost depends on the window, not on the history."""
        ...

    async def commit(
        self, owner: str, conversation: str, branch_id: int, change: Commit
    ) -> tuple[Branch, Item]:
        """Replace items in a branch's window. Raises, with nothing written, StaleCommit unless they still stand,
        adjacent, and IntegrityError for an item that is not smaller, covers another range, or covers a provisional
        message.
        """
        ...

    async def compactions(self, owner: str, conversation: str) -> list[Compaction]:
        """Return every compaction of the current branch, in order."""
        ...

    async def messages(self, owner: str, conversation: str, first: int, last: int) -> list[Stored]:
        """Return messages of the current branch by position, both ends included."""
        ...

    async def left_behind(self, owner: str, conversation: str) -> list[Stored]:
        """Return messages of abandoned branches that the current history does not contain."""
        ...

    async def read(self, owner: str, ids: Sequence[str]) -> dict[str, tuple[str, Stored | Summary]]:
        """Return messages and summaries by id, each with its conversation. Ids of other owners are left out like
        unknown ones.
        """
        ...

    async def history(self, owner: str, id: str, first: int, last: int) -> list[Stored]:  # noqa: A002
        """Return messages by position, both ends included, of the history of the message or summary `id`; none for
        another owner's id.
        """
        ...

    async def beneath(self, owner: str, summary_id: str) -> Beneath | None:
        """Return counts below a summary, without reading it. None for one that the owner does not have."""
        ...

    async def search(
        self,
        owner: str,
        conversation: str | None,
        query: Query,
        *,
        where: Where = ANYWHERE,
        limit: int = 20,
    ) -> FoundAll:
        """Return messages and summaries that match the query, on every branch; in one conversation, or in all of the
        owner's for None.
        """
        ...

    async def recall(
        self, owner: str, conversation: str | None, words: Sequence[Sequence[str]], *, limit: int = 150,
        also: Sequence[str] = (), where: Where = ANYWHERE,
    ) -> CandidatePool:  # fmt: skip
        """Return texts that may answer a question, within `where`: the `limit` best messages and summaries, those that
        `also` names in the conversation, and two neighbours on each side of every message.

        A word counts in all its forms, and of a very frequent one the newest texts. Without words, some texts are
        taken from the whole history.
        """
        ...

    async def record_usage(
        self,
        owner: str,
        conversation: str,
        branch_id: int,
        reported: ReportedUsage,
        learnt: Calibration | None = None,
        *,
        payment: Payment | None = None,
    ) -> None:
        """Store a provider's usage for the branch's last request, the ratios learned from it, and the payment."""
        ...

    async def last_usage(self, owner: str, conversation: str, branch_id: int) -> ReportedUsage | None:
        """Return what was stored last for this branch."""
        ...

    async def calibration(self, owner: str, model: str) -> Calibration | None:
        """Return the ratios learned from the owner's reports about a model, None before the first."""
        ...

    async def account(self, owner: str, conversation: str, branch_id: int) -> Account | None:
        """Return the account of this branch, None before the first call."""
        ...

    async def save_account(self, owner: str, conversation: str, payment: Payment) -> None:
        """Store paid calls of a branch, and its account."""
        ...

    async def spent(self, owner: str, conversation: str, limit: int = 100_000) -> list[Spent]:
        """Return the newest paid calls of a conversation, oldest first."""
        ...

    async def spending(self, owner: str) -> list[Spending]:
        """Return the sums for each conversation, model and kind of call."""
        ...

    async def pin(self, owner: str, conversation: str, pin: Pin) -> Pin:
        """Store a pin under a new id, for every branch of the conversation. Raises NotFound for an unknown
        conversation.
        """
        ...

    async def unpin(self, owner: str, conversation: str, pin_id: str) -> bool:
        """Remove a pin of the conversation; False if it has none with this id."""
        ...

    async def pins(self, owner: str, conversation: str) -> tuple[Pin, ...]:
        """Return the conversation's pins, oldest first."""
        ...

    async def ledger(self, owner: str, conversation: str, branch_id: int) -> str:
        """Return what `save_ledger` stored last for this branch, "" for nothing."""
        ...

    async def save_ledger(
        self, owner: str, conversation: str, branch_id: int, body: str, read_at: int | None = None
    ) -> None:
        """Store the ledger of a branch as JSON text; it can be rebuilt. Nothing is stored if something was deleted
        after the branch's version `read_at`.
        """
        ...

    async def memo(self, owner: str, conversation: str) -> str:
        """Return what `save_memo` stored last for this conversation, "" for nothing."""
        ...

    async def memos(self, owner: str) -> dict[str, str]:
        """Return the memos of this owner's conversations by name, without empty ones."""
        ...

    async def save_memo(self, owner: str, conversation: str, body: str) -> None:
        """Store an engine's state of the conversation as JSON text."""
        ...

    async def lease(self, name: str, holder: str, *, ttl_s: float, now_s: float) -> bool:
        """Take or renew the lease `name` until now + ttl. False while another holder's is valid, unless its process
        is known to have ended (`stores.lease_holders`).
        """
        ...

    async def release(self, name: str, holder: str) -> None:
        """Release a lease; does nothing if another holder has it."""
        ...

    async def enqueue(self, owner: str, conversation: str, kind: str, *, now_s: float) -> bool:
        """Record work for later, once for each (conversation, kind). False if it is recorded already."""
        ...

    async def pending(self, owner: str) -> list[tuple[str, str]]:
        """Return (conversation, kind) of the owner's recorded work, oldest first."""
        ...

    async def finish(self, owner: str, conversation: str, kind: str) -> None:
        """Remove a recorded piece of work."""
        ...

    async def stats(self, owner: str) -> StoreStats:
        """Return counts of the owner's data."""
        ...

    async def close(self) -> None:
        """Release files and threads."""
        ...


class Keeper(Protocol):
    """Maintenance of a store's file. Each method reads one snapshot; writers continue.

    `step` receives the progress: (what, done, of how many), from any thread.
    """

    async def check(
        self, owner: str | None, conversation: str | None = None, *, indexes: bool = True, step: Progress | None = None
    ) -> Health:  # fmt: skip
        """Verify one conversation, an owner's data, or everybody's for None. Nothing is written."""
        ...

    async def repair(self, target: Path, *, now_s: float, step: Progress | None = None) -> Repaired:
        """Rebuild damaged derived data, after a backup to `target`. If nothing can be repaired, nothing is written,
        not even the backup.
        """
        ...

    async def backup(
        self, target: Path, *, now_s: float, force: bool = False, step: Progress | None = None
    ) -> int:
        """Copy a snapshot of the file; return the copy's size in bytes. Raises UsageError if `target` exists."""
        ...

    async def export(
        self, owner: str, target: Path, *, made_at: str, now_s: float, step: Progress | None = None
    ) -> Exported:
        """Write everything of an owner to `target` as lines of JSON, without damaged records."""
        ...

    async def restore(
        self, owner: str, path: Path, *, again: bool = False, step: Progress | None = None
    ) -> Restored:
        """Import what `export` wrote; deleted conversations only with `again`. Raises FormatError for a truncated
        file.
        """
        ...
