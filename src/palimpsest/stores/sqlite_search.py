"""Word search in SQLite's FTS5, within one conversation or over all of an owner's.

The query is put together from quoted phrases only, so nothing a user types is an operator of the index. Where the
index finds nothing, a conversation's newest messages are looked through for the words as plain strings, which finds the inside
of an identifier or a hash.
"""

from __future__ import annotations

import json

from palimpsest.ports import Found, FoundAll, SearchScope
from palimpsest.record.message import searchable_text
from palimpsest.search.query import Query, segment
from palimpsest.stores.sqlite_log import Db, find_conversation, owner_number, to_stored
from palimpsest.stores.sqlite_window import to_summary

MAX_SCANNED_MESSAGES = 20_000


def match_expression(query: Query, scope: str) -> str:
    """The FTS5 expression: the scope word, and every word as a phrase."""
    phrases = " AND ".join(f'"{segment(word).replace(chr(34), " ")}"' for word in query.words)
    return f'scope : "{scope}" AND body : ({phrases})'


def search(
    db: Db, owner: str, conversation: str | None, query: Query, scope: SearchScope, limit: int
) -> FoundAll:
    """See `Store.search`."""
    number = find_conversation(db, owner, conversation) if conversation is not None else None
    if conversation is not None and number is None:
        return FoundAll(0, ())
    word = f"c{number}" if number is not None else f"o{owner_number(db, owner)}"
    expression = match_expression(query, word)
    hits: list[Found] = []
    total = 0
    if scope != "summary":
        total += db.number("count_matching_messages", expression)
        for row in db.run("match_messages", expression, limit).fetchall():
            hits.extend(_message(db, owner, row["id"], row["rank"]))
    if scope != "message":
        total += db.number("count_matching_summaries", expression)
        for row in db.run("match_summaries", expression, limit).fetchall():
            hits.extend(_summary(db, owner, row["id"], row["rank"]))
    if not total and number is not None and scope != "summary":
        return _scan(db, owner, number, query, limit)
    hits.sort(key=lambda hit: hit.rank)
    return FoundAll(total, tuple(hits[:limit]))


def _message(db: Db, owner: str, number: int, rank: float) -> list[Found]:
    row = db.row("owner_messages", number, owner)
    if row is None:
        return []
    stored = to_stored(row, row["closed_seq"])
    message = stored.message
    text = searchable_text(message)
    return [
        Found(
            stored.id,
            "message",
            row["conversation"],
            message.role,
            message.time_s,
            rank,
            0,
            text,
            stored.tokens,
        )
    ]


def _summary(db: Db, owner: str, number: int, rank: float) -> list[Found]:
    row = db.row("owner_summaries", number, owner)
    if row is None:
        return []
    one = to_summary(db, row)
    return [
        Found(
            one.id, "summary", row["conversation"], "", one.latest_s, rank, one.depth, one.text, one.tokens, one.covers
        )
    ]  # fmt: skip


def _scan(db: Db, owner: str, conversation: int, query: Query, limit: int) -> FoundAll:
    """Messages that hold every word as a plain string, case folded, newest first; rank 0, since nothing was weighed."""
    words = [word.casefold() for word in query.words]
    longest = max(words, key=len)
    escaped = json.dumps(longest, ensure_ascii=False)[1:-1]
    twice = json.dumps(escaped, ensure_ascii=False)[1:-1]
    hits: list[Found] = []
    for row in db.run("scan_messages", conversation, MAX_SCANNED_MESSAGES, escaped, twice).fetchall():
        for hit in _message(db, owner, row["id"], 0.0):
            text = hit.text.casefold()
            if all(word in text for word in words):
                hits.append(hit)
    return FoundAll(len(hits), tuple(hits[:limit]))
