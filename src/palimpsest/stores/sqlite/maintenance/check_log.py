"""Examining the log: the hash chain of every branch, its positions, its fork and what it says of its end.

A message whose sum is right but whose link differs has a damaged link: that is told from damaged words by trying
whether the next message follows from the link as stored or as computed. So one damaged row is one fault, and the
chain behind it is still examined.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from palimpsest.errors import IntegrityError
from palimpsest.record.chain import Head, advance
from palimpsest.record.health_report import FaultKind
from palimpsest.record.message import Message
from palimpsest.stores.checksums import is_sound
from palimpsest.stores.codec import decode_message, decode_strings
from palimpsest.stores.sqlite.branch_ranges import segments
from palimpsest.stores.sqlite.maintenance.findings import Findings
from palimpsest.stores.sqlite.message_log import message_id
from palimpsest.stores.sqlite.statements import Db

_END = 1 << 62


def check_branches(db: Db, findings: Findings, conversation: sqlite3.Row) -> None:
    """Examine the branches of a conversation."""
    rows = db.run("branches_of", conversation["id"]).fetchall()
    known = {int(row["id"]): row for row in rows}
    for row in rows:
        findings.count("branches")
        if not is_sound(row, "branch"):
            findings.add("row", f"branch {row['id']} is not what was stored", repairable=True)
        if _stands(row, known, findings):
            _check_branch(db, findings, conversation, row)
    current = conversation["branch_id"]
    if current is not None and current not in known:
        findings.add("branch", f"the current branch {current} is not there")


def _stands(row: sqlite3.Row, known: dict[int, sqlite3.Row], findings: Findings) -> bool:
    """Whether a branch's parents can be followed to a first one; a parent is always older."""
    parent = row["parent_id"]
    if parent is None:
        if row["fork_seq"]:
            findings.add("branch", f"branch {row['id']} was forked from nowhere")
        return not row["fork_seq"]
    if parent not in known or parent >= row["id"]:
        findings.add("branch", f"branch {row['id']} was forked from {parent}, which is not there")
        return False
    if not 0 < row["fork_seq"] <= known[parent]["head_seq"]:
        findings.add("branch", f"branch {row['id']} was forked after its parent's end")
        return False
    return True


def _check_branch(db: Db, findings: Findings, conversation: sqlite3.Row, row: sqlite3.Row) -> None:
    start = head_at(db, row["parent_id"], row["fork_seq"]) if row["fork_seq"] else Head()
    if start is None:
        findings.add("branch", f"the message that branch {row['id']} was forked after is not there")
        return
    walk = Walk(start)
    tokens = _tokens_before(db, row)
    for message in db.run("messages_between", row["id"], 0, _END):
        findings.message()
        tokens += message["tokens"] if isinstance(message["tokens"], int) else 0
        if (message["owner_id"], message["conversation_id"]) != (
            conversation["owner_id"],
            conversation["id"],
        ):
            findings.add(
                "reference", "a message that is counted to another conversation", message_id(message["id"])
            )
        for kind, text in walk.take(message):
            findings.add(kind, text, message_id(message["id"]))
    _check_end(findings, row, walk, tokens)


def _check_end(findings: Findings, row: sqlite3.Row, walk: Walk, tokens: int) -> None:
    """Compare what a branch says of its end with its messages."""
    name = f"branch {row['id']}"
    if row["head_seq"] != walk.seq:
        findings.add("branch", f"{name} says it ends at {row['head_seq']}, its messages end at {walk.seq}")
    elif bytes(row["head_chain"]) != walk.stored:
        findings.add("branch", f"{name} ends with another hash than its last message", repairable=True)
    elif not walk.lost and decode_strings(row["calls"]) != walk.calls:
        findings.add("branch", f"{name} does not say which calls wait for a result", repairable=True)
    if row["tokens"] != tokens:
        findings.add("branch", f"{name} is counted as {row['tokens']} tokens, not {tokens}", repairable=True)
    if not 0 <= row["closed_seq"] <= row["head_seq"]:
        findings.add("branch", f"{name} is closed up to {row['closed_seq']}, which is not a position of it")


class Walk:
    """Going along a chain. `stored` and `computed` are the link of the last message as it stands and as it should
    be.
    """

    def __init__(self, start: Head) -> None:
        self.seq = start.seq
        self.stored = self.computed = start.chain
        self.calls = start.calls
        self.lost = False

    def take(self, row: sqlite3.Row) -> Iterator[tuple[FaultKind, str]]:
        """Go on to a message; what is wrong with it."""
        if row["seq"] != self.seq + 1:
            yield "chain", f"it stands at position {row['seq']}, expected {self.seq + 1}"
        self.seq = row["seq"]
        link = bytes(row["chain"])
        message = None if not is_sound(row, "message") else _decoded(row)
        if message is None:
            yield "row", "the message is not what was stored"
            self.stored = self.computed = link
            self.lost = self.lost or row["role"] == "assistant"
            return
        after = [advance(Head(chain, 0, self.calls), message) for chain in {self.stored, self.computed}]
        fits = [head for head in after if head.chain == link]
        if not fits and not (self.lost and message.results):
            yield "chain", "its hash does not follow from what it says and the message before"
        self.stored = link
        self.computed = fits[0].chain if fits else after[0].chain
        if message.role == "assistant":
            self.lost = False
        self.calls = after[0].calls


def _decoded(row: sqlite3.Row) -> Message | None:
    try:
        return decode_message(row["role"], row["body"], row["time_s"])
    except IntegrityError:
        return None


def head_at(db: Db, branch_id: int, seq: int) -> Head | None:
    """The end of a history that stops at a position; None where the message there is missing."""
    if not seq:
        return Head()
    path = segments(db, branch_id, 1, seq)
    row = None
    for branch, first, last in reversed(path):
        if first <= seq <= last:
            row = db.row("messages_between", branch, seq, seq)
    if row is None:
        return None
    calls: tuple[str, ...] = ()
    for branch, _, last in reversed(path):
        asking = db.row("asking_before", branch, last)
        if asking is not None:
            message = _decoded(asking) if is_sound(asking, "message") else None
            calls = tuple(call.id for call in message.calls) if message is not None else ()
            break
    return Head(bytes(row["chain"]), seq, calls)


def _tokens_before(db: Db, row: sqlite3.Row) -> int:
    """What the messages before a branch's fork cost."""
    if not row["fork_seq"]:
        return 0
    path = segments(db, row["parent_id"], 1, row["fork_seq"])
    found = [db.row("message_tokens_between", *stretch) for stretch in path]
    return sum(one[0] for one in found if one is not None)
