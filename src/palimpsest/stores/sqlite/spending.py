"""Sums over what calls cost. Part of the SQLite store; inside a transaction of its caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.record.spending import Spending

if TYPE_CHECKING:
    from palimpsest.stores.sqlite.statements import Db


def spending(db: Db, owner: str) -> list[Spending]:
    """See `Store.spending`."""
    return [
        Spending(
            row["conversation"], row["model"], row["kind"], row["calls"], row["input_tokens"], row["cached_tokens"],
            row["written_tokens"], row["output_tokens"], row["cost"], row["never_cost"], row["units"],
            row["unreported"], bool(row["assumed"]),
        )
        for row in db.run("spending", owner)
    ]  # fmt: skip
