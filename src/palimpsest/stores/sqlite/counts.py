"""Counting what is stored for an owner. Part of the SQLite store; inside a transaction of its caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.record.store_values import StoreStats
from palimpsest.stores.sqlite.fulltext.index_version import to_renew

if TYPE_CHECKING:
    from palimpsest.stores.sqlite.statements import Db


def counts(db: Db, owner: str) -> StoreStats:
    """See `Store.stats`."""
    messages = db.run("count_messages", owner).fetchone()
    return StoreStats(
        messages=messages["messages"],
        tokens=messages["tokens"],
        conversations=db.number("count_conversations", owner),
        summaries_by_depth=tuple((row["depth"], row["number"]) for row in db.run("count_summaries", owner)),
        compactions=db.number("count_compactions", owner),
        size_bytes=db.number("page_count") * db.number("page_size"),
        summaries_by_method=tuple((row["method"], row["number"]) for row in db.run("count_methods", owner)),
        to_index=to_renew(db),
    )
