"""Conversations and branches as plain values in lists: what the in-memory store keeps.

A branch here holds its whole history, inherited messages included, so finding a prefix is comparing two lists.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from palimpsest.errors import NotFound
from palimpsest.ports import ConversationRow, Counted, ReportedUsage
from palimpsest.record.chain import Head, advance
from palimpsest.record.log import Branch, Compaction, Stored
from palimpsest.record.message import Message
from palimpsest.record.pin import Pin
from palimpsest.record.spending import Account, Payment, Spent, carried_over
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window, extend, inherit
from palimpsest.record.window_items import MessageItem, StubItem
from palimpsest.stores.index_terms import TOKENIZER, indexed
from palimpsest.stores.log_rules import grows_into, marked, opened_by, title_of


@dataclass(slots=True, eq=False)
class Line:
    """A branch. `heads` are those of its messages; `window` is the fold of its log."""

    talk: Talk
    branch: Branch
    messages: list[Stored] = field(default_factory=list[Stored])
    heads: list[Head] = field(default_factory=list[Head])
    window: Window = field(default_factory=Window)
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    usage: ReportedUsage | None = None
    account: Account | None = None
    ledger: str = ""

    def begins_with(self, known: Sequence[Head]) -> bool:
        """Whether the branch's history begins with the one that these heads are of."""
        return not known or (
            len(known) <= len(self.heads) and self.heads[len(known) - 1].chain == known[-1].chain
        )

    def between(self, first: int, last: int) -> list[Stored]:
        """Messages by position, both ends included."""
        return self.messages[max(0, first - 1) : max(0, last)]

    def shown(self, stored: Stored) -> Stored:
        """The message as read: marked as provisional while its source may still grow."""
        return replace(stored, message=marked(stored.message, stored.seq > self.branch.closed_seq))

    def shown_window(self) -> Window:
        """The window with its messages as read."""
        items = [
            replace(item, stored=self.shown(item.stored))
            if isinstance(item, MessageItem | StubItem)
            else item
            for item in self.window.items
        ]
        return replace(self.window, items=tuple(items))

    def change(
        self,
        *,
        head: Head | None = None,
        closed_seq: int | None = None,
        thinking_from: int | None = None,
        added_tokens: int = 0,
    ) -> None:
        """The branch with what is given, one version on."""
        self.branch = replace(
            self.branch,
            head=head or self.branch.head,
            closed_seq=self.branch.closed_seq if closed_seq is None else closed_seq,
            thinking_from=thinking_from or self.branch.thinking_from,
            version=self.branch.version + 1,
            tokens=self.branch.tokens + added_tokens,
        )

    def close(self, closed_seq: int) -> None:
        """Let messages up to a position be settled."""
        if closed_seq > self.branch.closed_seq:
            self.change(closed_seq=closed_seq)


@dataclass(slots=True, eq=False)
class Talk:
    """A conversation: its branches in the order they were made, and the current one."""

    number: int
    owner: str
    name: str
    updated_s: float
    title: str = ""
    parent: str = ""
    system: str = ""
    current: Line | None = None
    lines: list[Line] = field(default_factory=list[Line])
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    pins: list[Pin] = field(default_factory=list[Pin])
    spent: list[Spent] = field(default_factory=list[Spent])
    memo: str = ""

    def standing_ledger(self, line: Line, most: int) -> tuple[str, int]:
        """The ledger of the newest compaction of a branch, or of those it was forked from, that had read no message
        after the position `most`, and what it had read.
        """
        for record in reversed(line.compactions):
            if record.ledger_through <= most:
                return record.ledger, record.ledger_through
        base = self.line(line.branch.parent) if line.branch.parent is not None else None
        return self.standing_ledger(base, min(most, line.branch.fork_seq)) if base is not None else ("", 0)

    def pay(self, payment: Payment | None) -> None:
        """Keep what was paid for on one of its branches."""
        line = self.line(payment.branch_id) if payment is not None else None
        if payment is not None and line is not None:
            line.account = carried_over(line.account, payment.since, payment.account)
            self.spent += payment.spent

    def line(self, branch_id: int) -> Line | None:
        """The branch of this number."""
        return next((line for line in self.lines if line.branch.id == branch_id), None)

    def newest_first(self) -> list[Line]:
        """The current branch, then the others, the newest first."""
        return sorted(self.lines, key=lambda line: (line is self.current, line.branch.id), reverse=True)

    def known(self, found: Sequence[Head]) -> int:
        """How many messages of a history, from its start, some branch has."""
        pairs = (pair for line in self.lines for pair in zip(line.heads, found, strict=False))
        return max((mine.seq for mine, theirs in pairs if mine.chain == theirs.chain), default=0)

    def heads_through(self, head: Head) -> list[Head]:
        """The heads of the history that ends at `head`; none where no branch has it."""
        lines = (line for line in self.lines if len(line.heads) >= head.seq)
        found = (line.heads[: head.seq] for line in lines if line.heads[head.seq - 1].chain == head.chain)
        return next(found, list[Head]())

    def touch(self, line: Line, entries: Sequence[Counted], now_s: float) -> None:
        """Let a branch be the current one."""
        self.current = line
        self.title = self.title or title_of(entries)
        self.updated_s = max(self.updated_s, now_s)

    def note_change(self) -> None:
        """Let whoever holds a copy of the current branch know that it is out of date."""
        if self.current is not None:
            self.current.branch = replace(self.current.branch, version=self.current.branch.version + 1)

    def row(self) -> ConversationRow:
        """The conversation as listed."""
        line = self.current
        stored = line.messages if line is not None else []
        window_tokens = line.window.tokens if line is not None else 0
        tokens = sum(one.tokens for one in stored)
        return ConversationRow(
            self.name,
            self.title,
            self.parent,
            len(stored),
            tokens,
            window_tokens,
            self.updated_s,
            self.system,
        )


def is_current(talk: Talk, seq: int, public_id: str) -> bool:
    """Whether this message stands at that position of the conversation's present history."""
    there = talk.current.between(seq, seq) if talk.current is not None else []
    return any(one.id == public_id for one in there)


@dataclass(slots=True)
class Memory:
    """Everything kept: conversations; messages and summaries by id, with the conversation (and branch) they are of, and
    the branch that a summary was made on.
    """

    talks: list[Talk] = field(default_factory=list[Talk])
    messages: dict[str, tuple[Talk, Line, Stored]] = field(
        default_factory=dict[str, tuple[Talk, Line, Stored]]
    )
    summaries: dict[str, tuple[Talk, Summary]] = field(default_factory=dict[str, tuple[Talk, Summary]])
    made_on: dict[str, Line] = field(default_factory=dict[str, Line])
    given: dict[str, int] = field(default_factory=dict[str, int])

    def next_id(self, letter: str) -> str:
        """An id that was never given: stubs and dropped ranges are numbered together, all else by its letter."""
        return f"{letter}{self._next('item' if letter in 'xo' else letter)}"

    def _next(self, series: str) -> int:
        """The next number of a series."""
        self.given[series] = self.given.get(series, 0) + 1
        return self.given[series]

    def find(self, owner: str, name: str) -> Talk | None:
        """The conversation if this owner has it."""
        return next((talk for talk in self.talks if (talk.owner, talk.name) == (owner, name)), None)

    def must_have(self, owner: str, name: str) -> Talk:
        """The conversation. Raises NotFound where this owner has none of the name."""
        talk = self.find(owner, name)
        if talk is None:
            hint = "`palimpsest list` shows the conversations there are"
            raise NotFound(f"no conversation {name!r}", hint=hint)
        return talk

    def current(self, owner: str, name: str) -> Line | None:
        """The conversation's current branch."""
        talk = self.find(owner, name)
        return talk.current if talk is not None else None

    def make(self, owner: str, name: str, now_s: float) -> Talk:
        """The conversation; it is made if it does not exist."""
        talk = self.find(owner, name)
        if talk is None:
            talk = Talk(self._next("talk"), owner, name, now_s)
            self.talks.append(talk)
        return talk

    def new_line(self, talk: Talk, base: Line | None = None, known: Sequence[Head] = ()) -> Line:
        """A branch whose history is that of `base` as far as `known`; an empty one where that is nowhere."""
        number = self._next("line")
        line = Line(talk, Branch(number, talk.name, Head(), version=1))
        if base is not None and known:
            end = len(known)
            line.messages, line.heads = base.messages[:end], base.heads[:end]
            line.window = inherit(
                base.window, end, opened_by(lambda one: self.summaries[one][1], base.between)
            )
            start, tokens = line.window.thinking_from, sum(one.tokens for one in line.messages)
            line.branch = Branch(number, talk.name, known[-1], base.branch.id, end, end, 1, start, tokens)
        talk.lines.append(line)
        return line

    def place(
        self, talk: Talk, known: Sequence[Head], new: Message | None, rewind: bool
    ) -> tuple[Line, bool]:
        """The branch that a history continues, and whether it was made for it.

        `known` is the history's known beginning, `new` its first unknown message (None for no more).
        """
        current, size = talk.current, len(known)
        if current is None:
            return self.new_line(talk), False
        here = current.begins_with(known)
        if here and (len(current.messages) == size or (new is None and not rewind)):
            return current, False
        bases = [line for line in talk.newest_first() if line.begins_with(known)]
        for line in bases:
            if len(line.messages) == size:
                return line, False
        for line in bases:
            if new is not None and self._growing(line, size) and grows_into(line.messages[size].message, new):
                return line, False
        owning = [line for line in bases if line.branch.fork_seq < size]
        return self.new_line(talk, current if here or not owning else owning[0], known), True

    def _growing(self, line: Line, size: int) -> bool:
        """Whether everything after the first `size` messages is unsettled and no other branch's base."""
        branch = line.branch
        based = any(one.branch.parent == branch.id and one.branch.fork_seq > size for one in line.talk.lines)
        return branch.closed_seq <= size and not based

    def cut(self, line: Line, size: int) -> tuple[str, ...]:
        """Remove the messages after the first `size`, all of them unsettled, and return their ids."""
        gone = tuple(one.id for one in line.messages[size:])
        left = line.branch.tokens - sum(one.tokens for one in line.messages[size:])
        line.branch = replace(line.branch, tokens=left)
        del line.messages[size:], line.heads[size:]
        line.window = replace(
            line.window, items=tuple(item for item in line.window.items if item.last <= size)
        )
        for one in gone:
            del self.messages[one]
        return gone

    def add(
        self, talk: Talk, line: Line, entries: Sequence[Counted], closed_seq: int, ids: Sequence[str]
    ) -> tuple[Stored, ...]:
        """Put messages at the end of a branch, under the given ids first."""
        head = line.heads[-1] if line.heads else Head()
        stored: list[Stored] = []
        for place, entry in enumerate(entries):
            head = advance(head, entry.message)
            public_id = ids[place] if place < len(ids) else self.next_id("m")
            message = marked(entry.message, head.seq > closed_seq)
            gate = (entry.gate, entry.gate_tokens)
            stored.append(Stored(public_id, head.seq, message, entry.tokens, head.chain, *gate))
            line.heads.append(head)
            self.messages[public_id] = (talk, line, stored[-1])
        line.messages += stored
        line.window = extend(line.window, stored)
        line.change(head=head, closed_seq=closed_seq, added_tokens=sum(entry.tokens for entry in entries))
        return tuple(stored)


class WordIndex:
    """An index over texts by id. SQLite's, so that words are divided and stemmed as in the other stores."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._db.close)  # whoever drops a store in memory need not close it
        self._db.execute(
            f"CREATE VIRTUAL TABLE words USING fts5 (id UNINDEXED, body, tokenize = '{TOKENIZER}')"
        )

    def add(self, public_id: str, text: str) -> None:
        """Index a text under an id."""
        self._db.execute("INSERT INTO words (id, body) VALUES (?, ?)", (public_id, indexed(text)))

    def remove(self, public_id: str) -> None:
        """Forget a text."""
        self._db.execute("DELETE FROM words WHERE id = ?", (public_id,))

    def matched_by(self, asked: str) -> list[tuple[str, float]]:
        """(id, BM25) of every text that fits an expression of the index, best first."""
        rows = self._db.execute(
            "SELECT id, rank FROM words WHERE words MATCH ? ORDER BY rank, rowid DESC", (asked,)
        )
        return [(str(row[0]), float(row[1])) for row in rows]

    def close(self) -> None:
        """Free the memory."""
        self._db.close()
