"""Counts, costs and the list of conversations of an owner. Each function runs inside a transaction of its caller.

It imports little, because `list` and `stats` need nothing else.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from palimpsest.record.spending import Spending
from palimpsest.record.store_values import ConversationRow, StoreStats
from palimpsest.stores.checksums import intact_row
from palimpsest.stores.sqlite.branch_ranges import segments
from palimpsest.stores.sqlite.fulltext.index import rebuild_left

if TYPE_CHECKING:
    from palimpsest.stores.sqlite.statements import Db
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

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
        to_index=rebuild_left(db),
    )


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


def conversations(db: Db, owner: str) -> list[ConversationRow]:
    """See `Store.conversations`. Every statement covers all conversations."""
    branches = {row["conversation_id"]: checked_branch(row) for row in db.run("current_branches", owner)}
    windows = _windows_tokens(db, owner, branches.values())
    found: list[ConversationRow] = []
    for row in db.run("conversations", owner):
        intact_row(row, "conversation", f"what is said of conversation {row['name']}")
        branch = branches.get(row["id"])
        messages, tokens = (branch["head_seq"], branch["tokens"]) if branch is not None else (0, 0)
        window_tokens = windows[branch["id"]] if branch is not None else 0
        found.append(
            ConversationRow(
                row["name"], row["title"], row["parent"], messages, tokens, window_tokens, row["updated_s"],
                row["system"],
            )
        )  # fmt: skip
    return found


def checked_branch(row: sqlite3.Row) -> sqlite3.Row:
    """Return a branch's row. Raises IntegrityError for a damaged one."""
    return intact_row(row, "branch", f"the branch of conversation {row['conversation']}")


def _windows_tokens(db: Db, owner: str, branches: Iterable[sqlite3.Row]) -> dict[int, int]:
    """Return the window tokens of branches by id. Only what is verbatim is summed, so the cost does not grow with the
    histories.
    """
    heads: dict[int, int] = {}
    for branch in branches:
        db.forks[branch["id"]] = (branch["parent_id"], branch["fork_seq"])
        heads[branch["id"]] = branch["head_seq"]
    tokens, through = dict.fromkeys(heads, 0), dict.fromkeys(heads, 0)
    stretches: list[tuple[int, int, int]] = []
    of: list[int] = []

    def verbatim(branch_id: int, last: int) -> None:
        found = segments(db, branch_id, through[branch_id] + 1, last)
        stretches.extend(found)
        of.extend([branch_id] * len(found))

    for item in db.run("all_standing_items", owner).fetchall():
        intact_row(item, "item", f"window item {item['id']}")
        branch_id = item["branch_id"]
        verbatim(branch_id, item["first_seq"] - 1)
        tokens[branch_id] += item["tokens"]
        through[branch_id] = item["last_seq"]
    for branch_id, head in heads.items():
        verbatim(branch_id, head)
    for place, summed in db.run("message_tokens_of_stretches", json.dumps(stretches)):
        tokens[of[place]] += summed
    return tokens
