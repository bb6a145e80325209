"""Verifying branches, windows and other data of a conversation, and collecting the faults.

- The log: the hash chain of every branch, its positions, its fork and its recorded end. A message with a correct
  checksum and a different link has a damaged link; the next message tells whether the stored or the computed link is
  right. So one damaged row is one fault.
- Windows: what is stored equals the fold of the log and covers every message once; a summary's sources exist and
  cover its range.
- Other data: pins, ledgers, memos, usage, accounts, vectors.
"""

from __future__ import annotations

import math
import sqlite3
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from palimpsest.errors import IntegrityError
from palimpsest.record.chain import Head, advance
from palimpsest.record.health_report import MAX_FAULTS, Fault, FaultKind, Health
from palimpsest.record.message import Message
from palimpsest.record.store_values import Progress, unwatched
from palimpsest.stores.checksums import is_intact
from palimpsest.stores.codec import decode_message, decode_strings
from palimpsest.stores.sqlite.branch_ranges import segments
from palimpsest.stores.sqlite.maintenance.window_rebuild import Row, fold_rows
from palimpsest.stores.sqlite.message_log import message_id, row_number
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import summary_id

MESSAGES_PER_STEP = 1_000
"""Progress is reported after this many messages."""


@dataclass(slots=True)
class Findings:
    """Faults and counts. `place` names the conversation being verified; faults of another owner's are only counted.
    `tell` receives the number of messages done, of `of`.
    """

    tell: Progress = unwatched
    of: int = 0
    read: int = 0

    faults: list[Fault] = field(default_factory=list[Fault])
    found: int = 0
    elsewhere: int = 0
    conversation: str = ""
    own: bool = True
    counts: Counter[str] = field(default_factory=Counter[str])

    def place(self, conversation: str, *, own: bool = True) -> None:
        """Set what is being verified."""
        self.conversation, self.own = conversation, own

    def add(self, kind: FaultKind, text: str, public_id: str = "", *, repairable: bool = False) -> None:
        """Add a fault."""
        if not self.own:
            self.elsewhere += 1
            return
        self.found += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(kind, text, self.conversation, public_id, repairable))

    def count(self, what: str, number: int = 1) -> None:
        """Count a verified object."""
        if self.own:
            self.counts[what] += number

    def message(self) -> None:
        """Count a verified message."""
        self.count("messages")
        self.read += 1
        if self.read % MESSAGES_PER_STEP == 0:
            self.tell("messages", self.read, max(self.read, self.of))

    def health(self, *, indexed: bool, to_index: int = 0) -> Health:
        """Return the result."""
        return Health(
            tuple(self.faults), self.found, self.elsewhere, self.counts["conversations"], self.counts["branches"],
            self.counts["messages"], self.counts["summaries"], self.counts["compactions"], indexed, to_index,
        )  # fmt: skip


_LENGTH_OFF = 1e-3


def check_attachments(db: Db, findings: Findings, conversation: sqlite3.Row) -> None:
    """Verify what a conversation has besides messages and windows."""
    number = conversation["id"]
    for row in db.run("pins", number):
        if not is_intact(row, "pin"):
            findings.add("row", "the pin is not what was stored", f"p{row['id']}")
    for row in db.run("append_keys_of", number):
        if not is_intact(row, "append_key"):
            findings.add("row", "the key of an append is not what was stored", repairable=True)
    for row in db.run("spent_of", number):
        if not is_intact(row, "spent"):
            findings.add(
                "kept", f"call {row['id']} that was paid for is not what was stored", repairable=True
            )
    memo = db.row("memo", number)
    if memo is not None and not is_intact(memo, "memo"):
        findings.add("kept", "what was learnt of the conversation is not what was stored", repairable=True)
    for branch in db.run("branches_of", number).fetchall():
        for what, statement in (("ledger", "ledger"), ("usage", "last_usage"), ("account", "account")):
            row = db.row(statement, branch["id"])
            if row is not None and not is_intact(row, what):
                findings.add(
                    "kept", f"the {what} of branch {branch['id']} is not what was stored", repairable=True
                )


def check_calibration(db: Db, findings: Findings, owner_id: int) -> None:
    """Verify the ratios learned from an owner's reports."""
    for row in db.run("calibrations_of", owner_id):
        if not is_intact(row, "calibration"):
            findings.add("kept", "what was learnt of a model is not what was stored", repairable=True)


def check_vectors(db: Db, findings: Findings) -> None:
    """Verify the vectors of all messages."""
    for number, text in vector_faults(db):
        findings.add("index", text, message_id(number), repairable=True)


def vector_faults(db: Db) -> Iterator[tuple[int, str]]:
    """Yield the numbers of messages with wrong vectors, and the reason."""
    after = -1
    while rows := db.run("vectors_of", after).fetchall():
        after = db.beyond(rows[-1]["message_id"], after)
        for row in rows:
            if (row["owner_id"], row["conversation_id"]) != (row["of_owner"], row["of_conversation"]):
                yield row["message_id"], "a vector that does not go with its message"
            elif not _of_length_one(row["body"]):
                yield row["message_id"], "a vector that is not what was stored"


def _of_length_one(body: object) -> bool:
    """Return whether a value is a vector of length one; a damaged one may be of any type."""
    if not isinstance(body, bytes) or not body or len(body) % 4:
        return False
    values = struct.unpack(f"<{len(body) // 4}f", body)
    return abs(math.hypot(*values) - 1) < _LENGTH_OFF


_END = 1 << 62


def check_branches(db: Db, findings: Findings, conversation: sqlite3.Row) -> None:
    """Verify the branches of a conversation."""
    rows = db.run("branches_of", conversation["id"]).fetchall()
    known = {int(row["id"]): row for row in rows}
    for row in rows:
        findings.count("branches")
        if not is_intact(row, "branch"):
            findings.add("row", f"branch {row['id']} is not what was stored", repairable=True)
        if _stands(row, known, findings):
            _check_branch(db, findings, conversation, row)
    current = conversation["branch_id"]
    if current is not None and current not in known:
        findings.add("branch", f"the current branch {current} is not there")


def _stands(row: sqlite3.Row, known: dict[int, sqlite3.Row], findings: Findings) -> bool:
    """Return whether a branch's parents lead to a root; a parent is always older."""
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
    walk = ChainWalk(start)
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


def _check_end(findings: Findings, row: sqlite3.Row, walk: ChainWalk, tokens: int) -> None:
    """Compare a branch's recorded end with its messages."""
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


class ChainWalk:
    """A walk along a chain. `stored` and `computed` are the last message's link as stored and as it should be."""

    def __init__(self, start: Head) -> None:
        self.seq = start.seq
        self.stored = self.computed = start.chain
        self.calls = start.calls
        self.lost = False

    def take(self, row: sqlite3.Row) -> Iterator[tuple[FaultKind, str]]:
        """Advance to a message; return what is wrong with it."""
        if row["seq"] != self.seq + 1:
            yield "chain", f"it stands at position {row['seq']}, expected {self.seq + 1}"
        self.seq = row["seq"]
        link = bytes(row["chain"])
        message = None if not is_intact(row, "message") else _decoded(row)
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
    """Return the end of a history that stops at a position; None if the message there is missing."""
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
            message = _decoded(asking) if is_intact(asking, "message") else None
            calls = tuple(call.id for call in message.calls) if message is not None else ()
            break
    return Head(bytes(row["chain"]), seq, calls)


def _tokens_before(db: Db, row: sqlite3.Row) -> int:
    """Return the tokens of the messages before a branch's fork."""
    if not row["fork_seq"]:
        return 0
    path = segments(db, row["parent_id"], 1, row["fork_seq"])
    found = [db.row("message_tokens_between", *stretch) for stretch in path]
    return sum(one[0] for one in found if one is not None)


def check_windows(db: Db, findings: Findings, conversation: sqlite3.Row) -> None:
    """Verify the summaries, compactions and windows of a conversation."""
    branches = {int(row["id"]): row for row in db.run("branches_of", conversation["id"])}
    for row in db.run("summaries_of", conversation["id"]).fetchall():
        findings.count("summaries")
        _check_summary(db, findings, row, branches.get(row["branch_id"]))
    for branch in branches.values():
        _check_compactions(db, findings, branch)
        _check_window(db, findings, branch)


def _check_summary(db: Db, findings: Findings, row: sqlite3.Row, branch: sqlite3.Row | None) -> None:
    name = summary_id(row["id"])
    if not is_intact(row, "summary"):
        findings.add("row", "the summary is not what was stored", name)
        return
    if branch is None or not 1 <= row["first_seq"] <= row["last_seq"] <= branch["head_seq"]:
        findings.add("summary", "it covers messages that its branch does not have", name)
        return
    if row["quotes"] and not row["first_seq"] <= row["quotes"] <= row["last_seq"]:
        findings.add("summary", "it quotes a message that it does not cover", name)
    position = row["first_seq"]
    path = segments(db, row["branch_id"], 1, branch["head_seq"])
    for source in (str(one[0]) for one in db.run("sources", row["id"]).fetchall()):
        span = _span(db, path, row, source)
        if span is None:
            findings.add("summary", f"its source {source} is not there", name)
            return
        if span[0] != position:
            break
        position = span[1] + 1
    if position != row["last_seq"] + 1:
        findings.add("summary", "its sources do not cover the messages it stands for", name)
    elif row["message_tokens"] != db.number("reckoned_beneath", row["id"]):
        findings.add("summary", "the tokens of the messages beneath it are miscounted", name, repairable=True)


def _span(
    db: Db, path: list[tuple[int, int, int]], summary: sqlite3.Row, source: str
) -> tuple[int, int] | None:
    """Return the range of a source, None if it does not exist."""
    if source.startswith("s"):
        child = db.row("summary", row_number(source, "s") or 0)
        if child is None or child["conversation_id"] != summary["conversation_id"]:
            return None
        return (int(child["first_seq"]), int(child["last_seq"])) if child["id"] < summary["id"] else None
    found = db.row("place_of_number", row_number(source, "m") or 0)
    there = found is not None and any(
        branch == found["branch_id"] and first <= found["seq"] <= last for branch, first, last in path
    )
    return (int(found["seq"]), int(found["seq"])) if found is not None and there else None


def _check_compactions(db: Db, findings: Findings, branch: sqlite3.Row) -> None:
    for row in db.run("compactions", branch["id"]):
        findings.count("compactions")
        name = f"compaction {row['id']}"
        if not is_intact(row, "compaction"):
            findings.add("row", f"{name} is not what was stored")


def _check_window(db: Db, findings: Findings, branch: sqlite3.Row) -> None:
    """Compare a stored window with the laws, and with the fold of the log."""
    name = f"the window of branch {branch['id']}"
    kept: list[Row] = []
    position = 0
    for row in db.run("items_of", branch["id"]):
        if not is_intact(row, "item"):
            findings.add("row", "the window item is not what was stored", row["id"], repairable=True)
        if row["standing"]:
            if row["first_seq"] <= position or row["last_seq"] < row["first_seq"]:
                findings.add("window", f"{name} covers messages twice", row["id"], repairable=True)
            position = max(position, row["last_seq"])
            kept.append(
                Row(row["id"], row["kind"], row["first_seq"], row["last_seq"], row["note"], row["tokens"])
            )
    if position > branch["head_seq"]:
        findings.add("window", f"{name} reaches behind its last message", repairable=True)
    try:
        folded = fold_rows(db, branch)
    except IntegrityError as error:
        findings.add("window", f"{name} cannot be folded from the log: {error.message}")
        return
    if folded.rows != kept:
        findings.add("window", f"{name} is not what its log gives", repairable=True)
    if folded.thinking_from != branch["thinking_from"]:
        findings.add(
            "branch", f"branch {branch['id']} may send reasoning from another message on", repairable=True
        )
