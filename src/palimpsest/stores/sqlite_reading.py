"""Reading back in SQLite: the history that an id stands in, and what lies beneath a summary without reading it."""

from __future__ import annotations

from palimpsest.ports import Beneath
from palimpsest.record.log import Stored
from palimpsest.stores.sqlite_db import Db
from palimpsest.stores.sqlite_log import read_range, row_number, to_branch


def history(db: Db, owner: str, public_id: str, first: int, last: int) -> list[Stored]:
    """See `Store.history`."""
    statement = "place_of_summary" if public_id.startswith("s") else "place_of_message"
    number = row_number(public_id, public_id[:1])
    row = db.row(statement, number, owner) if number is not None and public_id[0] in "ms" else None
    return read_range(db, to_branch(row), first, last) if row is not None else []


def beneath(db: Db, owner: str, summary_id: str) -> Beneath | None:
    """See `Store.beneath`."""
    number = row_number(summary_id, "s")
    rows = db.run("summaries_beneath", number, owner).fetchall() if number is not None else []
    if not rows:
        return None
    levels = tuple((row["depth"], row["number"], row["tokens"]) for row in rows)
    return Beneath(levels, db.number("message_tokens_beneath", number))
