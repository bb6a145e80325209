"""By which rules a file's word indexes were made, and how far they have come. Part of the SQLite store.

How a text becomes words changes from one version of this program to the next. What was indexed by other rules is found
less, and can only be taken out again by them: a forgotten message would leave its words behind. So a file says which
rules its indexes follow. Whoever opens one of earlier rules empties them, in one transaction, and they are made anew
behind everything else (`index.renew`): summaries from the oldest on, messages from the newest on. Until then a search
does without what is not in them yet, and says so.

An earlier version may have a file open, or open it, whose indexes follow later rules. It reads them as they are; what
it adds waits for a program that knows the rules, and before it takes anything out it begins anew by its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass

from palimpsest.errors import IntegrityError
from palimpsest.record.message import Message, searchable_text
from palimpsest.stores.checksums import is_sound
from palimpsest.stores.codec import decode_message
from palimpsest.stores.indexed_text import index_scope, indexed
from palimpsest.stores.sqlite.fulltext.frequent_words import drop
from palimpsest.stores.sqlite.fulltext.vocabulary import learn
from palimpsest.stores.sqlite.statements import Db, as_it_stands

RULES = 1
"""The number of the rules by which texts become words of an index. It grows whenever these give any text other words,
or a row another scope: what is given to the indexes is `stores.words` of `searchable_text`.
"""

_END = 1 << 62


@dataclass(frozen=True, slots=True)
class Indexing:
    """The rules that a file's indexes follow, the newest message that is still to be taken in (0 for none), and the
    newest summary that has been.
    """

    rules: int
    messages_left: int
    summaries_done: int

    @property
    def ours(self) -> bool:
        """Whether this program knows the rules."""
        return self.rules == RULES


def indexing(db: Db) -> Indexing:
    """As it is in this transaction."""
    row = db.row("indexing")
    if row is None:
        raise sqlite3.DatabaseError("malformed: nothing says how far the indexes have come")
    return Indexing(*row)


def begin(db: Db) -> None:
    """Empty the indexes and the list of words, to be filled by the present rules, in a transaction of the caller."""
    for statement in ("unindex_all_messages", "unindex_all_summaries", "unindex_all_words", "note_emptied"):
        db.run(statement)
    for statement in ("drop_words", "drop_waiting", "drop_stretches"):
        db.run(statement, 0, _END)
    db.run("begin_indexing", RULES)
    db.let_go()


def begin_if_earlier(db: Db) -> None:
    """Begin anew where a file's indexes were made by earlier rules. One that cannot be written is left as it is, and so
    are damaged indexes, for whoever looks after the file.
    """
    if indexing(db).rules >= RULES:
        return
    try:
        db.connection.execute("BEGIN IMMEDIATE")
        if indexing(db).rules < RULES:
            begin(db)
        db.connection.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise
    finally:
        if db.connection.in_transaction:
            db.connection.execute("ROLLBACK")


def to_renew(db: Db) -> int:
    """How many texts, at most, indexes that are made anew still lack; all of them where their rules are not ours."""
    at = indexing(db)
    if not at.ours:
        return db.number("newest_message")
    return at.messages_left + db.number("count_summaries_beyond", at.summaries_done)


def left_out(db: Db) -> int:
    """How many texts, at most, a search misses now: those, and what waits."""
    return to_renew(db) + db.number("count_waiting")


FEW_ENTRIES = 16
"""So many messages that are added at once wait; more of them are taken in at once, which costs less for each."""

MESSAGES_AT_ONCE = 8
CHARS_AT_ONCE = 50_000
"""So much is taken in by one step, which whoever writes next may wait for: more together cost less each, and hold a
turn up for longer. Where more wait it is an eighth of them, so that no backlog grows. A longer message is a step of
its own.
"""

MADE_AT_ONCE = 64
CHARS_MADE_AT_ONCE = 16_000
"""So many texts are a step of making indexes anew, some 10 ms; one that has more characters is a step of its own."""

MOST_MADE = 100_000_000
"""Steps of making indexes anew; each takes in a text at least."""

SOON_MADE = 2_000
"""A search waits for so few texts that are still to be taken into indexes made anew: half a second."""

MOST_STEPS = 64
"""After so many steps any backlog is taken in, while no more is written than a step takes."""


def put_in(db: Db, number: int, conversation: int, owner_id: int, message: Message) -> None:
    """Put a message into the index; where its rules are not ours, let it wait. One that is to be taken in anyway is."""
    at = indexing(db)
    if number <= at.messages_left:
        return
    if at.ours:
        _put(db, number, conversation, owner_id, message)
    else:
        db.run("put_off_message", number)


def put_off(db: Db, number: int) -> None:
    """Let a message wait. One that is to be taken in anyway does already."""
    db.run("put_off_message", number)


def take_out(db: Db, number: int, conversation: int, owner_id: int, message: Message) -> None:
    """Take a message out; it must be exactly what went in. One that waits does so no longer."""
    if db.run("drop_waiting", number, number).rowcount:
        return
    if number > _known(db).messages_left:
        drop(db, number)
        scope = index_scope(conversation, owner_id, message)
        db.run("unindex_message", number, scope, indexed(searchable_text(message)))


def put_in_summary(db: Db, number: int, conversation: int, owner_id: int, text: str) -> None:
    """Put a summary into the index; one before which others are still to be taken in is taken in with them."""
    at = indexing(db)
    if not at.ours:
        return
    if number > at.summaries_done:
        if db.number("is_summary_between", at.summaries_done, number):
            return
        db.run("note_summaries_done", number)
    words = indexed(text)
    db.run("index_summary", number, index_scope(conversation, owner_id), words)
    learn(db, words)


def take_out_summary(db: Db, number: int, conversation: int, owner_id: int, text: str) -> None:
    """Take a summary out; it must be exactly what went in."""
    if number <= _known(db).summaries_done:
        db.run("unindex_summary", number, index_scope(conversation, owner_id), indexed(text))


def _known(db: Db) -> Indexing:
    """How far the indexes have come, begun anew where only another program could take out what they hold."""
    at = indexing(db)
    if at.ours:
        return at
    begin(db)
    return indexing(db)


def _put(db: Db, number: int, conversation: int, owner_id: int, message: Message) -> None:
    if db.number("is_indexed", number):  # what says that it waits is damaged: twice it would count for two
        return
    words = indexed(searchable_text(message))
    drop(db, number)
    db.run("index_message", number, index_scope(conversation, owner_id, message), words)
    learn(db, words)


def waiting(db: Db) -> Iterator[tuple[sqlite3.Row, Message]]:
    """The messages that wait, each with its row, oldest first; damaged ones are left aside."""
    for row in db.run("waiting_messages", -1):
        message = as_read(row)
        if message is not None:
            yield row, message


def still_waiting(db: Db) -> int:
    """How many messages wait."""
    return db.number("count_waiting")


def to_take_in(db: Db) -> int:
    """How many texts wait, or are so few that a search waits for them; none where the rules are not ours."""
    at = indexing(db)
    if not at.ours:
        return 0
    left = to_renew(db)
    return still_waiting(db) + (left if left <= SOON_MADE else 0)


def catch_up(db: Db) -> int:
    """Put in what has waited longest; how many texts are still to be taken in, of those that others wait for."""
    if not indexing(db).ours:
        return 0
    left = still_waiting(db)
    if not left:
        return renew(db) if to_take_in(db) else 0
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
    return to_take_in(db)


def renew(db: Db, most: int = MADE_AT_ONCE) -> int:
    """Take some texts into indexes that are made anew; how many are still to be taken in, at most."""
    at = indexing(db)
    if not at.ours:
        return 0
    if rows := _some(db, "summaries_beyond", at.summaries_done, most):
        for row in rows:
            if is_sound(row, "summary"):
                put_in_summary(db, row["id"], row["conversation_id"], row["owner_id"], row["body"])
        db.run("note_summaries_done", rows[-1]["id"])
    elif at.messages_left:
        rows = _some(db, "messages_up_to", at.messages_left, most)
        for row in reversed(rows):
            message = as_read(row)
            if message is not None:
                _put(db, row["id"], row["conversation_id"], row["owner_id"], message)
        db.run("note_messages_left", rows[-1]["id"] - 1 if rows else 0)
    return to_renew(db)


def make_ours(db: Db) -> int:
    """Take some texts in, like `renew`, into indexes that are begun anew where their rules are not ours."""
    _known(db)
    return renew(db)


def _some(db: Db, statement: str, place: int, most: int) -> list[sqlite3.Row]:
    """The first of these rows: so many, or as many as a step has characters. Text with damaged bytes is given as it
    stands, for its sum to tell.
    """
    some: list[sqlite3.Row] = []
    chars = 0
    before, db.connection.text_factory = db.connection.text_factory, as_it_stands
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
    """The message of a row; None for one that is damaged or gone, which stays out of the index."""
    if row["id"] is None or not is_sound(row, "message"):
        return None
    with suppress(IntegrityError):
        return decode_message(row["role"], row["body"], row["time_s"])
    return None
