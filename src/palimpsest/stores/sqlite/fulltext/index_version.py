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
from dataclasses import dataclass

from palimpsest.stores.sqlite.statements import Db

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
