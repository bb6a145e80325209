"""Ledger, memo and pins of a conversation. Each function runs inside a transaction of its caller."""

from __future__ import annotations

from dataclasses import replace

from palimpsest.record.log import Branch
from palimpsest.record.pin import Pin
from palimpsest.stores.checksums import intact_row, is_intact
from palimpsest.stores.codec import decode_quotes, encode_quotes, storable
from palimpsest.stores.sqlite import message_log
from palimpsest.stores.sqlite.message_log import row_number
from palimpsest.stores.sqlite.statements import Db


def standing_ledger(db: Db, branch: Branch) -> tuple[str, int]:
    """Return the ledger of a branch's window, and the position through which it was made. It is that of the branch's
    newest compaction, or of an ancestor's that read nothing after the fork.
    """
    current: int | None = branch.id
    most = branch.head.seq
    while current is not None and most > 0:
        row = db.row("last_ledger", current, most)
        if row is not None:
            intact_row(row, "compaction", "the ledger of a compaction")
            return str(row["ledger"]), int(row["ledger_through"])
        parent = db.row("branch_parent", current)
        current, most = (
            (parent["parent_id"], min(most, parent["fork_seq"])) if parent is not None else (None, 0)
        )
    return "", 0


def save_ledger(
    db: Db, owner: str, conversation: str, branch_id: int, body: str, read_at: int | None
) -> None:
    """See `Store.save_ledger`."""
    row = db.row("branch", branch_id, message_log.must_have(db, owner, conversation))
    if row is not None and (read_at is None or read_at >= row["purged"]):
        db.run("save_ledger", branch_id, storable(body))


def ledger(db: Db, owner: str, conversation: str, branch_id: int) -> str:
    """See `Store.ledger`."""
    if not message_log.has_branch(db, owner, conversation, branch_id):
        return ""
    row = db.row("ledger", branch_id)
    return str(intact_row(row, "ledger", "a kept ledger")["body"]) if row is not None else ""


def save_memo(db: Db, owner: str, conversation: str, body: str) -> None:
    """See `Store.save_memo`."""
    db.run("save_memo", message_log.must_have(db, owner, conversation), storable(body))


def memos(db: Db, owner: str) -> dict[str, str]:
    """See `Store.memos`. Damaged ones are left out."""
    rows = db.run("memos", owner).fetchall()
    return {row["name"]: str(row["body"]) for row in rows if row["body"] and is_intact(row, "memo")}


def memo(db: Db, owner: str, conversation: str) -> str:
    """See `Store.memo`."""
    number = message_log.find_conversation(db, owner, conversation)
    row = db.row("memo", number) if number is not None else None
    return (
        str(intact_row(row, "memo", "what was learnt of a conversation")["body"]) if row is not None else ""
    )


def add_pin(db: Db, owner: str, conversation: str, pin: Pin) -> Pin:
    """See `Store.pin`."""
    number = message_log.must_have(db, owner, conversation)
    cursor = db.run("add_pin", number, encode_quotes(pin.quotes), pin.records, pin.tokens, pin.time_s)
    db.run("note_change", number)
    return replace(pin, id=f"p{int(cursor.lastrowid or 0)}")


def remove_pin(db: Db, owner: str, conversation: str, pin_id: str) -> bool:
    """See `Store.unpin`."""
    number = message_log.find_conversation(db, owner, conversation)
    row = row_number(pin_id, "p")
    if number is None or row is None or not db.run("remove_pin", row, number).rowcount:
        return False
    db.run("note_change", number)
    return True


def pins(db: Db, owner: str, conversation: str) -> tuple[Pin, ...]:
    """See `Store.pins`."""
    number = message_log.find_conversation(db, owner, conversation)
    if number is None:
        return ()
    return tuple(
        Pin(f"p{row['id']}", decode_quotes(row["quotes"]), row["records"], row["tokens"], row["time_s"])
        for row in (intact_row(row, "pin", f"pin p{row['id']}") for row in db.run("pins", number))
    )
