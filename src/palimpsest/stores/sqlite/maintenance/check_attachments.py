"""Examining what is kept beside messages and windows: pins, ledgers, notes, usage, accounts, vectors."""

from __future__ import annotations

import math
import sqlite3
import struct
from collections.abc import Iterator

from palimpsest.stores.checksums import is_sound
from palimpsest.stores.sqlite.maintenance.findings import Findings
from palimpsest.stores.sqlite.message_log import message_id
from palimpsest.stores.sqlite.statements import Db

_LENGTH_OFF = 1e-3


def check_beside(db: Db, findings: Findings, conversation: sqlite3.Row) -> None:
    """Examine what is kept beside one conversation's messages."""
    number = conversation["id"]
    for row in db.run("pins", number):
        if not is_sound(row, "pin"):
            findings.add("row", "the pin is not what was stored", f"p{row['id']}")
    for row in db.run("append_keys_of", number):
        if not is_sound(row, "append_key"):
            findings.add("row", "the key of an append is not what was stored", repairable=True)
    for row in db.run("spent_of", number):
        if not is_sound(row, "spent"):
            findings.add(
                "kept", f"call {row['id']} that was paid for is not what was stored", repairable=True
            )
    memo = db.row("memo", number)
    if memo is not None and not is_sound(memo, "memo"):
        findings.add("kept", "what was learnt of the conversation is not what was stored", repairable=True)
    for branch in db.run("branches_of", number).fetchall():
        for what, statement in (("ledger", "ledger"), ("usage", "last_usage"), ("account", "account")):
            row = db.row(statement, branch["id"])
            if row is not None and not is_sound(row, what):
                findings.add(
                    "kept", f"the {what} of branch {branch['id']} is not what was stored", repairable=True
                )


def check_calibration(db: Db, findings: Findings, owner_id: int) -> None:
    """Examine what an owner's reports taught about models."""
    for row in db.run("calibrations_of", owner_id):
        if not is_sound(row, "calibration"):
            findings.add("kept", "what was learnt of a model is not what was stored", repairable=True)


def check_vectors(db: Db, findings: Findings) -> None:
    """Examine the vectors of all messages."""
    for number, text in vector_faults(db):
        findings.add("index", text, message_id(number), repairable=True)


def vector_faults(db: Db) -> Iterator[tuple[int, str]]:
    """The numbers of messages whose vectors are wrong, and how."""
    after = -1
    while rows := db.run("vectors_of", after).fetchall():
        after = db.beyond(rows[-1]["message_id"], after)
        for row in rows:
            if (row["owner_id"], row["conversation_id"]) != (row["of_owner"], row["of_conversation"]):
                yield row["message_id"], "a vector that does not go with its message"
            elif not _of_length_one(row["body"]):
                yield row["message_id"], "a vector that is not what was stored"


def _of_length_one(body: object) -> bool:
    """Whether it is a vector of length one; a damaged one may be of any kind of value."""
    if not isinstance(body, bytes) or not body or len(body) % 4:
        return False
    values = struct.unpack(f"<{len(body) // 4}f", body)
    return abs(math.hypot(*values) - 1) < _LENGTH_OFF
