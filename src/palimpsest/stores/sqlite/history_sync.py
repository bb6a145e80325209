"""Matching whole histories: which known one this continues, and what to do with an edited, rewound or grown one.

The chain hash of a message covers everything before it, so the longest known prefix is found by looking up hashes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from palimpsest.errors import StaleCommit
from palimpsest.ports import Counted, Synced
from palimpsest.record.chain import Head, heads, heads_after
from palimpsest.record.forgetting import Blanks, Tombstone, heads_past
from palimpsest.record.log import Branch
from palimpsest.record.message import Message
from palimpsest.record.window import items_before
from palimpsest.stores.codec import dumps
from palimpsest.stores.log_rules import closed_through, grows_into, opened_by, title_of
from palimpsest.stores.sqlite.branch_ranges import segments
from palimpsest.stores.sqlite.deletion.digest_key import known_key
from palimpsest.stores.sqlite.fulltext.index import unindex_message
from palimpsest.stores.sqlite.message_log import (
    add_branch,
    add_messages,
    current_branch,
    find_conversation,
    make_conversation,
    owner_number,
    read_range,
    row_number,
    to_branch,
    tokens_between,
)
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import read_summary, save_items, standing_items


def longest(count: int, known: Callable[[int], bool]) -> int:
    """Return the largest k <= count such that the first k are known; every shorter prefix of a known one is known."""
    if count and known(count):
        return count
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if known(middle):
            low = middle
        else:
            high = middle
    return low


def sync(
    db: Db, owner: str, name: str, entries: Sequence[Counted], *, rewind: bool, switch: bool, now_s: float,
    known: Sequence[Head] = (), after: Head | None = None,
) -> Synced:  # fmt: skip
    """See `Store.sync`."""
    conversation = make_conversation(db, owner, name, now_s)
    base = _checked(db, conversation, after)
    found = _heads(db, conversation, [entry.message for entry in entries], known, base)
    current = current_branch(db, conversation)
    branch, matched, replaced, forked = _place(
        db, owner, conversation, name, current, entries, found, rewind, base
    )
    added, new = 0, entries[matched - base.seq :]
    if any(entry.tokens < 0 for entry in new):
        raise StaleCommit("the history changed while it was read", hint="send it again")
    if branch.head.seq == matched:
        closed_seq = closed_through(entries, base.seq, max(base.seq, branch.closed_seq))
        if new:
            branch, stored = add_messages(db, owner, conversation, branch, new, closed_seq, replaced)
            added = max(0, len(stored) - len(replaced))
        elif closed_seq > branch.closed_seq:
            branch = _close(db, branch, closed_seq)
    chosen = branch if switch or current is None else current
    title = "" if conversation in db.titled else title_of(entries)
    db.run("touch_conversation", now_s, chosen.id, title, conversation)
    if title:
        db.titled.add(conversation)
    return Synced(branch, added, forked, len(replaced))


def _checked(db: Db, conversation: int, after: Head | None) -> Head:
    """Return where the known beginning of a history ends. Raises StaleCommit if it is not stored, or if something of
    the conversation was deleted, which only the messages themselves reveal.
    """
    if after is None:
        return Head()
    stored = db.row("message_seq_by_chain", after.chain, conversation) is not None
    if not stored or db.row("tombstones", conversation) is not None:
        raise StaleCommit(
            "the beginning of the history is not stored in this form", hint="send all of it again"
        )
    return after


def _place(
    db: Db, owner: str, conversation: int, name: str, current: Branch | None,
    entries: Sequence[Counted], found: Sequence[Head], rewind: bool, base: Head,
) -> tuple[Branch, int, list[int], bool]:  # fmt: skip
    """Return the branch that the history continues, how much of it is known, row numbers to reuse, and whether it
    forked.
    """
    if current is None:
        return add_branch(db, conversation, name, Head(), parent=None), 0, [], False
    matched = _known(db, conversation, current, found, base)
    fresh, whole = matched - base.seq, matched - base.seq == len(found)
    head = found[fresh - 1] if fresh else base
    here = _on_path(db, current, head)
    if here and (matched == current.head.seq or (whole and not rewind)):
        return current, matched, [], False
    row = db.row("branch_by_head", conversation, head.chain)
    if row is not None:
        return to_branch(row), matched, [], False
    growing = _growing(db, conversation, head, entries[fresh].message) if not whole else None
    if growing is not None:
        numbers, left = _cut(db, owner, conversation, growing, head)
        return left, matched, numbers, False
    return _fork(db, conversation, name, current if here else None, head), matched, [], True


def _known(db: Db, conversation: int, current: Branch, found: Sequence[Head], base: Head) -> int:
    """Return how many messages of a history, from its start, the conversation has on any branch; it has those up to
    `base`.

    Nearly always the history continues the current branch, so that is checked first.
    """

    def known(count: int) -> bool:
        return db.row("message_seq_by_chain", found[count - 1].chain, conversation) is not None

    size = current.head.seq - base.seq
    continues = 0 <= size <= len(found) and (found[size - 1] if size else base).chain == current.head.chain
    if continues and (size == len(found) or not known(size + 1)):
        return current.head.seq
    return base.seq + longest(len(found), known)


def _on_path(db: Db, branch: Branch, head: Head) -> bool:
    """Return whether the branch's history begins with the one that ends at `head`."""
    if head.chain == branch.head.chain:
        return True
    if head.seq == 0 or head.seq > branch.head.seq:
        return head.seq == 0
    stretch = segments(db, branch.id, head.seq, head.seq)
    row = db.row("messages_between", stretch[0][0], head.seq, head.seq) if stretch else None
    return row is not None and bytes(row["chain"]) == head.chain


def _growing(db: Db, conversation: int, head: Head, message: Message) -> Branch | None:
    """Return the branch whose messages after `head` are provisional, the first of which may become `message`; the
    current branch first.
    """
    if _all_closed(db, conversation):
        return None
    for row in db.run("growing_branches", conversation, head.seq).fetchall():
        branch = to_branch(row)
        first = read_range(db, branch, head.seq + 1, head.seq + 1)[0].message
        if grows_into(first, message) and _on_path(db, branch, head):
            return branch
    return None


def _all_closed(db: Db, conversation: int) -> bool:
    """Return whether the conversation has no provisional message, which is remembered: of many branches, looking at
    each at every fork would take most of the time.
    """
    version = db.number("data_version")
    if version != db.data_version:
        db.data_version = version
        db.closed.clear()
    if conversation not in db.closed and db.row("has_growing", conversation) is None:
        db.closed.add(conversation)
    return conversation in db.closed


def _cut(db: Db, owner: str, conversation: int, branch: Branch, head: Head) -> tuple[list[int], Branch]:
    """Remove the provisional messages after `head`, so that their grown form can reuse their row numbers; return the
    rest of the branch.
    """
    numbers: list[int] = []
    tokens = branch.tokens
    for stored in read_range(db, branch, head.seq + 1, branch.head.seq):
        number = row_number(stored.id, "m") or 0
        unindex_message(db, number, conversation, owner_number(db, owner), stored.message)
        numbers.append(number)
        tokens -= stored.tokens
    db.run("remove_messages", branch.id, head.seq)
    return numbers, replace(branch, head=head, tokens=tokens)


def _fork(db: Db, conversation: int, name: str, current: Branch | None, head: Head) -> Branch:
    """Return a new branch after `head`, with the window items that end before it."""
    base = current
    if base is None:
        row = db.row("message_seq_by_chain", head.chain, conversation)
        found = db.row("branch", row["branch_id"], conversation) if row is not None else None
        base = to_branch(found) if found is not None else None
    if base is None or not head.seq:
        return add_branch(db, conversation, name, Head(), parent=None)
    opened = opened_by(partial(read_summary, db), partial(read_range, db, base))
    items = items_before(standing_items(db, base, head.seq), head.seq, opened)
    branch = add_branch(
        db, conversation, name, head, parent=base.id, thinking_from=min(base.thinking_from, head.seq + 1),
        tokens=_tokens_through(db, base, head.seq),
    )  # fmt: skip
    save_items(db, branch.id, items)
    return branch


def _tokens_through(db: Db, branch: Branch, seq: int) -> int:
    """Return the tokens of a history up to a position, counted from the nearer end."""
    if 2 * seq < branch.head.seq:
        return tokens_between(db, branch.id, 1, seq)[0]
    return branch.tokens - tokens_between(db, branch.id, seq + 1, branch.head.seq)[0]


def _close(db: Db, branch: Branch, closed_seq: int) -> Branch:
    """Return the branch with its messages closed up to a position."""
    head = branch.head
    db.run("advance_branch", head.seq, head.chain, dumps(head.calls), closed_seq, branch.tokens, branch.id)
    return replace(branch, closed_seq=closed_seq, version=branch.version + 1)


def match(
    db: Db, owner: str, name: str, messages: Sequence[Message], known: Sequence[Head] = (), after: Head | None = None
) -> int:  # fmt: skip
    """See `Store.match`."""
    conversation = find_conversation(db, owner, name)
    current = current_branch(db, conversation) if conversation is not None else None
    if conversation is None or current is None:
        return 0
    base = _checked(db, conversation, after)
    return _known(db, conversation, current, _heads(db, conversation, messages, known, base), base) - base.seq


def resolve(db: Db, owner: str, messages: Sequence[Message]) -> tuple[str, int, int] | None:
    """See `Store.resolve`."""
    rows = db.run("owner_tombstones", owner).fetchall()
    found = heads_past(messages, blanks(rows), known_key(db)) if rows else heads(messages)
    matched = longest(
        len(found), lambda count: db.row("owner_message_by_chain", found[count - 1].chain, owner) is not None
    )
    row = db.row("owner_message_by_chain", found[matched - 1].chain, owner) if matched else None
    return (str(row[0]), int(row[1]), matched) if row is not None else None


def _heads(
    db: Db, conversation: int, messages: Sequence[Message], known: Sequence[Head], base: Head
) -> list[Head]:
    """Return the heads of what follows `base` in a history, some of whose messages may be deleted; the first are
    `known`, unless any was.
    """
    rows = db.run("tombstones", conversation).fetchall()
    return heads_past(messages, blanks(rows), known_key(db)) if rows else heads_after(known, messages, base)


def blanks(rows: Iterable[sqlite3.Row]) -> Blanks:
    """Return tombstones by the chain hash at their position."""
    found: dict[bytes, list[Tombstone]] = {}
    for chain, *known in rows:
        found.setdefault(bytes(chain), []).append(Tombstone(*map(bytes, known)))
    return found


def known_conversation(db: Db, owner: str, name: str) -> Branch | None:
    """Return the current branch of this owner's conversation."""
    conversation = find_conversation(db, owner, name)
    return current_branch(db, conversation) if conversation is not None else None
