"""Reading back: a conversation, the history of an id, and counts below a summary."""

from __future__ import annotations

from itertools import islice

from palimpsest.limits import MAX_LEFT_BEHIND
from palimpsest.ports import Beneath, Loaded
from palimpsest.record.log import Stored
from palimpsest.stores.checksums import intact_row
from palimpsest.stores.sqlite import ledger_pins
from palimpsest.stores.sqlite.history_sync import known_conversation
from palimpsest.stores.sqlite.message_log import (
    Histories,
    find_conversation,
    must_have,
    read_range,
    row_number,
    to_branch,
    to_stored,
)
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import load_window


def messages(db: Db, owner: str, conversation: str, first: int, last: int) -> list[Stored]:
    """See `Store.messages`."""
    branch = known_conversation(db, owner, conversation)
    return read_range(db, branch, first, last) if branch is not None else []


def loaded(db: Db, owner: str, conversation: str) -> Loaded | None:
    """See `Store.load_window`."""
    branch = known_conversation(db, owner, conversation)
    if branch is None:
        return None
    row = db.row("conversation_system", must_have(db, owner, conversation))
    return Loaded(
        branch,
        load_window(db, branch),
        str(intact_row(row, "conversation", f"conversation {conversation}")["system"])
        if row is not None
        else "",
        *ledger_pins.standing_ledger(db, branch),
        ledger_pins.pins(db, owner, conversation),
    )


def history(db: Db, owner: str, public_id: str, first: int, last: int) -> list[Stored]:
    """See `Store.history`."""
    statement = "place_of_summary" if public_id.startswith("s") else "place_of_message"
    number = row_number(public_id, public_id[:1])
    row = db.row(statement, number, owner) if number is not None and public_id[0] in "ms" else None
    return read_range(db, to_branch(row), first, last) if row is not None else []


def left_behind(db: Db, owner: str, name: str) -> list[Stored]:
    """See `Store.left_behind`."""
    number = find_conversation(db, owner, name)
    if number is None:
        return []
    present, found = Histories(db), list[Stored]()
    for row in db.run("branches_of", number).fetchall():
        branch = to_branch(row)
        own = db.run("messages_between", branch.id, branch.fork_seq + 1, branch.head.seq)
        behind = (one for one in own if not present.hold(number, branch.id, one["seq"]))
        found += [to_stored(one, branch.closed_seq) for one in islice(behind, MAX_LEFT_BEHIND - len(found))]
    return found


def beneath(db: Db, owner: str, summary_id: str) -> Beneath | None:
    """See `Store.beneath`."""
    number = row_number(summary_id, "s")
    rows = db.run("summaries_beneath", number, owner).fetchall() if number is not None else []
    if not rows:
        return None
    levels = tuple((row["depth"], row["number"], row["tokens"]) for row in rows)
    return Beneath(levels, db.number("message_tokens_beneath", number))
