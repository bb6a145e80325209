"""Repairing a SQLite file: only derived data is rebuilt. No message, summary, record or pin is touched.

- Search indexes and the vocabulary are rebuilt from messages and summaries.
- Windows are folded again from the log; if the log is incomplete, they are left.
- A branch's recorded end is taken from its messages, if their chain proves it.
- Damaged rows of other data are dropped. Ledgers, memos and ratios are rebuilt as the engine continues; usage,
  accounts, append keys and paid calls are lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from palimpsest.errors import IntegrityError
from palimpsest.record.chain import Head
from palimpsest.record.health_report import Health
from palimpsest.stores.checksums import SUMMED, crc, is_intact
from palimpsest.stores.codec import dumps
from palimpsest.stores.sqlite.fulltext.index import start_rebuild
from palimpsest.stores.sqlite.maintenance.check_rows import ChainWalk, head_at, vector_faults
from palimpsest.stores.sqlite.maintenance.window_rebuild import Row, fold_rows
from palimpsest.stores.sqlite.message_log import tokens_between
from palimpsest.stores.sqlite.statements import Db

INDEXES = "search indexes"
"""A rebuilt part."""

_END = 1 << 62
_OF_BRANCH = (
    ("ledger", "ledger", "drop_ledger"),
    ("usage", "last_usage", "drop_usage"),
    ("account", "account", "drop_account"),
)


def repair(db: Db, health: Health) -> tuple[str, ...]:
    """Repair what a verification found, in a transaction of the caller; return the rebuilt parts. For search indexes
    this only starts the rebuild; `fulltext.index.renew` continues it.
    """
    kinds = {fault.kind for fault in health.faults if fault.repairable}
    parts: list[str] = []
    if "file" in kinds:
        db.connection.execute("REINDEX")
        parts.append("indexes of tables")
    if kinds & {"branch", "row", "window", "summary", "kept", "reference"}:
        for conversation in _conversations(db):
            parts += _repair_conversation(db, conversation)
        parts += _drop_learnt(db)
    if "index" in kinds:
        start_rebuild(db)
        parts.append(INDEXES)
    if kinds & {"index", "reference"} and _drop_vectors(db):
        parts.append("vectors")
    return tuple(dict.fromkeys(parts))


def _conversations(db: Db) -> Iterator[sqlite3.Row]:
    number = 0
    while (row := db.row("every_conversation", number)) is not None:
        number = db.beyond(row["id"], number)
        yield row


def _repair_conversation(db: Db, conversation: sqlite3.Row) -> list[str]:
    parts: list[str] = []
    for branch in db.run("branches_of", conversation["id"]).fetchall():
        parts += ["ends of branches"] * _put_end(db, branch)
    for branch in db.run("branches_of", conversation["id"]).fetchall():
        parts += ["windows"] * _put_window(db, branch)
        for what, statement, drop in _OF_BRANCH:
            row = db.row(statement, branch["id"])
            if row is not None and not is_intact(row, what):
                db.run(drop, branch["id"])
                parts.append(f"{what}s" if what != "usage" else what)
    for row in db.run("summaries_of", conversation["id"]).fetchall():
        if row["message_tokens"] != db.number("reckoned_beneath", row["id"]):
            db.run("reckon_beneath", row["id"])
            parts.append("counts of summaries")
    memo = db.row("memo", conversation["id"])
    if memo is not None and not is_intact(memo, "memo"):
        db.run("drop_memo", conversation["id"])
        parts.append("what was learnt of conversations")
    for row in db.run("append_keys_of", conversation["id"]).fetchall():
        if not is_intact(row, "append_key"):
            db.run("drop_append_key", conversation["id"], row["key"])
            parts.append("keys of appends")
    for row in db.run("spent_of", conversation["id"]).fetchall():
        if not is_intact(row, "spent"):
            db.run("drop_spent", row["id"])
            parts.append("calls that were paid for")
    return parts


def _put_end(db: Db, branch: sqlite3.Row) -> bool:
    """Take a branch's recorded end from its messages; return whether it changed."""
    parent, fork_seq = branch["parent_id"], branch["fork_seq"]
    start = head_at(db, parent, fork_seq) if parent is not None else Head()
    if start is None:
        return False
    walk = ChainWalk(start)
    tokens = tokens_between(db, parent, 1, fork_seq)[0] if parent is not None else 0
    for message in db.run("messages_between", branch["id"], 0, _END):
        tokens += message["tokens"]
        if any(walk.take(message)):
            return False
    try:
        thinking_from = fold_rows(db, branch).thinking_from
    except IntegrityError:
        thinking_from = int(branch["thinking_from"])
    right = {
        "head_seq": walk.seq, "head_chain": walk.stored, "calls": dumps(walk.calls), "tokens": tokens,
        "thinking_from": thinking_from,
    }  # fmt: skip
    whole = {name: right.get(name, branch[name]) for name in SUMMED["branch"]}
    sound = is_intact(branch, "branch")
    if sound and whole == {name: branch[name] for name in SUMMED["branch"]}:
        return False
    proven = crc(*whole.values()) == branch["crc"]
    if not proven and walk.seq < branch["head_seq"]:
        return False
    closed_seq = branch["closed_seq"] if sound or proven else walk.seq
    db.closed.clear()
    db.run("put_end", *right.values(), min(closed_seq, walk.seq), branch["id"])
    return True


def _put_window(db: Db, branch: sqlite3.Row) -> bool:
    """Fold a window again; return whether it changed. One that cannot be folded is left."""
    try:
        folded = fold_rows(db, branch)
    except IntegrityError:
        return False
    kept = [row for row in db.run("items_of", branch["id"]) if row["standing"] or not is_intact(row, "item")]
    there = [
        Row(row["id"], row["kind"], row["first_seq"], row["last_seq"], row["note"], row["tokens"]) for row in kept
    ]  # fmt: skip
    if there == folded.rows and all(is_intact(row, "item") for row in kept):
        return False
    db.run("drop_items", branch["id"])
    for standing, rows in ((1, folded.standing), (0, folded.retired)):
        for one in rows.values():
            db.run(
                "put_item",
                branch["id"],
                one.id,
                one.kind,
                one.first,
                one.last,
                one.note,
                one.tokens,
                standing,
            )
    return True


def _drop_learnt(db: Db) -> list[str]:
    parts: list[str] = []
    number = 0
    while owner := db.number("every_owner", number):
        number = owner
        for row in db.run("calibrations_of", owner).fetchall():
            if not is_intact(row, "calibration"):
                db.run("drop_calibration", owner, row["model"], row["kind"])
                parts.append("what was learnt of models")
    return parts


def _drop_vectors(db: Db) -> bool:
    """Drop vectors that do not belong to a message; the embedder makes them again."""
    found = [number for number, _ in vector_faults(db)]
    branches = {
        row["branch_id"] for number in found if (row := db.row("place_of_number", number)) is not None
    }
    for number in found:
        db.run("drop_vector", number)
    for branch in branches:
        db.run("drop_vector_progress", branch)
    return bool(found)
