"""Taking in whole histories: which known one this continues, and what becomes of an edited, rewound or grown one.

The chain hash of a message stands for everything before it, so the longest known prefix is found by asking for hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from palimpsest.errors import StaleCommit
from palimpsest.ports import Counted, Synced
from palimpsest.record.chain import Head, heads
from palimpsest.record.log import Branch
from palimpsest.record.message import Message
from palimpsest.record.window import inherit
from palimpsest.stores.codec import dumps
from palimpsest.stores.sqlite_log import (
    Db,
    add_branch,
    add_messages,
    current_branch,
    find_conversation,
    make_conversation,
    read_range,
    row_number,
    segments,
    title_of,
    to_branch,
    unindex,
)
from palimpsest.stores.sqlite_window import load_window, save_items, sources_as_items


def longest(count: int, known: Callable[[int], bool]) -> int:
    """The largest k <= count such that the first k are known, given that every shorter prefix of a known one
    is known.
    """
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


def sync(db: Db, owner: str, name: str, entries: Sequence[Counted], *, rewind: bool, now_s: float) -> Synced:
    """See `Store.sync`."""
    conversation = make_conversation(db, owner, name, now_s)
    found = heads(entry.message for entry in entries)
    current = current_branch(db, conversation)
    branch, matched, replaced, forked = _place(db, owner, conversation, name, current, entries, found, rewind)
    added = 0
    if any(entry.tokens < 0 for entry in entries[matched:]):
        raise StaleCommit("the history changed while it was read", hint="send it again")
    if matched < len(entries) and branch.head.seq == matched:
        branch, stored = add_messages(db, owner, conversation, branch, entries[matched:], replaced)
        added = len(stored) - len(replaced)
    elif branch.head.seq == matched:
        branch = _close(db, branch, entries)
    db.run("touch_conversation", now_s, branch.id, title_of(entries), conversation)
    return Synced(branch, max(0, added), forked, len(replaced))


def _place(
    db: Db, owner: str, conversation: int, name: str, current: Branch | None,
    entries: Sequence[Counted], found: Sequence[Head], rewind: bool,
) -> tuple[Branch, int, list[int], bool]:  # fmt: skip
    """The branch that the history continues, how much of it is there, row numbers to reuse, and whether it
    was forked.
    """
    if current is None:
        return add_branch(db, conversation, name, Head(), parent=None), 0, [], False
    size = current.head.seq
    if size <= len(found) and (size == 0 or found[size - 1].chain == current.head.chain):
        return current, size, [], False
    matched = longest(
        len(found),
        lambda count: db.row("message_seq_by_chain", found[count - 1].chain, conversation) is not None,
    )
    head = found[matched - 1] if matched else Head()
    row = db.row("branch_by_head", conversation, head.chain)
    if row is not None:
        return to_branch(row), matched, [], False
    here = matched == 0 or _on_path(db, current, matched, head, conversation)
    if here and matched == len(found) and not rewind:
        return current, matched, [], False
    if here and _may_regrow(db, current, matched):
        numbers = _cut(db, owner, conversation, current, head)
        return replace(current, head=head, closed_seq=matched), matched, numbers, False
    return _fork(db, conversation, name, current if here else None, head), matched, [], True


def _on_path(db: Db, branch: Branch, seq: int, head: Head, conversation: int) -> bool:
    """Whether the message known by this hash is on the branch's own history."""
    if seq > branch.head.seq:
        return False
    stretch = segments(db, branch.id, seq, seq)
    row = db.row("messages_between", stretch[0][0], seq, seq) if stretch else None
    return row is not None and bytes(row["chain"]) == head.chain


def _may_regrow(db: Db, branch: Branch, matched: int) -> bool:
    """Whether everything after `matched` is provisional, the branch's own, and nobody's base."""
    own = branch.fork_seq <= matched
    return own and matched >= branch.closed_seq and not db.number("children_after", branch.id, matched)


def _cut(db: Db, owner: str, conversation: int, branch: Branch, head: Head) -> list[int]:
    """Remove the provisional messages after `head`, so that their grown form can take their row numbers."""
    numbers: list[int] = []
    for stored in read_range(db, branch, head.seq + 1, branch.head.seq):
        number = row_number(stored.id, "m") or 0
        unindex(db, owner, conversation, number, stored.message)
        numbers.append(number)
    db.run("remove_messages", branch.id, head.seq)
    return numbers


def _fork(db: Db, conversation: int, name: str, current: Branch | None, head: Head) -> Branch:
    """A new branch after `head`, with the window items that end before it."""
    if not head.seq:
        return add_branch(db, conversation, name, Head(), parent=None)
    parent = current
    if parent is None:
        row = db.row("message_seq_by_chain", head.chain, conversation)
        found = db.row("branch", row["branch_id"] if row is not None else 0, conversation)
        if found is None:
            return add_branch(db, conversation, name, Head(), parent=None)
        parent = to_branch(found)
    base = parent
    window = inherit(load_window(db, base), head.seq, lambda summary: sources_as_items(db, base, summary))
    branch = add_branch(db, conversation, name, head, parent=base.id, thinking_from=base.thinking_from)
    save_items(db, branch.id, window.items)
    return branch


def _close(db: Db, branch: Branch, entries: Sequence[Counted]) -> Branch:
    """The branch with its messages closed as far as this reading of the whole history says."""
    closed_seq = max(
        (place for place, entry in enumerate(entries, 1) if not entry.message.provisional),
        default=branch.closed_seq,
    )
    if closed_seq <= branch.closed_seq:
        return branch
    head = branch.head
    db.run("advance_branch", head.seq, head.chain, dumps(head.calls), closed_seq, branch.id)
    return replace(branch, closed_seq=closed_seq, version=branch.version + 1)


def match(db: Db, owner: str, name: str, messages: Sequence[Message]) -> int:
    """See `Store.match`."""
    conversation = find_conversation(db, owner, name)
    current = current_branch(db, conversation) if conversation is not None else None
    if conversation is None or current is None:
        return 0
    found = heads(messages)
    size = current.head.seq
    if size and size <= len(found) and found[size - 1].chain == current.head.chain:
        return size
    return longest(
        len(found),
        lambda count: db.row("message_seq_by_chain", found[count - 1].chain, conversation) is not None,
    )


def resolve(db: Db, owner: str, messages: Sequence[Message]) -> tuple[str, int, int] | None:
    """See `Store.resolve`."""
    found = heads(messages)
    matched = longest(
        len(found), lambda count: db.row("owner_message_by_chain", found[count - 1].chain, owner) is not None
    )
    row = db.row("owner_message_by_chain", found[matched - 1].chain, owner) if matched else None
    return (str(row[0]), int(row[1]), matched) if row is not None else None


def known_conversation(db: Db, owner: str, name: str) -> Branch | None:
    """The current branch of a conversation of this owner."""
    conversation = find_conversation(db, owner, name)
    return current_branch(db, conversation) if conversation is not None else None
