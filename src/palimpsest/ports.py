"""Every seam to the outside world, on one screen: the model, the store, the clock.

Ids are strings as people and models see them: messages "m12", summaries "s3". Every store method that reads
takes an owner and never returns what belongs to another one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from palimpsest.budget.calibrate import Calibration
from palimpsest.record.completion import Completion, CompletionRequest, Delta
from palimpsest.record.exchange import (
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
from palimpsest.record.log import Branch, Compaction, Stored
from palimpsest.record.message import Message
from palimpsest.record.money import Account, Spending, Spent
from palimpsest.record.pin import Pin
from palimpsest.record.summary import Summary
from palimpsest.record.window import Item
from palimpsest.search.pool import Pool
from palimpsest.search.query import Query
from palimpsest.search.where import ANYWHERE, Where

__all__ = [
    "Appended",
    "Beneath",
    "Clock",
    "Commit",
    "Complete",
    "ConversationRow",
    "Counted",
    "Found",
    "FoundAll",
    "Loaded",
    "Model",
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


class Clock(Protocol):
    """Seconds since 1970 in UTC."""

    def __call__(self) -> float: ...


class Store(Protocol):
    """Where everything is kept. Each method is one atomic step; none is held open while a model is called."""

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
        now_s: float,
    ) -> Appended:
        """Store messages at the end of the current branch, and the system prompt that came with them, in one step.

        The same key again stores nothing and returns the first result.
        """
        ...

    async def match(self, owner: str, conversation: str, messages: Sequence[Message]) -> int:
        """How many messages of this history, from its start, are known in the conversation."""
        ...

    async def sync(
        self, owner: str, conversation: str, entries: Sequence[Counted], *, rewind: bool = True,
        switch: bool = True, now_s: float,
    ) -> Synced:  # fmt: skip
        """Take in a whole history: match the longest known prefix, append the rest, or fork; it becomes current.

        A stored trailing run of provisional messages is replaced under the same ids by what the same source says
        later: the first message that differs has the same role and `origin`. With `rewind` off, a history that is a
        prefix of the current one changes nothing; with `switch` off, a conversation stays on the branch it
        is on. Raises StaleCommit if an entry without a token count turns out not to be stored.
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
        also: Sequence[str] = (),
    ) -> Pool:  # fmt: skip
        """Texts that may answer a question: the `limit` messages and as many summaries that hold the most of the words
        (each given in all its forms; of a word that very many hold the newest are looked at), the messages `also` names
        within the conversation, and the two messages before and after each.
        """
        ...

    async def record_usage(
        self,
        owner: str,
        conversation: str,
        branch_id: int,
        reported: ReportedUsage,
        learnt: Calibration | None = None,
    ) -> None:
        """Keep what a provider reported for the branch's last request, and what is now known of its model."""
        ...

    async def last_usage(self, owner: str, conversation: str, branch_id: int) -> ReportedUsage | None:
        """What was kept last for this branch."""
        ...

    async def calibration(self, owner: str, model: str) -> Calibration | None:
        """What the owner's reports have taught about a model, None before the first."""
        ...

    async def account(self, owner: str, conversation: str, branch_id: int) -> Account | None:
        """What `save_account` kept last for this branch, None before the first call."""
        ...

    async def save_account(
        self, owner: str, conversation: str, branch_id: int, account: Account, spent: Sequence[Spent] = ()
    ) -> None:
        """Keep what has run up on a branch, and calls that were paid for."""
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

    async def save_ledger(self, owner: str, conversation: str, branch_id: int, body: str) -> None:
        """Keep what was read of a branch so far, as JSON text. It can always be made again from the messages."""
        ...

    async def memo(self, owner: str, conversation: str) -> str:
        """What `save_memo` kept last for this conversation, "" for nothing."""
        ...

    async def save_memo(self, owner: str, conversation: str, body: str) -> None:
        """Keep what an engine learnt of the conversation besides its messages, as JSON text."""
        ...

    async def lease(self, name: str, holder: str, *, ttl_s: float, now_s: float) -> bool:
        """Take or renew the lease `name` until now + ttl. False while another holder's has not expired."""
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
