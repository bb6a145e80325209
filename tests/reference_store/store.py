"""The store that ends with the process: plain lists and dicts, each branch with its whole history and window.

Simple on purpose. It is the model that the other stores are compared with, so it finds by looking at everything; only
the word index is SQLite's own, in memory, because stores agree on what a word search finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from palimpsest.budget.calibration import Calibration
from palimpsest.errors import StaleCommit
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
from palimpsest.record.chain import Head, heads_after
from palimpsest.record.log import Branch, Compaction, Stored
from palimpsest.record.message import Addition, Message, searchable_text
from palimpsest.record.pin import Pin
from palimpsest.record.spending import Account, Payment, Spending, Spent, totals
from palimpsest.record.summary import Summary
from palimpsest.record.window import replace as replace_items
from palimpsest.record.window_items import (
    Item,
    MessageItem,
    OmittedItem,
    StubItem,
    SummaryItem,
    item_of,
    kind_of,
)
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.query_grammar import Query
from palimpsest.search.retrieval_candidates import CandidatePool
from palimpsest.stores.codec import storable
from palimpsest.stores.deletion_rules import with_other_added
from palimpsest.stores.log_rules import check_commit, closed_through
from tests.reference_store import reading
from tests.reference_store.deletion import MemoryForgetting
from tests.reference_store.log import Line, Memory, Talk, WordIndex
from tests.reference_store.recall import recall
from tests.reference_store.search import search


class MemoryStore:
    """`Store` over plain Python structures, for tests and for conversations that need not last.

    Every method runs to its end without a pause, so each is atomic among the tasks of one event loop.
    """

    def __init__(self) -> None:
        self._memory = Memory()
        self._index = WordIndex()
        self._leases: dict[str, tuple[str, float]] = {}
        self._jobs: dict[tuple[str, str, str], float] = {}
        self._calibrations: dict[tuple[str, str], Calibration] = {}
        self._forgetting = MemoryForgetting(self._memory, self._index, self._jobs, self._calibrations)

    @property
    def forgetting(self) -> MemoryForgetting:
        """Deleting for real."""
        return self._forgetting

    async def branch(self, owner: str, conversation: str) -> Branch | None:
        line = self._memory.current(owner, conversation)
        return line.branch if line is not None else None

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
        talk = self._memory.make(owner, conversation, now_s)
        talk.pay(payment)
        line = talk.current
        if key is not None and line is not None and key in talk.keys:
            known = (self._memory.messages[one] for one in talk.keys[key] if one in self._memory.messages)
            return Appended(line.branch, tuple(line.shown(one) for _, line, one in known), repeated=True)
        line = line or self._memory.new_line(talk)
        stored: tuple[Stored, ...] = ()
        if entries:
            end = line.branch.head.seq
            stored = self._add(talk, line, entries, closed_through(entries, end, end), ())
        talk.touch(line, entries, now_s)
        if system is not None:
            talk.system = storable(system)
        if key is not None:
            talk.keys[key] = tuple(one.id for one in stored)
        return Appended(line.branch, stored)

    def _add(
        self, talk: Talk, line: Line, entries: Sequence[Counted], closed_seq: int, ids: Sequence[str]
    ) -> tuple[Stored, ...]:
        stored = self._memory.add(talk, line, entries, closed_seq, ids)
        for one in stored:
            self._index.add(one.id, searchable_text(one.message))
        return stored

    async def add_to_newest(
        self, owner: str, conversation: str, branch: Branch, message_id: str, added: Sequence[Addition]
    ) -> tuple[Branch, Stored]:
        line = self._memory.must_have(owner, conversation).current
        if line is None or (line.branch.id, line.branch.version) != (branch.id, branch.version):
            raise StaleCommit("the conversation has changed", hint="load it again")
        seq = line.branch.head.seq
        if seq <= line.branch.fork_seq or seq > line.branch.closed_seq:
            raise StaleCommit("the newest message cannot be added to", hint="append a message first")
        before = line.messages[-1]
        if before.id != message_id:
            raise StaleCommit("another message is the newest", hint="load the conversation again")
        after = with_other_added(before, (*before.message.added, *added))
        talk, owned, _ = self._memory.messages[before.id]
        self._memory.messages[before.id] = (talk, owned, after)
        line.messages[-1] = after
        item = line.window.items[-1]
        if isinstance(item, MessageItem) or (isinstance(item, StubItem) and item.gated):
            line.window = replace(line.window, items=(*line.window.items[:-1], item_of(after)))
        self._index.remove(before.id)
        self._index.add(before.id, searchable_text(after.message))
        line.change(added_tokens=after.tokens - before.tokens)
        return line.branch, after

    async def match(
        self, owner: str, conversation: str, messages: Sequence[Message], known: Sequence[Head] = (),
        after: Head | None = None,
    ) -> int:  # fmt: skip
        talk = self._memory.find(owner, conversation)
        if talk is None:
            return 0
        if after is None:
            return talk.known(self._forgetting.heads(owner, conversation, messages, known))
        before = self._before(talk, after)
        return talk.known([*before, *heads_after(known, messages, after)]) - len(before)

    async def sync(
        self, owner: str, conversation: str, entries: Sequence[Counted], *, rewind: bool = True,
        switch: bool = True, now_s: float, known: Sequence[Head] = (), after: Head | None = None,
    ) -> Synced:  # fmt: skip
        talk = self._memory.find(owner, conversation)
        messages = [entry.message for entry in entries]
        if after is not None:
            found = [*self._before(talk, after), *heads_after(known, messages, after)]
        else:
            found = self._forgetting.heads(owner, conversation, messages, known)
        matched, start = talk.known(found) if talk is not None else 0, len(found) - len(entries)
        unknown = entries[matched - start :]
        if any(entry.tokens < 0 for entry in unknown):
            raise StaleCommit("the history changed while it was read", hint="send it again")
        talk = self._memory.make(owner, conversation, now_s)
        new = unknown[0].message if unknown else None
        line, forked = self._memory.place(talk, found[:matched], new, rewind)
        added, gone = 0, ()
        if new is not None:
            gone = self._memory.cut(line, matched)
            for one in gone:
                self._index.remove(one)
            closed_seq = closed_through(entries, start, max(start, line.branch.closed_seq))
            added = max(0, len(self._add(talk, line, unknown, closed_seq, gone)) - len(gone))
        elif line.branch.head.seq == matched:
            line.close(closed_through(entries, start, max(start, line.branch.closed_seq)))
        talk.touch(line if switch or talk.current is None else talk.current, entries, now_s)
        return Synced(line.branch, added, forked, len(gone))

    def _before(self, talk: Talk | None, after: Head) -> list[Head]:
        """The heads of a history's known beginning."""
        before = talk.heads_through(after) if talk is not None else []
        if talk is None or not before or self._forgetting.has_forgotten(talk.owner, talk.name):
            raise StaleCommit("the history is not stored as it was", hint="send all of it again")
        return before

    async def resolve(self, owner: str, messages: Sequence[Message]) -> tuple[str, int, int] | None:
        found = self._forgetting.heads(owner, None, messages)
        for head in reversed(found):
            places = [
                (line is talk.current, line.branch.id, talk.name)
                for talk, line, stored in self._memory.messages.values()
                if talk.owner == owner and stored.chain == head.chain
            ]
            if places:
                _, number, name = max(places)
                return name, number, head.seq
        return None

    async def describe_conversation(
        self, owner: str, conversation: str, *, title: str | None = None, parent: str | None = None,
        system: str | None = None, now_s: float,
    ) -> None:  # fmt: skip
        talk = self._memory.make(owner, conversation, now_s)
        talk.title = talk.title if title is None else storable(title)
        talk.parent = talk.parent if parent is None else storable(parent)
        if system is not None:
            talk.system = storable(system)
            talk.note_change()
        talk.updated_s = max(talk.updated_s, now_s)

    async def conversations(self, owner: str) -> list[ConversationRow]:
        talks = [talk for talk in self._memory.talks if talk.owner == owner]
        talks.sort(key=lambda talk: (talk.updated_s, talk.number), reverse=True)
        return [talk.row() for talk in talks]

    async def load_window(self, owner: str, conversation: str) -> Loaded | None:
        talk = self._memory.find(owner, conversation)
        if talk is None or talk.current is None:
            return None
        line = talk.current
        ledger, through = talk.standing_ledger(line, line.branch.head.seq)
        return Loaded(line.branch, line.shown_window(), talk.system, ledger, through, tuple(talk.pins))

    async def commit(
        self, owner: str, conversation: str, branch_id: int, change: Commit
    ) -> tuple[Branch, Item]:
        line = self._memory.must_have(owner, conversation).line(branch_id)
        if line is None:
            raise StaleCommit(
                "the branch this compaction was made for is gone", hint="plan again on the present window"
            )
        check_commit(line.window, line.branch, change)
        item = self._named(line, change.item)
        record = change.compaction
        ledger = storable(record.ledger)
        record = replace(record, item_id=item.id, item_kind=kind_of(item), ledger=ledger)
        line.window = replace_items(line.window, record.replaced, item, record.thinking_from)
        line.compactions.append(record)
        line.change(thinking_from=line.window.thinking_from)
        return line.branch, item

    def _named(self, line: Line, item: Item) -> Item:
        """A new item with its id; a summary is kept and indexed."""
        match item:
            case SummaryItem(summary=given):
                summary = replace(given, id=self._memory.next_id("s"), text=storable(given.text))
                self._memory.summaries[summary.id] = (line.talk, summary)
                self._memory.made_on[summary.id] = line
                self._index.add(summary.id, summary.text)
                return replace(item, summary=summary)
            case StubItem():
                return replace(item, id=self._memory.next_id("x"), note=storable(item.note))
            case OmittedItem():
                return replace(item, id=self._memory.next_id("o"), note=storable(item.note))
            case _:
                return item

    async def compactions(self, owner: str, conversation: str) -> list[Compaction]:
        line = self._memory.current(owner, conversation)
        return list(line.compactions) if line is not None else []

    async def messages(self, owner: str, conversation: str, first: int, last: int) -> list[Stored]:
        line = self._memory.current(owner, conversation)
        return [line.shown(one) for one in line.between(first, last)] if line is not None else []

    async def read(self, owner: str, ids: Sequence[str]) -> dict[str, tuple[str, Stored | Summary]]:
        found: dict[str, tuple[str, Stored | Summary]] = {}
        for one in ids:
            if one in self._memory.messages:
                talk, line, stored = self._memory.messages[one]
                known: Stored | Summary = line.shown(stored)
            elif one in self._memory.summaries:
                talk, known = self._memory.summaries[one]
            else:
                continue
            if talk.owner == owner:
                found[one] = (talk.name, known)
        return found

    async def history(self, owner: str, id: str, first: int, last: int) -> list[Stored]:  # noqa: A002
        return reading.history(self._memory, owner, id, first, last)

    async def left_behind(self, owner: str, conversation: str) -> list[Stored]:
        return reading.left_behind(self._memory, owner, conversation)

    async def beneath(self, owner: str, summary_id: str) -> Beneath | None:
        return reading.beneath(self._memory, owner, summary_id)

    async def search(
        self,
        owner: str,
        conversation: str | None,
        query: Query,
        *,
        where: Where = ANYWHERE,
        limit: int = 20,
    ) -> FoundAll:
        return search(self._memory, owner, conversation, query, where, limit)

    async def recall(
        self,
        owner: str,
        conversation: str | None,
        words: Sequence[Sequence[str]],
        *,
        limit: int = 150,
        also: Sequence[str] = (),
        where: Where = ANYWHERE,
    ) -> CandidatePool:
        return recall(self._memory, self._index, owner, conversation, words, limit, also, where)

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
        talk = self._memory.must_have(owner, conversation)
        talk.pay(payment)
        line = talk.line(branch_id)
        if line is not None:
            line.usage = replace(reported, model=storable(reported.model))
            if learnt is not None:
                self._calibrations[owner, storable(reported.model)] = learnt

    async def calibration(self, owner: str, model: str) -> Calibration | None:
        return self._calibrations.get((owner, storable(model)))

    async def last_usage(self, owner: str, conversation: str, branch_id: int) -> ReportedUsage | None:
        talk = self._memory.find(owner, conversation)
        line = talk.line(branch_id) if talk is not None else None
        return line.usage if line is not None else None

    async def account(self, owner: str, conversation: str, branch_id: int) -> Account | None:
        talk = self._memory.find(owner, conversation)
        line = talk.line(branch_id) if talk is not None else None
        return line.account if line is not None else None

    async def save_account(self, owner: str, conversation: str, payment: Payment) -> None:
        self._memory.must_have(owner, conversation).pay(payment)

    async def spent(self, owner: str, conversation: str, limit: int = 100_000) -> list[Spent]:
        talk = self._memory.find(owner, conversation)
        return talk.spent[-limit:] if talk is not None else []

    async def spending(self, owner: str) -> list[Spending]:
        talks = [talk for talk in self._memory.talks if talk.owner == owner]
        return [one for talk in talks for one in totals(talk.name, talk.spent)]

    async def pin(self, owner: str, conversation: str, pin: Pin) -> Pin:
        talk = self._memory.must_have(owner, conversation)
        talk.pins.append(replace(pin, id=self._memory.next_id("p")))
        talk.note_change()
        return talk.pins[-1]

    async def unpin(self, owner: str, conversation: str, pin_id: str) -> bool:
        talk = self._memory.find(owner, conversation)
        kept = [pin for pin in talk.pins if pin.id != pin_id] if talk is not None else []
        if talk is None or len(kept) == len(talk.pins):
            return False
        talk.pins = kept
        talk.note_change()
        return True

    async def pins(self, owner: str, conversation: str) -> tuple[Pin, ...]:
        talk = self._memory.find(owner, conversation)
        return tuple(talk.pins) if talk is not None else ()

    async def ledger(self, owner: str, conversation: str, branch_id: int) -> str:
        talk = self._memory.find(owner, conversation)
        line = talk.line(branch_id) if talk is not None else None
        return line.ledger if line is not None else ""

    async def save_ledger(
        self, owner: str, conversation: str, branch_id: int, body: str, read_at: int | None = None
    ) -> None:
        line = self._memory.must_have(owner, conversation).line(branch_id)
        if line is not None and (read_at is None or read_at >= line.branch.purged):
            line.ledger = storable(body)

    async def memo(self, owner: str, conversation: str) -> str:
        talk = self._memory.find(owner, conversation)
        return talk.memo if talk is not None else ""

    async def memos(self, owner: str) -> dict[str, str]:
        rows = await self.conversations(owner)
        found = {row.name: self._memory.must_have(owner, row.name).memo for row in rows}
        return {name: memo for name, memo in found.items() if memo}

    async def save_memo(self, owner: str, conversation: str, body: str) -> None:
        self._memory.must_have(owner, conversation).memo = storable(body)

    async def lease(self, name: str, holder: str, *, ttl_s: float, now_s: float) -> bool:
        known, expires_s = self._leases.get(name, (holder, now_s))
        if known != holder and now_s < expires_s <= now_s + 10 * ttl_s:
            return False
        self._leases[name] = (holder, now_s + ttl_s)
        return True

    async def release(self, name: str, holder: str) -> None:
        if self._leases.get(name, ("", 0.0))[0] == holder:
            del self._leases[name]

    async def enqueue(self, owner: str, conversation: str, kind: str, *, now_s: float) -> bool:
        self._memory.must_have(owner, conversation)
        noted = (owner, conversation, kind) in self._jobs
        self._jobs.setdefault((owner, conversation, kind), now_s)
        return not noted

    async def pending(self, owner: str) -> list[tuple[str, str]]:
        return [(conversation, kind) for known, conversation, kind in self._jobs if known == owner]

    async def finish(self, owner: str, conversation: str, kind: str) -> None:
        self._memory.must_have(owner, conversation)
        self._jobs.pop((owner, conversation, kind), None)

    async def stats(self, owner: str) -> StoreStats:
        """Counts as of any store; nothing is on disk, so `size_bytes` is 0."""
        tokens = [one.tokens for talk, _, one in self._memory.messages.values() if talk.owner == owner]
        depths = [one.depth for talk, one in self._memory.summaries.values() if talk.owner == owner]
        methods = [one.method for talk, one in self._memory.summaries.values() if talk.owner == owner]
        talks = [talk for talk in self._memory.talks if talk.owner == owner]
        return StoreStats(
            messages=len(tokens),
            tokens=sum(tokens),
            conversations=len(talks),
            summaries_by_depth=tuple((depth, depths.count(depth)) for depth in sorted(set(depths))),
            compactions=sum(len(line.compactions) for talk in talks for line in talk.lines),
            size_bytes=0,
            summaries_by_method=tuple((one, methods.count(one)) for one in sorted(set(methods))),
        )

    async def close(self) -> None:
        self._index.close()
