"""What the store reads for a question: messages that may answer, each with its neighbours, for `search.rank`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palimpsest.record.message import searchable_text
from palimpsest.search.pool import Candidate, Pool
from palimpsest.stores.sqlite_log import Db, find_conversation, owner_number, to_stored
from palimpsest.stores.sqlite_window import to_summary
from palimpsest.stores.words import COMMON_HITS, any_form, stretches, telling


def recall(db: Db, owner: str, conversation: str | None, words: Sequence[Sequence[str]], limit: int) -> Pool:
    """See `Store.recall`."""
    number = find_conversation(db, owner, conversation) if conversation is not None else None
    owner_id = owner_number(db, owner)
    if not owner_id or (conversation is not None and number is None):
        return Pool(0, (0,) * len(words), ())
    scope = f'scope : "c{number}"' if number is not None else f'scope : "o{owner_id}"'
    total = (
        db.number("count_conversation_messages", number)
        if number is not None
        else db.number("count_owner_messages", owner_id)
    )
    matches = [f"{scope} AND body : ({any_form(forms)})" for forms in words]
    postings = [_holding(db, "holding_messages", match) for match in matches]
    rows = (db.row("message_place", one) for one in telling(postings, total, limit))
    found = list(_around(db, owner, [(row["branch_id"], row["seq"]) for row in rows if row is not None]))
    summaries = [_holding(db, "holding_summaries", match) for match in matches]
    for one in telling(summaries, total, limit):
        found += _summary_candidate(db, owner, one)
    return Pool(total, tuple(map(len, postings)), tuple(found))


def _holding(db: Db, statement: str, matching: str) -> list[int]:
    return [int(row[0]) for row in db.run(statement, matching, COMMON_HITS)]


def _around(db: Db, owner: str, places: Sequence[tuple[int, int]]) -> Iterable[Candidate]:
    for branch_id, first, last in stretches(places):
        for row in db.run("near_messages", branch_id, first, last, owner):
            stored = to_stored(row, row["seq"])
            message = stored.message
            yield Candidate(
                stored.id, "message", row["conversation"], branch_id, stored.seq, message.role, message.name,
                message.time_s, searchable_text(message), stored.tokens,
            )  # fmt: skip


def _summary_candidate(db: Db, owner: str, number: int) -> list[Candidate]:
    row = db.row("owner_summaries", number, owner)
    if row is None:
        return []
    one = to_summary(db, row)
    place = (0, one.last, "", "", one.latest_s, one.text, one.tokens)
    return [Candidate(one.id, "summary", row["conversation"], *place)]
