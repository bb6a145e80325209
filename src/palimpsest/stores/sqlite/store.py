"""The SQLite store: one file, with a thread each for writing, reading and searching."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, TypeVar

from palimpsest.errors import StoreError
from palimpsest.limits import QUERY_TIMEOUT_S
from palimpsest.ports import (
    Appended,
    Beneath,
    Commit,
    ConversationRow,
    Counted,
    FoundAll,
    Loaded,
    ReportedUsage,
    StoreStats,
    Synced,
)
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.stores.codec import storable
from palimpsest.stores.sqlite import (
    call_costs,
    history_sync,
    ledger_pins,
    message_log,
    reading,
    statistics,
    usage,
    window_rows,
)
from palimpsest.stores.sqlite.background_work import BackgroundWork
from palimpsest.stores.sqlite.branch_cache import BranchCache
from palimpsest.stores.sqlite.connection import (
    WRITE,
    ConnectionThread,
    absolute_path,
    open_connections,
    with_time_limit,
)
from palimpsest.stores.sqlite.fulltext import pattern_search
from palimpsest.stores.sqlite.fulltext.index import MOST_STEPS, index_waiting, texts_to_index
from palimpsest.stores.sqlite.fulltext.reader_connections import ScanHelper, TextReaders
from palimpsest.stores.sqlite.leases import release_lease, take_lease
from palimpsest.stores.sqlite.vectors import SqliteVectors

if TYPE_CHECKING:
    from palimpsest.budget.calibration import Calibration
    from palimpsest.record.chain import Head
    from palimpsest.record.log import Branch, Compaction, Stored
    from palimpsest.record.message import Addition, Message
    from palimpsest.record.pin import Pin
    from palimpsest.record.spending import Account, Payment, Spending, Spent
    from palimpsest.record.summary import Summary
    from palimpsest.record.window_items import Item
    from palimpsest.search.query_grammar import Query
    from palimpsest.search.retrieval_candidates import CandidatePool
    from palimpsest.settings import Durability
    from palimpsest.stores.sqlite.deletion.deleter import SqliteForgetting
    from palimpsest.stores.sqlite.maintenance.keeper import SqliteKeeper
    from palimpsest.stores.sqlite.statements import Db

Result = TypeVar("Result")

BUSY_TIMEOUT_S = 30.0
"""How long a write waits for another process before it raises StoreError."""


class SqliteStore:
    """`Store` over one SQLite file. Make it with `SqliteStore.open`."""

    def __init__(
        self,
        path: str,
        connections: tuple[ConnectionThread, ConnectionThread, ConnectionThread],
        branch_cache: BranchCache | None,
        background: BackgroundWork,
        query_timeout_s: float,
    ) -> None:
        self.path = path
        self._query_timeout_s = query_timeout_s
        self._writer, self._reader, self._searcher = connections
        self._branch_cache = branch_cache
        self._closed = False
        self._background = background
        limits = BUSY_TIMEOUT_S, query_timeout_s
        self._helper = ScanHelper(path, *limits) if path != ":memory:" else None
        self._readers = TextReaders(path, *limits) if path != ":memory:" else None

    @classmethod
    async def open(
        cls, path: str | Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S, query_timeout_s: float = QUERY_TIMEOUT_S,
        durability: Durability = "full",
    ) -> SqliteStore:  # fmt: skip
        """Open or create the database at `path` (":memory:" for one that ends with the process). Raises StoreError."""
        loop, place = asyncio.get_running_loop(), absolute_path(path)
        connections = await loop.run_in_executor(None, open_connections, place, busy_timeout_s, durability)
        branch_cache = None if place == ":memory:" else BranchCache(place)
        background = BackgroundWork(place, connections[0], busy_timeout_s)
        background.opened()
        return cls(place, connections, branch_cache, background, query_timeout_s)

    async def _write(
        self, work: Callable[Concatenate[Db, ...], Result], *values: object, **named: object
    ) -> Result:
        """Run `work(db, ...)` in one write transaction."""
        result = await self._on(self._writer, WRITE, lambda db: work(db, *values, **named))
        self._background.wrote()
        return result

    async def _read(self, work: Callable[Concatenate[Db, ...], Result], *values: object) -> Result:
        """Run `work(db, ...)` in one read transaction: it sees every acknowledged write, and waits for none."""
        return await self._on(self._reader, "BEGIN", lambda db: work(db, *values))

    async def _on(self, worker: ConnectionThread, begin: str, work: Callable[[Db], Result]) -> Result:
        if self._closed:
            raise StoreError(f"{self.path} was closed", hint="open it again")
        return await worker.run(self.path, begin, work)

    async def _look(self, work: Callable[[Db], Result]) -> Result:
        """Run `work(db)` on the search connection, within the time limit of a search."""
        return await self._on(self._searcher, "BEGIN", partial(with_time_limit, self._query_timeout_s, work))

    async def _find(self, work: Callable[[Db], Result]) -> Result:
        """Run `_look` after indexing the waiting messages. If nothing can be written, they are not found."""
        if await self._look(texts_to_index):
            with suppress(StoreError):
                for _ in range(MOST_STEPS):
                    if not await self._write(index_waiting):
                        break
        return await self._look(work)

    async def branch(self, owner: str, conversation: str) -> Branch | None:
        """See `Store.branch`. It is answered at once; if the file is locked, the reader's thread waits for it."""
        if self._closed or self._branch_cache is None:
            return await self._read(history_sync.known_conversation, owner, conversation)
        try:
            return self._branch_cache.branch(owner, conversation)
        except sqlite3.Error:
            return await self._read(history_sync.known_conversation, owner, conversation)

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
        def work(db: Db) -> Appended:
            done = message_log.append(db, owner, conversation, entries, key, system, now_s)
            call_costs.save(db, owner, conversation, payment)
            return done

        appended = await self._write(work)
        if self._branch_cache is not None:
            self._branch_cache.wrote(owner, appended.branch)
        return appended

    async def add_to_newest(
        self, owner: str, conversation: str, branch: Branch, message_id: str, added: Sequence[Addition]
    ) -> tuple[Branch, Stored]:
        done = await self._write(message_log.add_to_newest, owner, conversation, branch, message_id, added)
        if self._branch_cache is not None:
            self._branch_cache.wrote(owner, done[0])
        return done

    async def match(
        self, owner: str, conversation: str, messages: Sequence[Message], known: Sequence[Head] = (),
        after: Head | None = None,
    ) -> int:  # fmt: skip
        return await self._read(history_sync.match, owner, conversation, messages, known, after)

    async def sync(
        self, owner: str, conversation: str, entries: Sequence[Counted], *, rewind: bool = True,
        switch: bool = True, now_s: float, known: Sequence[Head] = (), after: Head | None = None,
    ) -> Synced:  # fmt: skip
        how = {"rewind": rewind, "switch": switch, "now_s": now_s, "known": known, "after": after}
        return await self._write(history_sync.sync, owner, conversation, entries, **how)

    async def resolve(self, owner: str, messages: Sequence[Message]) -> tuple[str, int, int] | None:
        return await self._read(history_sync.resolve, owner, messages)

    async def describe_conversation(
        self, owner: str, conversation: str, *, title: str | None = None, parent: str | None = None,
        system: str | None = None, now_s: float,
    ) -> None:  # fmt: skip
        def work(db: Db) -> None:
            number = message_log.make_conversation(db, owner, conversation, now_s)
            said = [None if text is None else storable(text) for text in (title, parent, system)]
            if system is not None:
                db.run("note_change", number)
            db.run("describe_conversation", *said, now_s, number)

        await self._write(work)

    async def conversations(self, owner: str) -> list[ConversationRow]:
        return await self._read(statistics.conversations, owner)

    async def load_window(self, owner: str, conversation: str) -> Loaded | None:
        return await self._read(reading.loaded, owner, conversation)

    async def commit(
        self, owner: str, conversation: str, branch_id: int, change: Commit
    ) -> tuple[Branch, Item]:
        def work(db: Db) -> tuple[Branch, Item]:
            number = message_log.must_have(db, owner, conversation)
            return window_rows.commit(db, owner, number, branch_id, change)

        return await self._write(work)

    async def compactions(self, owner: str, conversation: str) -> list[Compaction]:
        def work(db: Db) -> list[Compaction]:
            branch = history_sync.known_conversation(db, owner, conversation)
            return window_rows.compactions(db, branch.id) if branch is not None else []

        return await self._read(work)

    async def messages(self, owner: str, conversation: str, first: int, last: int) -> list[Stored]:
        return await self._read(reading.messages, owner, conversation, first, last)

    async def read(self, owner: str, ids: Sequence[str]) -> dict[str, tuple[str, Stored | Summary]]:
        def work(db: Db) -> dict[str, tuple[str, Stored | Summary]]:
            found = window_rows.read_summaries(db, owner, ids)
            for conversation, stored in message_log.read_messages(db, owner, ids):
                found[stored.id] = (conversation, stored)
            return found

        return await self._read(work)

    async def history(self, owner: str, id: str, first: int, last: int) -> list[Stored]:  # noqa: A002
        return await self._read(reading.history, owner, id, first, last)

    async def left_behind(self, owner: str, conversation: str) -> list[Stored]:
        return await self._read(reading.left_behind, owner, conversation)

    async def beneath(self, owner: str, summary_id: str) -> Beneath | None:
        return await self._look(lambda db: reading.beneath(db, owner, summary_id))

    async def search(
        self,
        owner: str,
        conversation: str | None,
        query: Query,
        *,
        where: Where = ANYWHERE,
        limit: int = 20,
    ) -> FoundAll:
        def work(db: Db) -> FoundAll:
            asked = (owner, conversation, query, where, limit)
            return pattern_search.search(db, *asked, helper=self._helper, readers=self._readers)

        return await self._find(work)

    async def recall(
        self, owner: str, conversation: str | None, words: Sequence[Sequence[str]], *, limit: int = 150,
        also: Sequence[str] = (), where: Where = ANYWHERE,
    ) -> CandidatePool:  # fmt: skip
        from palimpsest.stores.sqlite.fulltext import question_candidates

        def work(db: Db) -> CandidatePool:
            return question_candidates.recall(db, owner, conversation, words, limit, also, where)

        return await self._find(work)

    @property
    def forgetting(self) -> SqliteForgetting:
        """Deletion of content."""
        from palimpsest.stores.sqlite.deletion.deleter import SqliteForgetting

        return SqliteForgetting(self.path, self._read, self._write)

    @property
    def vectors(self) -> SqliteVectors:
        """Vectors of messages, in the same file."""

        async def look(work: Callable[[Db], object]) -> object:
            return await self._on(self._searcher, "BEGIN", work)

        return SqliteVectors(look, self._write)

    @property
    def keeper(self) -> SqliteKeeper:
        """Verification, repair, backup and export of the file."""
        from palimpsest.stores.sqlite.maintenance.keeper import SqliteKeeper

        return SqliteKeeper(self.path, lambda work: self._on(self._searcher, "BEGIN", work), self._write)

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
        def work(db: Db) -> None:
            usage.save(db, owner, conversation, branch_id, reported, learnt)
            call_costs.save(db, owner, conversation, payment)

        await self._write(work)

    async def last_usage(self, owner: str, conversation: str, branch_id: int) -> ReportedUsage | None:
        return await self._read(usage.last, owner, conversation, branch_id)

    async def account(self, owner: str, conversation: str, branch_id: int) -> Account | None:
        return await self._read(call_costs.account, owner, conversation, branch_id)

    async def save_account(self, owner: str, conversation: str, payment: Payment) -> None:
        await self._write(call_costs.save, owner, conversation, payment)

    async def spent(self, owner: str, conversation: str, limit: int = 100_000) -> list[Spent]:
        return await self._read(call_costs.spent, owner, conversation, limit)

    async def spending(self, owner: str) -> list[Spending]:
        return await self._read(statistics.spending, owner)

    async def calibration(self, owner: str, model: str) -> Calibration | None:
        return await self._read(usage.calibration, owner, model)

    async def pin(self, owner: str, conversation: str, pin: Pin) -> Pin:
        return await self._write(ledger_pins.add_pin, owner, conversation, pin)

    async def unpin(self, owner: str, conversation: str, pin_id: str) -> bool:
        return await self._write(ledger_pins.remove_pin, owner, conversation, pin_id)

    async def pins(self, owner: str, conversation: str) -> tuple[Pin, ...]:
        return await self._read(ledger_pins.pins, owner, conversation)

    async def ledger(self, owner: str, conversation: str, branch_id: int) -> str:
        return await self._read(ledger_pins.ledger, owner, conversation, branch_id)

    async def save_ledger(
        self, owner: str, conversation: str, branch_id: int, body: str, read_at: int | None = None
    ) -> None:
        await self._write(ledger_pins.save_ledger, owner, conversation, branch_id, body, read_at)

    async def memo(self, owner: str, conversation: str) -> str:
        return await self._read(ledger_pins.memo, owner, conversation)

    async def memos(self, owner: str) -> dict[str, str]:
        return await self._read(ledger_pins.memos, owner)

    async def save_memo(self, owner: str, conversation: str, body: str) -> None:
        await self._write(ledger_pins.save_memo, owner, conversation, body)

    async def lease(self, name: str, holder: str, *, ttl_s: float, now_s: float) -> bool:
        return await self._write(take_lease, name, holder, ttl_s=ttl_s, now_s=now_s)

    async def release(self, name: str, holder: str) -> None:
        await self._write(release_lease, name, holder)

    async def enqueue(self, owner: str, conversation: str, kind: str, *, now_s: float) -> bool:
        def work(db: Db) -> bool:
            return db.run("add_job", message_log.must_have(db, owner, conversation), kind, now_s).rowcount > 0

        return await self._write(work)

    async def pending(self, owner: str) -> list[tuple[str, str]]:
        return await self._read(lambda db: [(str(row[0]), str(row[1])) for row in db.run("jobs", owner)])

    async def finish(self, owner: str, conversation: str, kind: str) -> None:
        def work(db: Db) -> None:
            db.run("finish_job", message_log.must_have(db, owner, conversation), kind)

        await self._write(work)

    async def stats(self, owner: str) -> StoreStats:
        return await self._read(statistics.counts, owner)

    async def close(self) -> None:
        if self._closed or self._writer.forked:
            return
        self._closed = True
        if self._branch_cache is not None:
            self._branch_cache.close()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writer.thread, self._background.finish)
        for helping in (self._helper, self._readers):
            if helping is not None:
                await loop.run_in_executor(self._searcher.thread, helping.close)
        for worker in dict.fromkeys((self._searcher, self._reader, self._writer)):
            await loop.run_in_executor(worker.thread, worker.db.connection.close)
            worker.thread.shutdown(wait=False)
