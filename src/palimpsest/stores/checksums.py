"""A checksum for each row that matters, stored with it, so that a changed byte is never read as content.

SQLite has no checksums for its pages, so it returns a flipped bit inside a text as if it had been stored. The hash
chain detects that for message content only, and only when a whole history is read. So every such row has a CRC-32 of
its columns, as a generated column: SQLite calls `crc` whenever it writes a row, and `intact_row` compares on reading.
This detects damage, not forgery.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from operator import itemgetter

from palimpsest.errors import IntegrityError

SUMMED: Mapping[str, tuple[str, ...]] = {
    "conversation": ("name", "title", "parent", "system"),
    "branch": (
        "conversation_id", "parent_id", "fork_seq", "forked_after", "head_seq", "head_chain", "calls", "closed_seq",
        "version", "thinking_from", "tokens", "purged",
    ),
    "message": ("id", "seq", "role", "body", "tokens", "time_s", "gate", "gate_tokens"),
    "append_key": ("key", "message_ids"),
    "summary": (
        "id", "depth", "first_seq", "last_seq", "body", "tokens", "method", "model", "earliest_s", "latest_s", "quotes",
    ),
    "compaction": (
        "reason", "numbers", "replaced", "item_id", "item_kind", "note", "before_tokens", "after_tokens",
        "thinking_from", "calls", "evidence_kept", "evidence_left", "time_s", "evidence", "ledger", "ledger_through",
    ),
    "ledger": ("body",),
    "memo": ("body",),
    "pin": ("id", "quotes", "records", "tokens", "time_s"),
    "item": ("id", "kind", "first_seq", "last_seq", "note", "tokens"),
    "usage": (
        "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "estimated_tokens", "window_mark",
        "last_seq", "model",
    ),
    "calibration": ("model", "kind", "estimated", "reported"),
    "account": ("body",),
    "spent": (
        "kind", "model", "time_s", "input_tokens", "cached_tokens", "written_tokens", "output_tokens", "cost",
        "never_cost", "units", "reported", "assumed",
    ),
}  # fmt: skip
"""The tables with checksummed rows, and the columns of each, in order."""

_WAY_OUT = "`palimpsest verify` shows all that is damaged; restore a backup, or export what is intact"


def crc(*values: object) -> int:
    """Return the CRC-32 of a row's values: text, numbers, bytes, None."""
    text = "\x1f".join([value if type(value) is str else repr(value) for value in values])
    return zlib.crc32(text.encode("utf-8", "surrogateescape"))


def register_crc(connection: sqlite3.Connection) -> None:
    """Register `crc` with a connection. Without it no checksummed row can be written."""
    connection.create_function("crc", -1, crc, deterministic=True)


def is_intact(row: sqlite3.Row, table: str) -> bool:
    """Return whether a row, read with all its checksummed columns, is intact."""
    return row["crc"] == crc(*[row[name] for name in SUMMED[table]])


def intact_row(row: sqlite3.Row, table: str, name: str) -> sqlite3.Row:
    """Return the row if it is intact. Raises IntegrityError, which calls it `name`."""
    if not is_intact(row, table):
        raise IntegrityError(f"{name} is damaged: it is not what was stored", hint=_WAY_OUT)
    return row


def damaged(rows: Sequence[sqlite3.Row], table: str) -> sqlite3.Row | None:
    """Return the first damaged row; faster than checking each row alone."""
    if not rows:
        return None
    names = rows[0].keys()
    summed, written = itemgetter(*map(names.index, SUMMED[table])), names.index("crc")
    return next((row for row in rows if row[written] != crc(*summed(row))), None)
