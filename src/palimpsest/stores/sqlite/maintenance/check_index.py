"""Verifying the search indexes: each must contain exactly what the messages and summaries give it.

The word indexes have no text, so they are rebuilt in a temporary database and compared: every word, in every row, at
every position; first by sums over the entries of each word, then one by one where these differ. The vocabulary may
have more words than the texts (a word stays when its message is replaced), never fewer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import islice

from palimpsest.record.message import searchable_text
from palimpsest.record.store_values import Progress
from palimpsest.search.word_folding import index_stem
from palimpsest.stores.checksums import is_intact
from palimpsest.stores.index_terms import any_of, index_scope, indexed
from palimpsest.stores.sqlite import migrations
from palimpsest.stores.sqlite.fulltext.frequent_words import RANGE_ROWS, bits_of, packed, unpacked_lists
from palimpsest.stores.sqlite.fulltext.index import index_state, waiting_messages
from palimpsest.stores.sqlite.fulltext.vocabulary import END, MAX_KNOWN_WORDS, Vocabulary
from palimpsest.stores.sqlite.maintenance.check_rows import Findings, check_vectors
from palimpsest.stores.sqlite.message_log import message_id, to_stored
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import summary_id

Entry = tuple[bytes, int, bytes | None, int | None]
"""(word, row, column, position) of a word index."""

_BATCH = 5_000
_INDEXES = (("message_index", "messages", message_id), ("summary_index", "summaries", summary_id))
_NAMED = 20
"""The most texts with wrong index entries that are named; the others are counted."""


def check_indexes(db: Db, findings: Findings, tell: Progress) -> None:
    """Verify all indexes of the file. Every fault in them is repairable."""
    fresh = empty_copy()
    try:
        missing, unread = _fill(db, fresh, tell)
        for word in islice(missing, 1):
            findings.add(
                "index", f"words are missing from the list of words, such as {word!r}", repairable=True
            )
        for table, what, name in _INDEXES:
            tell(f"index of {what}", 0, 1)
            wrong = [one for one in map(name, _differing(db, fresh, table)) if one not in unread]
            for one in wrong[:_NAMED]:
                findings.add("index", "the word index does not hold what it says", one, repairable=True)
            if len(wrong) > _NAMED:
                findings.add("index", f"nor what {len(wrong) - _NAMED:,} others say", repairable=True)
        tell("index of words", 0, 1)
        for table in _LISTS:
            for word in islice(_not_found(db, fresh, table), 1):
                findings.add("index", f"a word is not found by {table}, such as {word!r}", repairable=True)
        for number in islice(_differing(db, fresh, "word_index"), 1):
            findings.add("index", f"the index of word parts is wrong, as for word {number}", repairable=True)
        tell("frequent words", 0, 1)
        for word in islice(_miscounted(db), 1):
            findings.add(
                "index", f"which messages hold a frequent word is wrong, as for {word!r}", repairable=True
            )
    except (sqlite3.Error, TypeError, ValueError) as error:
        findings.add("index", f"an index cannot be read: {error}", repairable=True)
    finally:
        fresh.connection.close()
    try:
        check_vectors(db, findings)
    except (sqlite3.Error, TypeError, ValueError) as error:
        findings.add("index", f"the vectors cannot be read: {error}", repairable=True)


def empty_copy() -> Db:
    """Return an empty database with the current schema in a temporary file, which is deleted with its connection."""
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    migrations.prepare(connection, "a temporary database")
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    return Db(connection)


def index_rows(db: Db, fresh: Db, tell: Progress) -> Iterator[tuple[str, str]]:
    """Index every message and summary of `db` in `fresh`; yield (its id if it is damaged, its words). Waiting texts
    are left out.
    """
    at = index_state(db)
    late = {row["id"] for row, _ in waiting_messages(db)}
    done, last = 0, db.number("highest_message")
    while rows := db.run("messages_after", done).fetchall():
        done = db.beyond(rows[-1]["id"], done)
        tell("messages to index", done, last)
        for row in rows:
            if not is_intact(row, "message"):
                yield message_id(row["id"]), ""
                continue
            if row["id"] in late or row["id"] <= at.messages_left:
                continue
            message = to_stored(row, row["seq"]).message
            words = indexed(searchable_text(message))
            scope = index_scope(row["conversation_id"], row["owner_id"], message)
            fresh.run("index_message", row["id"], scope, words)
            yield "", words
    done = 0
    while rows := db.run("summaries_after", done).fetchall():
        done = db.beyond(rows[-1]["id"], done)
        for row in rows:
            if not is_intact(row, "summary"):
                yield summary_id(row["id"]), ""
                continue
            if row["id"] > at.summaries_done:
                continue
            words = indexed(row["body"])
            fresh.run("index_summary", row["id"], index_scope(row["conversation_id"], row["owner_id"]), words)
            yield "", words


def _fill(db: Db, fresh: Db, tell: Progress) -> tuple[list[str], set[str]]:
    """Fill the indexes of `fresh` as those of `db` should be; return words missing from the vocabulary, and ids of
    damaged rows.
    """
    missing: list[str] = []
    unread, known = set[str](), set[str]()
    fresh.connection.execute("BEGIN")
    for damaged, words in index_rows(db, fresh, tell):
        if damaged:
            unread.add(damaged)
        if len(known) > MAX_KNOWN_WORDS:
            known.clear()
        for word in set(words.split()) - known:
            known.add(word)
            row = db.row("stem_of", word)
            if row is None or row[0] != index_stem(word):
                missing.append(word)
    done = 0
    while rows := db.run("words_after", done).fetchall():
        done = db.beyond(rows[-1]["id"], done)
        for row in rows:
            fresh.run("index_word", row["id"], f"{row['word']}{END * 2}")
    fresh.connection.execute("COMMIT")
    return missing, unread


def _differing(db: Db, fresh: Db, table: str) -> Iterator[int]:
    """Return the rows for which two indexes of the same name differ."""
    if _equal(db, fresh, table):
        return
    named = set[int]()
    mine, right = (_entries(one.connection, table) for one in (db, fresh))
    while True:
        have, want = list(islice(mine, _BATCH)), list(islice(right, _BATCH))
        if have != want:
            break
        if not have:
            return
    ahead, behind = _joined(have, mine), _joined(want, right)
    have_one, want_one = next(ahead, None), next(behind, None)
    while have_one is not None or want_one is not None:
        if have_one == want_one:
            have_one, want_one = next(ahead, None), next(behind, None)
            continue
        first = want_one is None or (have_one is not None and _place(have_one) < _place(want_one))
        odd = have_one if first else want_one
        if odd is not None and odd[1] not in named:
            named.add(odd[1])
            yield odd[1]
        if first:
            have_one = next(ahead, None)
        else:
            want_one = next(behind, None)


def _equal(db: Db, fresh: Db, table: str) -> bool:
    """Return whether two indexes are equal, by their sums: SQLite sums a word's entries in a quarter of the time of
    returning them. A collision has a chance of 1 in 2 ** 36.
    """
    with closing(_sums(db.connection, table)) as mine, closing(_sums(fresh.connection, table)) as right:
        while (have := list(islice(mine, _BATCH))) == list(islice(right, _BATCH)):
            if not have:
                return True
    return False


def _sums(connection: sqlite3.Connection, table: str) -> Generator[tuple[object, ...]]:
    """Yield the entries of each word, in order, as a count and a sum; then the length of each row."""
    make, _, sizes, *_ = _LISTS[table]
    connection.execute(make)
    cursor = connection.cursor()
    cursor.row_factory = None
    before, connection.text_factory = connection.text_factory, bytes
    try:
        for statement in (_SUMS[table], sizes):
            if statement:
                yield from cursor.execute(statement)
    finally:
        connection.text_factory = before


def _not_found(db: Db, fresh: Db, table: str) -> Iterator[str]:
    """Return the words that an index has but does not find: the lookup structure is separate from the entries."""
    *_, make, every, one = _LISTS[table]
    for held in (db, fresh):
        held.connection.execute(make)
    for row in fresh.connection.execute(every):
        found = db.connection.execute(one, (row[0],)).fetchone()
        if found is None or tuple(found) != tuple(row):
            yield str(row[0])


def _miscounted(db: Db) -> Iterator[str]:
    """Return the frequent words whose bitmaps differ from the index."""
    known = Vocabulary(db)

    def a_form(stem: str) -> str:
        return min(known.of_stem(stem), default=stem)

    for stretch in db.numbers("stretches_done"):
        first, last = stretch * RANGE_ROWS, (stretch + 1) * RANGE_ROWS - 1

        def held(said: str, first: int = first, last: int = last) -> list[int]:
            return db.numbers("oldest_messages_between", any_of([said]), first, last, RANGE_ROWS)

        for row in db.run("frequent_words", stretch).fetchall():
            if row["bits"] != bits_of(held(a_form(row["word"])), first, RANGE_ROWS):
                yield str(row["word"])
        for row in db.run("words_behind", stretch).fetchall():
            word, kept = a_form(row["word"]), unpacked_lists(row["lists"])
            if not kept or any(
                data != packed(held(f"{word} {a_form(other)}"), first, RANGE_ROWS)
                for other, data in kept.items()
            ):
                yield str(row["word"])


def _joined(read: list[Entry], rest: Iterator[Entry]) -> Iterator[Entry]:
    yield from read
    yield from rest


def _place(entry: Entry) -> tuple[bytes, int, bytes, int]:
    """Return the sort key of an entry."""
    return entry[0], entry[1], entry[2] or b"", entry[3] or 0


_LISTS = {
    "message_index": (
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.message_index_list USING fts5vocab(main, message_index, instance)",
        "SELECT term, doc, col, offset FROM temp.message_index_list",
        "SELECT id, sz FROM message_index_docsize ORDER BY id",
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.message_index_rows USING fts5vocab(main, message_index, row)",
        "SELECT term, doc, cnt FROM temp.message_index_rows",
        "SELECT term, doc, cnt FROM temp.message_index_rows WHERE term = ?",
    ),
    "summary_index": (
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.summary_index_list USING fts5vocab(main, summary_index, instance)",
        "SELECT term, doc, col, offset FROM temp.summary_index_list",
        "SELECT id, sz FROM summary_index_docsize ORDER BY id",
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.summary_index_rows USING fts5vocab(main, summary_index, row)",
        "SELECT term, doc, cnt FROM temp.summary_index_rows",
        "SELECT term, doc, cnt FROM temp.summary_index_rows WHERE term = ?",
    ),
    "word_index": (
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_index_list USING fts5vocab(main, word_index, instance)",
        "SELECT term, doc, col, offset FROM temp.word_index_list",
        "",
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_index_rows USING fts5vocab(main, word_index, row)",
        "SELECT term, doc, cnt FROM temp.word_index_rows",
        "SELECT term, doc, cnt FROM temp.word_index_rows WHERE term = ?",
    ),
}
"""How the entries of an index and the lengths of its rows are listed. They are not with the other statements, because
they need tables that only this module creates.
"""

_SUMS = {
    "message_index": (
        "SELECT term, count(*), sum((doc * 2654435761 & 2147483647) * (((coalesce(offset, 0) + 1) * 40503 "
        "+ coalesce(unicode(col), 0)) & 2147483647) & 68719476735) FROM temp.message_index_list GROUP BY term"
    ),
    "summary_index": (
        "SELECT term, count(*), sum((doc * 2654435761 & 2147483647) * (((coalesce(offset, 0) + 1) * 40503 "
        "+ coalesce(unicode(col), 0)) & 2147483647) & 68719476735) FROM temp.summary_index_list GROUP BY term"
    ),
    "word_index": (
        "SELECT term, count(*), sum((doc * 2654435761 & 2147483647) * (((coalesce(offset, 0) + 1) * 40503 "
        "+ coalesce(unicode(col), 0)) & 2147483647) & 68719476735) FROM temp.word_index_list GROUP BY term"
    ),
}
"""Sums that change with every entry: row and position are multiplied, so that an exchange shows."""

_SIZES = b"\xff\xff"
"""Replaces a word before the lengths of rows; it sorts after every word."""


def _entries(connection: sqlite3.Connection, table: str) -> Iterator[Entry]:
    """Yield every entry of a word index in order, then the length of each row."""
    make, entries, sizes, *_ = _LISTS[table]
    connection.execute(make)
    cursor = connection.cursor()
    cursor.row_factory = None
    before, connection.text_factory = connection.text_factory, bytes
    try:
        yield from cursor.execute(entries)
        if sizes:
            yield from ((_SIZES, int(row[0]), bytes(row[1] or b""), 0) for row in cursor.execute(sizes))
    finally:
        connection.text_factory = before
