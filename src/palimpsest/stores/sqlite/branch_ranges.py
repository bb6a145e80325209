"""Which branch holds which range of a history."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palimpsest.stores.sqlite.statements import Db


def segments(db: Db, branch_id: int, first: int, last: int) -> list[tuple[int, int, int]]:
    """Return (branch id, first, last) of the ranges of a history between two positions, oldest first."""
    found: list[tuple[int, int, int]] = []
    current: int | None = branch_id
    while current is not None and last >= first:
        if current not in db.forks:
            row = db.row("branch_parent", current)
            if row is None:
                break
            db.forks[current] = (row["parent_id"], row["fork_seq"])
        parent, fork_seq = db.forks[current]
        if last > fork_seq:
            found.append((current, max(first, fork_seq + 1), last))
            last = fork_seq
        current = parent
    return found[::-1]
