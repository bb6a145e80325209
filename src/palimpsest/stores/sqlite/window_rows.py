"""Windows. Each function runs inside a transaction of its caller.

Only items that are not verbatim messages have a row. Messages fill the gaps between rows, so loading a window costs
what the window holds, and appending changes no row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from palimpsest.errors import IntegrityError, StaleCommit
from palimpsest.ports import Commit
from palimpsest.record.log import Branch, Compaction, ItemKind, Stored
from palimpsest.record.provider_block import decode_block, encode_block
from palimpsest.record.summary import Method, Summary
from palimpsest.record.window import Window, check_coverage
from palimpsest.record.window_items import (
    BlockItem,
    Item,
    MessageItem,
    OmittedItem,
    StubItem,
    SummaryItem,
    as_stored,
    item_of,
    kind_of,
)
from palimpsest.stores.checksums import intact_row
from palimpsest.stores.codec import (
    decode_calls,
    decode_evidence,
    decode_numbers,
    decode_strings,
    dumps,
    encode_calls,
    storable,
)
from palimpsest.stores.log_rules import check_commit
from palimpsest.stores.sqlite.fulltext.index import index_summary
from palimpsest.stores.sqlite.message_log import owner_number, read_range, row_number, to_branch
from palimpsest.stores.sqlite.statements import Db


def summary_id(number: int) -> str:
    """Return the public id of a summary's row number."""
    return f"s{number}"


def to_summary(db: Db, row: sqlite3.Row) -> Summary:
    """Return a summary with its sources from its row. Raises IntegrityError for a damaged one."""
    intact_row(row, "summary", f"summary {summary_id(row['id'])}")
    return Summary(
        id=summary_id(row["id"]),
        depth=row["depth"],
        text=row["body"],
        tokens=row["tokens"],
        first=row["first_seq"],
        last=row["last_seq"],
        sources=tuple(str(source[0]) for source in db.run("sources", row["id"])),
        method=cast("Method", row["method"]),
        model=row["model"],
        earliest_s=row["earliest_s"],
        latest_s=row["latest_s"],
        quotes=row["quotes"],
    )


def read_summary(db: Db, public_id: str) -> Summary:
    """Return a summary that a window or another summary names."""
    row = db.row("summary", row_number(public_id, "s"))
    if row is None:
        raise IntegrityError(
            f"summary {public_id} is named but not stored", hint="restore the database from a backup"
        )
    return to_summary(db, row)


def load_window(db: Db, branch: Branch) -> Window:
    """Return the window of a branch. Raises IntegrityError if its items do not cover the history."""
    window = load_span(db, branch, 1, branch.head.seq)
    check_coverage(window, branch.head.seq)
    return window


def load_span(db: Db, branch: Branch, first: int, last: int) -> Window:
    """Return the items of a branch's window that overlap a range of positions."""
    items: list[Item] = []
    position = first - 1
    for row in db.run("standing_between", branch.id, first, last).fetchall():
        if row["first_seq"] > position + 1:
            items.extend(item_of(one) for one in read_range(db, branch, position + 1, row["first_seq"] - 1))
        items.append(_item(db, branch, row))
        position = row["last_seq"]
    items.extend(item_of(one) for one in read_range(db, branch, position + 1, last))
    return Window(tuple(items), branch.thinking_from)


def standing_items(db: Db, branch: Branch, last: int) -> list[Item]:
    """Return the items of a branch's window, up to a position, that are not verbatim messages."""
    return [_item(db, branch, row) for row in db.run("standing_between", branch.id, 1, last).fetchall()]


def _item(db: Db, branch: Branch, row: sqlite3.Row) -> Item:
    intact_row(row, "item", f"window item {row['id']}")
    match row["kind"]:
        case "summary":
            summary = read_summary(db, row["id"])
            quoted = read_range(db, branch, summary.quotes, summary.quotes) if summary.quotes else []
            block = decode_block(row["note"])
            if block is not None:
                return BlockItem(summary, quoted[0] if quoted else None, block)
            return SummaryItem(summary, quoted[0] if quoted else None)
        case "stub":
            stored = read_range(db, branch, row["first_seq"], row["first_seq"])
            return StubItem(row["id"], stored[0], row["note"], row["tokens"])
        case "omitted":
            return OmittedItem(row["id"], row["first_seq"], row["last_seq"], row["note"], row["tokens"])
        case kind:
            raise IntegrityError(f"a stored window item has the unknown kind {kind!r}")


def save_items(db: Db, branch_id: int, items: Sequence[Item]) -> None:
    """Store the rows of items that are not plain messages."""
    for item in items:
        if not as_stored(item):
            db.run(
                "add_item", branch_id, item.id, _stored_kind(item), item.first, item.last, note_of(item), item.tokens
            )  # fmt: skip


def note_of(item: Item) -> str:
    """Return the note column of an item: the note of a stub or of a dropped range, or a provider's block."""
    if isinstance(item, BlockItem):
        return encode_block(item.block)
    return item.note if isinstance(item, StubItem | OmittedItem) else ""


def _stored_kind(item: Item) -> str:
    """Return the kind column of an item. A block is a summary with a note, so that earlier versions can read it."""
    kind = kind_of(item)
    return "summary" if kind == "block" else kind


def commit(db: Db, owner: str, conversation: int, branch_id: int, change: Commit) -> tuple[Branch, Item]:
    """See `Store.commit`. The replaced part of the window is loaded and replaced as a value first, so the laws are
    checked before any write, at a cost that depends on that part only. If that fails, the whole window decides which
    error to raise.
    """
    db.refresh()
    row = db.row("branch", branch_id, conversation)
    if row is None:
        raise StaleCommit("the branch of this compaction is gone", hint="plan again on the current window")
    branch = to_branch(row)
    try:
        check_commit(load_span(db, branch, change.item.first, change.item.last), branch, change)
    except StaleCommit:
        check_commit(load_window(db, branch), branch, change)
    item = _add(db, owner, conversation, branch_id, change.item)
    record = change.compaction
    for gone in record.replaced:
        db.run("retire_item", branch_id, gone)
    save_items(db, branch_id, [item])
    db.run(
        "add_compaction", branch_id, record.reason, dumps(dict(record.numbers)), dumps(record.replaced), item.id,
        _stored_kind(item), storable(note_of(item)), record.before_tokens, record.after_tokens, record.thinking_from,
        encode_calls(record.calls),
        record.evidence_kept, record.evidence_left, record.time_s, dumps(record.evidence), storable(record.ledger),
        record.ledger_through,
    )  # fmt: skip
    db.run("mark_compacted", record.thinking_from, branch_id)
    thinking_from = max(branch.thinking_from, record.thinking_from)
    return replace(branch, version=branch.version + 1, thinking_from=thinking_from), item


def _add(db: Db, owner: str, conversation: int, branch_id: int, item: Item) -> Item:
    """Give a new item its id, and store and index its summary if it has one."""
    match item:
        case SummaryItem(summary=given, quoted=quoted):
            summary = replace(given, text=storable(given.text))
            cursor = db.run(
                "add_summary", conversation, branch_id, summary.depth, summary.first, summary.last, summary.text,
                summary.tokens, summary.method, summary.model, summary.earliest_s, summary.latest_s,
                summary.quotes,
            )  # fmt: skip
            number = int(cursor.lastrowid or 0)
            for place, source in enumerate(summary.sources):
                db.run("add_source", number, place, source)
            db.run("reckon_beneath", number)
            index_summary(db, number, conversation, owner_number(db, owner), summary.text)
            return replace(item, summary=replace(summary, id=summary_id(number)), quoted=quoted)
        case StubItem():
            return replace(item, id=f"x{_next_number(db)}", note=storable(item.note))
        case OmittedItem():
            return replace(item, id=f"o{_next_number(db)}", note=storable(item.note))
        case MessageItem():
            raise IntegrityError("a compaction cannot replace items by a message")


def _next_number(db: Db) -> int:
    return int(db.run("number_item").lastrowid or 0)


def compactions(db: Db, branch_id: int) -> list[Compaction]:
    """See `Store.compactions`."""
    return [
        Compaction(
            reason=row["reason"],
            numbers=decode_numbers(row["numbers"]),
            replaced=decode_strings(row["replaced"]),
            item_id=row["item_id"],
            item_kind="block"
            if row["item_kind"] == "summary" and row["note"]
            else cast("ItemKind", row["item_kind"]),
            before_tokens=row["before_tokens"],
            after_tokens=row["after_tokens"],
            time_s=row["time_s"],
            thinking_from=row["thinking_from"],
            calls=decode_calls(row["calls"]),
            evidence_kept=row["evidence_kept"],
            evidence_left=row["evidence_left"],
            evidence=decode_evidence(row["evidence"]),
            ledger=row["ledger"],
            ledger_through=row["ledger_through"],
        )
        for row in (
            intact_row(one, "compaction", f"compaction {one['id']}")
            for one in db.run("compactions", branch_id)
        )
    ]


def read_summaries(db: Db, owner: str, ids: Sequence[str]) -> dict[str, tuple[str, Stored | Summary]]:
    """Return (conversation, summary) by id, for the summaries that this owner has."""
    found: dict[str, tuple[str, Stored | Summary]] = {}
    for public_id in ids:
        number = row_number(public_id, "s")
        row = db.row("owner_summaries", number, owner) if number is not None else None
        if row is not None:
            found[public_id] = (row["conversation"], to_summary(db, row))
    return found
