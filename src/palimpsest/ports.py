"""Every seam to the outside world, on one screen: the model, the store, the clock.

Ids are strings as people and models see them: messages "m12", summaries "s3". Every store method that reads
takes an owner and never returns what belongs to another one.
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
    from palimpsest.record.message import Message
    from palimpsest.record.pin import Pin
    from palimpsest.record.spending import Account, Payment, Spending, Spent
    from palimpsest.record.store_values import Progress
    from palimpsest.record.summary import Summary
    from palimpsest.record.window_items import Item
    from palimpsest.search.query_grammar import Query
    from palimpsest.search.retrieval_candidates import Pool

__all__ = [
    "Appended",
    "Beneath",
    "Clock",
    "Commit",
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
    """A model. Raises anything; a caller bounds it in time and treats whatever it raises as a failed call."""

    async def __call__(self, request: CompletionRequest, /) -> Completion: ...


class Model(Complete, Protocol):
    """A model that can also give its reply in pieces. Raises ModelError."""

    def stream(self, request: CompletionRequest, /) -> AsyncIterator[Delta | Completion]:
        """Pieces as they come; the last is the whole reply."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


Clock = Callable[[], float]
"""Seconds since 1970 in UTC."""

Observer = Callable[["Seen"], None]
"""Whoever is told what an engine does, as it happens. It must not wait; one that raises is asked no more."""


class Forgetting(Protocol):
    """Deleting for real. What belongs to another owner is as if it were not there; an unknown name raises NotFound.

    `reach` says what forgetting messages would touch; `forget` does it, in one step: a summary over them gets its text
    from `rewritten`, or one that says what is missing. `forget_conversation` keeps but a digest of the name, by which
    it `was_forgotten` until `take_back`; `forget_owner` keeps nothing. `restate` puts a ledger in place of the one that
    stands, unless something was forgotten since the branch was `at`. `note_copy`: a file holds a conversation, or ("")
    all of an owner's, or ("" for the owner too) everybody's. `unswept`: something may still stand in indexes, free
    pages or the log; `sweep` lets go of it, may be interrupted, and says what is left and why. `shrink` gives freed
    space back to the file system, False where that cannot be done now. `weights` begins with what changed longest ago.
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
    """Where everything is kept. Each method is one atomic step; none is held open while a model is called."""

    @property
    def forgetting(self) -> Forgetting: ...

    async def branch(self, owner: str, conversation: str) -> Branch | None:
        """The conversation's current branch, None before its first message."""
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
        """Store messages at the end of the current branch, the system prompt that came with them, and what calls before
        them cost, in one step.

        The same key again stores no message and returns the first result.
        """
        ...

    async def match(
        self, owner: str, conversation: str, messages: Sequence[Message], known: Sequence[Head] = ()
    ) -> int:
        """How many messages of this history, from its start, the conversation has; `known` are heads of the first."""
        ...

    async def sync(
        self, owner: str, conversation: str, entries: Sequence[Counted], *, rewind: bool = True,
        switch: bool = True, now_s: float, known: Sequence[Head] = (), after: Head | None = None,
    ) -> Synced:  # fmt: skip
        """Take in a whole history: match the longest known prefix, append the rest, or fork; it becomes current.

        A stored trailing run of provisional messages is replaced under the same ids by what the same source says
        later: the first message that differs has the same role and `origin`. With `rewind` off, a history that is a
        prefix of the current one changes nothing; with `switch` off, a conversation stays on the branch it
        is on. `entries` may be what follows `after` in the history. Raises StaleCommit if an entry without a token
        count turns out not to be stored, or that beginning, and where only a whole history tells what was forgotten.
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
        """Set what is known about a conversation besides its messages; it is made if it does not exist."""
        ...

    async def conversations(self, owner: str) -> list[ConversationRow]:
        """The owner's conversations, newest change first."""
        ...

    async def load_window(self, owner: str, conversation: str) -> Loaded | None:
        """The current branch and its window; the cost depends on the window, not on the history."""
        ...

    async def commit(
        self, owner: str, conversation: str, branch_id: int, change: Commit
    ) -> tuple[Branch, Item]:
        """Replace items in a branch's window. Raises, with nothing written, StaleCommit unless they still stand,
        adjacent, and IntegrityError for an item that is not smaller, covers another range, or covers a message
        that may still grow.
        """
        ...

    async def compactions(self, owner: str, conversation: str) -> list[Compaction]:
        """Every compaction of the current branch since it began, in order."""
        ...

    async def messages(self, owner: str, conversation: str, first: int, last: int) -> list[Stored]:
        """Messages of the current branch by position, both ends included."""
        ...

    async def left_behind(self, owner: str, conversation: str) -> list[Stored]:
        """Messages that edits left behind: those of other branches that the current history does not hold."""
        ...

    async def read(self, owner: str, ids: Sequence[str]) -> dict[str, tuple[str, Stored | Summary]]:
        """Messages and summaries by id, each with its conversation. Ids of other owners are as unknown ones:
        left out.
        """
        ...

    async def history(self, owner: str, id: str, first: int, last: int) -> list[Stored]:  # noqa: A002
        """Messages by position, both ends included, of the history that the message or summary `id` stands in; none for
        an id of another owner.
        """
        ...

    async def beneath(self, owner: str, summary_id: str) -> Beneath | None:
        """Counts over what lies under a summary, without reading it. None for one that the owner does not have."""
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
        """Messages and summaries that the query asks for, of every branch; one conversation, or all of the owner's
        for None.
        """
        ...

    async def recall(
        self, owner: str, conversation: str | None, words: Sequence[Sequence[str]], *, limit: int = 150,
        also: Sequence[str] = (), where: Where = ANYWHERE,
    ) -> Pool:  # fmt: skip
        """Texts that may answer a question: the `limit` messages and as many summaries, said `where` to look, that hold
        the most of the words (each in all its forms; of a word that very many hold the newest are looked at; without
        words some from all over), messages `also` names within the conversation, and the two before and after each
        message, whoever said these and when.
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
        """Keep what a provider reported for the branch's last request, what is now known of its model, and what was
        paid for.
        """
        ...

    async def last_usage(self, owner: str, conversation: str, branch_id: int) -> ReportedUsage | None:
        """What was kept last for this branch."""
        ...

    async def calibration(self, owner: str, model: str) -> Calibration | None:
        """What the owner's reports have taught about a model, None before the first."""
        ...

    async def account(self, owner: str, conversation: str, branch_id: int) -> Account | None:
        """What was kept last of this branch's payments, None before the first call."""
        ...

    async def save_account(self, owner: str, conversation: str, payment: Payment) -> None:
        """Keep calls that were paid for on a branch, and what has run up there."""
        ...

    async def spent(self, owner: str, conversation: str, limit: int = 100_000) -> list[Spent]:
        """The newest calls of a conversation that were paid for, oldest first."""
        ...

    async def spending(self, owner: str) -> list[Spending]:
        """What was spent: the sums for each conversation, model and kind of call."""
        ...

    async def pin(self, owner: str, conversation: str, pin: Pin) -> Pin:
        """Keep a pin under an id of its own, for every branch of the conversation. Raises NotFound for none such."""
        ...

    async def unpin(self, owner: str, conversation: str, pin_id: str) -> bool:
        """Forget a pin of the conversation; False where it has none of this id."""
        ...

    async def pins(self, owner: str, conversation: str) -> tuple[Pin, ...]:
        """The conversation's pins, oldest first."""
        ...

    async def ledger(self, owner: str, conversation: str, branch_id: int) -> str:
        """What `save_ledger` kept last for this branch, "" for nothing."""
        ...

    async def save_ledger(
        self, owner: str, conversation: str, branch_id: int, body: str, read_at: int | None = None
    ) -> None:
        """Keep what was read of a branch so far, as JSON text; it can always be made again. Nothing is kept where
        something was forgotten after the branch's version `read_at`.
        """
        ...

    async def memo(self, owner: str, conversation: str) -> str:
        """What `save_memo` kept last for this conversation, "" for nothing."""
        ...

    async def save_memo(self, owner: str, conversation: str, body: str) -> None:
        """Keep what an engine learnt of the conversation besides its messages, as JSON text."""
        ...

    async def lease(self, name: str, holder: str, *, ttl_s: float, now_s: float) -> bool:
        """Take or renew the lease `name` until now + ttl. False while another holder's has not expired, and its process
        is not known to have ended (`stores.holders`).
        """
        ...

    async def release(self, name: str, holder: str) -> None:
        """Give a lease up; nothing happens if it is another holder's."""
        ...

    async def enqueue(self, owner: str, conversation: str, kind: str, *, now_s: float) -> bool:
        """Note work to be done later; at most once for each (conversation, kind). False if it was noted already."""
        ...

    async def pending(self, owner: str) -> list[tuple[str, str]]:
        """(conversation, kind) of the owner's noted work, oldest first."""
        ...

    async def finish(self, owner: str, conversation: str, kind: str) -> None:
        """Forget a noted piece of work."""
        ...

    async def stats(self, owner: str) -> StoreStats:
        """Counts over the owner's data."""
        ...

    async def close(self) -> None:
        """Release files and threads."""
        ...


class Keeper(Protocol):
    """Whoever looks after a file that a store keeps everything in. Each method reads one moment of it; writers go on.

    `step` is told what is being done and how far that has come: (what, done, of how many), from any thread.
    """

    async def check(
        self, owner: str | None, conversation: str | None = None, *, indexes: bool = True, step: Progress | None = None
    ) -> Health:  # fmt: skip
        """Examine one conversation, or the file with an owner's data, or with everybody's for None. Nothing is
        written.
        """
        ...

    async def repair(self, target: Path, *, now_s: float, step: Progress | None = None) -> Repaired:
        """Make again what is damaged and can be made from what is intact, after a backup to `target`. Where nothing
        can be repaired nothing is written, the backup neither.
        """
        ...

    async def backup(
        self, target: Path, *, now_s: float, force: bool = False, step: Progress | None = None
    ) -> int:
        """Copy the file as it is at one moment; the copy's size in bytes. Raises UsageError where `target` is there."""
        ...

    async def export(
        self, owner: str, target: Path, *, made_at: str, now_s: float, step: Progress | None = None
    ) -> Exported:
        """Write everything that an owner has to `target` as lines of JSON, without what is damaged."""
        ...

    async def restore(
        self, owner: str, path: Path, *, again: bool = False, step: Progress | None = None
    ) -> Restored:
        """Take in what `export` wrote; what was forgotten only `again`. Raises FormatError for a file cut off."""
        ...
