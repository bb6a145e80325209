"""Conversations, branches and messages. Each function runs inside a transaction of its caller.

A branch owns the messages after its fork; those before belong to its ancestors. `segments` returns the ranges of a
history with their branches, so every read is a few index ranges at any depth of forks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from palimpsest.errors import NotFound, StaleCommit
from palimpsest.ports import Appended, Counted
from palimpsest.record.chain import Head, advance
from palimpsest.record.log import Branch, Stored
from palimpsest.record.message import Addition
from palimpsest.stores.checksums import intact_row
from palimpsest.stores.codec import decode_message, decode_strings, dumps, encode_message, storable
from palimpsest.stores.deletion_rules import with_other_added
from palimpsest.stores.log_rules import closed_through, marked, title_of
from palimpsest.stores.sqlite.branch_ranges import segments
from palimpsest.stores.sqlite.fulltext.index import FEW_ENTRIES, defer_message, index_message, unindex_message
from palimpsest.stores.sqlite.statements import Db

MOST_BRANCHES = 1_000
"""Written branches that a connection remembers; beyond it the cache is cleared."""


def message_id(number: int) -> str:
    """Return the public id of a message's row number."""
    return f"m{number}"


def row_number(public_id: str, letter: str) -> int | None:
    """Return the row number of an id such as "m12", None for another form."""
    digits = public_id.removeprefix(letter)
    if digits == public_id or not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        return None
    if digits.startswith("0"):
        return None
    return int(digits)


def find_conversation(db: Db, owner: str, name: str) -> int | None:
    """Return the conversation's row number if this owner has it."""
    db.refresh()
    known = db.conversations.get((owner, name))
    if known is None:
        row = db.row("conversation_id", owner, name)
        if row is None:
            return None
        known = db.conversations[owner, name] = int(row[0])
    return known


def owner_number(db: Db, owner: str) -> int:
    """Return the owner's row number, 0 for an owner without data."""
    db.refresh()
    if owner not in db.owners:
        found = db.number("owner_id", owner)
        if not found:
            return 0
        db.owners[owner] = found
    return db.owners[owner]


def make_conversation(db: Db, owner: str, name: str, now_s: float) -> int:
    """Return the conversation's row number; create it if it does not exist. A new one is not cached, because the
    caller may roll back.
    """
    found = find_conversation(db, owner, name)
    if found is not None:
        return found
    db.run("add_owner", owner)
    cursor = db.run("add_conversation", db.number("owner_id", owner), name, now_s)
    return int(cursor.lastrowid or 0)


def to_branch(row: sqlite3.Row) -> Branch:
    """Return a branch from its row. Raises IntegrityError for a damaged one."""
    intact_row(row, "branch", f"the branch of conversation {row['conversation']}")
    return Branch(
        id=row["id"],
        conversation=row["conversation"],
        head=Head(bytes(row["head_chain"]), row["head_seq"], decode_strings(row["calls"])),
        parent=row["parent_id"],
        fork_seq=row["fork_seq"],
        closed_seq=row["closed_seq"],
        version=row["version"],
        thinking_from=row["thinking_from"],
        tokens=row["tokens"],
        purged=row["purged"],
    )


def current_branch(db: Db, conversation: int) -> Branch | None:
    """Return the conversation's current branch. One that this connection wrote is not read again."""
    row = db.row("current_branch", conversation)
    if row is None:
        return None
    known = db.branches.get(conversation)
    return known if known is not None and _is(row, known) else to_branch(row)


def _is(row: sqlite3.Row, known: Branch) -> bool:
    """Return whether a row equals a known branch."""
    return (
        (row["id"], row["version"], row["head_seq"], row["closed_seq"], row["tokens"], row["purged"])
        == (known.id, known.version, known.head.seq, known.closed_seq, known.tokens, known.purged)
    ) and row["head_chain"] == known.head.chain


def has_branch(db: Db, owner: str, conversation: str, branch_id: int) -> bool:
    """Return whether a branch belongs to this owner's conversation."""
    number = find_conversation(db, owner, conversation)
    return number is not None and db.row("branch", branch_id, number) is not None


class Histories:
    """The current history of each conversation asked about, looked up once."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._known: dict[int, dict[int, int]] = {}

    def hold(self, conversation: int, branch_id: int, seq: int) -> bool:
        """Return whether a position of a branch is part of the conversation's current history."""
        if conversation not in self._known:
            row = self._db.row("current_branch", conversation)
            found = segments(self._db, row["id"], 1, row["head_seq"]) if row is not None else []
            self._known[conversation] = {one: last for one, _, last in found}
        return seq <= self._known[conversation].get(branch_id, 0)


def to_stored(row: sqlite3.Row, closed_seq: int) -> Stored:
    """Return a stored message from its row. Raises IntegrityError for a damaged one."""
    intact_row(row, "message", f"message {message_id(row['id'])}")
    message = decode_message(row["role"], row["body"], row["time_s"], provisional=row["seq"] > closed_seq)
    return Stored(
        message_id(row["id"]), row["seq"], message, row["tokens"], bytes(row["chain"]), row["gate"], row["gate_tokens"]
    )  # fmt: skip


def read_range(db: Db, branch: Branch, first: int, last: int) -> list[Stored]:
    """Return messages of a history by position, both ends included."""
    found: list[Stored] = []
    for branch_id, start, end in segments(db, branch.id, max(1, first), min(last, branch.head.seq)):
        found.extend(
            to_stored(row, branch.closed_seq) for row in db.run("messages_between", branch_id, start, end)
        )
    return found


def add_messages(
    db: Db, owner: str, conversation: int, branch: Branch, entries: Sequence[Counted], closed_seq: int,
    ids: Iterable[int] = (),
) -> tuple[Branch, tuple[Stored, ...]]:  # fmt: skip
    """Append messages to a branch, reusing the given row numbers first, and return the changed branch.

    Those after `closed_seq` may still be replaced.
    """
    owner_id = owner_number(db, owner)
    head = branch.head
    numbers = iter(ids)
    stored: list[Stored] = []
    for entry in entries:
        message = entry.message
        head = advance(head, message)
        cursor = db.run(
            "add_message", next(numbers, None), owner_id, conversation, branch.id, head.seq, message.role,
            encode_message(message), entry.tokens, message.time_s, head.chain, storable(entry.gate), entry.gate_tokens,
        )  # fmt: skip
        number = int(cursor.lastrowid or 0)
        if len(entries) <= FEW_ENTRIES:
            defer_message(db, number)
        else:
            index_message(db, number, conversation, owner_id, message)
        stored.append(
            Stored(
                message_id(number),
                head.seq,
                marked(message, head.seq > closed_seq),
                entry.tokens,
                head.chain,
                storable(entry.gate),
                entry.gate_tokens,
            )
        )
    tokens = branch.tokens + sum(entry.tokens for entry in entries)
    db.run("advance_branch", head.seq, head.chain, dumps(head.calls), closed_seq, tokens, branch.id)
    changed = replace(branch, head=head, closed_seq=closed_seq, version=branch.version + 1, tokens=tokens)
    if closed_seq < head.seq:
        db.closed.discard(conversation)
    if len(db.branches) >= MOST_BRANCHES:
        db.branches.clear()
    db.branches[conversation] = changed
    return changed, tuple(stored)


def add_branch(
    db: Db,
    conversation: int,
    name: str,
    head: Head,
    *,
    parent: int | None,
    thinking_from: int = 1,
    tokens: int = 0,
) -> Branch:
    """Create a branch whose history is its parent's up to `head`."""
    cursor = db.run(
        "add_branch",
        conversation,
        parent,
        head.seq,
        head.seq,
        head.chain,
        dumps(head.calls),
        head.seq,
        thinking_from,
        tokens,
    )
    return Branch(
        int(cursor.lastrowid or 0), name, head, parent, head.seq, head.seq, 1, thinking_from, tokens
    )


def append(
    db: Db,
    owner: str,
    name: str,
    entries: Sequence[Counted],
    key: str | None,
    system: str | None,
    now_s: float,
) -> Appended:
    """See `Store.append`."""
    conversation = make_conversation(db, owner, name, now_s)
    branch = current_branch(db, conversation)
    if key is not None and branch is not None:
        row = db.row("append_key", conversation, key)
        if row is not None:
            intact_row(row, "append_key", "a key of an append")
            seen = read_messages(db, owner, decode_strings(row["message_ids"]))
            return Appended(branch, tuple(stored for _, stored in seen), repeated=True)
    if branch is None:
        branch = add_branch(db, conversation, name, Head(), parent=None)
    stored: tuple[Stored, ...] = ()
    if entries:
        closed_seq = closed_through(entries, branch.head.seq, branch.head.seq)
        branch, stored = add_messages(db, owner, conversation, branch, entries, closed_seq)
    title = "" if conversation in db.titled else title_of(entries)
    db.run("touch_conversation", now_s, branch.id, title, conversation)
    if title:
        db.titled.add(conversation)
    if system is not None:
        db.run("describe_conversation", None, None, storable(system), now_s, conversation)
    if key is not None:
        db.run("add_append_key", conversation, key, dumps([one.id for one in stored]))
    return Appended(branch, stored)


def add_to_newest(
    db: Db, owner: str, name: str, branch: Branch, message_id: str, added: Sequence[Addition]
) -> tuple[Branch, Stored]:
    """See `Store.add_to_newest`."""
    conversation = must_have(db, owner, name)
    current = current_branch(db, conversation)
    if current is None or (current.id, current.version) != (branch.id, branch.version):
        raise StaleCommit("the conversation has changed", hint="load it again")
    if current.head.seq <= max(current.fork_seq, 0) or current.head.seq > current.closed_seq:
        raise StaleCommit("the newest message cannot be added to", hint="append a message first")
    before = read_range(db, current, current.head.seq, current.head.seq)[0]
    if before.id != message_id:
        raise StaleCommit("another message is the newest", hint="load the conversation again")
    after = with_other_added(before, (*before.message.added, *added))
    number = row_number(before.id, "m") or 0
    unindex_message(db, number, conversation, owner_number(db, owner), before.message)
    db.run("rewrite_message", encode_message(after.message), after.tokens, after.gate_tokens, number)
    defer_message(db, number)
    head, tokens = current.head, current.tokens + after.tokens - before.tokens
    db.run("advance_branch", head.seq, head.chain, dumps(head.calls), current.closed_seq, tokens, current.id)
    changed = replace(current, version=current.version + 1, tokens=tokens)
    db.branches[conversation] = changed
    return changed, after


def read_messages(db: Db, owner: str, ids: Iterable[str]) -> list[tuple[str, Stored]]:
    """Return (conversation, message) for each id that this owner has."""
    found: list[tuple[str, Stored]] = []
    for public_id in ids:
        number = row_number(public_id, "m")
        row = db.row("owner_messages", number, owner) if number is not None else None
        if row is not None:
            found.append((row["conversation"], to_stored(row, row["closed_seq"])))
    return found


def tokens_between(db: Db, branch_id: int, first: int, last: int) -> tuple[int, int]:
    """Return the estimated tokens of a range of messages: in full, and as an uncompacted window shows them."""
    rows = [db.row("message_tokens_between", *stretch) for stretch in segments(db, branch_id, first, last)]
    return sum(row[0] for row in rows if row is not None), sum(row[1] for row in rows if row is not None)


def must_have(db: Db, owner: str, name: str) -> int:
    """Return the conversation's row number. Raises NotFound."""
    found = find_conversation(db, owner, name)
    if found is None:
        raise NotFound(
            f"no conversation {name!r}", hint="`palimpsest list` shows the conversations there are"
        )
    return found
