"""Word search in SQLite's FTS5, within one conversation or over all of an owner's.

What a search means stands in `words`. An index row carries its conversation and its owner as words of their own, so
that the index itself keeps to them.
"""

from __future__ import annotations

from palimpsest.ports import Found, FoundAll
from palimpsest.record.message import searchable_text
from palimpsest.search.query import Query
from palimpsest.search.where import Where
from palimpsest.stores.sqlite_log import Db, find_conversation, owner_number, to_stored
from palimpsest.stores.sqlite_window import to_summary
from palimpsest.stores.words import (
    MAX_SCANNED_HITS,
    MAX_SCANNED_MESSAGES,
    expression,
    longest_run,
    occur_in,
)


def search(
    db: Db, owner: str, conversation: str | None, query: Query, where: Where, limit: int
) -> FoundAll:
    """See `Store.search`."""
    scope = where.scope
    number = find_conversation(db, owner, conversation) if conversation is not None else None
    if conversation is not None and number is None:
        return FoundAll(0, ())
    word = f"c{number}" if number is not None else f"o{owner_number(db, owner)}"
    matching = f'scope : "{word}" AND body : ({expression(query)})'
    hits: list[Found] = []
    total = 0
    if scope != "summary":
        total += db.number("count_matching_messages", matching)
        for row in db.run("match_messages", matching, limit).fetchall():
            hits.extend(_message(db, owner, row["id"], row["rank"]))
    if scope != "message":
        total += db.number("count_matching_summaries", matching)
        for row in db.run("match_summaries", matching, limit).fetchall():
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
    """Messages that hold every word as a plain string, newest first; rank 0, since nothing was weighed."""
    hits: list[Found] = []
    for row in db.run("scan_messages", conversation, MAX_SCANNED_MESSAGES, longest_run(query)):
        hits.extend(hit for hit in _message(db, owner, row["id"], 0.0) if occur_in(query, hit.text))
        if len(hits) >= MAX_SCANNED_HITS:
            break
    return FoundAll(len(hits), tuple(hits[:limit]))
