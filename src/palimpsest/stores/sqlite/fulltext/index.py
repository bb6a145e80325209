"""Adding messages and summaries to the word indexes, removing them, and rebuilding indexes of earlier rules. Each
function runs inside a transaction of its caller.

- An index entry changes as many pages as the rest of an append. So messages of a small append wait: their numbers are
  stored, and they are indexed together in the background (`background_work`), or before a search. They are committed
  like all others, and whoever searches the index directly must read them too.
- How a text becomes words changes between versions. Entries by other rules are found less, and only those rules can
  remove them. So a file stores the version of its rules. A newer program empties older indexes in one transaction and
  rebuilds them in the background: summaries from the oldest on, messages from the newest on. Until then a search says
  what it may miss.
- An earlier version can use a file with later rules. What it adds waits for a newer program, and before it removes
  anything it rebuilds by its own rules.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass

from palimpsest.errors import IntegrityError
from palimpsest.record.message import Message, searchable_text
from palimpsest.stores.checksums import is_intact
from palimpsest.stores.codec import decode_message
from palimpsest.stores.index_terms import index_scope, indexed
from palimpsest.stores.sqlite.fulltext.frequent_words import drop
from palimpsest.stores.sqlite.fulltext.vocabulary import learn
from palimpsest.stores.sqlite.statements import Db, raw_text

RULES = 1
"""The version of the tokenizing rules. It grows whenever any text gets other words, or a row another scope
(`stores.index_terms` of `searchable_text`).
"""

_END = 1 << 62


@dataclass(frozen=True, slots=True)
class IndexState:
    """The rules of a file's indexes, the newest message that is still to be indexed (0 for none), and the newest
    summary that is indexed.
    """

    rules: int
    messages_left: int
    summaries_done: int

    @property
    def ours(self) -> bool:
        """Return whether this program uses the same rules."""
        return self.rules == RULES


def index_state(db: Db) -> IndexState:
    """Return the state of the indexes in this transaction."""
    row = db.row("indexing")
    if row is None:
        raise sqlite3.DatabaseError("malformed: the state of the indexes is missing")
    return IndexState(*row)


def start_rebuild(db: Db) -> None:
    """Empty the indexes and the word list, to be rebuilt by the current rules, in a transaction of the caller."""
    for statement in ("unindex_all_messages", "unindex_all_summaries", "unindex_all_words", "note_emptied"):
        db.run(statement)
    for statement in ("drop_words", "drop_waiting", "drop_stretches"):
        db.run(statement, 0, _END)
    db.run("begin_indexing", RULES)
    db.let_go()


def start_rebuild_if_older(db: Db) -> None:
    """Start a rebuild if a file's indexes follow earlier rules. A read-only file is left alone, and so are damaged
    indexes, which repair handles.
    """
    if index_state(db).rules >= RULES:
        return
    try:
        db.connection.execute("BEGIN IMMEDIATE")
        if index_state(db).rules < RULES:
            start_rebuild(db)
        db.connection.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise
    finally:
        if db.connection.in_transaction:
            db.connection.execute("ROLLBACK")


def rebuild_left(db: Db) -> int:
    """Return how many texts, at most, a rebuild still lacks; all of them if the rules are not ours."""
    at = index_state(db)
    if not at.ours:
        return db.number("newest_message")
    return at.messages_left + db.number("count_summaries_beyond", at.summaries_done)


def unindexed_count(db: Db) -> int:
    """Return how many texts, at most, a search misses now: those, and the waiting ones."""
    return rebuild_left(db) + db.number("count_waiting")


FEW_ENTRIES = 16
"""An append of at most this many messages waits; a larger one is indexed at once, which costs less per message."""

MESSAGES_AT_ONCE = 8
CHARS_AT_ONCE = 50_000
"""Characters that one step indexes; the next write may wait for it. Larger steps cost less per text and delay a turn
longer. If more wait, a step takes an eighth of them, so that no backlog grows. A longer message is a step of its own.
"""

MADE_AT_ONCE = 64
CHARS_MADE_AT_ONCE = 16_000
"""Texts of one rebuild step, about 10 ms; a text with more characters is a step of its own."""

MOST_MADE = 100_000_000
"""The most rebuild steps; each indexes at least one text."""

SOON_MADE = 2_000
"""A search waits for this many texts of a rebuild: half a second."""

MOST_STEPS = 64
"""After this many steps any backlog is indexed, unless more is written than a step takes."""


def index_message(db: Db, number: int, conversation: int, owner_id: int, message: Message) -> None:
    """Index a message; if the rules are not ours, let it wait. One that a rebuild will reach is left to it."""
    at = index_state(db)
    if number <= at.messages_left:
        return
    if at.ours:
        _put(db, number, conversation, owner_id, message)
    else:
        db.run("put_off_message", number)


def defer_message(db: Db, number: int) -> None:
    """Let a message wait, unless a rebuild will reach it."""
    db.run("put_off_message", number)


def unindex_message(db: Db, number: int, conversation: int, owner_id: int, message: Message) -> None:
    """Remove a message; it must be exactly what was indexed. A waiting one no longer waits."""
    if db.run("drop_waiting", number, number).rowcount:
        return
    if number > _known(db).messages_left:
        drop(db, number)
        scope = index_scope(conversation, owner_id, message)
        db.run("unindex_message", number, scope, indexed(searchable_text(message)))


def index_summary(db: Db, number: int, conversation: int, owner_id: int, text: str) -> None:
    """Index a summary; if others before it are still to be rebuilt, it is indexed with them."""
    at = index_state(db)
    if not at.ours:
        return
    if number > at.summaries_done:
        if db.number("is_summary_between", at.summaries_done, number):
            return
        db.run("note_summaries_done", number)
    words = indexed(text)
    db.run("index_summary", number, index_scope(conversation, owner_id), words)
    learn(db, words)


def unindex_summary(db: Db, number: int, conversation: int, owner_id: int, text: str) -> None:
    """Remove a summary; it must be exactly what was indexed."""
    if number <= _known(db).summaries_done:
        db.run("unindex_summary", number, index_scope(conversation, owner_id), indexed(text))


def _known(db: Db) -> IndexState:
    """Return the state of the indexes, emptied first if only another program could remove their entries."""
    at = index_state(db)
    if at.ours:
        return at
    start_rebuild(db)
    return index_state(db)


def _put(db: Db, number: int, conversation: int, owner_id: int, message: Message) -> None:
    if db.number(
        "is_indexed", number
    ):  # the waiting mark is damaged: indexed twice, the message would count twice
        return
    words = indexed(searchable_text(message))
    drop(db, number)
    db.run("index_message", number, index_scope(conversation, owner_id, message), words)
    learn(db, words)


def waiting_messages(db: Db) -> Iterator[tuple[sqlite3.Row, Message]]:
    """Yield the waiting messages with their rows, oldest first, without damaged ones."""
    for row in db.run("waiting_messages", -1):
        message = as_read(row)
        if message is not None:
            yield row, message


def waiting_count(db: Db) -> int:
    """Return how many messages wait."""
    return db.number("count_waiting")


def texts_to_index(db: Db) -> int:
    """Return how many texts wait, or are few enough for a search to wait for; 0 if the rules are not ours."""
    at = index_state(db)
    if not at.ours:
        return 0
    left = rebuild_left(db)
    return waiting_count(db) + (left if left <= SOON_MADE else 0)


def index_waiting(db: Db) -> int:
    """Index what has waited longest; return how many texts that others wait for are left."""
    if not index_state(db).ours:
        return 0
    left = waiting_count(db)
    if not left:
        return rebuild_step(db) if texts_to_index(db) else 0
    chars = last = 0
    for row in db.run("waiting_messages", max(MESSAGES_AT_ONCE, left // 8)).fetchall():
        chars += len(row["body"] or "")
        if last and chars > CHARS_AT_ONCE:
            break
        last = row["message_id"]
        message = as_read(row)
        if message is not None:
            _put(db, last, row["conversation_id"], row["owner_id"], message)
    db.run("drop_waiting", 0, last)
    return texts_to_index(db)


def rebuild_step(db: Db, most: int = MADE_AT_ONCE) -> int:
    """Index some texts of a rebuild; return how many are left, at most."""
    at = index_state(db)
    if not at.ours:
        return 0
    if rows := _some(db, "summaries_beyond", at.summaries_done, most):
        for row in rows:
            if is_intact(row, "summary"):
                index_summary(db, row["id"], row["conversation_id"], row["owner_id"], row["body"])
        db.run("note_summaries_done", rows[-1]["id"])
    elif at.messages_left:
        rows = _some(db, "messages_up_to", at.messages_left, most)
        for row in reversed(rows):
            message = as_read(row)
            if message is not None:
                _put(db, row["id"], row["conversation_id"], row["owner_id"], message)
        db.run("note_messages_left", rows[-1]["id"] - 1 if rows else 0)
    return rebuild_left(db)


def rebuild_by_our_rules(db: Db) -> int:
    """Index some texts like `rebuild_step`, after restarting a rebuild if the rules are not ours."""
    _known(db)
    return rebuild_step(db)


def _some(db: Db, statement: str, place: int, most: int) -> list[sqlite3.Row]:
    """Return the first of these rows: as many as a step takes. Damaged text is returned as stored, for its checksum."""
    some: list[sqlite3.Row] = []
    chars = 0
    before, db.connection.text_factory = db.connection.text_factory, raw_text
    with closing(db.run(statement, place)) as rows:
        try:
            for row in rows:
                chars += len(row["body"])
                if some and (chars > CHARS_MADE_AT_ONCE or len(some) >= most):
                    break
                some.append(row)
        finally:
            db.connection.text_factory = before
    return some


def as_read(row: sqlite3.Row) -> Message | None:
    """Return the message of a row; None for a damaged or deleted one, which is not indexed."""
    if row["id"] is None or not is_intact(row, "message"):
        return None
    with suppress(IntegrityError):
        return decode_message(row["role"], row["body"], row["time_s"])
    return None
