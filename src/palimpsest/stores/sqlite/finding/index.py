"""Messages into the word index and out of it. Part of the SQLite store; each function runs in a caller's transaction.

An entry of the index changes as many pages as all the rest of an append. So the messages of a small append wait: their
numbers are noted, and they are taken in together behind the writes (`upkeep`), and before anybody searches.
Those that wait are committed like all others; who looks for words in the index itself has to look at them as well.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from palimpsest.errors import IntegrityError
from palimpsest.record.message import Message, searchable_text
from palimpsest.stores.codec import decode_message
from palimpsest.stores.sound import is_sound
from palimpsest.stores.sqlite.db import Db
from palimpsest.stores.sqlite.finding.words import learn
from palimpsest.stores.words import index_scope, indexed

FEW_ENTRIES = 16
"""So many messages that are added at once wait; more of them are taken in at once, which costs less for each."""

MESSAGES_AT_ONCE = 8
CHARS_AT_ONCE = 50_000
"""So much is taken in by one step, which whoever writes next may wait for: more together cost less each, and hold a
turn up for longer. Where more wait it is an eighth of them, so that no backlog grows. A longer message is a step of
its own.
"""

MOST_STEPS = 64
"""After so many steps any backlog is taken in, while no more is written than a step takes."""


def put_in(db: Db, number: int, conversation: int, owner_id: int, message: Message) -> None:
    """Put a message into the index."""
    words = indexed(searchable_text(message))
    db.run("index_message", number, index_scope(conversation, owner_id, message), words)
    learn(db, words)


def put_off(db: Db, number: int) -> None:
    """Let a message wait."""
    db.run("put_off_message", number)


def take_out(db: Db, number: int, conversation: int, owner_id: int, message: Message) -> None:
    """Take a message out; it must be exactly what went in. One that waits does so no longer."""
    if db.run("drop_waiting", number, number).rowcount == 0:
        scope = index_scope(conversation, owner_id, message)
        db.run("unindex_message", number, scope, indexed(searchable_text(message)))


def waiting(db: Db) -> Iterator[tuple[sqlite3.Row, Message]]:
    """The messages that wait, each with its row, oldest first; damaged ones are left aside."""
    for row in db.run("waiting_messages", -1):
        message = _read(row)
        if message is not None:
            yield row, message


def still_waiting(db: Db) -> int:
    """How many messages wait."""
    return db.number("count_waiting")


def catch_up(db: Db) -> int:
    """Put in what has waited longest; how many messages still wait."""
    left = still_waiting(db)
    chars = last = 0
    for row in db.run("waiting_messages", max(MESSAGES_AT_ONCE, left // 8)).fetchall():
        chars += len(row["body"] or "")
        if last and chars > CHARS_AT_ONCE:
            break
        last = row["message_id"]
        message = _read(row)
        if message is not None:
            put_in(db, last, row["conversation_id"], row["owner_id"], message)
    return left - db.run("drop_waiting", 0, last).rowcount


def _read(row: sqlite3.Row) -> Message | None:
    """The message of a row; None for one that is damaged or gone, which stays out of the index."""
    if row["id"] is None or not is_sound(row, "message"):
        return None
    with suppress(IntegrityError):
        return decode_message(row["role"], row["body"], row["time_s"])
    return None
