"""The fold of the log in rows: the window items other than messages, from compactions alone.

The table `item` stores this fold, so it can be compared and rebuilt. A fork starts with its parent's window before
the fork, as of the compactions up to `forked_after`. A summary across the fork is opened into its sources, and a
dropped range is cut. Only the log is read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from palimpsest.errors import IntegrityError
from palimpsest.stores.checksums import intact_row
from palimpsest.stores.codec import decode_strings
from palimpsest.stores.sqlite.branch_ranges import segments
from palimpsest.stores.sqlite.message_log import row_number
from palimpsest.stores.sqlite.statements import Db


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a window: an item other than a message."""

    id: str
    kind: str
    first: int
    last: int
    note: str
    tokens: int


@dataclass(slots=True)
class Folded:
    """A window from the log: the current rows, by first position, and former ones."""

    standing: dict[str, Row] = field(default_factory=dict[str, Row])
    retired: dict[str, Row] = field(default_factory=dict[str, Row])
    thinking_from: int = 1

    @property
    def rows(self) -> list[Row]:
        """Return the current rows in order."""
        return sorted(self.standing.values(), key=lambda row: row.first)


def fold_rows(db: Db, branch: sqlite3.Row, through: int | None = None) -> Folded:
    """Return the window of a branch, with its own compactions up to number `through`, or all.

    Raises IntegrityError if the log is incomplete or contradicts itself.
    """
    folded = _inherited(db, branch)
    path = segments(db, branch["id"], 1, branch["head_seq"])
    for record in db.run("compactions", branch["id"]).fetchall():
        if through is not None and record["id"] > through:
            break
        intact_row(record, "compaction", f"compaction {record['id']}")
        _apply(db, path, folded, record)
    return folded


def _apply(db: Db, path: list[tuple[int, int, int]], folded: Folded, record: sqlite3.Row) -> None:
    """Apply a compaction."""
    name = f"compaction {record['id']}"
    ranges: list[tuple[int, int]] = []
    for gone in decode_strings(record["replaced"]):
        row = folded.standing.pop(gone, None)
        if row is not None:
            folded.retired[gone] = row
            ranges.append((row.first, row.last))
        else:
            position = _position(db, path, gone)
            if position is None:
                raise IntegrityError(f"{name} replaced {gone}, which was not in the window")
            ranges.append((position, position))
    if not ranges or any(after[0] != before[1] + 1 for before, after in pairwise(ranges)):
        raise IntegrityError(f"{name} replaced items that were not adjacent")
    made = Row(
        record["item_id"], record["item_kind"], ranges[0][0], ranges[-1][1], record["note"], record["after_tokens"]
    )  # fmt: skip
    if any(made.first <= row.last and row.first <= made.last for row in folded.standing.values()):
        raise IntegrityError(f"{name} covers what another item covers")
    folded.standing[made.id] = made
    folded.thinking_from = max(folded.thinking_from, record["thinking_from"])


def _position(db: Db, path: Iterable[tuple[int, int, int]], public_id: str) -> int | None:
    """Return the position of a message in a history, None if it is not part of it."""
    number = row_number(public_id, "m")
    found = db.row("place_of_number", number) if number is not None else None
    if found is None:
        return None
    there = any(
        branch == found["branch_id"] and first <= found["seq"] <= last for branch, first, last in path
    )
    return int(found["seq"]) if there else None


def _inherited(db: Db, branch: sqlite3.Row) -> Folded:
    """Return what a fork starts with; nothing for a first branch."""
    parent = db.row("branch_row", branch["parent_id"]) if branch["parent_id"] is not None else None
    if parent is None:
        return Folded()
    fork_seq = int(branch["fork_seq"])
    before = fold_rows(db, parent, int(branch["forked_after"]))
    folded = Folded(thinking_from=min(before.thinking_from, fork_seq + 1))
    pending = before.rows
    while pending:
        row = pending.pop()
        if row.first > fork_seq:
            continue
        if row.last <= fork_seq:
            folded.standing[row.id] = row
        elif row.kind == "summary":
            pending.extend(_opened(db, row))
        elif row.kind == "omitted":
            folded.standing[row.id] = replace(row, last=fork_seq)
    return folded


def _opened(db: Db, row: Row) -> list[Row]:
    """Return the summaries that a summary was made from."""
    number = row_number(row.id, "s")
    children: list[Row] = []
    for source in db.run("sources", number).fetchall():
        found = db.row("summary", row_number(str(source[0]), "s") or 0)
        if found is not None:
            child = intact_row(found, "summary", str(source[0]))
            children.append(
                Row(str(source[0]), "summary", child["first_seq"], child["last_seq"], "", child["tokens"])
            )
    return children
